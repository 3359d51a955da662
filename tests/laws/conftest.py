"""Every law takes a `case`; a case that is not compiled has its loops run as plain Python."""

import pytest

from .grid import GRID, marked, name_of, plain_loop


@pytest.fixture(autouse=True)
def wide(never_narrow):
    """Have laws of sparse rows, which would be dense to ensembles."""


@pytest.fixture(params=marked(GRID), ids=name_of)
def case(request, monkeypatch):
    if not request.param.compiled:
        monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    return request.param
