"""Settings of all tests. Compiling is what many cost: they share learners and askers, or do not."""

import numpy as np
import pytest
from hypothesis import settings

from selectron.compose import parts
from selectron.engine.bind import bind
from selectron.engine.loop import play

# the first example of a test may compile, or find the machine busy: no time limit an example
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def interpreted(monkeypatch):
    """Play rounds as plain Python, and like machine code without warnings."""
    monkeypatch.setattr("selectron.model.loop", plain)


def plain(*three):
    return np.errstate(all="ignore")(bind(play, parts(*three)))
