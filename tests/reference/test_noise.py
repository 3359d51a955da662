"""The noise of margins is learned, and streams at rest are learned as by one learner alone."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.history.noise import common
from selectron.learners import BayesianPerceptron, LeadingHistory


def noisy(scale, n=2000, d=6):
    rng = np.random.default_rng(4)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    m = X @ w / np.linalg.norm(w)
    return X, np.where(m + scale * rng.normal(size=n) >= 0, 1, -1)


def learned(scale):
    clf = OnlineClassifier(LeadingHistory(), Always(), fit_intercept=False, random_state=0)
    run = clf.run(*noisy(scale))
    return run.accuracy, common(clf.model_.state)


@pytest.mark.usefixtures("mostly_plain")
def test_more_noise_is_found_where_there_is_more():
    (sharp, little), (_, much) = learned(0.0), learned(1.5)
    assert sharp > 0.95
    assert little < 0.3 < 1.0 < much


@pytest.mark.usefixtures("mostly_plain")
def test_a_noisy_stream_at_rest_is_learned_as_by_one_learner():
    X, y = noisy(1.5)
    single = OnlineClassifier(BayesianPerceptron(1.5), Always(), fit_intercept=False).run(X, y)
    assert learned(1.5)[0] > single.accuracy - 0.01
