"""Luo, Agarwal, Cesa-Bianchi & Langford, "Efficient Second Order Online Learning by Sketching"
(NeurIPS 2016): A = alpha I + S'S, sketched by frequent directions (FD-SON), and w moves by A^-1.

Three changes: what is dropped adds to alpha, so that the trace of A stays (as in Luo, Chen, Zhang,
Li & Zhang, "Robust Frequent Directions with Application in Online Learning", JMLR 2019, who add
half of the largest); S may have 2 m rows before it is cut to m; and a step may come with noise and
fading, P <- mu (P + eps I) - nu g g' for P = A^-1.
"""

from typing import NamedTuple

import numpy as np


class Sketch(NamedTuple):
    alpha: float
    S: np.ndarray  # rows of the sketch
    rows: int  # of S that are used
    seen: np.ndarray  # features that have been in a step


def begin(d, scale):
    """A_0 = I / scale."""
    return Sketch(1 / scale, np.zeros((0, d)), 0, np.zeros(d, bool))


def inverse(sketch):
    """A^-1, not by Woodbury."""
    d = sketch.S.shape[1]
    return np.linalg.inv(sketch.alpha * np.eye(d) + sketch.S.T @ sketch.S)


def noisy(sketch, eps):
    """A <- (A^-1 + eps I)^-1, which has the same eigenvectors."""
    _, sigma, V = np.linalg.svd(sketch.S, full_matrices=False)
    alpha = 1 / (1 / sketch.alpha + eps)
    values = 1 / (1 / (sketch.alpha + sigma**2) + eps)
    return sketch._replace(alpha=alpha, S=np.sqrt(np.maximum(values - alpha, 0))[:, None] * V)


def step(sketch, x, m, eps, mu, nu):
    """P <- mu (P + eps I) - nu g g', g = (P + eps I) x, by Sherman-Morrison; then cut S."""
    if eps:
        sketch = noisy(sketch, eps)
    q = x @ inverse(sketch) @ x
    S = np.vstack([sketch.S, np.sqrt(nu / mu / (1 - nu / mu * q)) * x]) / np.sqrt(mu)
    seen = sketch.seen | (x != 0)
    new = Sketch(sketch.alpha / mu, S, sketch.rows + (nu > 0), seen)
    return cut(new, m) if new.rows == 2 * m else new


def cut(sketch, m):
    """Keep the m largest singular values; what was dropped is shared by all other directions."""
    _, sigma, V = np.linalg.svd(sketch.S, full_matrices=False)
    others = int(sketch.seen.sum()) - m
    share = (sigma[m:] ** 2).sum() / others if others > 0 else 0.0
    kept = np.sqrt(np.maximum(sigma[:m] ** 2 - share, 0))
    return sketch._replace(alpha=sketch.alpha + share, S=kept[:, None] * V[:m], rows=m)
