"""The papers' theorems as functions: from a run and a comparator to the right-hand side.

One file a paper, with the papers' numbers for names:

    lasec                theorem_2, theorem_4, lemma_7, corollary_8, corollary_9, tuned_c
    selective_sampling   theorem_1, theorem_2
    ellipsoid            theorem_2, shrinking, theorem_3
    large_margin         theorem_3_1, 3_2, 3_3, 3_4, theorem_5_1

What is printed in a paper and does not hold is returned in a version that does, and its docstring
says what was changed. X (n, d) are the rows as the learner saw them: `seen` makes them. Bounds are
inf where a condition fails. `report` sets theorem and outcome side by side for a run, against
comparators found in hindsight.
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
