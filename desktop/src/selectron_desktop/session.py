"""The predictor, computed from the journal and in step with it, in one process at a time.

Snapshots store the predictor at an entry, so that a start need not replay the whole journal.
"""

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from selectron import SelectronError

from . import points
from .journal import Entry, Journal
from .saying import KINDS, Names, Saying
from .windows import Event

KEPT = 2  # snapshots
CELL = 60.0  # seconds
AT_ONCE = 500  # cells of a transaction
EVERY = 2_000  # entries between two snapshots
MINUTES = 200_000  # that are kept: more than a year, at ten hours of presence a day


class Snapshots:
    """The snapshots of a journal's predictor, in a folder next to it."""

    def __init__(self, journal: Journal):
        self.journal, self.folder = journal, journal.path.parent / "snapshots"
        self.identity = journal.setting("identity")

    def save(self, predictor: Any, seq: int) -> int:
        """Save the predictor at an entry; return the entry of the oldest snapshot that is kept."""
        self.folder.mkdir(exist_ok=True, mode=0o700)
        points.reached("before snapshot")
        predictor.save(self.folder / f"{self.identity}-{seq:012}.model")
        points.reached("after snapshot")
        found = list(self)
        drafts = self.folder.glob(".*.draft.model")  # of processes that were killed
        for path in [*drafts, *(path for _, path in found[KEPT:])]:
            path.unlink(missing_ok=True)
        return found[:KEPT][-1][0]

    def newest(self, load: Callable[[Path], Any], make: Callable[[], Any]) -> tuple[Any, int]:
        """Return the predictor and the entry of the newest valid snapshot, or a new predictor."""
        for seq, path in self:
            if seq <= self.journal.head:
                try:
                    return load(path), seq
                except (SelectronError, OSError):
                    continue  # everything is in the journal
        return make(), 0

    def __iter__(self) -> Iterator[tuple[int, Path]]:
        paths = sorted(self.folder.glob(f"{self.identity}-*.model"), reverse=True)
        return ((int(path.stem.rpartition("-")[2]), path) for path in paths)


