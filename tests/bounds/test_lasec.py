"""LASEC's theorems hold for every sequence of comparators, and catch a LASEC that is broken."""

import math

import numpy as np
import pytest

from selectron.askers import Margin, SecondOrderMargin
from selectron.bounds import Tradeoff, expected_labels, lasec, weighted_mistakes
from selectron.learners import LASEC

from . import literal
from .streams import COUNT, KINDS, at_most, played, streams

PARAMETERS = [(1.0, 10.0), (0.1, 1000.0), (1.0, math.inf)]
ASKERS = [math.inf, 0.3, 2.0]


def choice(s):
    """Return b, c and a for a stream."""
    return *PARAMETERS[s.seed % 3], ASKERS[s.seed // 3 % 3]


def assert_bounded(run, s, b, c, a):
    for U in s.comparators().values():
        for gamma in (1.0, 0.2):
            sharp = lasec.theorem_2(run, s.X, U / gamma, b, c, everywhere=False)
            at_most(run.steps, sharp)
            at_most(sharp, lasec.theorem_2(run, s.X, U / gamma, b, c))
        at_most(weighted_mistakes(run), lasec.theorem_4(run, s.X, U, b, c).at(a))


@pytest.mark.slow
def test_theorems_2_and_4_hold():
    for s in streams(*KINDS):
        b, c, a = choice(s)
        assert_bounded(played(s, LASEC(b, c), Margin(a)), s, b, c, a)


@pytest.mark.slow
def test_theorem_4_holds_under_the_second_order_margin():
    for s in streams(*KINDS)[::4]:
        run = played(s, LASEC(1.0, 10.0), SecondOrderMargin(0.5))
        assert_bounded(run, s, 1.0, 10.0, 0.5)


@pytest.mark.parametrize("fault", ["sign", "eager", "frozen", "stale"])
def test_a_broken_learner_is_caught(fault):
    with pytest.raises(AssertionError):
        sweep(fault, COUNT)


def test_the_same_learner_without_a_fault_is_not():
    sweep("", 30)


def sweep(fault, count):
    for s in streams(*KINDS)[:count]:
        b, c, a = choice(s)
        assert_bounded(literal.play(literal.LASEC(len(s.X[0]), b, c), s, a, fault), s, b, c, a)


def test_the_bounds_are_not_vacuous():
    ratios = []
    for s in streams("separable"):
        run = played(s, LASEC(1.0, 1000.0), Margin(math.inf))
        best = min(
            lasec.theorem_2(run, s.X, scale * s.U, 1.0, 1000.0) for scale in (1, 2, 3, 4, 6, 8)
        )
        ratios.append(best / max(1, run.mistakes))
    assert np.median(ratios) < 4


def tuned(s):
    """Return c for the concept's drift, however the steps fall."""
    drift = np.linalg.norm(np.diff(s.U, axis=0), axis=1).sum() ** 2
    return min(100.0, lasec.tuned_c(drift, s.X))


@pytest.mark.slow
def test_corollaries_8_and_9_hold():
    told = 0
    for s in streams(*KINDS):
        b, c = 0.01, tuned(s)
        run = played(s, LASEC(b, c), Margin(ASKERS[s.seed % 3]))
        for U in s.comparators().values():
            bound = lasec.corollary_8(run, s.X, U, b, c)
            at_most(run.steps, bound)
            told += bound < math.inf
            most = lasec.corollary_9(run, s.X, U, b, c)
            at_most(weighted_mistakes(run), most.at(ASKERS[s.seed % 3]))
            assert math.isinf(most.fixed) == math.isinf(bound)
            exact = lasec.theorem_4(run, s.X, U, b, c)
            assert exact.fixed == most.fixed or math.isinf(bound)
            assert exact.comparator <= most.comparator or math.isinf(bound)
            assert exact.spread <= most.spread or math.isinf(bound)
    assert told > 4 * COUNT


def test_the_corollaries_conditions():
    s = streams(*KINDS)[1]
    U = 2 * s.U
    run = played(s, LASEC(0.01, 20.0), Margin(math.inf))
    assert lasec.corollary_8(run, s.X, U, 0.01, 20.0) < math.inf
    wild = 10 * s.comparators()["wild"]
    assert lasec.corollary_8(run, s.X, wild, 0.01, 20.0) == math.inf
    run = played(s, LASEC(0.01, 0.1), Margin(math.inf))
    assert lasec.corollary_8(run, s.X, U, 0.01, 0.1) == math.inf
    assert lasec.corollary_9(run, s.X, U, 0.01, 0.1) == Tradeoff(math.inf, 0.0, 0.0)


def test_lemma_7_is_the_largest_solution():
    rng = np.random.default_rng(0)
    for A, B, C, D, gamma in rng.uniform(0.01, 5, size=(200, 5)):
        m = lasec.lemma_7(A, B, C, D, gamma)
        assert m == pytest.approx(D / gamma + math.sqrt(A * (B + m * C)) / gamma)
        further = m * 1.001
        assert further > D / gamma + math.sqrt(A * (B + further * C)) / gamma


def test_lemma_7_where_nothing_solves():
    assert lasec.lemma_7(A=1.0, B=-9.0, C=0.1, D=2.0) == pytest.approx(2.05)


def test_expectations_over_the_draws():
    for s in streams(*KINDS)[:8]:
        runs = [played(s, LASEC(1.0, 10.0), Margin(0.5), seed) for seed in range(100)]
        bound = lasec.theorem_4(runs, s.X, 2 * s.U, 1.0, 10.0)
        at_most(np.mean([run.mistakes for run in runs]), bound.at(0.5))
        asked = [run.asked.sum() for run in runs]
        spread = (
            math.sqrt(sum((r.ask_probability * (1 - r.ask_probability)).sum() for r in runs)) / 100
        )
        assert abs(expected_labels(runs) - np.mean(asked)) < 5 * spread
        wrong = [run.mistakes - weighted_mistakes(run) for run in runs]
        assert abs(np.mean(wrong)) <= 5 * np.std(wrong) / 10


def test_the_tuning_of_a_is_the_least():
    s = streams(*KINDS)[2]
    bound = lasec.theorem_4(played(s, LASEC(), Margin(0.5)), s.X, s.U, 1.0, 1000.0)
    assert bound.at(bound.tuning()) == pytest.approx(bound.best())
    assert all(bound.at(a) >= bound.best() for a in np.geomspace(1e-3, 1e3, 50))
    assert bound.at(math.inf) == math.inf
