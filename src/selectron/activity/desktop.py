"""The desktop as it is watched: events come in, information vectors go out."""

import math
from collections import deque
from typing import Any

from ..errors import SelectronError
from .event import Event
from .vector import Vector, Window

LEAST = 1.0  # seconds that a window counts which was seen once, with no duration
OPEN = 1800.0  # seconds of presence after which a resource counts as closed


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
