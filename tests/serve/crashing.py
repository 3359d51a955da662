"""A program: a service is killed again and again, and must end as one that never was.

    python -m tests.serve.crashing KILLS SEED

Every operation is a request with a key; its sender repeats it until it is
acknowledged.
"""

import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

from tests.crashes import killed

from selectron.serve import answering, store
from selectron.serve.answering import Answer, Correction
from selectron.serve.declaration import Declaration, Features
from selectron.serve.service import Service, Work

from .mail import tables

CLASSES = ["ham", "spam"]
STREAMS = [
    Declaration(name=kind, classes=CLASSES, features=features, budget="30%", queue=20)
    for kind, features in {
        "text": Features(kind="text", size=64),
        "auto": Features(size=64),
    }.items()
]
POINTS = (
    "before commit",
    "after commit",
    "before reply",
    "before rename",
    "after rename",
)
EVERY = 40  # entries between two snapshots
A_LIFE = 60  # operations that a child would do if nobody killed it


def operation(i):
    """Return the i-th thing that is done; what it does depends on the log alone."""
    rng = random.Random(i)
    choice = rng.random()

    def do(service, at):
        stream = service.streams["auto" if i // 3 % 2 else "text"]
        if choice < 0.5 or not stream.open:
            raws = [{"text": " ".join(rng.choices("abcdefgh win now", k=6))} for _ in range(3)]
            if stream.name == "auto":
                raws = list(tables(3, 3 * i))
            items = [stream.item(f"{i}/{k}", raw) for k, raw in enumerate(raws)]
            return stream.add(items, "feed", at)
        item = next(iter(stream.open))
        said = Answer(label=rng.choice(CLASSES))
        done = answering.answer(stream, item, said, "anna", at)
        if choice > 0.9:
            answering.undo(stream, done["answer"], "anna", at)
        elif choice > 0.8:
            answering.correct(stream, done["answer"], Correction(verdict="none"), "bob", at)
        return done

    return Work(do, f"op-{i}", "same")


def live(folder, start, end, told):
    """Do operations, a few in a transaction, and tell which are acknowledged."""
    service = Service(folder, STREAMS, every=EVERY)
    i = start
    while i < end:
        batch = [operation(j) for j in range(i, min(end, i + random.Random(i).randint(1, 4)))]
        for reply in service.run(batch, 1.0):
            told(i, str(reply))
            i += 1
    return service


def outcome(service):
    """Return all that is derived, as bytes."""
    path, models = service.store.folder / "model", []
    for stream in service.streams.values():
        stream.model.clf.save(path)
        models.append(path.read_bytes())
    return models, json.dumps(service.views, sort_keys=True)


def renamed(rename):
    """Return a function that renames files, as snapshots are, between two points."""

    def rename_between(old, new):
        store.reached("before rename")
        rename(old, new)
        store.reached("after rename")

    return rename_between


def acknowledged(folder, start, rng):
    """Have a child live and die; return its operations and replies; half a line is none."""

    def life(tell):
        os.replace = renamed(os.replace)  # in the child alone
        live(folder, start, start + A_LIFE, lambda i, reply: tell(f"{i} {reply}"))

    lines = killed(life, store, POINTS, rng, times=4, lines=20).decode().split("\n")[:-1]
    return {int(line.partition(" ")[0]): line.partition(" ")[2] for line in lines}


def main(kills, seed):
    """Kill, and compare with a life without crashes."""
    rng = random.Random(seed)
    home = Path(tempfile.mkdtemp())
    live(home / "warm", 0, 60, lambda i, reply: None).close()  # before anything is forked
    replies = {}
    for _ in range(kills):
        replies |= acknowledged(home / "crashed", len(replies), rng)
        assert sorted(replies) == list(range(len(replies)))
    total = len(replies) + 10
    crashed = live(home / "crashed", len(replies), total, replies.__setitem__)
    whole = {}
    plain = live(home / "plain", 0, total, whole.__setitem__)
    assert replies == whole, "a reply differs, or was lost"
    assert outcome(crashed) == outcome(plain), "what is derived differs"
    rows = [log(home / name) for name in ("crashed", "plain")]
    assert rows[0] == rows[1], "the log differs"
    crashed.close()
    plain.close()
    shutil.rmtree(home)
    print(f"{kills} kills, {total} requests, {len(rows[0])} entries: nothing lost, nothing twice")


def log(folder):
    """Return the log."""
    db = sqlite3.connect(folder / "selectron.sqlite3")
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    rows = db.execute("SELECT * FROM log ORDER BY seq").fetchall()
    db.close()
    return rows


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
