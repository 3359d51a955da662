"""The large-margin theorems hold once the steps without a mistake are counted, and else do not."""

import math

import numpy as np
import pytest

from selectron import learners
from selectron.askers import Margin
from selectron.bounds import large_margin
from selectron.learners import L2Constrained, ObjectiveRegularized, PassiveAggressive

from . import literal
from .streams import COUNT, KINDS, Stream, at_most, played, streams

ALL = Margin(math.inf)
CLEAN = "separable", "drifting", "switching", "corners"
ALPHAS = 0.0, 0.001, 0.01, 0.05


def lossless(s):
    """Return comparators without loss, as the hard margin wants them, and two that have some."""
    return [s.U / s.gap, 1.2 * s.U / s.gap, *list(s.comparators().values())[:2]]


def assert_bounded(run, s, theorem, *parameters):
    """Hold a run against a theorem for several comparators; return how many bounds are finite."""
    bounds = [theorem(run, s.X, U, *parameters) for U in lossless(s)]
    for bound in bounds:
        at_most(large_margin.stepped_mistakes(run), bound)
    return sum(bound < math.inf for bound in bounds)


def assert_soft_bounded(run, s, alpha, C):
    for U in [*s.comparators().values(), 2 * s.U]:
        sharp = large_margin.theorem_5_1(run, s.X, U[0], alpha, C, everywhere=False)
        at_most(large_margin.stepped_mistakes(run), sharp)
        at_most(sharp, large_margin.theorem_5_1(run, s.X, U[0], alpha, C))


@pytest.mark.slow
def test_theorem_3_1_holds():
    told = 0
    for s in streams(*CLEAN):
        alpha = ALPHAS[s.seed // 4 % 4]
        run = played(s, ObjectiveRegularized(alpha, math.inf), Margin((math.inf, 0.5)[s.seed % 2]))
        told += assert_bounded(run, s, large_margin.theorem_3_1, alpha)
    assert told > 150


@pytest.mark.slow
def test_theorem_3_2_holds_in_the_ball():
    told = 0
    for s in streams(*CLEAN):
        beta = (1.05, 1.2, 2.0)[s.seed % 3] / s.gap
        told += assert_bounded(
            played(s, L2Constrained(beta), ALL), s, large_margin.theorem_3_2, beta
        )
    assert told > 100


def in_l1(s):
    return float(abs(s.U).sum(axis=1).max()) / s.gap


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(learners, "L1Constrained"), reason="no L1Constrained yet")
def test_theorem_3_2_holds_in_the_cross_polytope():
    told = 0
    for s in streams(*CLEAN):
        beta = (1.05, 1.2, 2.0)[s.seed % 3] * in_l1(s)
        run = played(s, learners.L1Constrained(beta), ALL)
        told += assert_bounded(run, s, large_margin.theorem_3_2, beta, 1)
    assert told > 100


@pytest.mark.slow
def test_theorems_3_3_and_3_1_hold_where_small_weights_are_removed():
    told = 0
    for s in streams(*CLEAN):
        alpha, sigma = ALPHAS[s.seed % 4], (0.0, 1e-5, 1e-3)[s.seed % 3]
        run = literal.play(literal.Regularized(len(s.X[0]), alpha, sigma=sigma), s)
        told += assert_bounded(run, s, large_margin.theorem_3_3, alpha, sigma)
    assert told > 100


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.slow
def test_theorem_3_4_holds_where_small_weights_are_removed(norm):
    told = 0
    for s in streams(*CLEAN):
        beta = 1.2 * (in_l1(s) if norm == 1 else 1 / s.gap)
        sigma = (0.0, 1e-6, 1e-4)[s.seed % 3]
        run = literal.play(literal.Constrained(len(s.X[0]), beta, norm, sigma), s)
        told += assert_bounded(run, s, large_margin.theorem_3_4, beta, norm, sigma)
    assert told > 60


@pytest.mark.slow
def test_theorem_5_1_holds():
    for s in streams(*KINDS):
        alpha, C = ALPHAS[s.seed % 4], (0.1, 1.0, 10.0)[s.seed % 3]
        assert_soft_bounded(played(s, ObjectiveRegularized(alpha, C), ALL), s, alpha, C)


