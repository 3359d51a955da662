"""Fixtures of the tests of data sets."""

import pytest


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A folder that is both data home and cache, with nothing in it."""
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.delenv("SELECTRON_DATA", raising=False)
    return tmp_path / "selectron"
