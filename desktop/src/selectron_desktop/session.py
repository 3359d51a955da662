"""The predictor, derived from the journal and in step with it: one process at a time runs it.

Snapshots have the predictor as it was at an entry, so that a start need not play all again.
"""

import fcntl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

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


def save(predictor: Any, journal: Journal, seq: int) -> int:
    """Save the predictor as of an entry; older ones but the last are deleted.

    Returns the entry of the oldest one that is kept.
    """
    folder = _folder(journal)
    folder.mkdir(exist_ok=True, mode=0o700)
    points.reached("before snapshot")
    predictor.save(folder / f"{journal.setting('identity')}-{seq:012}.model")
    points.reached("after snapshot")
    kept = _all(journal)
    for path in kept[KEPT:]:
        path.unlink(missing_ok=True)
    return _entry(kept[:KEPT][-1])


def newest(
    journal: Journal, load: Callable[[Path], Any], make: Callable[[], Any]
) -> tuple[Any, int]:
    """Return the predictor of the newest snapshot that can be read, and its entry, or a new one."""
    for path in _all(journal):
        seq = _entry(path)
        if seq <= journal.head:
            try:
                return load(path), seq
            except (SelectronError, OSError):
                continue  # the journal has it all
    return make(), 0


def _all(journal: Journal) -> list[Path]:
    pattern = f"{journal.setting('identity')}-*.model"
    return sorted(_folder(journal).glob(pattern), reverse=True)


def _entry(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _folder(journal: Journal) -> Path:
    return journal.path.parent / "snapshots"


class Session:
    """A predictor whose inputs are in the journal of a folder, and only there.

    Everything is written before anybody learns of it; a start plays what is written again, and ends
    up with the same predictor. `make` returns a new one, `load` one from a file. Raises
    SelectronError if another process runs it, or the journal is damaged.

    Alarms have numbers of the journal's own: a later Selectron may raise others when it plays the
    same again, and no answer must be taken for one to another alarm.
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
            self.held = self._locked(home)
        except SelectronError:
            self.journal.close()
            raise
        self.say = Saying(self.journal)
        self.every, self.minutes = EVERY, MINUTES
        self._derive()

    def _locked(self, home: Path) -> IO[bytes]:
        file = open(home / "lock", "ab")  # noqa: SIM115 (it is held as long as the session is)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise SelectronError(f"{home} is in use by another selectron-desktop.") from None
        return file

    def _derive(self) -> None:
        self.predictor, self.seq = newest(self.journal, self.load, self.make)
        self.saved = self.seq
        self.names = Names(entry for entry in self.journal.of(*KINDS) if entry.seq <= self.seq)
        self.until = self.journal.until(self.seq)
        self.raised = max((entry.body["id"] for entry in self.journal.of("alarm")), default=0)
        strange = (
            self.journal.setting("strange") or 0
        )  # up to here, alarms are of another Selectron
        self.own = {
            entry.body["id"]: entry.body["own"]
            for entry in self.journal.of("alarm")
            if strange < entry.seq <= self.seq
        }
        self.alarm: Any = None  # what the predictor has raised last
        self.catch_up()

    def catch_up(self) -> None:
        """Apply what has been written to the journal, by whichever process."""
        with self.thread:
            for entry in self.journal.after(self.seq):
                self._apply(entry)

    def advance(self, events: Sequence[Event], until: float) -> list[Any]:
        """Take all events up to a time, in order; return the alarms that this raises."""
        alarms: list[Any] = []
        with self.thread:
            cells = list(self._cells(events, until))
            for start in range(0, len(cells), AT_ONCE):
                try:
                    alarms += self._written(cells[start : start + AT_ONCE])
                except BaseException:
                    self._derive()  # it may have gone further than what is written
                    raise
            if self.seq - self.saved >= self.every:
                self.snapshot()
        return alarms

    def said(self, what: str, *values: Any) -> Entry:
        """Write what a person says, by a method of `Saying`, and have it take effect."""
        with self.thread:
            entry = getattr(self.say, what)(*values)
            self.catch_up()
        return entry

    def _cells(self, events: Sequence[Event], until: float) -> Iterator[tuple[float, Any, list]]:
        """Yield stretches: their end, the declaration that ends them, their events."""
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

    def _written(self, cells: list[tuple[float, Any, list]]) -> list[Any]:
        alarms = []
        with self.journal.writing():
            self.catch_up()
            for end, declaration, events in cells:
                if not all(event.away for event in events):
                    alarms += self._cell(end, events)
                if declaration in self.names.waiting:
                    self._switch(end, declaration)
        return alarms

    def _cell(self, end: float, events: list[Event]) -> list[Any]:
        prediction = self._seen(end, events)
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

    def _seen(self, end: float, events: Sequence[Event]) -> Any:
        """Have the predictor see a stretch; return what it predicts."""
        for event in events:
            self.predictor.see(event)
        self.until = end
        prediction = self.predictor.tick(end)
        self.alarm = None if prediction is None else prediction.alarm
        return prediction

    def _switch(self, time: float, declaration: int) -> None:
        since, activity = self.names.waiting[declaration]
        body = {"of": declaration, "activity": activity, "since": since}
        self._apply(self.journal.append("switch", time, self.clock(), body))

    def _apply(self, entry: Entry) -> None:
        """Have an entry take effect; what the predictor refuses, it refuses at every start."""
        body = entry.body
        if entry.kind == "cell":
            self._seen(entry.time, [Event(s, e, r, tuple(w)) for s, e, r, w in body["events"]])
        elif entry.kind == "alarm":
            self._raised(entry)
        else:
            try:
                self._told(entry.kind, entry.time, body)
            except SelectronError:
                points.reached("refused")
            self.names.take(entry)
        self.seq = entry.seq

    def _raised(self, entry: Entry) -> None:
        """Note which of the predictor's alarms the journal means, if it has raised it again."""
        if self.alarm is not None and self.alarm.time == entry.time:
            self.own[entry.body["id"]] = self.alarm.id
        if self.own.get(entry.body["id"]) != entry.body["own"]:
            self.journal.keep("strange", entry.seq)
        self.names.take(entry)

    def _told(self, kind: str, time: float, body: dict[str, Any]) -> None:
        if kind == "switch":
            self.until = max(self.until, time)
            self.predictor.declare(body["activity"], body.get("since", time))
        elif kind == "answer":
            if body["alarm"] not in self.own:
                raise SelectronError("The predictor has not raised that alarm.")
            self.predictor.answer(self.own[body["alarm"]], body["activity"], body["time"])
        elif kind == "clock":
            self.until = time
            self.predictor.set_back(time)
        elif kind in ("rename", "merge"):
            getattr(self.predictor, kind)(body["old"], body["new"])
        elif kind == "associate":
            self.predictor.associate(body["resource"], body["activity"])
        elif kind in ("create", "declare"):  # what is declared is there before its time has come
            if body["activity"] not in self.names.open:
                self.predictor.create(body["activity"])
        elif kind == "close":
            self.predictor.close(body["activity"])

    def snapshot(self) -> None:
        """Save the predictor, so that a start need not play all of the journal again.

        What it has seen long ago is deleted then, and only then: a start still has the snapshots.
        """
        with self.thread:
            oldest = save(self.predictor, self.journal, self.seq)
            self.saved = self.seq
            self.journal.prune(self.minutes, oldest)

    def close(self) -> None:
        """Save the predictor, and let others have the folder."""
        with self.thread:
            try:
                if self.seq > self.saved:
                    self.snapshot()
            finally:
                self.journal.close()
                self.held.close()
