"""When an ensemble expects the concept to switch, and how the budget uses it."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.askers.budget import current_rate, record_of
from selectron.history.posterior import WEIGHT
from selectron.learners import LeadingHistory
from selectron.streams import switching_gaussian


def played(every, rate, n=6000):
    """Play concepts of one length; return the run."""
    X, y = switching_gaussian(n, d=5, every=every, seed=1)
    return OnlineClassifier(LeadingHistory(), asker=Budget(rate), random_state=0).run(X, y)


def test_where_nothing_switches_the_first_members_lead():
    run = played(6000, 0.2)
    assert run.age[-1] > 5900
    assert run.drifts == []


@pytest.mark.parametrize("seed", range(3))
def test_drift_without_switches_is_followed(seed):
    random = np.random.default_rng(seed)
    X, angle = random.standard_normal((6000, 10)), np.linspace(0, np.pi, 6000)
    y = np.where(np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] >= 0, 1, -1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(0.2), random_state=0)
    run = clf.run(X, y)
    assert clf.model_.state.experts[0, WEIGHT] > 0.5  # of the forgetting expert
    assert np.mean((run.margin >= 0)[2000:] == (y > 0)[2000:]) > 0.95


@pytest.mark.parametrize(("lasting", "low", "high"), [(0.0, 0.499, 0.501), (1.0, 0.6, 0.75)])
def test_labels_are_due_early_where_the_concept_lasts(lasting, low, high):
    """At most three quarters of them in the first half; and all in the end, if spent when due."""
    budget, spent = Budget(labels=500, horizon=10_000), np.zeros(10_000)
    past = record_of(budget.past())
    for i in range(len(spent)):
        spent[i], *_ = current_rate(Budget.Parameters(*budget.numbers()), past, 0.0, lasting)
        past = past._replace(rows=i + 1, seen=i + 1, asked=past.asked + spent[i])
    assert low < spent[:5000].sum() / 500 < high
    assert spent.sum() > 498
