"""Classes of an ensemble are coupled by a regression, against its precision written out."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Always, Budget
from selectron.learners import LeadingHistory

ALWAYS = LeadingHistory(fourier=6), Always()


class Predictors:
    """Multinomial logistic regression on log-odds, and a discriminant analysis, mixed with them."""

    def __init__(self, classes):
        self.B, self.precision = np.zeros((classes, classes + 1)), np.eye(classes + 1) / 0.09
        self.shares, self.met = np.array([0.02, 0.02]), np.zeros(classes, bool)
        self.discriminant = Discriminant(classes)

    def scores(self, r, x, mean, by):
        """The scores of the classes against the rest, those of the others mixed in.

        Rows are standardised as (x - mean) by.
        """
        met, odds = self.met, 2 * np.arctanh(np.clip(r, -np.tanh(4), np.tanh(4)))
        self.l = np.append(1.0, odds * met)
        with_B = np.exp(odds + self.B @ self.l) * met
        densities = self.discriminant.densities(x, mean, by) * met
        self.alone, found = np.exp(odds) * met, r
        if not met.any():
            return r
        self.others = [one / one.sum() for one in (with_B, densities)]
        for share, p in zip(self.shares, self.others, strict=True):
            found = found + (share >= 0.01) * share * met * (2 * p - 1 - r)
        return found

    def learn(self, y, first):
        if self.met[y]:
            self.learn_of_met(y)
        self.met[y] = True
        if not first:  # before, rows have no coordinates
            self.discriminant.learn(y)

    def learn_of_met(self, y):
        weight = [0.5 if np.delete(p, y).max() >= p[y] else 1.0 for p in (*self.others, self.alone)]
        parts = np.append(self.shares, 1 - self.shares.sum()) * weight
        self.shares = 0.995 * parts[:2] / parts.sum() + 0.0001
        if np.linalg.inv(self.precision).diagonal().max() < 0.09:
            self.precision = self.precision / 1.002
        coupled, densities = self.others
        self.precision = self.precision + (coupled * (1 - coupled)).max() * np.outer(self.l, self.l)
        wrong = coupled - np.eye(len(self.B))[y]
        self.B = self.B - np.outer(wrong, np.linalg.solve(self.precision, self.l))
        self.discriminant.sharpen(densities, y)


class Discriminant:
    """Gaussians with the covariance of the labels so far, standardised as rows are now."""

    def __init__(self, classes):
        self.labels, self.rates = [[] for _ in range(classes)], np.zeros(classes)
        self.deviations = []  # of labels from the means of their classes
        self.sharpness, self.curvature = 0.5, 5.0

    def densities(self, x, mean, by):
        self.row, d = x, len(x)
        deviations = np.reshape(self.deviations, (-1, d)) * by
        prior = 0.3 * (d + 1)  # the constant is one of the coordinates
        W = deviations.T @ deviations + prior * np.eye(d)
        N, logs = np.linalg.inv(W) * (prior + len(deviations)), np.log(self.rates + 0.5)
        for k, labels in enumerate(self.labels):
            total, count = self.sums(labels, d)
            mu = (total - count * mean) * by / (count + 1)
            logs[k] += mu @ N @ ((x - mean) * by) - mu @ N @ mu / 2
        return np.exp(self.sharpness * (logs - logs.max()))

    @staticmethod
    def sums(labels, d):
        """The sum of rows, and the count, in which the last label counts most."""
        parts = 0.98 ** np.arange(len(labels))[::-1]
        return parts @ np.reshape(labels, (-1, d)), parts.sum()

    def learn(self, y):
        total, count = self.sums(self.labels[y], len(self.row))
        if count:
            self.deviations.append((self.row - total / count) * np.sqrt(count / (count + 1)))
        self.labels[y].append(self.row)
        self.rates *= 1 - 1 / 500
        self.rates[y] += 1

    def sharpen(self, p, y):
        p = p / p.sum()
        logs = np.log(np.maximum(p, 1e-20)) / self.sharpness
        self.curvature = 0.995 * self.curvature + p @ logs**2 - (p @ logs) ** 2
        self.curvature = max(1.0, self.curvature)
        moved = self.sharpness + (logs[y] - p @ logs) / self.curvature
        self.sharpness = min(1.0, max(0.05, moved))


def ordered(n, classes=5, d=3, noise=0.2, seed=0):
    """Return rows, and classes that follow one another along a line."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    m = X @ w / np.linalg.norm(w) + noise * rng.normal(size=n)
    return X, np.digitize(m, np.quantile(m, np.arange(1, classes) / classes))


@pytest.mark.slow
def test_scores_are_those_of_learners_of_two_and_of_the_other_predictors():
    X, y = ordered(300, classes=4)
    clf = OnlineClassifier(*ALWAYS, classes=range(4))
    ones = [OnlineClassifier(*ALWAYS, classes=[-1, 1]) for _ in range(4)]
    predictors, shares = Predictors(4), []
    for x, label in zip(X, y, strict=True):
        given = np.where(label == np.arange(4), 1, -1)
        r = [one.run([x], [sign]).margin[0] for one, sign in zip(ones, given, strict=True)]
        run = clf.run([x], [label])
        mean, by = clf.model_.state.scaler[:2, 1:]
        expected = predictors.scores(np.array(r), x, mean, by)
        predictors.learn(label, first=not shares)
        best = np.argsort(expected)
        assert run.prediction[0] == best[-1] or len(shares) < 4
        found = run.margin[0]
        np.testing.assert_allclose(found, expected[best[-1]] - expected[best[-2]], atol=1e-7)
        shares.append(predictors.shares)
    state = clf.model_.state
    assert (np.array(shares).max(axis=0) > 0.2).all()  # of both
    np.testing.assert_allclose(state.effects, predictors.B, atol=1e-7)
    np.testing.assert_allclose(state.shares[:3], [*shares[-1], predictors.discriminant.sharpness])


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
    before, shares = clf.model_.state.effects.copy(), clf.model_.state.shares[:2].copy()
    decision = clf.decide(X[0])
    assert clf.tell(decision.ticket, correct=False)
    np.testing.assert_array_equal(clf.model_.state.effects, before)
    np.testing.assert_array_equal(clf.model_.state.shares[:2], shares / 2)


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


@pytest.mark.slow
def test_a_weight_counts_as_copies_and_a_budget_asks_by_the_mixed_scores():
    X, y = ordered(400)
    budget = Budget(rate=0.5)
    runs = []
    for weight in (None, np.full(400, 2.0)):
        clf = OnlineClassifier(LeadingHistory(fourier=0), budget, classes=range(5), random_state=0)
        runs.append(clf.run(X, y, sample_weight=weight))
        assert np.isfinite(clf.model_.state.effects).all()
    assert runs[0].accuracy > 0.4 < runs[1].accuracy


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1e6, 1e90, 1e150])
def test_absurd_values_among_the_first_rows_do_no_harm(factor):
    rng = np.random.default_rng(0)
    y = rng.integers(6, size=400)
    X = 1.5 * rng.normal(size=(6, 5))[y] + rng.normal(size=(400, 5))
    X[1] *= factor
    clf = OnlineClassifier(LeadingHistory(fourier=0), Always(), classes=range(6))
    right = [clf.run(x, [label]).correct[0] for x, label in zip(X[:, None], y, strict=True)]
    assert np.mean(right[200:]) > 0.65
    assert clf.model_.state.shares[1] > 0.1  # of the discriminant analysis
