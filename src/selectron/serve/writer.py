"""The one thread that changes anything: it takes what waits, and commits it together."""

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .clock import Clock
from .problem import Problem
from .service import BROKEN, Service, Work

BATCH = 256  # requests in a transaction
WAITING = 10_000  # requests that may wait
BUSY = "Too many requests are waiting: try again in a moment."
ENDED = "The server is shutting down."
RETRY = 2.0  # seconds between two tries to write a store that fails
LOG = logging.getLogger("selectron.serve")


class Writer(threading.Thread):
    """A thread that runs a service; `changed` is called after each commit.

    The service is made in the thread: `ready` tells when it is there, or raises what went wrong.
    """

    def __init__(
        self,
        make: Callable[[], Service],
        changed: Callable[[Service], None] = lambda service: None,
        clock: Callable[[], float] | None = None,
    ):
        super().__init__(name="selectron-writer", daemon=True)
        self.make, self.changed, self.clock = make, changed, clock or Clock()
        self.waiting: queue.Queue = queue.Queue(WAITING)
        self.ready: Future[Service] = Future()
        self.ended = False

    def submit(self, work: Work) -> Future:
        """Have something done: the future has the reply, once it is committed, or a Problem."""
        future: Future = Future()
        try:
            self.waiting.put_nowait((work, future))
        except queue.Full:
            future.set_exception(Problem(503, "busy", BUSY))
        if self.ended:
            self._refuse()
        return future

    def run(self) -> None:
        """Make the service, and run it until `stop`."""
        try:
            service = self.make()
        except BaseException as error:
            self.ready.set_exception(error)
            return
        self.ready.set_result(service)
        self.changed(service)
        try:
            while (batch := self._batch(RETRY if service.failing else None)) is not None:
                self._do(service, batch)
        finally:
            self.ended = True
            self._refuse()
            service.close()

    def _batch(self, patience: float | None) -> list[tuple[Work, Future]] | None:
        """Wait for work; return what is there, nothing if none came, None once it is time to stop.

        While the store fails, a batch without work is a try whether it can be written again.
        """
        found: list[Any] = []
        try:
            found.append(self.waiting.get(timeout=patience))
            while found[-1] is not None and len(found) < BATCH:
                found.append(self.waiting.get_nowait())
        except queue.Empty:
            pass
        if found == [None]:
            return None
        if found and found[-1] is None:
            self.waiting.put(None)
        return [entry for entry in found if entry is not None]

    def _refuse(self) -> None:
        """Refuse what came after the end."""
        while True:
            try:
                entry = self.waiting.get_nowait()
            except queue.Empty:
                return
            if entry is not None and entry[1].set_running_or_notify_cancel():
                entry[1].set_exception(Problem(503, "ending", ENDED))

    def _do(self, service: Service, batch: list[tuple[Work, Future]]) -> None:
        wanted = [(work, future) for work, future in batch if future.set_running_or_notify_cancel()]
        if batch and not wanted:
            return
        try:
            replies: list[Any] = service.run([work for work, _ in wanted], self.clock())
        except Exception:
            LOG.exception("The batch could not be done, nor taken back")
            replies = [Problem(500, "internal", BROKEN) for _ in wanted]
        self.changed(service)
        for (_, future), reply in zip(wanted, replies, strict=True):
            if isinstance(reply, Problem):
                future.set_exception(reply)
            else:
                future.set_result(reply)

    def stop(self) -> None:
        """Do what waits, take snapshots, and end."""
        self.waiting.put(None)
        self.join()
