"""The calibration: interpreted for the first rows, and then compiled, with the same results."""

import numpy as np
import pytest

from selectron.engine.round import ASKED
from selectron.learners import BayesianPerceptron, Perceptron
from selectron.model import calibration
from selectron.model.run import EMPTY

SIZE = 2_000  # of a block


def block(rng, kind, columns):
    """Return the arguments after the state for some rows, and where probabilities are written."""
    scores = rng.normal(size=(SIZE, columns)) * 10.0 ** rng.integers(-3, 4)
    flags = np.where(rng.random(SIZE) < 0.3, ASKED, 0).astype(np.int32)
    codes = rng.choice([-1, 1], SIZE) if columns == 1 else rng.integers(1, columns + 1, SIZE)
    margins = scores[:, 0] if kind is BayesianPerceptron else EMPTY
    proba = np.zeros((SIZE, max(2, columns)))
    return (margins, scores, flags, codes.astype(np.int32), rng.uniform(0.1, 1, SIZE)), proba


@pytest.mark.parametrize("a", [-2.0, 0.0, 1.0])
def test_probabilities_keep_the_order_of_rows_whatever_was_learned(a):
    scores = np.random.default_rng(0).normal(size=(50, 3))
    s, proba = np.zeros(calibration.SIZE), np.zeros((50, 3))
    s[calibration.SCALE], s[calibration.A] = 1.0, a
    for i, best in enumerate(scores.argmax(axis=1)):
        gap = scores[i, best] - np.sort(scores[i])[1]
        calibration.fill(s, scores, best, gap, False, proba, i)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (np.argsort(proba, axis=1) == np.argsort(scores, axis=1)).all()
    gaps = np.diff(np.sort(scores, axis=1))[:, 1]
    assert (np.diff(proba.max(axis=1)[gaps.argsort()]) >= 0).all()


def test_probabilities_are_numbers_before_any_margin_is_known():
    scores = np.array([[0.38881821, -0.38960252, -0.27026156]])
    s, proba = np.zeros(calibration.SIZE), np.zeros((1, 3))
    s[calibration.SCALE], s[calibration.A] = 2 * calibration.LEAST, 0.5
    calibration.fill(s, scores, 0, scores[0, 0] - scores[0, 2], False, proba, 0)
    np.testing.assert_allclose(proba.sum(), 1)
    assert 0.5 < proba[0, 0] < 0.7
    assert (proba[0, 1:] > 0.1).all()


@pytest.mark.parametrize(
    ("kind", "columns"), [(Perceptron, 1), (Perceptron, 3), (BayesianPerceptron, 1)]
)
def test_results_are_the_same(kind, columns):
    numbers, rng = kind().numbers(), np.random.default_rng(columns)
    fresh = calibration.calibrator.__wrapped__
    slow, fast = fresh(kind, columns > 1), fresh(kind, columns > 1)
    s = np.zeros(calibration.SIZE), np.zeros(calibration.SIZE)
    none, proba = block(np.random.default_rng(0), kind, columns)
    fast(numbers, s[1], *(array[:0] for array in none), proba)
    for _ in range(6):  # the last of them is compiled for both
        rows, proba = block(rng, kind, columns)
        other = proba.copy()
        slow(numbers, s[0], *rows, proba)
        fast(numbers, s[1], *rows, other)
        assert proba.tobytes() == other.tobytes()
        assert s[0].tobytes() == s[1].tobytes()
    assert s[0][calibration.COUNT] > SIZE


@pytest.mark.parametrize(
    ("sizes", "compiled"),
    [
        pytest.param([4_000, 4_000, 4_000, 4_000], 2, id="many rows"),
        pytest.param([1] * 30, 11, id="live rounds"),
        pytest.param([0, 1], 2, id="prepared"),
        pytest.param([50, 50], 0, id="few rows"),
    ],
)
def test_it_is_compiled_when_that_pays(sizes, compiled, monkeypatch):
    calls = []
    monkeypatch.setattr(calibration, "compiled", lambda *_: lambda *args: calls.append(args))
    learn = calibration.calibrator.__wrapped__(Perceptron, False)
    for n in sizes:
        flags, codes = np.zeros(n, np.int32), np.zeros(n, np.int8)
        s = np.zeros(calibration.SIZE)
        learn((), s, EMPTY, np.zeros((n, 1)), flags, codes, EMPTY, calibration.NO_PROBA)
    assert len(calls) == compiled
