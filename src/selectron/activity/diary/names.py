"""The activities that there are, as the entries of the journal tell, one after the other."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from ...errors import SelectronError
from ..timeline import Statement, Timeline
from .journal import Entry

KINDS = ("declare", "switch", "alarm", "answer", "create", "rename", "merge", "close", "clock")
LONGEST = 100  # characters of a name
JOINERS = re.compile("[\u200c\u200d]")  # of emoji, and of letters in Persian and Hindi
SHORT = 1.0  # seconds before an alarm, at which what it asks about was worked on


class Names:
    """Activities by their names, open or closed; and what was declared and waits for its time.

    >>> names = Names([Entry(1, "create", 0, 0, {"activity": "thesis"})])
    >>> names.open
    {'thesis': True}
    """

    def __init__(self, entries: Iterable[Entry] = ()):
        self.open: dict[str, bool] = {}
        self.waiting: dict[int, tuple[float, str]] = {}  # declarations, by their entries
        self.said = Timeline()  # declarations and answers, and None from where one was closed on
        self.since: dict[int, float] = {}  # when the switch seems to have been, by alarm
        self.changes: list[tuple[int, str, str]] = []  # entry, old name, new one
        for entry in entries:
            self.take(entry)

    @property
    def declared(self) -> tuple[float, str] | None:
        """What is declared, or answered, for the latest time, and since when; None for nothing."""
        last = self.said.statements[-1] if self.said.statements else None
        return (last.time, last.activity) if last and last.activity else None

    def take(self, entry: Entry) -> None:
        """Take an entry."""
        kind, body = entry.kind, entry.body
        if kind in ("declare", "answer", "create", "close"):
            self.open[body["activity"]] = kind != "close"
        if kind == "declare":
            self.waiting[entry.seq] = entry.time, body["activity"]
            self.said.add(Statement(entry.time, body["activity"], None))
        elif kind == "switch":
            self.waiting.pop(body["of"], None)
        elif kind == "alarm":
            self.since[body["id"]] = body["since"]
        elif kind == "answer":
            self._answered(entry.time, body)
        elif kind == "close":
            self._closed(entry.time, body["activity"])
        elif kind == "clock":
            self.said.set_back(entry.time)
            late = self.waiting.items()
            self.waiting = {key: (min(time, entry.time), name) for key, (time, name) in late}
        elif kind in ("rename", "merge"):
            self._change(entry, body["old"], body["new"])

    def _answered(self, asked: float, body: dict[str, Any]) -> None:
        alarm, time = body["alarm"], body["time"]
        since = self.since.get(alarm, asked) if time is None else time
        self.said.answer(alarm, body["activity"], since, max(since, asked - SHORT))

    def _closed(self, time: float, name: str) -> None:
        """End what is closed: what waits to be taken for declared is not, any more."""
        self.waiting = {key: one for key, one in self.waiting.items() if one[1] != name}
        if self.said.activity == name:
            self.said.add(Statement(max(time, self.said.statements[-1].time), None, None))

    def _change(self, entry: Entry, old: str, new: str) -> None:
        state = self.open.pop(old, True)
        self.open.setdefault(new, state)
        self.changes.append((entry.seq, old, new))
        self.said.merge(old, new)
        for key, (time, name) in self.waiting.items():
            self.waiting[key] = time, new if name == old else name

    def now(self, name: str | None, seq: int) -> str | None:
        """Return what an activity is called now that was called so at an entry."""
        for changed, old, new in self.changes:
            if changed > seq and name == old:
                name = new
        return name

    def meant(self, name: str, seq: int) -> str:
        """Return the activity that is called so or, if none is, that was called so at an entry."""
        return name if name in self.open else self.now(name, seq) or name

    def known(self, name: str) -> str:
        """Return a name; raises SelectronError if there is no such activity."""
        if name not in self.open:
            among = ", ".join(sorted(self.open)) or "none yet"
            raise SelectronError(f"There is no activity {name!r}; there are: {among:.200}.")
        return name

    def fresh(self, name: str) -> str:
        """Return a name; raises SelectronError if an activity has it already, or it cannot be."""
        if (name := sound(name)) in self.open:
            raise SelectronError(f"There is an activity {name!r} already: merge joins two.")
        return name


def sound(name: str) -> str:
    """Return a name as it is kept; raises SelectronError if an activity cannot be called so.

    >>> sound("  Write   the thesis ")
    'Write the thesis'
    """
    found = unicodedata.normalize("NFC", " ".join(name.split()))
    letters = JOINERS.sub("", found)
    if not letters or len(found) > LONGEST or not letters.isprintable():
        raise SelectronError(
            f"{name!r:.120} cannot be an activity's name: 1 to {LONGEST} printable characters can."
        )
    return found
