"""Stacks of two classes: what one vector for both does, and what changes."""

import math
from itertools import product

import numpy as np
import pytest
from laws.grid import LEARNERS, method, plain_loop, sparse_block, stream

from selectron.askers import Always, Margin
from selectron.classes.stack import of_one
from selectron.engine.rows import Dense
from selectron.learners import L1Constrained
from selectron.model.compose import space_for
from selectron.model.run import Outcome

N, WIDTH = 120, 5
ASKER = Margin(b=0.3)
FIRST = [
    name for name, p in LEARNERS.items() if not hasattr(p, "shape") and not hasattr(p, "ensemble")
]
SECOND = [name for name, p in LEARNERS.items() if hasattr(p, "shape")]
JOINT = [name for name in FIRST if not isinstance(LEARNERS[name], L1Constrained)]
# A learner that steps on mistakes alone prefers +1 at a margin of 0: sign(0) = +1
BOTH_WAYS = [name for name in [*FIRST, *SECOND] if method(LEARNERS[name], "steps")(0.0, 1.0)]


def play(learner, asker, sparse, many, values, y):
    """Play two classes, or one against the other; the label 0 is none."""
    space = space_for(learner, sparse, many)
    numbers = learner.numbers()
    shape = type(learner)(*numbers).shape() if space.order == 2 else None
    width = values.shape[1] + (space.order == 1)
    one = of_one(space)
    state = space.begin(lambda: one.start(width, shape), 2) if many else one.start(width, shape)
    rows = space.rows(sparse_block(values) if sparse else Dense(values), False)
    labels = np.where(y == 0, 0, (y + 3) // 2) if many else y
    shapes = len(y), len(y), (0, 0), 0, (0, 2)
    margin, chance, *rest = map(np.empty, shapes)
    outcome = Outcome(margin, chance, np.empty(len(y), np.int32), *rest)
    loop = plain_loop(type(learner), type(asker), space)
    draws, normalize = np.random.default_rng(1).random(len(y)), method(learner, "normalize")()
    none = np.zeros(0)  # nothing is remembered, and there are no times
    parts = numbers, asker.numbers(), none, tuple(state), tuple(rows), labels, draws, none
    assert loop(*parts, 0, -1, normalize, True, outcome.arrays()) == len(y)
    return outcome


def both(name, many, sparse, longer=1.0, asker=ASKER):
    """Play a stack of two classes, and one vector for two classes on rows that are longer."""
    learner, rows = LEARNERS[name], stream(N, WIDTH)
    by = 1.0 if method(learner, "normalize")() else longer
    stacked = play(learner, asker, sparse, many, rows.values, rows.labels)
    return stacked, play(learner, asker, sparse, None, by * rows.values, rows.labels)


def assert_same(stacked, binary, times=1.0):
    """Compare two records; of two classes, the gap is not below 0, and its sign the prediction."""
    differ = stacked.flags != binary.flags
    signed = np.where(stacked.index == 1, stacked.margin, -stacked.margin)
    np.testing.assert_allclose(signed, times * binary.margin, rtol=1e-9, atol=1e-9)
    edge = (abs(binary.margin) < 1e-9) | (abs(abs(binary.margin) - 1) < 1e-9)
    assert not (differ & ~edge).any()


@pytest.mark.parametrize(("name", "sparse"), list(product(JOINT, (False, True))))
def test_two_classes_jointly_are_binary_on_rows_longer_by_the_root_of_two(name, sparse):
    stacked, binary = both(name, "joint", sparse, math.sqrt(2))
    assert stacked.updated.sum() > 10
    assert_same(stacked, binary)
    np.testing.assert_allclose(stacked.ask_probability, binary.ask_probability, rtol=1e-9)


@pytest.mark.parametrize(("name", "sparse"), list(product(SECOND, (False, True))))
def test_in_second_order_they_are_until_the_second_step(name, sparse):
    """The blocks of P leave out what the step makes of w_0 and w_1 together."""
    stacked, binary = both(name, "joint", sparse, math.sqrt(2))
    second = np.flatnonzero(binary.updated)[1]
    at_first = slice(None, second + 1)
    assert np.array_equal(stacked.flags[at_first], binary.flags[at_first])
    assert second + 1 < N


@pytest.mark.parametrize(("name", "sparse"), list(product(BOTH_WAYS, (False, True))))
def test_one_against_the_other_doubles_the_margin(name, sparse):
    """Where +1 and -1 are treated alike, w_0 = -w_1; every label is asked for."""
    stacked, binary = both(name, "rest", sparse, asker=Always())
    assert stacked.updated.sum() > 10
    assert_same(stacked, binary, times=2.0)
