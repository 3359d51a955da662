"""What is deleted is gone from every file, and the service starts without it."""

import random
import re
import shutil
import sqlite3

import pytest

from selectron import SelectronError, storage
from selectron.serve.store import Store
from selectron.serve.stream import Stream

from .mail import declared, texts


def words(folder):
    """Return the secrets that can be read in the files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        word.decode() for path in files for word in re.findall(rb"secret\d+x", path.read_bytes())
    }


def test_rows_that_move_in_a_page_leave_nothing_of_erased_ones(desk, tmp_path):
    rng, one, kept = random.Random(31), desk(declared(budget="100%")), {}
    size, n, gone = rng.choice([40, 300, 600, 900]), 0, set()
    for _ in range(25):
        raws = []
        for _ in range(rng.randrange(1, 12)):
            n += 1
            raws.append({"text": f"secret{n}x " + "ab " * rng.randrange(size)})
        sent = one.add(raws, keys=False)
        kept |= {new["item"]: raw["text"].split()[0] for new, raw in zip(sent, raws, strict=True)}
        for item in rng.sample([*kept], min(len(kept), rng.randrange(5))):
            one.now += 5
            one.do(Stream.erase, item, "dora")
            gone.add(kept.pop(item))
    assert words(tmp_path) & gone == set()
    assert words(tmp_path) >= {*kept.values()}


def test_traces_are_removed_once_there_is_room_to_rewrite_the_database(desk, monkeypatch, caplog):
    one = desk()
    one.add(texts(30))

    def full(_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "sweep", full)
        one.do(Stream.erase, 3, "dora")
    assert "traces of deleted content" in caplog.text
    assert one.service.store.db.content(3) == (None, None)
    one.crash()
    for swept in (False, True):
        again = desk()
        assert again.service.store.swept == swept
        again.service.run([], again.now)  # housekeeping
        assert again.service.store.swept
        again.crash()


def test_snapshots_of_a_lost_end_do_not_take_the_place_of_new_ones(desk, tmp_path):
    one = desk(folder=tmp_path / "a", every=5)
    one.add(texts(30))
    one.crash()
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    one = desk(folder=tmp_path / "a", every=5)
    for start in (30, 40, 50, 60):
        one.add(texts(10, start), start=start)
    one.crash()
    shutil.rmtree(tmp_path / "b" / "snapshots")
    shutil.copytree(tmp_path / "a" / "snapshots", tmp_path / "b" / "snapshots")
    shutil.copy(tmp_path / "a" / "head", tmp_path / "b")
    one = desk(folder=tmp_path / "b", every=5, accept_loss=True)
    one.do(Stream.erase, 3, "dora")
    assert [path.name for path in one.stream.snapshots] == ["31.model"]
    model = one.model()
    one.crash()
    assert desk(folder=tmp_path / "b", every=5).model() == model


def test_damage_of_the_snapshot_in_place_of_an_erased_item(desk):
    one = desk(every=5)
    one.add(texts(30))
    one.do(Stream.erase, 3, "dora")
    (path,) = one.stream.snapshots
    one.crash()
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    with pytest.raises(SelectronError, match=r"item 3 was deleted, and .* with --accept-loss"):
        desk(every=5)
    one = desk(every=5, accept_loss=True)
    assert one.view()["items"] == 30
    one.crash()
    desk(every=5).add(texts(1, 30), start=30)


def test_nothing_is_erased_if_the_new_snapshot_cannot_be_read(desk, monkeypatch):
    one = desk(every=5)
    for start in (0, 6):
        one.add(texts(6, start), start=start)
    before = one.stream.snapshots

    def replace(path, *parts):
        path.write_bytes(b"".join(parts)[:-9])

    with monkeypatch.context() as patch:
        patch.setattr(storage, "replace", replace)
        one.do(Stream.erase, 3, "dora")
    assert one.stream.snapshots == before
    assert one.service.store.db.content(3)[0] is not None
    one.do(Stream.erase, 4, "dora")
    assert one.service.store.db.content(3) == one.service.store.db.content(4) == (None, None)


def test_tasks_of_label_studio_come_back_without_erased_items(web):
    one, path = web(), "/v1/streams/mail/label-studio"
    for name in "abc":
        one.add(f"text {name}", name)
    assert one.ask("DELETE", "/v1/streams/mail/items?id=b").status_code == 200
    tasks = one.get(path).json()
    assert [task["meta"]["id"] for task in tasks] == ["a", "c"]
    for task in tasks:
        task["annotations"] = [{"result": [{"type": "choices", "value": {"choices": ["ham"]}}]}]
    assert one.post(path, "ingest", tasks).json()["learned"] == 2
