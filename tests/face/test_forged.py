"""Forged files, whose checksum fits: no number in them may crash compiled code, or keep it busy."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from selectron import OnlineClassifier, SelectronError, storage
from selectron.learners import Perceptron

from .forging import KINDS, forged, genuine

ROOT = Path(__file__).parents[2]
QUICK = {"history": 60}  # of the default; others are slow


def forge(kind, *number):
    """What a process that forges models of a kind has printed."""
    program = [sys.executable, "-W", "ignore", "-m", "tests.face.forging", kind, *number]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *failed, last = done.stdout.splitlines()
    assert failed == []
    return map(int, last.split())


@pytest.mark.parametrize("kind", QUICK)
def test_forged_models_are_refused_or_work(kind):
    loaded, refused = forge(kind, str(QUICK[kind]))
    assert loaded + refused == QUICK[kind]
    assert min(loaded, refused) > 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_forged_models_are_refused_or_work(kind):
    loaded, refused = forge(kind, "80")
    assert loaded + refused == 80
    assert min(loaded, refused) > 8


@pytest.fixture(scope="module")
def history():
    """A model in which compiled code takes many numbers as counts and places."""
    return genuine("history")[0]


CRASHES = {  # what compiled code wrote beyond its arrays, or read
    "rows_seen": (0, -1e6),
    "early rows": ("rows_seen", 0, -20),
    "part of a row": ("rows_seen", 0, 2.5),
    "scalars": (..., -1e6),
    "curved_scalars": (..., -1e6),
    "experts": (..., 1e9),
    "sums": (0, np.inf),
    "mix": (0, np.nan),
}


@pytest.mark.parametrize("kind", CRASHES)
def test_counts_and_places_in_arrays_are_checked(kind, history, tmp_path):
    *name, place, value = CRASHES[kind]
    history.save(tmp_path / "model")
    header, arrays = storage.read(tmp_path / "model")
    name = f"state.{name[0] if name else kind}"
    arrays[name] = forged(arrays[name], place, value)
    storage.write(tmp_path / "model", header, arrays)
    with pytest.raises(SelectronError, match="does not hold a sound model"):
        OnlineClassifier.load(tmp_path / "model")


def test_features_of_open_rows_are_unique(tmp_path):
    """A row has no more values than there are features, for which there is room."""
    genuine("first-sparse")[0].save(tmp_path / "model")
    header, arrays = storage.read(tmp_path / "model")
    OnlineClassifier.load(tmp_path / "model")
    arrays["open.indices"][1] = arrays["open.indices"][0]
    storage.write(tmp_path / "model", header, arrays)
    with pytest.raises(SelectronError, match="does not hold a sound model"):
        OnlineClassifier.load(tmp_path / "model")


@pytest.mark.parametrize("place", [-1, 10**6])
def test_places_of_an_encoder_are_in_its_rows(place, tmp_path):
    table = pd.DataFrame(
        {"a": np.arange(40.0), "b": [f"word {k} of {k % 7} others" for k in range(40)]}
    )
    clf = OnlineClassifier(Perceptron(), encoder="auto", classes=[0, 1])
    clf.partial_fit(table, [0, 1] * 20).save(tmp_path / "model")
    assert clf.encoder_.sparse_
    header, arrays = storage.read(tmp_path / "model")
    header["encoder"]["columns"][0]["made"]["number"]["place"] = place
    storage.write(tmp_path / "model", header, arrays)
    with pytest.raises(SelectronError, match="not sound"):
        OnlineClassifier.load(tmp_path / "model").decide(table[:1])
    header["encoder"]["layout"][1] = ["a"] * 5000
    storage.write(tmp_path / "model", header, arrays)
    forged = OnlineClassifier.load(tmp_path / "model")
    forged.predict(table)  # without the features that its model has not
    forged.explain(table[:2])


def test_a_decomposition_that_fails_is_an_error_of_the_rows(history, monkeypatch):
    def fails(*args):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    before = [array.copy() for array in history.model_.state]
    monkeypatch.setattr("selectron.history.renewal.renewed_priors", fails)
    with pytest.raises(SelectronError, match="too large for floating point"):
        history.run(np.ones((16, 4)), [0] * 16)
    assert all(map(np.array_equal, history.model_.state, before))
