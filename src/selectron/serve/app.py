"""The application: routes, errors in one shape, and the pages."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from string import Template
from typing import Any, NamedTuple

from anyio.to_thread import run_sync
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.exceptions import HTTPException
from starlette.routing import Match

from .. import __version__
from . import routes
from .guard import Guard, Rates
from .host import Host
from .requests import Bodies, allowed, mime, strict_routes
from .service import BROKEN
from .strict import Problem, unfit

COUNTERS = {
    "items": "Items received",
    "predicted": "Items predicted after a label had been learned",
    "asked": "Items whose label was asked for",
    "skipped": "Questions skipped",
    "late": "Late answers",
    "retired": "Questions retired unanswered",
    "damaged": "Items set aside because their stored content is damaged",
    "version": "Labels learned",
}
GAUGES = {
    "queue": "Questions waiting",
    "disputed": "Questions waiting for one more person, as people disagree",
    "answered": "Questions answered, less those undone",
}

SHARES = {
    "recall": "Estimated recall of a class, and its 95% interval",
    "precision": "Estimated precision of a class, and its 95% interval",
}

KAFKA = (
    ("connected", "1 if the brokers of a topic answer", GaugeMetricFamily),
    ("messages", "Messages of a topic taken or sent since the start", CounterMetricFamily),
)


class Figures(NamedTuple):
    """Collector of the metrics of a host."""

    host: Host

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics."""
        views, service = self.host.views.items(), self.host.service
        of_stream, of_class = ("stream",), ("stream", "class")
        for kind, named in ((CounterMetricFamily, COUNTERS), (GaugeMetricFamily, GAUGES)):
            for name, what in named.items():
                yield family(name, what, of_stream, [((s,), v[name]) for s, v in views], kind)
        accuracy = [((s, b), x) for s, v in views for b, x in v["accuracy"]["recent"].items()]
        what = "Honest accuracy of recently answered items, and its 95% interval"
        yield family("accuracy", what, ("stream", "bound"), accuracy)
        what = "Estimated accuracy of predicting the most frequent class"
        yield family("majority", what, of_stream, [((s,), v["majority"]) for s, v in views])
        rows = [((s, row["class"]), row) for s, v in views for row in v["per_class"]]
        counts = [(names, row["labels"]) for names, row in rows]
        yield family("labels", "Settled labels of a class", of_class, counts)
        for name, what in SHARES.items():
            known = [(names, row[name]) for names, row in rows if row[name]["estimate"] is not None]
            bounds = [((*names, b), x) for names, found in known for b, x in found.items()]
            yield family(name, what, (*of_class, "bound"), bounds)
        topics = [((one.name, one.topic), one) for one in self.host.topics]
        for name, what, kind in KAFKA:
            rows = [(names, getattr(one, name)) for names, one in topics]
            yield family(f"kafka_{name}", what, ("stream", "topic"), rows, kind)
        what = "1 if the store cannot be written"
        yield family("failing", what, (), [((), service.failing)])
        what = "1 if an entry of the log, or a reply, is damaged"
        yield family("broken", what, (), [((), service.broken)])


def family(
    name: str, what: str, labels: Sequence[str], rows: Iterable[Any], kind: Any = GaugeMetricFamily
) -> Metric:
    """Return a metric of rows, each the values of its labels and a number, or None."""
    found = kind(f"selectron_{name}", what, labels=labels)
    for names, value in rows:
        if value is not None:
            found.add_metric(names, value)
    return found


ERROR = {"description": "What is wrong, and why: {error: {code, message}}."}
PAGES = {"/": "streams", "/label": "label", "/history": "history"}
MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FILES = {file.name: file.read_bytes() for file in (files(__package__) / "page").iterdir()}
FRAME = Template(FILES["page.html"].decode())


def application(host: Host, hosts: Iterable[str] = (), rates: Rates | None = None) -> FastAPI:
    """Return the application for a host; `hosts` are its names in addition to localhost."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        await run_sync(host.stop)

    app = FastAPI(
        title="Selectron",
        version=__version__,
        description="Predicts streams item by item, and queries the labels it needs.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=life,
        responses={"4XX": ERROR, "5XX": ERROR},
    )
    app.state.host, app.state.bodies = host, Bodies()
    for router in (routes.items, routes.labelling, routes.reports):
        app.include_router(router)
    add_plain(app)
    add_errors(app)
    app.add_middleware(Guard, host=host, hosts=hosts, rates=rates)
    return app


def add_plain(app: FastAPI) -> None:
    """Add the routes outside /v1: health, metrics, and pages, which contain no data."""

    @app.get("/healthz", tags=["health"])
    async def healthz(request: Request) -> Response:
        """Report whether the service works."""
        host = request.app.state.host
        works = not (host.service.failing or host.service.broken)
        damaged = sum(view["damaged"] for view in host.views.values())
        away = sorted({one.name for one in host.topics if not one.connected})
        report = {"ok": works, "damaged": damaged} | ({"disconnected": away} if away else {})
        return JSONResponse(report, 200 if works else 503)

    router = strict_routes("", "health")

    @router.get("/metrics", **allowed("read"), **mime("text/plain"))
    async def metrics(request: Request) -> Response:
        """Return metrics for Prometheus."""
        return Response(generate_latest(Figures(request.app.state.host)), media_type="text/plain")

    app.include_router(router)
    app.add_route("/static/{name}", static)
    for path in PAGES:
        app.add_route(path, page)


async def static(request: Request) -> Response:
    """Return a file of the pages."""
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    return Response(FILES[name], media_type=MEDIA.get(name.rpartition(".")[2], "text/plain"))


async def page(request: Request) -> Response:
    """Return a page: what is its own, in the frame that all pages share."""
    name = PAGES[request.scope["path"]]
    main = FILES[f"{name}.html"].decode()
    return HTMLResponse(FRAME.substitute(name=name, title=name.capitalize(), main=main))


def add_errors(app: FastAPI) -> None:
    """Give all errors one JSON shape, without tracebacks."""

    @app.exception_handler(Problem)
    async def problem(request: Request, error: Problem) -> Response:
        headers = {"www-authenticate": "Bearer"} if error.status == 401 else None
        return JSONResponse(error.body(), error.status, headers)

    @app.exception_handler(RequestValidationError)
    async def unsuited(request: Request, error: RequestValidationError) -> Response:
        return JSONResponse(unfit(error).body(), 422)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if isinstance(error.detail, dict):
            return JSONResponse(error.detail, error.status_code, error.headers)
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "refused")
        path, headers, why = request.scope["path"], error.headers, f"{error.detail}."
        if error.status_code == 404:
            why = f"There is no route {path}: /v1/openapi.json lists all routes."
        if error.status_code == 405:
            headers = methods(app, path)
            why = f"{path} takes {headers['allow']}, not {request.method}."
        body = Problem(error.status_code, code, why).body()
        return JSONResponse(body, error.status_code, headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        return JSONResponse(Problem(500, "internal", BROKEN).body(), 500)


def methods(app: FastAPI, path: str) -> dict[str, str]:
    """Return the header with all methods of a path: the router names those of one route only."""
    scope = {"type": "http", "path": path, "root_path": ""}
    found = [
        method
        for method in ("GET", "POST", "DELETE")
        if any(r.matches({**scope, "method": method})[0] is Match.FULL for r in app.routes)
    ]
    return {"allow": ", ".join(found).replace("GET", "GET, HEAD")}
