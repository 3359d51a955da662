"""What the tests of the desk share."""

import pytest

from selectron.activity.diary.session import Session
from selectron.activity.event import Event

from .fake import Fake

DAY = 1_714_550_400.0  # the first of May 2024, 8:00 UTC


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
        one.held.release()


def work(minute, *resources):
    """Return events of a minute each, from a minute of the day on."""
    return [
        Event(DAY + 60.0 * (minute + i), DAY + 60.0 * (minute + i + 1), f"site:{name}", (name,))
        for i, name in enumerate(resources)
    ]


def at(minute):
    """Return a minute of the day, in seconds since 1970."""
    return DAY + 60.0 * minute
