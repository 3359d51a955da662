"""An expert that is brought to other features and another prior, compared with full precisions."""

import copy

import numpy as np
import pytest
import scipy.linalg
from scipy.sparse import csr_array

from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.engine.rows import Dense, Sparse, rows_of
from selectron.errors import Refused, SelectronError
from selectron.estimator.packing import pack_model, unpack_model
from selectron.history import dense, directions, renewal, state
from selectron.history.conversion import converted, matrices, triangles
from selectron.history.posterior import ALIVE, EXPERTS, JOINT, KIND, WEIGHT, leader
from selectron.learners import LeadingHistory
from selectron.model.model import Model

pytestmark = pytest.mark.usefixtures("never_narrow")

D = 4


def learned(prior, rows, margins):
    """Return P and w after noisy margins of rows, under a Gaussian prior."""
    P = np.linalg.inv(np.linalg.inv(prior) + rows.T @ rows / 0.3)
    return P, P @ rows.T @ margins / 0.3


def some_prior(random):
    A = random.normal(size=(D, D))
    return A @ A.T + 0.1 * np.eye(D)


@pytest.mark.parametrize("ratio", [1e-3, 0.5, 2.0, 1e3])
@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_the_posterior_is_that_under_the_other_prior_and_features(ratio, shift):
    random = np.random.default_rng(0)
    before, after, margins = some_prior(random), some_prior(random), random.normal(size=5)
    to = np.diag([1.0, ratio, 1.0, 0.5])
    to[0, 2] = shift
    rows = np.column_stack([np.ones(5), random.normal(size=(5, D - 1))])
    P, w = learned(before, rows @ to, margins)
    precisions = np.linalg.inv(before), np.linalg.inv(after)
    w, triangle = converted(P, w, precisions[0], np.linalg.inv(to.T), precisions[1], None)
    expected, mean = learned(after, rows, margins)
    np.testing.assert_allclose(matrices(triangle), expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(w, mean, rtol=1e-6, atol=1e-9)


def test_a_feature_that_varies_by_rounding_alone_has_the_usual_scale():
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=64), 0.3 + 1e-17 * np.arange(64), np.full(64, 0.1)])
    X[::2, 1] = np.nextafter(X[::2, 1], 1.0)
    model = Model(LeadingHistory(fourier=0), Always(), width=3, sparse=False, seed=0)
    model.run(Dense(X), np.where(X[:, 0] > 0, 1, -1).astype(np.int8))
    factors = model.state.scaler[1, 1:]
    assert factors.max() < 10 * factors.min()


@pytest.mark.parametrize("fourier", [0, 6])
def test_a_class_that_is_met_late_starts_under_the_priors_of_the_rows(fourier):
    X = np.random.default_rng(0).normal(size=(100, 2)) * (1.0, 1000.0)
    learner, labels = LeadingHistory(fourier=fourier), np.where(X[:, 0] > 0, 1, -1)
    model = Model(learner, Always(), width=2, sparse=False, seed=0)
    model.run(Dense(X), labels.astype(np.int8))
    before = model.state
    model.extend(3)
    new = dense.at(model.state, 2)
    for name in dense.shared:
        np.testing.assert_array_equal(getattr(new, name), getattr(before, name))
    alive = new.experts[:, ALIVE] > 0
    kinds = new.experts[alive, KIND].astype(int)
    np.testing.assert_array_equal(new.triangle[alive], new.priors[kinds])
    assert (new.a[:, 0] < 0).all()  # of the constant
    assert not new.a[:, 1:].any()


@pytest.mark.parametrize(
    ("first", "last", "features"),
    [(2, 11, 10), (10, 20, 10), (11, 20, 6), (20, 20, 6), (10, 21, 0), (21, 21, 0)],
)
def test_fourier_features_remain_while_classes_join(first, last, features):
    X = np.random.default_rng(0).normal(size=(60, 2))
    labels = (np.arange(60) % first + 1).astype(np.int32)
    labels = labels if first > 2 else (2 * labels - 3).astype(np.int8)
    model = Model(LeadingHistory(fourier=10), Always(), width=2, classes=first, many="rest")
    model.run(Dense(X), labels)
    before = model.state
    model.extend(last)
    assert model.state.phases.shape == (features,)
    assert model.state.curved_a.shape[-1] == features
    if features and first > 2:
        np.testing.assert_array_equal(model.state.curved_a[:first], before.curved_a)
        np.testing.assert_array_equal(model.state.mix[:first], before.mix)


