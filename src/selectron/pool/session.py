"""A pool that is being told: which rows are open, which is next, and the way back."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from .plan import OPEN, PASSED, Pool, Queue, Told


@cache
def blas() -> ThreadpoolController:
    """Return what limits the threads of BLAS.

    The systems that are solved are small: a second thread waits more than it works, and where the
    processor has other work to do, it takes thirty times as long.
    """
    return ThreadpoolController()


class Begun(NamedTuple):
    """Where a plan began, so that it can be made again."""

    told: int  # answers before it
    known: int  # classes
    carry: Any  # what the learner made it from


class Answers(NamedTuple):
    """Rows in the order in which they were told, their codes, what was proposed, and the doubts."""

    rows: np.ndarray
    codes: np.ndarray
    proposed: np.ndarray
    doubts: np.ndarray

    def part(self, start: int, stop: int) -> "Answers":
        """Return those from `start` to `stop`, as copies."""
        return Answers(*(array[start:stop].copy() for array in self))

    @property
    def wrong(self) -> np.ndarray:
        """Tell which of the proposals were corrected."""
        return (self.proposed != self.codes) & (self.codes != PASSED)


class Session:
    """A pool under a learner, up to a goal: a number of rows beside those `given` beforehand."""

    def __init__(self, learner: Any, pool: Pool, given: np.ndarray, goal: int):
        self.learner, self.pool, self.given, self.goal = learner, pool, given, goal
        n = pool.X.shape[0]
        self.codes = given.copy()
        self.log = Answers(
            np.zeros(n, np.int64), np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n)
        )
        self.count = self.mistakes = 0
        self.begun: list[Begun] = []
        self.carry: Any = None
        self.queue: Any = None
        self.at = self.met = 0  # position in the queue, and mistakes under its plan

    @property
    def answers(self) -> Answers:
        """What has been told."""
        return self.log.part(0, self.count)

    def next(self, known: int) -> tuple[int, int] | None:
        """Return the next row and the code proposed for it, None once the goal is reached.

        So many classes are known; the code is that of one of them, or -1 if there is none yet.
        """
        while self.count < self.goal:
            if self.queue is None or self.met >= self.queue.plan.patience or not self._stretch():
                self._plan(known)
            if self.at >= len(self.queue):
                self.queue = None
                continue
            place = self.queue.span(self.at, self.at + 1)[0]
            row, code = self.queue.plan.rows[place], self.queue.plan.codes[place]
            if self.codes[row] == OPEN:
                return int(row), min(int(code), known - 1)
            self.at += 1
        return None

    def tell(self, code: int, known: int) -> None:
        """Take up the answer for the row that is next."""
        places = self.queue.span(self.at, self.at + 1)
        self.at += 1
        self._take(self._answers(places, np.array([code]), known))

    def play(self, truth: np.ndarray, known: int, look: Callable[[int], object]) -> None:
        """Tell rows from their true codes, up to the goal; `look` hears how many, now and then."""
        while self.next(known) is not None:
            most = min(self.goal - self.count, self._stretch())
            stop = int(min(self.queue.ready(self.at), self.at + most))
            places = self.queue.span(self.at, stop)
            told = self._answers(places, truth[self.queue.plan.rows[places]], known)
            still = self.codes[told.rows] == OPEN
            wrong = np.flatnonzero(told.wrong & still)
            patience = self.queue.plan.patience - self.met
            end = len(places) if len(wrong) < patience else int(wrong[int(patience) - 1]) + 1
            self.at += end
            self._take(Answers(*(array[:end][still[:end]] for array in told)))
            look(self.count)

    def undo(self) -> int:
        """Take back the last answer; return its row, which is the next one again."""
        row = int(self.log.rows[self.count - 1])
        self._forget(self.count - 1)
        return row

    def restore(self, told: Answers, begun: Iterable[tuple[int, int]]) -> None:
        """Take up the answers of an earlier session, making its plans again."""
        starts = [*begun, (len(told.rows), 0)]
        for (start, known), (stop, _) in pairwise(starts):
            self._plan(known)
            self._take(told.part(start, stop))

    def left(self) -> float:
        """Estimate the mistakes up to the goal: the learner's doubts, by how it has erred so far.

        NaN if the learner has no doubts, as those of the paper.
        """
        if self.queue is None or self.queue.plan.doubts is None:
            return float("nan")
        open_ = self.codes[self.queue.plan.rows] == OPEN
        doubts, wanted = self.queue.plan.doubts[open_], self.goal - self.count
        if wanted < len(doubts):
            doubts = np.partition(doubts, wanted)[:wanted]
        half = self.log.part(self.count // 2, self.count)
        return float(doubts.sum() * (half.wrong.sum() + 1) / (half.doubts.sum() + 1))

    def _plan(self, known: int) -> None:
        last = self.log.part(self.begun[-1].told if self.begun else 0, self.count)
        told = Told(self.codes, max(2, known), self.mistakes, last.rows[last.wrong])
        begun = Begun(self.count, known, self.carry)
        with blas().limit(limits=1, user_api="blas"):
            self.carry, plan = self.learner.plan(self.pool, told, self.carry)
        self.begun.append(begun)
        self.queue, self.at, self.met = Queue(plan), 0, 0

    def _stretch(self) -> float:
        """Return how many rows the plan is still good for."""
        return max(0, self.queue.plan.stretch - (self.count - self.begun[-1].told))

    def _answers(self, places: np.ndarray, codes: np.ndarray, known: int) -> Answers:
        plan = self.queue.plan
        proposed = np.minimum(plan.codes[places], known - 1)
        doubts = np.zeros(len(places)) if plan.doubts is None else plan.doubts[places]
        return Answers(plan.rows[places], codes, proposed, doubts)

    def _take(self, told: Answers) -> None:
        for mine, theirs in zip(self.log, told, strict=True):
            mine[self.count : self.count + len(theirs)] = theirs
        self.codes[told.rows] = told.codes
        self.count += len(told.rows)
        self.mistakes += int(told.wrong.sum())
        self.met += int(told.wrong.sum())

    def _forget(self, count: int) -> None:
        """Go back to where there were so many answers, and make the plan of that moment again."""
        while self.begun and self.begun[-1].told > count:
            self.begun.pop()
        last = self.begun.pop()
        since, undone = self.log.part(last.told, count), self.log.part(last.told, self.count)
        self.codes[undone.rows] = OPEN
        self.mistakes -= int(undone.wrong.sum())
        self.count, self.carry = last.told, last.carry
        self._plan(last.known)
        self._take(since)
