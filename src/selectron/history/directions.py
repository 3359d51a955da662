"""The leading directions of sparse rows, from the moments of all rows, labelled or not.

They are eigenvectors of the covariance of a few features: the `CHOSEN` with the largest sums of
squares so far. After 32, 64, 128 rows and so on, directions are found from the rows since the time
before, and features are chosen again: so results do not depend on how a stream is cut.

The prior of an expert divides the variance of a margin, PRIOR_VARIANCE, between directions and
features: the directions have PARTS of it, times n / (n + TRUSTED) after n rows. The variances of
weights are in proportion to the eigenvalues of directions, since those in which rows differ much
count for more, and equal for all features.
"""

import math
from typing import Any

import numpy as np

from ..engine.round import SHORTEST
from ..spaces.state import Field, Room, Table, triangle
from . import renewal
from .experts import PRIOR_VARIANCE, SHARED
from .posterior import ALIVE, ALL, KIND, KINDS, LABELS
from .renewal import converted, matrices, of_rows, triangles, with_rows_of
from .state import CONSTANT, RENEWED, SEEN

LEADING, CHOSEN = 32, 768  # directions, and features that they are of, at most
PARTS = np.array([0.001, 0.5, 0.75, 0.9])  # of the variance, by kind of prior
TRUSTED = 100.0  # rows after which directions have half of their part
FEWEST = 32  # rows before features are first chosen
SINGULAR = 1e-9  # eigenvalues below this part of the mean square of rows are rounding
SQUARES = 4  # place in `rows_seen`, after those of dense rows
OF_ROWS = "rows_seen", "squares", "sums", "moments", "chosen", "place"


def n_chosen(r: Room) -> int:
    """Return the number of features that may be chosen."""
    return min(CHOSEN, r.width)


def filled(number: float) -> Any:
    """Return how to fill an array with a number."""
    return lambda array, shape: array.fill(number)


TABLE = Table(
    {
        "w": Field(lambda r: (ALL, r.width), power=1),
        "p": Field(lambda r: (ALL, r.width)),  # the variance of every weight
        "a": Field(lambda r: (ALL, LEADING), power=1),
        "triangle": Field(lambda r: (ALL, triangle(LEADING))),  # P of a
        "g": Field(lambda r: (ALL, LEADING)),  # P z of the last row
        **SHARED,
        "prior": Field(lambda r: (ALL,)),  # variance of a weight whose feature was always 0
        # variances of a, and the part that features have
        "priors": Field(lambda r: (KINDS, LEADING), fill=filled(1.0), shared=True),
        "rests": Field(lambda r: (KINDS,), fill=filled(1.0), shared=True),
        "rows_seen": Field(lambda r: (5,), shared=True),
        # of every feature, the sum of squares; of those chosen, sums and products since then
        "squares": Field(lambda r: (r.width,), shared=True),
        "sums": Field(lambda r: (n_chosen(r),), shared=True),
        "moments": Field(lambda r: (triangle(n_chosen(r)),), shared=True),
        # the feature in each slot, and the slot of each feature: both from 1 on, 0 for none
        "chosen": Field(lambda r: (n_chosen(r),), dtype=np.int32, shared=True),
        "place": Field(lambda r: (r.width,), dtype=np.int32, shared=True),
        # z = basis' x - offset, which is that of the mean
        "basis": Field(lambda r: (n_chosen(r), LEADING), shared=True),
        "offset": Field(lambda r: (LEADING,), shared=True),
        "z": Field(lambda r: (1, LEADING), shared=True),  # of the last row
        "status": Field(lambda r: (1,), shared=True),  # a number that is finite if the row is
    }
)


def sound(s: Any) -> bool:
    """Return whether the places that compiled code reads are in range, in a state from a file."""
    width, slots = s.place.shape[-1], s.chosen.shape[-1]
    of_features = (s.place >= 0).all() and (s.place <= slots).all()
    return bool(of_features and (s.chosen >= 0).all() and (s.chosen <= width).all())


def rest_variance(s: Any, kind: int) -> float:
    """Return the variance of the weight of a feature under a prior."""
    mean_square = s.rows_seen[SQUARES] / max(1.0, s.rows_seen[SEEN])
    return s.rests[kind] * PRIOR_VARIANCE / (mean_square if mean_square >= SHORTEST else 1.0)


def rows_left(s: Any, t: int) -> int:
    """Return the rows before the next renewal, 0 if it is due before round t."""
    return max(0, FEWEST - int(s.rows_seen[SEEN])) or renewal.rows_left(s, t)


def renewed(states: list[Any]) -> list[Any]:
    """Return copies of the states of all classes, renewed by the moments of rows."""
    s = states[0]
    known = s._replace(**of_rows(s, TABLE))
    find_directions(known)
    choose_features(known)
    known.rows_seen[RENEWED] = s.rows_seen[SEEN]
    return [brought(state, known) for state in states]


