"""A label that was not asked for never influences anything."""

import numpy as np
import pytest

from .playing import WHAT_LAST, learned, play_live, play_run, same_bits


@pytest.mark.parametrize("full", [True, False], ids=["full", "flags"])
@pytest.mark.parametrize("poison", [lambda y: -y, lambda y: 0 * y], ids=["flipped", "removed"])
def test_in_a_run(case, poison, full):
    rows = case.stream()
    width = rows.values.shape[1]
    clean, poisoned = case.model(width), case.model(width)
    expected = play_run(case, clean, rows, full)
    labels = np.where(expected.asked, rows.labels, poison(rows.labels))
    found = play_run(case, poisoned, rows._replace(labels=labels), full)
    assert same_bits(found, expected)
    assert same_bits(poisoned.state, clean.state)


def test_asked_labels_do(case):
    """The law would hold of a learner that never learns: flipping an asked label changes w."""
    rows = case.stream()
    width = rows.values.shape[1]
    clean, other = case.model(width), case.model(width)
    out = play_run(case, clean, rows)
    labels = np.where(out.updated, -rows.labels, rows.labels)
    play_run(case, other, rows._replace(labels=labels))
    assert not same_bits([other.weights()], [clean.weights()])


def of_labels(model):
    """Return copies of the arrays that rows alone do not change."""
    if not hasattr(model.space, "OF_ROWS"):
        return learned(model)
    s = model.state
    mix = [s.mix[WHAT_LAST]] if hasattr(s, "mix") else []
    return [s.experts.copy(), s.scalars.copy(), *mix]


def test_labels_that_are_never_told(case):
    """Rounds without an answer leave the model as it was, but for the rounds and the draws.

    An ensemble learns scales, directions and priors from them, but no label.
    """
    rows = case.stream(missing=0.0)
    model = case.model(rows.values.shape[1])
    play_live(case, model, rows.part(0, 10))  # more, and a small budget would be spent by then
    before = of_labels(model)
    for x in rows.values[10:]:
        model.decide(case.block(x[None, :]))
    assert model.open
    assert same_bits(of_labels(model), before)
    assert model.rounds == len(rows.labels)
