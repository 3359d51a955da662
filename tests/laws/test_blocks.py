"""However a stream is cut, into blocks, rows or decisions, the same rounds are played bitwise."""

from functools import cache, partial

import numpy as np
import pytest

from selectron.askers import BBQ, BBQI
from selectron.learners import LeadingHistory
from selectron.model.draws import BLOCK

from .grid import COVER, Stream, chunks, marked, method, name_of, stream
from .playing import (
    in_parts,
    learned,
    play_learn,
    play_live,
    play_look,
    play_run,
    record_of,
    same_bits,
    same_flags,
    upcoming,
)

CUTS = ([1], [7], [1, 13, 4, 0, 2])


@pytest.mark.parametrize("full", [True, False], ids=["full", "flags"])
def test_any_chunking_is_one_block(case, full):
    rows = case.stream()
    width, n = rows.values.shape[1], len(rows.labels)
    whole, play = case.model(width), partial(play_run, full=full)
    expected = play(case, whole, rows)
    assert expected.updated.any()
    for sizes in CUTS:
        model = case.model(width)
        assert same_bits(in_parts(play, case, model, rows, chunks(n, sizes)), expected)
        assert same_bits(model.state, whole.state)
        assert model.rounds == whole.rounds == n


@cache
def long_stream():
    """Return more rows than the model plays at a time, with their blocks."""
    values, labels = stream(n=1_000, width=4)
    times = 2 * BLOCK // 1_000 + 1
    rows = Stream(np.tile(values, (times, 1)), np.tile(labels, times))
    return rows, {case.sparse: case.block(rows.values) for case in COVER}


@pytest.mark.parametrize("case", marked(COVER), ids=name_of)
def test_blocks_longer_than_the_models_own_are_cut_unnoticed(case):
    rows, blocks = long_stream()
    whole, cut = case.model(4), case.model(4)
    expected = whole.run(blocks[case.sparse], rows.labels)
    cuts = chunks(len(rows.labels), [BLOCK - 1, 2, 700])
    found = in_parts(play_run, case, cut, rows, cuts)
    assert same_bits(found, record_of(expected))
    assert same_bits(cut.state, whole.state)
    assert same_bits([upcoming(cut)], [upcoming(whole)])


def test_decide_and_tell_at_once_is_run(case):
    rows = case.stream(missing=0.0)
    width = rows.values.shape[1]
    whole, live = case.model(width), case.model(width)
    assert same_bits(play_live(case, live, rows), play_run(case, whole, rows))
    assert same_bits(learned(live), learned(whole))
    assert live.rounds == whole.rounds
    assert not live.open


def test_without_a_constant_and_with_the_other_scale_too(case):
    rows = case.stream(missing=0.0)
    width, n = rows.values.shape[1], len(rows.labels)
    options = {"constant": False, "normalize": not method(case.learner, "normalize")()}
    whole, live, cut = (case.model(width, **options) for _ in range(3))
    expected = play_run(case, whole, rows)
    assert same_bits(play_live(case, live, rows), expected)
    assert same_bits(in_parts(play_run, case, cut, rows, chunks(n, [5, 1])), expected)
    assert same_bits(learned(live), learned(whole))
    assert same_bits(cut.state, whole.state)


def test_given_labels_may_be_cut_too(case):
    rows = case.stream()
    width, n = rows.values.shape[1], len(rows.labels)
    whole, cut = case.model(width), case.model(width)
    expected = play_learn(case, whole, rows)
    assert same_bits(in_parts(play_learn, case, cut, rows, chunks(n, [1, 6])), expected)
    assert same_bits(cut.state, whole.state)


def test_a_row_is_predicted_alone_as_in_a_block(case):
    rows = case.stream()
    width, n = rows.values.shape[1], len(rows.labels)
    model = case.model(width)
    play_run(case, model, rows)
    expected, alone = (in_parts(play_look, case, model, rows, chunks(n, [size])) for size in (n, 1))
    ageing = isinstance(case.learner, LeadingHistory) and hasattr(case.asker, "after")
    if isinstance(case.asker, BBQ | BBQI) or ageing:  # by the number of the round
        expected, alone = (
            record._replace(ask_probability=np.zeros(0)) for record in (expected, alone)
        )
    assert same_bits(alone, expected)
    assert same_flags(play_look(case, model, rows, full=False), expected)


def test_an_empty_block_changes_nothing(case):
    rows = case.stream()
    model = case.model(rows.values.shape[1])
    play_run(case, model, rows)
    before, draws = [array.copy() for array in model.state], upcoming(model)
    empty = rows.part(0, 0)
    for play in (play_run, play_learn, play_look):
        assert all(len(array) == 0 for array in play(case, model, empty))
    assert same_bits(model.state, before)
    assert model.rounds == len(rows.labels)
    assert same_bits([upcoming(model)], [draws])


def test_zero_rows_have_margin_zero(case):
    """A zero row of a model without a constant: margin 0, +1, and no NaN from a step on it."""
    rows = case.stream()
    width = rows.values.shape[1]
    model = case.model(width, constant=False)
    play_run(case, model, rows)
    zeros = rows._replace(values=np.zeros_like(rows.values))
    weights = model.weights()
    out = play_run(case, model, zeros)
    if not hasattr(case.learner, "ensemble"):  # which knows base rates, too
        assert not out.margin.any()
        assert out.positive.all()
        np.testing.assert_array_equal(model.weights() == 0, weights == 0)
    assert np.isfinite(model.weights()).all()


def test_blocks_are_read_only(case):
    """The rows that come in are never written to."""
    rows = case.stream()
    block = case.block(rows.values.copy())
    for array in block:
        array.flags.writeable = False
    before = [array.copy() for array in block]
    model = case.model(rows.values.shape[1])
    model.run(block, rows.labels)
    model.decide(case.block(rows.values[:1]))
    assert same_bits(block, before)