@pytest.mark.slow
def test_theorem_5_1_holds_for_passive_aggressive():
    for s in streams(*KINDS)[:60]:
        assert_soft_bounded(played(s, PassiveAggressive(2.0, "II"), ALL), s, 0.0, 2.0)


def sweep_hard(fault, count):
    for s in streams(*CLEAN)[:count]:
        run = literal.play(literal.Regularized(len(s.X[0]), 0.01), s, fault=fault)
        assert_bounded(run, s, large_margin.theorem_3_1, 0.01)


def sweep_soft(fault, count):
    for s in streams(*CLEAN)[:count]:
        run = literal.play(literal.Regularized(len(s.X[0]), 0.01, 10.0), s, fault=fault)
        assert_soft_bounded(run, s, 0.01, 10.0)


def sweep_ball(fault, count):
    for s in streams(*CLEAN)[: count // 4]:  # a solver takes its time
        run = literal.play(literal.Constrained(len(s.X[0]), 1.1 / s.gap, 2), s, fault=fault)
        assert_bounded(run, s, large_margin.theorem_3_2, 1.1 / s.gap)


@pytest.mark.parametrize(
    ("sweep", "fault"),
    [
        (sweep_hard, "sign"),
        (sweep_hard, "eager"),
        (sweep_soft, "sign"),
        (sweep_soft, "eager"),
        (sweep_ball, "sign"),
    ],
)
def test_a_broken_learner_is_caught(sweep, fault):
    with pytest.raises(AssertionError):
        sweep(fault, COUNT)


@pytest.mark.parametrize("sweep", [sweep_hard, sweep_soft, sweep_ball])
def test_the_same_learner_without_a_fault_is_not(sweep):
    sweep("", 24)


def test_the_bounds_are_not_vacuous():
    ratios = []
    for s in streams("separable"):
        run, soft = played(s, L2Constrained(1.1 / s.gap), ALL), played(s, PassiveAggressive(), ALL)
        ratios.append(
            (
                large_margin.theorem_3_2(run, s.X, s.U / s.gap, 1.1 / s.gap) / max(1, run.mistakes),
                large_margin.theorem_3_1(soft, s.X, s.U / s.gap, 0.0) / max(1, soft.mistakes),
            )
        )
    assert (np.median(ratios, axis=0) < 40).all()


@pytest.mark.parametrize("C", [math.inf, 1000.0])
def test_theorems_3_1_and_5_1_do_not_hold_as_they_are_printed(C):
    alpha, lean = 0.3, 0.1
    third = [-lean, -lean, 1.0]
    X = np.array(([[1.0, 0, 0], [0, 1.0, 0]] * 8 + [third]) * 40)
    y = np.ones(len(X), int)
    u = np.array([1, 1, 1 + 2 * lean])
    assert (X @ u).min() >= 1 - 1e-12
    s = Stream(0, "cycle", X, y, np.tile(u, (len(X), 1)), [])
    run = played(s, ObjectiveRegularized(alpha, C), ALL)
    g = (1 - alpha**2) / ((X**2).sum(axis=1).max() + (1 + alpha) / (2 * C))
    printed = u @ u / (g - alpha / (2 + alpha) * (u @ u))
    assert 0 < printed < 10
    assert run.mistakes == 40
    at_most(run.mistakes, large_margin.theorem_5_1(run, X, u, alpha, C))


def test_conditions():
    s = streams(*CLEAN)[0]
    run = played(s, ObjectiveRegularized(0.01, math.inf), ALL)
    u = s.U / s.gap
    assert large_margin.theorem_3_1(run, s.X, u, 0.01) < math.inf
    assert large_margin.theorem_3_1(run, s.X, 0.5 * u, 0.01) == math.inf  # it has losses
    assert large_margin.theorem_3_1(run, s.X, u, 1.0) == math.inf  # g < 0
    assert large_margin.theorem_3_3(run, s.X, u, 0.01, 100.0) == math.inf
    assert large_margin.theorem_3_2(run, s.X, u, 0.5 / s.gap) == math.inf  # outside the ball
    assert large_margin.theorem_3_1(run, s.X, u, 0.01) == pytest.approx(
        large_margin.theorem_5_1(run, s.X, u[0], 0.01, math.inf)
    )
