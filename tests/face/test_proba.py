"""predict_proba: every learner, two classes and many, live and in blocks, saved and loaded."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from selectron import OnlineClassifier, OnlineRanker, learners
from selectron.askers import Budget, Margin
from selectron.learners import LASEC, BayesianPerceptron, LeadingHistory, PassiveAggressive
from selectron.learners import Perceptron as FirstOrder
from selectron.model import calibration
from selectron.streams import switching_gaussian

from .examples import NEEDED, X, Y

GIVEN = NEEDED | {"LeadingHistory": {"fourier": 6}}  # plain Python is slow
LEARNERS = [getattr(learners, name)(**GIVEN.get(name, {})) for name in learners.__all__]
FEW = [FirstOrder(), LASEC(), BayesianPerceptron(), LeadingHistory(fourier=6)]
THREE = np.array(["ham", "news", "spam"])[(X[:, :3]).argmax(1)]
pytestmark = pytest.mark.usefixtures("interpreted")


def name(learner):
    return type(learner).__name__


def state(clf):
    return clf.model_.calibration.s.tobytes()


@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_rows_sum_to_1_and_the_predicted_class_leads(learner, y):
    clf = OnlineClassifier(learner).fit(X, y)
    for rows in (X, np.zeros((1, 4)), 1e6 * X):
        proba = clf.predict_proba(rows)
        assert proba.shape == (len(rows), len(clf.classes_))
        assert proba.min() >= 0
        np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
        assert (clf.classes_[proba.argmax(axis=1)] == clf.predict(rows)).all()
    with np.errstate(divide="ignore"):
        assert np.array_equal(clf.predict_log_proba(X), np.log(clf.predict_proba(X)))


def play(learner, y, cuts=(), **options):
    """Run a stream in pieces; return the classifier and the probabilities."""
    clf = OnlineClassifier(learner, Margin(0.5), random_state=1, classes=list(set(y)), **options)
    ends = [0, *cuts, len(X)]
    spans = [slice(*span) for span in pairwise(ends)]
    return clf, np.concatenate([clf.run(X[span], y[span]).proba for span in spans])


@pytest.mark.parametrize("many", ["joint", "rest", "exact"])
@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("learner", FEW, ids=name)
@pytest.mark.slow
def test_blocks_and_decisions_calibrate_alike(learner, y, many):
    whole, proba = play(learner, y, many=many)
    cut, pieces = play(learner, y, [1, 50, 53], many=many)
    assert state(cut) == state(whole)
    assert pieces.tobytes() == proba.tobytes()
    live = OnlineClassifier(learner, Margin(0.5), random_state=1, classes=list(set(y)), many=many)
    for i, x in enumerate(X):
        decision = live.decide(x)
        np.testing.assert_allclose(decision.proba, proba[i], rtol=1e-12)
        assert decision.label == live.classes_[np.argmax(decision.proba)]
        before = decision.proba
        if decision.ask:
            live.tell(decision.ticket, y[i])
        assert decision.proba == before  # though it is computed when it is read
    assert state(live) == state(whole)


@pytest.mark.parametrize("learner", FEW, ids=name)
def test_unasked_labels_have_no_influence(learner):
    whole, _ = play(learner, Y)
    asked = OnlineClassifier(learner, Margin(0.5), random_state=1, classes=[-1, 1]).run(X, Y).asked
    flipped, _ = play(learner, np.where(asked, Y, -Y))
    assert state(flipped) == state(whole)


@pytest.mark.parametrize("way", ["save", "pickle"])
@pytest.mark.parametrize("learner", FEW, ids=name)
def test_calibration_is_saved_with_open_tickets(learner, way, tmp_path):
    clf, _ = play(learner, Y)
    decisions = [clf.decide(x) for x in X[:20]]
    tickets = [decision.ticket for decision in decisions if decision.ask]
    assert len(tickets) > 1
    if way == "pickle":
        loaded = pickle.loads(pickle.dumps(clf))
    else:
        clf.save(tmp_path / "model")
        loaded = OnlineClassifier.load(tmp_path / "model")
    for each in (clf, loaded):
        for ticket in tickets:
            each.tell(ticket, 1)
    assert state(loaded) == state(clf)
    assert loaded.predict_proba(X).tobytes() == clf.predict_proba(X).tobytes()


def test_before_any_label_a_bayesian_learner_gives_its_own_probabilities():
    given = {LeadingHistory(fourier=6): lambda r: (1 + r) / 2, BayesianPerceptron(): ndtr}
    for learner, probability in given.items():
        clf = OnlineClassifier(learner)
        clf.run(X, Y, margins=False)
        r = clf.decision_function(X)
        np.testing.assert_allclose(clf.predict_proba(X)[:, 1], probability(r), atol=1e-8)


def test_a_run_without_margins_does_not_calibrate():
    clf = OnlineClassifier(FirstOrder())
    assert clf.run(X, Y, margins=False).proba is None
    np.testing.assert_allclose(clf.predict_proba(X), 0.5)


def test_a_refused_block_changes_nothing():
    clf, _ = play(FirstOrder(), Y)
    before = state(clf)
    bad = X.copy()
    bad[-1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clf.run(bad, Y)
    assert state(clf) == before


@pytest.mark.parametrize("learner", [FirstOrder(), LeadingHistory(fourier=6)])
def test_a_third_class_takes_over_the_calibration_of_two(learner):
    """A gap of `by` times the margin means the same, but for the preference for a class."""
    clf, _ = play(learner, Y)
    old = clf.model_.calibration
    new = calibration.extended(old, 3, 2.0)
    s, t, z = old.s, new.s, old.s[calibration.SCALE]  # a typical margin, or its log-odds
    before = calibration.chance(s[calibration.SCALE], s[calibration.A], 0.0, z, old.own)
    after = calibration.chance(
        t[calibration.SCALE], t[calibration.A], t[calibration.B], 2 * z, False
    )
    assert after == pytest.approx(before, abs=1e-12)
    assert after > 0.55
    again = calibration.extended(new, 4, 1.0)
    assert again.s.tobytes() == new.s.tobytes()


def test_probabilities_with_one_class_or_none():
    clf = OnlineClassifier(FirstOrder())
    assert clf.decide(X[0]).proba == ()
    clf.tell(1, "ham")
    assert clf.decide(X[0]).proba == (1.0,)
    assert clf.predict_proba(X).tolist() == [[1.0]] * len(X)
    clf.tell(2, "spam")
    assert len(clf.decide(X[0]).proba) == 2
    clf.tell(3, "news")
    assert len(clf.decide(X[0]).proba) == 3
    clf.tell(4, "fourth")
    assert clf.predict_proba(X).shape == (len(X), 4)


def test_a_ranker_has_no_probabilities():
    assert not hasattr(OnlineRanker(), "predict_proba")


@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr"])
@pytest.mark.parametrize("learner", FEW, ids=name)
@pytest.mark.slow
def test_scores_of_scikit_learn(learner, scoring, y):
    found = cross_val_score(OnlineClassifier(learner), X, y, scoring=scoring, cv=3)
    assert np.isfinite(found).all()
    assert found.mean() > (0.6 if scoring == "roc_auc_ovr" else -np.log(len(set(y))))


def test_soft_voting():
    voters = [("ours", OnlineClassifier(LASEC())), ("theirs", LogisticRegression())]
    vote = VotingClassifier(voters, voting="soft").fit(X, THREE)
    assert vote.score(X, THREE) > 0.8


@pytest.mark.compiles
@pytest.mark.slow
@pytest.mark.parametrize("learner", [*FEW, PassiveAggressive()], ids=name)
def test_calibration_on_a_stationary_stream(learner):
    X, y = switching_gaussian(10_000, d=10, every=10_000, seed=0)
    run = OnlineClassifier(learner, Budget(rate=0.1), random_state=0).run(X, y)
    later = run.asked.cumsum() > 100
    top, right = run.proba[later].max(axis=1), run.correct[later]
    bins = np.minimum((10 * top).astype(int), 9)
    gaps = np.bincount(bins, top, 10) - np.bincount(bins, right, 10)
    assert abs(gaps).sum() / len(top) < 0.03


@pytest.mark.parametrize("learner", FEW, ids=name)
def test_probabilities_are_equal_before_the_first_label(learner):
    clf = OnlineClassifier(learner, classes=["bug", "abuse", "billing", "urgent"])
    decision = clf.decide(X[0])
    assert decision.proba == pytest.approx([0.25] * 4)
    assert decision.label == clf.classes_[np.argmax(decision.proba)]
    np.testing.assert_allclose(clf.predict_proba(X[:5]), 0.25)
    clf.tell(decision.ticket, "bug")
    assert clf.predict_proba(X[:1]).max() > 0.3
