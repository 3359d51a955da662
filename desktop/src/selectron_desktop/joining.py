"""Streams of several watchers, joined into one: what was in front, was anybody there?

An event is taken as a watcher sent it, whichever server kept it: read strictly, or passed over.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

from . import naming
from .naming import HIDDEN, Seen, Titles
from .windows import Event

STREAMS = {
    "currentwindow": "window",
    "afkstatus": "afk",
    "web.tab.current": "web",
    "app.editor.activity": "editor",
}
LONGEST = 60 * 86_400.0  # seconds: what is said to last longer never got an end
LATEST = 32_503_680_000.0  # the year 3000: what is said to be later has no sound clock
# Seconds for which an event goes on beyond its end unless another begins: tabs and editors tell of
# themselves once a minute.
LASTING = {"web": 75.0, "editor": 60.0}
LEAST = (
    1.0  # seconds for which a window counts that was seen once: they are looked at once a second
)
CELL = 60.0  # seconds: events are cut at whole minutes, so that growth never changes what was given


class Raw(NamedTuple):
    """A stretch of time in which a watcher saw one thing; seconds since 1970, whole milliseconds.

    `layer` is "window", "afk", "editor", or "web:" and a browser's family.
    """

    start: float
    end: float
    layer: str
    seen: Seen


def raw(layer: str, event: Any, titles: Titles) -> Raw | None:
    """Return an event of a server or an export; None for what says nothing, or is no event.

    Servers send `timestamp` with or without fractions, with Z or an offset, `duration` in seconds.

    >>> event = {"timestamp": "2024-05-01T10:00:00Z", "duration": 1.5, "data": {"status": "afk"}}
    >>> raw("afk", event, Titles("dropped"))[:3]
    (1714557600.0, 1714557601.5, 'afk')
    """
    try:
        start, length, data = moment(event["timestamp"]), event.get("duration", 0), event["data"]
        length = length.total_seconds() if isinstance(length, timedelta) else float(length)
        seen = _seen(layer, data, titles)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None
    end = start + length
    if seen is None or not 0 <= length <= LONGEST or not 0 <= start <= end < LATEST:
        return None
    return Raw(start, round(end, 3), layer, seen)


def moment(value: Any) -> float:
    """Return a time as seconds since 1970, to whole milliseconds; ValueError if it is none.

    >>> moment("2024-05-01T12:00:00.123456789+02:00")
    1714557600.123
    """
    if not isinstance(value, datetime):
        if not isinstance(value, str):
            raise ValueError("no time")
        value = datetime.fromisoformat(value.strip())
    if value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    whole = value.replace(microsecond=value.microsecond // 1000 * 1000)  # as ActivityWatch does
    return round(whole.timestamp(), 3)


def _seen(layer: str, data: dict[str, Any], titles: Titles) -> Seen | None:
    """Return what was seen; a tab that is nobody's business hides what it covers."""
    if layer == "afk":
        return Seen("", (), "away" if data["status"] == "afk" else "here")
    if layer == "window":
        return naming.window({key: _text(data.get(key)) for key in ("app", "title")}, titles)
    if layer == "editor":
        return naming.project({key: _text(data.get(key)) for key in ("project", "file")}, titles)
    if data.get("incognito") in (True, "true"):
        return Seen("", (), naming.HIDDEN)
    return naming.tab({key: _text(data.get(key)) for key in ("url", "title")}, titles)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def layer_of(bucket: str, kind: str) -> str | None:
    """Return the layer that a bucket's events belong to, by its id and type; None for others'.

    >>> layer_of("aw-watcher-web-firefox_desk", "web.tab.current")
    'web:firefox'
    """
    stream = STREAMS.get(kind)
    return f"web:{naming.family(bucket.partition('_')[0])}" if stream == "web" else stream


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


class Joiner:
    """Takes raw events in any order and portions; gives events up to a time, once and for all.

    What `take` gives depends on which raw events have come, not on when, provided that everything
    before that time has. `since` is the time before which nothing is given.
    """

    def __init__(self, since: float = 0.0, cell: float = CELL):
        self.cell = cell
        self.until = since // cell * cell
        self.ends: dict[tuple[str, float, Seen], float] = {}

    def feed(self, raws: Iterable[Raw]) -> None:
        """Take raw events; one that has grown counts with its longest length."""
        for start, end, layer, seen in raws:
            stream = layer.partition(":")[0]
            end = max(end + LASTING.get(stream, 0.0), start + LEAST * (stream == "window"))
            if end > self.until:
                key = layer, start, seen
                self.ends[key] = max(end, self.ends.get(key, end))

    def take(self, until: float) -> list[Event]:
        """Return the events up to the last whole minute before a time, and go on from there."""
        until = until // self.cell * self.cell
        if until <= self.until:
            return []
        found = list(self._joined(self.until, until))
        self.until = until
        self.ends = {key: end for key, end in self.ends.items() if end > until}
        return found

    def _joined(self, since: float, until: float) -> Iterator[Event]:
        layers = defaultdict(list)
        for (layer, start, seen), end in self.ends.items():
            if start < until:
                layers[layer].append(Span(start, end, seen))
        flat = {layer: _clipped(flattened(spans), since, until) for layer, spans in layers.items()}
        return merged(_looked_through(flat, self.cell), self.cell)


def _clipped(spans: list[Span], since: float, until: float) -> list[Span]:
    return [
        Span(max(start, since), min(end, until), value)
        for start, end, value in spans
        if end > since and start < until
    ]


def _looked_through(flat: dict[str, list[Span]], cell: float) -> Iterator[Event]:
    """Yield what shows through all layers, between every two moments at which something changes."""
    cuts = sorted({t for spans in flat.values() for span in spans for t in (span.start, span.end)})
    at = dict.fromkeys(flat, 0)
    for start, end in pairwise(cuts):
        shown = {}
        for layer, spans in flat.items():
            while at[layer] < len(spans) and spans[at[layer]].end <= start:
                at[layer] += 1
            if at[layer] < len(spans) and spans[at[layer]].start <= start:
                shown[layer] = spans[at[layer]].value
        seen = front(shown)
        if seen is not None:
            yield from _cut(start, end, seen, cell)


def _cut(start: float, end: float, seen: Seen, cell: float) -> Iterator[Event]:
    while start < end:
        stop = min(end, (start // cell + 1) * cell)
        yield Event(start, stop, seen.resource, seen.words)
        start = stop


def front(shown: dict[str, Seen]) -> Seen | None:
    """Return what was in front, of what each layer shows; None if nothing is known.

    Nobody there hides everything. A browser's window shows its tab, an editor's its project; a tab
    that is hidden hides the window, title and all.
    """
    if shown.get("afk", Seen("")).where == "away":
        return Seen("")
    window = shown.get("window")
    if window is None or window.where == HIDDEN:
        return None
    tab: Any = shown.get(f"web:{window.where}") or shown.get("web:")
    if window.where == "editor" and "editor" in shown:
        return shown["editor"]._replace(words=shown["editor"].words + window.words)
    if window.where in ("", "editor") or tab is None:
        return window
    return None if tab.where == HIDDEN else tab


def merged(events: Iterable[Event], cell: float) -> Iterator[Event]:
    """Yield events, with those put together that go on with the same within a minute."""
    last: Any = None
    for event in events:
        if last and last.end == event.start and last[2:] == event[2:] and event.start % cell:
            last = last._replace(end=event.end)
        else:
            if last:
                yield last
            last = event
    if last:
        yield last
