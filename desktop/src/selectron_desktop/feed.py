"""Events of ActivityWatch: of a file that it exported, in either dialect, or live from a server.

A server's newest events grow and come late, and servers come and go: only what is final is given.
"""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from selectron import SelectronError

from .joining import Joiner, Raw, layer_of, moment, raw
from .naming import Titles
from .server import Absent
from .windows import Event

ANYWHERE = ("", "unknown", "!local")  # what watchers that do not know their host call it
LAG = 15.0  # seconds after which an event has grown past a moment: watchers commit every 10
QUIET = 240.0  # and for the one that tells whether anybody is there, which waits for 3 minutes
BACK = 600.0  # seconds before what has been given from which events are asked for again, in whole
# steps of as many: servers cut events where the question begins, and a cut that moved would look
# like another event each time
STRETCH = 86_400.0  # seconds that are asked for at once


def read(
    path: str | Path,
    titles: Titles,
    host: str | None = None,
    note: Callable[[str], object] = lambda text: None,
) -> list[Event]:
    """Return the events of an exported file, in order, without overlaps.

    `host` chooses among several computers; by default that with most windows, of which `note` gets
    a sentence. Raises SelectronError for what is no export, or holds no windows.
    """
    found = buckets(path)
    chosen = host_of({name: _size(bucket) for name, bucket in found.items()}, found, host, path)
    known = computers(found)
    if host is None and len(known) > 1:
        note(f"{path} has windows of {', '.join(known)}: taking {chosen}; --host takes another.")
    joiner = Joiner()
    raws = list(_raws(found, chosen, titles))
    if not raws:
        raise SelectronError(f"{path} holds no event of a window that can be read.")
    joiner.until = min(start for start, *_ in raws) // joiner.cell * joiner.cell
    joiner.feed(raws)
    return joiner.take(max(end for _, end, *_ in raws) + joiner.cell)


def buckets(path: str | Path) -> dict[str, dict[str, Any]]:
    """Return the buckets of an exported file by their ids.

    Raises SelectronError if it is no export.
    """
    try:
        whole = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise SelectronError(f"{path} is no JSON: {error}.") from None
    if isinstance(whole, dict) and isinstance(whole.get("events"), list):
        whole = {"buckets": {str(whole.get("id", "bucket")): whole}}
    found = whole.get("buckets") if isinstance(whole, dict) else None
    if isinstance(found, list):
        found = {str(one.get("id")): one for one in found if isinstance(one, dict)}
    if not isinstance(found, dict):
        raise SelectronError(f"{path} is no export of ActivityWatch: it has no buckets.")
    return {name: bucket for name, bucket in found.items() if isinstance(bucket, dict)}


def host_of(
    sizes: dict[str, float], found: dict[str, dict[str, Any]], host: str | None, where: Any
) -> str:
    """Return the computer whose windows are read: the one that is asked for, or the largest.

    Raises SelectronError if there is none.
    """
    totals = {one: max(sizes[name] for name in names) for one, names in computers(found).items()}
    if not totals:
        raise SelectronError(f"{where} has no bucket of windows (type currentwindow).")
    if host is not None and host not in totals:
        raise SelectronError(f"{where} has no windows of {host!r}, but of {', '.join(totals)}.")
    return host if host is not None else max(totals, key=lambda one: (totals[one], one))


def computers(found: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """Return the computers that have windows, and their buckets of windows."""
    names: dict[str, list[str]] = {}
    for name, bucket in found.items():
        if bucket.get("type") == "currentwindow":
            names.setdefault(str(bucket.get("hostname", "")), []).append(name)
    return names


def layers_of(found: dict[str, dict[str, Any]], host: str) -> Iterator[tuple[str, str]]:
    """Yield the id of every bucket that tells of a computer, and its layer."""
    for name, bucket in found.items():
        layer = layer_of(name, str(bucket.get("type", "")))
        if layer and str(bucket.get("hostname", "")) in (host, *ANYWHERE):
            yield name, layer


def _size(bucket: dict[str, Any]) -> int:
    events = bucket.get("events")
    return len(events) if isinstance(events, list) else 0


def _raws(found: dict[str, dict[str, Any]], host: str, titles: Titles) -> Iterator[Raw]:
    for name, layer in layers_of(found, host):
        events = found[name].get("events")
        for event in events if isinstance(events, list) else ():
            one = raw(layer, event, titles)
            if one is not None:
                yield one


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