def find_directions(s: Any) -> None:
    """Set the directions, and the priors along them, from the moments of the chosen features."""
    # in directions that are not used z is 0, so that any prior does
    s.basis[:], s.offset[:], s.priors[:], s.rests[:] = 0.0, 0.0, 1.0, 1.0
    n, lower = s.rows_seen[SEEN], np.tri(len(s.chosen), dtype=bool)
    count, C = n - s.rows_seen[RENEWED], np.zeros(lower.shape)
    C[lower] = s.moments / count
    usual = max(np.trace(C), SHORTEST)
    unit = 2.0 ** (math.frexp(usual)[1] - 1)  # so that no square of a variance overflows
    C /= unit
    mean = s.sums / count * s.rows_seen[CONSTANT]  # 0 without a constant
    scaled = mean / math.sqrt(unit)
    values, vectors = largest(C - np.outer(scaled, scaled), np.diag(C))
    if len(values):
        s.basis[:, : len(values)], s.offset[: len(values)] = vectors, mean @ vectors
        parts, own = PARTS * n / (n + TRUSTED), PRIOR_VARIANCE * values / (values @ values) / unit
        s.rests[:], s.priors[:, : len(values)] = 1 - parts, np.outer(parts, own)


def largest(C: np.ndarray, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues of C, of which the lower half is read, and eigenvectors.

    `squares` are the mean squares of features. Eigenvalues that are 0 but for rounding are left
    out.
    """
    from scipy.linalg import eigh  # it takes 0.2 s to import

    used = np.flatnonzero(squares)
    d = len(used)
    if d == 0:
        return np.zeros(0), np.zeros((len(C), 0))
    # scipy.sparse.linalg.eigsh is faster, but its rounding depends on earlier calls; and the usual
    # driver, evr, fails where many eigenvalues are equal, as of words that occur once each
    own, wanted = C[np.ix_(used, used)], (max(0, d - LEADING), d - 1)
    try:
        values, found = eigh(own, lower=True, subset_by_index=wanted, driver="evx")
    except np.linalg.LinAlgError:
        values, found = (part[..., -LEADING:] for part in np.linalg.eigh(own))
    order = np.flatnonzero(values > SINGULAR * squares.sum())[::-1]
    vectors = np.zeros((len(C), len(order)))
    vectors[used] = found[:, order]
    return values[order], vectors


def choose_features(s: Any) -> None:
    """Choose the features with the largest sums of squares, and begin with their moments."""
    order = np.argsort(-s.squares, kind="stable")[: len(s.chosen)]
    wanted = np.sort(order[s.squares[order] > 0])
    stay, basis = s.place[wanted] > 0, np.zeros(s.basis.shape)
    basis[: len(wanted)][stay] = s.basis[s.place[wanted[stay]] - 1]
    s.basis[:], s.sums[:], s.moments[:], s.chosen[:], s.place[:] = basis, 0.0, 0.0, 0, 0
    s.chosen[: len(wanted)], s.place[wanted] = wanted + 1, np.arange(len(wanted)) + 1


def brought(s: Any, known: Any) -> Any:
    """Return a copy of a state that knows what another knows of rows, its experts converted."""
    new = with_rows_of(known, s, TABLE)
    if s.scalars[LABELS] > 0:
        convert(s, new)
    return new


def convert(s: Any, new: Any) -> None:
    """Convert what experts learned to new directions; the features' weights take the rest."""
    both = np.flatnonzero((s.place > 0) & (new.place > 0))
    A = new.basis[new.place[both] - 1].T @ s.basis[s.place[both] - 1]
    for k in np.flatnonzero(s.experts[:, ALIVE]).tolist():
        kind = int(s.experts[k, KIND])
        before, after = s.priors[kind], new.priors[kind]
        with np.errstate(all="ignore"):  # as of rows at the limits of floating point
            precisions = np.diag(1 / before), A, np.diag(1 / after)
            learned = matrices(s.triangle[k]), s.a[k], *precisions
            new.a[k], new.triangle[k] = converted(*learned, triangles(np.diag(after)))
        new.w[k] += as_weights(s, k) - as_weights(new, k)


def as_weights(s: Any, k: int) -> np.ndarray:
    """Return the weights of features that stand for those of the directions."""
    found, known = np.zeros(s.w.shape[1]), s.chosen > 0
    found[s.chosen[known] - 1] = s.basis[known] @ s.a[k]
    found[0] -= s.offset @ s.a[k]  # which is 0 without a constant
    return found


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, under each expert's prior."""
    wide = TABLE.resized(s, Room(width))
    wide.p[:, s.p.shape[1] :] = s.prior[:, None]
    return wide
