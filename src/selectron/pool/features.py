"""Feature maps of a pool: scaling, kernel maps, and the nearest neighbours of every row.

The map of neighbours gives each row the log ratio of two squared distances: to the nearest labelled
row of either class among its 50 neighbours. A class that is not among them counts as far as the
last of them. A row's own label has no influence on its features, so that maps can be compared.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import laplacian
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

from ..errors import SelectronError

PAIRS = 1_000  # rows whose pairs determine the width of the kernel, and the constant
LANDMARKS = 300  # rows that a kernel map is made from
MAPPED, WIDEST = 20_000, 1_000  # rows and features of the largest table that has kernel maps
NEIGHBOURS = 50  # of a row, searched for labelled ones
NEAR = 5  # neighbours of a row in the graph
SMOOTH = 200  # directions kept of the graph's kernel
DIRECTIONS = 20  # of sparse rows
EPS = 0.01  # added to the graph's eigenvalues, which run from 0 to 2


class Nearest(NamedTuple):
    """The neighbours of every row, the nearest first, the row itself excluded."""

    rows: np.ndarray  # (n, k)
    far: np.ndarray  # (n, k), distances


def near_one(X: np.ndarray, axis: int | None = None) -> np.ndarray:
    """Return X, or its columns, times powers of two, so that the largest value is near 1.

    Sums of squares then neither overflow nor vanish, and no digit is lost.

    >>> near_one(np.array([[6e200, -4e200]]), axis=0).round(1).tolist()
    [[1.0, -0.7]]
    """
    return np.ldexp(X, -np.frexp(np.abs(X).max(axis=axis))[1])


def featured(X: Any, features: Any, intercept: bool, alone: bool = False) -> Any:
    """Return the rows for the learner, scaled to a mean squared norm of 1.

    `features` is as in `SelfDirectedClassifier`. With `intercept`, a constant is put in front: 1,
    or `constant(X)` for rows that are `alone`; kernel maps fit the base rate of a class themselves.
    """
    if not isinstance(features, str) and hasattr(features, "fit_transform"):
        out = features.fit_transform(X)
        X = scipy.sparse.csr_array(out) if scipy.sparse.issparse(out) else np.asarray(out, float)
    elif features in ("auto", "standard"):
        X = standard(X, intercept)
    elif features != "raw":
        raise SelectronError(
            f'features must be "auto", "standard", "raw" or a transformer, got {features!r}.'
        )
    if X.ndim != 2:
        raise SelectronError(f"{features} returns {X.ndim} dimensions, and should return 2.")
    if not np.isfinite(X.data if scipy.sparse.issparse(X) else X).all():
        raise SelectronError(f"{features} returns numbers that are NaN or infinite: impute them.")
    square = X.multiply(X).sum() if scipy.sparse.issparse(X) else np.einsum("ij,ij->", X, X)
    one = constant(X) if intercept and alone else float(intercept)
    by = 1 / np.sqrt(max(float(square) / X.shape[0] + one * one, 1e-300))
    front = np.full((X.shape[0], int(intercept)), one)
    if scipy.sparse.issparse(X):
        return scipy.sparse.csr_array(scipy.sparse.hstack([front, X * 1.0])) * by
    out = np.hstack([front, X])
    out *= by
    return out


def constant(X: Any) -> float:
    """Return the root of the median |<x, x'>| of 1,000 rows drawn at random, 1 or more.

    All weights have the same prior. Next to many features, a constant of 1 would need a weight too
    large for it, and the fits would explain the base rate of a rare class by all other features.

    >>> round(constant(np.array([[30.0, 40.0], [-60.0, -80.0]])), 1)
    70.7
    """
    return math.sqrt(max(of_pairs(linear_kernel, X, 0), 1.0)) if X.shape[1] else 1.0


def of_pairs(compare: Callable[[Any], np.ndarray], X: Any, seed: int) -> float:
    """Return the median of |k(x, x')| over 1,000 rows drawn at random, or all; 0 for one row."""
    rows = X[np.random.default_rng([seed, 4]).permutation(X.shape[0])[:PAIRS]]
    found = np.abs(compare(rows))[np.triu_indices(rows.shape[0], 1)]
    return float(np.median(found)) if len(found) else 0.0


def standard(X: Any, centred: bool = True) -> Any:
    """Return features of mean square 1, and of mean 0 if `centred`; sparse X unchanged.

    Constant features become 0, or 1 or -1 if they are not centred.

    >>> standard(np.array([[3.0, -5.0, 0.0], [3.0, 5.0, 0.0]]), centred=False).tolist()
    [[1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]
    """
    if scipy.sparse.issparse(X):
        return X
    X = near_one(X, axis=0)
    out = X - (X.mean(axis=0) if centred else 0.0)
    size = np.sqrt(np.einsum("ij,ij->j", out, out) / len(X))
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    out /= np.where(size > 1e-12 * largest, size, np.inf)
    return out


def kernels(
    X: Any, features: Any, intercept: bool, seed: int
) -> tuple[tuple[np.ndarray, ...], tuple[Nearest, ...]]:
    """Return the kernel maps of "auto" and the neighbours of every row, both () without "auto".

    There are two maps of a Gaussian kernel and one of the graph of neighbours; neighbours are found
    among the rows as given and among the standardised rows. Of sparse rows, they are made from
    the leading directions, which are another map. Large tables, and wide dense ones, have none.
    """
    n, d = X.shape
    auto = isinstance(features, str) and features == "auto"
    sparse = scipy.sparse.issparse(X)
    if not auto or n > MAPPED or (d > WIDEST and not sparse):
        return (), ()
    maps: tuple[np.ndarray, ...] = ()
    if sparse:
        X = leading(X, seed)
        maps = (featured(X, features, intercept),)
    X, Z = near_one(X), standard(X)
    maps = *maps, gaussian(X, seed), gaussian(Z, seed)
    if n <= NEAR:
        return maps, ()
    around = nearest(X)
    return (*maps, neighbourly(around, seed)), (around, nearest(Z))


def leading(X: Any, seed: int) -> np.ndarray:
    """Return sparse rows, of unit length, along their leading directions, (n, 20) or fewer.

    Of texts, these are topics: words that occur together (latent semantic analysis: Deerwester et
    al., "Indexing by Latent Semantic Analysis", JASIS 1990).
    """
    X = X * (1 / max(abs(X).max(), 1e-300))
    U, values, _ = randomized_svd(X, min(*X.shape, DIRECTIONS), random_state=seed)
    return normalize(U * values)


def gaussian(X: np.ndarray, seed: int) -> np.ndarray:
    """Return the Nystroem map of exp(-|x - x'|^2 / v), v the median of |x - x'|^2, or 1 if 0."""
    v = of_pairs(partial(euclidean_distances, squared=True), X, seed) or 1.0
    gamma, size = 1 / v, min(len(X), LANDMARKS)
    return Nystroem(gamma=gamma, n_components=size, random_state=seed).fit_transform(X)


def neighbourly(around: Nearest, seed: int) -> np.ndarray:
    """Return a map in which rows connected by a chain of near neighbours are close to each other.

    Its kernel is (L + eps I)^-2, L the Laplacian of the graph of nearest neighbours, restricted to
    its 200 largest directions (Smola & Kondor, "Kernels and Regularization on Graphs", COLT 2003).
    """
    n = len(around.rows)
    L = scipy.sparse.csr_array(laplacian(graph(around), normed=True))
    half = scipy.sparse.eye_array(n, format="csr") - L / 2  # eigenvalues from 0 to 1
    U, values, _ = randomized_svd(half, min(n - 1, SMOOTH), n_iter=10, random_state=seed)
    F = U / (np.maximum(2 * (1 - values), 0) + EPS)
    return F / np.sqrt(np.einsum("ij,ij->", F, F) / n)


def graph(around: Nearest) -> Any:
    """Return the graph of the five nearest neighbours, (n, n) sparse.

    An edge weighs exp(-|x - x'|^2 / r r'), r and r' the distances of both rows' fifth neighbours
    (Zelnik-Manor & Perona, "Self-Tuning Spectral Clustering", NIPS 2004).
    """
    n, rows, far = len(around.rows), around.rows[:, :NEAR], around.far[:, :NEAR]
    reach = np.maximum(far[:, -1], 1e-150)
    weights = np.exp(-(far**2) / (reach[:, None] * reach[rows])) + 1e-9
    start = np.arange(0, n * NEAR + 1, NEAR)
    W = scipy.sparse.csr_array((weights.ravel(), rows.ravel(), start), shape=(n, n))
    return W.maximum(W.T)


def nearest(X: np.ndarray) -> Nearest:
    """Return the 50 nearest neighbours of every row, or all others if there are fewer."""
    k = min(NEIGHBOURS, len(X) - 1)
    far, rows = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    return Nearest(rows.astype(np.int32), far)


def by_class(near: Nearest, codes: np.ndarray, classes: int) -> np.ndarray:
    """Return the log squared distance of each row to the nearest of each class, (classes, n)."""
    least = 1e-6 * np.median(near.far[:, -1]) + 1e-150  # copies are at distance 0
    far, around = np.maximum(near.far, least), codes[near.rows]
    found = [np.where(around == c, far, far[:, -1:]).min(axis=1) for c in range(classes)]
    return 2 * np.log(np.stack(found))
