"""Compiled, the loop does what the same files do as plain Python."""

import numpy as np
import pytest

from selectron.askers import Margin
from selectron.engine.round import Round
from selectron.engine.rows import Dense
from selectron.learners import AROW, LASEC, MIRA, PassiveAggressive, Perceptron
from selectron.model.model import Model

from .grid import (
    COVER,
    LEARNERS,
    chunks,
    marked,
    method,
    name_of,
    parameters,
    plain_loop,
    sparse_block,
    stream,
)
from .playing import (
    close,
    in_parts,
    learned,
    play_learn,
    play_live,
    play_look,
    play_run,
    same_bits,
    same_flags,
)

MANY = [  # a learner, sparse rows, and how many classes are learned
    pytest.param(Perceptron(), False, "joint", marks=pytest.mark.compiles),
    pytest.param(LASEC(), True, "joint", marks=pytest.mark.slow),
    pytest.param(MIRA(), False, "joint", marks=pytest.mark.slow),
    pytest.param(PassiveAggressive(), True, "rest", marks=pytest.mark.slow),
    pytest.param(AROW(), False, "exact", marks=pytest.mark.slow),
]
OPTIONS = ({}, {"constant": False}, {"normalize": True}, {"normalize": False})


def two_alike(case, width, **options):
    """Return two fresh models, the second one in plain Python."""
    compiled, plain = (case.model(width, **options) for _ in range(2))
    plain.loop = plain_loop(*case.kinds)
    return compiled, plain


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_a_learner_as_given_does_what_its_numbers_do(learner):
    now = Round(m=-0.3, q=0.8, y=1.0, k=2.0, ww=0.5, note=0.1)
    for name, given in [("shape", ()), ("steps", (0.5, 1.0)), ("score", (0.5, 0.8))] + [
        (name, (now,)) for name in ("step", "feasible", "noted")
    ]:
        found, expected = (method(one, name)(*given) for one in (learner, parameters(learner)))
        assert found == expected, name


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("full", [True, False], ids=["full", "flags"])
@pytest.mark.parametrize("case", marked(COVER), ids=name_of)
def test_a_run(case, full, options):
    rows = case.stream(n=70)
    compiled, plain = two_alike(case, rows.values.shape[1], **options)
    found, expected = (play_run(case, model, rows, full) for model in (compiled, plain))
    assert same_flags(found, expected)
    close(found, expected)
    close(learned(compiled), learned(plain))


@pytest.mark.parametrize("case", marked(COVER), ids=name_of)
def test_live_rounds_given_labels_and_predictions(case):
    rows = case.stream(n=70, missing=0.0)
    models = compiled, plain = two_alike(case, rows.values.shape[1])
    for model in models:
        play_learn(case, model, rows.part(0, 30))
    found, expected = (play_live(case, model, rows.part(30, 70)) for model in models)
    assert same_flags(found, expected)
    close(found, expected)
    unseen = case.stream(n=70, seed=1)  # a row that has just been projected out is a tie
    looks = [play_look(case, model, unseen) for model in models]
    assert same_flags(*looks)
    close(*looks)
    close(learned(compiled), learned(plain))


@pytest.mark.parametrize("case", marked(COVER), ids=name_of)
def test_rows_of_any_size(case):
    """Streams of very different scales, played one after the other by the same pair of models."""
    scales = (1.0, 1e-20, 1e-5, 1e5)
    streams = [case.stream(n=20, scale=scale, seed=i) for i, scale in enumerate(scales)]
    models = two_alike(case, streams[0].values.shape[1], constant=False, normalize=True)
    for rows in streams:
        found, expected = (in_parts(play_run, case, m, rows, chunks(20, [6])) for m in models)
        assert same_flags(found, expected)
        close(found, expected)


@pytest.mark.parametrize(("learner", "sparse", "many"), MANY, ids=str)
@pytest.mark.parametrize("classes", [3, 6])
def test_many_classes(learner, sparse, many, classes):
    rows = stream(n=90, width=11)
    block = sparse_block(rows.values) if sparse else Dense(rows.values)
    codes = (1 + np.abs(rows.values @ np.ones(11)).astype(np.int32) % classes).astype(np.int32)
    compiled, plain = (
        Model(learner, Margin(0.3), width=11, sparse=sparse, classes=classes, many=many, seed=7)
        for _ in range(2)
    )
    plain.loop = plain_loop(type(learner), Margin, plain.space)
    found, expected = (model.run(block, codes) for model in (compiled, plain))
    assert found.updated.sum() > 20
    assert same_bits([found.flags], [expected.flags])
    close([found.margin, found.ask_probability], [expected.margin, expected.ask_probability])
    close(learned(compiled), learned(plain))
