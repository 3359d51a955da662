"""Stretches of time without overlaps, out of stretches in any order that have them."""

import heapq
from collections.abc import Iterable
from typing import Any, NamedTuple


class Span(NamedTuple):
    """A stretch of time, and what it holds; values must be comparable."""

    start: float
    end: float
    value: Any


def flattened(spans: Iterable[Span]) -> list[Span]:
    """Return what is on top at every moment: what began last, then what lasts longest.

    What comes twice counts once, what lasts no time shows nothing, order does not matter, and what
    is flat already stays as it is.

    >>> for span in flattened([Span(0, 9, "a"), Span(2, 4, "b"), Span(2, 4, "b"), Span(5, 5, "c")]):
    ...     print(*span)
    0 2 a
    2 4 b
    4 9 a
    """
    coming = sorted({span for span in spans if span.end > span.start})
    found: list[Span] = []
    covering: list[int] = []  # a heap of those that cover the moment: the last of `coming` first
    moment, next_one = 0.0, 0
    while next_one < len(coming) or covering:
        if not covering:
            moment = coming[next_one].start
        while next_one < len(coming) and coming[next_one].start <= moment:
            heapq.heappush(covering, -next_one)
            next_one += 1
        top = coming[-covering[0]]
        if top.end <= moment:
            heapq.heappop(covering)
            continue
        until = min(top.end, coming[next_one].start) if next_one < len(coming) else top.end
        _add(found, Span(moment, until, top.value))
        moment = until
    return found


def _add(found: list[Span], span: Span) -> None:
    """Add a stretch, as part of the last one where it goes on with the same."""
    if found and found[-1].end == span.start and found[-1].value == span.value:
        found[-1] = found[-1]._replace(end=span.end)
    else:
        found.append(span)
