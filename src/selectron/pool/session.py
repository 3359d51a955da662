"""A labelling session: the rows that are open, the plan of the learner, the answers, and undo.

A learner is a NamedTuple of parameters with one method,

    plan(pool, state, carry) -> (carry, Plan)

The session calls it again when the plan is used up or has reached its limit of mistakes
(`patience`) or rows (`stretch`). `carry` is what the learner keeps between two plans, None before
the first; it is never changed in place, so that undo can return to an older one. All random draws
depend on `pool.seed` and the labels alone: the same answers give the same plans.
"""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import one_thread
from ..engine.parameters import counted
from .features import Nearest

OPEN = -1  # code of a row without a label
PASSED = -2  # code of a row that was skipped


class Pool(NamedTuple):
    """The rows as the learner sees them."""

    X: Any  # (n, d), dense or CSR, of mean square length 1
    seed: int
    kernels: tuple[np.ndarray, ...] = ()  # other maps of the rows, each (n, k)
    nearest: tuple[Nearest, ...] = ()  # neighbours under several scales

    @property
    def maps(self) -> tuple[Any, ...]:
        """All feature maps of the rows, `X` first."""
        return self.X, *self.kernels


class State(NamedTuple):
    """The labels so far."""

    codes: np.ndarray  # (n,), class codes from 0 on, OPEN, or PASSED
    classes: int
    mistakes: int
    missed: np.ndarray  # rows whose proposals under the last plan were corrected

    @property
    def left(self) -> np.ndarray:
        """Numbers of the open rows."""
        return np.flatnonzero(self.codes == OPEN)


class Plan(NamedTuple):
    """The rows to propose next, and the class proposed for each."""

    rows: np.ndarray
    codes: np.ndarray  # the class code proposed for each row
    keys: np.ndarray  # that sort the rows, the largest first
    patience: float = np.inf  # mistakes until the next plan
    doubts: np.ndarray | None = None  # the learner's probabilities of a mistake
    stretch: float = np.inf  # rows until the next plan


class PoolRun(NamedTuple):
    """The record of a session, in the order of the answers; arrays of equal length.

    >>> proposals, labels = np.array([1, 1, 0]), np.array([1, 0, 0])
    >>> run = PoolRun(np.arange(3), proposals, labels, proposals != labels)
    >>> run, run.curve.tolist()
    (<PoolRun: 3 rows labelled, 1 mistake>, [0, 1, 1])
    """

    order: np.ndarray  # numbers of the rows
    proposals: np.ndarray  # labels proposed
    labels: np.ndarray  # labels given, None for a row that was skipped
    wrong: np.ndarray  # booleans: whether the proposal was corrected

    @property
    def skipped(self) -> int:
        """Number of rows skipped."""
        return sum(label is None for label in self.labels.tolist())

    @property
    def mistakes(self) -> int:
        """Number of proposals corrected."""
        return int(self.wrong.sum())

    @property
    def curve(self) -> np.ndarray:
        """Number of mistakes up to each row."""
        return np.cumsum(self.wrong)

    def __repr__(self) -> str:
        skipped = self.skipped
        labelled = counted(len(self.order) - skipped, "row")
        others = f", {skipped:,} skipped" if skipped else ""
        return f"<PoolRun: {labelled} labelled{others}, {counted(self.mistakes, 'mistake')}>"


