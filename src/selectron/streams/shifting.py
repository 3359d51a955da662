"""Shifting classes: a drifting two-class stream from any set with many classes."""

import numpy as np

from ..errors import SelectronError


def shifting_classes(classes: np.ndarray, every: int = 500, seed: int | None = 0) -> np.ndarray:
    """Return y in {-1, +1}: a random half of the classes is positive, another one every so often.

    The positive side has at least one class and leaves out at least one; every such subset is
    equally likely. `classes` has shape (n,).

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), section 5, which
    leaves the size of the subset open.

    >>> shifting_classes(np.array([3, 5, 3, 5, 3, 5]), every=2)
    array([-1,  1, -1,  1, -1,  1])
    """
    random = np.random.default_rng(seed)
    names, index = np.unique(classes, return_inverse=True)
    if len(names) < 2 or every < 1:
        raise SelectronError(
            f"There must be two classes at least and `every` above 0, got {len(names)} and {every}."
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

    X has shape (1797 * passes, 64) and values in [0, 1]; every pass shows all the digits in a new
    order. It needs no download.

    >>> X, y = digits(passes=2)
    >>> X.shape, float(X.max()), sorted(set(y.tolist()))
    ((3594, 64), 1.0, [-1, 1])
    """
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    if passes < 1:
        raise SelectronError(f"passes must be above 0, got {passes}.")
    random = np.random.default_rng(seed)
    order = np.concatenate([random.permutation(len(classes)) for _ in range(passes)])
    return images[order] / 16, shifting_classes(classes[order], every, seed)
