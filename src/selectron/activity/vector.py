"""The information vector: what a stretch of some sixty seconds looked like (section 5.2)."""

from typing import NamedTuple


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
