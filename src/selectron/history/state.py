"""The state of `LeadingHistory` on dense rows: two ensembles, their shares, moments of rows."""

from collections import namedtuple
from typing import Any

import numpy as np

from ..spaces.state import ALL_OF, Field, Limits, Table, triangle
from .vectors import center_fields, ensemble

WHOLE, LEADING = 256, 128  # rows of more features are brought to as many leading directions
# With more classes at the start than CLASSES, a part FEWER of the Fourier features is left, which
# takes 0.3 MB a class instead of 0.7; with more than MOST_CLASSES there are none
CLASSES, MOST_CLASSES, FEWER = 10, 20, 0.6
LINEAR, CURVED, BASE = range(3)  # places in `mix`: the shares, and from VIEWS on the last r
VIEWS = 3
SHARES = 0.9, 0.05, 0.05  # at the start, and of what is shared out
LINEAR_SHARES = 0.95, 0.0, 0.05  # without Fourier features
BASE_SUM, BASE_COUNT, FORM = 6, 7, 8  # in `mix`, too: labels, how many of them; q of the last row
DENSE_KINDS = 5  # of priors of features; Fourier features have KINDS
# Of more than WHOLE features, the part of the variance of a margin that directions have, by kind
PARTS = np.array([0.99, 0.9, 0.99, 0.9, 0.001])
SEEN, ROUND, RENEWED, CONSTANT = range(4)  # places in `rows_seen`
ROUNDING = 1e-9  # relative size below which deviations and variances are due to rounding
EARLY = 8  # rows before anything is winsorised
OF_SEEN = Limits(SEEN), Limits(ROUND), Limits(RENEWED, whole=False), Limits(CONSTANT, 1)


def coordinates(width: int) -> int:
    """Return the number of coordinates of z."""
    return width if width <= WHOLE else LEADING


def wide(width: int) -> int:
    """Return the number of features with weights of their own, as z leaves something out."""
    return width if width > WHOLE else 0


ENSEMBLE = ensemble(lambda r: coordinates(r.width), lambda r: wide(r.width), DENSE_KINDS)
LIFTED = ensemble(lambda r: r.capacity, lambda r: 0)
COMMON = ("variances", "row")  # fields that both ensembles read
FIELDS = len(ENSEMBLE)
BOTH = FIELDS + len(LIFTED)  # constants, as compiled code can slice a state by no others
Ensemble: Any = namedtuple("Ensemble", (*ENSEMBLE, *COMMON))  # type: ignore[misc]

TABLE = Table(
    {
        **ENSEMBLE,
        **{f"curved_{name}": field for name, field in LIFTED.items()},
        # of weights in w, by kind of prior
        "variances": Field(lambda r: (DENSE_KINDS,), shared=True),
        "mix": Field(lambda r: (9,), power=[0, 0, 0, 1, 1, 1, 1, 0, 0]),
        "rows_seen": Field(lambda r: (4,), shared=True, limits=OF_SEEN),
        # Of all rows: sums of the features, and of their absolute deviations, and how many were not
        # 0; products of deviations, as in Welford (1962)
        "sums": Field(lambda r: (3, r.width), shared=True),
        "moments": Field(lambda r: (triangle(r.width),), shared=True),
        "range": Field(lambda r: (2, r.width), shared=True),  # least and largest value of all rows
        # the last row as it came, whether it is an outlier, and how many in a row were before it
        "last": Field(lambda r: (3, r.width), shared=True),
        # the first rows, 0 once outliers among them are limited
        "early": Field(lambda r: (EARLY, r.width), shared=True),
        # mean, 1 / scale, distance of outliers, least and largest value
        "scaler": Field(lambda r: (5, r.width), shared=True),
        # of more than WHOLE features, the matrix B of z = B (x - mean)
        "basis": Field(
            lambda r: (coordinates(r.width), r.width) if r.width > WHOLE else (0, 0), shared=True
        ),
        # the last one, winsorised; 1.0 if an outlier; x - mean; that in units of the scales;
        # what Fourier features get
        "row": Field(lambda r: (5, r.width), shared=True),
        "status": Field(lambda r: (3,), shared=True),  # of it, see `dense`
        # columns of `directions`
        "order": Field(
            lambda r: (r.width if r.capacity else 0,),
            shared=True,
            limits=(Limits(ALL_OF, lambda s: s.order.shape[-1] - 1),),
        ),
        "frequencies": Field(lambda r: (r.capacity, r.width), shared=True),  # F
        "phases": Field(lambda r: (r.capacity,), shared=True),
        **center_fields(lambda r: coordinates(r.width)),
    }
)


def linear(s: Any) -> Any:
    """Return the ensemble on the features."""
    return Ensemble(*s[:FIELDS], s.variances, s.row)  # type: ignore[call-arg]


def curved(s: Any) -> Any:
    """Return the ensemble on Fourier features."""
    return Ensemble(*s[FIELDS:BOTH], s.variances, s.row)  # type: ignore[call-arg]
