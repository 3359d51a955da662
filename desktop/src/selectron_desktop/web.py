"""A page on this computer: the open question, the declared activity, and all activities.

The server listens on the loopback interface alone. It requires the folder's token, and refuses
requests under another host's name or from another page.
"""

import secrets
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from selectron import SelectronError

from .session import Session

LOOPBACK = "127.0.0.1"
BODY = 1 << 16  # bytes of a request
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
PAGES = {
    "/": ("question.html", "text/html"),
    "/static/question.js": ("question.js", "text/javascript"),
    "/static/question.css": ("question.css", "text/css"),
    "/static/icon.svg": ("icon.svg", "image/svg+xml"),
}
Handler = Callable[[Request], Awaitable[Response]]
Fault = Callable[[], str | None]  # returns what is wrong, None if nothing is


def application(session: Session, token: str, trouble: Fault) -> Starlette:
    """Return the application of a session."""

    def known(deed: Callable[[dict[str, Any]], tuple] | None = None) -> Handler:
        async def handle(request: Request) -> Response:
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            if not secrets.compare_digest(given.encode(), token.encode()):
                raise HTTPException(401, "Open the address that selectron-desktop watch prints.")
            if deed:
                session.said(*deed(await _body(request)), session.clock())
            return JSONResponse(state(session, trouble()))

        return handle

    deeds = {
        "answers": lambda body: ("answer", _field(body, "alarm", int), _name(body)),
        "declarations": lambda body: ("declare", _name(body), session.clock()),
        "activities": lambda body: ("create", _name(body)),
    }
    routes = [Route(path, _page(*page)) for path, page in PAGES.items()]
    routes += [Route("/v1/activity", known())]
    routes += [
        Route(f"/v1/activity/{name}", known(deed), methods=["POST"]) for name, deed in deeds.items()
    ]
    handlers: Any = {
        HTTPException: lambda _, error: _problem(error.status_code, error.detail),
        SelectronError: lambda _, error: _problem(422, str(error)),
        Exception: lambda *_: _problem(500, "This could not be stored."),
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.add_middleware(BaseHTTPMiddleware, dispatch=_guarded)
    return app


def state(session: Session, trouble: str | None = None) -> dict[str, Any]:
    """Return what the page shows."""
    with session.thread:
        names, now = session.names, session.clock()
        questions = session.say.questions(now)
        since, declared = names.declared or (None, None)
        return {
            "now": now,
            "declared": declared,
            "since": since,
            "activities": [name for name, is_open in names.open.items() if is_open],
            "question": questions[0] if questions else None,
            "waiting": len(questions),
            "trouble": trouble,
        }


def _field(body: dict[str, Any], name: str, kind: type) -> Any:
    if type(body.get(name)) is not kind:
        raise SelectronError(f"{name}: must be {'an integer' if kind is int else 'a string'}.")
    return body[name]


def _name(body: dict[str, Any]) -> str:
    return _field(body, "activity", str)


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON object in a request's body."""
    if int(request.headers.get("content-length", BODY + 1)) > BODY:
        raise HTTPException(413, f"The body is longer than {BODY} bytes.")
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        raise HTTPException(400, "The body is not JSON.") from None
    if not isinstance(body, dict):
        raise SelectronError("The body must be an object.")
    return body


async def _guarded(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
    """Refuse requests under another host's name, or from another page."""
    host, origin = request.headers.get("host", ""), request.headers.get("origin")
    if host.partition(":")[0] not in (LOOPBACK, "localhost"):
        response = _problem(421, "This server does not have that name.")
    elif origin is not None and origin.partition("://")[2] != host:
        response = _problem(403, "Requests from pages of other origins are refused.")
    else:
        response = await call(request)
    response.headers.update(HEADERS)
    return response


def _page(name: str, media: str) -> Handler:
    content = (files(__package__) / "page" / name).read_bytes()

    async def send(request: Request) -> Response:
        return Response(content, media_type=media)

    return send


def _problem(status: int, message: str) -> Response:
    return JSONResponse({"error": {"message": message}}, status)


class Page:
    """The page, served by a thread until `close`; port 0 selects any that is free."""

    def __init__(self, session: Session, token: str, port: int = 0, trouble: Fault = lambda: None):
        self.server = uvicorn.Server(
            uvicorn.Config(
                application(session, token, trouble), LOOPBACK, port, ws="none",
                log_level="warning", access_log=False, server_header=False, limit_concurrency=64,
                timeout_graceful_shutdown=3,
            )
        )  # fmt: skip
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        limit = time.monotonic() + 20.0  # seconds
        while not self.server.started:
            if not self.thread.is_alive() or time.monotonic() > limit:
                raise SelectronError(f"The page cannot be served at port {port}: choose another.")
            time.sleep(0.01)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://{LOOPBACK}:{self.port}/#token={token}"

    def _run(self) -> None:
        with suppress(SystemExit):  # uvicorn exits if the port is in use
            self.server.run()

    def close(self) -> None:
        """Stop the server."""
        self.server.should_exit = True
        self.thread.join()
