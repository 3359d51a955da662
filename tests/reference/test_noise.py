"""The noise of margins is learned, and stationary streams are learned as by one learner alone."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.history.posterior import mean_noise
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
