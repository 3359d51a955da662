"""Classes of an ensemble are coupled by a regression, against its precision written out."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Always, Budget
from selectron.learners import LeadingHistory

ALWAYS = LeadingHistory(fourier=6), Always()


class Regression:
    """Multinomial logistic regression on log-odds, mixed with them by its share."""

    def __init__(self, classes):
        self.B, self.precision = np.zeros((classes, classes + 1)), np.eye(classes + 1) / 0.09
        self.share, self.met = 0.02, np.zeros(classes, bool)

    def scores(self, r):
        """The scores of the classes against the rest, those of the regression mixed in."""
        met, odds = self.met, 2 * np.arctanh(np.clip(r, -np.tanh(4), np.tanh(4)))
        self.l = np.append(1.0, odds * met)
        with_B = np.exp(odds + self.B @ self.l) * met
        self.alone, self.coupled = np.exp(odds) * met, with_B
        if not met.any():
            return r
        self.alone, self.coupled = self.alone / self.alone.sum(), with_B / with_B.sum()
        if self.share < 0.01:
            return r
        return np.where(met, (1 - self.share) * r + self.share * (2 * self.coupled - 1), r)

    def learn(self, y):
        if not self.met[y]:
            self.met[y] = True
            return
        weight = [0.5 if p.max() > p[y] else 1.0 for p in (self.coupled, self.alone)]
        coupled, alone = self.share * weight[0], (1 - self.share) * weight[1]
        self.share = 0.995 * coupled / (coupled + alone) + 0.0001
        if np.linalg.inv(self.precision).diagonal().max() < 0.09:
            self.precision = self.precision / 1.002
        self.precision = self.precision + (self.coupled * (1 - self.coupled)).max() * np.outer(
            self.l, self.l
        )
        wrong = self.coupled - np.eye(len(self.B))[y]
        self.B = self.B - np.outer(wrong, np.linalg.solve(self.precision, self.l))


def ordered(n, classes=5, d=3, noise=0.2, seed=0):
    """Return rows, and classes that follow one another along a line."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    m = X @ w / np.linalg.norm(w) + noise * rng.normal(size=n)
    return X, np.digitize(m, np.quantile(m, np.arange(1, classes) / classes))


@pytest.mark.slow
def test_scores_are_those_of_learners_of_two_and_of_the_regression():
    X, y = ordered(300, classes=4)
    clf = OnlineClassifier(*ALWAYS, classes=range(4))
    ones = [OnlineClassifier(*ALWAYS, classes=[-1, 1]) for _ in range(4)]
    regression, shares = Regression(4), []
    for x, label in zip(X[:, None], y, strict=True):
        given = np.where(label == np.arange(4), 1, -1)
        r = [one.run(x, [sign]).margin[0] for one, sign in zip(ones, given, strict=True)]
        expected = regression.scores(np.array(r))
        regression.learn(label)
        run = clf.run(x, [label])
        best = np.argsort(expected)
        assert run.prediction[0] == best[-1] or len(shares) < 4
        found = run.margin[0]
        np.testing.assert_allclose(found, expected[best[-1]] - expected[best[-2]], atol=1e-7)
        shares.append(regression.share)
    assert shares[0] < 0.2 < 0.9 < max(shares)
    np.testing.assert_allclose(clf.model_.state.effects, regression.B, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_classes_between_others_are_found(seed):
    X, y = ordered(3000, seed=seed)
    coupled = OnlineClassifier(LeadingHistory(fourier=0), Always(), classes=range(5)).run(X, y)
    ones = [OnlineClassifier(LeadingHistory(fourier=0), Always()) for _ in range(5)]
    margins = [one.run(X, y == k).margin for k, one in enumerate(ones)]
    alone = np.argmax(margins, axis=0) == y
    assert coupled.correct[1000:].mean() > alone[1000:].mean() + 0.04


@pytest.mark.slow
def test_the_covariance_stays_one_for_many_labels():
    """Rounding that differs between (j, k) and (k, j) would grow by 0.2% a label."""
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(60_000, 3)), rng.normal(size=(3, 3))
    y = np.argmax(X @ W + 0.3 * rng.normal(size=X.shape), axis=1)
    clf = OnlineClassifier(LeadingHistory(fourier=0), Always(), classes=range(3))
    clf.run(X, y, margins=False)
    state = clf.model_.state
    np.testing.assert_array_equal(state.spread, state.spread.T)
    assert np.linalg.eigvalsh(state.spread).min() > 0
    assert np.diag(state.spread).max() < 0.1
    assert abs(state.effects).max() < 2


def test_a_wrong_proposal_alone_is_learned():
    X, y = ordered(60)
    clf = OnlineClassifier(LeadingHistory(fourier=0), Always(), classes=range(5))
    clf.run(X, y)
    before = clf.model_.state.effects.copy()
    decision = clf.decide(X[0])
    assert clf.tell(decision.ticket, correct=False)
    np.testing.assert_array_equal(clf.model_.state.effects, before)


def test_a_new_class_joins_what_is_known_of_the_others():
    X, y = ordered(400)
    clf = OnlineClassifier(LeadingHistory(fourier=0), Always(), classes=range(4))
    clf.run(X[y < 4], y[y < 4])
    before = clf.model_.state
    clf.model_.extend(5)
    after = clf.model_.state
    np.testing.assert_array_equal(after.effects[:4, :5], before.effects)
    np.testing.assert_array_equal(after.spread[:5, :5], before.spread)
    assert after.shares.tolist() == [*before.shares, 0.0]
    assert after.effects[4].tolist() == [0] * 6
    assert after.effects[:, 5].tolist() == [0] * 5
    assert after.spread[5].tolist() == [0, 0, 0, 0, 0, 0.09]


def test_a_weight_counts_as_copies_and_a_budget_asks_by_the_mixed_scores():
    X, y = ordered(400)
    budget = Budget(rate=0.5)
    runs = []
    for weight in (None, np.full(400, 2.0)):
        clf = OnlineClassifier(LeadingHistory(fourier=0), budget, classes=range(5), random_state=0)
        runs.append(clf.run(X, y, sample_weight=weight))
        assert np.isfinite(clf.model_.state.effects).all()
    assert runs[0].accuracy > 0.4 < runs[1].accuracy
