"""The predictor and the journal, in step: what is said takes effect once, in order, for good."""

import json
import sqlite3

import pytest

from selectron import SelectronError
from selectron_desktop import points
from selectron_desktop.journal import Journal
from selectron_desktop.saying import Saying
from selectron_desktop.session import Session

from .days import at, work
from .fake import Fake


def kinds(session):
    return [entry.kind for entry in session.journal.after(0)]


def state(session):
    return json.dumps(vars(session.predictor), sort_keys=True)


def day(session):
    """Play a day: two activities, and a switch that is not declared."""
    session.said("declare", "thesis", at(0), at(0))
    session.advance(work(0, "a", "a"), at(2))
    session.said("declare", "mail", at(2), at(2))
    session.advance(work(2, "b", "b"), at(4))
    return session.advance(work(4, "a"), at(5))


def test_a_switch_that_is_not_declared_is_asked_about(began):
    session = began()
    (alarm,) = day(session)
    assert (alarm.activity, alarm.declared) == ("thesis", "mail")
    (question,) = session.say.questions(at(6))
    assert (question["id"], question["activity"]) == (1, "thesis")
    session.said("answer", 1, "thesis", at(6))
    assert session.say.questions(at(6)) == []
    assert session.predictor.declared == "thesis"
    assert kinds(session) == [
        "declare", "switch", "cell", "cell", "declare", "switch", "cell", "cell", "cell", "alarm",
        "answer",
    ]  # fmt: skip


def test_a_declaration_takes_effect_at_its_time(began):
    """It is made before what was seen meanwhile is final: the minute is cut there."""
    session = began()
    session.said("declare", "thesis", at(0.5), at(2))
    assert session.predictor.declared is None
    session.advance(work(0, "a", "a"), at(2))
    assert kinds(session) == ["declare", "cell", "switch", "cell", "cell"]
    assert [e.time for e in session.journal.of("cell")] == [at(0.5), at(1), at(2)]
    session.said("declare", "mail", at(1), at(3))  # and one of what is past, at once
    session.advance([], at(2))
    assert session.predictor.heard[-1] == ["declare", "mail", at(1)]


def test_what_was_seen_is_not_seen_again(began):
    session = began()
    session.said("declare", "thesis", at(0.5), at(2))
    session.advance(work(0, "a"), at(1))
    before = state(session), kinds(session)
    session.advance(work(0, "a"), at(1))
    assert (state(session), kinds(session)) == before


def test_a_night_takes_no_room(began):
    session = began()
    day(session)
    before = kinds(session)
    night = [e._replace(resource="", words=()) for e in work(5, *"abcdefgh")]
    session.advance([*night, *work(13, "a")], at(14))
    assert kinds(session) == [*before, "cell", "alarm"]
    assert session.until == at(14)


def test_a_start_plays_the_journal_again(began):
    session = began()
    day(session)
    session.said("answer", 1, "garden", at(6))
    session.said("rename", "garden", "yard", at(6))
    session.said("create", "tax", at(6))
    session.said("associate", "site:t", "tax", at(6))
    session.said("merge", "yard", "thesis", at(6))
    session.said("close", "tax", at(6))
    whole = state(session)
    session.journal.close()
    session.held.close()  # as if it had been killed
    other = began()
    assert state(other) == whole
    assert other.names.open == {"thesis": True, "mail": True, "tax": False}
    other.close()
    assert list((other.journal.path.parent / "snapshots").iterdir())
    again = began()
    assert again.saved == again.seq  # nothing was played
    assert state(again) == whole


def test_damaged_and_foreign_snapshots_are_passed_over(began):
    session = began()
    day(session)
    whole = state(session)
    session.close()
    (path,) = (session.journal.path.parent / "snapshots").iterdir()
    path.write_bytes(path.read_bytes()[:-5])
    Fake().save(path.with_name(path.name.replace(path.stem[-3:], "999")))  # of a later entry
    Fake().save(path.with_name(f"another-{1:012}.model"))
    assert state(began()) == whole


def test_another_process_says_something_meanwhile(began, tmp_path):
    session = began()
    day(session)
    other = Saying(Journal(tmp_path / "home"))
    other.answer(1, "thesis", at(6))
    other.rename("mail", "post", at(6))
    other.declare("post", at(5.5), at(6))
    session.advance(work(5, "b"), at(6))
    assert session.predictor.heard[-3:] == [
        ["answer", 1, "thesis", None],
        ["rename", "mail", "post"],
        ["declare", "post", at(5.5)],
    ]
    with pytest.raises(SelectronError, match="in use by another"):
        Session(tmp_path / "home", Fake, Fake.load)


