"""Whole logs: generated ones, from export to report; and a real one, pseudonymised."""

import csv
import itertools
import lzma
import os
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from experiments.activity.__main__ import SIZES
from experiments.activity.__main__ import main as made_up
from experiments.activity.desks import export, generate
from experiments.activity.work import Size
from selectron_desktop.cli import main
from selectron_desktop.feed import read
from selectron_desktop.joining import Joiner, Raw
from selectron_desktop.naming import Seen, Titles, family

SMALL = Size(activities=6, days=3, minutes=600, switches=40)


def call(*args):
    program = made_up if args[0] in ("generate", "evaluate") else main
    return CliRunner().invoke(program, [*map(str, args)])


def test_what_is_exported_is_read_again(tmp_path):
    desk = generate(SMALL, seed=3)
    export(desk, tmp_path / "log.json")
    events = read(tmp_path / "log.json", Titles("plain"))
    assert all(a.end <= b.start for a, b in itertools.pairwise(events))
    present = sum(event.end - event.start for event in events if not event.away)
    assert present == pytest.approx(sum(e.end - e.start for e in desk.events), rel=0.01)
    seconds = Counter()
    for event in events:
        seconds[event.resource.partition(":")[0]] += event.end - event.start
    assert min(seconds[kind] for kind in ("site", "document", "application", "project")) > 600
    titles = {word for look in desk.looks for word in Titles("plain").words(look.title)}
    words = {word for event in events for word in event.words}
    assert len(titles) > 50
    assert titles - words <= {"mozilla", "firefox"}  # a tab's title is without the browser's name


@pytest.mark.skipif("SELECTRON_DATA" not in os.environ, reason="SELECTRON_DATA is not set")
def test_a_real_log_is_one_stream():
    path = Path(os.environ["SELECTRON_DATA"], "activity", "activity_watch_hashed.csv.xz")
    if not path.exists():
        pytest.skip("the log is not in the folder that SELECTRON_DATA names")
    raws = []
    with lzma.open(path, "rt") as file:
        for row in csv.DictReader(file):
            start = 86_400.0 + float(row["t_s"])
            words = tuple(row["title_token_hashes"].split())
            seen = {
                "window": Seen(f"application:{row['app_or_status']}", words,
                               family(row["app_or_status"].removesuffix(".exe"))),
                "afk": Seen("", (), "away" if row["app_or_status"] == "afk" else "here"),
                "web": Seen(f"site:{row['site_hash']}", words),
            }[row["stream"]]  # fmt: skip
            layer = "web:firefox" if row["stream"] == "web" else row["stream"]
            raws.append(Raw(start, round(start + float(row["duration_s"]), 3), layer, seen))
    joiner = Joiner()
    joiner.feed(raws)
    stream = joiner.take(1e6)
    assert all(a.end <= b.start for a, b in itertools.pairwise(stream))
    portions = Joiner()
    parts = []
    for hour in range(24, 44):
        portions.feed(raw for raw in raws if raw.start < 3600.0 * (hour + 1))
        parts += portions.take(3600.0 * (hour + 1))
    assert [*parts, *portions.take(1e6)] == stream
    there = sum(event.end - event.start for event in stream if not event.away)
    assert 4 * 3600 < there < 6.6 * 3600  # 6.5 hours of windows, some of which nobody saw
    assert sum(event.resource.startswith("site:") for event in stream) > 100


@pytest.mark.slow
def test_a_log_is_made_up_and_evaluated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = "--size", "week", "--seed", "1"
    made = call("generate", "log.json", "--declarations", "said.csv", *log)
    assert made.exit_code == 0, made.output
    truth = generate(SIZES["week"], 1).truth
    said = Path("said.csv").read_text().splitlines()
    assert 0.5 * len(truth) < len(said) < len(truth)
    done = call("evaluate", *log, "--threshold", "0.5", "--every", "0",
                "--plot", "curve.png")  # fmt: skip
    assert done.exit_code == 0, done.output
    head, row = done.stdout.splitlines()
    found = dict(zip(head.split(), row.split(), strict=False))
    assert (found["method"], float(found["threshold"])) == ("online", 0.5)
    right, alarms = int(found["right"]), int(found["alarms"])
    assert 0 < right <= alarms
    assert float(found["precision"]) == round(right / alarms, 3) > 0.3
    assert float(found["recall"]) == round(right / (len(truth) // 4), 3)
    assert Path("curve.png").stat().st_size > 1000
    for bad in (
        ("evaluate", "--plot", "curve.txt"),
        ("evaluate", "--plot", "nowhere/curve.png"),
        ("generate", "log.csv"),
        ("generate", "log.json", "--declarations", "nowhere/said.csv"),
    ):
        refused = call(*bad)
        assert refused.exit_code == 2, refused.output
