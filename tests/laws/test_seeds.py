"""One uniform a round from the seed's own sequence, for every learner and asker."""

import numpy as np
import pytest

from selectron.askers import Fixed

from .grid import every, marked, name_of, plain_loop
from .playing import learned, play_live, play_run, same_bits

SEED = 11
FIXED = Fixed(0.4)


def uniforms(n):
    return np.random.default_rng(SEED).random(n)


@pytest.fixture(
    params=marked(case for case in every(compiled=False) if isinstance(case.asker, Fixed)),
    ids=name_of,
)
def fixed(request, monkeypatch):
    """A cell whose asker asks in rounds that are known beforehand."""
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    return request.param._replace(asker=FIXED)


def test_asked_is_u_below_the_probability(case):
    rows = case.stream(missing=0.0)
    out = play_run(case, case.model(rows.values.shape[1], seed=SEED), rows)
    np.testing.assert_array_equal(out.asked, uniforms(len(rows.labels)) < out.ask_probability)


def test_same_seed_same_run(case):
    """Whatever default_rng takes: a number, a sequence, a Generator, which is not moved."""
    rows = case.stream()
    width = rows.values.shape[1]
    generator = np.random.default_rng(SEED)
    seeds = (SEED, np.random.SeedSequence(SEED), generator, generator)
    models = [case.model(width, seed=seed) for seed in seeds]
    first, *others = (play_run(case, model, rows) for model in models)
    assert all(same_bits(other, first) for other in others)
    assert all(same_bits(learned(model), learned(models[0])) for model in models)


def test_rounds_of_every_kind_take_one_and_predictions_none(fixed):
    rows = fixed.stream(n=50, missing=0.0)
    model = fixed.model(6, seed=SEED)
    asked = [play_run(fixed, model, rows.part(0, 13)).asked]
    model.look(fixed.block(rows.values), 50)
    model.learn(fixed.block(rows.values[13:20]), rows.labels[13:20])
    asked.append(play_live(fixed, model, rows.part(20, 29)).asked)
    model.look(fixed.block(rows.values[:1]), 1, full=True)
    asked.append(play_run(fixed, model, rows.part(29, 50), full=False).asked)
    expected = np.delete(uniforms(50) < FIXED.p, range(13, 20))
    np.testing.assert_array_equal(np.concatenate(asked), expected)


def test_rows_without_a_label_take_one_too(fixed):
    rows = fixed.stream(missing=0.3)
    out = play_run(fixed, fixed.model(6, seed=SEED), rows)
    expected = (uniforms(len(rows.labels)) < FIXED.p) & (rows.labels != 0)
    np.testing.assert_array_equal(out.asked, expected)


def test_long_blocks_and_single_rows_take_from_one_sequence(fixed):
    """Draws are made ahead of need, in portions: no portion's end shows."""
    rows = fixed.stream(n=900, missing=0.0)
    model = fixed.model(6, seed=SEED)
    asked = []
    for i in range(0, 900, 300):
        asked.append(play_live(fixed, model, rows.part(i, i + 270)).asked)
        asked.append(play_run(fixed, model, rows.part(i + 270, i + 300)).asked)
    np.testing.assert_array_equal(np.concatenate(asked), uniforms(900) < FIXED.p)
