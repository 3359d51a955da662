"""What HTTP has of a service: a way to its writer, and what readers see."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from . import tokens
from .clock import Clock, elapsed
from .damage import Damaged
from .declaration import Declaration
from .opening import Reader, reader
from .problem import Problem, missing
from .service import Service, Work, unreadable
from .store import other_streams
from .writer import Writer

LOG = logging.getLogger("selectron.serve")
PATIENCE = 60.0  # seconds for which a request waits for the writer
SLOW = "This takes too long: ask again, it may be done meanwhile."
Found = TypeVar("Found")


class Host:
    """A service in its thread; raises SelectronError if its store cannot be used."""

    def __init__(
        self,
        folder: Path,
        declarations: Sequence[Declaration],
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] | None = None,
        **options: Any,
    ):
        self.folder, self.clock = folder, clock
        self.views: dict[str, dict[str, Any]] = {}
        self.people: dict[str, tokens.Person] = {}
        self.failing = self.broken = False
        self.loop: asyncio.AbstractEventLoop | None = None
        self.pulse = asyncio.Event()
        make = partial(Service, folder, declarations, **options)
        self.writer = Writer(make, self._changed, Clock(clock, steady or elapsed))
        self.writer.start()
        service = self.writer.ready.result()
        self.ids = {name: stream.id for name, stream in service.streams.items()}
        self.rows = {name: stream.rows for name, stream in service.streams.items()}
        self.people = self.read_people()

    def _changed(self, service: Service) -> None:
        """Take over what is committed, in the writer's thread."""
        self.views, self.failing = service.views, service.failing
        self.broken = self.broken or service.broken
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._beat)

    def _beat(self) -> None:
        pulse, self.pulse = self.pulse, asyncio.Event()
        pulse.set()

    def view(self, name: str) -> dict[str, Any]:
        """Return the state of a stream, or raise Problem (404)."""
        if name not in self.views:
            raise missing(f"stream {name!r}")
        return self.views[name]

    async def do(self, work: Work) -> Any:
        """Have something done by the writer; return its reply once that is committed."""
        future = asyncio.wrap_future(self.writer.submit(work))
        try:
            return await asyncio.wait_for(asyncio.shield(future), PATIENCE)
        except TimeoutError:
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise Problem(503, "busy", SLOW) from None

    def do_now(self, work: Work) -> Any:
        """Have something done, from a thread that may wait."""
        return self.writer.submit(work).result()

    def read(self, function: Callable[[sqlite3.Connection], Found]) -> Found:
        """Return what a function of a connection finds among what is committed.

        Items that turn out to be damaged are set aside; a damaged log is a Problem (500).
        """
        with self.reading() as db:
            return function(db)

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Lend a connection to what is committed."""
        with closing(reader(self.folder)) as db:
            try:
                yield db
            except Damaged as error:
                self.broken = True
                LOG.error("A request failed: %s", error)
                raise unreadable(error) from None
            finally:
                for stream, item in db.damaged:
                    self.writer.submit(Work(partial(_aside, stream, item)))

    def make_token(self, name: str, role: str, days: float | None, anew: bool = False) -> str:
        """Make a token; it is seen this once. One of the same name is replaced, unless `anew`.

        Raises Problem: 422 if name or days will not do, 409 if it is to be new and is not.
        """
        until = tokens.expiry(days, self.clock())

        def make(service: Service, at: float) -> str:
            if anew:
                tokens.unused(name, tokens.known(service.store.db), self.clock())
            return tokens.made(service.store, name, role, until)

        token = self.do_now(Work(make))
        self.people = self.read_people()
        return token

    def revoke_token(self, name: str) -> None:
        """Delete a token by its name; raises Problem (404) if there is none."""
        self.do_now(Work(lambda service, at: tokens.revoked(service.store, name)))
        self.people = self.read_people()

    def read_people(self) -> dict[str, tokens.Person]:
        """Return who has which token, as it is committed."""
        return self.read(tokens.known)

    def serves_others(self, name: str) -> bool:
        """Does the folder have a stream of another name, served now or not?"""
        return self.read(lambda db: other_streams(db, name))

    def stop(self) -> None:
        """Do what waits, take snapshots, and end."""
        self.writer.stop()


def _aside(number: int, item: int, service: Service, at: float) -> None:
    """Set an item aside that a reader found damaged, if its stream is served."""
    for stream in service.streams.values():
        if stream.id == number:
            stream.set_aside(item, at)
