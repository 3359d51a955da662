"""The report: what the journal tells of a day, as text and as a page."""

import os
import re
import time
from datetime import date, datetime

import pytest

from selectron_desktop.page import written
from selectron_desktop.report import COLOURS, Day, Stretch, bounds, day, lines, looks, span

from .days import at, work

MAY = date(2024, 5, 1)
EVIL = '</title><script>window.hurt=1</script><img src=x onerror="window.hurt=1">'


@pytest.fixture(autouse=True)
def berlin(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def told(began):
    """A morning: thesis, mail, and the thesis again, which was asked about and answered."""
    session = began()
    session.said("declare", "thesis", at(0), at(0))
    session.advance(work(0, "a", "a"), at(2))
    session.said("declare", "mail", at(2), at(2))
    session.advance(work(2, "b", "b"), at(4))
    session.advance(work(30, "a", "a"), at(32))
    return session


def rows(found):
    return [
        ((one.start - at(0)) / 60, (one.end - at(0)) / 60, *one[2:])
        for one in day(found.journal, MAY).stretches
    ]


def test_predicted_declared_and_corrected(told):
    told.said("answer", 1, "garden", at(40))
    told.said("answer", 1, "thesis", at(41))  # corrected again: only this counts
    told.said("rename", "mail", "post", at(42))
    assert rows(told) == [
        (0, 2, "thesis", "thesis", None),
        (2, 4, "post", "post", None),
        (30, 32, "thesis", "post", "thesis"),
    ]
    found = day(told.journal, MAY)
    assert found.seconds == {"thesis": 240.0, "post": 120.0}
    assert (found.asked, found.answered) == (2, 1)
    assert found.activities == ["thesis", "post"]


def test_an_answer_holds_until_something_else_is_declared(told):
    told.said("answer", 1, "thesis", at(33), at(30.5))
    told.said("declare", "mail", at(31.5), at(33))
    assert rows(told)[2:] == [
        (30, 30.5, "thesis", "mail", None),
        (30.5, 31.5, "thesis", "mail", "thesis"),
        (31.5, 32, "thesis", "mail", None),
    ]


def test_an_answer_that_says_what_was_declared_corrects_nothing(told):
    told.said("answer", 1, "mail", at(33))
    assert all(row[4] is None for row in rows(told))


def test_time_that_nobody_spoke_for(began):
    session = began()
    session.advance(work(0, "a"), at(1))
    assert day(session.journal, MAY).seconds == {"not declared": 60.0}
    text = "\n".join(lines(day(session.journal, MAY)))
    assert "0:01  100%  not declared" in text
    assert "<h1>" in written(day(session.journal, MAY))


def test_time_under_a_clock_that_was_ahead_counts_once(began):
    """Minutes 1 to 4 are stored two hours ahead: once it is that time, what is seen then counts."""
    session = began()
    session.said("declare", "thesis", at(0), at(0))
    session.advance(work(0, "a"), at(1))
    session.advance(work(120, "a", "a", "a"), at(123))
    session.said("set_back", at(4))
    session.said("declare", "mail", at(119), at(119))
    session.advance(work(119, "b"), at(120))
    assert sum(day(session.journal, MAY).seconds.values()) == 300.0
    session.said("declare", "garden", at(120.5), at(121))
    session.advance(work(120, "b", "c"), at(122))
    assert day(session.journal, MAY).seconds == {"thesis": 60.0, "mail": 90.0, "garden": 150.0}
    assert [row[:2] for row in rows(session)][1:] == [
        (119, 120.5), (120.5, 121), (121, 122), (122, 123),
    ]  # fmt: skip


def test_days_begin_at_midnight_and_have_23_to_25_hours(began):
    hours = [(e - s) / 3600 for s, e in map(bounds, (date(2024, 3, 31), MAY, date(2024, 10, 27)))]
    assert hours == [23.0, 24.0, 25.0]
    session = began()
    _, end = bounds(MAY)
    minute = round((end - at(0)) / 60)
    session.advance(work(minute - 1, "a", "a"), at(minute + 1))
    for when in (MAY, date(2024, 5, 2)):
        assert sum(day(session.journal, when).seconds.values()) == 60.0


def test_as_text(told):
    told.said("answer", 1, "thesis", at(40))
    title, times, *timeline, empty, first, second, whole, asked = lines(
        day(told.journal, MAY), width=32
    )
    assert title == "Wednesday 2024-05-01"
    assert times.split() == ["10:00", "10:32"]
    nobody = " " * 26
    assert timeline == [
        f"predicted  aabb{nobody}aa",
        f"declared   aabb{nobody}bb",
        f"corrected  ····{nobody}aa",
    ]
    assert (empty, first, second) == ("", "a   0:04   67%  thesis", "b   0:02   33%  mail")
    assert (whole.split()[0], asked) == ("0:06", "2 asked, 1 answered")
    assert list(lines(day(told.journal, date(2024, 5, 3)))) == [
        "Friday 2024-05-03",
        "Nothing was seen on this day.",
    ]


def test_names_are_text_in_the_page(browser, tmp_path):
    busy = [Stretch(at(30 * i), at(30 * i + 30), f"p{i}", f"p{i}", None) for i in range(20)]
    one = Stretch(at(600), at(700), EVIL, None, EVIL)
    path = tmp_path / "day.html"
    path.write_text(written(Day(MAY, [*busy, one], 3, 1)), encoding="utf-8")
    complaints = []
    for width, scheme in ((1200, "light"), (360, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        tab = context.new_page()
        tab.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        tab.goto(path.as_uri())
        assert tab.evaluate("window.hurt") is None
        assert EVIL in tab.text_content("main")
        tab.click("summary")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.locator("svg.day").get_attribute("aria-label")
        assert len(tab.query_selector_all("svg.day g")) == 42
        fills = tab.evaluate("[...new Set([...document.querySelectorAll('.swatch rect')]"
                             ".map(e => e.getAttribute('fill')))].length")  # fmt: skip
        assert fills == 21
        tab.click("summary")
        assert len(tab.query_selector_all("details tbody tr, details table > tr")) == 21
        context.close()
    assert complaints == []


def test_the_page_fetches_nothing_and_runs_nothing():
    text = written(Day(MAY, [Stretch(at(0), at(9), EVIL, EVIL, EVIL)], 0, 0))
    assert "<script" not in text
    assert "<img" not in text
    assert re.findall(r'(?:src|href)="', text) == []
    assert "default-src 'none'" in text


def test_no_two_activities_look_the_same():
    found = looks([f"a{i}" for i in range(4 * len(COLOURS))])
    assert len({(one.colour, one.pattern) for one in found.values()}) == len(found)
    assert len({one.letter for one in found.values()}) == len(found)


def test_letters_are_read_on_their_colours():
    """At least 4.5 to 1, as the accessibility guidelines want it."""

    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    for one in looks([f"a{i}" for i in range(len(COLOURS))]).values():
        low, high = sorted((light(one.colour), light(_six(one.ink))))
        assert (high + 0.05) / (low + 0.05) >= 4.5, one


def _six(colour):
    return "#" + "".join(2 * letter for letter in colour[1:])


def test_times_are_local(told):
    assert datetime.fromtimestamp(at(0)).hour == 10
    assert os.environ["TZ"] == "Europe/Berlin"
    assert span(86_400) == "24:00"
