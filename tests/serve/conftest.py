"""What the tests of the service share."""

from contextlib import ExitStack, closing

import pytest

from .live import Live
from .mail import Desk
from .web import Web


@pytest.fixture
def desk(tmp_path):
    with ExitStack() as stack:

        def make(*declarations, folder=tmp_path, **more):
            one = Desk(folder, *declarations, **more)
            stack.callback(one.crash)
            return one

        yield make


@pytest.fixture
def web(tmp_path):
    with ExitStack() as stack:
        yield lambda *given, **more: stack.enter_context(closing(Web(tmp_path, *given, **more)))


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One application for all tests of a module that change nothing that others look at."""
    with closing(Web(tmp_path_factory.mktemp("web"))) as one:
        yield one


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """One server for all tests of a module."""
    with closing(Live(tmp_path_factory.mktemp("live"))) as one:
        yield one


@pytest.fixture
def site(tmp_path):
    with ExitStack() as stack:
        yield lambda *given: stack.enter_context(closing(Live(tmp_path, *given)))


@pytest.fixture
def visit(browser):
    """Open a page as somebody; what the browser complains of fails the test.

    ``routes`` holds the handler of each pattern of addresses. They are set before the page loads:
    one that is set later misses, now and then, what the page asks for at once.
    """
    contexts, complaints = [], []

    def go(site, path="/label?stream=mail", role="annotate", routes=None, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        for pattern, handler in (routes or {}).items():
            page.route(pattern, handler)
        page.goto(f"{site.url}{path}#token={site.tokens[role]}")
        return page

    yield go
    for context in contexts:
        context.close()
    real = [c for c in complaints if "ERR_" not in c and "status of 4" not in c]
    assert real == []
