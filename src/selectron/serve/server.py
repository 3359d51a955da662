"""The server process: uvicorn with limits on connections, a host, and its application.

uvicorn limits the time between two requests, but not the time in which the head of a request
arrives, nor its size, nor how many requests wait for earlier ones.
"""

import socket
import time
from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import chain, count
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..errors import SelectronError
from .app import application
from .demo import DEMO, feed
from .host import Host, running
from .kafka import connected
from .tokens import ROLES

BACKLOG = 2048  # connections that may wait while the streams are read, as uvicorn has it
CONNECTIONS = 512  # in all; the limit of open files is 1,024 on most systems
PATIENCE = 20.0  # seconds for the head of a request, and for which replies may stay unread
HEAD = 1 << 15  # bytes of a head
LONG = f"The head of the request is longer than {HEAD} bytes."
FIELDS = 100  # in a head
# bytes kept by the system, and so parsed before others have their turn; the latter for bodies
# that come with a valid token
BUFFER, LARGE_BUFFER = 1 << 13, 1 << 16
PIPELINED = 16  # requests that may wait for earlier ones
PENALTY = 0.5  # seconds of delay before a malformed request is refused
FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
TASKS = 4 * CONNECTIONS  # some are done after their connection is lost
LOOPBACK = ["127.0.0.1", "::1"]  # where a proxy may be that names the address of its client
KEPT = 15  # seconds for which a connection is kept open between two requests
FAREWELL = 3  # seconds for open connections when the server ends
LAST_WORK = 60  # seconds for work that is done without them; cancelled, it would log tracebacks


class Connection(HttpToolsProtocol):
    """A connection, either waiting for a request or processing one.

    When the limit is reached, the connection idle for longest is closed. A connection is idle while
    it waits for a request or processes one without a valid token. If none is, the oldest one of a
    person who has more than half is closed: nobody keeps all others out with one token.
    """

    each: int  # connections of one address at most

    def connection_made(self, transport: Any) -> None:
        """Start waiting; close another connection if the limit is exceeded."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.gone = self.refused = self.trusted = False
        self.cycles: list[Any] = []
        self.timer = self.stalled = self.loop.call_later(PATIENCE, self.give_up)
        self._wait()
        everyone: Iterable[Any] = self.connections
        found = [c for c in everyone if not c.gone]
        same = [c for c in found if c.address == self.address]
        if len(same) > self.each:
            self._make_room(same)
        elif len(found) > CONNECTIONS:
            self._make_room(found)

    def _make_room(self, among: list[Any]) -> None:
        """Close the connection idle for longest, or one of many, or this one if all are busy."""
        idle = [c for c in among if c is not self and (c.waiting or c.stranger())]
        if not idle:
            ((most, count),) = Counter(c.person() for c in among).most_common(1)
            many = most and count > len(among) / 2
            idle = [c for c in among if many and c.person() == most]
        if idle:
            min(idle, key=lambda c: c.since).give_up()
        else:
            self.transport.write(FULL)
            self.transport.close()

    def stranger(self) -> bool:
        """Return whether this processes a request without a valid token."""
        return not self.waiting and self.scope["state"].get("person", "unknown") is None

    def person(self) -> Any:
        """Return the owner of the token of the request that this processes, if there is one."""
        return None if self.waiting else self.scope["state"].get("person")

    def _wait(self) -> None:
        """Wait for a request, whose head must arrive in time."""
        self.timer.cancel()
        self.waiting, self.since, self.size = True, time.monotonic(), 0
        self.timer = self.loop.call_later(PATIENCE, self.give_up)

    def shutdown(self) -> None:
        """Finish the request in progress, if its client does not take too long."""
        super().shutdown()
        self.loop.call_later(FAREWELL, self.give_up)

    def give_up(self) -> None:
        """Close the connection at once, even if the client does not read."""
        self.gone = True
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release what the connection holds."""
        self.gone = True
        for cycle in self.cycles:  # uvicorn knows of the last one only
            cycle.disconnected = not cycle.response_complete
            cycle.message_event.set()
        self.timer.cancel()
        self.resume_writing()
        super().connection_lost(exc)

    # Receiving

    def data_received(self, data: bytes) -> None:
        """Parse received data; refuse a head that is too long."""
        if self.refused:
            return
        self.size += len(data)
        super().data_received(data)
        if self.waiting and self.size >= HEAD:
            self.send_400_response(LONG)
        elif self.stranger():  # what comes after the head waits for the reply
            self.flow.pause_reading()
        elif not (self.waiting or self.trusted) and self.scope["state"].get("person"):
            self.trusted = True
            door = self.transport.get_extra_info("socket")
            door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LARGE_BUFFER)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header field; uvicorn replies with 400 if this raises."""
        if len(self.headers) >= FIELDS:
            raise ValueError("too many fields")
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin a request."""
        if sum(map(len, chain.from_iterable(self.headers))) > HEAD:
            self.send_400_response(LONG)
            raise ValueError(LONG)
        if len(self.pipeline) >= PIPELINED:
            raise ValueError("too many requests at once")
        super().on_headers_complete()
        self.timer.cancel()
        self.waiting = False
        self.cycles = [c for c in self.cycles if not c.response_complete] + [self.cycle]

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        if self.cycle.response_complete or self.transport.is_closing():
            self._wait()

    # Sending

    def send_400_response(self, msg: str) -> None:
        """Refuse a malformed request after a delay, and close the connection."""
        if not self.refused:
            self.refused = True
            self.flow.pause_reading()
            self._wait()
            self.loop.call_later(PENALTY, self._refuse, msg)

    def _refuse(self, msg: str) -> None:
        if not self.gone and not self.transport.is_closing():
            super().send_400_response(msg)

    def pause_writing(self) -> None:
        """Give the client time to read the reply."""
        super().pause_writing()
        self.stalled = self.loop.call_later(PATIENCE, self.give_up)

    def resume_writing(self) -> None:
        """Resume sending."""
        super().resume_writing()
        self.stalled.cancel()


