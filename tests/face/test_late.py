"""Labels that are late, as users see them: classes, weights, expiry, files, and bad delays."""

from collections import defaultdict

import numpy as np
import pytest

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Budget, Margin
from selectron.learners import LASEC, LeadingHistory, Perceptron

from .examples import is_one_sentence

# As users see it


def streamed(clf, X, y, delay, weights=None):
    """Decide and tell, as a user does; return the probabilities of the decisions."""
    proba, due = [], defaultdict(list)
    for t, x in enumerate(X):
        decision = clf.decide(x)
        proba.append(decision.proba)
        if decision.ask:
            due[t + delay[t]].append((decision.ticket, t))
        for ticket, row in sorted(due.pop(t, [])):
            if ticket in clf.open_tickets_:
                clf.tell(ticket, y[row], *([] if weights is None else [weights[row]]))
    return np.array(proba)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [LASEC(), LeadingHistory()], ids=["lasec", "leading"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_classes_and_weights_are_as_told(learner, classes, weighted):
    rng = np.random.default_rng(0)
    X, delay = rng.normal(size=(300, 4)), rng.integers(0, 20, 300)
    y = np.digitize(X[:, 0] + X[:, 1], np.linspace(-1, 1, classes + 1)[1:-1])
    weights = rng.choice([0, 0.5, 1, 2], 300) if weighted else None
    given = {"asker": Budget(rate=0.3), "classes": list(range(classes)), "random_state": 1}
    given["class_weight"] = "balanced" if weighted else None
    late, live = (OnlineClassifier(learner, **given) for _ in range(2))
    run = late.run(X, y, delay=delay, sample_weight=weights)
    assert np.array_equal(streamed(live, X, y, delay, weights), run.proba)
    assert np.array_equal(live.decision_function(X), late.decision_function(X))
    assert live.open_tickets_ == late.open_tickets_


def clf_of(**given):
    return OnlineClassifier(Perceptron(), asker=Margin(0.5), random_state=0, **given)


def stream_of(n=200):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] >= X[:, 1], "yes", "no")


@pytest.mark.filterwarnings("ignore:Labels came that were open no more")
def test_expired_tickets_stay_so():
    X, y = stream_of()
    late, live = (clf_of(classes=["no", "yes"], max_open=3) for _ in range(2))
    late.run(X, y, delay=9)
    streamed(live, X, y, np.full(200, 9))
    assert np.array_equal(late.coef_, live.coef_)
    assert late.open_tickets_ == live.open_tickets_
    assert len(late.open_tickets_) == 3


def test_labels_on_their_way_are_saved(tmp_path):
    X, y = stream_of()
    whole, part = clf_of(), clf_of()
    whole.run(X, y, delay=30)
    part.run(X[:100], y[:100], delay=30)
    part.save(tmp_path / "model")
    OnlineClassifier.load(tmp_path / "model").run(X[100:], y[100:], delay=30)
    after = OnlineClassifier.load(tmp_path / "model")
    after.run(X[100:], y[100:], delay=30)
    assert np.array_equal(after.coef_, whole.coef_)
    assert after.open_tickets_ == whole.open_tickets_ != []


def test_open_tickets_may_be_told():
    X, y = stream_of()
    clf = clf_of()
    run = clf.run(X, y, delay=10**6)
    assert not run.updated.any()
    assert len(clf.open_tickets_) == run.asked.sum() > 10
    first = clf.open_tickets_[0]
    assert clf.tell(first, y[np.flatnonzero(run.asked)[0]]) in (True, False)
    assert first not in clf.open_tickets_
    assert clf.run(X, y, delay=0).updated.any()


@pytest.mark.parametrize(
    ("delay", "message"),
    [
        (-1, "whole numbers of rounds from 0 on, got -1"),
        (0.5, "whole numbers of rounds from 0 on, got 0.5"),
        (np.nan, "whole numbers of rounds from 0 on, got nan"),
        ("soon", "whole numbers of rounds from 0 on, got 'soon'"),
        (True, "whole numbers of rounds from 0 on, got True"),
        ([1, 2], r"one for each of 200 rows, got shape \(2,\)"),
        (np.r_[np.zeros(7), -3, np.ones(192)], "from 0 on, got -3.0 for row 7"),
    ],
)
def test_bad_delays_get_one_sentence(delay, message):
    X, y = stream_of()
    clf = clf_of().fit(X, y)
    before = clf.coef_.copy()
    with pytest.raises(SelectronError, match=message) as caught:
        clf.run(X, y, delay=delay)
    assert is_one_sentence(str(caught.value))
    assert np.array_equal(clf.coef_, before)
    assert clf.n_rounds_ == 200


@pytest.mark.parametrize(
    "learner", [Perceptron(), LeadingHistory(fourier=6)], ids=["first", "ensemble"]
)
def test_labels_out_of_order_keep_the_model_finite(learner):
    X, y = stream_of()
    clf = OnlineClassifier(learner, classes=["no", "yes"], random_state=0)
    run = clf.run(X, y, delay=np.arange(200)[::-1] * 2)
    assert run.updated.any()
    assert np.isfinite(clf.coef_).all()
    assert np.isfinite(clf.predict_proba(X)).all()


def test_a_third_class_may_come_while_labels_are_on_their_way():
    X, y = stream_of()
    clf, live = clf_of(), clf_of(classes=["no", "yes"])
    third = np.where(np.arange(100) % 5 == 0, "maybe", y[100:])
    clf.run(X[:100], y[:100], delay=20)
    clf.run(X[100:], third, delay=20)
    due = defaultdict(list)
    for t, (x, label) in enumerate(zip(X, np.r_[y[:100], third], strict=True)):
        if t == 100:
            live._extend(np.array(["no", "yes", "maybe"]))
        decision = live.decide(x)
        if decision.ask:
            due[t + 20].append((decision.ticket, label))
        for ticket, told in due.pop(t, []):
            live.tell(ticket, told)
    assert np.array_equal(clf.decision_function(X), live.decision_function(X))


@pytest.mark.usefixtures("interpreted")
def test_labels_for_which_there_were_too_few_tickets_are_reported():
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    few = OnlineClassifier(Perceptron(), max_open=10, random_state=0)
    with pytest.warns(UserWarning, match="max_open=10 tickets are too few for this delay"):
        assert few.run(X, y, delay=20).steps == 0
