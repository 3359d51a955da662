"""What a person says, checked and written to the journal: any process may, at any time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import SelectronError
from .journal import Entry, Journal
from .names import KINDS, Names, sound

FRESH = 12 * 3600.0  # seconds for which a question may be answered as one that is open
AHEAD = 60.0  # seconds that clocks may differ


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
        names = self.names()
        return [
            self._current(names, {**entry.body, "seq": entry.seq})
            for entry in reversed(list(self.journal.of("alarm")))
            if entry.body["id"] not in answered
        ]

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
        waiting = [
            {**entry.body, "seq": entry.seq}
            for entry in reversed(entries)
            if entry.kind == "alarm"
            and (not declared or entry.seq > declared[-1].seq)
            and entry.body["id"] not in answered
            and entry.time > max(since, now - FRESH)
        ]
        names = self.names()
        return [self._current(names, question) for question in waiting]

    def _current(self, names: Names, question: dict[str, Any]) -> dict[str, Any]:
        seq = question.pop("seq")
        return {
            **question,
            "activity": names.now(question["activity"], seq),
            "declared": names.now(question["declared"], seq),
        }
