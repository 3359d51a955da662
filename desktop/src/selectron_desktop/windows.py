"""What was in front: events come in, information vectors go out (section 5.2)."""

import math
from collections import deque
from typing import Any, NamedTuple

from selectron import SelectronError

KINDS = ("document", "folder", "site", "application", "project")
LEAST = 1.0  # seconds that a window counts which was seen once, with no duration
OPEN = 1800.0  # seconds of presence after which a resource counts as closed


class Event(NamedTuple):
    """A stretch in which one window was in front, or in which nobody was there.

    Events come in order of their starts and do not overlap; between them nothing is known.
    """

    start: float  # seconds since 1970, UTC
    end: float
    resource: str  # its kind, a colon, and what names it: "site:example.org"; "" if nobody is there
    words: tuple[str, ...]  # of the window's title, in lower case, or hashed

    @property
    def away(self) -> bool:
        """Was nobody there?"""
        return not self.resource


class Window(NamedTuple):
    """A resource that was in front, under one title."""

    resource: str
    words: tuple[str, ...]
    seconds: float


class Vector(NamedTuple):
    """X_t: what is known of the stretch that ends at `end`, but for the activities."""

    start: float  # seconds since 1970
    end: float
    windows: tuple[Window, ...]
    open: tuple[str, ...]  # resources seen within the last half hour of presence
    closed: int  # resources that have ceased to be open
    used: float  # the share of open resources that were in front
    since: float  # seconds since the last declared switch
    gap: float  # seconds since the vector before

    @property
    def middle(self) -> float:
        """The time that settles to which activity it belongs."""
        return (self.start + self.end) / 2

    @property
    def seconds(self) -> float:
        """How long somebody was there."""
        return sum(window.seconds for window in self.windows)

    @property
    def times(self) -> dict[str, float]:
        """The seconds for which each resource was in front."""
        times: dict[str, float] = {}
        for resource, _, seconds in self.windows:
            times[resource] = times.get(resource, 0.0) + seconds
        return times

    @property
    def vocabulary(self) -> dict[str, None]:
        """The words of all titles, each once, in order."""
        return dict.fromkeys(word for window in self.windows for word in window.words)


class Desktop:
    """What has been seen since the last vector, and which resources are open.

    Trackers do not tell that a window is closed: a resource is taken to be open until somebody has
    been there for half an hour without looking at it.
    """

    def __init__(self) -> None:
        self.until = -math.inf  # the end of the last event
        self.closed_at = -math.inf  # the end of the last stretch
        self.before = -math.inf  # the end of the last stretch in which somebody was there
        self.presence = 0.0  # seconds for which somebody has been there
        self.pending: deque[Event] = deque()
        self.seen: dict[str, float] = {}  # presence when last seen; the longest unseen in front

    def see(self, event: Event) -> None:
        """Take up an event; SelectronError if it is out of order, and nothing is changed."""
        start, end = event.start, event.end
        if not (math.isfinite(start) and math.isfinite(end) and start <= end):
            raise SelectronError(
                f"An event must start, and end no earlier, at times in seconds, got {start!r} to "
                f"{end!r}."
            )
        if start < self.until:
            raise SelectronError(
                f"The event at {start!r} starts before the one before it ends, at "
                f"{self.until!r}: events must come in order and must not overlap."
            )
        if start < self.closed_at:
            raise SelectronError(
                f"The event at {start!r} comes too late: all up to {self.closed_at!r} has been "
                "looked at."
            )
        self.until = end
        self.pending.append(event)

    def close(self, time: float, switched: float | None) -> Vector | None:
        """Return the vector of the stretch that ends at `time`, None if nobody was there.

        `switched` is when the last switch was declared.
        """
        parts = self._parts(time)
        start, self.closed_at = self.closed_at, time
        windows = _windows(parts)
        if not windows:
            return None
        start = max(start, parts[0].start)
        seconds = sum(window.seconds for window in windows)
        closed = self._look(dict.fromkeys(window.resource for window in windows), seconds)
        used = len({window.resource for window in windows}) / len(self.seen)
        since = 0.0 if switched is None else max(0.0, time - switched)
        gap = max(0.0, start - self.before) if math.isfinite(self.before) else 0.0
        self.before = time
        return Vector(start, time, windows, tuple(self.seen), closed, used, since, gap)

    def set_back(self, time: float) -> None:
        """Go on from an earlier time, and forget what waits to be looked at."""
        self.until = self.closed_at = time
        self.before = min(self.before, time)
        self.pending.clear()

    def _parts(self, time: float) -> list[Event]:
        """Take what was seen before `time`; the rest of an event that goes on stays."""
        parts: list[Event] = []
        while self.pending and self.pending[0].start < time:
            event = self.pending.popleft()
            parts.append(event._replace(end=min(event.end, time)))
            if event.end > time:
                self.pending.appendleft(event._replace(start=time))
                break
        return [event for event in parts if not event.away]

    def _look(self, resources: dict[str, None], seconds: float) -> int:
        """Note that resources were in front for so long in all; return how many were closed."""
        self.presence += seconds
        for resource in resources:
            self.seen.pop(resource, None)
            self.seen[resource] = self.presence
        closed = 0
        while self.seen[next(iter(self.seen))] < self.presence - OPEN:
            del self.seen[next(iter(self.seen))]
            closed += 1
        return closed

    def pack(self) -> dict[str, Any]:
        """Return the state as JSON can hold it."""
        return {**vars(self), "pending": [list(event) for event in self.pending]}

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> "Desktop":
        """Return the desktop that was packed."""
        desktop = cls()
        pending = [Event(a, b, resource, tuple(w)) for a, b, resource, w in packed["pending"]]
        desktop.__dict__.update({**packed, "pending": deque(pending)})
        return desktop


def _windows(parts: list[Event]) -> tuple[Window, ...]:
    """Return the windows of a stretch, each once."""
    seconds: dict[tuple[str, tuple[str, ...]], float] = {}
    for event in parts:
        window = event.resource, tuple(event.words)
        seconds[window] = seconds.get(window, 0.0) + max(LEAST, event.end - event.start)
    return tuple(Window(*window, time) for window, time in seconds.items())
