"""Learners and askers that a user wrote: what is wrong with them is named before compiling."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from selectron import Budget, OnlineClassifier
from selectron.askers import Margin
from selectron.engine.round import Shape, ShapeStep, Step
from selectron.errors import SelectronError
from selectron.learners import LASEC, Perceptron
from selectron.specs import budgeted, spec_of

from .examples import is_one_sentence

X = np.random.default_rng(0).normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)


class Learner(NamedTuple):
    rate: float = 0.5

    def numbers(self):
        return (self.rate,)

    def step(self, r):
        return Step(1.0, self.rate * r.y)


class Asker(NamedTuple):
    b: float = 0.5

    def numbers(self):
        return (self.b,)

    def probability(self, r, q, t):
        return self.b


def changed(kind, **methods):
    return type(kind.__name__, (kind,), {"__slots__": (), **methods})()


def imports(self, r):
    import math

    return Step(1.0, math.sqrt(2.0) * r.y)


LEARNERS = [
    (changed(Learner, step=lambda self, r: Step(None, r.y)), r"must return Step of numbers, got"),
    (changed(Learner, step=lambda self: Step(1.0, 0.0)), r"Learner.step must have .* \(self, r\)"),
    (changed(Learner, steps=lambda self, m: True), r"Learner.steps must have .* \(self, m, y\)"),
    (changed(Learner, step=lambda self, r: (1.0, r.y)), r"Learner.step\(.* must return Step\(keep"),
    (changed(Learner, step=lambda self, r: None), r"must return Step\(keep, eta\), .*, got None"),
    (changed(Learner, step=lambda self, r: ShapeStep(0.0, 1.0, 0.0)), r"or ShapeStep and a shape"),
    (changed(Learner, shape=lambda self: Shape(1.0)), r"must return ShapeStep\(eta, mu, nu\), as"),
    (changed(Learner, step=lambda self, r: r.label), r"Learner.step failed: AttributeError: "),
    (
        changed(Learner, step=lambda self, r: Step(1.0, r.y / r.ww)),
        r"Learner.step\(Round\(m=0.0, .*\) must return finite numbers, got .*eta=-inf\)",
    ),
    (
        changed(Learner, steps=lambda self, m, y: None),
        r"Learner.steps\(-0.5, -1.0\) .*True or False",
    ),
    (changed(Learner, score=lambda self, m, q: "m"), r"Learner.score\(-0.5, 0.5\) must .*number"),
    (changed(Learner, noted=lambda self, r: None), r"Learner.noted\(.* must return a number, got"),
    (changed(Learner, normalise=lambda self: True), r"normalise is not a method .*to normalize\.$"),
    (changed(Learner, normalize=True), r"Learner.normalize must be a method, got True\.$"),
    (changed(Learner, steps=lambda self, y, m: True), r"\(self, m, y\): its own are in another"),
    (changed(Learner, steps=lambda self, m, y: 1 - y * m), r"must return True or False, got 0.5"),
    (
        changed(Learner, probability=lambda self, r: 2.0 + r),
        r"probability\(-0.001\) .* 0 to 1, got",
    ),
    (changed(Learner, probability=lambda self, r: None), r"must return a number, got None"),
]


@pytest.mark.parametrize(("learner", "message"), LEARNERS)
def test_a_learner(learner, message):
    with pytest.raises(SelectronError, match=message) as caught:
        OnlineClassifier(learner).fit(X, Y)
    assert is_one_sentence(str(caught.value))


def test_defaults_that_a_learner_writes_out():
    methods = {"ensemble": lambda self: False, "probability": lambda self, r: math.nan}
    written, usual = changed(LASEC, **methods), LASEC()
    runs = [OnlineClassifier(one, random_state=0).fit(X, Y) for one in (written, usual)]
    assert (runs[0].predict_proba(X) == runs[1].predict_proba(X)).all()
    assert runs[0].decide(X[0]).proba == runs[1].decide(X[0]).proba
    assert spec_of(written) == spec_of(usual)
    assert budgeted(Budget(rate=0.1), None, written, True).asker == Margin(0.1)
    assert spec_of(NamedTuple("Mine", [("ensemble", int)])(3)) == "mine:ensemble=3"  # an asker's


@pytest.mark.compiles
def test_an_import_in_a_step():
    with pytest.raises(SelectronError, match=r"Learner does not compile: .*parts.py, line [0-9]+"):
        OnlineClassifier(changed(Learner, step=imports)).fit(X, Y)


ASKERS = [
    (
        changed(Asker, probability=lambda self, r, q: 0.5),
        r"Asker.probability must have .*r, q, t\)",
    ),
    (
        Asker(float("nan")),
        r"Asker.probability\(-1.0, 0.5, 1\) must return a (finite )?number.*, got nan",
    ),
    (
        changed(Asker, reads=lambda self: "varianse"),
        r"reads\(\) must return one of 'margin', .*nse'",
    ),
    (
        changed(Asker, probability=lambda self, r, q, t: None),
        r"must return a (finite )?number.*, got None",
    ),
]


class Typical(NamedTuple):
    """Asks where the margin is small compared with the mean one."""

    def numbers(self):
        return ()

    def past(self):
        return (1.0,)

    def chance(self, past, r, q, t, now, situation):
        return past[0] / (past[0] + abs(r))

    def after(self, past, r, q, t, now, situation, asked):
        return (0.99 * past[0] + 0.01 * abs(r),)


OF_MEMORY = [
    (changed(Typical, past=lambda self: (0.0,)), r"Typical.chance\(past=.* 0 to 1, got nan\.$"),
    (changed(Typical, chance=lambda self, past, r, q, t, now, situation: 2.0), "0 to 1, got 2.0"),
    (
        changed(Typical, chance=lambda self, past, r, q, t, now, situation: past[1]),
        "Typical.chance failed: IndexError: ",
    ),
    (changed(Typical, past=lambda self: 0.0), r"past\(\) must return a tuple of numbers, got 0.0"),
    (changed(Typical, past=lambda self: ("a",)), r"must return a tuple of numbers, got \('a',\)"),
    (
        changed(Typical, after=lambda self, past, r, q, t, now, situation, asked: (0.0, 1.0)),
        r"after must return as many numbers as past\(\), 1, in a tuple, got \(0.0, 1.0\)",
    ),
    (
        changed(Typical, after=lambda self, past, r, q, t, now, situation, asked: None),
        "in a tuple, got None",
    ),
]


@pytest.mark.parametrize(("asker", "message"), OF_MEMORY)
def test_an_asker_that_remembers(asker, message):
    with pytest.raises(SelectronError, match=message) as caught:
        OnlineClassifier(Perceptron(), asker).fit(X, Y)
    assert is_one_sentence(str(caught.value))


@pytest.mark.usefixtures("interpreted")
def test_a_sound_asker_that_remembers():
    assert OnlineClassifier(Perceptron(), Typical(), random_state=0).run(X, Y).asked.any()


def test_an_asker_whose_probability_is_infinite_at_the_boundary():
    """It would be drawn as 1, and count as infinite in estimates."""
    asker = changed(Asker, probability=lambda self, r, q, t: self.b / abs(r))
    with pytest.raises(SelectronError, match=r"\(-0.001, 0.5, 1\) .* from 0 to 1, got 500.0"):
        OnlineClassifier(Perceptron(), asker).fit(X, Y)


@pytest.mark.parametrize("within", [lambda asker: asker, lambda asker: Budget(0.5, asker=asker)])
@pytest.mark.parametrize(("asker", "message"), ASKERS)
def test_an_asker(asker, message, within):
    with pytest.raises(SelectronError, match=message) as caught:
        OnlineClassifier(Perceptron(), within(asker)).fit(X, Y)
    assert is_one_sentence(str(caught.value))


def test_only_a_budget_takes_numbers_above_1():
    """It ranks rows by them, whatever their scale."""
    with pytest.raises(SelectronError, match=r" must return a number from 0 to 1, got 7.0.$"):
        OnlineClassifier(Perceptron(), Asker(7.0)).fit(X, Y)
    runs = [
        OnlineClassifier(Perceptron(), Budget(0.5, asker=Asker(b)), random_state=0).run(X, Y)
        for b in (0.5, 7.0)
    ]
    assert np.array_equal(runs[0].asked, runs[1].asked)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    "asker",
    [
        changed(Asker, probability=lambda self, r, q, t: 1 - abs(r)),
        changed(Asker, probability=lambda self, r, q, t: np.abs(r) < self.b),
    ],
)
def test_askers_that_look_at_probabilities_or_compare(asker):
    assert OnlineClassifier(Perceptron(), asker).run(X, Y).asked.any()


def test_parameters_with_names_of_methods():
    class Ball(NamedTuple):
        radius: float = 1.0
        numbers = Learner.numbers
        step = Learner.step

    class Late(NamedTuple):
        after: float = 1.0
        numbers, past, chance = Asker.numbers, Asker.numbers, Asker.probability

    for given, name in (({"learner": Ball()}, "radius"), ({"asker": Late()}, "after")):
        with pytest.raises(SelectronError, match=f"a parameter cannot be named {name}, as that is"):
            OnlineClassifier(**given).fit(X, Y)


def test_a_step_that_guards_against_the_first_round():
    """A division by 0 is infinite in the loop, and may be limited."""
    learner = changed(Learner, step=lambda self, r: Step(1.0, r.y * min(self.rate, 1 / r.ww)))
    assert OnlineClassifier(learner).fit(X, Y).score(X, Y) > 0.8


class Worded(NamedTuple):
    mode: str = "on"

    def numbers(self):
        return (1.0 if self.mode == "on" else 0.0,)

    def step(self, r):
        return Step(1.0, r.y if self.mode == "on" else 0.0)


def test_a_step_that_compares_text():
    """In compiled code, where it is a number, it would equal no text, without a message."""
    with pytest.raises(SelectronError, match=r"eta=-1.0\), but Step\(keep=1.0, eta=0.0\) in comp"):
        OnlineClassifier(Worded()).fit(X, Y)


@pytest.mark.usefixtures("interpreted")
def test_a_step_that_compares_the_number_of_a_text():
    learner = changed(Worded, step=lambda self, r: Step(1.0, r.y if self.mode == 1.0 else 0.0))
    assert OnlineClassifier(learner).fit(X, Y).coef_.any()


@pytest.mark.usefixtures("interpreted")
def test_a_shape_that_compares_text():
    class Shaped(NamedTuple):
        speed: str = "fast"

        def numbers(self):
            return (1.0 if self.speed == "fast" else 0.0,)

        def shape(self):
            return Shape(4.0 if self.speed == "fast" else 1.0)

        def step(self, r):
            return ShapeStep(r.y, 1.0, 0.0)

    weights = [OnlineClassifier(Shaped(one)).fit(X, Y).coef_ for one in ("fast", "slow")]
    assert abs(weights[0]).sum() > abs(weights[1]).sum()


def test_helpers_are_no_slips():
    def numbers(self):
        return (self._step(),)

    learner = changed(Learner, numbers=numbers, _step=lambda self: 0.5, chances=numbers)
    assert OnlineClassifier(learner).fit(X, Y).score(X, Y) > 0.8


def test_what_is_not_a_number_is_as_it_is_in_compiled_code():
    class Odd(Worded):
        def step(self, r):
            return Step(1.0, r.y if r.ww > 0 and self.mode != "x" else r.y + r.m / r.ww)

    with pytest.raises(SelectronError, match=r"must return finite numbers, got .*eta=nan"):
        OnlineClassifier(Odd()).fit(X, Y)


def test_steps_that_compare_text():
    kind = changed(Learner, step=lambda self, r: Step(1.0, r.y)).__class__
    learner = changed(Worded, step=kind.step, steps=lambda self, m, y: self.mode == "on")
    with pytest.raises(SelectronError, match=r"\.steps\(-0.5, -1.0\) returns True, but False in"):
        OnlineClassifier(learner).fit(X, Y)


@pytest.mark.usefixtures("interpreted")
def test_steps_that_divide_by_zero_on_the_rows_tried_are_left_to_the_loop():
    learner = changed(Learner, step=lambda self, r: Step(1.0, r.y / (r.ww - 2.0)))
    assert OnlineClassifier(learner).run(X, Y).steps > 0
