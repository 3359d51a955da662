"""Many classes of which several may be relevant: a step tells the worst ranked pair apart.

For a relevant set Y, b is the relevant class with the lowest score and a the irrelevant one with
the highest; the rest is `joint`. The "label" y of a row counts the rows of `s.relevant` from 1.

Source: Yang, Jin & Ye, "Online Learning by Ellipsoid Method" (ICML 2009), multi-label form.
"""

from typing import Any

from . import joint

margin, extent, spread, limit = joint.margin, joint.extent, joint.spread, joint.limit
predicted, record_scores, truth = joint.predicted, joint.record_scores, joint.truth
due, learn, share = joint.due, joint.learn, joint.share


def rivals(scores: Any, ranks: Any, relevant: Any, y: int) -> tuple[int, int]:
    """The relevant class with the lowest score and the irrelevant one with the highest, or -1."""
    low = high = -1
    for k in range(len(scores)):
        if relevant[y - 1, k]:
            if low < 0 or scores[k] < scores[low]:
                low = k
        elif high < 0 or scores[k] >= scores[high]:
            high = k
    return low, high
