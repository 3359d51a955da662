"""RadiallyIsotropic: a transformer of scikit-learn, with a certificate."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..estimator.checks import TABLE, in_one_sentence
from .heavy import heavy, span
from .scatter import balanced, unit


class RadiallyIsotropic(TransformerMixin, BaseEstimator):
    """The linear map after which rows, brought to unit length, are spread evenly.

    Under it, the mean of z z' is within eps / k of I / k in every direction, for z = A x / |A x|:
    then every halfspace through 0 has rows at a good distance from its boundary, at least 1/(2k) of
    them further away than 1/sqrt(2k). It is Tyler's estimator of scatter, and Forster's transform.

    There is no such map if a proper subspace of dimension j of their span, k-dimensional, holds
    more than j/k of the rows. Then `converged_` is False, and that subspace is told.

    Parameters
    ----------
    eps : float, default 1e-6
    max_iter : int, default 200
        Steps at most; each is a pass over the rows, or some of them near a subspace too heavy.

    Attributes
    ----------
    converged_ : bool
        Is `eps_` as small as was wanted?
    eps_ : float
        Measured on the rows: the largest \\|k u'Mu - 1\\| over unit vectors u, M the mean of z z'.
    matrix_ : ndarray of shape (k, d)
        The map A; k < d if the rows span k dimensions only.
    n_iter_ : int
    heavy_subspace_ : ndarray of shape (j, d), or None
        Orthonormal rows that span the subspace found.
    heavy_rows_ : ndarray of int, or None
        The rows in it.
    n_zero_, n_duplicate_ : int
        Rows of 0, which are left out and stay 0, and rows that repeat an earlier one.

    Source: Tyler (Annals of Statistics 1987); see `scatter`. Raises SelectronError if X is no table
    of finite numbers.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3)) * [1.0, 100.0, 0.01]
    >>> iso = RadiallyIsotropic().fit(X)
    >>> iso.converged_, iso.eps_ < 1e-6
    (True, True)
    >>> Z = iso.transform(X)
    >>> np.round(Z.T @ Z / len(Z), 5) + 0.0
    array([[0.33333, 0.     , 0.     ],
           [0.     , 0.33333, 0.     ],
           [0.     , 0.     , 0.33333]])

    Half of the rows on a line is too many:

    >>> X[:250, 1:] = 0.0
    >>> iso = RadiallyIsotropic().fit(X)
    >>> iso.converged_, len(iso.heavy_subspace_), len(iso.heavy_rows_)
    (False, 1, 250)
    """

    def __init__(self, eps: float = 1e-6, max_iter: int = 200):
        self.eps = eps
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> "RadiallyIsotropic":
        """Find the map for these rows."""
        with in_one_sentence(TABLE):
            X = validate_data(self, X, dtype=np.float64)
        Z = unit(X)
        full = np.flatnonzero(X.any(axis=1))
        self.n_zero_ = len(X) - len(full)
        self.n_duplicate_ = len(X) - len(np.unique(X, axis=0))
        basis = span(Z[full]) if len(full) else np.eye(X.shape[1])
        within = unit(Z[full] @ basis.T)
        position = balanced(within, self.eps, self.max_iter)
        self.matrix_ = position.matrix @ basis
        self.eps_, self.n_iter_ = position.eps, position.steps
        self.converged_ = bool(self.eps_ <= self.eps)
        found = None if self.converged_ else heavy(within, position)
        self.heavy_subspace_ = found and found.basis @ basis
        self.heavy_rows_ = found and full[found.inside]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the rows under the map, brought to unit length; rows of 0 stay 0."""
        check_is_fitted(self)
        with in_one_sentence(TABLE):
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return unit(X @ self.matrix_.T)
