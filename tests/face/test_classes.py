"""Many classes at the face: those that appear in mid-stream, and those that were named."""

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Margin
from selectron.engine.parts import Learner, declared
from selectron.learners import (
    AROW,
    IELLIP,
    LASEC,
    MIRA,
    RLS,
    BayesianPerceptron,
    LeadingHistory,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
)
from selectron.model.model import Model

from .examples import X

THREE = np.array(["ham", "news", "spam"])[
    (X @ np.random.default_rng(0).normal(size=(4, 3))).argmax(1)
]
pytestmark = pytest.mark.usefixtures("interpreted")

LEARNERS = [Perceptron(), PassiveAggressive(C=1.0), MIRA(), LASEC(), AROW()]
MANY = ["joint", "rest", "exact"]


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_three_classes_are_learned(learner, many):
    clf = OnlineClassifier(learner, many=many)
    for _ in range(20):
        clf.partial_fit(X, THREE)
    assert clf.classes_.tolist() == ["ham", "news", "spam"]
    assert (clf.predict(X) == THREE).mean() > 0.8
    scores = clf.decision_function(X)
    assert scores.shape == (120, 3)
    assert clf.coef_.shape == (3, 4)
    last = 2 - scores[:, ::-1].argmax(axis=1)  # of equal scores, the last class wins
    assert (clf.classes_[last] == clf.predict(X)).all()
    if not clf.model_.normalize:
        np.testing.assert_allclose(scores, X @ clf.coef_.T + clf.intercept_, atol=1e-9)


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("known", [0, 1, 2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_class_may_appear_at_any_time(learner, known, many):
    clf = OnlineClassifier(learner, many=many)
    for label in range(known):
        clf.partial_fit(X[label : label + 1], [label])
    before = clf.decision_function(X) if known > 1 else None
    ticket = clf.decide(X[4]).ticket
    assert clf.tell(ticket, 9) or known > 1
    assert clf.classes_.tolist() == [*range(known), 9]
    if known == 3:
        clf.partial_fit(X[:2], [9, 10])
        assert clf.coef_.shape == (5, 4)
        assert before.shape == (120, 3)


@pytest.mark.parametrize("many", ["joint", "rest"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("normalize", [False, True])
def test_the_third_class_leaves_the_gap_of_two_as_it_was(learner, normalize, many):
    clf = OnlineClassifier(learner, many=many, normalize=normalize).fit(X, THREE == "ham")
    w = clf.coef_[0], clf.intercept_[0]
    clf.model_.extend(3)
    weights = clf.model_.weights()
    gap = weights[1, 1:] - weights[0, 1:], weights[1, 0] - weights[0, 0]
    by = 2.0 if many == "rest" else np.sqrt(2) if normalize else 1.0  # scores are of z then
    np.testing.assert_allclose(gap[0], by * w[0], rtol=1e-12)
    np.testing.assert_allclose(gap[1], by * w[1], rtol=1e-12)
    assert not weights[2].any()


@pytest.mark.slow
@pytest.mark.compiles
@pytest.mark.parametrize("sparse", [False, True])
def test_a_class_met_late_starts_as_a_rare_one(sparse):
    """One label with a slip of the pen changes hardly any prediction, or probability."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1600, 6))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=1600) > 0, "ham", "spam").astype(object)
    X = scipy.sparse.csr_array(X) if sparse else X
    clf = OnlineClassifier(LeadingHistory()).partial_fit(X[:1000], y[:1000])
    before, right = clf.predict_proba(X[1000:]), np.mean(clf.predict(X[1000:]) == y[1000:])
    clf.partial_fit(X[:1], ["spma"])
    after, found = clf.predict_proba(X[1000:]), clf.predict(X[1000:])
    assert np.mean(found == "spma") < 0.01
    assert np.mean(found == y[1000:]) > right - 0.02
    assert after[:, 2].mean() < 0.15
    assert np.abs(after[:, :2] - before).mean() < 0.1
    clf.partial_fit(X[1000:], ["spma" if x > 0.5 else "ham" for x in X[1000:, [1]].sum(axis=1)])
    assert np.mean(clf.predict(X[1000:]) == "spma") > 0.2  # which is learned fast


def test_classes_that_were_named_are_all():
    clf = OnlineClassifier(PassiveAggressive(), classes=["news", "ham", "spam"])
    clf.partial_fit(X, THREE)
    with pytest.raises(SelectronError, match="Row 1 has the label 'eggs', which is none of the 3"):
        clf.partial_fit(X[:2], ["ham", "eggs"])
    with pytest.raises(SelectronError, match=r"Row 1 has the label \{'ham': 1\}, which is none"):
        clf.partial_fit(X[:2], ["ham", {"ham": 1}])
    ticket = clf.decide(X[0]).ticket
    for label, shown in (("eggs", "'eggs'"), (("ham", [1]), r"\('ham', \[1\]\)")):
        with pytest.raises(SelectronError, match=f"There is no class {shown}"):
            clf.tell(ticket, label)
    assert clf.tell(ticket, "ham") in (True, False)
    assert clf.classes_.tolist() == ["ham", "news", "spam"]


def test_classes_may_be_named_late():
    clf = OnlineClassifier(Perceptron()).partial_fit(X[:1], ["ham"])
    clf.partial_fit(X, THREE, classes=["spam", "ham", "news"])
    assert clf.classes_.tolist() == ["ham", "news", "spam"]
    with pytest.raises(SelectronError, match="none of the 3"):
        clf.partial_fit(X[:1], ["eggs"])


def test_a_class_of_another_kind_is_refused():
    clf = OnlineClassifier(Perceptron()).partial_fit(X, THREE)
    for refused in (7, None, np.nan, ["ham"]):
        ticket = clf.decide(X[0]).ticket
        with pytest.raises(SelectronError):
            clf.tell(ticket, refused)
        assert clf.classes_.tolist() == ["ham", "news", "spam"]
        assert len(clf.coef_) == 3


@pytest.mark.parametrize("many", MANY)
def test_what_fails_with_a_new_class_leaves_no_trace(many):
    clf = OnlineClassifier(PassiveAggressive(), many=many).partial_fit(X, THREE)
    before = clf.coef_
    rows = X[:3].copy()
    rows[2, 1] = np.nan
    with pytest.raises(SelectronError, match="Row 2, feature 1 is NaN"):
        clf.partial_fit(rows, ["eggs", "ham", "eggs"])
    assert clf.classes_.tolist() == ["ham", "news", "spam"]
    assert np.array_equal(clf.coef_, before)
    assert clf.n_rounds_ == 120


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_saved_and_loaded_it_goes_on_bit_for_bit(learner, many, tmp_path):
    clf = OnlineClassifier(learner, Margin(0.5), many=many, random_state=3)
    clf.run(X, THREE)
    clf.decide(X[0])
    clf.save(tmp_path / "model")
    again = OnlineClassifier.load(tmp_path / "model")
    runs = [one.run(X, np.where(THREE == "ham", "eggs", THREE)) for one in (clf, again)]
    assert again.classes_.tolist() == ["ham", "news", "spam", "eggs"]
    assert np.array_equal(runs[0].margin, runs[1].margin)
    assert np.array_equal(runs[0].asked, runs[1].asked)
    assert np.array_equal(clf.coef_, again.coef_)


@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_sparse_is_dense(learner, many):
    rows = np.where(np.abs(X) < 0.4, 0.0, X)
    runs = [
        OnlineClassifier(learner, Margin(0.5), many=many, random_state=3).run(given, THREE)
        for given in (rows, scipy.sparse.csr_array(rows))
    ]
    assert np.array_equal(runs[0].flags, runs[1].flags)
    np.testing.assert_allclose(runs[0].margin, runs[1].margin, rtol=1e-9, atol=1e-9)


def test_a_run_tells_of_many_classes():
    run = OnlineClassifier(MIRA(), Margin(1.0), random_state=0).run(X, THREE)
    assert set(run.prediction) <= {"ham", "news", "spam"}
    assert run.mistakes == (run.prediction != THREE).sum()
    assert run.accuracy == (run.prediction == THREE).mean()
    assert (run.margin >= 0).all()  # it is the gap between the two best scores


@pytest.mark.parametrize(
    "learner", [LASEC(), AROW(), Perceptron()], ids=lambda one: type(one).__name__
)
def test_the_exact_form_is_the_same_in_dual(learner):
    runs = []
    for kernel in (None, "linear"):
        clf = OnlineClassifier(learner, Margin(0.5), many="exact", kernel=kernel, random_state=3)
        runs.append(clf.run(X, THREE))
        runs.append(clf.run(X, np.where(THREE == "ham", "eggs", THREE)))
    for primal, dual in zip(runs[:2], runs[2:], strict=True):
        assert np.array_equal(primal.flags, dual.flags)
        np.testing.assert_allclose(primal.margin, dual.margin, rtol=1e-8, atol=1e-8)


def test_the_exact_form_takes_no_other_kernel():
    with pytest.raises(SelectronError, match="takes no kernel but the linear one, got RBF"):
        OnlineClassifier(LASEC(), many="exact", kernel="rbf").fit(X, THREE)


def test_many_must_be_one_of_these():
    with pytest.raises(SelectronError, match=r"many must be .* got .jiont."):
        OnlineClassifier(many="jiont").fit(X, THREE)


SECOND = [
    LASEC(b=0.8, c=30.0),
    AROW(),
    RLS(),
    SecondOrderPerceptron(),
    IELLIP(),
    BayesianPerceptron(),
]


@pytest.mark.parametrize("learner", SECOND, ids=lambda learner: type(learner).__name__)
def test_the_exact_form_of_two_classes_is_the_binary_one(learner):
    """z = e_hi x - e_lo x is as long as sqrt(2) x, or of unit length where rows are."""
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "up", "down")
    exact = OnlineClassifier(learner, many="exact", fit_intercept=False).run(X, y)
    factor = 1.0 if declared(learner, Learner, "normalize")(learner) else np.sqrt(2)
    binary = OnlineClassifier(learner, fit_intercept=False).run(factor * X, y)
    assert np.array_equal(exact.prediction, binary.prediction)
    assert np.array_equal(exact.updated, binary.updated)
    np.testing.assert_allclose(exact.margin, np.abs(binary.margin), rtol=1e-9, atol=1e-9)


def test_a_matrix_over_all_classes_that_is_too_large_is_refused_before_it_is_made():
    y = [f"class {i}" for i in range(40)]
    with pytest.raises(SelectronError, match=r'40 classes needs [\d,]+ GiB: .* or many="joint"'):
        OnlineClassifier(LASEC(), many="exact").fit(np.ones((40, 3000)), y)


def test_only_a_matrix_over_all_classes_counts_as_one():
    options = {"width": 300, "classes": 200, "many": "exact"}
    with pytest.raises(SelectronError, match=r'200 classes needs .* or many="joint"'):
        Model(LASEC(), Margin(0.5), **options)
    assert Model(LeadingHistory(), Margin(0.5), **options).classes == 200  # each has its own


def test_two_classes_have_one_score_however_they_are_learned():
    y = np.where(X[:, 0] > 0, "up", "down")
    for many in MANY:
        clf = OnlineClassifier(LASEC(), many=many).fit(X, y)
        assert clf.decision_function(X).shape == (120,)
        assert (clf.coef_.shape, clf.intercept_.shape) == ((1, 4), (1,))
        assert np.array_equal(clf.decision_function(X) >= 0, clf.predict(X) == "up")


def test_small_integers_do_not_overflow():
    labels = np.array([-100, 100, 7, 100], np.int8)
    clf = OnlineClassifier(PassiveAggressive()).partial_fit(X[:4], labels)
    assert clf.partial_fit(X[:4], labels[::-1]).classes_.tolist() == [-100, 7, 100]
