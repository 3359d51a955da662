"""Kernels against scikit-learn's, and learners with kernels against explicit features.

Any Gram matrix K = F F' has features of its own: rows of F, from its eigenvectors. Learners that
see F through the linear kernel's primal form must do what they do with the kernel itself.
"""

import math

import numpy as np
import pytest
from sklearn.metrics import pairwise

from selectron.askers import Always, Margin
from selectron.engine.rows import Dense, Sparse
from selectron.kernels import RBF, Linear, Polynomial
from selectron.learners import SecondOrderPerceptron
from selectron.model.model import Model

from .grid import LEARNERS, plain_loop, sparse_block, stream

N = 44
KERNELS = {
    "linear": (Linear(), pairwise.linear_kernel, {}),
    "poly": (
        Polynomial(2, 0.5, 2.0),
        pairwise.polynomial_kernel,
        {"degree": 2, "gamma": 0.5, "coef0": 2},
    ),
    "rbf": (RBF(0.3), pairwise.rbf_kernel, {"gamma": 0.3}),
}
ROWS = stream(N, 6, missing=0.0)


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)


def between(kernel, x, y):
    kernel = type(kernel)(*kernel.numbers())
    return np.array([[kernel.value(a @ b, a @ a, b @ b) for b in y] for a in x])


@pytest.mark.parametrize("name", KERNELS)
def test_values(name):
    kernel, theirs, options = KERNELS[name]
    x, y = ROWS.values[:20], ROWS.values[20:35]
    np.testing.assert_allclose(between(kernel, x, y), theirs(x, y, **options), rtol=1e-12)


def test_values_at_the_edges():
    """Equal rows are at distance 0 whatever rounding says, and what overflows is no error."""
    assert RBF(1e300).value(1.0 + 1e-15, 1.0, 1.0) == 1.0
    assert RBF(1.0).value(0.0, 1e308, 1e308) == 0.0
    assert math.isnan(RBF(1.0).value(math.nan, 1.0, 1.0))
    assert Polynomial(100).value(1e10, 1.0, 1.0) == math.inf


def features(kernel, x):
    """Return rows F with F F' = K."""
    values, vectors = np.linalg.eigh(between(kernel, x, x))
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0)))


LEFT = [
    name
    for name, learner in LEARNERS.items()
    if not hasattr(learner, "radius") and not hasattr(learner, "ensemble")
]


@pytest.mark.parametrize("storage", ["dense", "sparse", "function"])
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@pytest.mark.parametrize("name", LEFT)
def test_a_kernel_is_its_features(name, kernel, storage):
    kernel = KERNELS[kernel][0]
    sparse = storage == "sparse"
    block: Dense | Sparse = sparse_block(ROWS.values) if sparse else Dense(ROWS.values)
    options = {"constant": False, "seed": 1}
    width, f = 6, features(kernel, ROWS.values)
    given = arrays(kernel) if storage == "function" else kernel
    dual = Model(LEARNERS[name], Margin(0.5), width=width, kernel=given, sparse=sparse, **options)
    primal = Model(LEARNERS[name], Margin(0.5), width=len(f), **options)
    found = dual.run(block, ROWS.labels)
    expected = primal.run(Dense(f), ROWS.labels)
    assert (found.flags == expected.flags).all()
    assert found.updated.sum() > 3
    np.testing.assert_allclose(found.margin, expected.margin, rtol=1e-6, atol=1e-6)


def arrays(kernel):
    """Return a kernel as a function of two arrays."""

    def function(x, y):
        return kernel.value(x @ y, x @ x, y @ y)

    return function


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_the_second_order_perceptron(kernel):
    """Figure 2 of Cesa-Bianchi, Gentile & Zaniboni, literally, on those features: v, S, and A."""
    kernel, a = KERNELS[kernel][0], 0.8
    x = np.column_stack([np.ones(N), ROWS.values])
    f = features(kernel, x)
    f /= np.linalg.norm(f, axis=1, keepdims=True)
    v, seen, margins = np.zeros(N), np.zeros((N, N)), []
    for row, y in zip(f, ROWS.labels, strict=True):
        matrix = a * np.eye(N) + seen + np.outer(row, row)
        margins.append(v @ np.linalg.solve(matrix, row))
        if (margins[-1] >= 0) != (y > 0):
            v += y * row
            seen += np.outer(row, row)
    model = Model(SecondOrderPerceptron(a), Always(), width=6, kernel=kernel)
    found = model.run(Dense(ROWS.values), ROWS.labels)
    assert found.updated.sum() > 10
    np.testing.assert_allclose(found.margin, margins, rtol=1e-7, atol=1e-9)
