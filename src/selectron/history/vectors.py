"""The vectors of every expert: its margin, its step, its prior.

The margin of expert k is <a, z> + <w, x>. z has the constant, if there is one, and coordinates of
the row, whose weights a have a matrix P. Where these leave something out, the features have weights
w, each with a variance of its own. The two parts of a margin are independent under the prior, and
later taken to be.

If there is a constant, it is sqrt(1 + v) for an expert that gives the rest of the margin, <u, x>
with u ~ N(w, P), the variance v. So the base rate is predicted where nothing else is known:

    p(+1) = Phi(b + <w, x> / sqrt(1 + v)) for the weight b of the constant, and noise of variance 1.

A constant of 1 would predict the less of it, the larger v: rows unlike the labelled ones would
all seem to be of a rare class.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

import numpy as np

from ..engine.arithmetic import dot
from ..engine.bind import StandIn
from ..engine.rows import DenseRows
from ..spaces.dense_second import State as Expert
from ..spaces.dense_second import quadratic_form, update
from ..spaces.state import ALL_OF, Field, Limits, Room, numbers, triangle
from .posterior import (
    ALIVE,
    ALL,
    COLUMNS,
    EXPERTS,
    KIND,
    KINDS,
    LABELS,
    LEADER,
    ORIGIN,
    SCALARS,
    START,
    start_experts,
)

PRIOR_VARIANCE = 3.0  # of the margin of a row, in the mean over rows, whatever their scale
CONSTANT_VARIANCE = PRIOR_VARIANCE / 2 / (1 + PRIOR_VARIANCE)  # so that its margin has half of it
NO_SCALARS = np.zeros(8)  # those of `dense_second`, of which `quadratic_form` reads eps = 0


class Features(Protocol):
    """What `dense` and `sparse` know of the features that have weights in w."""

    @staticmethod
    def span(s: Any, rows: Any, i: int) -> tuple[int, int]:
        """Return the places where the features of row i begin and end, without the constant."""

    @staticmethod
    def feature(s: Any, rows: Any, j: int) -> tuple[int, float]:
        """Return the index and the value of the feature in place j."""

    @staticmethod
    def own_variance(s: Any, kind: int) -> float:
        """Return the variance under a prior of a weight in w whose feature was always 0."""

    @staticmethod
    def ratio(s: Any, kind: int, at: int) -> float:
        """Return the variance of weight `at` in w under a prior, over that: 1 by default."""
        return 1.0


features = cast(type[Features], StandIn("space", Features))


def ensemble(
    coordinates: Callable[[Room], int], width: Callable[[Room], int], kinds: int = KINDS
) -> dict[str, Field]:
    """Return the fields of an ensemble, given the lengths of z and w, and the number of priors."""
    return {
        "a": Field(lambda r: (ALL, coordinates(r)), power=1),
        "triangle": Field(lambda r: (ALL, triangle(coordinates(r)))),  # P, as in `dense_second`
        "g": Field(lambda r: (ALL, coordinates(r))),  # P z of the last row
        "w": Field(lambda r: (ALL, width(r)), power=1),
        "p": Field(lambda r: (ALL, width(r))),  # the variance of every weight
        "prior": Field(lambda r: (ALL,)),  # and of one whose feature was always 0
        # see `posterior`
        "experts": Field(
            lambda r: (ALL, COLUMNS),
            fill=partial(start_experts, kinds=kinds),
            limits=(Limits(KIND, kinds - 1), Limits(ORIGIN, ALL - 1, -1), Limits(ALIVE, 1)),
        ),
        "scalars": numbers(SCALARS, {}, START, (Limits(LABELS), Limits(LEADER, EXPERTS - 1))),
        "predictions": Field(lambda r: (ALL + 1, 3)),  # of the last row: m, q, belief; q of all
        "priors": Field(lambda r: (kinds, triangle(coordinates(r))), shared=True),  # of a
        "z": Field(lambda r: (1, coordinates(r)), shared=True),  # of the last row
    }


def center_fields(coordinates: Callable[[Room], int]) -> dict[str, Field]:
    """Return the fields of `discriminant`, given the length of z."""
    return {
        "centers": Field(lambda r: (2, coordinates(r))),
        "center_counts": Field(lambda r: (3,), limits=(Limits(ALL_OF, whole=False),)),
        "within": Field(lambda r: (triangle(coordinates(r)),), shared=True),  # M
        "degrees": Field(lambda r: (2,), shared=True, limits=(Limits(ALL_OF, whole=False),)),
        "deviation": Field(lambda r: (2, coordinates(r)), shared=True),
    }


def margin_of(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
    """Return the margin and the quadratic form of expert k for row i; leave P z in s.g[k]."""
    own = Expert(s.a[k], s.triangle[k], s.g[k], NO_SCALARS)
    m, q, rest = dot(s.a[k], s.z[0]), quadratic_form(own, DenseRows(s.z, 0.0, ()), 0), 0.0
    first, end = features.span(s, rows, i)
    for j in range(first, end):
        at, x = features.feature(s, rows, j)
        m += s.w[k, at] * x
        rest += s.p[k, at] * x * x
    if rows.constant > 0:
        more = raise_constant(s.triangle[k], s.g[k], q, rest, s.z[0, 0])
        m += more * s.a[k, 0]
        q += more * (2 * s.g[k, 0] - more * s.triangle[k, 0])
    return m, q + rest


def raise_constant(triangle: Any, g: Any, q: float, more_rest: float, constant: float) -> float:
    """Add to g what P z gains if the constant is sqrt(1 + v); return the constant's growth."""
    rest = q - constant * (2 * g[0] - constant * triangle[0]) + more_rest
    more, at = math.sqrt(1 + max(0.0, rest)) - constant, 0
    for j in range(len(g)):
        g[j] += more * triangle[at]
        at += j + 1
    return more


