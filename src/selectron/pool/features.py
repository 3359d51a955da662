"""What is made of the rows before they are learned from, so that a linear classifier will do."""

from typing import Any

import numpy as np
import scipy.sparse

from ..errors import SelectronError

RANDOM = 500  # random Fourier features
PAIRS = 1_000  # rows between which the width of the kernel is measured


def featured(X: Any, features: Any, intercept: bool, seed: int) -> Any:
    """Return the rows as a learner takes them, scaled to a mean square length of 1.

    `features`: "standard" (each feature to mean 0 and variance 1; sparse rows stay as they are),
    "raw", "rbf" (random Fourier features of the standardised ones, for a kernel as wide as the rows
    are apart), or a transformer of scikit-learn. With `intercept`, a constant 1 is put in front.
    """
    X = X if scipy.sparse.issparse(X) else np.asarray(X, float)
    if features == "standard" or features == "rbf":
        X = standard(X)
    elif features != "raw":
        X = transformed(X, features)
    if features == "rbf":
        X = fourier(X, seed)
    return scaled(X, intercept)


def standard(X: Any) -> Any:
    """Return features of mean 0 and variance 1, constant ones as 0; sparse rows as they are."""
    if scipy.sparse.issparse(X):
        return X
    out = X - X.mean(axis=0)
    spread = np.sqrt(np.einsum("ij,ij->j", out, out) / max(len(X), 1))
    largest = np.maximum(X.max(axis=0, initial=0.0), -X.min(axis=0, initial=0.0))
    out /= np.where(spread > 1e-12 * largest, spread, np.inf)
    return out


def fourier(X: Any, seed: int) -> np.ndarray:
    """Return random Fourier features, for exp(-|x - x'|^2 / v), v half the median of |x - x'|^2."""
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.metrics.pairwise import euclidean_distances

    some = X[np.random.default_rng([seed, 4]).permutation(X.shape[0])[:PAIRS]]
    apart = euclidean_distances(some, squared=True)
    typical = np.median(apart[np.triu_indices(len(apart), 1)]) if len(apart) > 1 else 1.0
    gamma = 2 / typical if typical > 0 else 1.0
    return RBFSampler(gamma=gamma, n_components=RANDOM, random_state=seed).fit_transform(X)


def transformed(X: Any, features: Any) -> Any:
    """Return what a transformer makes of the rows."""
    if not hasattr(features, "fit_transform"):
        raise SelectronError(
            f'features must be "standard", "raw", "rbf" or a transformer, got {features!r}.'
        )
    out = features.fit_transform(X)
    return scipy.sparse.csr_array(out) if scipy.sparse.issparse(out) else np.asarray(out, float)


def scaled(X: Any, intercept: bool) -> Any:
    """Return rows of mean square length 1, the constant being one of the features."""
    square = X.multiply(X).sum() if scipy.sparse.issparse(X) else np.einsum("ij,ij->", X, X)
    by = 1 / np.sqrt(max(float(square) / max(X.shape[0], 1) + intercept, 1e-300))
    if scipy.sparse.issparse(X):
        front = [np.full((X.shape[0], 1), 1.0)] if intercept else []
        return scipy.sparse.csr_array(scipy.sparse.hstack([*front, X * 1.0])) * by
    out = np.empty((X.shape[0], X.shape[1] + intercept))
    out[:, int(intercept) :] = X
    out[:, : int(intercept)] = 1.0
    out *= by
    return out
