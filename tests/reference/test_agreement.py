"""Every learner under every asker, on dense and on sparse rows, against the papers' pseudo-code.

Taken literally, with its inverses, second-order pseudo-code loses digits where the eigenvalues of
its matrices are far apart: with a prior of 1e-3, or with rows of very different length. There it is
evaluated in long double, and `test_literal_inverses_lose_digits` shows that it is at fault, not the
library.
"""

from collections import Counter
from functools import partial
from itertools import product

import numpy as np
import pytest
import scipy.sparse
from laws.grid import method

from selectron import askers, learners
from selectron.askers import BBQ, BBQI, Margin, SecondOrderMargin
from selectron.learners import (
    CELLIP,
    ModifiedPerceptron,
    Perceptron,
    SecondOrderPerceptron,
    ShiftingPerceptron,
)

from . import papers
from .agreement import (
    ASKERS,
    FLAGS,
    INF,
    INVERTED,
    LEARNERS,
    MILD,
    SHAPED,
    TOLERANCE,
    WIDE,
    ZEROS,
    T,
    deviation,
    differences,
    found,
    kind_for,
    literal,
    stream,
    undecided,
)

pytestmark = pytest.mark.usefixtures("mostly_plain")

extended = pytest.mark.skipif(
    bool(np.finfo(np.longdouble).eps > 1e-18), reason="long double is double on this machine"
)


def report(learner, asker, d, spread, flags, precision):
    """Yield a line for each space that does not agree."""
    if undecided(learner, d, flags):
        return
    played = literal(learner, asker, d, spread, flags, precision)
    y = stream(d, spread, flags, kind_for(learner, asker))[1]
    for space in (np.asarray, scipy.sparse.csr_array):
        names = differences(learner, found(learner, asker, d, spread, flags, space), played, y)
        if names:
            yield f"{learner} {asker} d={d} flags={flags} {space.__name__}: {', '.join(names)}"


def compositions():
    """Return all pairs that are not refused: BBQ wants a variance, which is of second order.

    The quick ones have each learner once, and the askers in turn.
    """
    refused = [(k, a) for k in LEARNERS if not hasattr(k, "shape") for a in (BBQ, BBQI)]
    pairs = [pair for pair in product(LEARNERS, ASKERS) if pair not in refused]
    counts, found = Counter(), []
    for learner in LEARNERS:
        own = [asker for one, asker in pairs if one is learner]
        quick = min(own, key=lambda asker: counts[asker])
        counts[quick] += 1
        for asker in own:
            marks = () if asker is quick else pytest.mark.slow
            name = f"{learner.__name__}-{asker.__name__}"
            found.append(pytest.param(learner, asker, marks=marks, id=name))
    return found


def prior(learner):
    """Return the prior precision of a learner that is transcribed with inverses."""
    return getattr(learner, "a", getattr(learner, "b", INF)) if type(learner) in SHAPED else INF


def test_nothing_is_left_out():
    by_their_conditions = {"L1Constrained"}  # in test_l1.py
    budgeted = {"BudgetPerceptron", "Forgetron"}  # in laws/test_budgets.py
    leading, within = {"LeadingHistory"}, {"Budget", "Uncertainty"}  # in test_leading.py
    remembering = {"AdaptiveMargin"}  # in test_adaptive.py
    assert {kind.__name__ for kind in LEARNERS} == set(
        learners.__all__
    ) - by_their_conditions - budgeted - leading
    assert {kind.__name__ for kind in ASKERS} == set(askers.__all__) - within - remembering


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_perceptrons_scale_their_rows(learner):
    family = Perceptron, ShiftingPerceptron, ModifiedPerceptron, SecondOrderPerceptron
    for p in LEARNERS[learner]:
        assert method(learner(*p), "normalize")() == (learner in family)


@pytest.mark.parametrize(("learner", "asker"), compositions())
def test_every_composition_is_the_papers(learner, asker):
    wrong, each = [], len(ASKERS[asker]) * len(ZEROS)
    for i, (p, a, d) in enumerate(product(LEARNERS[learner], ASKERS[asker], ZEROS)):
        if prior(learner(*p)) >= 1:  # the others in long double, below
            flags = FLAGS[(i + i // each) % 4]
            wrong += report(learner(*p), asker(*a), d, MILD, flags, np.float64)
    assert wrong == []


@extended
@pytest.mark.slow
@pytest.mark.parametrize("asker", ASKERS)
def test_a_weak_prior(asker):
    wrong = []
    weak = [learner for learner in INVERTED if prior(learner) < 1]
    for i, (learner, a, d) in enumerate(product(weak, ASKERS[asker], ZEROS)):
        if i % 2:  # each learner meets some of the widths
            wrong += report(learner, asker(*a), d, MILD, FLAGS[i // 2 % 4], np.longdouble)
    assert wrong == []


@pytest.mark.slow
@extended
@pytest.mark.parametrize("learner", LEARNERS)
def test_rows_of_very_different_length(learner):
    wrong = []
    askers = Margin(0.1), SecondOrderMargin(10.0)
    known = [p for p in LEARNERS[learner] if prior(learner(*p)) >= 1]
    if learner is CELLIP:  # no row may be too short for the margin that it is promised
        known = [p for p in known if learner(*p).gamma < 0.01]
    cases = product(known, askers, ZEROS)
    for i, (p, asker, d) in enumerate(cases):
        wrong += report(learner(*p), asker, d, WIDE, FLAGS[i % 4], np.longdouble)
    assert wrong == []


@pytest.mark.slow
@extended
@pytest.mark.parametrize("spread", [MILD, WIDE])
@pytest.mark.parametrize("learner", INVERTED, ids=str)
def test_literal_inverses_lose_digits(learner, spread):
    """The library is as near to the pseudo-code in long double as the same in double is."""
    case = learner, SecondOrderMargin(1e-3), 20, spread, (True, False)
    exact = literal(*case, np.longdouble)
    rounded = deviation(literal(*case, np.float64), exact)
    for space in (np.asarray, scipy.sparse.csr_array):
        run = found(*case, space)
        assert deviation(run, exact) <= max(rounded, 1e-13)
        assert np.array_equal(run.updated, exact.updated)


@pytest.mark.parametrize("r", [1e-3, 1.0, 1e3])
def test_arow_steps_to_the_minimum_of_its_objective(r):
    for flags in FLAGS:
        X, y = stream(3, MILD, flags, "noisy")
        rows, draws = papers.prepare(X, *flags), np.zeros(T)
        closed, solved = (
            papers.play(partial(learner, r=r), papers.always, rows, y, draws)
            for learner in (papers.arow, papers.arow_objective)
        )
        assert deviation(closed, solved) < TOLERANCE
