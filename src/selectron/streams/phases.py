"""The four phases of the large-margin paper: which classes come, changes by and by."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import SelectronError

PHASES = (  # probabilities of P1, P2, N1, N2 at the start of each phase, and at its end
    ((0.7, 0.0, 0.3, 0.0), (0.5, 0.0, 0.5, 0.0)),
    ((0.5, 0.0, 0.5, 0.0), (0.3, 0.2, 0.5, 0.0)),
    ((0.0, 0.5, 0.2, 0.3), (0.0, 0.5, 0.0, 0.5)),
    ((0.0, 0.5, 0.0, 0.5), (0.0, 0.3, 0.0, 0.7)),
)


def four_phases(
    classes: np.ndarray, groups: Sequence[Any], n: int = 500, seed: int | None = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows come, (4 n,), and their labels in {-1, +1}, in four phases of n rounds.

    `classes` (rows,) are the classes of a table, and `groups` the four that are drawn from, without
    replacement: P1 and P2 are positive, N1 and N2 negative. In each phase their probabilities move
    linearly; between the second and the third they jump.

    Raises SelectronError if there are not four groups, n is below 1, or a class has too few rows.

    Source: Shen & Dietterich, "A Family of Large Margin Linear Classifiers" (SDM 2009), 4.1.

    >>> classes = np.repeat([3, 7, 8, 9], 20)
    >>> order, y = four_phases(classes, groups=(3, 7, 8, 9), n=10)
    >>> classes[order][:10].tolist(), y[:10].tolist()
    ([3, 3, 3, 3, 3, 8, 3, 8, 3, 3], [1, 1, 1, 1, 1, -1, 1, -1, 1, 1])
    """
    if len(groups) != 4 or n < 1:
        raise SelectronError(f"Four groups and n above 0 are needed, got {len(groups)} and {n}.")
    random = np.random.default_rng(seed)
    pools = [random.permutation(np.flatnonzero(classes == group)) for group in groups]
    moves = [np.linspace(start, end, n) for start, end in PHASES]
    drawn = (random.random((4 * n, 1)) >= np.concatenate(moves).cumsum(axis=1)[:, :3]).sum(axis=1)
    order = np.empty(4 * n, int)
    for i, (group, pool) in enumerate(zip(groups, pools, strict=True)):
        rounds = np.flatnonzero(drawn == i)
        if len(rounds) > len(pool):
            raise SelectronError(
                f"The phases draw {len(rounds)} rows of the class {group!r}, which has "
                f"{len(pool)}: take a smaller n than {n}."
            )
        order[rounds] = pool[: len(rounds)]
    return order, np.where(drawn < 2, 1, -1)
