"""When a ring expects the concept to switch, and what the budget makes of it."""

from itertools import pairwise

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.askers.budget import due, recalled
from selectron.history.hazard import LENGTHS, PACES, ended, lasts
from selectron.history.posterior import SHARE
from selectron.learners import LeadingHistory
from selectron.streams import switching_gaussian

AGES = np.arange(0.0, 12.0, 0.25)


def played(every, rate, n=6000):
    """Play concepts of one length: the run, and how far each kind of concept is believed."""
    X, y = switching_gaussian(n, d=5, every=every, seed=1)
    clf = OnlineClassifier(LeadingHistory(), asker=Budget(rate), random_state=0)
    run = clf.run(X, y)
    return run, clf.model_.state.shares.sum(axis=0)


@pytest.mark.parametrize("every", [200, 600])
@pytest.mark.parametrize("rate", [0.2, 1.0])
def test_the_length_of_concepts_is_learned(every, rate):
    _, kinds = played(every, rate)
    likely = LENGTHS[np.argmax(kinds[len(PACES) :])] / LeadingHistory().switches
    assert kinds[len(PACES) :].sum() > 0.9
    assert every / 1.2 < likely < every * 1.2


def test_where_nothing_switches_the_first_members_lead():
    run, kinds = played(6000, 0.2)
    assert run.age[-1] > 5900
    assert run.drifts == []
    assert kinds[len(PACES) :].max() < 0.15


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
    assert clf.model_.state.members[0, SHARE] > 0.5  # of the member that wanders
    assert np.mean((run.margin >= 0)[2000:] == (y > 0)[2000:]) > 0.95


@pytest.mark.parametrize("kind", range(len(PACES) + len(LENGTHS)))
def test_what_ends_is_a_part_and_all_gaps_together_are_the_whole_time(kind):
    parts = [ended(kind, now, now - before, False) for before, now in pairwise(AGES)]
    assert all(0 <= part <= 1 for part in parts)
    whole = ended(kind, AGES[-1], AGES[-1], False)
    assert 1 - np.prod(1 - np.array(parts)) == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("kind", range(len(PACES) + len(LENGTHS)))
@pytest.mark.parametrize("age", [0.0, 0.7])
@pytest.mark.parametrize("remaining", [0.05, 2.0, 30.0])
def test_over_what_part_of_the_rounds_to_come_a_concept_lasts(kind, age, remaining):
    """By adding up the probability that it goes on, over the rounds."""
    to_come = (np.arange(20_000) + 0.5) / 20_000 * remaining
    paces, lengths = np.exp(-to_come * PACES[min(kind, 6)]), age + to_come < LENGTHS[kind - 7]
    goes_on = paces if kind < len(PACES) else lengths
    assert lasts(kind, age, remaining) == pytest.approx(goes_on.mean(), abs=1e-3)
    assert lasts(kind, age, 0.0) == 1.0


@pytest.mark.parametrize(("lasting", "low", "high"), [(0.0, 0.499, 0.501), (1.0, 0.6, 0.75)])
def test_labels_are_due_early_where_the_concept_lasts(lasting, low, high):
    """At most three quarters of them in the first half; and all in the end, if spent when due."""
    budget, spent = Budget(labels=500, horizon=10_000), np.zeros(10_000)
    past = recalled(budget.past())
    for i in range(len(spent)):
        spent[i], *_ = due(Budget(*budget.numbers()), past, 0.0, lasting)
        past = past._replace(rows=i + 1, seen=i + 1, asked=past.asked + spent[i])
    assert low < spent[:5000].sum() / 500 < high
    assert spent.sum() > 498
