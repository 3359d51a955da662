"""A program: a session is killed again and again, and must end as one that never was.

    PYTHONPATH=desktop/tests python -m desk.crashing KILLS SEED

Whoever says something says it again until it is acknowledged; a question must be put once at most.
"""

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.crashes import killed

from selectron_desktop import points
from selectron_desktop.session import Session

from .days import at, work
from .fake import Fake

POINTS = (
    "before commit",
    "after commit",
    "cell",
    "alarm",
    "before snapshot",
    "after snapshot",
)
ACTIVITIES = ("thesis", "mail", "garden")
EVERY = 25  # entries between two snapshots
A_LIFE = 60  # operations that a child would do if nobody killed it


def began(folder):
    session = Session(folder, lambda: Fake(0.5), Fake.load, lambda: at(1e6))
    session.every = EVERY
    return session


def operate(session, i, told):
    """Do the i-th thing, or do it again; tell what is acknowledged."""
    rng = random.Random(i)
    events = [event for m in range(max(0, i - 3), i + 1) for event in work(m, f"s{m % 5}")]
    for alarm in session.advance(events, at(i + 1)):
        told("asked", alarm.id)
    if rng.random() < 0.3:
        name = rng.choice(ACTIVITIES)
        session.said("declare", name, at(i + 1), at(i + 1))
        told("declared", [at(i + 1), name])
    raised = [e.body["id"] for e in session.journal.of("alarm") if e.time <= at(i + 1)]
    if raised and rng.random() < 0.5:
        name = rng.choice(ACTIVITIES)
        session.said("answer", raised[-1], name, at(i + 1))
        told("answered", [raised[-1], name])
    told("done", i)


def live(folder, start, end, told):
    session = began(folder)
    for i in range(start, end):
        operate(session, i, told)
    return session


def heard(folder, start, rng):
    """Have a child live and die; return what it told of."""

    def life(tell):
        live(folder, start, start + A_LIFE, lambda what, value: tell(json.dumps([what, value])))

    lines = killed(life, points, POINTS, rng, times=6, lines=30).decode().split("\n")[:-1]
    return [json.loads(line) for line in lines]


def check(session, told):
    """Hold what is in the journal to what was acknowledged."""
    entries = list(session.journal.after(0))
    declared = {(e.time, e.body["activity"]) for e in entries if e.kind == "declare"}
    answered = {(e.body["alarm"], e.body["activity"]) for e in entries if e.kind == "answer"}
    asked = [value for what, value in told if what == "asked"]
    assert len(asked) == len(set(asked)), "a question was put twice"
    for what, value in told:
        assert what != "declared" or tuple(value) in declared, "a declaration is lost"
        assert what != "answered" or tuple(value) in answered, "an answer is lost"
    assert session.journal.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def outcome(session):
    """Return what must be as if nobody had been killed."""
    one = {key: v for key, v in vars(session.predictor).items() if key != "heard"}
    alarms = [(e.time, e.body) for e in session.journal.of("alarm")]
    cells = [(e.time, e.body) for e in session.journal.of("cell")]
    last = {e.body["alarm"]: e.body["activity"] for e in session.journal.of("answer")}
    return json.dumps([one, alarms, cells, last], sort_keys=True)


def main(kills, seed):
    rng = random.Random(seed)
    home = Path(tempfile.mkdtemp())
    told, done = [], 0
    for _ in range(kills):
        told += heard(home / "crashed", done, rng)
        done = max([done, *(value + 1 for what, value in told if what == "done")])
    total = done + 10
    crashed = live(home / "crashed", done, total, lambda what, value: told.append([what, value]))
    check(crashed, told)
    plain = live(home / "plain", 0, total, lambda what, value: None)
    assert outcome(crashed) == outcome(plain), "what is derived differs"
    crashed.close()
    shutil.rmtree(home / "crashed" / "snapshots")
    again = began(home / "crashed")
    assert outcome(again) == outcome(plain), "the journal alone tells something else"
    alarms = sum(1 for _ in again.journal.of("alarm"))
    again.close()
    plain.close()
    shutil.rmtree(home)
    print(f"{kills} kills, {total} operations, {alarms} alarms: nothing lost, nothing twice")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
