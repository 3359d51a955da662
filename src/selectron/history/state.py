"""The state of `LeadingHistory` on dense rows: two ensembles, their shares, moments of rows."""

from collections import namedtuple
from typing import Any

from ..spaces.state import Field, Room, Table, triangle
from .experts import SHARED
from .posterior import ALL, KINDS

WHOLE, LEADING = 256, 128  # rows of more features are brought to as many leading directions
CLASSES = 10  # with more, there are no Fourier features: one ensemble on them takes 0.7 MB
LINEAR, CURVED, BASE = range(3)  # places in `mix`: the shares, and from VIEWS on the last r
VIEWS = 3
SHARES = 0.9, 0.05, 0.05  # at the start, and of what is shared out
LINEAR_SHARES = 0.95, 0.0, 0.05  # without Fourier features
BASE_SUM, BASE_COUNT, FORM = 6, 7, 8  # in `mix`, too: labels, how many of them; q of the last row
SEEN, ROUND, RENEWED, CONSTANT = range(4)  # places in `rows_seen`

WIDTH = {  # fields of an ensemble that depend on the number of coordinates
    "w": Field(lambda r: (ALL, r.width), power=1),
    "triangle": Field(lambda r: (ALL, triangle(r.width))),
    "g": Field(lambda r: (ALL, r.width)),  # P z of the last row
    "priors": Field(lambda r: (KINDS, triangle(r.width)), shared=True),
}
# w and the variances of diagonal experts, on more than WHOLE features; the last has their prior
DIAGONAL = Field(lambda r: (ALL + 1, 2, r.width if r.width > WHOLE else 0), power=[[1], [0]])
ENSEMBLE = WIDTH | SHARED
WITH_ROW = ENSEMBLE | {"diagonal": DIAGONAL, "row": None}
Ensemble: Any = namedtuple("Ensemble", WITH_ROW)  # type: ignore[misc]


def coordinates(width: int) -> int:
    """Return the number of coordinates of z."""
    return width if width <= WHOLE else LEADING


def of_rows(field: Field) -> Field:
    """Return a field of the first ensemble."""
    return field._replace(shape=lambda r: field.shape(Room(coordinates(r.width))))


def lifted(field: Field) -> Field:
    """Return a field of the second ensemble, which is empty without Fourier features."""
    nothing = (0,) * len(field.shape(Room(1)))
    return field._replace(shape=lambda r: field.shape(Room(r.capacity)) if r.capacity else nothing)


TABLE = Table(
    {
        **{name: of_rows(field) for name, field in ENSEMBLE.items()},
        "diagonal": DIAGONAL,
        **{f"curved_{name}": lifted(field) for name, field in ENSEMBLE.items()},
        "curved_diagonal": Field(lambda r: (ALL + 1, 2, 0)),
        "mix": Field(lambda r: (9,), power=[0, 0, 0, 1, 1, 1, 1, 0, 0]),
        "rows_seen": Field(lambda r: (4,), shared=True),
        # Of all rows: sums of the features, and of their absolute deviations; products of
        # deviations, as in Welford (1962)
        "sums": Field(lambda r: (2, r.width), shared=True),
        "moments": Field(lambda r: (triangle(r.width),), shared=True),
        # the last row as it came, whether it is an outlier, and how many in a row were before it
        "last": Field(lambda r: (3, r.width), shared=True),
        # mean, 1 / scale, distance of outliers
        "scaler": Field(lambda r: (3, r.width), shared=True),
        # of more than WHOLE features, the matrix B of z = B (x - mean)
        "basis": Field(
            lambda r: (coordinates(r.width), r.width) if r.width > WHOLE else (0, 0), shared=True
        ),
        # the last one, winsorised; 1.0 if an outlier; x - mean; that in units of the scales
        "row": Field(lambda r: (4, r.width), shared=True),
        "status": Field(lambda r: (3,), shared=True),  # of it, see `dense`
        "z": Field(lambda r: (1, coordinates(r.width)), shared=True),
        "curved_z": Field(lambda r: (1, r.capacity), shared=True),
        # columns of `directions`
        "order": Field(lambda r: (r.width if r.capacity else 0,), shared=True),
        "frequencies": Field(lambda r: (r.capacity, r.width), shared=True),  # F
        "phases": Field(lambda r: (r.capacity,), shared=True),
    }
)


def linear(s: Any) -> Any:
    """Return the ensemble on the features."""
    return Ensemble(*s[:8], s.row)  # type: ignore[call-arg]


def curved(s: Any) -> Any:
    """Return the ensemble on Fourier features."""
    return Ensemble(*s[8:16], s.row)  # type: ignore[call-arg]
