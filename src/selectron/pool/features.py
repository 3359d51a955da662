"""What is made of the rows before they are learned from, so that a linear classifier will do."""

from typing import Any

import numpy as np
import scipy.sparse

from ..errors import SelectronError
from .nearest import Nearest, nearest

RANDOM = 500  # random Fourier features
PAIRS = 1_000  # rows between which the width of the kernel is measured
LANDMARKS = 300  # rows that a kernel map is made from
MAPPED, WIDEST = 20_000, 1_000  # rows and features of the largest table that has kernel maps
NEAR = 5  # neighbours of a row in the graph
SMOOTH = 200  # directions kept of the graph's kernel
EPS = 0.01  # added to the graph's eigenvalues, which run from 0 to 2


def featured(X: Any, features: Any, intercept: bool, seed: int) -> Any:
    """Return the rows as a learner takes them, scaled to a mean square length of 1.

    `features`: "standard" (each feature to mean 0 and variance 1; sparse rows stay as they are),
    "auto" (the same, beside `kernels`), "raw", "rbf" (random Fourier features of the standardised
    ones, for a kernel as wide as the rows are apart), or a transformer of scikit-learn. With
    `intercept`, a constant 1 is put in front. Without it, "standard" and "auto" scale each feature
    to mean square 1 and do not centre it: a halfspace through 0 stays one.
    """
    X = X if scipy.sparse.issparse(X) else np.asarray(X, float)
    if features == "rbf":
        X = fourier(standard(X), seed)
    elif features in ("auto", "standard"):
        X = standard(X) if intercept else sized(X)
    elif features != "raw":
        X = transformed(X, features)
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


def sized(X: Any) -> Any:
    """Return features of mean square 1, those that are 0 as they are; sparse rows as they are.

    >>> sized(np.array([[3.0, -5.0, 0.0], [3.0, 5.0, 0.0]])).tolist()
    [[1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
    """
    if scipy.sparse.issparse(X):
        return X
    largest = np.maximum(X.max(axis=0, initial=0.0), -X.min(axis=0, initial=0.0))
    out = X / np.where(largest > 0, largest, 1.0)  # so that no square is beyond the numbers
    size = np.sqrt(np.einsum("ij,ij->j", out, out) / max(len(X), 1))
    out /= np.where(size > 0, size, 1.0)
    return out


def fourier(X: Any, seed: int) -> np.ndarray:
    """Return random Fourier features, for exp(-|x - x'|^2 / v), v half the median of |x - x'|^2."""
    from sklearn.kernel_approximation import RBFSampler

    gamma = 2 / apart(X, seed)
    return RBFSampler(gamma=gamma, n_components=RANDOM, random_state=seed).fit_transform(X)


def kernels(X: Any, features: Any, seed: int) -> tuple[tuple[np.ndarray, ...], tuple[Nearest, ...]]:
    """Return the maps that go with "auto", and the neighbours of every row.

    The maps are two of a Gaussian kernel and one of the graph of neighbours; neighbours are those
    among the rows as they are, and among the standardised ones. Sparse, wide and large tables have
    none: there, a linear map does well, or the fits would take too long.
    """
    n, d = X.shape
    if not isinstance(features, str) or features != "auto":
        return (), ()
    if scipy.sparse.issparse(X) or n > MAPPED or d > WIDEST:
        return (), ()
    X = np.asarray(X, float)
    Z = standard(X)
    both = gaussian(X, seed), gaussian(Z, seed)
    if n <= NEAR:
        return both, ()
    around = nearest(X)
    return (*both, neighbourly(around, seed)), (around, nearest(Z))


def gaussian(X: np.ndarray, seed: int) -> np.ndarray:
    """Return Nystroem's map of exp(-|x - x'|^2 / v), v the median of |x - x'|^2.

    It is made from up to 300 rows drawn at random.

    Source: Williams & Seeger, "Using the Nystroem method to speed up kernel machines" (NIPS 2000).
    """
    from sklearn.kernel_approximation import Nystroem

    return Nystroem(
        gamma=1 / apart(X, seed), n_components=min(len(X), LANDMARKS), random_state=seed
    ).fit_transform(X)


def neighbourly(around: Nearest, seed: int) -> np.ndarray:
    """Return a map in which rows that a chain of near neighbours joins are close to each other.

    Its kernel is (L + eps I)^-2, L the Laplacian of the graph of nearest neighbours, in the 200
    directions in which that is largest: those along which classes change only between clusters of
    rows. All rows have a part in it, whether they are told or not.

    Sources: Smola & Kondor, "Kernels and Regularization on Graphs" (COLT 2003); the weights of the
    graph, by each row's own distances, are those of Zelnik-Manor & Perona, "Self-Tuning Spectral
    Clustering" (NIPS 2004).
    """
    from scipy.sparse.csgraph import laplacian
    from sklearn.utils.extmath import randomized_svd

    n = len(around.rows)
    L = scipy.sparse.csr_array(laplacian(graph(around), normed=True))
    half = scipy.sparse.eye_array(n, format="csr") - L / 2  # eigenvalues from 0 to 1
    U, values, _ = randomized_svd(half, min(n - 1, SMOOTH), n_iter=10, random_state=seed)
    F = U / (np.maximum(2 * (1 - values), 0) + EPS)
    return F / np.sqrt(np.einsum("ij,ij->", F, F) / n)


def graph(around: Nearest) -> Any:
    """Return the graph of the nearest neighbours, (n, n) sparse, weighing exp(-|x - x'|^2 / r r').

    r and r' are how far away the fifth neighbours of both rows are.
    """
    n, rows, far = len(around.rows), around.rows[:, :NEAR], around.far[:, :NEAR]
    reach = np.maximum(far[:, -1], 1e-150)
    weights = np.exp(-(far**2) / (reach[:, None] * reach[rows])) + 1e-9
    start = np.arange(0, n * NEAR + 1, NEAR)
    W = scipy.sparse.csr_array((weights.ravel(), rows.ravel(), start), shape=(n, n))
    return W.maximum(W.T)


def apart(X: np.ndarray, seed: int) -> float:
    """Return the median of |x - x'|^2, over 1,000 rows drawn at random; 1 if that is 0."""
    from sklearn.metrics.pairwise import euclidean_distances

    some = X[np.random.default_rng([seed, 4]).permutation(X.shape[0])[:PAIRS]]
    squares = euclidean_distances(some, squared=True)[np.triu_indices(len(some), 1)]
    return float(np.median(squares)) or 1.0 if len(squares) else 1.0


def transformed(X: Any, features: Any) -> Any:
    """Return what a transformer makes of the rows."""
    if not hasattr(features, "fit_transform"):
        raise SelectronError(
            f'features must be "auto", "standard", "raw", "rbf" or a transformer, got {features!r}.'
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
