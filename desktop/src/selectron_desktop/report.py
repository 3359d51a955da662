"""A day of the journal, the look of its activities, and the day as text."""

import bisect
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from .joining import joined
from .journal import Entry, Journal
from .saying import KINDS, NOBODY, Names
from .timeline import Timeline

ROWS = ("predicted", "declared", "corrected")
ADVICE = (
    "Nothing was declared on this day: selectron-desktop declare NAME --since {}, or import FILE "
    "--declarations CSV, adds activities."
)
# Okabe and Ito's colours, without black, which is invisible on a dark page
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
PATTERNS = ("solid", "stripes", "dots", "bars")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DARK = COLOURS[0]  # the colour on which white letters are readable
WIDTH = 72  # columns of the timeline
NONE = "·"  # somebody was there, but nothing is known


class Stretch(NamedTuple):
    """A stretch of time with its activities, None if there is none."""

    start: float  # seconds since 1970
    end: float
    predicted: str | None
    declared: str | None
    corrected: str | None  # the answer, if it differs from the declaration

    @property
    def activity(self) -> str | None:
        """The activity as far as it was declared or corrected."""
        return self.corrected or self.declared


class Day(NamedTuple):
    """A day in local time, and its stretches in order; between them nobody was there."""

    date: date
    stretches: list[Stretch]
    asked: int  # alarms
    answered: int

    @property
    def activities(self) -> list[str]:
        """All activities of the day, ordered by their time, then by name."""
        seconds = self.seconds
        named = {name for one in self.stretches for name in one[2:] if name is not None}
        return sorted(named, key=lambda name: (-seconds.get(name, 0.0), name))

    @property
    def timed(self) -> list[str]:
        """The activities that took time, then "not declared", if there was such time."""
        return [name for name in [*self.activities, NOBODY] if name in self.seconds]

    @property
    def guessed(self) -> list[str]:
        """The activities that were only predicted."""
        return [name for name in self.activities if name not in self.seconds]

    @property
    def advice(self) -> str | None:
        """What to do if nothing was declared, None if something was."""
        if not self.stretches or any(one.activity for one in self.stretches):
            return None
        start = datetime.fromtimestamp(self.stretches[0].start)
        return ADVICE.format(f"{start:%Y-%m-%dT%H:%M}")

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds of work on every activity."""
        found: dict[str, float] = {}
        for one in self.stretches:
            name = one.activity or NOBODY
            found[name] = found.get(name, 0.0) + one.end - one.start
        return found


def day(journal: Journal, when: date) -> Day:
    """Return a day of the journal, with the current names of activities."""
    start, end = bounds(when)
    names = Names(journal.of(*KINDS))
    alarms = {e.body["id"] for e in journal.of("alarm") if start <= e.time < end}
    answered = {entry.body["alarm"] for entry in journal.of("answer")}
    seen = (
        (max(began, start), min(ended, end), names.now(cell.body.get("activity"), cell.seq))
        for cell in _cells(journal, start, end + 60.0)
        for began, ended, resource, _ in cell.body["events"]
        if resource and ended > start and began < end
    )
    stretches = list(map(Stretch._make, joined(_split(seen, names.said), gap=2.0)))
    return Day(when, stretches, len(alarms), len(alarms & answered))


def _cells(journal: Journal, start: float, end: float) -> list[Entry]:
    """Return cells in order; of those that overlap, as the clock was set back, the later entry."""
    minutes: dict[float, list[Entry]] = {}
    for cell in journal.between(start, end):
        began = cell.body["events"][0][0]
        same = minutes.setdefault(began // 60, [])
        if same and began < same[-1].time:
            same.clear()
        same.append(cell)
    return [cell for minute in sorted(minutes) for cell in minutes[minute]]


def bounds(when: date) -> tuple[float, float]:
    """Return when a day begins and ends, in seconds since 1970; it may have 23 or 25 hours."""
    first = datetime(when.year, when.month, when.day)
    return first.timestamp(), (first + timedelta(days=1)).timestamp()


def _split(seen: Iterable[tuple[float, float, str | None]], said: Timeline) -> Iterator[Stretch]:
    """Yield stretches, cut at every declaration and answer."""
    times = [one.time for one in said.statements]
    declarations = Timeline()
    declarations.statements = [one for one in said.statements if one.alarm is None]
    for start, end, guess in seen:
        first, last = (bisect.bisect_right(times, time) for time in (start, end))
        for one, other in pairwise([start, *times[first:last], end]):
            if one < other:
                declared, held = declarations.at(one), said.held(one)
                answer = held.activity if held and held.alarm is not None else None
                yield Stretch(one, other, guess, declared, answer if answer != declared else None)


def clock(time: float, seconds: bool = False) -> str:
    """Return a time of day, in local time."""
    return datetime.fromtimestamp(time).strftime("%H:%M:%S" if seconds else "%H:%M")


def span(seconds: float) -> str:
    """Return a duration.

    >>> span(3905), span(59), span(0)
    ('1:05', '0:01', '0:00')
    """
    minutes = round(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02}"


class Look(NamedTuple):
    """The look of an activity."""

    colour: str
    pattern: str
    letter: str

    @property
    def fill(self) -> str:
        """The colour, or the id of the pattern in the page."""
        at = COLOURS.index(self.colour)
        return self.colour if self.pattern == "solid" else f"url(#{self.pattern}{at})"

    @property
    def ink(self) -> str:
        """The colour of letters on it."""
        return "#fff" if self.colour == DARK and self.pattern == "solid" else "#000"


def looks(activities: Sequence[str]) -> dict[str, Look]:
    """Return the looks of activities: first the colours, then the same colours with patterns.

    >>> looks(["thesis", "mail"])["mail"]
    Look(colour='#E69F00', pattern='solid', letter='b')
    """
    n = len(COLOURS)
    return {
        name: Look(COLOURS[i % n], PATTERNS[i // n % 4], LETTERS[i % 52])
        for i, name in enumerate(activities)
    }


def lines(day: Day, width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of a day, in which a letter stands for an activity."""
    yield f"{day.date:%A} {day.date.isoformat()}"
    if not day.stretches:
        yield "Nothing was seen on this day."
        return
    styles = looks(day.activities)
    start, end = day.stretches[0].start, day.stretches[-1].end
    begun, ended = clock(start), clock(end)
    yield f"{'':<11}{begun}{ended:>{max(width - len(begun), 6)}}"
    for row in ROWS:
        times = (start + (end - start) * (i + 0.5) / width for i in range(width))
        there = (next((s for s in day.stretches if s.start <= t < s.end), None) for t in times)
        yield f"{row:<11}" + "".join(_mark(getattr(s, row), styles) if s else " " for s in there)
    yield ""
    yield from _times(day, styles)
    yield f"{day.asked} asked, {day.answered} answered"
    if day.advice:
        yield from textwrap.wrap(day.advice, WIDTH)


def _mark(activity: str | None, styles: dict[str, Look]) -> str:
    return styles[activity].letter if activity in styles else NONE


def _times(day: Day, styles: dict[str, Look]) -> Iterator[str]:
    seconds = day.seconds
    whole = sum(seconds.values())
    for name in day.timed:
        took = seconds[name]
        yield f"{_mark(name, styles)} {span(took):>6} {took / whole:>5.0%}  {_printable(name)}"
    yield f"  {span(whole):>6}        in all"
    if day.guessed:
        named = (f"{styles[name].letter} {_printable(name)}" for name in day.guessed)
        yield from textwrap.wrap(f"only predicted: {', '.join(named)}", WIDTH)


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in name)
