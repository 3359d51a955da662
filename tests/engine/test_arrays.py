"""Arrays that compiled code makes are freed; where it makes none, it counts no references."""

import numpy as np
import pytest
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python, rtsys

from selectron import OnlineClassifier
from selectron.askers import Always, Margin
from selectron.engine.bind import reachable
from selectron.engine.loop import play
from selectron.engine.machine import _counts
from selectron.learners import AROW, LASEC, MIRA, L1Constrained, Perceptron
from selectron.model.compose import parts, space_for

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 6))
Y = RNG.integers(4, size=200)


def smallest(x, z):
    return np.sort(x * z)[0] + x @ z


@pytest.fixture
def arrays():
    """Return a function that tells how many arrays have been made and freed so far."""
    rtsys.initialize(cpu_target.target_context)
    _nrt_python.memsys_enable_stats()
    yield lambda: np.array(rtsys.get_allocation_stats()[:2])
    _nrt_python.memsys_disable_stats()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "asker", "options"),  # most are compiled by other tests anyway
    [
        (L1Constrained(1.0), Always(), {}),
        (MIRA(), Margin(0.3), {}),
        (AROW(), Margin(0.3), {"many": "exact"}),
        (Perceptron(), Always(), {"kernel": smallest}),
    ],
    ids=["projection", "all classes at once", "exact", "a user's kernel"],
)
def test_they_are_freed(learner, asker, options, arrays):
    clf = OnlineClassifier(learner, asker, **options)
    before = arrays()
    clf.fit(X, Y)
    made, freed = arrays() - before
    assert made == freed > 100


@pytest.mark.slow
def test_elsewhere_none_are_made(arrays):
    clf = OnlineClassifier(LASEC())
    before = arrays()
    clf.fit(X, Y)
    assert (arrays() == before).all()


@pytest.mark.parametrize(("learner", "counting"), [(LASEC, False), (L1Constrained, True)])
def test_references_are_counted_where_arrays_are_made(learner, counting):
    found = parts(learner, Always, space_for(learner(1.0), False))
    assert any(map(_counts, reachable(play, found))) == counting
