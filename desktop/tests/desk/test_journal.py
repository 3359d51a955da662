"""The journal: what it keeps, what it deletes, and when it cannot be used."""

import sqlite3

import pytest

from selectron import SelectronError
from selectron_desktop.journal import Journal

from .days import at, work
from .test_session import day, state


def test_the_journal_is_append_only_and_its_owners_alone(began):
    session = began()
    day(session)
    for query in ("UPDATE log SET time = 0", "DELETE FROM log"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            session.journal.db.execute(query)
    assert session.journal.path.stat().st_mode & 0o77 == 0
    twice = {"id": 1}
    with pytest.raises(sqlite3.IntegrityError), session.journal.writing():
        session.journal.append("alarm", at(9), at(9), twice)


def test_minutes_of_long_ago_are_deleted_and_nothing_that_was_said(began, tmp_path):
    session, said = began(chance=0.1), []
    session.every, session.minutes = 10, 30
    for minute in range(300):
        if minute % 7 == 0:
            said.append(("thesis", "mail")[minute % 2])
            session.said("declare", said[-1], at(minute), at(minute))
        session.advance(work(minute, "ab"[minute // 5 % 2]), at(minute + 1))
        assert sum(1 for _ in session.journal.of("cell")) <= 30 + 2 * 15
    assert [e.body["activity"] for e in session.journal.of("declare")] == said
    assert len(list(session.journal.of("alarm"))) == session.raised > 0
    whole = state(session)
    session.journal.close()
    session.held.close()
    again = began(chance=0.1)
    assert state(again) == whole
    again.close()
    for path in (tmp_path / "home" / "snapshots").iterdir():
        path.unlink()
    bare = began(chance=0.1)  # it has learned less, and goes on
    assert bare.names.open == again.names.open
    assert bare.until == again.until
    bare.advance(work(300, "a"), at(301))
    assert bare.until == at(301)


def test_a_clock_that_was_ahead_is_set_back(began):
    session = began()
    ahead = 5_000_000.0
    session.said("declare", "thesis", at(ahead), at(ahead))
    session.advance(work(ahead, "a", "a"), at(ahead + 2))
    session.said("declare", "mail", at(ahead + 3), at(ahead + 3))  # and this waits yet
    session.said("set_back", at(0))
    assert session.until == at(0)
    assert session.names.declared == (at(0), "mail")
    session.advance(work(1, "b", "b", "a"), at(4))
    assert session.predictor.heard[-1] == ["declare", "mail", at(0)]
    (question,) = session.say.questions(at(4))
    assert question["activity"] == "thesis"
    whole = state(session)
    session.journal.close()
    session.held.close()
    again = began()
    assert (state(again), again.until, again.names.declared) == (whole, at(4), (at(0), "mail"))


def test_a_page_that_was_lost_is_noticed(began):
    session = began()
    for minute in range(60):
        session.advance(work(minute, "a"), at(minute + 1))
    session.close()
    path = session.journal.path
    content = bytearray(path.read_bytes())
    content[8192:12_288] = b"x" * 4096
    path.write_bytes(content)
    with pytest.raises(SelectronError, match="is damaged") as caught:
        began()
    assert "\n" not in str(caught.value)


def test_journals_that_cannot_be_used(tmp_path):
    (tmp_path / "journal.sqlite3").write_bytes(b"no database" * 1000)
    with pytest.raises(SelectronError, match="is damaged"):
        Journal(tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "journal.sqlite3"]  # nothing else is touched
    (tmp_path / "journal.sqlite3").unlink()
    (tmp_path / "journal.sqlite3").mkdir()
    with pytest.raises(SelectronError, match="cannot be used now: unable to open"):
        Journal(tmp_path)
    (tmp_path / "journal.sqlite3").rmdir()
    (tmp_path / "journal.sqlite3").touch()
    (tmp_path / "journal.sqlite3").unlink()
    journal = Journal(tmp_path)
    journal.db.execute("PRAGMA user_version = 99")
    journal.close()
    with pytest.raises(SelectronError, match="version 99, not 2"):
        Journal(tmp_path)
