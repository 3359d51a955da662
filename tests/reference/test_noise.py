"""The noise of margins is learned, and stationary streams are learned as by one learner alone."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.history.posterior import label_noise, mean_noise
from selectron.learners import BayesianPerceptron, LeadingHistory


def noisy(scale, n=2000, d=6):
    rng = np.random.default_rng(4)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    m = X @ w / np.linalg.norm(w)
    return X, np.where(m + scale * rng.normal(size=n) >= 0, 1, -1)


def learned(scale):
    clf = OnlineClassifier(LeadingHistory(), Always(), fit_intercept=False, random_state=0)
    run = clf.run(*noisy(scale))
    return run.accuracy, mean_noise(clf.model_.state.scalars)


@pytest.mark.slow
def test_the_noise_estimate_rises_with_the_noise():
    (sharp, little), (_, much) = learned(0.0), learned(1.5)
    assert sharp > 0.95
    assert little < 0.3 < 1.0 < much


@pytest.mark.slow
def test_a_noisy_stationary_stream_is_learned_as_by_one_learner():
    X, y = noisy(1.5)
    single = OnlineClassifier(BayesianPerceptron(1.5), Always(), fit_intercept=False).run(X, y)
    assert learned(1.5)[0] > single.accuracy - 0.01


@pytest.mark.slow
def test_random_labels_of_many_classes_are_no_new_concept():
    """Labels of nine classes, one in twenty of which is random, are learned as by one learner."""
    rng = np.random.default_rng(0)
    X = (rng.random((8000, 60)) < 0.1) * 1.0
    y = np.argmax(X @ rng.normal(size=(60, 9)), axis=1)
    y = np.where(rng.random(8000) < 0.05, rng.integers(0, 9, 8000), y)
    clf = OnlineClassifier(LeadingHistory(), Always(), many="rest", random_state=0)
    single = OnlineClassifier(BayesianPerceptron(), Always(), many="rest").run(X, y)
    right = clf.run(X, y).correct
    parts = [sum(label_noise(scalars)) for scalars in clf.model_.state.scalars]
    assert min(parts) > 0.03
    assert max(parts) < 0.08
    assert right[4000:].mean() > single.correct[4000:].mean() - 0.01
