"""Compiling is what these tests cost: most of them share two learners and two askers."""

import numpy as np
import pytest

from selectron.compose import parts
from selectron.engine.bind import bind
from selectron.engine.loop import play


@pytest.fixture
def interpreted(monkeypatch):
    """Play rounds as plain Python, and like machine code without warnings."""
    monkeypatch.setattr("selectron.model.loop", plain)


def plain(*three):
    return np.errstate(all="ignore")(bind(play, parts(*three)))
