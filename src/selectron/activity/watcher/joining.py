"""Streams of several watchers, joined into one: what was in front, was anybody there?"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from ..event import Event
from .layers import Span, flattened
from .naming import HIDDEN, Seen
from .raw import Raw

# Seconds for which an event goes on beyond its end unless another begins: tabs and editors tell of
# themselves once a minute.
LASTING = {"web": 75.0, "editor": 60.0}
LEAST = (
    1.0  # seconds for which a window counts that was seen once: they are looked at once a second
)
CELL = 60.0  # seconds: events are cut at whole minutes, so that growth never changes what was given


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
