"""Files that ActivityWatch exports: of a whole server or one bucket, in either dialect."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...errors import SelectronError
from ..event import Event
from .joining import Joiner
from .raw import Raw, layer_of, raw
from .titles import Titles

ANYWHERE = ("", "unknown", "!local")  # what watchers that do not know their host call it


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
    sizes: dict[str, float],
    found: dict[str, dict[str, Any]],
    host: str | None,
    where: Any,
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
