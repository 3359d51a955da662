"""`AdaptiveMargin` plays as its definition says, in every space, block and order of labels."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError
from selectron.askers import AdaptiveMargin, Budget
from selectron.learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron

N, D = 300, 5


def stream(seed):
    rng = np.random.default_rng([seed, 9])
    X = rng.normal(size=(N, D)) * 10 ** rng.uniform(-1, 1, (N, 1))
    return X, np.where(X @ rng.normal(size=D) + rng.normal(size=N) > 0, 1, -1)


def literal(X, y, beta, seed):
    """JMLR 7:1205: b = beta X^2 sqrt(1 + K), and the Perceptron's step on a mistake."""
    v, longest, mistakes = np.zeros(X.shape[1]), 0.0, 0
    draws = np.random.default_rng(seed).random(N)
    for x, label, draw in zip(X, y, draws, strict=True):
        longest = max(longest, np.linalg.norm(x))
        r = v @ x
        b = beta * longest**2 * math.sqrt(1 + mistakes)
        chance = b / (b + abs(r))
        asked = draw < chance
        if asked and (1 if r >= 0 else -1) != label:
            v, mistakes = v + label * x, mistakes + 1
        yield r, chance, asked


@pytest.mark.parametrize(("seed", "beta"), list(product(range(4), (0.003, 0.1, 2.0))))
def test_runs_are_those_of_the_definition(seed, beta):
    X, y = stream(seed)
    r, chance, asked = map(np.array, zip(*literal(X, y, beta, seed), strict=True))
    for rows in (X, scipy.sparse.csr_array(X)):
        asker = AdaptiveMargin(beta)
        clf = OnlineClassifier(
            Perceptron(), asker, random_state=seed, fit_intercept=False, normalize=False
        )
        run = clf.run(rows, y)
        assert np.allclose(run.margin, r, rtol=1e-9, atol=1e-9)
        assert np.allclose(run.ask_probability, chance, rtol=1e-9)
        assert np.array_equal(run.asked, asked)


def test_labels_that_come_late_count_from_when_they_come():
    X, _ = stream(0)
    clf = OnlineClassifier(
        Perceptron(),
        AdaptiveMargin(0.5),
        classes=[-1, 1],
        fit_intercept=False,
        normalize=False,
        random_state=0,
    )
    first, second = clf.decide(X[0]), clf.decide(X[0])
    assert first.ask_probability == second.ask_probability == 1.0  # margin 0
    assert clf.tell(first.ticket, -1)
    size = max(X[0] @ X[0], X[1] @ X[1])
    b = 0.5 * size * math.sqrt(2)
    expected = b / (b + abs(X[0] @ X[1]))
    assert clf.decide(X[1]).ask_probability == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("many", ["joint", "rest"])
def test_mistakes_are_counted_with_many_classes(many):
    X, _ = stream(1)
    y = np.argmax(X[:, :3], axis=1)
    clf = OnlineClassifier(
        Perceptron(), AdaptiveMargin(1.0), many=many, normalize=False, random_state=0
    )
    run = clf.run(X, y)
    last = OnlineClassifier(
        Perceptron(), AdaptiveMargin(1.0), many=many, normalize=False, random_state=0
    )
    last.run(X[:-1], y[:-1], classes=[0, 1, 2])
    before = last.run(X[-1:], y[-1:])
    steps = run.steps - int(run.updated[-1])
    b = math.sqrt(1 + steps) * max(1 + x @ x for x in X) * (2 if many == "joint" else 1)
    chance = b / (b + abs(before.margin[0]))
    assert run.ask_probability[-1] == pytest.approx(chance, rel=1e-9)
    assert before.ask_probability[0] == run.ask_probability[-1]


@pytest.mark.parametrize("learner", [LASEC(), LeadingHistory()], ids=repr)
def test_learners_of_second_order_are_refused(learner):
    with pytest.raises(SelectronError, match="asks by the lengths of rows, which"):
        OnlineClassifier(learner, AdaptiveMargin(1.0)).fit([[1.0], [2.0]], [0, 1])


def test_a_budget_takes_no_asker_that_remembers():
    with pytest.raises(SelectronError, match="must be one that remembers nothing"):
        Budget(rate=0.1, asker=AdaptiveMargin(1.0))


def test_rows_of_zeros_are_asked_for():
    clf = OnlineClassifier(PassiveAggressive(), AdaptiveMargin(1.0), fit_intercept=False)
    assert clf.run(np.zeros((3, 2)), [1, -1, 1], classes=[-1, 1]).asked.all()
