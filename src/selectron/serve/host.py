"""What HTTP has of a service: a way to its writer, and what readers see."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from . import tokens
from .declaration import Declaration
from .opening import reader
from .problem import Problem, missing
from .service import Service, Work
from .writer import Writer

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
        **options: Any,
    ):
        self.folder, self.clock = folder, clock
        self.views: dict[str, dict[str, Any]] = {}
        self.people: dict[str, tokens.Person] = {}
        self.failing = False
        self.loop: asyncio.AbstractEventLoop | None = None
        self.pulse = asyncio.Event()
        self.writer = Writer(lambda: Service(folder, declarations, **options), self._changed, clock)
        self.writer.start()
        service = self.writer.ready.result()
        self.ids = {name: stream.id for name, stream in service.streams.items()}
        self.rows = {name: stream.rows for name, stream in service.streams.items()}
        self.people = tokens.known(service.store)

    def _changed(self, service: Service) -> None:
        """Take over what is committed, in the writer's thread."""
        self.views, self.failing = service.views, service.failing
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
        """Return what a function of a connection finds among what is committed."""
        with closing(reader(self.folder)) as db:
            return function(db)

    def make_token(self, name: str, role: str, days: float | None) -> str:
        """Make a token; it is seen this once."""

        def make(service: Service, at: float) -> str:
            until = None if days is None else self.clock() + days * tokens.DAY
            return tokens.made(service.store, name, role, until)

        token = self.do_now(Work(make))
        self.people = self.read_people()
        return token

    def read_people(self) -> dict[str, tokens.Person]:
        """Return who has which token, as it is committed."""
        query = "SELECT digest, name, role, expires FROM tokens"
        rows = self.read(lambda db: db.execute(query).fetchall())
        return {digest: tokens.Person(*rest) for digest, *rest in rows}

    def stop(self) -> None:
        """Do what waits, take snapshots, and end."""
        self.writer.stop()
