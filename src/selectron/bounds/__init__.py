"""The papers' theorems as functions: of a run and a comparator, they return the right-hand side.

One file per paper, with the papers' numbers as names:

    lasec                theorem_2, theorem_4, lemma_7, corollary_8, corollary_9, tuned_c
    selective_sampling   theorem_1, theorem_2, adaptive
    ellipsoid            theorem_2, theorem_3
    large_margin         theorem_3_1, 3_2, 3_3, 3_4, theorem_5_1

A theorem that does not hold as printed is returned in a version that does; its docstring states the
change. X (n, d) are the rows as the learner saw them, as `seen` returns them. A bound is inf where
a condition fails. `report` lists bounds and outcomes of a run for comparators found in hindsight.
"""

from . import ellipsoid, large_margin, lasec, selective_sampling
from .hindsight import Row, comparator, report, seen
from .quantities import Tradeoff, expected_labels, weighted_mistakes

__all__ = [
    "Row",
    "Tradeoff",
    "comparator",
    "ellipsoid",
    "expected_labels",
    "large_margin",
    "lasec",
    "report",
    "seen",
    "selective_sampling",
    "weighted_mistakes",
]