def step_expert(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
    """w <- w + eta g, P <- P - nu g g' with g = P x, of w the diagonal; return whether finite."""
    add(s.a[k], s.g[k], eta)
    update(s.triangle[k], s.g[k], 0.0, 1.0, 1.0, nu)
    total = dot(s.a[k], s.a[k]) + nu * dot(s.g[k], s.g[k])
    first, end = features.span(s, rows, i)
    for j in range(first, end):
        at, x = features.feature(s, rows, j)
        g = s.p[k, at] * x
        s.w[k, at] += eta * g
        s.p[k, at] -= nu * g * g
        total += abs(s.w[k, at]) + abs(s.p[k, at])
    return math.isfinite(total)


def add(z: Any, row: Any, x: float) -> None:
    """z <- z + x row."""
    for k in range(len(z)):
        z[k] += x * row[k]


def reset_to_prior(s: Any, k: int, kind: int) -> None:
    """Set expert k to a prior."""
    s.prior[k] = features.own_variance(s, kind)
    s.a[k, :], s.w[k, :] = 0.0, 0.0
    copy(s.priors[kind], s.triangle[k])
    for j in range(s.p.shape[1]):
        s.p[k, j] = s.prior[k] * features.ratio(s, kind, j)


def discount(s: Any, k: int, by: float) -> None:
    """w <- by w, P <- by^2 P + (1 - by^2) prior."""
    kind, square = int(s.experts[k, KIND]), by * by
    prior, own = s.priors[kind], features.own_variance(s, kind)
    s.prior[k] = square * s.prior[k] + (1 - square) * own
    for j in range(s.a.shape[1]):
        s.a[k, j] *= by
    for j in range(len(prior)):
        s.triangle[k, j] = square * s.triangle[k, j] + (1 - square) * prior[j]
    for j in range(s.w.shape[1]):
        s.w[k, j] *= by
        s.p[k, j] = square * s.p[k, j] + (1 - square) * own * features.ratio(s, kind, j)


def copy_from(s: Any, k: int, other: int) -> None:
    """Copy w, P, the kind of prior and the last prediction of another expert to expert k."""
    for array in (s.predictions, s.a, s.triangle, s.w, s.p):
        copy(array[other], array[k])
    s.prior[k], s.experts[k, KIND] = s.prior[other], s.experts[other, KIND]


def copy(source: Any, target: Any) -> None:
    """Copy the numbers of an array to another."""
    for j in range(len(target)):
        target[j] = source[j]
