"""Settings of all tests. Compiling is what many cost: they share learners and askers, or do not."""

import shutil
import signal

import numpy as np
import pytest
from hypothesis import settings

from selectron.engine.bind import bind
from selectron.engine.loop import play
from selectron.model.compose import parts

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# the first example of a test may compile, or find the machine busy: no time limit an example
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# programs that the tests start are sent Ctrl-C: they would inherit that it is ignored, as it is by
# what a script starts in the background
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def interpreted(request, monkeypatch):
    """Play rounds as plain Python, and like machine code without warnings; not if marked."""
    if not request.node.get_closest_marker("compiles"):
        monkeypatch.setattr("selectron.model.model.loop", plain)


@pytest.fixture
def never_narrow(monkeypatch):
    """Play sparse rows as such, however narrow they are."""
    monkeypatch.setattr("selectron.model.widths.NARROW", 0)


def plain(*three):
    return np.errstate(all="ignore")(bind(play, parts(*three)))


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
