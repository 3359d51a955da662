"""The streams of a store; a batch of requests is one transaction."""

import json
import math
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import SelectronError
from . import store, strict
from .declaration import Declaration, check_names
from .event import LOG, Damaged
from .question import COUNTS, Statistics
from .store import Store
from .stream import Stream
from .strict import Problem

EVERY = 1_000  # entries of a stream between two snapshots
REMEMBERED = 7 * 86_400.0  # seconds for which replies are kept
HOUSEKEEPING = 600.0  # seconds between two rounds of deleting
SOON = 10.0  # while an erased item is still stored, as after a snapshot failed
TRUNCATING = 1.0  # seconds at most until what is deleted is overwritten, unless readers need it
MODEL = ("new_classes", "features", "learner", "class_weight", "seed", "annotators")
FULL = "The disk is full or fails: nothing of this has been stored."
SHOWN = ("new_classes", "annotators", "lease", "learner", "hide")  # of a declaration
BROKEN = "This could not be done; see the server's log for the reason."


class Work(NamedTuple):
    """The work of a request: a function of service and time that returns a reply.

    With a `key`, the reply is stored as JSON, and returned again for the same key and `digest`.
    What must not be stored is added by `then`, a function of time and what `do` returned, which
    is called each time.
    """

    do: Callable[["Service", float], Any]
    key: str | None = None
    digest: str = ""
    then: Callable[[float, Any], Any] | None = None


