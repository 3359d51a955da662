"""Pools that the tests label."""

import numpy as np


def sphere(n, d, seed=0):
    """Return points drawn evenly from the sphere, and the side of a halfspace that each is on."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    return X, (X @ rng.normal(size=d) >= 0).astype(int)


def line_and_rest(n, d, share=0.5, seed=0):
    """Return points a share of which lies on a line through 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    few = int(share * n)
    X[:few] = rng.normal(size=(few, 1)) * rng.normal(size=d)
    return X
