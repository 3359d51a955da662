"""Second order with the diagonal of P alone, as a space to compare with: dense or sparse rows."""

import math
from types import ModuleType
from typing import Any

import numpy as np

from selectron.askers import Always
from selectron.engine.bind import variant
from selectron.engine.parts import Learner, declared
from selectron.model import compose
from selectron.model.model import Model
from selectron.spaces import dense_second, sparse_second
from selectron.spaces.dense_second import SCALARS, rescale_bounds
from selectron.spaces.state import COUNT, LARGEST, NOISE, Field, Table


def fill(p: np.ndarray, shape: Any) -> None:
    """Start with P = shape.scale I."""
    p[:] = shape.scale


TABLE = Table(
    {
        "w": Field(lambda r: (r.width,), power=1),
        "p": Field(lambda r: (r.width,), fill=fill),
        "g": Field(lambda r: (r.width,)),
        "scalars": SCALARS,
    }
)


def form(s: Any, rows: Any, i: int) -> float:
    """Return q."""
    x, total = rows.values[i], 0.0
    for j in range(len(x)):
        total += (s.p[j] + s.scalars[NOISE]) * x[j] * x[j]
    return total


def move(s: Any, rows: Any, i: int, scale: float, now: Any, step: Any) -> int:
    """w <- w + eta g, and the diagonal of P <- mu (P + eps I) - nu g g'."""
    x, eps = rows.values[i], s.scalars[NOISE]
    for j in range(len(x)):
        g = (s.p[j] + eps) * x[j] / scale
        s.w[j] += step.eta * g
        s.p[j] = step.mu * (s.p[j] + eps) - step.nu * g * g
    return grown(s, now, step)


def grown(s: Any, now: Any, step: Any) -> int:
    """Count a step, with the bound of P after it."""
    s.scalars[LARGEST] = step.mu * (s.scalars[LARGEST] + s.scalars[NOISE])
    s.scalars[COUNT] += 1
    return math.isfinite(step.eta)


def rescale(s: Any, by: float) -> None:
    """P <- by P."""
    rescale_bounds(s, by)
    for j in range(len(s.p)):
        s.p[j] *= by


def sparse_form(s: Any, rows: Any, i: int) -> float:
    """Return q."""
    total = 0.0
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        total += (s.p[rows.indices[j]] + s.scalars[NOISE]) * rows.values[j] * rows.values[j]
    return total


def sparse_move(s: Any, rows: Any, i: int, scale: float, now: Any, step: Any) -> int:
    """Step as `move` does, for a learner without eps and with mu = 1."""
    for j in range(rows.indptr[i], rows.indptr[i + 1]):
        k = rows.indices[j]
        g = s.p[k] * rows.values[j] / scale
        s.w[k] += step.eta * g
        s.p[k] -= step.nu * g * g
    return grown(s, now, step)


STATE = {"State": TABLE.State, "at": TABLE.at, "start": TABLE.start, "size": TABLE.size}
STATE["rescale"] = rescale
dense = variant("dense_diagonal", dense_second, form=form, move=move, **STATE)
sparse = variant("sparse_diagonal", sparse_second, form=sparse_form, move=sparse_move, **STATE)


class Diagonal(Model):
    """A model that keeps the diagonal of P; on sparse rows for learners without eps and mu."""

    def equip(self) -> None:
        super().equip()
        one: ModuleType = sparse if self.sparse else dense
        many = self.many or "joint"
        self.space = compose.stack(one, compose.REDUCTIONS[many]) if self.stacked else one
        self.loop = compose.loop(type(self.learner), Always, self.space)
        shape = declared(self.learner, Learner, "shape")(self.learner)
        assert shape is not None, "a learner of second order"
        assert not (self.sparse and shape.noise), "no eps on sparse rows"
