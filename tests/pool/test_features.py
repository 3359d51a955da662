"""What is made of the rows: with no intercept, halfspaces through 0 stay halfspaces through 0."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.preprocessing import FunctionTransformer

from selectron.errors import SelectronError
from selectron.pool import Boosted, Greedy, InOrder, SelfDirectedClassifier
from selectron.pool.features import DIRECTIONS, constant, featured, leading

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(1, 2, size=(1000, 3)) * [1.0, 100.0, 1e-3]


@pytest.mark.parametrize("features", ["standard", "auto"])
@pytest.mark.parametrize("learner", [Boosted(), Greedy()], ids=str)
def test_without_an_intercept_points_on_one_side_of_0_stay_there(learner, features):
    pool = SelfDirectedClassifier(learner, classes=[0, 1], features=features, fit_intercept=False)
    assert pool.run(X, np.zeros(len(X), int)).mistakes < 30


def test_without_an_intercept_features_are_scaled_alone():
    found = featured(X, "standard", False)
    factors = found / X
    np.testing.assert_allclose(factors, factors[:1].repeat(len(X), axis=0), rtol=1e-12)
    np.testing.assert_allclose((found**2).sum(axis=0), len(X) / 3, rtol=1e-12)


def test_with_an_intercept_features_are_centred():
    found = featured(X, "standard", True)
    np.testing.assert_allclose(found[:, 1:].mean(axis=0), 0, atol=1e-12)
    assert np.ptp(found[:, 0]) == 0


def test_zero_and_sparse_features_stay_as_they_are_but_for_one_factor():
    Z = np.array([[0.0, 3.0], [0.0, -4.0]])
    assert featured(Z, "standard", False)[:, 0].tolist() == [0.0, 0.0]
    sparse = featured(scipy.sparse.csr_array(Z), "standard", False).toarray()
    np.testing.assert_allclose(sparse / np.sqrt((sparse**2).sum() / 2), Z / np.sqrt(12.5))


def texts(n):
    """Return word counts of n short texts on four topics of 40 words each, and their topics."""
    random = np.random.default_rng(1)
    topics = random.integers(4, size=n)
    words = np.zeros((n, 260))
    for counts, topic in zip(words, topics, strict=True):
        own = 40 * topic + random.integers(40, size=4)
        np.add.at(counts, [*own, *random.integers(160, 260, size=4)], 1.0)
    return scipy.sparse.csr_array(words), topics


def test_leading_directions_keep_the_angles_of_rows_that_they_span():
    rows = scipy.sparse.random_array((60, 30), density=0.2, rng=np.random.default_rng(0)).tocsr()
    rows = scipy.sparse.vstack([rows, rows[:1] * 0.0]).tocsr()
    rows = rows[:, :DIRECTIONS]
    found, dense = leading(rows, 0), rows.toarray()
    assert found.shape == (61, DIRECTIONS)
    length = np.linalg.norm(dense, axis=1)
    length[length == 0] = 1.0
    wanted = (dense / length[:, None]) @ (dense / length[:, None]).T
    np.testing.assert_allclose(found @ found.T, wanted, atol=1e-8)
    assert leading(texts(300)[0], 0).shape == (300, DIRECTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [None, InOrder("random")])
def test_topics_that_words_share_save_corrections(learner):
    X, y = texts(400)
    ours, words = (
        SelfDirectedClassifier(learner, features=features).run(X, y).mistakes
        for features in ("auto", "standard")
    )
    assert ours < 0.9 * words


def test_texts_are_labelled_without_the_map_of_words_where_its_matrix_is_too_large(monkeypatch):
    monkeypatch.setattr("selectron.pool.centre.WIDE", 4)
    X, y = texts(60)
    assert SelfDirectedClassifier().run(X, y).mistakes < 50


@pytest.mark.parametrize("n", [1, 2, 5, 6, 40])
def test_sparse_rows_that_are_few_or_all_0(n):
    for X in (scipy.sparse.eye_array(n).tocsr(), scipy.sparse.csr_array((n, 3))):
        assert len(SelfDirectedClassifier(classes=[0, 1]).run(X, np.arange(n) % 2).order) == n


@pytest.mark.parametrize(("d", "features"), [(1_001, "auto"), (300, "standard")])
@pytest.mark.parametrize("learner", [None, InOrder("random")], ids=str)
def test_a_rare_class_of_wide_rows_costs_little_more_than_its_rows(d, features, learner):
    random = np.random.default_rng(1)
    Z = random.normal(size=(200, 20))
    y = Z[:, 0] + Z[:, 1] > 2.2
    X = Z @ random.normal(size=(20, d)) + random.normal(size=(200, d))
    assert SelfDirectedClassifier(learner, features=features).run(X, y).mistakes <= y.sum() + 3


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
def test_the_constant_is_as_large_as_what_two_rows_share(kind):
    found = [constant(kind(np.array(rows))) for rows in ([[0.0]], [[0.0], [1.0]], [[5.0], [-20.0]])]
    assert found == [1.0, 1.0, 10.0]


def test_transformers_that_return_no_finite_rows_are_refused():
    def broken(X):
        return np.where(X > 0, X, np.nan)

    def flat(X):
        return X[:, 0]

    faults = (broken, "FunctionTransformer.* that are NaN or infinite"), (flat, "returns 1 dimen")
    for function, fault in faults:
        clf = SelfDirectedClassifier(features=FunctionTransformer(function))
        with pytest.raises(SelectronError, match=fault):
            clf.run(np.eye(4), [0, 1, 0, 1])
    nothing = FunctionTransformer(lambda X: X[:, :0])
    assert SelfDirectedClassifier(features=nothing).run(np.eye(4), [0, 1, 0, 1]).mistakes <= 3