class Service:
    """The streams of a store, for one thread at a time."""

    def __init__(
        self,
        folder: Path,
        declarations: Sequence[Declaration],
        accept_loss: bool = False,
        every: int = EVERY,
    ):
        self.store = Store(folder, accept_loss)
        self.every = every
        self.failing = self.broken = False
        self.at, self.housekept, self.truncated = 0.0, -math.inf, -math.inf
        try:
            self._start(declarations, accept_loss)
        except BaseException:
            self.store.close()
            raise
        self.views: dict[str, dict[str, Any]] = {}
        self.update_views()

    def _start(self, declarations: Sequence[Declaration], accept_loss: bool) -> None:
        """Restore the streams, set aside damaged items, and apply settings that have changed."""
        names = [declaration.name for declaration in declarations]
        kept = {name for (name,) in self.store.db.execute("SELECT name FROM streams")}
        self.unserved = sorted(kept - {*names})
        low = {name.lower() for name in names}  # a folder of snapshots would be shared
        check_names([*names, *(name for name in self.unserved if name.lower() in low)])
        for declaration in declarations:
            check_unchanged(declaration, self.store.declared(declaration.name))
        self.store.begin()
        self.streams = {d.name: Stream(d, self.store) for d in declarations}
        self.store.commit()
        for stream in self.streams.values():
            stream.restore(accept_loss)
        self.store.begin()
        self.store.forget_leases()
        for number, item in self.store.found_damaged:
            self.set_aside(self.store.last_at, number, item)
        for stream in self.streams.values():
            stream.change_settings(self.store.last_at)
        self.store.commit()

    def set_aside(self, at: float, number: int, item: int) -> None:
        """Set aside a damaged item, by the number of its stream, if that is served."""
        for stream in self.streams.values():
            if stream.id == number:
                stream.set_aside(item, at)

    def update_views(self) -> None:
        """Update the views, which show readers the committed state."""
        old = self.views
        self.views = {
            name: old[name] if name in old and old[name]["entry"] == s.seq else view(s)
            for name, s in self.streams.items()
        }

    # Batches

    def run(self, batch: Sequence[Work], now: float) -> list[Any]:
        """Run a batch in one transaction; return a reply or a Problem for each request.

        A Problem concerns its own request. If the commit fails, all requests fail and nothing is
        stored; if a request fails otherwise, the others run without it.
        """
        # times in the log of earlier runs are not trusted: their clock may have been wrong
        at = self.at = max(now, self.at)
        waiting = self._to_delete()
        try:
            if self.failing:
                self.store.probe()
                self._restart()
            self.store.begin()
            replies = [self._reply(work, at) for work in batch]
            self.store.commit()
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return [Problem(507, "not_stored", FULL) for _ in batch]
        except Exception:
            LOG.exception("A request failed")
            self.failing = True  # until the streams are restored
            self.store.rollback()
            self._restart()
            if len(batch) == 1:
                return [Problem(500, "internal", BROKEN)]
            return [self.run([work], now)[0] for work in batch]
        self.update_views()
        self._take_snapshots(self.every)
        if at > self._round or self._to_delete() > waiting:
            self.forget(at)
        elif self.store.stale and at - self.truncated > TRUNCATING:
            self._truncate(at)
        store.reached("before reply")
        return replies

    def _reply(self, work: Work, at: float) -> Any:
        last = self.store.last
        try:
            if work.key is None:
                reply = work.do(self, at)
                return work.then(at, reply) if work.then else reply
            if (found := self.store.reply(work.key)) is not None and found[0] != work.digest:
                raise Problem(409, "key_reused", "This Idempotency-Key came with another request.")
            kept = found[1] if found else strict.dumps(work.do(self, at), sort=False)
            reply = work.then(at, json.loads(kept)) if work.then else kept
            if found is None:
                self.store.put_reply(work.key, work.digest, kept, at)
            return reply
        except Problem as problem:
            return problem
        except Damaged as error:
            self.broken = True
            if self.store.last != last:  # the streams are ahead of what is committed
                raise
            LOG.error("A request failed: %s", error)
            return Problem(500, "damaged", str(error))

    def _fail(self, error: Exception) -> None:
        if not self.failing:
            LOG.error("The store cannot be written: %s", error)
        self.failing = True
        with suppress(sqlite3.Error):
            self.store.rollback()

    def _restart(self) -> None:
        """Restore the streams to the committed state."""
        for stream in self.streams.values():
            stream.restore()
        self.failing = False
        self.update_views()

    # Snapshots, and what is deleted

    def _take_snapshots(self, every: int) -> None:
        """Take snapshots after `every` entries; a failure is logged, and the service goes on."""
        for stream in self.streams.values():
            if stream.seq - stream.saved >= every:
                self._take_snapshot(stream)

    def _take_snapshot(self, stream: Stream, **options: int) -> bool:
        """Take a snapshot; return whether that worked."""
        try:
            stream.take_snapshot(**options)
        except (OSError, SelectronError, sqlite3.Error) as error:
            LOG.warning("No snapshot of %s: %s", stream.name, error)
            return False
        return True

    def _to_delete(self) -> int:
        """Return the number of items that are erased and whose content is not deleted yet."""
        return sum(len(stream.to_delete) for stream in self.streams.values())

    @property
    def _round(self) -> float:
        """When the next round of deleting is due."""
        return self.housekept + (SOON if self._to_delete() else HOUSEKEEPING)

    @property
    def rest(self) -> float:
        """The seconds after a batch until something is to be done even if no work comes."""
        due = self.truncated + TRUNCATING if self.store.stale else math.inf
        return max(0.0, min(due, self._round) - self.at)

    def _truncate(self, at: float) -> None:
        self.truncated = at
        with suppress(sqlite3.Error):  # it is tried again
            self.store.truncate()

    def forget(self, at: float) -> None:
        """Delete expired replies and contents of items, and those of erased items.

        A snapshot takes the place of erased items, and older ones, which need them, are deleted; it
        takes that of expired ones, too, if they are not covered by the snapshots that are kept.
        """
        self.housekept = at
        streams = self.streams.values()
        erasing = [s for s in streams if s.to_delete and self._take_snapshot(s, kept=1)]
        try:
            self.store.begin()
            self.store.forget_replies(at - REMEMBERED)
            for stream in erasing:
                self.store.erase(stream.to_delete)
            for stream in streams:
                self._forget_expired(stream, at)
            self.store.commit()
        except (sqlite3.Error, OSError) as error:
            self._fail(error)
            return
        for stream in erasing:
            stream.to_delete.clear()
        try:
            self.store.sweep()
        except sqlite3.Error as error:  # as without room: the next round tries again
            why = "The database may hold traces of deleted content, until it can be rewritten: %s"
            LOG.warning(why, error)
        self._truncate(at)

    def _forget_expired(self, stream: Stream, at: float) -> None:
        """Delete the contents of items that have been kept for long enough."""
        days, saved = stream.declaration.privacy.retention_days, stream.snapshots
        before, covered = at - 86_400 * days, int(saved[-1].stem) if saved else 0
        left = days and self.store.forget(stream.id, covered, before)
        if left and self._take_snapshot(stream, kept=1):
            self.store.forget(stream.id, stream.saved, before)

    def close(self) -> None:
        """Take snapshots, and close the store."""
        if not self.failing:
            self._take_snapshots(1)
        self.store.close()


