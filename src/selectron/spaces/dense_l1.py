"""Dense rows, first order, w in an L1 ball. A step costs some passes over w's and x's non-zeros."""

import math
from typing import Any

import numpy as np

from ..engine.arithmetic import dot
from ..engine.bind import allocating
from ..engine.round import Round
from .dense_first import Rows as Rows
from .dense_first import State as State
from .dense_first import at as at
from .dense_first import ceiling as ceiling
from .dense_first import ceiling_all as ceiling_all
from .dense_first import form as form
from .dense_first import inner as inner
from .dense_first import length as length
from .dense_first import rows as rows
from .dense_first import scaled as scaled
from .dense_first import score_all as score_all
from .dense_first import size as size
from .dense_first import start as start
from .dense_first import weights as weights
from .l1 import CONSTANT, Coordinates, nearest
from .scalars import BIAS, COUNT, SQUARE

order = 1
atomic = True


@allocating
def coordinates(s: Any, rows: Any, i: int, y: float, scale: float) -> Coordinates:
    """Return the constant, and all at which w or y x / scale is not 0."""
    room = 1 + len(s.w)
    c = Coordinates(np.empty(room, np.int64), np.empty(room), np.empty(room))
    c.of[0], c.w[0], c.z[0] = CONSTANT, s.scalars[BIAS], y * (rows.constant / scale)
    n = 1
    for j in range(len(s.w)):
        z = y * (rows.values[i, j] / scale)
        if s.w[j] != 0 or z != 0:
            c.of[n], c.w[n], c.z[n] = j, s.w[j], z
            n += 1
    return Coordinates(c.of[:n], c.w[:n], c.z[:n])


def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- the nearest point of the ball with margin 1, for x scaled; 2 if there is none."""
    if not math.isfinite(step.radius * step.radius * now.q):  # nor would all that follows be
        return 0
    c = coordinates(s, rows, i, now.y, scale)
    found = nearest(c, step.radius)
    s.scalars[BIAS] = found.v[0]
    for k in range(1, len(c.of)):
        s.w[c.of[k]] = found.v[k]
    s.scalars[SQUARE] = dot(found.v, found.v)
    s.scalars[COUNT] += 1
    return 1 if found.feasible else 2
