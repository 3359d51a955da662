"""The activities, and what the user declares and answers, in the journal.

Any process may write to it at any time; input is checked before it is written.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from selectron import SelectronError

from .journal import Entry, Journal
from .timeline import Statement, Timeline

KINDS = ("declare", "switch", "alarm", "answer", "create", "rename", "merge", "close", "clock")
LONGEST = 100  # characters of a name
NOBODY = "not declared"  # the report's name for time without an activity
JOINERS = re.compile("[\u200c\u200d]")  # of emoji, and of letters in Persian and Hindi
SHORT = 1.0  # seconds before an alarm: the moment that its question is about
FRESH = 12 * 3600.0  # seconds for which a question is open
AHEAD = 60.0  # seconds that clocks may differ


class Names:
    """Activities by name, open or closed, and what was declared."""

    def __init__(self, entries: Iterable[Entry] = ()):
        self.open: dict[str, bool] = {}
        self.waiting: dict[int, tuple[float, str]] = {}  # declarations without effect yet, by entry
        self.said = Timeline()  # declarations and answers; None from the time of a closing on
        self.since: dict[int, float] = {}  # estimated time of the switch, by alarm
        self.changes: list[tuple[int, str, str]] = []  # entry, old name, new one
        for entry in entries:
            self.take(entry)

    @property
    def declared(self) -> tuple[float, str] | None:
        """The time and the activity of the latest declaration or answer, None if there is none."""
        last = self.said.last
        return (last.time, last.activity) if last.activity else None

    def take(self, entry: Entry) -> None:
        """Apply an entry."""
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
            asked, time = entry.time, body["time"]
            since = self.since.get(body["alarm"], asked) if time is None else time
            self.said.answer(body["alarm"], body["activity"], since, max(since, asked - SHORT))
        elif kind == "close":
            self._close(entry.time, body["activity"])
        elif kind == "clock":
            self.said.set_back(entry.time)
            late = self.waiting.items()
            self.waiting = {key: (min(time, entry.time), name) for key, (time, name) in late}
        elif kind in ("rename", "merge"):
            self._rename(entry.seq, body["old"], body["new"])

    def _close(self, time: float, name: str) -> None:
        self.waiting = {key: one for key, one in self.waiting.items() if one[1] != name}
        if self.said.last.activity == name:
            self.said.add(Statement(max(time, self.said.last.time), None, None))

    def _rename(self, seq: int, old: str, new: str) -> None:
        self.open.setdefault(new, self.open.pop(old, True))
        self.changes.append((seq, old, new))
        self.said.merge(old, new)
        for key, (time, name) in self.waiting.items():
            self.waiting[key] = time, new if name == old else name

    def now(self, name: str | None, seq: int) -> str | None:
        """Return the current name of an activity that had this name at an entry."""
        for changed, old, new in self.changes:
            if changed > seq and name == old:
                name = new
        return name

    def known(self, name: str) -> str:
        """Return a name; raises SelectronError if there is no such activity."""
        if name not in self.open:
            among = ", ".join(sorted(self.open)) or "none yet"
            raise SelectronError(f"There is no activity {name!r}; there are: {among:.200}.")
        return name

    def fresh(self, name: str) -> str:
        """Return a name for a new activity; raises SelectronError if it is invalid or in use."""
        if (name := sound(name)) in self.open:
            raise SelectronError(f"There is an activity {name!r} already: merge joins two.")
        return name


def sound(name: str) -> str:
    """Return a name as it is stored; raises SelectronError if it is invalid.

    >>> sound("  Write   the thesis ")
    'Write the thesis'
    """
    found = unicodedata.normalize("NFC", " ".join(name.split()))
    letters = JOINERS.sub("", found)
    if not letters or len(found) > LONGEST or not letters.isprintable() or found == NOBODY:
        raise SelectronError(
            f"{name!r:.120} cannot be an activity's name: 1 to {LONGEST} printable characters can, "
            f"but not {NOBODY!r}."
        )
    return found


def _check_time(time: float, at: float) -> None:
    if not 0 <= time <= at + AHEAD:
        raise SelectronError("The time of a declaration must not be in the future.")


class Saying:
    """What the user declares, answers and changes; every call is durable when it returns.

    Invalid names and unknown alarms raise SelectronError, and change nothing. `at` is the current
    time, in seconds since 1970.
    """

    def __init__(self, journal: Journal):
        self.journal = journal

    def declare(self, activity: str, time: float, at: float) -> Entry:
        """Declare an activity from a time on; a new one is created."""
        _check_time(time, at)
        with self.journal.writing():
            return self.journal.append("declare", time, at, {"activity": sound(activity)})

    def fresh(self, said: list[tuple[float, str]], at: float) -> list[tuple[float, str]]:
        """Return the declarations, as times and activities, that are not in the journal yet.

        Raises SelectronError if one is in the future.
        """
        for time, _ in said:
            _check_time(time, at)
        known = {(entry.time, entry.body["activity"]) for entry in self.journal.of("declare")}
        return [one for one in dict.fromkeys(said) if one not in known]

    def answer(self, alarm: int, activity: str, at: float, time: float | None = None) -> Entry:
        """Answer which activity it was when an alarm was raised, and, if known, since when.

        An activity that was renamed since the alarm may have its name of that time, because a
        notification still shows it. A repeated answer changes nothing; another one replaces it.
        """
        with self.journal.writing():
            asked = self.journal.last("alarm", "id", alarm) if abs(alarm) < 2**63 else None
            if asked is None:
                raise SelectronError(f"There is no alarm {alarm}.")
            if time is not None and not 0 <= time <= asked.time:
                raise SelectronError("The time of the switch must not be after the alarm.")
            name, names = sound(activity), self.names()
            name = name if name in names.open else names.now(name, asked.seq) or name
            body = {"alarm": alarm, "activity": name, "time": time}
            last = self.journal.last("answer", "alarm", alarm)
            if last is not None and last.body == body:
                return last
            return self.journal.append("answer", asked.time, at, body)

    def create(self, activity: str, at: float) -> Entry:
        """Create an activity."""
        with self._checked() as names:
            return self.journal.append("create", at, at, {"activity": names.fresh(activity)})

    def rename(self, old: str, new: str, at: float) -> Entry:
        """Rename an activity."""
        with self._checked() as names:
            body = {"old": names.known(old), "new": names.fresh(new)}
            return self.journal.append("rename", at, at, body)

    def merge(self, old: str, into: str, at: float) -> Entry:
        """Merge an activity into another one."""
        with self._checked() as names:
            if names.known(old) == names.known(into):
                raise SelectronError(f"{old!r} cannot be merged with itself.")
            return self.journal.append("merge", at, at, {"old": old, "new": into})

    def close(self, activity: str, at: float) -> Entry:
        """Close an activity: it is not predicted any more, until it is declared again."""
        with self._checked() as names:
            return self.journal.append("close", at, at, {"activity": names.known(activity)})

    def associate(self, resource: str, activity: str | None, at: float) -> Entry:
        """Associate a resource with an activity; None removes the association."""
        with self._checked() as names:
            name = None if activity is None else names.known(activity)
            body = {"resource": resource, "activity": name}
            return self.journal.append("associate", at, at, body)

    @contextmanager
    def _checked(self) -> Iterator[Names]:
        """Write, with the current activities, which no other process can change meanwhile."""
        with self.journal.writing():
            yield self.names()

    def set_back(self, time: float) -> Entry:
        """Continue from a time before the predictor's, because the clock was wrong."""
        with self.journal.writing():
            return self.journal.append("clock", time, time, {})

    def names(self) -> Names:
        """Return the current activities."""
        return Names(self.journal.of(*KINDS))

    def unanswered(self) -> list[dict[str, Any]]:
        """Return all alarms without an answer, the latest first."""
        return self._questions(list(self.journal.of("alarm", "answer")), 0.0)

    def questions(self, now: float) -> list[dict[str, Any]]:
        """Return the alarms that wait for an answer, the latest first.

        An alarm that is old, or was followed by a declaration, does not wait.
        """
        entries: list[Entry] = []
        for entry in self.journal.of("alarm", "answer", "declare", "clock"):
            entries = [] if entry.kind == "clock" else [*entries, entry]
        declared = [entry for entry in entries if entry.kind == "declare"]
        since = max((entry.time for entry in declared), default=0.0)
        last = declared[-1].seq if declared else 0
        recent = [one for one in entries if one.kind == "answer" or one.seq > last]
        return self._questions(recent, max(since, now - FRESH))

    def _questions(self, entries: list[Entry], since: float) -> list[dict[str, Any]]:
        """Return the unanswered alarms after a time, with current names, the latest first."""
        names = self.names()
        answered = {entry.body["alarm"] for entry in entries if entry.kind == "answer"}
        return [
            one.body | {key: names.now(one.body[key], one.seq) for key in ("activity", "declared")}
            for one in reversed(entries)
            if one.kind == "alarm" and one.time > since and one.body["id"] not in answered
        ]
