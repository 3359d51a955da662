"""A day as text: a line for each of predicted, declared and corrected, and the time by activity."""

import textwrap
from collections.abc import Iterator

import click

from .day import ROWS, Day, clock, span
from .palette import Look, looks

WIDTH = 72  # columns of the timeline
NONE = "·"  # somebody was there, and nothing is known


def lines(day: Day, plain: bool = False, width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of a day; with `plain`, without colours."""
    yield f"{day.date:%A} {day.date.isoformat()}"
    if not day.stretches:
        yield "Nothing was seen on this day."
        return
    styles = looks(day.activities)
    start, end = day.stretches[0].start, day.stretches[-1].end
    begun, ended = clock(start), clock(end)
    yield f"{'':<11}{begun}{ended:>{max(width - len(begun), 6)}}"
    for row in ROWS:
        cells = [_at(day, row, start + (end - start) * (i + 0.5) / width) for i in range(width)]
        yield f"{row:<11}" + "".join(_painted(cell, styles, plain) for cell in cells)
    yield ""
    yield from _times(day, styles, plain)
    yield f"{day.asked} asked, {day.answered} answered"
    if day.advice:
        yield from textwrap.wrap(day.advice, WIDTH)


def _at(day: Day, row: str, time: float) -> str | None:
    """Return an activity at a time, "" where nobody was there."""
    for one in day.stretches:
        if one.start <= time < one.end:
            return getattr(one, row)
    return ""


def _painted(activity: str | None, styles: dict[str, Look], plain: bool) -> str:
    if not activity:
        return " " if activity == "" else NONE
    look = styles[activity]
    if plain:
        return look.letter
    ink = 15 if look.ink == "#fff" else 0
    return click.style(look.letter, fg=ink, bg=look.number)


def _times(day: Day, styles: dict[str, Look], plain: bool) -> Iterator[str]:
    seconds = day.seconds
    whole = sum(seconds.values())
    for name in day.timed:
        mark = _painted(name, styles, plain) if name in styles else NONE
        took = seconds[name]
        yield f"{mark} {span(took):>6} {took / whole:>5.0%}  {_printable(name)}"
    yield f"  {span(whole):>6}        in all"
    if day.guessed:
        named = (f"{styles[name].letter} {_printable(name)}" for name in day.guessed)
        yield from textwrap.wrap(f"predicted alone: {', '.join(named)}", WIDTH)


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in name)
