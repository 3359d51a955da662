"""The switching Gaussian of the LASEC paper."""

import numpy as np

from ..errors import SelectronError


def switching_gaussian(
    n: int = 10_000, d: int = 50, every: int = 500, seed: int | None = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return X of shape (n, d) and y in {-1, +1}: a linear concept, drawn anew every so often.

    x ~ N(0, I) and y = sign(<u, x>), with u ~ N(0, I) drawn again before rounds 0, every,
    2 every, ...

    Raises SelectronError if n, d or every is below 1.

    Source: Moroshko & Crammer, "Selective Sampling with Drift" (AISTATS 2014), section 5.

    >>> X, y = switching_gaussian(1000, d=3)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 3), [-1, 1])
    """
    if min(n, d, every) < 1:
        raise SelectronError(f"n, d and every must be above 0, got {n}, {d} and {every}.")
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    targets = random.standard_normal((-(-n // every), d))
    margins = np.einsum("td,td->t", X, targets[np.arange(n) // every])
    return X, np.where(margins >= 0, 1, -1)
