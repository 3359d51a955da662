"""What is on the screen: the windows that a spell of work goes through, as trackers see them."""

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple
from urllib.parse import urlsplit

from selectron_desktop.windows import Event

from .days import Work
from .projects import NOUNS, Project

NEWS = "weather sports politics election match stars music cinema recipe travel"
TALK = "lunch thanks question meeting tomorrow call ok sure holiday coffee"
APPS = {"odt": "LibreOffice Writer", "ods": "LibreOffice Calc", "pdf": "Okular", "py": "vim"}
MEAN = 40.0  # seconds before another window comes to the front


class Look(NamedTuple):
    """A window in front, from `start` to `end`; `url` or `file` are "" where there is none."""

    start: float
    end: float
    app: str
    title: str
    url: str = ""
    file: str = ""
    project: str = ""  # of the editor

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
            make = random.choices(list(MAKERS), list(MAKERS.values()))[0]
            yield make(now, stop, lately if slow else work.project, work.day, random)
            now = stop


def document(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """A file: the project moves on from the first ones to the last ones as it goes."""
    age = (day - project.first) / max(1, project.last - project.first)
    ahead = max(0, min(len(project.files) - 4, int(age * (len(project.files) - 3))))
    path = random.choice(project.files[ahead : ahead + 4])
    name = path.rpartition("/")[2]
    app = APPS[name.rpartition(".")[2]]
    editor = path.split("/")[4] if app == "vim" else ""
    return Look(start, end, app, f"{name} - {app}", file=path, project=editor)


def site(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """A page of one of the project's sites."""
    host = random.choice(project.sites)
    return page(start, end, host, f"{about(project, random)} - {host.partition('.')[0]}")


def shared(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """A page at a site that all projects use: only the title identifies the project."""
    host, name = random.choice((("docs", "Documents"), ("code", "Code"), ("wiki", "Wiki")))
    return page(start, end, f"{host}.example.com", f"{about(project, random)} - {name}")


def search(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """A search, mostly for the project's words."""
    what = about(project, random) if random.random() < 0.7 else random.choice(NEWS.split())
    return page(start, end, "search.example.com", f"{what} - Search")


def mail(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """Mail: the title sometimes names the subject."""
    subject = f"Re: {about(project, random)}" if random.random() < 0.5 else "Inbox"
    return Look(start, end, "Thunderbird", f"{subject} ({random.randint(1, 40)}) - Thunderbird")


def chat(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """A chat, with little information."""
    talk = random.choice(project.words) if random.random() < 0.25 else random.choice(TALK.split())
    return Look(start, end, "Element", f"{talk} - Element")


def terminal(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """A terminal, with little information."""
    return Look(start, end, "Terminal", f"user@host: ~/{random.choice(project.words)}")


def distraction(start: float, end: float, project: Project, day: int, random: Random) -> Look:
    """A page that has nothing to do with work."""
    return page(
        start, end, "news.example.net", f"{' '.join(random.sample(NEWS.split(), 3))} - News"
    )


def page(start: float, end: float, host: str, title: str) -> Look:
    """Return a page in the browser."""
    path = "-".join(title.lower().split()[:3])
    return Look(start, end, "firefox", f"{title} - Mozilla Firefox", url=f"https://{host}/{path}")


def about(project: Project, random: Random) -> str:
    """Return the words of a project in a title."""
    noun = random.choice(NOUNS.split())
    return " ".join([*random.sample(project.words, random.randint(1, 2)), noun])


MAKERS = {
    document: 0.38,
    site: 0.12,
    shared: 0.13,
    mail: 0.11,
    search: 0.09,
    chat: 0.07,
    terminal: 0.06,
    distraction: 0.04,
}
