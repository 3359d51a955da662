"""Generated logs of desktops, with the truth, to evaluate the predictor.

A person has projects that begin and end, with files, sites and words, some of which several share;
works on them in spells, of which they forget to declare some; has breaks, holidays and a computer
that sleeps, and looks at mail, chats and news in between. Clocks go back in October.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from selectron_desktop.windows import Event

from .days import Block, Spell, blocks, spells, works
from .looks import Look, looks
from .projects import MONTH, Size, projects

KINDS = {
    "aw-watcher-window": "currentwindow",
    "aw-watcher-afk": "afkstatus",
    "aw-watcher-web-firefox": "web.tab.current",
    "aw-watcher-vim": "app.editor.activity",
}


class Desk(NamedTuple):
    """A log and its truth."""

    looks: list[Look]
    present: list[Block]
    truth: list[Spell]

    @property
    def events(self) -> list[Event]:
        """The log as the predictor sees it."""
        return [look.event() for look in self.looks]


def generate(size: Size = MONTH, seed: int = 0) -> Desk:
    """Return a log of this size, always the same one for a seed.

    >>> desk = generate(Size(activities=5, days=3, minutes=600, switches=30), seed=0)
    >>> len(desk.looks), len(desk.truth)
    (914, 39)
    """
    random = Random(seed)
    all_of = projects(size, random)
    there = blocks(size, random)
    done = works(size, there, all_of, random)
    truth = spells(done, random)
    return Desk(list(looks(done, random)), [one for day in there for one in day], truth)


def export(desk: Desk, path: str | os.PathLike, host: str = "desk") -> None:
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


def _afk(desk: Desk) -> list[dict[str, Any]]:
    """Return when somebody was there, and when not; a computer that sleeps records nothing."""
    events = []
    for block, after in zip(desk.present, [*desk.present[1:], None], strict=True):
        events.append(_event(block, status="not-afk"))
        if after and not block.asleep:
            events.append(_event(block._replace(start=block.end, end=after.start), status="afk"))
    return events
