"""Two classes: one vector w, and sign(m) is the predicted class."""

from typing import Any

from ..engine.parts import asker, space
from ..engine.round import Life


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


def truth(s: Any, scale: float, m: float, y: int) -> tuple[float, float]:
    """Return m and y as they are."""
    return m, y


def due(p: Any, s: Any, scale: float, m: float, y: int) -> bool:
    """Return whether the learner steps on this label."""
    return asker.trains(p, m, y)


def needs_growth(s: Any, rows: Any, i: int) -> bool:
    """Return whether there is too little room for a step on row i."""
    return space.needs_growth(s, rows, i)


def age(s: Any, t: float) -> float:
    """Return the age of what leads the prediction."""
    return space.age(s, t)


def life(p: Any, s: Any, t: float, remaining: float) -> Life:
    """Return how long the concept may last."""
    return space.life(p, s, t, remaining)


def learn(
    p: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: float
) -> int:
    """Step; q is NaN if it has not been needed yet."""
    return space.learn(p, s, rows, i, scale, m, q, y, t)
