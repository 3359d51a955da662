"""An event as a watcher sent it, whichever server kept it: read strictly, or passed over."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from . import naming
from .naming import Seen
from .titles import Titles

STREAMS = {
    "currentwindow": "window",
    "afkstatus": "afk",
    "web.tab.current": "web",
    "app.editor.activity": "editor",
}
LONGEST = 60 * 86_400.0  # seconds: what is said to last longer never got an end
LATEST = 32_503_680_000.0  # the year 3000: what is said to be later has no sound clock


class Raw(NamedTuple):
    """A stretch of time in which a watcher saw one thing; seconds since 1970, whole milliseconds.

    `layer` is "window", "afk", "editor", or "web:" and a browser's family.
    """

    start: float
    end: float
    layer: str
    seen: Seen


def raw(layer: str, event: Any, titles: Titles) -> Raw | None:
    """Return an event of a server or an export; None for what says nothing, or is no event.

    Servers send `timestamp` with or without fractions, with Z or an offset, `duration` in seconds.

    >>> event = {"timestamp": "2024-05-01T10:00:00Z", "duration": 1.5, "data": {"status": "afk"}}
    >>> raw("afk", event, Titles("dropped"))[:3]
    (1714557600.0, 1714557601.5, 'afk')
    """
    try:
        start, length, data = moment(event["timestamp"]), event.get("duration", 0), event["data"]
        length = length.total_seconds() if isinstance(length, timedelta) else float(length)
        seen = _seen(layer, data, titles)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None
    end = start + length
    if seen is None or not 0 <= length <= LONGEST or not 0 <= start <= end < LATEST:
        return None
    return Raw(start, round(end, 3), layer, seen)


def moment(value: Any) -> float:
    """Return a time as seconds since 1970, to whole milliseconds; ValueError if it is none.

    >>> moment("2024-05-01T12:00:00.123456789+02:00")
    1714557600.123
    """
    if not isinstance(value, datetime):
        if not isinstance(value, str):
            raise ValueError("no time")
        value = datetime.fromisoformat(value.strip())
    if value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    whole = value.replace(microsecond=value.microsecond // 1000 * 1000)  # as ActivityWatch does
    return round(whole.timestamp(), 3)


def _seen(layer: str, data: dict[str, Any], titles: Titles) -> Seen | None:
    """Return what was seen; a tab that is nobody's business hides what it covers."""
    if layer == "afk":
        return Seen("", (), "away" if data["status"] == "afk" else "here")
    if layer == "window":
        return naming.window({key: _text(data.get(key)) for key in ("app", "title")}, titles)
    if layer == "editor":
        return naming.project({key: _text(data.get(key)) for key in ("project", "file")}, titles)
    if data.get("incognito") in (True, "true"):
        return Seen("", (), naming.HIDDEN)
    return naming.tab({key: _text(data.get(key)) for key in ("url", "title")}, titles)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def layer_of(bucket: str, kind: str) -> str | None:
    """Return the layer that a bucket's events belong to, by its id and type; None for others'.

    >>> layer_of("aw-watcher-web-firefox_desk", "web.tab.current")
    'web:firefox'
    """
    stream = STREAMS.get(kind)
    return f"web:{naming.family(bucket.partition('_')[0])}" if stream == "web" else stream
