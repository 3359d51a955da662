"""When an ensemble expects the concept to switch, and how the budget uses it."""

from itertools import pairwise

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.askers.budget import current_rate, record_of
from selectron.history.hazard import LENGTHS, RATES, end_probability, remaining_part
from selectron.history.posterior import WEIGHT
from selectron.learners import LeadingHistory
from selectron.streams import switching_gaussian

AGES = np.arange(0.0, 12.0, 0.25)


def played(every, rate, n=6000):
    """Play concepts of one length; return the run, and the posterior of the hazard models."""
    X, y = switching_gaussian(n, d=5, every=every, seed=1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate), random_state=0)
    run = clf.run(X, y)
    return run, clf.model_.state.posterior.sum(axis=0)


@pytest.mark.parametrize("every", [200, 600])
@pytest.mark.parametrize("rate", [0.2, 1.0])
def test_the_length_of_concepts_is_learned(every, rate):
    _, models = played(every, rate)
    likely = LENGTHS[np.argmax(models[len(RATES) :])] / LeadingHistory().switches
    assert models[len(RATES) :].sum() > 0.9
    assert every / 1.2 < likely < every * 1.2


def test_where_nothing_switches_the_first_members_lead():
    run, models = played(6000, 0.2)
    assert run.age[-1] > 5900
    assert run.drifts == []
    assert models[len(RATES) :].max() < 0.15


def test_labels_are_asked_for_while_a_concept_is_young():
    run, _ = played(600, 0.1)
    early, late = run.asked[3000:].reshape(-1, 2, 300).sum(axis=(0, 2))
    assert early > 1.5 * late


@pytest.mark.parametrize("seed", range(3))
def test_drift_without_switches_is_followed(seed):
    random = np.random.default_rng(seed)
    X, angle = random.standard_normal((6000, 10)), np.linspace(0, np.pi, 6000)
    y = np.where(np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] >= 0, 1, -1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(0.2), random_state=0)
    run = clf.run(X, y)
    assert clf.model_.state.experts[0, WEIGHT] > 0.5  # of the forgetting expert
    assert np.mean((run.margin >= 0)[2000:] == (y > 0)[2000:]) > 0.95


@pytest.mark.parametrize("model", range(len(RATES) + len(LENGTHS)))
def test_end_probabilities_of_gaps_multiply_to_that_of_the_whole_time(model):
    parts = [end_probability(model, now, now - before, False) for before, now in pairwise(AGES)]
    assert all(0 <= part <= 1 for part in parts)
    whole = end_probability(model, AGES[-1], AGES[-1], False)
    assert 1 - np.prod(1 - np.array(parts)) == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("model", range(len(RATES) + len(LENGTHS)))
@pytest.mark.parametrize("age", [0.0, 0.7])
@pytest.mark.parametrize("remaining", [0.05, 2.0, 30.0])
def test_the_expected_part_of_the_remaining_rounds(model, age, remaining):
    """It is the mean over the rounds of the probability that the concept goes on."""
    to_come = (np.arange(20_000) + 0.5) / 20_000 * remaining
    constant, lengths = np.exp(-to_come * RATES[min(model, 6)]), age + to_come < LENGTHS[model - 7]
    goes_on = constant if model < len(RATES) else lengths
    assert remaining_part(model, age, remaining) == pytest.approx(goes_on.mean(), abs=1e-3)
    assert remaining_part(model, age, 0.0) == 1.0


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
