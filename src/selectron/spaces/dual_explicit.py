"""Second order on sparse rows without a kernel: P in dual form, and w written out beside it.

A margin is then one sparse product, and only a q that is needed costs inner products with all
stored examples.
"""

from typing import Any

import numpy as np

from ..engine.arithmetic import sparse_dot
from ..engine.bind import apart
from ..engine.parts import space, storage
from ..engine.round import Round, Shape
from . import dual_second, support_sparse
from .dual_second import ceiling as ceiling
from .dual_second import largest as largest
from .dual_second import last_row, quadratic, reshaped, shortened
from .dual_second import needs_growth as needs_growth
from .dual_second import opposite as opposite
from .dual_second import rescale as rescale
from .dual_second import shrunk as shrunk
from .dual_second import still as still
from .scalars import HELD

add = support_sparse.add

order = 2
FIELDS = ("w", *dual_second.OF_P)


def size(width: int, capacity: int) -> int:
    """Return the bytes of what is kept beside so many examples."""
    return 8 * width + dual_second.size(width, capacity)


def start(width: int, capacity: int, shape: Shape, scalars: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the arrays before the first round."""
    return np.zeros(width), *dual_second.start_of_p(capacity, shape, scalars)


def resized(s: Any, width: int, capacity: int) -> tuple[np.ndarray, ...]:
    """Return the arrays with room for so many examples."""
    w = np.zeros(width)
    w[: len(s.w)] = s.w
    return w, *dual_second.resized_p(s, capacity)


def scaled(s: Any, by: float) -> dict[str, np.ndarray]:
    """Return what changes where w is multiplied."""
    return {"w": by * s.w}


def sound(s: Any, held: int) -> bool:
    """Are these numbers that a step can go on from?"""
    return bool(np.isfinite(s.w).all()) and dual_second.sound_p(s, held)


def at(s: Any, k: int) -> Any:
    """What a stack keeps of class k."""
    own = (s.w[k], s.triangle[k], s.c[k], s.kappa[k], s.a[k], s.scalars[k])
    return space.State(*(storage.stored(s, k) + own))


def inner(s: Any, rows: Any, i: int) -> float:
    """<w, x>."""
    return sparse_dot(s.w, rows.indices, rows.values, rows.indptr[i], rows.indptr[i + 1])


def form(s: Any, rows: Any, i: int) -> float:
    """q, with the kernel's values left in s.kappa."""
    storage.fill(s, rows, i)
    return quadratic(s, storage.length(rows, i))


@apart
def move(s: Any, rows: Any, i: int, scale: float, now: Round, step: Any) -> int:
    """w <- w + eta g and P <- mu (P + eps I) - nu g g', for x scaled, after `form`."""
    n = int(s.scalars[HELD])
    step = shortened(s, rows, i, scale, now, step)
    if not reshaped(s, rows, i, scale, now, step):
        return False
    if s.scalars[HELD] > n:
        begin, end = last_row(s)
        g = s.triangle[begin:end]
        for j in range(len(g)):
            add(s.w, s, j, step.eta * g[j])
    return True
