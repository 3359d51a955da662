"""Single bits that flip in what is stored: noticed, set aside, reported; the queue goes on."""

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from selectron import SelectronError

from .mail import declared, texts

MAIL = "/v1/streams/mail"
DATABASE = "selectron.sqlite3"


def stored(folder, item):
    """Return the row of an item's content, past all checks."""
    with closing(sqlite3.connect(folder / DATABASE)) as db:
        query = "SELECT CAST(raw AS BLOB), features FROM contents WHERE item = ?"
        return db.execute(query, (item,)).fetchone()


def flip(folder, item, bit=3, column="raw"):
    """Flip a bit of an item's content, in the file."""
    with closing(sqlite3.connect(folder / DATABASE)) as db, db:
        raw, features = stored(folder, item)
        content = bytearray(raw if column == "raw" else features)
        content[bit // 8 % len(content)] ^= 1 << bit % 8
        value = f"CAST(x'{content.hex()}' AS {'TEXT' if column == 'raw' else 'BLOB'})"
        db.execute(f"UPDATE contents SET {column} = {value} WHERE item = ?", (item,))


def test_every_flip_is_found_at_the_start(desk, tmp_path):
    one = desk(folder=tmp_path / "whole")
    one.add(texts(30))
    one.service.close()  # a snapshot has all of it
    rng, start = random.Random(0), one.service.store.last[0]
    for trial in range(20):
        folder = tmp_path / str(trial)
        shutil.copytree(tmp_path / "whole", folder)
        item = rng.randint(1, 30)
        flip(folder, item, rng.randrange(8 * len(stored(folder, item)[0])))
        again = desk(folder=folder)
        assert again.stream.question(item).damaged
        assert again.service.store.last[0] == start + 1
        assert item not in again.stream.open
        again.crash()


def test_the_queue_goes_on_past_a_damaged_item(web, tmp_path, caplog):
    one = web()
    first, second = (one.add(f"text {i}")["item"] for i in range(2))
    flip(tmp_path, first)  # while it is served
    reply = one.post(f"{MAIL}/next", "annotate")
    assert reply.status_code == 200
    assert reply.json()["question"]["item"] == second
    assert one.get("/healthz", None).json() == {"ok": True, "damaged": 1}
    assert 'selectron_damaged_total{stream="mail"} 1.0' in one.get("/metrics", "read").text
    kinds = [line for line in one.get(f"{MAIL}/export").text.splitlines() if '"damaged"' in line]
    assert len(kinds) == 1
    assert f"item {first} is damaged" in caplog.text
    known = one.get(f"{MAIL}/items/{first}")
    assert (known.status_code, known.json()["content"]) == (200, None)
    assert known.json()["damaged"]
    said = one.post(f"{MAIL}/items/{second}/answers", "annotate", {"label": "ham"}).json()
    assert said["learned"]


@pytest.mark.parametrize("path", ["items/1", "label-studio"])
def test_a_reader_that_finds_damage_has_it_set_aside(web, tmp_path, path):
    one = web()
    one.add("win")
    flip(tmp_path, 1)
    assert one.get(f"{MAIL}/{path}").status_code == 200
    assert one.post(f"{MAIL}/next").json()["question"] is None
    assert one.get("/healthz", None).json() == {"ok": True, "damaged": 1}


def test_an_answer_about_a_damaged_item_is_kept_and_not_learned(desk, tmp_path):
    one = desk()
    one.add(texts(3))
    said = one.say(1, "ham")
    flip(tmp_path, 1)
    corrected = one.correct(said["answer"], "spam")
    assert not corrected["learned"]
    assert one.view()["damaged"] == 1
    assert one.stream.question(1).truth == "spam"
    assert one.ask()["item"] == 2


def test_damage_that_the_start_finds(desk, tmp_path):
    one = desk()
    one.add(texts(5))
    one.service.close()
    flip(tmp_path, 1)
    flip(tmp_path, 4)
    for _ in range(2):  # it is set aside once
        again = desk()
        assert again.view()["damaged"] == 2
        assert list(again.stream.open) == [2, 3, 5]
        again.crash()


@pytest.mark.parametrize("first", [1, 4])
def test_damage_where_the_model_has_to_learn_again(desk, tmp_path, first):
    one = desk()
    one.add(texts(8))
    one.say(6, "ham")
    one.crash()  # without a snapshot
    flip(tmp_path, first)
    with pytest.raises(SelectronError, match=rf"item {first} .*start with --accept-loss"):
        desk()
    again = desk(accept_loss=True)
    assert again.view()["damaged"] == 1
    assert first not in again.stream.open
    again.add(texts(3, 50), start=50)
    assert again.say(2, "spam")["learned"]  # its ticket is perhaps another's: it is taught
    assert again.stream.db.event(again.stream.seq).body["learn"] == "teach"
    model = again.model()
    if first > 1:  # there was a model to take a snapshot of
        again.crash()
        assert desk().model() == model


def test_a_damaged_item_that_is_no_longer_kept_is_not_made_sound(desk, tmp_path):
    privacy = declared(privacy={"keep": "hash"})
    one = desk(privacy)
    one.add(texts(2))
    flip(tmp_path, 1, column="features")
    one.say(1, "ham")
    assert one.service.store.db.execute("SELECT raw FROM contents WHERE item=1").fetchone() == (
        None,
    )
    assert one.view()["damaged"] == 0  # its ticket had the row
    one.service.close()
    assert desk(privacy).view()["damaged"] == 1


def test_a_damaged_entry_of_the_log_fails_its_own_request(web, tmp_path, monkeypatch):
    one = web()
    for i in range(3):
        one.add(f"text {i}")
    one.post(f"{MAIL}/items/1/answers", "annotate", {"label": "ham"})
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db, db:
        db.execute("DROP TRIGGER log_keeps_entries")
        db.execute("UPDATE log SET who = 'feeb' WHERE seq = 1")
    monkeypatch.setattr(
        "selectron.serve.stream.Stream.restore", lambda *args: pytest.fail("streams were restored")
    )
    reply = one.post(f"{MAIL}/items/1/answers", "admin", {"label": "spam"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "damaged")
    assert one.get(f"{MAIL}/items/1").json()["error"]["code"] == "damaged"
    health = one.get("/healthz", None)
    assert (health.status_code, health.json()["ok"]) == (503, False)
    assert "selectron_broken 1.0" in one.get("/metrics", "read").text
    assert one.post(f"{MAIL}/next").json()["question"]["item"] == 2


def test_a_damaged_token_is_not_accepted(web, tmp_path):
    one = web()
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db, db:
        db.execute("UPDATE tokens SET role = 'admin' WHERE name = 'read'")
    one.host.make_token("other", "read", None)  # tokens are read again
    assert one.get("/v1/me", "read").status_code == 401


def test_a_damaged_declaration_is_one_line(desk, tmp_path):
    desk().service.close()
    with closing(sqlite3.connect(tmp_path / DATABASE)) as db, db:
        db.execute("UPDATE streams SET declared = replace(declared, 'ham', 'hal')")
    with pytest.raises(SelectronError, match=r"stream 'mail' is not what was written"):
        desk()
