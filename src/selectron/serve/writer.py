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
BUSY = Problem(503, "busy", "Too many requests are waiting: try again in a moment.")
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

    def submit(self, work: Work) -> Future:
        """Have something done: the future has the reply, once it is committed, or a Problem."""
        future: Future = Future()
        try:
            self.waiting.put_nowait((work, future))
        except queue.Full:
            future.set_exception(BUSY)
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
            while batch := self._batch():
                self._do(service, batch)
        finally:
            service.close()

    def _batch(self) -> list[tuple[Work, Future]]:
        """Wait for work; return what is there, nothing once it is time to stop."""
        found = [self.waiting.get()]
        while found[-1] is not None and len(found) < BATCH:
            try:
                found.append(self.waiting.get_nowait())
            except queue.Empty:
                break
        if found[-1] is None and len(found) > 1:
            self.waiting.put(None)
        return [entry for entry in found if entry is not None]

    def _do(self, service: Service, batch: list[tuple[Work, Future]]) -> None:
        wanted = [(work, future) for work, future in batch if future.set_running_or_notify_cancel()]
        if not wanted:
            return
        try:
            replies: list[Any] = service.run([work for work, _ in wanted], self.clock())
        except Exception:
            LOG.exception("The batch could not be done, nor taken back")
            replies = [BROKEN] * len(wanted)
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
