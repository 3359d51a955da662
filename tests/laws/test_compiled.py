"""Compiled, the loop does what the same files do as plain Python."""

import pytest

from .grid import COVER, chunks, name_of, plain_loop
from .playing import (
    close,
    in_parts,
    learned,
    play_learn,
    play_live,
    play_look,
    play_run,
    same_flags,
)

OPTIONS = ({}, {"constant": False}, {"normalize": True}, {"normalize": False})


def two_alike(case, width, **options):
    """Return two fresh models, the second one in plain Python."""
    compiled, plain = (case.model(width, **options) for _ in range(2))
    plain.loop = plain_loop(*case.kinds)
    return compiled, plain


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("full", [True, False], ids=["full", "flags"])
@pytest.mark.parametrize("case", COVER, ids=name_of)
def test_a_run(case, full, options):
    rows = case.stream(n=70)
    compiled, plain = two_alike(case, rows.values.shape[1], **options)
    found, expected = (play_run(case, model, rows, full) for model in (compiled, plain))
    assert same_flags(found, expected)
    close(found, expected)
    close(learned(compiled), learned(plain))


@pytest.mark.parametrize("case", COVER, ids=name_of)
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


@pytest.mark.parametrize("case", COVER, ids=name_of)
def test_rows_of_any_size(case):
    """Streams of very different scales, played one after the other by the same pair of models."""
    scales = (1.0, 1e-20, 1e-5, 1e5)
    streams = [case.stream(n=20, scale=scale, seed=i) for i, scale in enumerate(scales)]
    models = two_alike(case, streams[0].values.shape[1], constant=False, normalize=True)
    for rows in streams:
        found, expected = (in_parts(play_run, case, m, rows, chunks(20, [6])) for m in models)
        assert same_flags(found, expected)
        close(found, expected)
