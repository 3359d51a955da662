"""What is said, as the page, the report and the predictor have it: they must agree."""

import sqlite3
import time
from datetime import date

import click
import pytest

from selectron import SelectronError
from selectron_desktop.home import Settings, opened, resource_of, settled, titles_of
from selectron_desktop.journal import Journal
from selectron_desktop.report import day as report
from selectron_desktop.saying import Saying, sound
from selectron_desktop.times import moment

from .days import at, work
from .test_session import day

MAY = date(2024, 5, 1)


def test_an_answer_that_is_corrected_to_an_earlier_time(began):
    session = began()
    day(session)
    session.said("answer", 1, "garden", at(6))
    session.said("answer", 1, "tax", at(7), at(3))
    assert session.names.declared == (at(3), "tax")


def test_an_answer_does_not_reach_behind_what_was_declared_then(began):
    session = began()
    day(session)
    session.said("answer", 1, "thesis", at(6), at(0.5))
    assert session.names.declared == (at(2), "thesis")
    assert [(one.declared, one.corrected) for one in report(session.journal, MAY).stretches] == [
        ("thesis", None),
        ("mail", "thesis"),
        ("mail", "thesis"),
    ]


def test_an_answer_that_nothing_has_changed_leaves_since_when(began):
    session = began()
    day(session)
    session.said("answer", 1, "mail", at(6))
    assert session.names.declared == (at(2), "mail")


def test_what_is_closed_is_declared_no_longer(began):
    session = began()
    day(session)
    session.said("close", "mail", at(6))
    assert session.names.declared is None
    session.advance(work(7, "b"), at(8))
    stretches = report(session.journal, MAY).stretches
    assert [one.declared for one in stretches] == ["thesis", "mail", "mail", None]
    session.said("declare", "mail", at(8), at(8))
    assert session.names.declared == (at(8), "mail")


def test_what_is_declared_is_there_at_once(began):
    """Before its minute is final: what is associated with it then must not be lost."""
    session = began()
    session.said("declare", "tax", at(1), at(1))
    assert session.predictor.heard == [["create", "tax"]]
    session.said("close", "tax", at(1))
    session.advance(work(0, "a", "a"), at(2))
    assert session.predictor.heard[-1] == ["close", "tax"]
    assert session.names.open == {"tax": False}


def test_a_question_that_was_followed_by_a_declaration_of_before(began):
    session = began()
    day(session)
    session.said("declare", "thesis", at(3), at(6))
    assert session.say.questions(at(6)) == []


def test_a_question_outlives_the_name_that_it_has(began):
    """A notification goes on showing the name that there was when it came."""
    session = began()
    day(session)
    session.said("rename", "thesis", "book", at(6))
    session.said("answer", 1, "thesis", at(6))
    assert session.names.open == {"mail": True, "book": True}
    assert session.names.declared[1] == "book"
    session.said("create", "thesis", at(7))  # what has the name now is meant by it
    session.said("answer", 1, "thesis", at(7))
    assert session.names.declared[1] == "thesis"


def test_a_question_outlives_a_merged_activity(began):
    session = began()
    day(session)
    session.said("merge", "thesis", "mail", at(6))
    session.said("answer", 1, "thesis", at(6))
    assert session.names.open == {"mail": True}


def test_nobody_else_writes_while_a_name_is_checked(tmp_path):
    say, other = (Saying(Journal(tmp_path / "home")) for _ in range(2))
    other.journal.db.execute("PRAGMA busy_timeout = 0")
    names, tried = say.names, []

    def checked():
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.create("tax", at(0))
        tried.append(1)
        return names()

    say.names = checked
    say.create("tax", at(0))
    say.rename("tax", "return", at(0))
    say.create("post", at(0))
    say.merge("post", "return", at(0))
    say.associate("site:a", "return", at(0))
    say.close("return", at(0))
    assert len(tried) == 6
    with pytest.raises(SelectronError, match="There is an activity 'return' already"):
        other.create("return", at(0))


def test_a_document_is_associated_under_the_name_that_is_kept(tmp_path):
    journal = Journal(tmp_path / "home")
    assert resource_of(journal, " site:WWW.Example.org ") == "site:example.org"
    assert resource_of(journal, "site:https://example.org:80/a?b") == "site:example.org"
    with pytest.raises(SelectronError, match="import first"):
        resource_of(journal, "document:Thesis.tex")
    journal.keep("settings", Settings(0.3)._asdict())
    titles = titles_of(tmp_path / "home", Settings(0.3))
    assert resource_of(journal, "document:Thesis.tex") == f"document:{titles.name('thesis.tex')}"
    journal.keep("settings", Settings(0.3, titles="dropped")._asdict())
    with pytest.raises(SelectronError, match="stores no names from titles"):
        resource_of(journal, "folder:letters")
    sites = "site:", "site:http://", "site:a\nb", "site:" + "x" * 256
    for bad in ("", "thesis.tex", "mail:a", *sites):
        with pytest.raises(SelectronError, match="is not a resource"):
            resource_of(journal, bad)


def test_a_folder_keeps_to_the_midnight_of_where_it_was_begun(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "home")
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    first = settled(journal, id)
    assert first.midnight in (7 * 3600, 8 * 3600)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    assert settled(journal, id) == first
    monkeypatch.undo()
    time.tzset()


def test_letters_that_are_joined_are_names():
    family = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
    assert sound(f" {family}  album") == f"{family} album"
    for bad in ("\u200d", "a\u202eb", "a\x1b[31m"):
        with pytest.raises(SelectronError, match="cannot be an activity's name"):
            sound(bad)


@pytest.mark.parametrize("given", [{"threshold": float("inf")}, {"budget": "much"}])
def test_settings_that_are_refused_are_not_stored(tmp_path, given):
    with pytest.raises(SelectronError):
        opened(tmp_path / "home", **given)
    opened(tmp_path / "home")[0].close()


@pytest.mark.parametrize("text", ["100000000d", "1e9w"])
def test_a_duration_from_before_1970(text):
    with pytest.raises(click.BadParameter, match="is not a time such as"):
        moment(text, 1e9)
