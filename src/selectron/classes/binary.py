"""Two classes: one vector w, and sign(m) is the predicted class.

All else is as the space has it.
"""

from typing import Any

from ..engine.parts import asker, space


def margin(s: Any, rows: Any, i: int) -> float:
    """<w, x>."""
    return space.inner(s, rows, i)


def extent(rows: Any, i: int) -> float:
    """<x, x>."""
    return space.length(rows, i)


def spread(s: Any, rows: Any, i: int) -> float:
    """Return q."""
    return space.form(s, rows, i)


def limit(s: Any, xx: float) -> float:
    """Return an upper bound of q."""
    return space.ceiling(s, xx)


def predicted(s: Any, m: float) -> int:
    """Return 1 if m >= 0, else 0: sign(0) = +1."""
    return 1 if m >= 0 else 0


def record_scores(s: Any, m: float, scale: float, scores: Any, i: int) -> None:
    """Record the margin."""
    scores[i, 0] = m


def truth(s: Any, scale: float, m: float, y: int) -> tuple[float, float]:
    """Return m and y as they are."""
    return m, y


def due(p: Any, s: Any, scale: float, m: float, y: int) -> bool:
    """Return whether the learner steps on this label."""
    return asker.trains(p, m, y)
