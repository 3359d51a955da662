"""What was in front: events, and the information vectors computed from them (section 5.2)."""

import math
from collections import deque
from typing import NamedTuple

from selectron import SelectronError

KINDS = ("document", "folder", "site", "application", "project")
LEAST = 1.0  # seconds: the duration of a window that was seen only once
OPEN = 1800.0  # seconds of presence after which a resource that was not seen counts as closed


class Event(NamedTuple):
    """A stretch of time in which one window was in front, or in which nobody was there.

    Events come in order of their starts and do not overlap; nothing is known of the time between.
    """

    start: float  # seconds since 1970, UTC
    end: float
    resource: str  # kind and name: "site:example.org"; "" if nobody is there
    words: tuple[str, ...]  # of the window's title, in lower case, or hashed

    @property
    def away(self) -> bool:
        """Whether nobody was there."""
        return not self.resource


class Window(NamedTuple):
    """A resource that was in front, under one title."""

    resource: str
    words: tuple[str, ...]
    seconds: float


class Vector(NamedTuple):
    """X_t: what is known of the stretch that ends at `end`, except for the activities."""

    start: float  # seconds since 1970
    end: float
    windows: tuple[Window, ...]
    open: tuple[str, ...]  # resources seen within the last half hour of presence
    closed: int  # resources that are no longer open
    used: float  # the share of open resources that were in front
    since: float  # seconds since the last declared switch
    gap: float  # seconds since the vector before this one

    @property
    def middle(self) -> float:
        """The middle of the stretch: the activity then is the activity of the vector."""
        return (self.start + self.end) / 2

    @property
    def seconds(self) -> float:
        """The seconds for which somebody was there."""
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
    """The events since the last vector, and the resources that are open.

    Trackers do not report that a window is closed: a resource is open until somebody has been there
    for half an hour without looking at it.
    """

    def __init__(self) -> None:
        self.until = -math.inf  # the end of the last event
        self.closed_at = -math.inf  # the end of the last stretch
        self.before = -math.inf  # the end of the last stretch in which somebody was there
        self.presence = 0.0  # seconds for which somebody has been there, in total
        self.pending: deque[Event] = deque()
        self.seen: dict[str, float] = {}  # presence when last seen, the oldest first

    def see(self, event: Event) -> None:
        """Add an event; raises SelectronError, and changes nothing, if it is out of order."""
        start, end = event.start, event.end
        if not (math.isfinite(start) and math.isfinite(end) and start <= end):
            raise SelectronError(f"Events need finite times in order, got {start!r} to {end!r}.")
        if start < (latest := max(self.until, self.closed_at)):
            raise SelectronError(
                f"The event at {start!r} starts before {latest!r}, the end of the last event or "
                "stretch: events must come in order and must not overlap."
            )
        self.until = end
        self.pending.append(event)

    def close(self, time: float, switched: float) -> Vector | None:
        """Return the vector of the stretch that ends at `time`, None if nobody was there.

        `switched` is the time of the last declared switch, -inf if there is none.
        """
        parts = self._parts(time)
        start, self.closed_at = self.closed_at, time
        if not parts:
            return None
        times: dict[tuple[str, tuple[str, ...]], float] = {}
        for event in parts:
            window = event.resource, tuple(event.words)
            times[window] = times.get(window, 0.0) + max(LEAST, event.end - event.start)
        windows = tuple(Window(*window, seconds) for window, seconds in times.items())
        start = max(start, parts[0].start)
        resources = dict.fromkeys(window.resource for window in windows)
        closed = self._look(resources, sum(window.seconds for window in windows))
        used = len(resources) / len(self.seen)
        since = max(0.0, time - switched) if math.isfinite(switched) else 0.0
        gap = max(0.0, start - self.before) if math.isfinite(self.before) else 0.0
        self.before = time
        return Vector(start, time, windows, tuple(self.seen), closed, used, since, gap)

    def set_back(self, time: float) -> None:
        """Continue from an earlier time; pending events are dropped."""
        self.until = self.closed_at = time
        self.before = min(self.before, time)
        self.pending.clear()

    def _parts(self, time: float) -> list[Event]:
        """Remove and return the events before `time`; an event that lasts longer is cut."""
        parts: list[Event] = []
        while self.pending and self.pending[0].start < time:
            event = self.pending.popleft()
            parts.append(event._replace(end=min(event.end, time)))
            if event.end > time:
                self.pending.appendleft(event._replace(start=time))
                break
        return [event for event in parts if not event.away]

    def _look(self, resources: dict[str, None], seconds: float) -> int:
        """Record the resources that were in front; return the number of those that were closed."""
        self.presence += seconds
        for resource in resources:
            self.seen.pop(resource, None)
            self.seen[resource] = self.presence
        closed = 0
        while self.seen[next(iter(self.seen))] < self.presence - OPEN:
            del self.seen[next(iter(self.seen))]
            closed += 1
        return closed