def decode(codes: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return the labels of class codes, None for a code of no class."""
    known = (codes >= 0) & (codes < len(classes))
    if known.all():
        return classes[codes]
    names = np.array([*classes.tolist(), None], dtype=object)
    return names[np.where(known, codes, -1)]


class Begun(NamedTuple):
    """The point at which a plan was made, so that it can be made again."""

    answered: int  # answers before it
    known: int  # classes
    carry: Any  # the learner's, before the plan


class Answers(NamedTuple):
    """The answers in order: rows, class codes, the codes proposed, and the learner's doubts."""

    rows: np.ndarray
    codes: np.ndarray
    proposed: np.ndarray
    doubts: np.ndarray

    def part(self, start: int, stop: int) -> "Answers":
        """Return copies of the answers from `start` to `stop`."""
        return Answers(*(array[start:stop].copy() for array in self))

    @property
    def wrong(self) -> np.ndarray:
        """Whether each proposal was corrected, as booleans."""
        return (self.proposed != self.codes) & (self.codes != PASSED)


class Session:
    """The labelling of a pool by one learner, up to `goal` rows in addition to those `given`."""

    def __init__(self, learner: Any, pool: Pool, given: np.ndarray, goal: int):
        self.learner, self.pool, self.given, self.goal = learner, pool, given, goal
        n = pool.X.shape[0]
        self.codes = given.copy()
        both = np.zeros((2, n), np.int32)
        self.log = Answers(np.zeros(n, np.int64), both[0], both[1], np.zeros(n))
        self.count = self.mistakes = 0
        self.begun: list[Begun] = []
        self.carry: Any = None
        self.plan: Any = None
        self.order = np.zeros(0, int)  # of the rows of the plan
        self.at = 0  # position in it
        self.allowed = self.end = math.inf  # mistakes and answers at which its plan is replaced

    @property
    def answers(self) -> Answers:
        """The answers so far, as copies."""
        return self.log.part(0, self.count)

    def next(self, known: int) -> tuple[int, int] | None:
        """Return the next row and the code proposed for it, or None once the goal is reached.

        `known` is the number of classes; the code is below it, -1 if no class is known yet.
        """
        while self.count < self.goal:
            used = self.at >= len(self.order)
            if used or self.mistakes >= self.allowed or self.count >= self.end:
                self._plan(known)
            place = self.order[self.at]
            row, code = self.plan.rows[place], self.plan.codes[place]
            if self.codes[row] == OPEN:
                return int(row), min(int(code), known - 1)
            self.at += 1
        return None

    def tell(self, code: int, known: int) -> None:
        """Record the answer for the next row."""
        places = self.order[self.at : self.at + 1]
        self.at += 1
        self._take(self._answers(places, np.array([code]), known))

    def play(self, truth: np.ndarray, known: int, look: Callable[[int], object]) -> None:
        """Answer from the true codes up to the goal; `look` receives the number of answers."""
        while self.next(known) is not None:
            most = min(self.goal, self.end) - self.count
            places = self.order[self.at : int(min(len(self.order), self.at + most))]
            found = self._answers(places, truth[self.plan.rows[places]], known)
            still = self.codes[found.rows] == OPEN
            wrong = np.flatnonzero(found.wrong & still)
            patience = self.allowed - self.mistakes
            end = len(places) if len(wrong) < patience else int(wrong[int(patience) - 1]) + 1
            self.at += end
            self._take(Answers(*(array[:end][still[:end]] for array in found)))
            look(self.count)

    def undo(self) -> int:
        """Undo the last answer by making its plan again; return its row, which is next again."""
        count = self.count - 1
        while self.begun[-1].answered > count:
            self.begun.pop()
        last = self.begun.pop()
        since = self.log.part(last.answered, count)
        undone = self.log.part(last.answered, self.count)
        self.codes[undone.rows] = OPEN
        self.mistakes -= int(undone.wrong.sum())
        self.count, self.carry = last.answered, last.carry
        self._plan(last.known)
        self._take(since)
        return int(undone.rows[-1])

    def restore(
        self, answers: Answers, begun: Iterable[tuple[int, int]], look: Callable[[int], object]
    ) -> None:
        """Restore the answers of an earlier session by making its plans again.

        `look` receives the number of answers restored so far.
        """
        starts = [*begun, (len(answers.rows), 0)]
        for (start, known), (stop, _) in pairwise(starts):
            self._plan(known)
            self._take(answers.part(start, stop))
            look(stop)

    def without_skips(self) -> "Session":
        """Return a session of the same answers in which no row was skipped.

        All answers are to its first plan, as later ones of the paper's learners lack some rows.
        """
        kept = self.answers.codes != PASSED
        fresh = Session(self.learner, self.pool, self.given, self.goal)
        begun = [(0, plan.known) for plan in self.begun[:1]]
        fresh.restore(Answers(*(array[kept] for array in self.answers)), begun, lambda count: None)
        return fresh

    def left(self) -> float:
        """Estimate the mistakes up to the goal, rather too many; NaN for a learner without doubts.

        These are the doubts about the open rows, or if fewer proposals have been wrong than were
        doubtful, that part of them. What answers will teach is not known.
        """
        if self.plan is None or self.plan.doubts is None:
            return float("nan")
        open_ = self.codes[self.plan.rows] == OPEN
        doubts, wanted = self.plan.doubts[open_], self.goal - self.count
        if wanted < len(doubts):
            doubts = np.partition(doubts, wanted)[:wanted]
        part = (self.mistakes + 1) / (self.log.doubts[: self.count].sum() + 1)
        return float(doubts.sum() * min(1.0, part))

    def _plan(self, known: int) -> None:
        last = self.log.part(self.begun[-1].answered if self.begun else 0, self.count)
        state = State(self.codes, max(2, known), self.mistakes, last.rows[last.wrong])
        with one_thread():
            carry, plan = self.learner.plan(self.pool, state, self.carry)
        self.begun.append(Begun(self.count, known, self.carry))
        self.carry, self.plan, self.at = carry, plan, 0
        self.order = np.argsort(-plan.keys, kind="stable")
        self.allowed, self.end = self.mistakes + plan.patience, self.count + plan.stretch

    def _answers(self, places: np.ndarray, codes: np.ndarray, known: int) -> Answers:
        plan = self.plan
        proposed = np.minimum(plan.codes[places], known - 1)
        doubts = np.zeros(len(places)) if plan.doubts is None else plan.doubts[places]
        return Answers(plan.rows[places], codes, proposed, doubts)

    def _take(self, answers: Answers) -> None:
        for mine, theirs in zip(self.log, answers, strict=True):
            mine[self.count : self.count + len(theirs)] = theirs
        self.codes[answers.rows] = answers.codes
        self.count += len(answers.rows)
        self.mistakes += int(answers.wrong.sum())
