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
