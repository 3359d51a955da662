"""A step on a sparse row costs its non-zeros alone, even where all of w shrinks."""

import numpy as np
import pytest

from selectron.askers import Always
from selectron.engine.bind import bind
from selectron.engine.loop import GIVEN, play
from selectron.engine.round import UPDATED
from selectron.learners import ObjectiveRegularized, ShiftingPerceptron
from selectron.model.compose import parts
from selectron.spaces import sparse_first
from selectron.spaces.state import FACTOR

from .counting import Counted
from .grid import Case, method, plain_loop, quiet, sparse_block, stream
from .playing import close, play_run, same_flags, with_constant
from .test_matrices import Literal

SHRINKING = {
    "gently": ObjectiveRegularized(alpha=0.05),
    "by half": ObjectiveRegularized(alpha=1.0),
    "by ten": ObjectiveRegularized(alpha=9.0),
    "to nothing at first": ShiftingPerceptron(lam=1.0),
    "slowly": ShiftingPerceptron(lam=50.0),
}
OFTEN = ("by half", "by ten")  # their factors leave the range again and again


def loop(learner):
    """Return the loop on sparse rows in plain Python."""
    return quiet(bind(play, parts(type(learner), Always, sparse_first)))


@pytest.fixture
def factors(monkeypatch):
    """Return the list of factors that `multiply` has multiplied into v."""
    found, multiply = [], sparse_first.multiply

    def counting(v, factor):
        found.append(float(factor))
        multiply(v, factor)

    monkeypatch.setattr(sparse_first, "multiply", counting)
    return found


@pytest.mark.parametrize("name", SHRINKING)
def test_sparse_is_dense_is_the_literal_formula_over_many_folds(name, factors):
    sparse = Case(SHRINKING[name], Always(), sparse=True, compiled=False)
    dense = sparse._replace(sparse=False)
    rows = stream(n=400, width=8, missing=0.0)
    models = [case.model(8) for case in (sparse, dense)]
    models[0].loop = loop(sparse.learner)
    models[1].loop = plain_loop(*dense.kinds)
    found, expected = play_run(sparse, models[0], rows), play_run(dense, models[1], rows)
    assert same_flags(found, expected)
    close(found, expected)
    literal = Literal(models[0])
    played = zip(with_constant(models[0], rows.values), rows.labels, found.asked, strict=True)
    margins = [literal.play(*each)[0] for each in played]
    close([found.margin, models[0].weights(), models[1].weights()], [margins, literal.w, literal.w])
    if name in OFTEN:
        assert len(factors) >= 3
    assert 1e-31 < abs(models[0].state.scalars[FACTOR]) < 1e31


def test_nothing_is_kept_of_w_where_keep_is_0(factors):
    """The first step of a shifting learner: the factor is not 0 afterwards."""
    case = Case(SHRINKING["to nothing at first"], Always(), sparse=True, compiled=False)
    model = case.model(8)
    model.loop = loop(case.learner)
    rows = stream(n=30, width=8, missing=0.0)
    play_run(case, model, rows)
    assert factors == [0.0]
    assert model.state.scalars[FACTOR] > 0


def accesses(learner, width, n=60, nonzeros=3):
    """Return how often elements of v were read or written while n rows were learned, and steps."""
    rng = np.random.default_rng(0)
    values = np.zeros((n, width))
    values[:, :nonzeros] = rng.normal(size=(n, nonzeros))
    labels = rng.choice([-1, 1], size=n).astype(np.int8)
    fresh = sparse_first.start(width + 1, None)
    counted, flags = Counted(fresh.v), np.zeros(n, np.int32)
    out = np.zeros(n), np.zeros(n), flags, np.zeros((0, 0)), np.zeros(0), np.zeros((0, 2))
    state = counted, fresh.scalars
    block = tuple(sparse_first.rows(sparse_block(values), True))
    draws = np.full(n, GIVEN)
    numbers = learner.numbers(), ()
    none = np.zeros(0)
    parts = *numbers, none, state, block, labels, draws, none
    loop(learner)(*parts, 0, -1, method(learner, "normalize")(), True, out)
    return counted.accesses, int((flags & UPDATED != 0).sum())


@pytest.mark.parametrize("name", ["gently", "by half"])
def test_a_step_touches_the_non_zeros_and_nothing_else(name):
    found, steps = accesses(SHRINKING[name], width=4)
    assert steps > 20
    assert found == 60 * 3 + steps * 3 * 2  # a margin reads each once, a step reads and writes it
    assert accesses(SHRINKING[name], width=4000) == (found, steps)


def test_folding_costs_the_width_once_in_many_steps():
    """Where every step halves w, a fold comes once in a hundred steps."""
    narrow, steps = accesses(SHRINKING["by half"], width=100, n=1000)
    wide, wide_steps = accesses(SHRINKING["by half"], width=200, n=1000)
    assert steps == wide_steps > 500
    folds = (wide - narrow) / (2 * 100)  # a fold reads and writes every element
    assert 1 <= folds <= steps / 99
