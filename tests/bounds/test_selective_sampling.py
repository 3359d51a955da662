"""The selective-sampling theorems hold for every comparator, and catch what is broken."""

import math

import numpy as np
import pytest

from selectron.askers import AdaptiveMargin, Fixed, Margin, SecondOrderMargin
from selectron.bounds import expected_labels, selective_sampling, weighted_mistakes
from selectron.learners import Perceptron, SecondOrderPerceptron

from . import literal
from .streams import COUNT, KINDS, Stream, at_most, played, streams

ASKERS = [math.inf, 0.1, 0.5, 3.0]


def first(runs, s, u, _, gamma=1.0):
    return selective_sampling.theorem_1(runs, s.X, u / gamma)


def second(runs, s, u, a, gamma=1.0):
    return selective_sampling.theorem_2(runs, s.X, u / gamma, a)


def assert_bounded(run, s, theorem, a, b):
    for U in s.comparators().values():
        for gamma in (1.0, 0.2):
            bound = theorem(run, s, U[0], a, gamma)
            at_most(run.steps, bound.best())
            at_most(weighted_mistakes(run), bound.at(b))


def choice(s):
    return (1.0, 0.3, 2.0)[s.seed % 3], ASKERS[s.seed % 4]


@pytest.mark.slow
def test_theorem_1_holds():
    for s in streams(*KINDS):
        a, b = choice(s)
        assert_bounded(played(s, Perceptron(), Margin(b)), s, first, a, b)


@pytest.mark.parametrize("asker", [Margin, SecondOrderMargin])
@pytest.mark.slow
def test_theorem_2_holds(asker):
    for s in streams(*KINDS):
        a, b = choice(s)
        assert_bounded(played(s, SecondOrderPerceptron(a), asker(b)), s, second, a, b)


@pytest.mark.slow
def test_the_adaptive_bound_holds():
    for s in streams(*KINDS):
        beta = (0.01, 0.3, 1.0, 5.0)[s.seed % 4]
        run = played(s, Perceptron(), AdaptiveMargin(beta))
        for U in s.comparators().values():
            for gamma in (1.0, 0.2):
                bound = selective_sampling.adaptive(run, s.X, U[0] / gamma, beta)
                at_most(weighted_mistakes(run), bound)


def test_the_adaptive_bound_catches_a_perceptron_that_asks_too_seldom():
    exceeded = 0
    for s in streams(*KINDS):
        run = played(s, Perceptron(), Fixed(0.02))
        bound = selective_sampling.adaptive(run, s.X, 3 * s.U[0], 5.0)
        exceeded += weighted_mistakes(run) > bound
    assert exceeded > 0


def test_steps_are_bounded_under_any_asker():
    for s in streams(*KINDS)[:50]:
        run = played(s, Perceptron(), Fixed(0.5))
        for U in s.comparators().values():
            at_most(run.steps, first(run, s, U[0], 1.0).best())


BROKEN = {
    "perceptron": (lambda s, _: literal.Perceptron(len(s.X[0])), first),
    "second-order": (lambda s, a: literal.LASEC(len(s.X[0]), a, math.inf), second),
}


FAULTS = [(name, fault) for name in BROKEN for fault in ("sign", "eager", "stale")]


@pytest.mark.parametrize(("name", "fault"), [*FAULTS, ("second-order", "frozen")])
def test_a_broken_learner_is_caught(name, fault):
    with pytest.raises(AssertionError):
        sweep(name, fault, COUNT)


@pytest.mark.parametrize("name", BROKEN)
def test_the_same_learner_without_a_fault_is_not(name):
    sweep(name, "", 30)


def sweep(name, fault, count):
    make, theorem = BROKEN[name]
    for s in streams(*KINDS)[:count]:
        a, b = choice(s)
        assert_bounded(literal.play(make(s, a), s, b, fault), s, theorem, a, b)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "theorem", "most"), [(Perceptron(), first, 4), (SecondOrderPerceptron(), second, 4)]
)
def test_the_bounds_are_not_vacuous(learner, theorem, most):
    ratios = []
    for s in streams("separable"):
        run = played(s, learner, Margin(math.inf))
        best = min(theorem(run, s, k * s.U[0], 1.0).best() for k in (1, 2, 3, 4, 6, 8))
        ratios.append(best / max(1, run.mistakes))
    assert np.median(ratios) < most


@pytest.mark.slow
def test_expectations_over_the_draws():
    for s in streams(*KINDS)[:8]:
        for learner, asker, theorem in [
            (Perceptron(), Margin(0.3), first),
            (SecondOrderPerceptron(), SecondOrderMargin(0.3), second),
        ]:
            runs = [played(s, learner, asker, seed) for seed in range(100)]
            at_most(np.mean([r.mistakes for r in runs]), theorem(runs, s, 2 * s.U[0], 1.0).at(0.3))
            spread = math.sqrt(
                sum((r.ask_probability * (1 - r.ask_probability)).sum() for r in runs)
            )
            asked = np.mean([run.asked.sum() for run in runs])
            assert abs(expected_labels(runs) - asked) < 5 * spread / 100


def test_theorem_1_as_it_is_printed():
    for s in streams("corners")[:20]:
        run = played(s, Perceptron(), Margin(0.4))
        for U in s.comparators().values():
            u, gamma, b = U[0], 0.7, 0.4
            loss = np.maximum(0, gamma - s.y * (s.X @ u))[run.updated].sum() / gamma
            size = u @ u / gamma**2
            printed = (2 * b + 1) / (2 * b) * loss + (2 * b + 1) ** 2 / (8 * b) * size
            bound = first(run, s, u, 1.0, gamma)
            assert bound.at(b) == pytest.approx(printed)
            tuning = math.sqrt(1 + 4 / size * loss) / 2 if size else math.inf
            assert bound.tuning() == pytest.approx(tuning)
            mended = loss + size / 2 + math.sqrt(size * (loss + size / 4))
            assert bound.best() == pytest.approx(mended)


def test_equation_8_does_not_hold_as_it_is_printed():
    d, u = 4, -np.ones(4)
    s = Stream(0, "corners", np.eye(d), -np.ones(d, int), np.tile(u, (d, 1)), [])
    run = played(s, Perceptron(), Margin(0.5))  # margins are 0, so that all labels are asked for
    size = u @ u  # no loss at gamma = 1
    printed = 0 + size / 2 + math.sqrt(size) / 2 * math.sqrt(0 + size / 4)
    assert printed == 3
    assert run.mistakes == 4
    assert first(run, s, u, 1.0).tuning() == 0.5
    assert first(run, s, u, 1.0).best() == 4
