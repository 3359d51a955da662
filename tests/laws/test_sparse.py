"""Sparse rows do what the same rows do when they are dense.

In plain Python; that the compiled loops do the same is the law of `test_compiled.py`.
"""

import pytest

from selectron.spaces.state import SQUARE

from .grid import marked, name_of, plain_loop, spread_out
from .playing import (
    close,
    matrix,
    play_learn,
    play_live,
    play_look,
    play_run,
    record_of,
    same_flags,
)

OPTIONS = ({}, {"constant": False}, {"normalize": True}, {"normalize": False})
DENSE = [  # a ring keeps a matrix on dense rows, and on sparse ones its diagonal alone
    case for case in spread_out() if not case.sparse and not hasattr(case.learner, "ensemble")
]


@pytest.fixture(params=marked(DENSE), ids=name_of)
def twins(request, monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    return request.param, request.param._replace(sparse=True)


def agree(models):
    dense, sparse = models
    close([dense.weights()], [sparse.weights()])
    close([dense.state.scalars[SQUARE]], [sparse.state.scalars[SQUARE]])
    if dense.space.order == 2:
        close([matrix(dense)], [matrix(sparse)])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_run(twins, options):
    rows = twins[0].stream(n=90)
    models = [case.model(6, **options) for case in twins]
    dense, sparse = (play_run(*pair, rows) for pair in zip(twins, models, strict=True))
    assert dense.updated.any()
    assert same_flags(sparse, dense)
    close(sparse, dense)
    agree(models)


def test_live_rounds_given_labels_and_predictions(twins):
    rows = twins[0].stream(missing=0.0)
    models = [case.model(6) for case in twins]
    pairs = list(zip(twins, models, strict=True))
    for case, model in pairs:
        play_learn(case, model, rows.part(0, 20))
    dense, sparse = (play_live(case, model, rows.part(20, 60)) for case, model in pairs)
    assert same_flags(sparse, dense)
    close(sparse, dense)
    looks = [play_look(case, model, rows) for case, model in pairs]
    assert same_flags(*looks)
    close(*looks)
    agree(models)


def test_stored_zeros_are_no_features(twins):
    """A sparse row may hold zeros: they change nothing at all."""
    case, rows = twins[1], twins[1].stream(n=30)
    with_zeros, without = case.model(6), case.model(6)
    block = case.block(rows.values + 1e9 * (rows.values == 0))
    block = block._replace(values=block.values * (block.values != 1e9))
    found = record_of(with_zeros.run(block, rows.labels))
    close(found, play_run(case, without, rows))
    agree((with_zeros, without))