@pytest.mark.parametrize("phases", [np.zeros(3), np.zeros(11), np.zeros((2, 6))])
def test_a_file_with_an_odd_number_of_fourier_features_is_refused(phases):
    model = Model(LeadingHistory(fourier=10), Always(), width=2, classes=12, many="rest")
    header, arrays = pack_model(model)
    unpack_model(header, arrays, model.learner, model.asker)
    with pytest.raises(SelectronError, match="sound"):
        unpack_model(header, arrays | {"state.phases": phases}, model.learner, model.asker)


@pytest.mark.parametrize("P", [np.nan, 0.0, -1.0])
def test_an_expert_that_cannot_be_converted_starts_again(P):
    prior, one = triangles(np.eye(D)), np.eye(D)
    w, triangle = converted(P * one, np.ones(D), one, one, one, prior)
    assert np.array_equal(triangle, prior)
    assert not w.any()


@pytest.mark.parametrize("widths", [(3, 5), (4, 6), (5, 6), (5, 7)])
@pytest.mark.parametrize("constant", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rows_that_widen_keep_what_was_learned(monkeypatch, widths, constant):
    """From few features, or from more than there are leading directions, to many."""
    monkeypatch.setattr(state, "WHOLE", 5)
    monkeypatch.setattr(state, "LEADING", 4)
    random, (narrow, wide) = np.random.default_rng(0), widths
    X = random.normal(size=(400, wide)) * ([4.0, 4.0] + [0.1] * (wide - 2))
    X[:300, narrow:] = 0.0
    labels = np.where(X[:, 0] > 2 * X[:, 1], 1, -1).astype(np.int8)
    learner = LeadingHistory(fourier=6)
    model = Model(learner, Always(), width=narrow, sparse=False, seed=0, constant=constant)
    model.run(Dense(X[:300, :narrow]), labels[:300])
    w = model.weights()[int(constant) :]
    model.widen(wide)
    np.testing.assert_allclose(model.weights()[int(constant) :][:2], w[:2], rtol=0.05)
    out = model.run(Dense(X[300:]), labels[300:])
    assert (np.sign(out.margin) != labels[300:]).sum() <= 3


@pytest.mark.parametrize("scale", [2.0**-60, 2.0**60])
def test_leading_directions_of_rows_of_any_scale(monkeypatch, scale):
    """The constant is always 1, however small or large the features are."""
    monkeypatch.setattr(state, "WHOLE", 5)
    monkeypatch.setattr(state, "LEADING", 4)
    X = 1 + np.random.default_rng(0).normal(size=(200, 7))
    labels = np.where(X[:, 0] > X[:, 1], 1, -1).astype(np.int8)
    margins = []
    for by in (1.0, scale):
        model = Model(LeadingHistory(fourier=6), Always(), width=7, sparse=False, constant=True)
        margins.append(model.run(Dense(by * X), labels).margin)
    np.testing.assert_allclose(*margins, atol=1e-9)


@pytest.mark.slow
def test_rows_without_leading_directions(monkeypatch):
    """A diagonal expert has all features: it leads, also when there are more of them."""
    monkeypatch.setattr(state, "WHOLE", 20)
    monkeypatch.setattr(state, "LEADING", 4)
    random = np.random.default_rng(0)
    X, target = 2 + random.normal(size=(900, 40)), random.normal(size=40)
    X[:600, 30:] = 0.0
    labels = np.where((X - 2 * (X != 0)) @ target > 0, 1, -1).astype(np.int8)
    model = Model(LeadingHistory(fourier=0), Always(), width=30, sparse=False, constant=True)
    found = model.run(Dense(X[:600, :30]), labels[:600])
    assert model.state.experts[leader(model.state.experts), KIND] == state.DENSE_KINDS - 1
    assert (np.sign(found.margin) == labels[:600])[300:].mean() > 0.9
    w, rows = model.weights(), Dense(X[:50])
    before = model.look(Dense(X[:50, :30]), 50, full=True).margin
    model.widen(40)
    np.testing.assert_allclose(model.weights(), [*w, *[0.0] * 10], atol=1e-12)
    np.testing.assert_allclose(model.look(rows, 50, full=True).margin, before, atol=1e-9)
    found = model.run(Dense(X[600:]), labels[600:])
    assert (np.sign(found.margin) == labels[600:])[150:].mean() > 0.8


MATRICES = {
    "nothing": np.zeros((6, 6)),
    "all eigenvalues alike": np.eye(6),
    "one-hot rows": np.eye(6) / 6 - 1 / 6**2,
    "a feature that is 0": np.diag([2.0, 0.0, 1.0, 0.0, 0.0, 3.0]),
    "few": np.array([[2.0, 1.0], [1.0, 2.0]]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_the_largest_eigenvalues(monkeypatch, name):
    monkeypatch.setattr(directions, "LEADING", 4)
    C = MATRICES[name]
    values, vectors = directions.largest(np.tril(C), np.diag(C))
    expected = np.linalg.eigvalsh(C)[::-1][:4]
    np.testing.assert_allclose(values, expected[expected > 1e-9], atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-9)
    np.testing.assert_allclose(C @ vectors, vectors * values, atol=1e-9)


def sparse_model(X, y, constant=True):
    """Return a model that has learned all labels of sparse rows."""
    rows, size = csr_array(X), {"width": X.shape[1], "sparse": True, "constant": constant}
    model = Model(LeadingHistory(), Always(), **size, seed=0)
    block = Sparse(rows.indptr.astype(np.int64), rows.indices, rows.data)
    return model, model.run(block, y.astype(np.int8))


@pytest.mark.parametrize("by", [2.0**-200, 2.0**200, 1e-120, 1e120])
@pytest.mark.slow
def test_the_scale_of_sparse_rows_changes_no_margin(by):
    random = np.random.default_rng(2)
    X = random.normal(size=(200, 50)) * (random.random((200, 50)) < 0.3)
    y = np.where(X @ random.normal(size=50) > 0, 1, -1)
    expected, found = (sparse_model(each, y)[1].margin for each in (X, by * X))
    np.testing.assert_allclose(found, expected, rtol=1e-9 if by in (1e-120, 1e120) else 0)


@pytest.mark.slow
def test_a_sparse_row_beyond_the_range_is_refused_and_others_are_learned():
    X, y = np.random.default_rng(3).random((200, 5)), np.ones(200)
    X[40, 0], y[::2] = 1e140, -1
    model, _ = sparse_model(X, y)
    assert all(np.isfinite(array).all() for array in model.state)
    X[40, 0] = 1.5e154
    with pytest.raises(Refused):
        sparse_model(X, y)


@pytest.mark.parametrize("constant", [False, True])
def test_new_directions_change_no_margin(monkeypatch, constant):
    """The mean over an expert's weights, with the features that come or go."""
    monkeypatch.setattr(directions, "CHOSEN", 20)
    monkeypatch.setattr(directions, "LEADING", 4)
    random = np.random.default_rng(1)
    X = random.random((250, 40)) * (random.random((250, 40)) < 0.3)
    X[130:, :10] *= 5
    model, _ = sparse_model(X, np.where(X @ random.normal(size=40) > 0, 1, -1), constant)
    old, new = model.state, copy.deepcopy(model.state)
    monkeypatch.setattr(directions, "bring_units", lambda *states: None)
    directions.renew([old], [new])
    assert set(old.chosen) != set(new.chosen)
    assert abs(old.a).max() > 0.1
    for k in range(len(old.w)):
        before, after = (directions.as_weights(each, k) for each in (old, new))
        np.testing.assert_allclose(after, before, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "number"),
    [("place", 10**9), ("place", -5), ("chosen", 50), ("slots", 3), ("centered", 10**9)],
)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.slow
def test_a_place_out_of_range_in_a_file_is_refused(name, number, classes):
    X = np.random.default_rng(4).random((80, 6))
    model, _ = sparse_model(X, np.where(X[:, 0] > 0.5, 1, -1))
    model.extend(classes)
    header, arrays = copy.deepcopy(pack_model(model))
    unpack_model(header, arrays, model.learner, model.asker)
    arrays[f"state.{name}"][..., 2] = number
    with pytest.raises(SelectronError, match="sound"):
        unpack_model(header, arrays, model.learner, model.asker)


def test_directions_of_words_that_occur_once_each():
    """Nearly all eigenvalues are equal, on which the usual driver of LAPACK may fail."""
    C = np.diag([0.3, 0.2, 0.1] + [1e-3] * 297)
    C[3:, 3:] -= 1e-6
    values, vectors = directions.largest(C, np.diag(C))
    np.testing.assert_allclose(values, [0.3, 0.2, 0.1] + [1e-3] * 29)
    np.testing.assert_allclose(C @ vectors, vectors * values, atol=1e-12)


@pytest.mark.parametrize("d", [20, 100])
def test_the_largest_eigenvalues_if_the_first_driver_fails(monkeypatch, d):
    A = np.random.default_rng(0).normal(size=(d, 200))
    C = A @ A.T / 200
    expected = directions.largest(C, np.diag(C))

    def fails(*args, **options):
        raise np.linalg.LinAlgError("Internal Error.")

    monkeypatch.setattr(scipy.linalg, "eigh", fails)
    values, vectors = directions.largest(C, np.diag(C))
    np.testing.assert_allclose(values, expected[0])
    np.testing.assert_allclose(abs(vectors.T @ expected[1]), np.eye(len(values)), atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.slow
def test_an_expert_that_is_no_longer_finite_starts_again(sparse, classes):
    """A step of many classes would otherwise have to be taken back in some of them."""
    X = np.random.default_rng(5).normal(size=(60, 4))
    y, rows = np.where(X[:, 0] > 0, 2 if classes > 2 else 1, 1 if classes > 2 else -1), csr_array(X)
    block = Sparse(rows.indptr.astype(np.int64), rows.indices, rows.data) if sparse else Dense(X)
    size = {"width": 4, "sparse": sparse, "classes": classes}
    model = Model(LeadingHistory(), Always(), **size, constant=True, seed=0)
    model.run(block, y.astype(model.codes))
    one = model.space.unstacked(model.state)[-1] if classes > 2 else model.state
    k = int(one.experts[:EXPERTS, WEIGHT].argmin())
    one.a[k], one.experts[k, WEIGHT], one.experts[k, JOINT:] = 1e308, 0.0, 0.0
    one.experts[k, ALIVE] = 1.0
    assert not model.space.refuses
    model.run(rows_of(block, 0, 3), y[:3].astype(model.codes))
    assert all(np.isfinite(array).all() for array in model.state)
    assert abs(one.a[k]).max() < 10


def test_a_row_that_is_refused_after_a_renewal_changes_nothing():
    """Of rows so small that the priors which follow from them are not finite."""
    X = np.random.default_rng(1).normal(size=(3, 2)) * 1e-154
    clf = OnlineClassifier(classes=["a", "b"], correctable=2, random_state=0)
    for x, label in zip(X[:2], "ab", strict=True):
        clf.tell(clf.decide(x).ticket, label)
    before, state = clf.predict_proba(X[:2]), clf.model_.state
    renewals = clf.model_.renewals
    with pytest.raises(Refused):
        clf.decide(X[2])
    assert clf.model_.state is state
    assert clf.model_.renewals is renewals
    assert np.array_equal(clf.predict_proba(X[:2]), before)


@pytest.mark.parametrize("classes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_an_interrupted_renewal_changes_nothing(monkeypatch, classes):
    X = np.random.default_rng(1).normal(size=(9, 2))
    clf = OnlineClassifier(classes=list(range(classes)), random_state=0)
    for i, x in enumerate(X[:8]):
        clf.tell(clf.decide(x).ticket, i % classes)
    before = copy.deepcopy(clf.model_.state)

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(renewal, "convert", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.decide(X[8])
    for name, array in before._asdict().items():
        np.testing.assert_array_equal(getattr(clf.model_.state, name), array)


@pytest.mark.parametrize("width", [3, 10, pytest.param(300, marks=pytest.mark.slow)])
def test_rows_that_are_all_equal_are_learned(width):
    X = np.repeat(np.random.default_rng(0).random((1, width)).round(2), 40, axis=0)
    y = np.arange(40) % 2
    clf = OnlineClassifier(LeadingHistory(fourier=0), Always(), classes=[0, 1])
    assert np.isfinite(clf.run(X, y).margin).all()
    X[20:, 0] += y[:20]
    assert clf.run(X, y).correct[30:].all()


@pytest.mark.slow
def test_directions_in_which_many_correlated_features_differ_little_are_seen():
    """Peaks of spectra of 300 values, over one offset: .86 if correlations are shrunk."""
    right = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        peaks, at = random.normal(size=(300, 8)), np.linspace(0, 1, 300)
        shapes = np.exp(-(((at - np.linspace(0.05, 0.95, 8)[:, None]) / 0.08) ** 2))
        X = 0.3 * peaks @ shapes + 2 * random.normal(size=(300, 1))
        X += 0.02 * random.normal(size=X.shape)
        y = np.where(3 * peaks[:, 2] > 2 * peaks[:, 5], 1, -1)
        clf = OnlineClassifier(LeadingHistory(fourier=0), Always(), random_state=0)
        right.append(clf.run(X, y).correct[50:].mean())
    assert np.mean(right) > 0.92