class Session:
    """A predictor whose input is in the journal of a folder.

    Everything is written before it has an effect; a start replays the journal. `make` returns a new
    predictor, `load` one from a file. Raises SelectronError if another process runs it, or the
    journal is damaged. Alarms have the journal's numbers: another version may raise other alarms
    when it replays the same events.
    """

    def __init__(
        self,
        home: Path,
        make: Callable[[], Any],
        load: Callable[[Path], Any],
        clock: Callable[[], float] = time.time,
    ):
        self.journal = Journal(home)
        self.make, self.load, self.clock = make, load, clock
        self.thread = threading.RLock()  # a page answers while events come
        try:
            self.journal.check()
            self.held = _locked(home / "lock")
        except SelectronError:
            self.journal.close()
            raise
        self.say, self.snapshots = Saying(self.journal), Snapshots(self.journal)
        self.every, self.minutes = EVERY, MINUTES
        self._derive()

    def _derive(self) -> None:
        """Compute the state from the newest snapshot and the journal."""
        self.predictor, self.seq = self.snapshots.newest(self.load, self.make)
        self.saved = self.seq
        self.names = Names(entry for entry in self.journal.of(*KINDS) if entry.seq <= self.seq)
        self.until = self.journal.until(self.seq)
        alarms = list(self.journal.of("alarm"))
        self.raised = max((entry.body["id"] for entry in alarms), default=0)
        strange = self.journal.setting("strange") or 0  # the last alarm of another version
        mine = [entry.body for entry in alarms if strange < entry.seq <= self.seq]
        self.own = {body["id"]: body["own"] for body in mine}
        self.alarm: Any = None  # the last alarm of the predictor
        self.catch_up()

    def catch_up(self) -> None:
        """Apply new entries of the journal, whichever process wrote them."""
        with self.thread:
            for entry in self.journal.after(self.seq):
                self._apply(entry)

    def advance(self, events: Sequence[Event], until: float) -> list[Any]:
        """Process all events up to a time, in order; return the alarms that are raised."""
        alarms: list[Any] = []
        with self.thread:
            cells = list(self._cells(events, until))
            for start in range(0, len(cells), AT_ONCE):
                try:
                    alarms += self._write(cells[start : start + AT_ONCE])
                except BaseException:
                    self._derive()  # the predictor may be ahead of the journal
                    raise
            if self.seq - self.saved >= self.every:
                self.snapshot()
        return alarms

    def missed(self, events: Sequence[Event]) -> int:
        """Return how many events of work the journal does not have, though it has later ones."""
        past = [event for event in events if not event.away and event.end <= self.until]
        cells = self.journal.between(past[0].start, self.until) if past else ()
        known = {start for cell in cells for start, *_ in cell.body["events"]}
        return sum(event.start not in known for event in past)

    def said(self, what: str, *values: Any) -> Entry:
        """Write what the user says, with a method of `Saying`, and apply it."""
        with self.thread:
            entry = getattr(self.say, what)(*values)
            self.catch_up()
        return entry

    def _cells(self, events: Sequence[Event], until: float) -> Iterator[tuple[float, Any, list]]:
        """Yield stretches: the end, the declaration that ends it or None, the events."""
        self.catch_up()
        left = deque(
            e._replace(start=max(e.start, self.until)) for e in events if e.end > self.until
        )
        declared = sorted((time, seq) for seq, (time, _) in self.names.waiting.items())
        ends = [(max(time, self.until), seq) for time, seq in declared if time <= until]
        ends += [(end, 0) for end in {(e.start // CELL + 1) * CELL for e in left}]
        for end, seq in sorted(ends):
            cell = []
            while left and left[0].start < end:
                event = left.popleft()
                cell.append(event._replace(end=min(event.end, end)))
                if event.end > end:
                    left.appendleft(event._replace(start=end))
            yield end, seq or None, cell

    def _write(self, cells: list[tuple[float, Any, list]]) -> list[Any]:
        """Write and apply stretches in one transaction; return the alarms that are raised."""
        alarms = []
        with self.journal.writing():
            self.catch_up()
            for end, declaration, events in cells:
                if not all(event.away for event in events):
                    alarms += self._write_cell(end, events)
                if declaration in self.names.waiting:
                    since, activity = self.names.waiting[declaration]
                    body = {"of": declaration, "activity": activity, "since": since}
                    self._apply(self.journal.append("switch", end, self.clock(), body))
        return alarms

    def _write_cell(self, end: float, events: list[Event]) -> list[Any]:
        prediction = self._see(end, events)
        body: dict[str, Any] = {"events": events}
        if prediction is not None:
            body |= {key: getattr(prediction, key) for key in ("activity", "score", "declared")}
        self.seq = self.journal.append("cell", end, self.clock(), body).seq
        points.reached("cell")
        if self.alarm is None:
            return []
        own, self.raised = self.alarm.id, self.raised + 1
        alarm = self.alarm._replace(id=self.raised)
        body = {**alarm._asdict(), "own": own}
        self._apply(self.journal.append("alarm", alarm.time, self.clock(), body))
        points.reached("alarm")
        return [alarm]

    def _see(self, end: float, events: Sequence[Event]) -> Any:
        """Return the prediction for a stretch."""
        for event in events:
            self.predictor.see(event)
        self.until = end
        prediction = self.predictor.tick(end)
        self.alarm = None if prediction is None else prediction.alarm
        return prediction

    def _apply(self, entry: Entry) -> None:
        """Apply an entry; input that the predictor refuses is refused at every start."""
        body = entry.body
        if entry.kind == "cell":
            self._see(entry.time, [Event(s, e, r, tuple(w)) for s, e, r, w in body["events"]])
        elif entry.kind == "alarm":
            self._match(entry)
        else:
            try:
                self._input(entry.kind, entry.time, body)
            except SelectronError:
                points.reached("refused")
        self.names.take(entry)
        self.seq = entry.seq

    def _match(self, entry: Entry) -> None:
        """Record which of the predictor's alarms the journal means, if it has raised it again."""
        number, own = entry.body["id"], entry.body["own"]
        if self.alarm is not None and self.alarm.time == entry.time:
            self.own[number] = self.alarm.id
        if self.own.get(number) != own:
            self.journal.keep("strange", entry.seq)

    def _input(self, kind: str, time: float, body: dict[str, Any]) -> None:
        """Apply the user's input to the predictor."""
        if kind == "switch":
            self.until = max(self.until, time)
            self.predictor.declare(body["activity"], body.get("since", time))
        elif kind == "answer":
            if body["alarm"] not in self.own:
                raise SelectronError("The predictor has not raised this alarm.")
            self.predictor.answer(self.own[body["alarm"]], body["activity"], body["time"])
        elif kind == "clock":
            self.until = time
            self.predictor.set_back(time)
        elif kind in ("rename", "merge"):
            getattr(self.predictor, kind)(body["old"], body["new"])
        elif kind == "associate":
            self.predictor.associate(body["resource"], body["activity"])
        elif kind in ("create", "declare"):  # an activity exists before its declaration has effect
            if body["activity"] not in self.names.open:
                self.predictor.create(body["activity"])
        elif kind == "close":
            self.predictor.close(body["activity"])

    def snapshot(self) -> None:
        """Save the predictor, then delete old minutes, which the snapshots contain."""
        with self.thread:
            oldest = self.snapshots.save(self.predictor, self.seq)
            self.saved = self.seq
            self.journal.prune(self.minutes, oldest)

    def close(self) -> None:
        """Save the predictor and release the folder."""
        with self.thread:
            try:
                if self.seq > self.saved:
                    self.snapshot()
            finally:
                self.journal.close()
                self.held.close()


def _locked(path: Path) -> sqlite3.Connection:
    """Lock a file by SQLite, which does so on every system, until it is closed or killed."""
    held = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        held.close()
        raise SelectronError(f"{path.parent} is in use by another selectron-desktop.") from None
    return held
