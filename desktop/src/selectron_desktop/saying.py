"""The activities that there are, and what a person declares and answers, by the journal.

Any process may write to it, at any time; what is written has been checked.
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
JOINERS = re.compile("[\u200c\u200d]")  # of emoji, and of letters in Persian and Hindi
SHORT = 1.0  # seconds before an alarm, at which what it asks about was worked on
FRESH = 12 * 3600.0  # seconds for which a question may be answered as one that is open
AHEAD = 60.0  # seconds that clocks may differ


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


class Saying:
    """The journal for whoever says something; every call is durable once it returns.

    What names an activity that cannot be, or an alarm that is not there, raises SelectronError and
    changes nothing. `at` is the time at which it is said, in seconds since 1970.
    """

    def __init__(self, journal: Journal):
        self.journal = journal

    def declare(self, activity: str, time: float, at: float) -> Entry:
        """Say that from a time on somebody works on an activity; a new one is created."""
        if not 0 <= time <= at + AHEAD:
            raise SelectronError("A declaration must not be of the future.")
        with self.journal.writing():
            return self.journal.append("declare", time, at, {"activity": sound(activity)})

    def fresh(self, said: list[tuple[float, str]], at: float) -> list[tuple[float, str]]:
        """Return those declarations, as times and activities, that have not been made yet.

        Raises SelectronError if one is of the future.
        """
        if any(not 0 <= time <= at + AHEAD for time, _ in said):
            raise SelectronError("A declaration must not be of the future.")
        known = {(entry.time, entry.body["activity"]) for entry in self.journal.of("declare")}
        return [one for one in dict.fromkeys(said) if one not in known]

    def answer(self, alarm: int, activity: str, at: float, time: float | None = None) -> Entry:
        """Say which activity it was when an alarm was raised, and since when, if that is known.

        An activity that has another name by now may be called what it was when the alarm was
        raised, for a question may stand longer than a name. The same answer again changes nothing;
        another one corrects it.
        """
        with self.journal.writing():
            asked = self.journal.last("alarm", "id", alarm)
            if asked is None:
                raise SelectronError(f"There is no alarm {alarm}.")
            if time is not None and not 0 <= time <= asked.time:
                raise SelectronError("The time of the switch must not be after the alarm.")
            name = self.names().meant(sound(activity), asked.seq)
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
        """Give an activity another name."""
        with self._checked() as names:
            body = {"old": names.known(old), "new": names.fresh(new)}
            return self.journal.append("rename", at, at, body)

    def merge(self, old: str, into: str, at: float) -> Entry:
        """Make an activity part of another one."""
        with self._checked() as names:
            if names.known(old) == names.known(into):
                raise SelectronError(f"{old!r} cannot be merged with itself.")
            return self.journal.append("merge", at, at, {"old": old, "new": into})

    def close(self, activity: str, at: float) -> Entry:
        """Close an activity: it is not predicted any more, until it is declared again."""
        with self._checked() as names:
            return self.journal.append("close", at, at, {"activity": names.known(activity)})

    def associate(self, resource: str, activity: str | None, at: float) -> Entry:
        """Say that a resource belongs to an activity, or with None that it does to none."""
        with self._checked() as names:
            name = None if activity is None else names.known(activity)
            body = {"resource": resource, "activity": name}
            return self.journal.append("associate", at, at, body)

    @contextmanager
    def _checked(self) -> Iterator[Names]:
        """Write, with the activities that there are: nobody else changes them meanwhile."""
        with self.journal.writing():
            yield self.names()

    def set_back(self, time: float) -> Entry:
        """Say that it is an earlier time than the predictor has gone to: the clock was wrong."""
        with self.journal.writing():
            return self.journal.append("clock", time, time, {})

    def names(self) -> Names:
        """Return the activities as they are now."""
        return Names(self.journal.of(*KINDS))

    def unanswered(self) -> list[dict[str, Any]]:
        """Return all alarms that nobody has answered, however old, the latest first."""
        answered = {entry.body["alarm"] for entry in self.journal.of("answer")}
        return self._asked(
            one for one in self.journal.of("alarm") if one.body["id"] not in answered
        )

    def questions(self, now: float) -> list[dict[str, Any]]:
        """Return the alarms that wait for an answer, the latest first.

        One that is old, or was followed by a declaration, waits no longer.
        """
        entries: list[Entry] = []
        for entry in self.journal.of("alarm", "answer", "declare", "clock"):
            entries = [] if entry.kind == "clock" else [*entries, entry]
        answered = {entry.body["alarm"] for entry in entries if entry.kind == "answer"}
        declared = [entry for entry in entries if entry.kind == "declare"]
        since = max((entry.time for entry in declared), default=0.0)
        last = declared[-1].seq if declared else 0
        return self._asked(
            one
            for one in entries
            if one.kind == "alarm" and one.seq > last and one.time > max(since, now - FRESH)
            and one.body["id"] not in answered
        )  # fmt: skip

    def _asked(self, alarms: Iterable[Entry]) -> list[dict[str, Any]]:
        """Return alarms with the names that activities have now, the latest first."""
        names, found = self.names(), []
        for one in reversed(list(alarms)):
            now = {key: names.now(one.body[key], one.seq) for key in ("activity", "declared")}
            found.append({**one.body, **now})
        return found
