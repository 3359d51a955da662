"""All streams of a store, and how a batch of requests becomes one transaction."""

import logging
import sqlite3
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import SelectronError
from . import points, snapshots, strict
from .declaration import Declaration
from .problem import Problem
from .store import Store
from .stream import Stream
from .view import view

EVERY = 1_000  # entries of a stream between two snapshots
REMEMBERED = 7 * 86_400.0  # seconds for which replies are kept
HOUSEKEEPING = 600.0  # seconds between two rounds of deleting
MODEL = ("classes", "new_classes", "features", "learner", "budget", "audit", "seed", "annotators")
LOG = logging.getLogger("selectron.serve")
FULL = "The disk is full or fails: nothing of this has been taken."
BROKEN = "This could not be done; the server's log tells why."


class Work(NamedTuple):
    """What a request wants: a function of the service and the time to a reply.

    With a `key`, the reply is kept, and given again to whoever asks the same under it; `digest`
    tells whether it is the same.
    """

    do: Callable[["Service", float], Any]
    key: str | None = None
    digest: str = ""


class Service:
    """The streams of a store. One thread at a time."""

    def __init__(
        self,
        folder: Path,
        declarations: Sequence[Declaration],
        accept_loss: bool = False,
        every: int = EVERY,
    ):
        self.store = Store(folder, accept_loss)
        self.every = every
        self.failing = False
        self.housekept = 0.0
        try:
            self.streams = self._streams(declarations)
            for stream in self.streams.values():
                snapshots.restore(stream)
        except BaseException:
            self.store.close()
            raise
        self.marks = {name: stream.seq for name, stream in self.streams.items()}
        self.views: dict[str, dict[str, Any]] = {}
        self.look()

    def _streams(self, declarations: Sequence[Declaration]) -> dict[str, Stream]:
        for declaration in declarations:
            unchanged(declaration, self.store.declared(declaration.name))
        self.store.begin()
        streams = {d.name: Stream(d, self.store) for d in declarations}
        self.store.commit()
        return streams

    def stream(self, name: str) -> Stream:
        """Return a stream by its name, or raise Problem (404)."""
        if name not in self.streams:
            raise Problem(404, "not_found", f"There is no stream {name!r}.")
        return self.streams[name]

    def look(self) -> None:
        """Take down what readers see: what is committed."""
        old = self.views
        self.views = {
            name: old[name] if name in old and old[name]["entry"] == s.seq else view(s)
            for name, s in self.streams.items()
        }

    # Batches

    def run(self, batch: Sequence[Work], now: float) -> list[Any]:
        """Do what a batch wants, in one transaction; return replies, or what went wrong.

        A Problem concerns its own request. If the commit fails, all fail and nothing has been
        taken; if a request fails otherwise, the others are done without it.
        """
        at = max(now, self.store.last_at)
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
            self.failing = True  # until the streams are again what is committed
            self.store.rollback()
            self._restart()
            if len(batch) == 1:
                return [Problem(500, "internal", BROKEN)]
            return [self.run([work], now)[0] for work in batch]
        self.look()
        self._keep_house(at)
        points.reached("before reply")
        return replies

    def _reply(self, work: Work, at: float) -> Any:
        try:
            if work.key is None:
                return work.do(self, at)
            if (found := self.store.reply(work.key)) is not None:
                if found[0] != work.digest:
                    raise Problem(409, "key_reused", "This Idempotency-Key came with another body.")
                return Kept(found[1])
            reply = strict.dumps(work.do(self, at))
            self.store.put_reply(work.key, work.digest, reply, at)
            return Kept(reply)
        except Problem as problem:
            return problem

    def _fail(self, error: Exception) -> None:
        if not self.failing:
            LOG.error("The store cannot be written: %s", error)
        self.failing = True
        try:
            self.store.rollback()
        except sqlite3.Error as another:
            LOG.error("Nor can the transaction be taken back: %s", another)

    def _restart(self) -> None:
        """Bring the streams back to what is committed."""
        for stream in self.streams.values():
            snapshots.restore(stream)
        self.views, self.failing = {}, False
        self.look()

    # Snapshots, and what is deleted

    def _keep_house(self, at: float) -> None:
        for name, stream in self.streams.items():
            if stream.seq - self.marks[name] >= self.every:
                self.snapshot(stream)
        if at - self.housekept > HOUSEKEEPING:
            self.housekept = at
            self.forget(at)

    def snapshot(self, stream: Stream) -> None:
        """Take a snapshot; where that fails, the log goes on without it."""
        self.marks[stream.name] = stream.seq
        try:
            snapshots.take(stream)
        except (OSError, SelectronError, sqlite3.Error) as error:
            LOG.warning("No snapshot of %s: %s", stream.name, error)

    def forget(self, at: float) -> None:
        """Delete what need not be kept any longer: replies, and contents of items."""
        try:
            self.store.begin()
            self.store.forget_replies(at - REMEMBERED)
            for stream in self.streams.values():
                if days := stream.declaration.privacy.retention_days:
                    last = snapshots.oldest(stream)
                    self.store.forget(stream.id, last, at - 86_400 * days)
            self.store.commit()
        except (sqlite3.Error, OSError) as error:
            self._fail(error)

    def close(self) -> None:
        """Take snapshots, and close the store."""
        if not self.failing:
            for name, stream in self.streams.items():
                if stream.seq > self.marks[name]:
                    self.snapshot(stream)
        self.store.close()


class Kept(str):
    """A reply as it was sent the first time, in JSON."""


def unchanged(declaration: Declaration, before: str | None) -> None:
    """Refuse a stream whose model would not be what its log says any more."""
    if before is None:
        return
    now, then = declaration.model_dump(mode="json"), strict.loads(before.encode())
    odd = [name for name in MODEL if now[name] != then.get(name)]
    if odd:
        raise SelectronError(
            f"Stream {declaration.name!r} was served with another {odd[0]}: put that back, or give "
            "the stream a new name."
        )


def fingerprint(*parts: str | bytes) -> str:
    """Return a digest of a request.

    >>> fingerprint("POST", b"{}")[:8]
    '64477fcc'
    """
    texts = [part.encode() if isinstance(part, str) else part for part in parts]
    return sha256(b"\0".join(sha256(text).digest() for text in texts)).hexdigest()
