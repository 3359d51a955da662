"""Events of ActivityWatch: from an exported file, in either server's format, or from a server.

The newest events of a server still grow, and others arrive late: only final ones are returned.
"""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from selectron import SelectronError

from .joining import CELL, Joiner, Raw, layer_of, moment, raw
from .naming import Titles
from .server import Absent
from .windows import Event

ANYWHERE = ("", "unknown", "!local")  # the host of watchers that do not know it
LAG = 15.0  # seconds after which an event has grown past a moment: watchers commit every 10
QUIET = 240.0  # the same for the watcher of presence, which waits for 3 minutes
BACK = 600.0  # seconds by which requests overlap. They begin at multiples of it: servers cut events
# at the beginning of a request, and a cut at another time would look like another event
STRETCH = 86_400.0  # seconds of events in one request


def read(
    path: str | Path,
    titles: Titles,
    host: str | None = None,
    report: Callable[[str], object] = lambda text: None,
) -> list[Event]:
    """Return the events of an exported file, in order, without overlaps.

    `host` selects one of several computers; by default the one with the most windows, which
    `report` is called with. Raises SelectronError if the file is not an export, or has no windows.
    """
    found = buckets(path)
    known = computers(found, lambda bucket: len(_events(bucket)))
    chosen = host_of(known, host, path)
    if host is None and len(known) > 1:
        report(f"{path} has windows of {', '.join(known)}: using {chosen}; --host selects another.")
    raws = [
        one
        for name, layer in layers_of(found, chosen)
        for event in _events(found[name])
        if (one := raw(layer, event, titles))
    ]
    if not raws:
        raise SelectronError(f"{path} has no valid event of a window.")
    joiner = Joiner(min(one.start for one in raws))
    joiner.feed(raws)
    return joiner.take(max(one.end for one in raws) + CELL)


def buckets(path: str | Path) -> dict[str, dict[str, Any]]:
    """Return the buckets of an exported file by id; raises SelectronError if it is none."""
    try:
        whole = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise SelectronError(f"{path} is not JSON: {error}.") from None
    if isinstance(whole, dict) and isinstance(whole.get("events"), list):
        whole = {"buckets": {str(whole.get("id", "bucket")): whole}}
    found = whole.get("buckets") if isinstance(whole, dict) else None
    if isinstance(found, list):
        found = {str(one.get("id")): one for one in found if isinstance(one, dict)}
    if not isinstance(found, dict):
        raise SelectronError(f"{path} is not an export of ActivityWatch: it has no buckets.")
    return {name: bucket for name, bucket in found.items() if isinstance(bucket, dict)}


def computers(
    found: dict[str, dict[str, Any]], size: Callable[[dict[str, Any]], float]
) -> dict[str, float]:
    """Return the computers that have windows, with the largest size of their buckets."""
    sizes: dict[str, float] = {}
    for bucket in found.values():
        if bucket.get("type") == "currentwindow":
            host = str(bucket.get("hostname", ""))
            sizes[host] = max(size(bucket), sizes.get(host, 0.0))
    return sizes


def host_of(known: dict[str, float], host: str | None, where: Any) -> str:
    """Return the computer whose windows are read: `host`, or the one with the largest size.

    Raises SelectronError if it has no windows.
    """
    if not known:
        raise SelectronError(f"{where} has no bucket of windows (type currentwindow).")
    if host is not None and host not in known:
        raise SelectronError(f"{where} has no windows of {host!r}, but of {', '.join(known)}.")
    return host if host is not None else max(known, key=lambda one: (known[one], one))


def layers_of(found: dict[str, dict[str, Any]], host: str) -> Iterator[tuple[str, str]]:
    """Yield the id of every bucket of a computer that is read, and its layer."""
    for name, bucket in found.items():
        layer = layer_of(name, str(bucket.get("type", "")))
        if layer and str(bucket.get("hostname", "")) in (host, *ANYWHERE):
            yield name, layer


def _events(bucket: dict[str, Any]) -> list[Any]:
    events = bucket.get("events")
    return events if isinstance(events, list) else []


class Feed:
    """The events of a server from a time on, as they become final.

    `host` selects a computer: by default this one, or the one whose windows came last.
    """

    def __init__(self, server: Any, titles: Titles, since: float, host: str | None = None):
        self.server, self.titles, self.host = server, titles, host
        self.joiner = Joiner(since)

    @property
    def until(self) -> float:
        """The time up to which events were returned, in seconds since 1970."""
        return self.joiner.until

    def set_back(self, now: float) -> None:
        """Continue from an earlier time, because the clock was wrong."""
        self.joiner = Joiner(now)

    def poll(self, now: float) -> tuple[list[Event], float]:
        """Return the events that have become final, and the time up to which they are complete.

        These are at most a day's: after a pause, poll again while `until` increases. Raises Absent
        if the server is not there; nothing is lost then.
        """
        found = self.server.buckets()
        layers = list(layers_of(found, self._host(found, now)))
        end = min(now, self.until + STRETCH)
        raws = [one for name, layer in layers for one in self._raws(name, layer, end)]
        self.joiner.feed(raws)
        final = min(end, now - LAG)
        if any(layer == "afk" for _, layer in layers):
            known = max((one.end for one in raws if one.layer == "afk"), default=0.0)
            final = min(final, max(known, now - QUIET))  # the watcher may have stopped
        return self.joiner.take(final), self.until

    def _host(self, found: dict[str, dict[str, Any]], now: float) -> str:
        latest = computers(found, lambda bucket: min(now, _updated(bucket)))
        here = socket.gethostname()
        wanted = self.host or (here if here in latest else None)
        try:
            return host_of(latest, wanted, self.server.address)
        except SelectronError as error:
            raise Absent(str(error)) from None  # a watcher may begin later

    def _raws(self, bucket: str, layer: str, end: float) -> Iterator[Raw]:
        start = max(0.0, (self.until // BACK - 1) * BACK)
        for event in self.server.events(bucket, start, end) if start < end else ():
            one = raw(layer, event, self.titles)
            if one is not None and one.start < end:  # a watcher's clock may be years ahead
                yield one


def _updated(bucket: dict[str, Any]) -> float:
    """Return the time of a bucket's last event, or of its creation; 0 if neither is known."""
    metadata = bucket.get("metadata")
    ends = [bucket.get("last_updated"), metadata.get("end") if isinstance(metadata, dict) else None]
    for value in (*ends, bucket.get("created")):
        try:
            return moment(value)
        except ValueError:
            continue
    return 0.0
