"""The streams of several watchers, joined into one: what was in front, and was anybody there?

Events are read strictly, whichever server they come from; invalid ones are ignored.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
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
LONGEST = 60 * 86_400.0  # seconds: a longer event was never ended
LATEST = 32_503_680_000.0  # the year 3000: the clock of a later event is wrong
# Seconds that an event lasts beyond its end unless another begins: these watchers report once a
# minute.
LASTING = {"web": 75.0, "editor": 60.0}
LEAST = 1.0  # seconds that a window lasts at least: its watcher looks once a second
CELL = 60.0  # seconds: events are cut at whole minutes, so that growth changes no earlier event


class Raw(NamedTuple):
    """A stretch of time in which a watcher saw one thing; seconds since 1970, whole milliseconds.

    `layer` is "window", "afk", "editor", or "web:" and a browser's family.
    """

    start: float
    end: float
    layer: str
    seen: Seen


def raw(layer: str, event: Any, titles: Titles) -> Raw | None:
    """Return an event of a server or an export, None if it is invalid or has no content.

    `timestamp` may have fractions, and Z or an offset; `duration` is in seconds.

    >>> event = {"timestamp": "2024-05-01T10:00:00Z", "duration": 1.5, "data": {"status": "afk"}}
    >>> raw("afk", event, Titles("dropped"))[:3]
    (1714557600.0, 1714557601.5, 'afk')
    """
    try:
        start, length = moment(event["timestamp"]), float(event.get("duration", 0))
        seen = _seen(layer, event["data"], titles)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None
    end = start + length
    if seen is None or not 0 <= length <= LONGEST or not 0 <= start <= end < LATEST:
        return None
    return Raw(start, round(end, 3), layer, seen)


def moment(value: Any) -> float:
    """Return a time as seconds since 1970, to whole milliseconds; raises ValueError.

    >>> moment("2024-05-01T12:00:00.123456789+02:00")
    1714557600.123
    """
    if not isinstance(value, str):
        raise ValueError("not a time")
    time = datetime.fromisoformat(value.strip())
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    whole = time.replace(microsecond=time.microsecond // 1000 * 1000)  # as ActivityWatch does
    return round(whole.timestamp(), 3)


def _seen(layer: str, data: dict[str, Any], titles: Titles) -> Seen | None:
    if layer == "afk":
        return Seen("", (), "away" if data["status"] == "afk" else "here")
    if layer.startswith("web") and data.get("incognito") in (True, "true"):
        return Seen("", (), HIDDEN)
    texts = {  # titles that were cut off may have half of a surrogate pair, which has no UTF-8
        key: value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for key, value in data.items()
        if isinstance(value, str)
    }
    kinds = {"window": naming.window, "editor": naming.project}
    return kinds.get(layer, naming.tab)(defaultdict(str, texts), titles)


def layer_of(bucket: str, kind: str) -> str | None:
    """Return the layer of a bucket's events, by its id and type; None if they are not read.

    >>> layer_of("aw-watcher-web-firefox_desk", "web.tab.current")
    'web:firefox'
    """
    stream = STREAMS.get(kind)
    return f"web:{naming.family(bucket.partition('_')[0])}" if stream == "web" else stream


class Span(NamedTuple):
    """A stretch of time and its value; values must be comparable."""

    start: float
    end: float
    value: Any


def flattened(spans: Iterable[Span]) -> list[Span]:
    """Return the span on top at every moment: the one that began last, then the longest.

    Duplicates, empty spans and the order make no difference; a flat list stays as it is.

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
        found.append(Span(moment, until, top.value))
        moment = until
    return list(map(Span._make, joined(found)))


class Joiner:
    """Takes raw events in any order and portions, and returns final events up to a time, once.

    The result of `take` depends only on the raw events, not on when they came, if all events before
    that time have. Nothing before `since` is returned.
    """

    def __init__(self, since: float = 0.0):
        self.until = since // CELL * CELL
        self.ends: dict[tuple[str, float, Seen], float] = {}

    def feed(self, raws: Iterable[Raw]) -> None:
        """Add raw events; of one that has grown, the longest version counts."""
        for start, end, layer, seen in raws:
            stream = layer.partition(":")[0]
            end = max(end + LASTING.get(stream, 0.0), start + LEAST * (stream == "window"))
            if end > self.until:
                key = layer, start, seen
                self.ends[key] = max(end, self.ends.get(key, end))

    def take(self, until: float) -> list[Event]:
        """Return the events up to the last whole minute before a time, and continue from there."""
        until = until // CELL * CELL
        if until <= self.until:
            return []
        layers = defaultdict(list)
        for (layer, start, seen), end in self.ends.items():
            if start < until:
                layers[layer].append(Span(start, end, seen))
        flat = {
            layer: [
                Span(max(start, self.until), min(end, until), value)
                for start, end, value in flattened(spans)
                if end > self.until
            ]
            for layer, spans in layers.items()
        }
        self.until = until
        self.ends = {key: end for key, end in self.ends.items() if end > until}
        return list(map(Event._make, joined(_in_front(flat), cell=CELL)))


def _in_front(flat: dict[str, list[Span]]) -> Iterator[Event]:
    """Yield what was in front, between any two moments at which a layer changes."""
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
        while seen is not None and start < end:
            stop = min(end, (start // CELL + 1) * CELL)
            yield Event(start, stop, seen.resource, seen.words)
            start = stop


def front(shown: dict[str, Seen]) -> Seen | None:
    """Return what was in front, given what each layer shows; None if nothing is known.

    Absence hides everything. A browser's window shows its tab, an editor's its project. A hidden
    tab hides the window and its title.
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


def joined(stretches: Iterable[tuple], gap: float = 0.0, cell: float = math.inf) -> Iterator[tuple]:
    """Yield stretches (start, end, ...); equal ones with at most a gap between them become one.

    Stretches that begin at a multiple of `cell` are not joined to the one before.
    """
    last: tuple | None = None
    for one in stretches:
        if last and last[2:] == one[2:] and one[0] - last[1] <= gap and one[0] % cell:
            last = (last[0], *one[1:])
        else:
            if last:
                yield last
            last = one
    if last:
        yield last
