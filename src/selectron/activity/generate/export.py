"""A generated log as ActivityWatch exports one."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Desk

KINDS = {
    "aw-watcher-window": "currentwindow",
    "aw-watcher-afk": "afkstatus",
    "aw-watcher-web-firefox": "web.tab.current",
    "aw-watcher-vim": "app.editor.activity",
}


def export(desk: "Desk", path: str | os.PathLike, host: str = "desk") -> None:
    """Write the buckets of all watchers to a file of JSON."""
    found = {
        "aw-watcher-window": [_event(o, app=o.app, title=o.title) for o in desk.looks],
        "aw-watcher-afk": _afk(desk),
        "aw-watcher-web-firefox": [_event(o, **_tab(o)) for o in desk.looks if o.url],
        "aw-watcher-vim": [_event(o, **_file(o)) for o in desk.looks if o.project],
    }
    buckets = {}
    for client, events in found.items():
        name = client if client.endswith("firefox") else f"{client}_{host}"
        buckets[name] = {
            "id": name,
            "type": KINDS[client],
            "client": client,
            "hostname": host,
            "created": _stamp(desk.looks[0].start if desk.looks else 0.0),
            "events": events[::-1],  # the newest first, as the server has them
        }
    Path(path).write_text(json.dumps({"buckets": buckets}), encoding="utf-8")


def _event(span: Any, **data: Any) -> dict[str, Any]:
    return {"timestamp": _stamp(span.start), "duration": span.end - span.start, "data": data}


def _stamp(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")


def _tab(look: Any) -> dict[str, Any]:
    title = look.title.removesuffix(" - Mozilla Firefox")
    return {"url": look.url, "title": title, "audible": False, "incognito": False, "tabCount": 7}


def _file(look: Any) -> dict[str, Any]:
    return {"file": look.file, "project": look.project, "language": "python"}


def _afk(desk: "Desk") -> list[dict[str, Any]]:
    """Return when somebody was there, and when not: nothing is known while the computer sleeps."""
    events = []
    for block, after in zip(desk.present, [*desk.present[1:], None], strict=True):
        events.append(_event(block, status="not-afk"))
        if after and not block.asleep:
            events.append(_event(block._replace(start=block.end, end=after.start), status="afk"))
    return events
