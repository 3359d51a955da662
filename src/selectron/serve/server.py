"""The process: a host, its application, and the server in front of it."""

import asyncio
import errno
import os
import socket
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..errors import SelectronError
from .app import application
from .demo import DEMO, Feeder
from .host import Host

FIRST = ("admin", "annotate", "ingest", "read")  # the roles that get a token at first
CONNECTIONS = 512
BACKLOG = 2048  # connections that may wait while the streams are read, as uvicorn has it
PATIENCE = 15.0  # seconds for which a connection may say nothing before its first request
FAREWELL = 3  # seconds for open connections when the server ends


class Patient(HttpToolsProtocol):
    """A connection that is closed if no request comes, or half of one."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        loop = asyncio.get_running_loop()
        self.waiting = loop.call_later(PATIENCE, self.give_up)

    def on_headers_complete(self) -> None:
        """Be satisfied."""
        self.waiting.cancel()
        super().on_headers_complete()

    def give_up(self) -> None:
        """Close the connection."""
        if not self.transport.is_closing():
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self.waiting.cancel()
        super().connection_lost(exc)


def server(app: Any, host: str, port: int) -> uvicorn.Server:
    """Return a server for an application."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            http=Patient,
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=20,
            timeout_graceful_shutdown=FAREWELL,
            h11_max_incomplete_event_size=1 << 16,
        )
    )


def listening(address: str, port: int) -> socket.socket:
    """Return a socket that listens at an address, or raise SelectronError: it is not to be had."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    found = socket.socket(family)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((address, port))
        found.listen(BACKLOG)
    except OSError as error:
        found.close()
        raise SelectronError(_why_not(address, port, error)) from None
    return found


def _why_not(address: str, port: int, error: OSError) -> str:
    """Tell why a port cannot be listened at."""
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; give another --port"
    if isinstance(error, PermissionError):
        return f"port {port} may not be used (permission denied); give a --port above 1023"
    return f"{address} is no address of this machine ({error.strerror}); give another --host"


def first_tokens(host: Host) -> dict[str, str]:
    """Make a token for every role, if there is none yet; they are seen this once.

    If there are some, but none of an admin that is good still, one is made for an admin alone.
    """
    now, people = host.clock(), list(host.people.values())
    if not people:
        return {role: host.make_token(role, role, None) for role in FIRST}
    if any(person.role == "admin" and not person.expired(now) for person in people):
        return {}
    names = {person.name for person in people if not person.expired(now)}
    name = next(name for i in count(1) if (name := f"admin{i if i > 1 else ''}") not in names)
    return {"admin": host.make_token(name, "admin", None)}


def demo_token(host: Host) -> str | None:
    """Make a token for the page of the demonstration; None in a folder that has other streams."""
    if host.serves_others(DEMO.name):
        return None
    return host.make_token("demo", "annotate", None)


def run(host: Host, door: socket.socket, names: Iterable[str] = (), demo: bool = False) -> None:
    """Serve until Ctrl-C or SIGTERM; what waits is done, and snapshots are taken."""
    address, port = door.getsockname()[:2]
    feeder = Feeder(host) if demo else None
    if feeder is not None:
        feeder.start()
    try:
        server(application(host, names), address, port).run(sockets=[door])
    finally:
        if feeder is not None:
            feeder.stop()
        host.stop()


def made(folder: Path, declarations: Sequence[Any], demo: bool, accept_loss: bool = False) -> Host:
    """Return a host for these streams, and the demonstration's."""
    streams = [*declarations, *([DEMO] if demo else [])]
    return Host(folder, streams, accept_loss=accept_loss)
