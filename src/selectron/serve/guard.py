"""Checks on every request: host, origin, rate, token."""

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from .host import Host
from .strict import Problem
from .tokens import owner

FEW = 1 << 13  # bytes of a body that are passed over; beyond them the connection is closed
RATE, BURST = 2000.0, 4000.0  # requests a second of one address, and at once
STRANGERS, AT_ONCE = 300.0, 100  # requests a second without a valid token, and at once
WAIT = 2.0  # seconds for which one of these waits at most
ADDRESSES = 10_000  # remembered
LOCAL = ("127.0.0.1", "localhost", "[::1]")
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [  # of every response
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
PRIVATE = ("/v1", "/metrics", "/healthz")  # paths whose responses are not cached


class Rates:
    """Turns of requests: of each address `rate` a second, and `burst` at once."""

    def __init__(self, rate: float = RATE, burst: float = BURST):
        self.gap, self.ahead = 1 / rate, burst / rate
        self.last: OrderedDict[str, float] = OrderedDict()  # the last turn of each address

    def take(self, address: str = "", most: float = 0.0) -> float | None:
        """Take a turn; return the seconds until it comes, or None if they would exceed `most`."""
        now = time.monotonic()
        first = now - self.ahead
        turn = max(first, self.last.pop(address, first)) + self.gap
        late = turn - now > most
        self.last[address] = turn - self.gap if late else turn
        if len(self.last) > ADDRESSES:
            self.last.popitem(last=False)
        return None if late else max(0.0, turn - now)


class Guard:
    """ASGI middleware: checks host, origin and rate, and identifies the owner of the token.

    The owner of a valid token is stored as `state.person`, otherwise None. A connection is closed
    after the reply if a long body has not been read. HEAD is answered as GET.

    Starlette's TrustedHostMiddleware does not suffice: it replies with 400 in plain text.
    """

    def __init__(self, app: Any, host: Host, hosts: Iterable[str], rates: Rates | None):
        self.app, self.host = app, host
        self.hosts = {*map(bare, (*LOCAL, *hosts))}
        self.rates = rates or Rates()
        self.strangers = Rates(STRANGERS, AT_ONCE)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Process a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        head, over = scope["method"] == "HEAD", False
        if head:
            scope = {**scope, "method": "GET"}
        unread = length(scope, FEW + 1) > FEW

        async def receiving() -> Any:
            nonlocal unread
            message = await receive()
            unread = unread and message.get("more_body", False)
            return message

        async def sending(message: Any) -> None:
            nonlocal over
            if message["type"] == "http.response.start":
                cache = b"no-store" if scope["path"].startswith(PRIVATE) else b"no-cache"
                more = [*HEADERS, (b"cache-control", cache)]
                if unread:
                    more.append((b"connection", b"close"))
                message["headers"] = [*message["headers"], *more]
            elif head:  # the reply ends where its body begins
                if over:
                    return
                over, message = True, {"type": message["type"]}
            await send(message)

        try:
            await self._check(scope)
        except Problem as problem:
            headers = {"connection": "close"}
            if problem.status == 429:
                headers["retry-after"] = "1"
            await JSONResponse(problem.body(), problem.status, headers)(scope, receive, sending)
            return
        await self.app(scope, receiving, sending)

    async def _check(self, scope: Any) -> None:
        headers = Headers(scope=scope)
        host = ",".join(headers.getlist("host")).lower()  # two of them are not a name
        if bare(host) not in self.hosts:
            raise Problem(421, "host", "This server does not have that name: see --allow-host.")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            raise Problem(403, "origin", "Requests from pages of other origins are refused.")
        address = (scope.get("client") or ("", 0))[0]
        if self.rates.take(address) is None:
            raise Problem(429, "too_many", "Too many requests: wait a second.")
        person = owner(headers.get("authorization"), self.host.people, self.host.clock())
        scope.setdefault("state", {})["person"] = person
        if person is None:
            if (wait := self.strangers.take(most=WAIT)) is None:
                raise Problem(503, "busy", "Too many requests without a token: wait a moment.")
            await asyncio.sleep(wait)


def bare(host: str) -> str:
    """Return a host as it is compared: without case, port and final dot, IPv6 in brackets.

    >>> bare("Mail.Example.org.:8000"), bare("[::1]:8000"), bare("::1")
    ('mail.example.org', '[::1]', '[::1]')
    """
    if host.count(":") > 1 and not host.startswith("["):
        return f"[{host.lower()}]"
    return re.sub(r"\.?(:\d*)?$", "", host.lower())


def length(scope: Any, unknown: int) -> int:
    """Return the length of a request's body, or `unknown`."""
    headers = Headers(scope=scope)
    return unknown if "transfer-encoding" in headers else int(headers.get("content-length", 0))
