"""Generated logs of desktops, with the truth, to evaluate the predictor.

A person works on projects, and looks at mail, chats and news in between.
"""

import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from selectron_desktop.windows import Event

from .work import MONTH, NOUNS, Block, Project, Size, Spell, Work, blocks, projects, spells, works

NEWS = "weather sports politics election match stars music cinema recipe travel"
TALK = "lunch thanks question meeting tomorrow call ok sure holiday coffee"
APPS = {"odt": "LibreOffice Writer", "ods": "LibreOffice Calc", "pdf": "Okular", "py": "vim"}
SITES = ("docs", "Documents"), ("code", "Code"), ("wiki", "Wiki")  # of all projects
SHARES = {  # of what is in front
    "file": 0.38, "site": 0.12, "shared": 0.13, "mail": 0.11, "search": 0.09, "chat": 0.07,
    "terminal": 0.06, "distraction": 0.04,
}  # fmt: skip
MEAN = 40.0  # seconds before another window comes to the front


class Look(NamedTuple):
    """A window in front, from `start` to `end`; `url` or `file` are "" where there is none."""

    app: str
    title: str
    url: str = ""
    file: str = ""
    project: str = ""  # of the editor
    start: float = 0.0
    end: float = 0.0

    def event(self) -> Event:
        """Return the look as an event for the predictor."""
        words = tuple(re.findall(r"[^\W\d_]+", self.title.lower()))
        return Event(self.start, self.end, self.resource, words)

    @property
    def resource(self) -> str:
        """What is in front: a file, a site, or else an application."""
        if self.file:
            return f"document:{self.file}"
        return f"site:{urlsplit(self.url).hostname}" if self.url else f"application:{self.app}"


def looks(works: list[Work], random: Random) -> Iterator[Look]:
    """Yield the windows of all work, in order."""
    for before, work in zip([None, *works[:-1]], works, strict=True):
        lately = before.project if before else work.project
        now = work.start
        while now < work.end:
            stop = min(work.end, now + max(1.0, random.lognormvariate(-0.5, 1.0) * MEAN))
            slow = now - work.start < 60 and random.random() < 0.25  # the last one still lingers
            window = look(lately if slow else work.project, work.day, random)
            yield window._replace(start=now, end=stop)
            now = stop


def look(project: Project, day: int, random: Random) -> Look:
    """Return what is in front while a person works on a project."""
    match random.choices(list(SHARES), list(SHARES.values()))[0]:
        case "file":
            return document(project, day, random)
        case "site":  # one of the project's own
            host = random.choice(project.sites)
            return page(host, f"{about(project, random)} - {host.partition('.')[0]}")
        case "shared":  # a site of all projects: only the title identifies this one
            host, name = random.choice(SITES)
            return page(f"{host}.example.com", f"{about(project, random)} - {name}")
        case "mail":  # the title sometimes names the subject
            subject = f"Re: {about(project, random)}" if random.random() < 0.5 else "Inbox"
            return Look("Thunderbird", f"{subject} ({random.randint(1, 40)}) - Thunderbird")
        case "search":  # mostly for the project's words
            what = about(project, random) if random.random() < 0.7 else random.choice(NEWS.split())
            return page("search.example.com", f"{what} - Search")
        case "chat":  # about anything
            talk = project.words if random.random() < 0.25 else TALK.split()
            return Look("Element", f"{random.choice(talk)} - Element")
        case "terminal":
            return Look("Terminal", f"user@host: ~/{random.choice(project.words)}")
        case _:  # what has nothing to do with work
            topics = " ".join(random.sample(NEWS.split(), 3))
            return page("news.example.net", f"{topics} - News")


def document(project: Project, day: int, random: Random) -> Look:
    """Return a file: the project moves on from the first ones to the last ones as it goes."""
    age = (day - project.first) / max(1, project.last - project.first)
    ahead = max(0, min(len(project.files) - 4, int(age * (len(project.files) - 3))))
    path = random.choice(project.files[ahead : ahead + 4])
    name = path.rpartition("/")[2]
    app = APPS[name.rpartition(".")[2]]
    editor = path.split("/")[4] if app == "vim" else ""
    return Look(app, f"{name} - {app}", file=path, project=editor)


def page(host: str, title: str) -> Look:
    """Return a page in the browser."""
    path = "-".join(title.lower().split()[:3])
    return Look("firefox", f"{title} - Mozilla Firefox", url=f"https://{host}/{path}")


def about(project: Project, random: Random) -> str:
    """Return the words of a project in a title."""
    noun = random.choice(NOUNS.split())
    return " ".join([*random.sample(project.words, random.randint(1, 2)), noun])


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
            "created": stamp(looks[0].start if looks else 0.0),
            "events": events[::-1],  # the newest first, as the server has them
        }  # fmt: skip
    Path(path).write_text(json.dumps({"buckets": buckets}), encoding="utf-8")


def _event(span: Any, **data: Any) -> dict[str, Any]:
    return {"timestamp": stamp(span.start), "duration": span.end - span.start, "data": data}


def stamp(time: float) -> str:
    """Return a time as ActivityWatch writes it."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")


def _afk(desk: Desk) -> list[dict[str, Any]]:
    """Return when somebody was there, and when not; a computer that sleeps records nothing."""
    events = []
    for block, after in zip(desk.present, [*desk.present[1:], None], strict=True):
        events.append(_event(block, status="not-afk"))
        if after and not block.asleep:
            events.append(_event(block._replace(start=block.end, end=after.start), status="afk"))
    return events
