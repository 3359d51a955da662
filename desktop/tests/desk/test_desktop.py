"""Information vectors: what is open, what is closed, who was there."""

import math

import pytest

from selectron_desktop.windows import OPEN, Desktop, Event


def look(desktop, start, end, resource, words=()):
    desktop.see(Event(start, end, resource, words))


def test_a_vector_has_the_windows_of_its_stretch():
    desktop = Desktop()
    look(desktop, 0.0, 20.0, "document:a", ("a", "b"))
    look(desktop, 20.0, 30.0, "site:b", ("b",))
    look(desktop, 30.0, 90.0, "document:a", ("a", "b"))
    vector = desktop.close(60.0, -math.inf)
    assert [tuple(window) for window in vector.windows] == [
        ("document:a", ("a", "b"), 50.0),
        ("site:b", ("b",), 10.0),
    ]
    assert list(vector.vocabulary) == ["a", "b"]
    assert vector.times == {"document:a": 50.0, "site:b": 10.0}
    assert desktop.close(120.0, 30.0)[2:] == (
        (("document:a", ("a", "b"), 30.0),),
        ("site:b", "document:a"),
        0,
        0.5,
        90.0,
        0.0,
    )


def test_a_resource_closes_when_it_has_not_been_seen_for_half_an_hour_of_presence():
    desktop = Desktop()
    look(desktop, 0.0, 60.0, "document:a")
    desktop.close(60.0, -math.inf)
    look(desktop, 90_000.0, 90_060.0, "document:b")  # absence does not close it
    assert set(desktop.close(90_060.0, -math.inf).open) == {"document:a", "document:b"}
    look(desktop, 90_060.0, 90_060.0 + OPEN, "document:b")
    vector = desktop.close(90_060.0 + OPEN, -math.inf)
    assert (vector.open, vector.closed) == (("document:b",), 1)


def test_the_gap_is_since_somebody_was_there():
    desktop = Desktop()
    look(desktop, 0.0, 60.0, "document:a")
    desktop.close(60.0, -math.inf)
    look(desktop, 60.0, 600.0, "")
    assert desktop.close(300.0, -math.inf) is None
    look(desktop, 600.0, 650.0, "document:a")
    vector = desktop.close(660.0, -math.inf)
    assert (vector.start, vector.gap) == (600.0, 540.0)


def test_a_window_that_was_seen_once_counts_a_second():
    desktop = Desktop()
    look(desktop, 5.0, 5.0, "document:a")
    assert desktop.close(60.0, -math.inf).seconds == pytest.approx(1.0)
