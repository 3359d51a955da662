"""The recorded probabilities of asking make honest accuracy right: on simulated years of traffic.

`python -m tests.serve.test_honesty YEARS` tells how often the 95% interval covers the truth.
"""

import sys
import tempfile
from pathlib import Path
from random import Random

import pytest

from .mail import Desk, declared

DAYS, A_DAY = 73, 20  # a year in which every fifth day has traffic
YEARS = 12
WORDS = [f"w{i}" for i in range(30)]


def truth(words, day, rng):
    """Return the label of an item: another half of the words counts in every quarter."""
    good = set(WORDS[day // 18 * 7 % 30 :][:15])
    spam = sum(1 if word in good else -1 for word in words) > 0
    return "spam" if spam != (rng.random() < 0.03) else "ham"


def year(folder, seed):
    """Play a year; return the estimate, and the accuracy that only a simulation knows."""
    rng = Random(seed)
    desk = Desk(folder, declared(budget="15%", audit=0.2, seed=seed, queue=10_000))
    desk.service.store.db.execute("PRAGMA synchronous = OFF")  # nothing of this has to last
    labels, right, predicted, waiting = {}, 0, 0, []
    for day in range(DAYS):
        desk.now = 86_400.0 * 5 * day
        found = [rng.choices(WORDS, k=5) for _ in range(A_DAY)]
        replies = desk.add([{"text": " ".join(words)} for words in found], keys=False)
        for words, reply in zip(found, replies, strict=True):
            labels[reply["item"]] = truth(words, day, rng)
            predicted += reply["label"] is not None  # it had learned something
            right += labels[reply["item"]] == reply["label"]
            if reply["asked"]:
                waiting.append(reply["item"])
        rng.shuffle(waiting)  # people answer in any order, and some days late
        keep = len(waiting) // 4 if day < DAYS - 1 else 0
        desk.say_all({item: labels[item] for item in waiting[keep:]})
        del waiting[keep:]
    view = desk.view()
    desk.crash()
    assert (view["answered"], view["predicted"]) == (view["asked"], predicted)
    return view["accuracy"]["overall"], right / predicted


def covered(years):
    """Return in how many of these years the interval covers the truth."""
    found = []
    for seed in range(years):
        with tempfile.TemporaryDirectory() as folder:
            estimate, right = year(Path(folder), seed)
        found.append(estimate["low"] <= right <= estimate["high"])
    return sum(found)


@pytest.mark.slow
def test_the_interval_covers_the_truth():
    assert covered(YEARS) >= YEARS - 3  # fewer in one of 440 such tests, if it does so in 95%


if __name__ == "__main__":
    years = int(sys.argv[1])
    print(f"{covered(years)} of {years} years")
