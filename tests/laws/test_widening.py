"""A model that is widened in mid-stream is one that was wide from the start."""

import numpy as np
import pytest

from selectron.engine.rows import Sparse
from selectron.errors import SelectronError
from selectron.learners import LeadingHistory
from selectron.spaces.state import COUNT, SQUARE

from .grid import GRID, LEARNERS, marked, name_of, plain_loop
from .playing import (
    close,
    matrix,
    play_learn,
    play_live,
    play_look,
    play_run,
    same_bits,
    same_flags,
    snapshot,
)

ENSEMBLES = [case for case in GRID if isinstance(case.learner, LeadingHistory) and not case.sparse]
EXACT = [case for case in GRID if case not in ENSEMBLES]


@pytest.fixture(params=marked(EXACT), ids=name_of)
def case(request, monkeypatch):
    if not request.param.compiled:
        monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    return request.param


@pytest.fixture(params=marked(ENSEMBLES), ids=name_of)
def ensemble(request, monkeypatch):
    if not request.param.compiled:
        monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    return request.param


def growing(case):
    """Return pieces of a stream, each with more features than the one before."""
    rows = case.stream(missing=0.0)
    n, width = rows.values.shape
    pieces = []
    for i, wide in enumerate((width // 3, width // 2, width)):
        part = rows.part(i * n // 3, (i + 1) * n // 3)
        values = part.values.copy()
        values[:, wide:] = 0.0
        pieces.append((wide, part._replace(values=values)))
    return pieces


def narrow_rows(case, rows, width):
    """Return rows as a model of this width takes them."""
    return rows if case.sparse else rows._replace(values=rows.values[:, :width])


def shown(model):
    """Return all that is learned; bounds, which may be tighter or looser, are no part of it."""
    learned = [model.weights(), model.state.scalars[COUNT]]
    if model.sketch is None:
        learned.append(model.state.scalars[SQUARE])
    return [*learned, matrix(model)] if hasattr(model.learner, "shape") else learned


@pytest.mark.parametrize("options", [{}, {"constant": False}], ids=str)
@pytest.mark.parametrize("play", [play_run, play_live, play_learn])
def test_widened_or_wide_from_the_start(case, play, options):
    pieces = growing(case)
    wide = case.model(pieces[-1][0], **options)
    narrow = case.model(pieces[0][0], **options)
    for width, rows in pieces:
        narrow.widen(width)
        assert narrow.width == width
        found = play(case, narrow, narrow_rows(case, rows, width))
        expected = play(case, wide, rows)
        assert same_flags(found, expected)
        close(found, expected, tolerance=1e-12)  # sums over the width may go in another order
    close(shown(narrow), shown(wide), tolerance=1e-12)


@pytest.mark.parametrize("options", [{}, {"constant": False}], ids=str)
def test_widened_experts_believe_what_they_did(ensemble, options):
    """Scales, priors and directions of Fourier features are of all features: weights differ
    afterwards, but labels are predicted as well.
    """
    (narrow, first), (_, second), (width, third) = growing(ensemble)
    model = ensemble.model(narrow, **options)
    play_learn(ensemble, model, narrow_rows(ensemble, first, narrow))
    before = play_look(ensemble, model, narrow_rows(ensemble, first, narrow))
    model.widen(width)
    close(play_look(ensemble, model, first), before)
    wide = ensemble.model(width, **options)
    for rows in (first, second, third):
        play_learn(ensemble, wide, rows)
    for rows in (second, third):
        play_learn(ensemble, model, rows)
    found, expected = (play_look(ensemble, each, third) for each in (model, wide))
    assert np.mean(found.positive == expected.positive) > 0.95


def test_open_tickets_outlive_it(case):
    pieces = growing(case)
    (narrow_width, rows), (width, _), _ = pieces
    wide, narrow = case.model(width), case.model(narrow_width)
    for model in (wide, narrow):
        for x in narrow_rows(case, rows, model.width).values[:10]:
            model.decide(case.block(x[None, :]))
    narrow.widen(width)
    assert list(narrow.open) == list(wide.open) != []
    for ticket in list(wide.open):
        assert narrow.tell(ticket, -1) == wide.tell(ticket, -1)
    assert same_bits([narrow.weights()], [wide.weights()])


def test_narrower_changes_nothing(case):
    (width, rows), *_ = growing(case)
    model = case.model(width)
    play_run(case, model, narrow_rows(case, rows, width))
    before = snapshot(model)
    model.widen(width - 1)
    model.widen(width)
    assert same_bits(snapshot(model), before)


@pytest.mark.parametrize("learner", ["perceptron", "lasec"])
def test_a_width_beyond_all_memory_is_refused_and_changes_nothing(learner):
    case = next(case for case in GRID if case.sparse and case.learner is LEARNERS[learner])
    model = case.model(3)
    before = snapshot(model)
    with pytest.raises(SelectronError, match="GiB"):
        model.widen(10**15)
    assert same_bits(snapshot(model), before)
    assert model.width == 3
    model.widen(5)
    row = Sparse(np.array([0, 1]), np.array([4], np.int32), np.array([1.0]))
    model.run(row, np.array([1], np.int8))
