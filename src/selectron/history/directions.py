"""What sparse rows imply, labelled or not: means and units of features, and leading directions.

Features that are 0 in most rows have a mean of 0, so that rows stay sparse. The others, such as
measurements, are taken about their means, if there is a constant that makes up for them. The unit
of a feature is the root of the mean square of its values, without those that are 0.

Numbers and categories next to words have large units, and few of them would hide all words. So for
directions, a feature whose unit is over twice the usual one is scaled down, until its sum of
squares is `LIMIT` times the usual one at most. What is usual is the geometric mean over all values
that are not 0, but for those of features that vary hardly at all.

Directions are eigenvectors of the covariance of a few features, scaled so: the `CHOSEN` with the
largest sums of squares so far. Of features that have a mean, which may be neighbours in a curve or
a picture and nearly the same, they are drawn in proportion to these sums: the largest might all be
at one end. After 32, 64, 128 rows and so on, directions are found from the rows
since the time before, and features are chosen again: so results do not depend on how a stream is
cut.

The prior of an expert divides the variance of a margin, PRIOR_VARIANCE, between directions and
features: the directions have PARTS of it, times n / (n + TRUSTED) after n rows. The variances of
weights are in proportion to the eigenvalues of directions, since those in which rows differ much
count for more. Those of features are equal as features are scaled where directions have much, as
they are under the first prior, and in proportion to 1 / unit^2 under the last.
"""

import math
from typing import Any

import numpy as np

from ..engine.round import SHORTEST
from ..spaces.state import ALL_OF, Field, Limits, Room, Table, triangle
from . import renewal
from .conversion import convert, inverses, triangles
from .discriminant import bring_centers
from .posterior import ALIVE, KIND, KINDS, LABELS
from .state import CONSTANT, OF_SEEN, RENEWED, SEEN
from .vectors import CONSTANT_VARIANCE, PRIOR_VARIANCE, center_fields, ensemble

LEADING, CHOSEN = 32, 768  # directions, and features that they are of, at most
PARTS = np.array([0.001, 0.6, 0.9, 0.001])  # of the variance, by kind of prior
TRUSTED = 100.0  # rows after which directions have half of their part
FEWEST = 32  # rows before features are first chosen
SINGULAR = 1e-9  # eigenvalues below this part of the mean square of rows are rounding
LIMIT = 4.0  # times the usual square of a unit, and the usual sum of squares
HARDLY = 1e-3  # of the mean square, in logarithms and weighted by squares: less is not usual
# Places in `rows_seen`, after those of dense rows: sums of squares, those about the means, and
# those of features that are scaled; the unit of z; the number of features that have a mean
SQUARES, ABOUT, SCALED, UNIT, COMMON = range(4, 9)
OWN_UNITS = 3  # the kind of prior under which weights vary as 1 / unit does
# Of each kind of prior, the place in `ratios`, and the place of squares in `rows_seen`
EVEN, REDUCED, OWN = range(3)
RATIO, SQUARES_OF = (
    np.array([EVEN, REDUCED, REDUCED, OWN]),
    np.array([ABOUT, SCALED, SCALED, ABOUT]),
)
ROUNDING = 1e-13  # mean squares about the mean below this part of those about 0 are rounding
NO_UNIT = 1e-100  # part of all squares below which a feature has no unit of its own
OF_ROWS = "rows_seen", "squares", "totals", "counts", "sums", "moments", "chosen", "place"


def n_chosen(r: Room) -> int:
    """Return the number of features that may be chosen."""
    return min(CHOSEN, r.width)


def width_of(s: Any) -> int:
    """Return the number of features."""
    return len(s.place)