class Server(uvicorn.Server):
    """A server that ends streams of events before it waits for the requests in progress."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, finish requests, and end the application."""
        self.config.app.state.host.ending = True  # type: ignore[union-attr]
        await super().shutdown(sockets)


def server(app: Any, host: str, port: int, each: int) -> Server:
    """Return a server for an application, with at most `each` connections per address."""
    return Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            http=type("Connection", (Connection,), {"each": each}),
            ws="none",
            log_level="error",  # a warning for every malformed request would fill a log
            access_log=False,
            server_header=False,
            forwarded_allow_ips=LOOPBACK,
            limit_concurrency=TASKS,
            timeout_keep_alive=KEPT,
            timeout_graceful_shutdown=LAST_WORK,
        )
    )


def listen(address: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises SelectronError if it cannot."""
    found = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        found.bind((address, port))
        found.listen(BACKLOG)
    except OSError as error:
        found.close()
        why = f"{address}, port {port}, cannot be used ({error.strerror})"
        raise SelectronError(f"{why}; give another --port or --host") from None
    return found


def first_tokens(host: Host) -> dict[str, str]:
    """Create a token for every role if there is none yet; return the new tokens by role.

    If there are tokens but no valid one of an admin, create only that.
    """
    now, people = host.clock(), list(host.people.values())
    if not people:
        return {role: host.make_token(role, role, None) for role in sorted(ROLES)}
    if any(person.role == "admin" and not person.expired(now) for person in people):
        return {}
    names = {person.name for person in people if not person.expired(now)}
    name = next(name for i in count(1) if (name := f"admin{i if i > 1 else ''}") not in names)
    return {"admin": host.make_token(name, "admin", None)}


def demo_token(host: Host) -> str | None:
    """Create a token for the demonstration; return None if the folder has other streams."""
    alone = [*host.views, *host.service.unserved] == [DEMO.name]
    return host.make_token("demo", "annotate", None) if alone else None


def run(host: Host, door: socket.socket, names: Iterable[str], demo: bool, each: int) -> None:
    """Serve until Ctrl-C or SIGTERM; then finish queued work and take snapshots."""
    address, port = door.getsockname()[:2]
    with host, running(*([partial(feed, host)] if demo else [])), connected(host):
        server(application(host, names), address, port, each).run(sockets=[door])
