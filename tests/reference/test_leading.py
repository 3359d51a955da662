"""LeadingHistory under a Budget, against a transcription with posteriors from all their terms."""

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.learners import LeadingHistory

from .papers import leading


@pytest.mark.usefixtures("mostly_plain")
@pytest.mark.parametrize("rate", [0.3, 0.8])
@pytest.mark.parametrize("replays", [0, 3])
@pytest.mark.parametrize("constant", [False, True])
def test_a_stream_that_switches(rate, replays, constant):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)) * [1.0, 2.0, 0.5, 1.0]
    targets = rng.normal(size=(2, 4))
    y = np.where(np.einsum("td,td->t", X, targets[np.arange(200) // 120]) >= 0, 1, -1)
    X[:, 3] += 5.0
    learner = LeadingHistory(switches=0.01, replays=replays)
    clf = OnlineClassifier(learner, asker=Budget(rate), fit_intercept=constant, random_state=3)
    run = clf.run(X, y)
    draws = np.random.default_rng(3).random(200)
    margin, probability, asked = leading.play(X, y, draws, rate, 0.01, replays, constant)
    assert 20 < asked.sum() < 200
    assert np.array_equal(run.asked, asked)
    np.testing.assert_allclose(run.margin, margin, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(run.probability, probability, rtol=1e-8, atol=1e-8)