TABLE = Table(
    {
        **ensemble(lambda r: LEADING + 1, lambda r: r.width),
        "rests": Field(lambda r: (KINDS,), shared=True),  # the part that features have
        "rows_seen": Field(
            lambda r: (9,), shared=True, limits=(*OF_SEEN, Limits(COMMON, width_of))
        ),
        # of every feature, the sums of squares and of values, and how many were not 0; see below:
        # the mean, and the variance of its weight over that of a new one: 1, the square of the
        # factor by which it is scaled, and that in its own unit
        "squares": Field(lambda r: (r.width,), shared=True),
        "totals": Field(lambda r: (r.width,), shared=True),
        "counts": Field(lambda r: (r.width,), shared=True, limits=(Limits(ALL_OF),)),
        "means": Field(lambda r: (r.width,), shared=True),
        "ratios": Field(lambda r: (3, r.width), shared=True),
        # the features that have a mean, and the slot of each, from 1 on; 0 for others
        "centered": Field(
            lambda r: (r.width,),
            dtype=np.int32,
            shared=True,
            limits=(Limits(ALL_OF, lambda s: width_of(s) - 1),),
        ),
        "slots": Field(lambda r: (r.width,), dtype=np.int32, shared=True),
        # the last row about the means: features, first those that have one, and values
        "entries": Field(lambda r: (r.width,), dtype=np.int32, shared=True),
        "row": Field(lambda r: (r.width,), shared=True),
        # of those chosen, sums and products since then, about the means
        "sums": Field(lambda r: (n_chosen(r),), shared=True),
        "moments": Field(lambda r: (triangle(n_chosen(r)),), shared=True),
        # the feature in each slot, and the slot of each feature: both from 1 on, 0 for none
        "chosen": Field(
            lambda r: (n_chosen(r),),
            dtype=np.int32,
            shared=True,
            limits=(Limits(ALL_OF, width_of),),
        ),
        "place": Field(
            lambda r: (r.width,),
            dtype=np.int32,
            shared=True,
            limits=(Limits(ALL_OF, lambda s: len(s.chosen)),),
        ),
        # z = basis' x - offset, which is that of the mean; before it, the constant. The unit of z
        # is a power of two near the length of rows, so that their scale changes no rounding
        "basis": Field(lambda r: (n_chosen(r), LEADING), shared=True),
        "offset": Field(lambda r: (LEADING,), shared=True),
        "status": Field(lambda r: (2,), shared=True),  # finite if the row is; entries of `row`
        **center_fields(lambda r: LEADING + 1),
    }
)


def sound(s: Any) -> bool:
    """Return whether the places that compiled code reads are in range, in a state from a file."""
    if not TABLE.sound(s):
        return False
    n = s.rows_seen[COMMON]
    slots, centered = np.zeros_like(s.slots), s.centered[: int(n)]
    slots[centered] = np.arange(len(centered)) + 1
    return bool((slots == s.slots).all() and np.count_nonzero(slots) == n)


def own_variance(s: Any, kind: int) -> float:
    """Return the variance of the weight of a new feature under a prior."""
    mean_square = s.rows_seen[SQUARES_OF[kind]] / max(1.0, s.rows_seen[SEEN])
    return s.rests[kind] * PRIOR_VARIANCE / (mean_square if mean_square >= SHORTEST else 1.0)


def rows_left(s: Any, t: int) -> int:
    """Return the rows before the next renewal, 0 if it is due before round t."""
    return max(0, FEWEST - int(s.rows_seen[SEEN])) or renewal.rows_left(s, t)


def renew(states: list[Any], copies: list[Any]) -> None:
    """Renew copies of the states of all classes by the moments of rows."""
    known = copies[0]
    find_units(known)
    find_directions(known, states[0].means - known.means)
    choose_features(known)
    known.rows_seen[RENEWED] = known.rows_seen[SEEN]
    bring(states, copies)


