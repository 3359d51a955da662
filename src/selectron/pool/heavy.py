"""Subspaces that hold too many of the points to be spread evenly, and the points in them."""

from typing import NamedTuple

import numpy as np

from .scatter import Position, balanced, unit

FLAT = 1e-9  # share of a unit vector that may stick out of a subspace through rounding


class Subspace(NamedTuple):
    """A subspace, and which of the points lie in it."""

    basis: np.ndarray  # (j, k), orthonormal rows
    inside: np.ndarray  # (n,), booleans


class Forster(NamedTuple):
    """A subspace that holds at least its share of the points, and the map that spreads them."""

    basis: np.ndarray  # (j, d), orthonormal rows
    inside: np.ndarray  # (n,), booleans
    position: Position


def span(Z: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis, in rows, of the subspace that these unit vectors span."""
    values, vectors = np.linalg.eigh(Z.T @ Z)
    if values[0] > len(Z) * 1e-12:  # squares of lengths: surely of full rank
        return vectors.T[::-1]
    _, sizes, rows = np.linalg.svd(np.linalg.qr(Z, mode="r") if len(Z) > Z.shape[1] else Z)
    return rows[: int((sizes > FLAT * max(sizes[0], 1e-300) * np.sqrt(Z.shape[1])).sum())]


def heavy(Z: np.ndarray, position: Position) -> Subspace | None:
    """Return a proper subspace of dimension j that holds a share of j/k of the points or more.

    A map that does not settle shrinks the directions of such a subspace without end: of its j
    shortest axes, those are tried where the next one is longer by far. None if there is no such
    subspace among them.
    """
    n, k = Z.shape
    _, axes, directions = np.linalg.svd(position.matrix)
    ratios = axes[:-1] / np.maximum(axes[1:], 1e-300)
    for cut in np.argsort(-ratios)[: max(1, k - 1)]:
        j = k - 1 - int(cut)
        found = within(Z, directions[-j:], -(-n * j // k))
        if found is not None:
            return found
    return None


def within(Z: np.ndarray, basis: np.ndarray, enough: int) -> Subspace | None:
    """Return the subspace near this one that holds so many points exactly, if there is one."""
    out = np.linalg.norm(Z - (Z @ basis.T) @ basis, axis=1)
    closest = np.argpartition(out, enough - 1)[:enough]
    if out[closest].max() > 0.1:
        return None
    exact = span(Z[closest])
    if not 0 < len(exact) <= len(basis):
        return None
    inside = np.linalg.norm(Z - (Z @ exact.T) @ exact, axis=1) <= FLAT * 10
    return Subspace(exact, inside) if inside.sum() * Z.shape[1] >= len(exact) * len(Z) else None


def forster(X: np.ndarray, eps: float, most: int) -> Forster:
    """Return a subspace with at least its share of the rows, which are not 0, and their map.

    It is the whole span unless something in it is too heavy; each descent lowers the dimension, and
    a line is always in position.
    """
    Z = unit(X)
    basis, inside = np.eye(X.shape[1]), np.ones(len(X), bool)
    while True:
        within_it = Z[inside] @ basis.T
        own = span(within_it)
        if len(own) < len(basis):
            basis = own @ basis
            within_it = Z[inside] @ basis.T
        within_it = unit(within_it)
        position = balanced(within_it, eps, most)
        found = heavy(within_it, position) if position.eps > eps and len(basis) > 1 else None
        if found is None:
            return Forster(basis, inside, position)
        basis = found.basis @ basis
        inside[np.flatnonzero(inside)[~found.inside]] = False
