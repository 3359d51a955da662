"""What the skipping of products rests on: q is bounded, and the probability monotone in q."""

import itertools

import numpy as np
import pytest

from selectron.engine.bind import bind
from selectron.engine.parts import Space, declared
from selectron.spaces.state import SMALLEST

from .grid import ASKERS, LEARNERS, every, marked, method, name_of, plain_loop
from .playing import matrix, play_run, with_constant

MARGINS = [0.0, *(sign * 10.0**e for e in range(-12, 13) for sign in (-1, 1))]
FORMS = np.array([0.0, *(10.0**e for e in range(-15, 16))])
ROUNDS = (1, 2, 10, 100_000)
TOLERANCE = 1e-10  # relative; `SLACK` in the loop allows for more


MEMORYLESS = {name: asker for name, asker in ASKERS.items() if hasattr(asker, "probability")}


def bare(part):
    """Return a learner or an asker as the loop has it: numbers for parameters."""
    return type(part)(*part.numbers())


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("asker", MEMORYLESS.values(), ids=MEMORYLESS)
def test_the_probability_is_monotone_in_q(learner, asker):
    p, a = bare(learner), bare(asker)
    for m, t in itertools.product(MARGINS, ROUNDS):
        chances = np.array([a.probability(method(p, "score")(m, q), q, t) for q in FORMS])
        assert (chances >= 0).all()
        assert (chances <= 1).all()
        steps, allowed = np.diff(chances), TOLERANCE * chances[1:]
        assert (steps >= -allowed).all() or (steps <= allowed).all()


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_the_score_has_the_sign_of_the_margin_and_is_monotone_in_q(learner):
    p = bare(learner)
    for m in MARGINS:
        scores = np.array([method(p, "score")(m, q) for q in FORMS])
        assert (np.sign(scores) == np.sign(m)).all()
        assert (np.diff(scores) >= 0).all() or (np.diff(scores) <= 0).all()


SECOND = [
    case for case in every(compiled=False) if case.second_order and case.asker is ASKERS["margin-2"]
]


@pytest.mark.parametrize("case", marked(SECOND), ids=name_of)
@pytest.mark.parametrize("options", [{}, {"constant": False}, {"normalize": True}], ids=str)
def test_eigenvalues_are_within_their_bounds_and_q_below_its_ceiling(case, options, monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    rows = case.stream(n=90)
    model = case.model(6, **options)
    everything = model.space.rows(case.block(rows.values), model.constant)
    for i in range(len(rows.labels)):
        play_run(case, model, rows.part(i, i + 1))
        noise = model.learner.shape().noise
        smallest, *_, largest = np.linalg.eigvalsh(matrix(model))
        assert 0 < model.state.scalars[SMALLEST] <= smallest * (1 + 1e-9)
        assert largest + noise <= model.space.upper_bound(model.state, 1.0)
        for j in range(0, 90, 13):
            xx = model.space.squared_norm(everything, j)
            assert model.space.quadratic_form(
                model.state, everything, j
            ) <= model.space.upper_bound(model.state, xx)


FIRST = [
    case
    for case in every(compiled=False)
    if case.asker is ASKERS["always"]
    and not (case.second_order or hasattr(case.learner, "ensemble"))
]


@pytest.mark.parametrize("case", marked(FIRST), ids=name_of)
def test_in_first_order_the_upper_bound_is_q_itself(case):
    rows = case.stream(n=20)
    model = case.model(6)
    block = model.space.rows(case.block(rows.values), True)
    literal = (with_constant(case.model(6, normalize=False), rows.values) ** 2).sum(axis=1)
    declares = (declared(model.space, Space, name) for name in ("quadratic_form", "upper_bound"))
    quadratic_form, bound = (bind(function, {"space": model.space}) for function in declares)
    for i in range(20):
        q = quadratic_form(model.state, block, i)
        assert q == bound(model.state, model.space.squared_norm(block, i))
        assert q == pytest.approx(literal[i], rel=1e-12)
