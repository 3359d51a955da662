"""The service as HTTP sees it: one thread that writes, and readers of what is committed."""

import asyncio
import queue
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from . import tokens
from .declaration import Declaration
from .event import LOG, Damaged, Log
from .service import BROKEN, Service, Work
from .store import reader
from .strict import Problem, missing

# not affected when the system clock is set; on Linux it also counts while the machine is suspended
BOOT: Any = getattr(time, "CLOCK_BOOTTIME", None)
STEADY = time.monotonic if BOOT is None else partial(time.clock_gettime, BOOT)
BATCH = 256  # requests in a transaction
WAITING = 10_000  # requests that may wait
BUSY = "Too many requests are waiting: try again in a moment."
RETRY = 2.0  # seconds between two tries to write a store that fails
PATIENCE = 60.0  # seconds for which a request waits for the writer
Found = TypeVar("Found")


@contextmanager
def running(*loops: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run functions in threads until the block ends; then the event is set that each is given."""
    ending = threading.Event()
    threads = [threading.Thread(target=loop, args=[ending], daemon=True) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ending.set()
        for thread in threads:
            thread.join()


class Host:
    """A service in its thread. Raises SelectronError if its store cannot be used."""

    def __init__(
        self,
        folder: Path,
        declarations: Sequence[Declaration],
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = STEADY,
        **options: Any,
    ):
        ahead = clock() - steady()
        self.folder, self.clock, self.steady = folder, clock, lambda: ahead + steady()
        self.ending = self.stopping = self.ended = False  # `ending`: streams of events end
        self.followed = defaultdict[str, list[object]](list)  # open streams of events, by person
        self.topics: list[Any] = []  # those of Kafka that are read and written
        self.changing_tokens = threading.Lock()
        self.waiting: queue.Queue = queue.Queue(WAITING)
        self.service = Service(folder, declarations, **options)
        self.revoked = set[str]()  # digests of tokens, also if that could not be stored
        self.people = self.read(tokens.owners)
        self.writer = threading.Thread(target=self._run, name="selectron-writer", daemon=True)
        self.writer.start()

    # In the writer's thread

    def _run(self) -> None:
        try:
            while not (self.stopping and self.waiting.empty()):
                self._do(self._batch())
        finally:
            self.ended = True
            self._refuse()
            self.service.close()

    def _batch(self) -> list[tuple[Work, Future]]:
        """Wait for work, and return what is queued.

        An empty batch does what is due when no work comes: it tests a store that fails, deletes
        what has expired, and overwrites what was deleted.
        """
        found = []
        with suppress(queue.Empty):
            wait = RETRY if self.service.failing else self.service.rest
            found.append(self.waiting.get(timeout=wait))
            while len(found) < BATCH:
                found.append(self.waiting.get_nowait())
        return found

    def _refuse(self) -> None:
        """Refuse work queued after the end."""
        with suppress(queue.Empty):
            while True:
                _, future = self.waiting.get_nowait()
                future.set_exception(Problem(503, "ending", "The server is shutting down."))

    def _do(self, batch: list[tuple[Work, Future]]) -> None:
        try:
            replies: list[Any] = self.service.run([work for work, _ in batch], self.steady())
        except Exception:
            LOG.exception("The batch could not be done, nor taken back")
            replies = [Problem(500, "internal", BROKEN) for _ in batch]
        for (_, future), reply in zip(batch, replies, strict=True):
            if isinstance(reply, Problem):
                future.set_exception(reply)
            else:
                future.set_result(reply)

    # In other threads

    def submit(self, work: Work) -> Future:
        """Queue work; return the future of its reply (set after the commit) or of a Problem."""
        future: Future = Future()
        try:
            self.waiting.put_nowait((work, future))
        except queue.Full:
            future.set_exception(Problem(503, "busy", BUSY))
        if self.ended:
            self._refuse()
        return future

    async def do(self, work: Work) -> Any:
        """Have the writer do some work; return its reply after the commit."""
        future = asyncio.wrap_future(self.submit(work))
        try:
            return await asyncio.wait_for(asyncio.shield(future), PATIENCE)
        except TimeoutError:
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            why = "This takes too long: try again, it may be done by then."
            raise Problem(503, "busy", why) from None

    @property
    def views(self) -> dict[str, dict[str, Any]]:
        """The committed state of every stream, by name."""
        return self.service.views

    def view(self, name: str) -> dict[str, Any]:
        """Return the state of a stream. Raises Problem (404) if there is none of this name."""
        if name not in self.views:
            raise missing(f"stream {name!r}")
        return self.views[name]

    def read(self, function: Callable[[Log], Found]) -> Found:
        """Return the result of a function that reads committed data."""
        with self.reading() as db:
            return function(db)

    @contextmanager
    def reading(self) -> Iterator[Log]:
        """Return a context with a connection that reads committed data.

        Items found damaged are set aside; a damaged log raises Problem (500).
        """
        with closing(reader(self.folder)) as db:
            try:
                yield db
            except Damaged as error:
                self.service.broken = True
                LOG.error("A request failed: %s", error)
                raise Problem(500, "damaged", str(error)) from None
            finally:
                for stream, item in db.damaged:
                    self.submit(Work(partial(Service.set_aside, number=stream, item=item)))

    def knows(self, person: tokens.Person) -> bool:
        """Return whether the token of this person is still valid."""
        return person.digest in self.people and not person.expired(self.clock())

    def make_token(self, name: str, role: str, days: float | None, new: bool = False) -> str:
        """Create and return a token. A token of the same name is replaced, unless `new`.

        Raises Problem (409) if `new` and the name is in use.
        """
        token = "sel_" + secrets.token_urlsafe(24)
        until = None if days is None else self.clock() + days * tokens.DAY

        def make(service: Service, at: float) -> None:
            people = tokens.owners(service.store.db).values() if new else ()
            if any(one.name == name and not one.expired(self.clock()) for one in people):
                message = f"There is a token named {name!r}: revoke it first, or give another name."
                raise Problem(409, "conflict", message)
            service.store.put_token(name, role, tokens.token_hash(token), until)

        self._tokens(make)
        return token

    def revoke_token(self, name: str) -> None:
        """Delete a token by its name; it is not accepted from now on, even if that is not stored.

        Raises Problem: 404 if there is none, and what else prevents that it is stored.
        """
        with self.changing_tokens:  # or a token that is made meanwhile would be forgotten
            self.revoked |= {digest for digest, one in self.people.items() if one.name == name}
            self.people = self._accepted(self.people)
        try:
            self._tokens(lambda service, at: service.store.drop_token(name))
        except Problem as why:
            if why.status == 404:
                raise
            message = f"{name!r} is revoked until the server ends, but that could not be stored:"
            raise Problem(why.status, why.code, f"{message} revoke it again. {why}") from None

    def _accepted(self, people: dict[str, tokens.Person]) -> dict[str, tokens.Person]:
        return {digest: one for digest, one in people.items() if digest not in self.revoked}

    def _tokens(self, change: Callable[[Service, float], None]) -> None:
        """Change the tokens, and read them again."""
        with self.changing_tokens:  # of two changes, the later one is read last
            self.submit(Work(change)).result()
            self.people = self._accepted(self.read(tokens.owners))

    def stop(self, *error: Any) -> None:
        """Finish queued work, take snapshots, and end."""
        self.stopping = True
        self.submit(Work(lambda service, at: None))  # for the writer to notice
        self.writer.join()

    __exit__ = stop

    def __enter__(self) -> Self:
        return self
