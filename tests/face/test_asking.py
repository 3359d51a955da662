"""Asking by another asker from some round on, and drift in a stream of single rows."""

import numpy as np
import pytest

from selectron import Budget, OnlineClassifier, SelectronError
from selectron.askers import BBQ, AdaptiveMargin, Always, Disagreement, Fixed, Margin
from selectron.evaluate import Drifts
from selectron.learners import LASEC, Perceptron
from selectron.streams import switching_gaussian

from .examples import inside

X, Y = switching_gaussian(4000, d=5, seed=3)


def started(asker, learner=None, seed=0):
    clf = OnlineClassifier(learner, asker, random_state=seed)
    clf.run(X[:500], Y[:500])
    return clf


def test_what_was_learned_and_open_tickets_stay():
    clf, same = started(Fixed(0.5), Perceptron()), started(Fixed(0.5), Perceptron())
    tickets = [one.decide(X[i]).ticket for i in range(500, 520) for one in (clf, same)]
    clf.set_asker(Always())
    assert (clf.coef_ == same.coef_).all()
    assert clf.open_tickets_ == same.open_tickets_ == sorted(set(tickets) - {None})
    assert clf.tell(clf.open_tickets_[0], 1) == same.tell(same.open_tickets_[0], 1)
    assert (clf.coef_ == same.coef_).all()
    assert clf.run(X[520:620], Y[520:620]).asked.all()


@pytest.mark.parametrize("rate", [0.03, 0.3])
def test_another_rate_is_kept_from_then_on(rate):
    early = []
    for seed in range(10):
        clf = started(Budget(rate=0.1), seed=seed)
        clf.run(X[500:800], Y[500:800])
        clf.set_asker(Budget(rate=rate))
        asked = clf.run(X[800:], Y[800:]).asked
        assert abs(asked.mean() / rate - 1) < 0.25
        early.append(asked[:200].mean())
    assert np.mean(early) < 2.6 * rate  # only labels that were saved come early


def test_a_number_of_labels_counts_from_then_on():
    clf = started(Budget(rate=0.5))
    clf.set_asker(Budget(labels=100, horizon=2000))
    assert clf.run(X[500:2500], Y[500:2500]).asked.sum() == 100


def test_labels_of_the_day_count_under_another_budget():
    clf, times = OnlineClassifier(asker=Budget(labels=50, per="1d"), random_state=0), np.arange(600)
    asked = clf.run(X[:600], Y[:600], times=times * 140.0).asked.sum()
    assert 40 < asked <= 50
    for period, least, most in (("24h", 0, 60 - asked), ("12h", 10, 60)):
        clf.set_asker(Budget(labels=60, per=period))
        assert least <= clf.run(X[:600], Y[:600], times=84_000 + times).asked.sum() <= most


@pytest.mark.parametrize(
    ("learner", "asker", "later"),
    [
        (LASEC(), Margin(0.1), Budget(rate=0.1, asker=Margin(0.1))),
        (LASEC(), Budget(rate=0.1, asker=Margin(0.1)), BBQ(0.5)),
        (Perceptron(), AdaptiveMargin(0.1), Margin(0.1)),
    ],
)
def test_askers_of_other_kinds(learner, asker, later, tmp_path):
    clf = started(asker, learner)
    clf.set_asker(later)
    assert clf.get_params()["asker"] == later
    clf.save(tmp_path / "m")
    loaded = OnlineClassifier.load(tmp_path / "m")
    runs = [one.run(X[500:900], Y[500:900]) for one in (clf, loaded)]
    assert runs[0].flags.tolist() == runs[1].flags.tolist()
    assert loaded.asker == later


@pytest.mark.parametrize("asker", [None, 0.1, "budget", BBQ(0.5)], ids=repr)
def test_an_asker_that_does_not_fit_changes_nothing(asker):
    clf = started(Margin(0.1), Perceptron())
    before = inside(clf)
    with pytest.raises(SelectronError):
        clf.set_asker(asker)
    assert inside(clf) == before
    assert clf.asker == Margin(0.1)


def test_a_first_asker_is_a_parameter():
    with pytest.raises(ValueError, match="not fitted"):
        OnlineClassifier().set_asker(Margin(0.1))


def test_single_rows_have_the_evidence_of_a_run():
    run = OnlineClassifier(asker=Budget(rate=0.2), random_state=0).run(X, Y, delay=0)
    clf = OnlineClassifier(asker=Budget(rate=0.2), classes=[-1, 1], random_state=0)
    drifts, found = Drifts(), []
    for x, y, evidence in zip(X, Y, run.evidence, strict=True):
        decision = clf.decide(x)
        if decision.ask:
            clf.tell(decision.ticket, y)
        assert decision.evidence == tuple(evidence)
        found += drifts.add(decision.evidence)
    assert found == run.drifts
    assert found


def test_rows_of_zeros_before_all_others_are_asked_for():
    clf = OnlineClassifier(Perceptron(), AdaptiveMargin(0.1), classes=[-1, 1], fit_intercept=False)
    assert clf.decide(np.zeros(5)).ask_probability == 1.0


def test_learners_without_drift_have_no_evidence():
    clf = OnlineClassifier(Perceptron(), Margin(0.1), classes=[-1, 1])
    assert clf.decide(X[0]).evidence == ()


def test_a_budget_around_another_kind_of_asker_knows_nothing_of_the_stream():
    clf = started(Budget(rate=0.2, asker=Margin(0.1)), LASEC())
    clf.set_asker(Budget(rate=0.2, asker=Disagreement(0.1)))
    assert clf.model_.past[0] == 0
