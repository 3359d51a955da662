"""Steps of the L1-constrained learner, compared with a conic solver per step."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import clarabel
import numpy as np
import scipy.sparse

from benchmarks.ratio import ratio
from selectron.askers import Always
from selectron.engine.round import UPDATED
from selectron.engine.rows import Sparse
from selectron.learners import L1Constrained
from selectron.model.model import Model

WIDTH, NON_ZEROS = 8_000, 60
BEFORE, STEPS = 1_500, 20  # rows learned first, so that w is what it is in mid-stream


class Problem(NamedTuple):
    """The problem of one step: the coordinates where w or the row is not 0, or all."""

    w: np.ndarray
    z: np.ndarray  # y x


def projections() -> Iterator[tuple[str, str, str]]:
    """Yield (name, ratio, absolute figures)."""
    X, y = documents(BEFORE + 100 * STEPS)
    for beta in (10.0, 30.0):
        ours, problems = same_steps(X, y, beta)
        for what, given in (
            ("all features", problems),
            ("active ones alone", [active(problem) for problem in problems]),
        ):
            found = ratio(ours, partial(solved, given, beta), pairs=5)
            yield (
                f"L1Constrained(beta={beta:g}), sparse d=8,000, a conic solver, {what} / a step",
                f"{1 / found.median:,.0f} ({1 / found.high:,.0f}-{1 / found.low:,.0f})",
                f"{found.ours / STEPS * 1e6:.1f} us and {found.theirs / STEPS * 1e3:.2f} ms a step",
            )


def documents(n: int) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return rows like those of text: Zipf's frequencies, rare words weigh more, unit norm."""
    random = np.random.default_rng(0)
    frequency = 1 / np.arange(1, WIDTH + 1)
    frequency /= frequency.sum()
    words = np.concatenate([random.choice(WIDTH, NON_ZEROS, False, frequency) for _ in range(n)])
    values = random.lognormal(0, 0.5, len(words)) * -np.log(frequency[words])
    X = scipy.sparse.csr_array((values, words, np.arange(n + 1) * NON_ZEROS), (n, WIDTH))
    X = X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]).tocsr()
    topic = np.where(random.random(WIDTH) < 0.1, random.standard_normal(WIDTH), 0.0)
    return X, np.where(X @ topic >= 0, 1, -1).astype(np.int8)


def same_steps(
    X: scipy.sparse.csr_array, y: np.ndarray, beta: float
) -> tuple[Callable[[], Any], list[Problem]]:
    """Return a pass of the loop over the rows that step in mid-stream, and these as problems."""
    model = Model(L1Constrained(beta), Always(), width=WIDTH, sparse=True, constant=False)
    model.learn(block(X[:BEFORE]), y[:BEFORE])
    begin, taken, problems = copied(model.state), [], []
    for i in range(BEFORE, len(y)):
        w = model.state.w[:WIDTH].copy()
        if model.learn(block(X[[i]]), y[[i]]).flags[0] & UPDATED:
            taken.append(i)
            problems.append(Problem(w, y[i] * X[[i]].toarray()[0]))
        if len(taken) == STEPS:
            break
    rows, labels = block(X[taken]), y[taken]

    def again() -> None:
        model.state = copied(begin)
        model.learn(rows, labels)

    return again, problems


def block(X: scipy.sparse.csr_array) -> Sparse:
    """Return rows as a model takes them."""
    return Sparse(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)


def copied(state: Any) -> Any:
    """Return a copy of the state."""
    return type(state)(*(array.copy() for array in state))


def active(problem: Problem) -> Problem:
    """Return the problem without the coordinates that are 0 before and after the step."""
    on = (problem.w != 0) | (problem.z != 0)
    return Problem(problem.w[on], problem.z[on])


def solved(problems: list[Problem], beta: float) -> list[np.ndarray]:
    """Solve every problem separately."""
    return [conic(*problem, beta) for problem in problems]


def conic(w: np.ndarray, z: np.ndarray, beta: float) -> np.ndarray:
    """Return the solution by clarabel with its own tolerances, over v and p >= |v|."""
    n = len(w)
    eye, none = scipy.sparse.identity(n), scipy.sparse.csc_matrix((1, n))
    margin = -scipy.sparse.csc_matrix(z[None])
    rows = [[margin, none], [none, np.ones((1, n))], [eye, -eye], [-eye, -eye]]
    options = clarabel.DefaultSettings()
    options.verbose = False
    solver = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix(scipy.sparse.diags(np.repeat([1.0, 0.0], n))),
        np.append(-w, np.zeros(n)),
        scipy.sparse.csc_matrix(scipy.sparse.block_array(rows)),
        np.append([-1.0, beta], np.zeros(2 * n)),
        [clarabel.NonnegativeConeT(2 * n + 2)],
        options,
    )
    return np.array(solver.solve().x[:n])
