"""Sparse rows, first order: w = factor * v, so that a step, shrinking too, costs O(non-zeros)."""

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.arithmetic import span_square, sparse_dot
from ..engine.round import Round, Shape
from ..engine.rows import Sparse, readonly
from .scalars import BIAS, COUNT, FACTOR, LENGTH, SQUARE

order = 1
atomic = True

# The factor is multiplied into v when it leaves this range. That costs O(d), but only once in a
# hundred steps even where each of them halves w.
LOWEST, HIGHEST = 1e-30, 1e30


class State(NamedTuple):
    """All that is learned."""

    v: np.ndarray  # (d,), without the constant's weight
    scalars: np.ndarray


class Rows(NamedTuple):
    """A block as the loop takes it; unsigned, since each signed index costs a comparison."""

    indptr: np.ndarray  # uint64
    indices: np.ndarray  # uint32
    values: np.ndarray
    constant: float  # 1.0 or 0.0


def rows(block: Sparse, constant: bool) -> Rows:
    """Return the block as the loop takes it."""
    indptr, indices = block.indptr.view(np.uint64), block.indices.view(np.uint32)
    return Rows(readonly(indptr), readonly(indices), readonly(block.values), float(constant))


def size(width: int) -> int:
    """Return the bytes that the state takes."""
    return 8 * width


def start(width: int, shape: Shape | None) -> State:
    """Return the state before the first round."""
    state = State(np.zeros(width - 1), np.zeros(LENGTH))
    state.scalars[FACTOR] = 1.0
    return state


def widen(s: State, width: int) -> State:
    """Return the state with zero weights for the new features."""
    return s._replace(v=np.concatenate([s.v, np.zeros(width - 1 - len(s.v))]))


def weights(s: State) -> np.ndarray:
    """Return w, the constant's weight first."""
    return np.concatenate([s.scalars[[BIAS]], s.scalars[FACTOR] * s.v])


def scaled(state: State, by: float) -> State:
    """Return a copy in which w is multiplied."""
    numbers = state.scalars.copy()
    numbers[[BIAS, FACTOR]] *= by
    numbers[SQUARE] *= by * by
    return State(state.v.copy(), numbers)


def at(s: Any, k: int) -> Any:
    """What a stack keeps of class k."""
    return State(s.v[k], s.scalars[k])


def inner(s: Any, rows: Any, i: int) -> float:
    """<w, x>."""
    total = sparse_dot(s.v, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])
    return s.scalars[FACTOR] * total + s.scalars[BIAS] * rows.constant


def score_all(s: Any, rows: Any, i: int) -> None:
    """<w_k, x> for every class k of a stack, without taking each state out of it."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    for k in range(len(s.scores)):
        total = 0.0
        for j in range(begin, end):
            total += s.v[k, rows.indices[j]] * rows.values[j]
        s.scores[k] = s.scalars[k, FACTOR] * total + s.scalars[k, BIAS] * rows.constant


def ceiling_all(s: Any, xx: float) -> float:
    """q itself, for every class."""
    return xx


def length(rows: Any, i: int) -> float:
    """<x, x>."""
    total = span_square(rows.values, rows.indptr[i], rows.indptr[i + 1])
    return total + rows.constant * rows.constant


def form(s: Any, rows: Any, i: int) -> float:
    """q = <x, x>."""
    return length(rows, i)


def ceiling(s: Any, xx: float) -> float:
    """q itself."""
    return xx


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- keep w + eta x, for x scaled; |keep w + eta x|^2 needs no pass over w."""
    keep, eta = step.keep, step.eta
    after = keep * (keep * now.ww + 2 * eta * now.m) + eta * (eta * now.q)
    if not math.isfinite(after):
        return False
    factor = s.scalars[FACTOR] * step.keep
    if not LOWEST < abs(factor) < HIGHEST:
        fold(s.v, factor)
        factor = 1.0
    add(s.v, step.eta / factor, rows, i, scale)
    s.scalars[FACTOR] = factor
    s.scalars[BIAS] = step.keep * s.scalars[BIAS] + step.eta * (rows.constant / scale)
    s.scalars[SQUARE] = abs(after)  # rounding may leave a zero below zero
    s.scalars[COUNT] += 1
    return True


def add(v: np.ndarray, eta: float, rows: Any, i: int, scale: float) -> None:
    """v <- v + eta x / scale."""
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        v[rows.indices[j]] += eta * (rows.values[j] / scale)


def fold(v: np.ndarray, factor: float) -> None:
    """v <- factor * v."""
    for j in range(len(v)):
        v[j] *= factor
