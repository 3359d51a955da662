"""What is final of a server's newest events: they grow, come late, and servers come and go."""

import socket
from collections.abc import Iterator
from typing import Any

from ...errors import SelectronError
from ..event import Event
from .export import host_of, layers_of
from .joining import Joiner
from .raw import Raw, moment, raw
from .server import Absent
from .titles import Titles

LAG = 15.0  # seconds after which an event has grown past a moment: watchers commit every 10
QUIET = 240.0  # and for the one that tells whether anybody is there, which waits for 3 minutes
BACK = 600.0  # seconds before what has been given from which events are asked for again, in whole
# steps of as many: servers cut events where the question begins, and a cut that moved would look
# like another event each time
STRETCH = 86_400.0  # seconds that are asked for at once


class Feed:
    """The events of a server from a time on, as they become final.

    `host` chooses among computers: by default this one, or that whose windows came last.
    """

    def __init__(self, server: Any, titles: Titles, since: float, host: str | None = None):
        self.server, self.titles, self.host = server, titles, host
        self.joiner = Joiner(since)

    @property
    def until(self) -> float:
        """The time up to which events have been given, in seconds since 1970."""
        return self.joiner.until

    def set_back(self, now: float) -> None:
        """Go on from an earlier time, for the clock was wrong."""
        self.joiner = Joiner(now)

    def poll(self, now: float) -> tuple[list[Event], float]:
        """Return the events that have become final, and up to when nothing else will.

        At most a day is given at once: after a pause, poll again while `until` goes on. Raises
        Absent where the server is not there; nothing is lost by that.
        """
        found = self.server.buckets()
        host = self._host(found, now)
        layers = list(layers_of(found, host))
        end = min(now, self.until + STRETCH)
        raws = [one for name, layer in layers for one in self._raws(name, layer, end)]
        self.joiner.feed(raws)
        events = self.joiner.take(self._final(raws, layers, now, end))
        return events, self.until

    def _host(self, found: dict[str, dict[str, Any]], now: float) -> str:
        latest = {name: min(now, _updated(bucket)) for name, bucket in found.items()}
        here = socket.gethostname()
        known = {b.get("hostname") for b in found.values() if b.get("type") == "currentwindow"}
        wanted = self.host or (here if here in known else None)
        try:
            return host_of(latest, found, wanted, self.server.address)
        except SelectronError as error:
            raise Absent(str(error)) from None  # a watcher may begin yet

    def _raws(self, bucket: str, layer: str, end: float) -> Iterator[Raw]:
        start = max(0.0, (self.until // BACK - 1) * BACK)
        for event in self.server.events(bucket, start, end) if start < end else ():
            one = raw(layer, event, self.titles)
            if one is not None and one.start < end:  # a watcher's clock may be years ahead
                yield one

    def _final(self, raws: list[Raw], layers: Any, now: float, end: float) -> float:
        """Return up to when everything is known.

        Whether anybody was there is told afterwards: up to the end of what is told of it, unless
        that watcher is silent for long.
        """
        final = min(end, now - LAG)
        if any(layer == "afk" for _, layer in layers):
            told = max((one.end for one in raws if one.layer == "afk"), default=0.0)
            final = min(final, max(told, now - QUIET))
        return final


def _updated(bucket: dict[str, Any]) -> float:
    """Return when a bucket got its last event, or was made, as far as the server tells."""
    metadata = bucket.get("metadata")
    ends = [bucket.get("last_updated"), metadata.get("end") if isinstance(metadata, dict) else None]
    for value in (*ends, bucket.get("created")):
        try:
            return moment(value)
        except ValueError:
            continue
    return 0.0