def test_a_declaration_that_waits_is_renamed_too(began):
    session = began()
    session.said("declare", "thesis", at(1), at(1))
    session.said("rename", "thesis", "book", at(1))
    session.advance(work(0, "a", "a"), at(2))
    assert session.predictor.heard[-1] == ["declare", "book", at(1)]
    assert session.names.declared == (at(1), "book")


def test_the_same_answer_again_changes_nothing(began):
    session = began()
    day(session)
    first = session.said("answer", 1, "thesis", at(6))
    before = state(session)
    assert session.said("answer", 1, "thesis", at(7)) == first
    assert state(session) == before
    session.said("answer", 1, "garden", at(8))
    assert session.predictor.owner["site:a"] == "garden"
    assert kinds(session).count("answer") == 2


def test_a_predictor_that_raises_other_alarms_than_before(began):
    """As one of a later Selectron may: no answer is taken for one to another alarm."""
    session = began()
    day(session)
    session.advance(work(5, "b"), at(6))
    session.said("answer", 1, "thesis", at(6))
    assert session.advance(work(6, "b"), at(7))[0].id == 2
    session.journal.close()
    session.held.close()
    other = began(chance=0.0)
    assert other.predictor.raised == 0
    assert ["answer", 1, "thesis", None] not in other.predictor.heard
    other.predictor.chance = 1.0
    (alarm,) = other.advance(work(7, "a"), at(8))
    assert (alarm.id, other.predictor.raised) == (3, 1)
    other.close()
    again = began()
    for number, name in ((2, "garden"), (3, "tax")):
        again.said("answer", number, name, at(9))
    assert again.predictor.heard[-1] == ["answer", 1, "tax", None]
    assert [e.body["activity"] for e in again.journal.of("answer")] == ["thesis", "garden", "tax"]


def test_what_the_predictor_refuses_is_kept_and_harms_nothing(began):
    session = began()
    day(session)
    session.predictor.asked.clear()
    session.said("answer", 1, "thesis", at(6))
    session.advance(work(5, "b"), at(6))
    assert kinds(session).count("answer") == 1


@pytest.mark.parametrize(
    ("what", "values", "message"),
    [
        ("declare", ("", at(0), at(0)), "cannot be an activity's name"),
        ("declare", ("a\nb\x00", at(0), at(0)), "cannot be an activity's name"),
        ("declare", ("x" * 101, at(0), at(0)), "cannot be an activity's name"),
        ("declare", ("not  declared", at(0), at(0)), "cannot be an activity's name"),
        ("declare", ("a", at(9), at(0)), "must not be in the future"),
        ("answer", (7, "a", at(0)), "There is no alarm 7"),
        ("answer", (2**63, "a", at(0)), "There is no alarm 9223372036854775808"),
        ("answer", (1, " ", at(0)), "cannot be an activity's name"),
        ("answer", (1, "a", at(9), at(9)), "not be after the alarm"),
        ("create", ("mail", at(0)), "already"),
        ("rename", ("nobody", "a", at(0)), "There is no activity 'nobody'; there are: mail, the"),
        ("rename", ("mail", "thesis", at(0)), "merge joins two"),
        ("merge", ("mail", "mail", at(0)), "with itself"),
        ("close", ("nobody", at(0)), "There is no activity"),
        ("associate", ("site:a", "nobody", at(0)), "There is no activity"),
    ],
)
def test_what_cannot_be_said_changes_nothing(began, what, values, message):
    session = began()
    day(session)
    before = state(session), kinds(session)
    with pytest.raises(SelectronError, match=message) as caught:
        session.said(what, *values)
    assert "\n" not in str(caught.value)
    assert (state(session), kinds(session)) == before


def test_what_cannot_be_written_does_not_happen(began, monkeypatch):
    session = began()
    day(session)
    before = state(session), kinds(session)

    def full(name):
        if name == "before commit":
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(points, "reached", full)
    with pytest.raises(sqlite3.OperationalError):
        session.advance(work(5, "a", "b"), at(7))
    with pytest.raises(sqlite3.OperationalError):
        session.said("answer", 1, "thesis", at(6))
    assert (state(session), kinds(session)) == before
    monkeypatch.undo()
    session.advance(work(5, "a", "b"), at(7))
    assert kinds(session) == [*before[1], "cell", "alarm", "cell"]


def test_questions_that_wait_no_longer(began):
    session = began()
    day(session)
    assert len(session.say.questions(at(10))) == 1
    assert session.say.questions(at(5) + 13 * 3600) == []
    session.said("declare", "thesis", at(6), at(6))
    assert session.say.questions(at(10)) == []
