"""The terms of the theorems: rounds with a step, hinge losses, a trade-off; checks of the input."""

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils.validation import check_array

from ..engine.parameters import shown
from ..errors import SelectronError
from ..estimator.checks import in_one_sentence
from ..model.run import Run

Runs: TypeAlias = Run | list[Run] | tuple[Run, ...]
ROUNDING = 1e-9  # relative tolerance of the conditions of theorems


class Tradeoff(NamedTuple):
    """A bound fixed + a/2 comparator + spread / (2 a), with a > 0 the asker's parameter (or b).

    >>> bound = Tradeoff(fixed=1.0, comparator=8.0, spread=2.0)
    >>> bound.at(1.0), bound.tuning(), bound.best()
    (6.0, 0.5, 5.0)
    """

    fixed: float  # the part that no tuning changes
    comparator: float  # the part that grows with a, such as |u|^2
    spread: float  # the part that falls with a

    def at(self, a: float) -> float:
        """Return the bound for an asker with parameter a; raise SelectronError unless a > 0."""
        above_0(a=a)
        growing = a * self.comparator if self.comparator else 0.0
        falling = self.spread / a if self.spread else 0.0
        return self.fixed + (growing + falling) / 2

    def tuning(self) -> float:
        """Return the a that minimises the bound."""
        return math.sqrt(self.spread / self.comparator) if self.comparator else math.inf

    def best(self) -> float:
        """Return the minimum of the bound over a."""
        return self.fixed + math.sqrt(self.comparator * self.spread)


class Steps(NamedTuple):
    """A selection of rounds, usually those with a step."""

    X: np.ndarray  # (m, d)
    y: np.ndarray  # (m,), -1 or +1
    U: np.ndarray  # (m, d), the comparators

    @property
    def margins(self) -> np.ndarray:
        """y <u, x> of every step, (m,)."""
        return self.y * np.einsum("td,td->t", self.U, self.X)

    @property
    def drifts(self) -> np.ndarray:
        """||u_k - u_(k-1)|| of consecutive comparators, (m - 1,)."""
        return np.linalg.norm(np.diff(self.U, axis=0), axis=1)

    def losses(self, gamma: float = 1.0) -> np.ndarray:
        """Return the hinge losses max(0, gamma - y <u, x>) of the comparators, (m,)."""
        return np.maximum(0.0, gamma - self.margins)


def steps(run: Run, X: np.ndarray, U: np.ndarray, everywhere: bool = False) -> Steps:
    """Return the rounds with a step, or with a label if `everywhere`; U is (d,) or (n, d)."""
    chosen = run.code != 0 if everywhere else run.updated
    return Steps(X[chosen], run.code[chosen], np.broadcast_to(U, X.shape)[chosen])


def longest(X: np.ndarray) -> float:
    """Return the largest ||x||, or 0 without rows."""
    return float(np.linalg.norm(X, axis=1).max(initial=0.0))


def averaged(
    runs: Runs, X: np.ndarray, U: np.ndarray, everywhere: bool, terms: Callable[..., Tradeoff]
) -> Tradeoff:
    """Return the mean of `terms(steps, loss)` over runs, which estimates its expectation."""
    found = [
        terms(steps(run, X, U), float(steps(run, X, U, everywhere).losses().sum()))
        for run in as_runs(runs)
    ]
    return Tradeoff(*np.mean(found, axis=0).tolist())


def weighted_mistakes(runs: Runs) -> float:
    """Return the number of mistakes with a step, each divided by its query probability.

    For a learner that steps on mistakes only, its expectation over the draws is the expected number
    of all mistakes; the theorems bound it in every single run. Several runs are averaged.

    >>> from selectron import OnlineClassifier, askers, learners
    >>> clf = OnlineClassifier(learners.Perceptron(), asker=askers.Fixed(0.5), random_state=0)
    >>> run = clf.run([[1.0]] * 8, [-1, 1] * 4)
    >>> run.mistakes, run.steps, weighted_mistakes(run)
    (5, 2, 4.0)
    """
    return float(
        np.mean([(1 / recorded(r, "ask_probability")[r.updated]).sum() for r in as_runs(runs)])
    )


def expected_labels(runs: Runs) -> float:
    """Return the expected number of queries: the sum of ask probabilities, averaged over runs.

    It is the second part of the theorems on selective sampling.

    >>> from selectron import OnlineClassifier, askers, learners
    >>> clf = OnlineClassifier(learners.Perceptron(), asker=askers.Fixed(0.25), random_state=0)
    >>> expected_labels(clf.run(np.eye(4), [-1, 1, -1, 1]))
    1.0
    """
    return float(np.mean([recorded(r, "ask_probability")[r.labelled].sum() for r in as_runs(runs)]))


def as_runs(runs: Runs) -> Sequence[Run]:
    """Return one run or more as a sequence; raise SelectronError if there is none."""
    found = runs if isinstance(runs, list | tuple) else [runs]
    if not found:
        raise SelectronError("There must be one run at least, got none.")
    for run in found:
        if not isinstance(run, Run):
            raise SelectronError(f"A run must be what run() returned, got {shown(run)}.")
    return found


def fitting(runs: Runs, X: Any, U: Any, still: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (n, d) and comparators, (d,) or unless `still` (n, d), that fit the runs."""
    X, U = array("X", X, ensure_2d=True), array("The comparator", U)
    check(runs, len(X))
    shapes = [X.shape[1:], *([] if still else [X.shape])]
    if U.shape not in shapes:
        wanted = " or ".join(map(str, shapes))
        raise SelectronError(f"The comparator must have the shape {wanted}, got {U.shape}.")
    return X, U


def check(runs: Runs, n: int) -> Sequence[Run]:
    """Return runs on n rows that the theorems cover; raise SelectronError otherwise."""
    found = as_runs(runs)
    for run in found:
        if run.many:
            raise SelectronError("The theorems are about two classes, and this run is of many.")
        if run.max_support is not None:
            raise SelectronError(
                "The theorems are about learners that evict no example, and in this run "
                f"max_support was {run.max_support}."
            )
        if len(run) != n:
            raise SelectronError(f"X has {n} rows, and the run has {len(run)} rounds.")
    return found


def array(name: str, given: Any, ensure_2d: bool = False) -> np.ndarray:
    """Return a dense array of finite numbers; raise SelectronError otherwise."""
    with in_one_sentence(f"{name} is not an array of real numbers"):
        empty = {"ensure_min_samples": 0, "ensure_min_features": 0}
        return check_array(given, dtype=float, ensure_2d=ensure_2d, input_name=name, **empty)


def recorded(run: Run, name: str) -> np.ndarray:
    """Return the margins or ask probabilities of a run; raise SelectronError without them."""
    values = getattr(run, name)
    if values is None:
        raise SelectronError(f"The run has no {name} recorded: play it with margins=True.")
    return np.asarray(values)


def _check(fits: Callable[[Any, int], bool], wanted: str, /, **given: Any) -> None:
    """Raise SelectronError unless all parameters are numbers that fit; inf may."""
    for name, value in given.items():
        if not isinstance(value, int | float | np.integer | np.floating) or not fits(value, 0):
            raise SelectronError(f"{name} must be a number {wanted}, got {shown(value)}.")


above_0 = partial(_check, operator.gt, "above 0")
from_0 = partial(_check, operator.ge, "from 0 on")
