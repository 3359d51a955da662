"""What CELLIP and Disagreement promise: a label that is not asked for follows from the others."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Always, Disagreement, Fixed
from selectron.learners import CELLIP

N, MARGIN = 20_000, 0.2


def separable(d, seed, n=N):
    """Return n points of the unit sphere with at least this margin, and their labels."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(4 * n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[abs(X[:, 0]) >= MARGIN][:n]
    return X, np.where(X[:, 0] > 0, 1, -1)


def play(d, seed, asker, a=0.9, start="sound"):
    X, y = separable(d, seed)
    run = OnlineClassifier(CELLIP(MARGIN, a, start), asker, fit_intercept=False).run(X, y)
    assert len(run) == N
    return run


@pytest.mark.slow
@pytest.mark.parametrize("start", ["sound", "talk"])
@pytest.mark.parametrize("margin", [0.0, 0.9 * MARGIN, MARGIN])
@pytest.mark.parametrize("d", [2, 3])
def test_few_labels_are_asked_for_and_no_other_would_have_been_a_mistake(d, margin, start):
    for seed in range(5):
        run = play(d, seed, Disagreement(margin), start=start)
        assert run.correct[~run.asked].all()
        assert run.label_rate < (0.03 if d == 2 else 0.2)
        assert not run.strained.any()


@pytest.mark.slow
def test_a_known_margin_saves_labels():
    for seed in range(3):
        few, more = (play(5, seed, Disagreement(margin)) for margin in (MARGIN, 0.0))
        assert few.correct[~few.asked].all()
        assert 2 * few.label_rate < more.label_rate


@pytest.mark.slow
def test_more_than_the_margin_is_no_proof():
    """The counterexample: beyond sqrt(q) - gamma, labels that do not follow are not asked for."""
    wrong = 0
    for seed in range(10):
        run = play(3, seed, Disagreement(5 * MARGIN))
        wrong += int((~run.correct[~run.asked]).sum())
    assert wrong > 0


@pytest.mark.parametrize("asker", [Always(), Fixed(0.7)], ids=str)
def test_under_other_askers_cellip_steps_on_mistakes_alone(asker):
    run = play(3, 0, asker)
    assert np.array_equal(run.updated, run.asked & ~run.correct)
