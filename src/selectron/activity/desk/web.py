"""A page on this computer: the question that waits, what is declared, and the activities.

It listens on the loopback alone, takes requests that carry the folder's token, and refuses those
that come by another host's name or from another page.
"""

import secrets
import threading
import time
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...errors import SelectronError
from ...serve.bodies import Bodies
from ...serve.guard import Guard
from ...serve.problem import Problem, invalid
from ...serve.server import server
from ..diary.session import Session

LOOPBACK = "127.0.0.1"
STARTING = 20.0  # seconds
OWN, SERVICE = "selectron.activity.desk", "selectron.serve"
PAGES = {
    "/": (OWN, "question.html", "text/html"),
    "/static/question.js": (OWN, "question.js", "text/javascript"),
    "/static/question.css": (OWN, "question.css", "text/css"),
    "/static/talk.js": (SERVICE, "talk.js", "text/javascript"),
    "/static/style.css": (SERVICE, "style.css", "text/css"),
    "/static/icon.svg": (SERVICE, "icon.svg", "image/svg+xml"),
}
UNKNOWN = "Open the address that selectron activity watch prints."
Handler = Callable[[Request], Awaitable[Response]]


def application(session: Session, token: str, trouble: Callable[[], str | None]) -> Starlette:
    """Return the application around a session; `trouble` tells what is wrong, None if nothing."""

    bodies = Bodies()

    def known(handler: Callable[[dict[str, Any]], Any]) -> Handler:
        async def handle(request: Request) -> Response:
            if request.state.person is None:
                raise Problem(401, "unauthorized", UNKNOWN)
            body: Any = {}
            if request.method == "POST":
                async with bodies.read(request.scope, request.receive) as receive:
                    content = await Request(request.scope, receive).body()
                    body = await bodies.json(content)
            if not isinstance(body, dict):
                raise invalid("The body must be an object.")
            handler(body)
            return JSONResponse(state(session, trouble()))

        return handle

    deeds = {
        "answers": lambda body: answered(session, body),
        "declarations": lambda body: declared(session, body),
        "activities": lambda body: session.said("create", _text(body), session.clock()),
    }
    routes = [Route(path, _page(*page)) for path, page in PAGES.items()]
    routes += [Route("/v1/activity", known(lambda body: None))]
    routes += [
        Route(f"/v1/activity/{name}", known(deed), methods=["POST"]) for name, deed in deeds.items()
    ]
    handlers: Any = {SelectronError: _refused, Exception: _failed}
    guard = Middleware(Guard, whose=lambda header: _whose(header, token))
    return Starlette(routes=routes, exception_handlers=handlers, middleware=[guard])


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


def answered(session: Session, body: dict[str, Any]) -> None:
    """Take an answer to an alarm."""
    alarm = body.get("alarm")
    if type(alarm) is not int:
        raise invalid("alarm: must be the number of an alarm.")
    session.said("answer", alarm, _text(body), session.clock())


def declared(session: Session, body: dict[str, Any]) -> None:
    """Take a declaration; it holds from now on."""
    now = session.clock()
    session.said("declare", _text(body), now, now)


def _text(body: dict[str, Any]) -> str:
    if not isinstance(body.get("activity"), str):
        raise invalid("activity: must be the name of an activity.")
    return body["activity"]


def _whose(header: str | None, token: str) -> str | None:
    """Return whose request this is, None without the token."""
    given = (header or "").removeprefix("Bearer ").encode()
    return "person" if secrets.compare_digest(given, token.encode()) else None


def _page(package: str, name: str, media: str) -> Handler:
    async def send(request: Request) -> Response:
        return Response(content(package, name), media_type=media)

    return send


@cache
def content(package: str, name: str) -> bytes:
    """Return a file of the pages."""
    return (files(package) / "page" / name).read_bytes()


async def _refused(request: Request, error: SelectronError) -> Response:
    problem = error if isinstance(error, Problem) else invalid(str(error))
    return JSONResponse(problem.body(), problem.status)


async def _failed(request: Request, error: Exception) -> Response:
    return JSONResponse(Problem(500, "internal", "This could not be kept.").body(), 500)


class Page:
    """The page, served by a thread until `close`; port 0 takes any that is free."""

    def __init__(
        self,
        session: Session,
        token: str,
        port: int = 0,
        trouble: Callable[[], str | None] = lambda: None,
    ):
        self.server = server(application(session, token, trouble), LOOPBACK, port)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        limit = time.monotonic() + STARTING
        while not self.server.started:
            if not self.thread.is_alive() or time.monotonic() > limit:
                raise SelectronError(f"The page cannot be served at port {port}: give another.")
            time.sleep(0.01)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://{LOOPBACK}:{self.port}/#token={token}"

    def _run(self) -> None:
        try:
            self.server.run()
        except SystemExit:
            return  # uvicorn's way to say that the port is taken

    def close(self) -> None:
        """Serve no longer."""
        self.server.should_exit = True
        self.thread.join()
