"""Disks that are full or fail, and files that are damaged: one clear line, never a false word."""

import random
import sqlite3
import time

import pytest

from selectron import SelectronError
from selectron.serve import host
from selectron.serve.strict import Problem

from .mail import texts


def test_a_full_disk_takes_nothing_and_recovers(desk, tmp_path):
    one = desk()
    one.add(texts(20))
    view, model = one.view(), one.model()
    db = one.service.store.db
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    long = [{"text": "long " * 20_000, "n": i} for i in range(20)]
    for _ in range(2):
        with pytest.raises(Problem) as caught:
            one.add(long, start=100)
        assert caught.value.status == 507
        assert one.view() == view
    db.execute("PRAGMA max_page_count = 1000000")
    assert one.add(texts(1, 50), start=50)[0]["known"] is False
    assert one.view()["items"] == 21
    assert one.stream.db.item_of(one.stream.id, "k100") is None
    after = one.model()
    assert after != model
    one.crash()
    assert desk().model() == after


def test_it_finds_out_by_itself_that_there_is_room_again(web, monkeypatch):
    monkeypatch.setattr(host, "RETRY", 0.1)
    one = web()
    store = one.host.service.store

    def fails():
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(store, "commit", fails)
        patch.setattr(store, "probe", fails)
        body = {"data": {"text": "win"}}
        assert one.post("/v1/streams/mail/items", "ingest", body).status_code == 507
        time.sleep(0.5)
        assert one.get("/healthz", None).status_code == 503
    end = time.monotonic() + 30
    while one.get("/healthz", None).status_code == 503 and time.monotonic() < end:
        time.sleep(0.1)
    assert one.get("/healthz", None).status_code == 200
    assert one.add("win")["known"] is False


@pytest.mark.parametrize("when", ["append", "commit"])
def test_an_error_of_the_disk(desk, monkeypatch, when):
    one = desk()
    one.add(texts(20))
    view, model = one.view(), one.model()

    def fails(*args):
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(one.service.store, when, fails)
        with pytest.raises(Problem) as caught:
            one.add(texts(1, 30), start=30)
        assert caught.value.status == 507
    one.say(next(iter(one.stream.open)), "ham")
    assert one.view()["items"] == view["items"]
    assert one.view()["answered"] == 1
    assert one.model() != model


def test_a_request_that_fails_leaves_others_alone(desk):
    one = desk()
    from selectron.serve.service import Work

    def fails(service, at):
        service.streams["mail"].emit("item", at, "x", {"asked": False, "age": None})
        raise RuntimeError("a mistake of ours")

    works = [Work(fails), Work(lambda service, at: "done")]
    failed, done = one.service.run(works, 1.0)
    assert failed.status == 500
    assert "a mistake of ours" not in str(failed)
    assert done == "done"
    assert one.service.store.last == (0, 0)


FILES = ("selectron.sqlite3", "selectron.sqlite3-wal")


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("how", ["flipped", "cut"])
def test_a_damaged_file_is_refused_or_means_nothing(desk, tmp_path, file, how):
    one = desk(folder=tmp_path / "whole")
    for i in range(0, 40, 10):
        one.add(texts(10, i), start=i)
        one.say(one.ask()["item"], "spam")
    if file == FILES[0]:
        one.service.store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rng, sound, refused, sane = random.Random(0), one.view(), 0, 0
    content = {name: (tmp_path / "whole" / name).read_bytes() for name in FILES}
    head = (tmp_path / "whole" / "head").read_bytes()
    for trial in range(12):
        folder = tmp_path / str(trial)
        folder.mkdir()
        (folder / "head").write_bytes(head)
        for name in FILES:
            harm = damaged(content[name], how, rng) if name == file else content[name]
            (folder / name).write_bytes(harm)
        try:
            again = desk(folder=folder)
        except SelectronError as error:
            refused += "\n" not in str(error)
        else:  # what was hit means nothing, or the damage was undone
            sane += again.view() == sound
    assert refused + sane == 12
    assert refused >= 3


def damaged(content, how, rng):
    at = rng.randrange(len(content))
    if how == "cut":
        return content[:at]
    content = bytearray(content)
    for at in rng.choices(range(len(content)), k=8):
        content[at] ^= 1 << rng.randrange(8)
    return bytes(content)


def test_lost_entries_are_missed(desk, tmp_path):
    one = desk()
    one.add(texts(5))
    head = (tmp_path / "head").read_bytes()
    one.crash()
    other = desk(folder=tmp_path / "other")
    other.crash()
    (tmp_path / "other" / "head").write_bytes(head)
    with pytest.raises(SelectronError, match=r"ends with entry 0, and 5 were acknowledged"):
        desk(folder=tmp_path / "other")
    assert desk(folder=tmp_path / "other", accept_loss=True).view()["items"] == 0
