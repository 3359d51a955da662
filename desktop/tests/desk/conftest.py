"""What the tests of the desk share."""

import shutil
import signal

import pytest

from selectron_desktop.session import Session

from .days import DAY
from .fake import Fake

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@pytest.fixture
def began(tmp_path):
    """Open sessions in a folder; they are closed in the end."""
    made = []

    def make(folder=tmp_path / "home", chance=1.0, clock=lambda: DAY + 86_400.0):
        made.append(Session(folder, lambda: Fake(chance), Fake.load, clock))
        return made[-1]

    yield make
    for one in made:
        one.journal.close()
        one.held.close()


# programs that the tests start are sent Ctrl-C: they would inherit that it is ignored
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def browser():
    """Return a browser for all tests of a module."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tool:
        one = tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield one
        one.close()
