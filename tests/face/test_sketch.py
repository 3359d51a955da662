"""A sketch through the estimator: saved with it, and refused where there is none."""

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Margin
from selectron.learners import AROW, LASEC, LeadingHistory, Perceptron
from selectron.streams import switching_gaussian

pytestmark = pytest.mark.usefixtures("plain")


@pytest.fixture
def plain(monkeypatch):
    from laws.grid import plain_loop

    monkeypatch.setattr("selectron.model.model.loop", plain_loop)


@pytest.mark.parametrize("convert", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_saved_and_loaded_it_goes_on_bit_for_bit(convert, tmp_path):
    X, y = switching_gaussian(400, d=8, seed=0)
    clf = OnlineClassifier(LASEC(), asker=Margin(0.3), sketch=2, random_state=0)
    clf.run(convert(X[:300]), y[:300])
    clf.save(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model")
    assert loaded.sketch == 2
    found, expected = (each.run(convert(X[300:]), y[300:]) for each in (loaded, clf))
    np.testing.assert_array_equal(found.margin, expected.margin)


def test_the_whole_matrix_would_not_fit_and_a_sketch_does():
    X = scipy.sparse.random_array((30, 10**6), density=2e-5, rng=0, format="csr")
    y = np.arange(30) % 2
    with pytest.raises(SelectronError, match="or sketch=32"):
        OnlineClassifier(AROW()).fit(X, y)
    assert OnlineClassifier(AROW(), sketch=2).fit(X, y).score(X, y) > 0.9


def test_the_default_learner_is_one_that_has_a_sketch():
    X, y = switching_gaussian(50, d=3, seed=0)
    clf = OnlineClassifier(sketch=2).fit(X, y)
    assert clf.model_.learner == LASEC()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"learner": Perceptron()}, "Perceptron has no sketch"),
        ({"learner": LeadingHistory()}, "LeadingHistory has no sketch"),
        ({"kernel": "rbf"}, "exclude each other"),
        ({"sketch": 0}, "sketch must be a whole number from 1 on, got 0"),
        ({"sketch": "all"}, "sketch must be a whole number"),
    ],
)
def test_what_is_refused(options, what):
    X, y = switching_gaussian(20, d=3, seed=0)
    with pytest.raises(SelectronError, match=what):
        OnlineClassifier(**{"sketch": 2, **options}).fit(X, y)