def check_unchanged(declaration: Declaration, before: str | None) -> None:
    """Raise SelectronError if the model would not follow from the log made as declared `before`."""
    if before is None:
        return
    now, then = declaration.model_dump(mode="json"), json.loads(before)
    then["features"].pop("version", None)  # which 0.2.0 wrote
    odd = [name for name in MODEL if now[name] != then.get(name)]
    if odd:
        raise SelectronError(
            f"Stream {declaration.name!r} was served with a different setting of {odd[0]}: put it "
            "back, or give the stream a new name."
        )


def view(stream: Stream) -> dict[str, Any]:
    """Return an immutable view of a stream's state for readers."""
    statistics, declaration = stream.statistics, stream.declaration
    return {
        "name": stream.name,
        "title": declaration.title or stream.name,
        "classes": list(stream.named),
        "columns": stream.model.columns,
        **{name: getattr(declaration, name) for name in SHOWN},
        **{name: getattr(statistics, name) for name in COUNTS},
        "unaskable": sum(statistics.unaskable.values()),
        "queue": len(stream.open),
        "disputed": len(stream.disputed),
        "version": stream.model.learned,
        "entry": stream.seq,
        "share": statistics.share(),
        "budget": budget(stream),
        "accuracy": {
            "overall": estimate_json(*statistics.accuracy()),
            "recent": estimate_json(*statistics.accuracy(recent=True)),
        },
        "majority": statistics.majority(),
        "per_class": [per_class(statistics, name) for name in stream.named],
        "drifts": statistics.drifts,
        "points": list(statistics.points),
    }


def estimate_json(accuracy: float, low: float, high: float) -> dict[str, float | None]:
    """Return an estimate for JSON, with null for NaN."""
    return {"estimate": None if math.isnan(accuracy) else accuracy, "low": low, "high": high}


def per_class(statistics: Statistics, name: str) -> dict[str, Any]:
    """Return the number of settled labels of a class, its recall and its precision."""
    recall, precision = statistics.recall_and_precision(name)
    return {
        "class": name,
        "labels": statistics.labels.get(name, 0),
        "recall": estimate_json(*recall),
        "precision": estimate_json(*precision),
    }


def budget(stream: Stream) -> dict[str, Any]:
    """Return the budget left, and the expected items and seconds until the next question."""
    given, record, statistics = stream.model.budget, stream.model.record, stream.statistics
    pace, share = statistics.pace(), statistics.share()
    labels = (given.labels or 0) if given.rate is None else given.rate * record.seen
    left = float(labels - record.asked)
    return {
        "written": stream.settings["budget"],
        "items_a_minute": 60 * pace if pace else None,
        "left": max(0.0, left),
        "next_ask_items": 1 / share if share else None,
        "next_ask_seconds": 1 / share / pace if share and pace else None,
    }
