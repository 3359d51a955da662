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
    looks = desk.looks
    tabs = [
        _event(o, url=o.url, title=o.title.removesuffix(" - Mozilla Firefox"), audible=False,
               incognito=False, tabCount=7)
        for o in looks if o.url
    ]  # fmt: skip
    files = [
        _event(o, file=o.file, project=o.project, language="python") for o in looks if o.project
    ]
    windows = [_event(o, app=o.app, title=o.title) for o in looks]
    buckets = {}
    for name, client, kind, events in (
        (f"aw-watcher-window_{host}", "aw-watcher-window", "currentwindow", windows),
        (f"aw-watcher-afk_{host}", "aw-watcher-afk", "afkstatus", _afk(desk)),
        ("aw-watcher-web-firefox", "aw-watcher-web-firefox", "web.tab.current", tabs),
        (f"aw-watcher-vim_{host}", "aw-watcher-vim", "app.editor.activity", files),
    ):
        buckets[name] = {
            "id": name, "type": kind, "client": client, "hostname": host,
            "created": _stamp(looks[0].start if looks else 0.0),
            "events": events[::-1],  # the newest first, as the server has them
        }  # fmt: skip
    Path(path).write_text(json.dumps({"buckets": buckets}), encoding="utf-8")


def _event(span: Any, **data: Any) -> dict[str, Any]:
    return {"timestamp": _stamp(span.start), "duration": span.end - span.start, "data": data}


def _stamp(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")


def _afk(desk: Desk) -> list[dict[str, Any]]:
    """Return when somebody was there, and when not; a computer that sleeps records nothing."""
    events = []
    for block, after in zip(desk.present, [*desk.present[1:], None], strict=True):
        events.append(_event(block, status="not-afk"))
        if after and not block.asleep:
            events.append(_event(block._replace(start=block.end, end=after.start), status="afk"))
    return events
