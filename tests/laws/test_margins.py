"""Not recording margins changes no decision."""

import pytest

from .playing import learned, play_learn, play_look, play_run, same_bits, same_flags


def test_flags_and_weights_are_the_same_with_and_without(case):
    rows = case.stream(n=200)
    recording, sparing = (case.model(rows.values.shape[1]) for _ in range(2))
    full = play_run(case, recording, rows, full=True)
    flags = play_run(case, sparing, rows, full=False)
    assert same_flags(flags, full)
    assert same_bits(learned(sparing), learned(recording))
    assert len(full.margin) == len(full.ask_probability) == 200
    assert len(flags.margin) == len(flags.ask_probability) == 0


@pytest.mark.parametrize("scale", [1e-9, 1e2, 1e5])
def test_on_rows_of_any_size(case, scale):
    """The bounds on q are tight for small rows and loose for large ones."""
    rows = case.stream(n=50, scale=scale)
    recording, sparing = (case.model(rows.values.shape[1], normalize=False) for _ in range(2))
    full = play_run(case, recording, rows, full=True)
    assert same_flags(play_run(case, sparing, rows, full=False), full)
    assert same_bits(learned(sparing), learned(recording))


def test_predictions_are_the_same_with_and_without(case):
    rows = case.stream()
    model = case.model(rows.values.shape[1])
    play_learn(case, model, rows)
    assert same_flags(play_look(case, model, rows, full=False), play_look(case, model, rows))
