"""The server process: a host, its application, and uvicorn."""

import errno
import signal
import socket
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

import uvicorn

from ..errors import SelectronError
from .app import application
from .connection import BUFFER, CONNECTIONS, Connection
from .demo import DEMO, feeding
from .host import Host
from .kafka import connected

FIRST = ("admin", "annotate", "ingest", "read")  # roles that get a token at the first start
BACKLOG = 2048  # connections that may wait while the streams are read, as uvicorn has it
TASKS = 4 * CONNECTIONS  # some are done after their connection is lost
KEPT = 15  # seconds for which a connection is kept open between two requests
FAREWELL = 3  # seconds for open connections when the server ends


def server(app: Any, host: str, port: int, each: int) -> uvicorn.Server:
    """Return a server for an application, with at most `each` connections per address."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            http=type("Connection", (Connection,), {"each": each, "count": Counter()}),
            ws="none",
            log_level="error",  # a warning for every malformed request would fill a log
            access_log=False,
            server_header=False,
            limit_concurrency=TASKS,
            timeout_keep_alive=KEPT,
            timeout_graceful_shutdown=FAREWELL,
        )
    )


def listening(address: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises SelectronError if it cannot."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    found = socket.socket(family)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        found.bind((address, port))
        found.listen(BACKLOG)
    except OSError as error:
        found.close()
        raise SelectronError(_why_not(address, port, error)) from None
    return found


def _why_not(address: str, port: int, error: OSError) -> str:
    """Return the reason why a port cannot be used."""
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use; give another --port"
    if isinstance(error, PermissionError):
        return f"port {port} may not be used (permission denied); give a --port above 1023"
    return f"{address} is no address of this machine ({error.strerror}); give another --host"


def first_tokens(host: Host) -> dict[str, str]:
    """Create a token for every role if there is none yet; return the new tokens by role.

    If there are tokens but no valid one of an admin, create only that.
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
    """Create a token for the demonstration; return None if the folder has other streams."""
    query = "SELECT 1 FROM streams WHERE name <> ?"
    if host.read(lambda db: db.execute(query, (DEMO.name,)).fetchone()):
        return None
    return host.make_token("demo", "annotate", None)


@contextmanager
def terminable() -> Iterator[None]:
    """Make SIGTERM end the process with status 0, running all `finally` blocks."""

    def end(*_: Any) -> None:
        raise SystemExit(0)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run(host: Host, door: socket.socket, names: Iterable[str], demo: bool, each: int) -> None:
    """Serve until Ctrl-C or SIGTERM; then finish queued work and take snapshots."""
    address, port = door.getsockname()[:2]
    with host, feeding(host) if demo else nullcontext(), connected(host):
        server(application(host, names), address, port, each).run(sockets=[door])


def made(folder: Path, declarations: Sequence[Any], demo: bool, accept_loss: bool = False) -> Host:
    """Return a host for these streams and, with `demo`, the demonstration."""
    return Host(folder, [*declarations, *([DEMO] if demo else [])], accept_loss=accept_loss)
