"""What every request goes through before it is looked at: its host, its rate, its body."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from . import strict
from .problem import Problem

BODY, LARGE_BODY = 1 << 20, 8 << 20  # bytes; the latter of batches and imports
LARGE = ("/batch", "/label-studio")
PATIENCE = 20.0  # seconds for a body to arrive
RATE, BURST = 2000.0, 4000.0  # requests a second of one address, and at once
ADDRESSES = 10_000  # that are remembered
LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Rates:
    """A bucket for each address: it fills at `rate`, and holds `burst` requests."""

    def __init__(self, rate: float = RATE, burst: float = BURST):
        self.rate, self.burst = rate, burst
        self.buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now: float) -> bool:
        """Take a request out of an address's bucket, if there is one."""
        left, then = self.buckets.pop(address, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        self.buckets[address] = (left - 1 if left >= 1 else left, now)
        if len(self.buckets) > ADDRESSES:
            self.buckets.popitem(last=False)
        return left >= 1


class Guard:
    """ASGI: refuses what is too much or comes from elsewhere, and reads bodies."""

    def __init__(self, app: Any, hosts: Iterable[str] = (), rates: Rates | None = None):
        self.app = app
        self.hosts = {*LOCAL, *hosts}
        self.rates = rates or Rates()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Take a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def sending(message: Any) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message["headers"], *extra(scope["path"])]
            await send(message)

        try:
            self._check(scope)
            again = await bodied(scope, receive)
        except Problem as problem:
            await refuse(problem, sending)
            return
        await self.app(scope, again, sending)

    def _check(self, scope: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if "*" not in self.hosts and bare(host) not in self.hosts:
            raise Problem(421, "host", "This server does not go by that name: see --allow-host.")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise Problem(403, "origin", "Requests from pages of other origins are refused.")
        address = (scope.get("client") or ("", 0))[0]
        if not self.rates.take(address, time.monotonic()):
            raise Problem(429, "too_many", "Too many requests: wait a second.")


def bare(host: str) -> str:
    """Return a host without its port.

    >>> bare("localhost:8000"), bare("[::1]:8000"), bare("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    return (
        host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.split(":")[0]
    )


def extra(path: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that every response gets."""
    cache = "no-store" if path.startswith("/v1") or path in ("/metrics", "/healthz") else "no-cache"
    return [(k.encode(), v.encode()) for k, v in {**HEADERS, "cache-control": cache}.items()]


async def bodied(scope: Any, receive: Any) -> Any:
    """Read the body, as far as it may go; return a `receive` that gives it at once."""
    if scope["method"] in ("GET", "HEAD"):
        return receive
    limit = LARGE_BODY if scope["path"].endswith(LARGE) else BODY
    too_long = Problem(413, "too_long", f"The body is longer than {limit} bytes.")
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if length.isdigit() and int(length) > limit:
        raise too_long
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Problem(400, "cut_short", "The body was cut short.")
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > limit:
                    raise too_long
    except TimeoutError:
        raise Problem(408, "too_slow", f"The body did not come within {PATIENCE:.0f} s.") from None
    given = False

    async def again() -> Any:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    return again


async def refuse(problem: Problem, send: Any) -> None:
    """Send a problem, and have the connection closed: there may be more of the body."""
    content = strict.dumps(problem.body()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
    ]
    if problem.status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
