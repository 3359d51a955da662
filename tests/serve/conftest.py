"""What the tests of the service share."""

import pytest

from .live import Live
from .mail import Desk
from .web import Web


@pytest.fixture
def desk(tmp_path):
    made = []

    def make(*declarations, folder=tmp_path, **more):
        made.append(Desk(folder, *declarations, **more))
        return made[-1]

    yield make
    for one in made:
        one.crash()


@pytest.fixture
def web(tmp_path):
    made = []

    def make(*declarations, **options):
        made.append(Web(tmp_path, *declarations, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One application for all tests of a module that change nothing that others look at."""
    one = Web(tmp_path_factory.mktemp("web"))
    yield one
    one.close()


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """One server for all tests of a module."""
    one = Live(tmp_path_factory.mktemp("live"))
    yield one
    one.close()


@pytest.fixture
def site(tmp_path):
    made = []

    def make(*declarations):
        made.append(Live(tmp_path, *declarations))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def visit(browser):
    """Open a page as somebody; what the browser complains of fails the test."""
    contexts, complaints = [], []

    def go(site, path="/label?stream=mail", role="annotate", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.goto(f"{site.url}{path}#token={site.tokens[role]}")
        return page

    yield go
    for context in contexts:
        context.close()
    real = [c for c in complaints if "ERR_" not in c and "status of 4" not in c]
    assert real == []
