"""Generated streams: concepts that switch or drift."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.parameters import whole
from ..errors import SelectronError

PHASES = (  # probabilities of P1, P2, N1, N2 at the start of each phase, and at its end
    ((0.7, 0.0, 0.3, 0.0), (0.5, 0.0, 0.5, 0.0)),
    ((0.5, 0.0, 0.5, 0.0), (0.3, 0.2, 0.5, 0.0)),
    ((0.0, 0.5, 0.2, 0.3), (0.0, 0.5, 0.0, 0.5)),
    ((0.0, 0.5, 0.0, 0.5), (0.0, 0.3, 0.0, 0.7)),
)


def switching_gaussian(
    n: int = 10_000, d: int = 50, every: int = 500, seed: int | None = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return X of shape (n, d) and y in {-1, +1} of a linear concept that switches.

    x ~ N(0, I) and y = sign(<u, x>), with u ~ N(0, I) drawn before rounds 0, every, 2 every, ...

    Raises SelectronError if n, d or every is below 1.

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), section 5.

    >>> X, y = switching_gaussian(1000, d=3)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 3), [-1, 1])
    """
    if min(n, d, every) < 1:
        raise SelectronError(f"n, d and every must be above 0, got {n}, {d} and {every}.")
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    targets = random.standard_normal((-(-n // every), d))
    margins = np.einsum("td,td->t", X, targets[np.arange(n) // every])
    return X, np.where(margins >= 0, 1, -1)


def four_phases(
    classes: np.ndarray, groups: Sequence[Any], n: int = 500, seed: int | None = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return indices of rows, (4 n,), and labels in {-1, +1}, in four phases of n rounds.

    `classes` (rows,) are the classes of a table, and `groups` the four that rows are drawn from,
    without replacement: P1 and P2 are positive, N1 and N2 negative. In each phase their
    probabilities change linearly; between the second and the third they jump.

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


def shifting_classes(classes: np.ndarray, every: int = 500, seed: int | None = 0) -> np.ndarray:
    """Return y in {-1, +1}, (n,): a random subset of the classes is positive, redrawn at intervals.

    A new subset is drawn before rounds 0, every, 2 every, ...; all subsets that are neither empty
    nor complete are equally likely. `classes` has shape (n,).

    Raises SelectronError if there is one class only, or `every` is below 1.

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), section 5, which
    leaves the size of the subset open.

    >>> shifting_classes(np.array([3, 5, 3, 5, 3, 5]), every=2)
    array([-1,  1, -1,  1, -1,  1])
    """
    random = np.random.default_rng(seed)
    names, index = np.unique(classes, return_inverse=True)
    if len(names) < 2 or every < 1:
        raise SelectronError(
            f"There must be at least two classes and `every` above 0, got {len(names)} and {every}."
        )
    y = np.empty(len(classes), int)
    for start in range(0, len(y), every):
        part = slice(start, start + every)
        y[part] = np.where(_subset(random, len(names))[index[part]], 1, -1)
    return y


def _subset(random: np.random.Generator, n: int) -> np.ndarray:
    """Return a random subset of n things, neither empty nor whole."""
    while True:
        chosen = random.random(n) < 0.5
        if 0 < chosen.sum() < n:
            return chosen


def digits(
    passes: int = 5, every: int = 500, seed: int | None = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return scikit-learn's handwritten digits as a stream with shifting classes.

    X has shape (1797 * passes, 64) and values in [0, 1]; each pass has all the digits in a new
    order. Nothing is downloaded. Raises SelectronError if `passes` is below 1.

    >>> X, y = digits(passes=2)
    >>> X.shape, float(X.max()), sorted(set(y.tolist()))
    ((3594, 64), 1.0, [-1, 1])
    """
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    random, n = np.random.default_rng(seed), len(classes)
    order = np.concatenate([random.permutation(n) for _ in range(whole("passes", passes))])
    return images[order] / 16, shifting_classes(classes[order], every, seed)