def find_directions(s: Any, moved: np.ndarray) -> None:
    """Set the directions, and the priors along them, from the moments of the chosen features.

    `moved` is what their values about the means have grown by since these moments.
    """
    s.basis[:], s.offset[:] = 0.0, 0.0
    n, lower = s.rows_seen[SEEN], np.tri(len(s.chosen), dtype=bool)
    count, C = n - s.rows_seen[RENEWED], np.zeros(lower.shape)
    factors = np.sqrt(s.ratios[REDUCED, s.chosen - 1])  # where none is chosen, sums are 0
    C[lower] = s.moments / count
    C *= np.outer(factors, factors)
    usual = max(np.trace(C), SHORTEST)
    s.rows_seen[UNIT] = unit = 2.0 ** ((math.frexp(usual)[1] - 1) // 2)
    C /= unit**2
    mean = s.sums / count * s.rows_seen[CONSTANT]  # 0 without a constant
    scaled = mean * factors / unit
    values, vectors = largest(C - np.outer(scaled, scaled), np.diag(C))
    own = PRIOR_VARIANCE * values / (values @ values) if len(values) else values
    s.basis[:, : len(values)] = vectors * factors[:, None] / unit
    centered = mean + np.where(s.chosen > 0, moved[s.chosen - 1], 0.0)
    s.offset[: len(values)] = centered @ s.basis[:, : len(values)]
    parts = PARTS * n / (n + TRUSTED) if len(values) else np.zeros(KINDS)
    s.priors[:], s.rests[:] = triangles(priors(parts, own)), 1 - parts


def priors(parts: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return the covariances of a under each prior, given the variances for a part of 1.

    In directions that are not used, z is 0, so that any variance does.
    """
    found = np.zeros((KINDS, LEADING + 1, LEADING + 1))
    found[:] = np.diag([CONSTANT_VARIANCE] + [1.0] * LEADING)
    used = np.arange(1, len(own) + 1)
    found[:, used, used] = np.outer(parts, own)
    return found


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
    """Choose features by their sums of squares about the means, and begin with their moments."""
    squares, random = squares_about_means(s), np.random.default_rng(0)
    drawn = squares / np.where(common(s), random.standard_exponential(len(squares)), 1.0)
    order = np.argsort(-drawn, kind="stable")[: len(s.chosen)]
    wanted = np.sort(order[squares[order] > 0])
    stay, basis = s.place[wanted] > 0, np.zeros(s.basis.shape)
    basis[: len(wanted)][stay] = s.basis[s.place[wanted[stay]] - 1]
    s.basis[:], s.sums[:], s.moments[:], s.chosen[:], s.place[:] = basis, 0.0, 0.0, 0, 0
    s.chosen[: len(wanted)], s.place[wanted] = wanted + 1, np.arange(len(wanted)) + 1


def bring(olds: list[Any], news: list[Any]) -> None:
    """Convert the experts of all classes to the directions and priors of new states."""
    known, new_known = olds[0], news[0]
    both = np.flatnonzero((known.place > 0) & (new_known.place > 0))
    A, unit = np.eye(LEADING + 1), known.rows_seen[UNIT]
    to = new_known.basis[new_known.place[both] - 1] * unit
    of = known.basis[known.place[both] - 1] * unit / known.ratios[REDUCED, both][:, None]
    A[1:, 1:] = to.T @ of
    moved = known.means - new_known.means
    further = along(new_known, moved) - new_known.offset
    A[1:, 0] = A[1:, 1:] @ known.offset + further  # 0 where there is no constant
    bring_centers(olds, news, A, 1 / LEADING)
    change, part = (A, inverses(known.priors), inverses(new_known.priors)), kept(new_known, moved)
    for s, new in zip(olds, news, strict=True):
        if s.scalars[LABELS] > 0:
            convert(s, new, *change)
            keep_margins(s, new, moved)
            bring_units(s, new, part)


def along(s: Any, x: np.ndarray) -> np.ndarray:
    """Return x along the directions, about 0."""
    known = s.chosen > 0
    return x[s.chosen[known] - 1] @ s.basis[known]


def kept(new: Any, moved: np.ndarray) -> np.ndarray:
    """Return the part that squares about the new means are of those about the former ones."""
    about = squares_about_means(new)
    part = about / np.maximum(about + new.rows_seen[SEEN] * moved**2, SHORTEST)
    part[about <= 0] = 1.0
    return part


def bring_units(s: Any, new: Any, part: np.ndarray) -> None:
    """Convert the variances of weights in w to other units and means, and so these weights.

    What labels added to precision follows the squares of values, of which a part is `kept`.
    """
    for k in np.flatnonzero(s.experts[:, ALIVE]).tolist():
        kind = int(s.experts[k, KIND])
        before, after = s.ratios[RATIO[kind]], new.ratios[RATIO[kind]]
        learned = np.maximum(0.0, 1 / s.p[k] - 1 / (s.prior[k] * before))
        # one row with huge values makes the other variances small: what was learned stays
        least = 0.0 if kind == OWN_UNITS else s.prior[k]
        new.prior[k] = max(least, own_variance(new, kind))
        fresh = new.prior[k] * after  # exactly, where nothing was learned, as of new features
        new.p[k] = np.where(learned > 0, 1 / (part * learned + 1 / fresh), fresh)
        new.w[k] *= part * new.p[k] / s.p[k]


def keep_margins(s: Any, new: Any, moved: np.ndarray) -> None:
    """Give the weights of features, and of the constant, what the new directions leave out."""
    known = new.chosen > 0
    for k in np.flatnonzero(s.experts[:, ALIVE]).tolist():
        new.w[k] = whole = features_of(s, k)
        new.w[k, new.chosen[known] - 1] -= new.basis[known] @ new.a[k, 1:]
        if new.rows_seen[CONSTANT] > 0:
            new.a[k, 0] = s.a[k, 0] - s.offset @ s.a[k, 1:] + new.offset @ new.a[k, 1:]
            new.a[k, 0] -= product(whole, moved) / math.sqrt(1 + PRIOR_VARIANCE)


def as_weights(s: Any, k: int) -> np.ndarray:
    """Return the weights of features that stand for those of an expert, the constant first."""
    found = features_of(s, k)
    if s.rows_seen[CONSTANT] > 0:
        found[0] = s.a[k, 0] - s.offset @ s.a[k, 1:] - product(found, s.means)
    return found


def product(w: np.ndarray, means: np.ndarray) -> float:
    """Return the inner product, of which the rounding does not depend on features without mean."""
    at = np.flatnonzero(means)
    return float(w[at] @ means[at])


def features_of(s: Any, k: int) -> np.ndarray:
    """Return the weights of features that stand for those of an expert, without its constant."""
    found, known = s.w[k].copy(), s.chosen > 0
    found[s.chosen[known] - 1] += s.basis[known] @ s.a[k, 1:]
    return found


def widen(s: Any, width: int) -> Any:
    """Return the state with new features, under each expert's prior."""
    wide = TABLE.resized(s, Room(width))
    wide.p[:, s.p.shape[1] :] = s.prior[:, None]
    wide.ratios[:, s.ratios.shape[1] :] = 1.0
    return wide


# Means and units


def find_units(s: Any) -> None:
    """Set the means and units of features by the rows so far."""
    n, usual = s.rows_seen[SEEN], common(s)
    s.means[:] = np.where(usual, s.totals / n, 0.0)
    about = squares_about_means(s)
    counts, used = np.where(usual, n, s.counts), about > 0
    s.ratios[:] = 1.0
    total = about[used].sum()  # of these alone: rounding does not depend on the width
    used = about > NO_UNIT * total
    s.ratios[OWN, used] = total / counts[used].sum() * counts[used] / about[used]
    s.ratios[REDUCED, used] = scaled_down(about[used], counts[used])
    s.rows_seen[[ABOUT, COMMON]] = total, usual.sum()
    s.rows_seen[SCALED] = (s.ratios[REDUCED, used] * about[used]).sum()
    at = np.flatnonzero(usual)
    s.centered[: len(at)], s.slots[:] = at, 0
    s.slots[at] = np.arange(len(at)) + 1


def scaled_down(squares: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the part of their sums of squares that features keep, which have `counts` values.

    >>> scaled_down(np.array([100.0, *[0.2] * 99]), np.array([100.0, *[5.0] * 99])).round(3)[:2]
    array([0.023, 1.   ])
    """
    if not len(squares):
        return squares
    means = squares / counts
    some = means > HARDLY * geometric_mean(means, squares)
    usual, large = (LIMIT * geometric_mean(of[some], counts[some]) for of in (squares, means))
    return np.where(means > large, np.minimum(1.0, usual / squares), 1.0)


def geometric_mean(values: np.ndarray, weights: np.ndarray) -> float:
    """Return the weighted geometric mean; that of twice the values is exactly twice as large."""
    most = float(values.max())
    return most * math.exp((weights * np.log(values / most)).sum() / weights.sum())


def common(s: Any) -> np.ndarray:
    """Return whether each feature is not 0 in most rows, and so has a mean."""
    return (2 * s.counts > s.rows_seen[SEEN]) & (s.rows_seen[CONSTANT] > 0)


def squares_about_means(s: Any) -> np.ndarray:
    """Return the sums of squares of all features about their means."""
    return np.maximum(s.squares - s.rows_seen[SEEN] * s.means**2, ROUNDING * s.squares)
