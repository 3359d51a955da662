"""Second order with a sketch: P = s I - sum_t c_t g_t g_t', with m terms and up to m newer ones.

After Luo, Agarwal, Cesa-Bianchi & Langford, "Efficient Second Order Online Learning by Sketching"
(NeurIPS 2016), whose sketched Newton step keeps A = alpha I + S'S, with S of m rows, and moves w by
A^-1 = (I - S' H S) / alpha, H = (alpha I + SS')^-1 (section 3). This is the same P = A^-1, with
s = 1 / alpha, written as what has been taken from s I: a step P <- mu (P + eps I) - nu g g' is

    s <- mu (s + eps),   c_t <- mu c_t,   and one more term nu g g'

without any error, for every learner of second order, also for those that forget (eps) or fade (mu),
for which there is no sum of outer products to be sketched.

When there are 2 m terms, the m eigenvectors of P with the smallest eigenvalues are kept, those
along which most is known. It is the rule of frequent directions (the paper's FD-SON), which is
exact where no more than m directions have been seen. What is known along the others, in precision,
is shared by all other directions, so that the trace of P^-1 stays as it was: of their eigenvalues,
the harmonic mean becomes s. Frequent directions subtract it, and lose it: on dense rows, whose
directions are many and alike, a sketch is then worse than first order. Oja's rule (the paper's
Oja-SON) has a step size to be chosen, and finds new directions slowly: it saves the decomposition,
which costs O(m^2) a step here.

A step costs O(m d) on dense rows (`sketched_dense`), and on sparse rows O(m^2) and O(m) for each of
their non-zeros (`sketched_sparse`), as in the paper's section 4. Its sketch has orthonormal rows
V = F Z, of which only Z, at the non-zeros, and the small F change; here F is taken into Z feature
by feature, when a step next needs the feature.
"""

from typing import Any

import numpy as np

from .dense_second import EPSILON
from .state import FRESH, HELD


def full(s: Any) -> bool:
    """Return whether there is no room for another term, so that `compress` has to make some."""
    return int(s.scalars[HELD]) == len(s.c)


def eigenvectors(inner: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what terms remove along their eigenvectors, ascending, and the last m of these.

    `inner` has the inner products of the terms sqrt(c_t) g_t; the eigenvectors are combinations of
    terms, of unit length, a row each, and 0 where nothing is removed.

    >>> eigenvectors(np.array([[4.0, 0.0], [0.0, 1.0]]), 1)
    (array([1., 4.]), array([[0.5, 0. ]]))
    """
    removed, vectors = np.linalg.eigh(inner)
    some = removed > len(removed) * EPSILON * removed[-1]
    lengths = np.sqrt(np.where(some, removed, np.inf))
    return removed, (vectors / lengths).T[-m:]


def reduced(removed: np.ndarray, s: float, features: int, m: int) -> tuple[np.ndarray, float]:
    """Return the weights of the m terms that are kept, and the new s.

    `removed`, in ascending order, is what the terms take from s along their eigenvectors, of which
    the last m are kept, and `features` the number of those seen.

    >>> kept, s = reduced(np.array([0.0, 0.5, 0.75]), 1.0, 3, 1)
    >>> s - kept, round(s, 3)
    (array([0.25]), 0.667)
    """
    least = 4 * len(removed) * EPSILON * s
    variances = np.maximum(s - removed, least)
    others = features - m
    if others <= 0:
        return removed[-m:].clip(0.0, s - least), s
    left = variances[max(len(removed) - m - others, 0) : len(removed) - m]
    mean = others / ((1 / left).sum() + (others - len(left)) / s)
    return (mean - variances[-m:]).clip(0.0), float(mean)


def sound(s: Any) -> bool:
    """Return whether counts are valid and numbers finite, in a state from a file."""
    held = s.scalars[HELD]
    whole = 0 <= held <= len(s.c) and held == int(held) and s.scalars[FRESH] >= 0
    return bool(whole and all(np.isfinite(array).all() for array in s))
