"""Loops run as plain Python, but for those that the laws compile anyway: a law holds them equal."""

import pytest
from laws.grid import COVER, plain_loop

from selectron.model import compose

COMPILED = {case.kinds for case in COVER}


def loop(*kinds):
    return (compose.loop if kinds in COMPILED else plain_loop)(*kinds)


@pytest.fixture
def mostly_plain(request, monkeypatch):
    if request.node.get_closest_marker("slow"):  # the others compile even fewer
        monkeypatch.setattr("selectron.model.model.loop", loop)
