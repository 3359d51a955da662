"""No product P x is made in vain: they are counted, in plain Python.

A learner needs q in a round with a step. An asker needs it only where the probability depends on
it, and so does a record of margins where the margin quantity does.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from selectron.askers import Disagreement
from selectron.engine.bind import bind
from selectron.engine.loop import play
from selectron.engine.parts import Space
from selectron.model.compose import parts

from .grid import marked, method, name_of, parameters, quiet, spread_out
from .playing import play_learn, play_look, play_run

N = 80
CASES = [case for case in spread_out() if not hasattr(case.learner, "ensemble")]  # q comes with m


def counted(case):
    """Return a model and the list to which it adds the row of every product."""
    found, products = dict(parts(*case.kinds)), []
    form = getattr(found["space"], "quadratic_form", Space.quadratic_form)

    def counting(s, rows, i):
        products.append(i)
        return form(s, rows, i)

    model = case.model(6)
    found["space"] = found["classes"] = SimpleNamespace(quadratic_form=counting), found["space"]
    model.loop = quiet(bind(play, found))
    return model, products


def needs_q(case, function):
    """Does it depend on q, for the same margin?"""
    p, a = parameters(case.learner), parameters(case.asker)
    return function(p, a, 0.5, 0.1) != function(p, a, 0.5, 2.0)


def takes_note(case):
    """Does the asker remember rounds? Then it needs q in every one."""
    return hasattr(case.asker, "after")


def quantity(p, a, m, q):
    return method(p, "score")(m, q)


def chance(p, a, m, q):
    return a.probability(method(p, "score")(m, q), q, 10)


@pytest.mark.parametrize("case", marked(CASES), ids=name_of)
def test_never_twice_in_a_round_and_always_before_a_step(case):
    for full in (True, False):
        model, products = counted(case)
        out = play_run(case, model, case.stream(n=N), full)
        assert products == sorted(set(products))
        assert set(np.flatnonzero(out.updated)) <= set(products)


@pytest.mark.parametrize("full", [True, False], ids=["full", "flags"])
@pytest.mark.parametrize("case", marked(CASES), ids=name_of)
def test_only_for_steps_where_nothing_else_depends_on_q(case, full):
    if takes_note(case) or needs_q(case, chance) or (full and needs_q(case, quantity)):
        return  # what then has to hold is told below
    model, products = counted(case)
    out = play_run(case, model, case.stream(n=N), full)
    assert products == list(np.flatnonzero(out.updated))


@pytest.mark.parametrize("case", marked(CASES), ids=name_of)
def test_in_every_round_with_a_margin_if_that_is_recorded(case):
    if takes_note(case) or not needs_q(case, quantity):
        return
    model, products = counted(case)
    rows = case.stream(n=N)
    play_run(case, model, rows)
    products.clear()
    rows = case.stream(n=N, seed=1)
    out = play_run(case, model, rows, full=True)
    assert products == list(np.flatnonzero((out.margin != 0) | out.updated))


@pytest.mark.parametrize("case", marked(CASES), ids=name_of)
def test_for_some_rounds_where_the_asker_depends_on_q(case):
    if takes_note(case) or not needs_q(case, chance):
        return
    model, products = counted(case)
    out = play_run(case, model, case.stream(n=N), full=False)
    blind = isinstance(
        case.asker, Disagreement
    )  # as q may be anything from 0 on, so may the answer
    assert out.updated.sum() <= len(products) < N + blind


@pytest.mark.parametrize("case", marked(CASES), ids=name_of)
def test_given_labels_cost_only_steps_and_predictions_nothing(case):
    model, products = counted(case)
    rows = case.stream(n=N)
    out = play_learn(case, model, rows)
    stepped = list(np.flatnonzero(out.updated))
    if hasattr(case.learner, "probability"):  # calibrated from the margin score of every row
        assert set(products) >= set(stepped)
    else:
        assert products == stepped
    products.clear()
    play_look(case, model, rows, full=False)
    assert not products
