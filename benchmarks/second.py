"""Second order on dense rows, compared with a product by BLAS on every round."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.limits import second_order
from benchmarks.passes import Row, row
from selectron.askers import Always
from selectron.engine.rows import Dense
from selectron.learners import LASEC, RLS
from selectron.model.model import Model
from selectron.streams import switching_gaussian


def second() -> Iterator[Row]:
    """Yield (name, ratio, absolute figures), steps on mistakes alone and on every round.

    BLAS uses one thread, as Selectron does.
    """
    with threadpool_limits(1):
        yield from ratios()


def ratios() -> Iterator[Row]:
    """Yield them, with the number of threads as it is."""
    for d, n in ((256, 10_000), (1024, 2_000)):
        for name, every in (("one concept", n), ("another concept every 500 rows", 500)):
            X, y = switching_gaussian(n, d, every)
            theirs = partial(second_order, X, y, 1.0, 1000.0, False)
            what = f"LASEC, d={d}, {name} / dsymv on every round, dsyr on mistakes"
            yield row(what, model(LASEC(), X, y), theirs, n, pairs=7)
        theirs = partial(second_order, X, y, 1.0, 1000.0, True)
        what = f"RLS, d={d}, a step on every round / dsymv and dsyr on every round"
        yield row(what, model(RLS(), X, y), theirs, n, pairs=7)


def model(learner: Any, X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    """Return a pass of a fresh model, margins not recorded."""
    codes, options = y.astype(np.int8), {"constant": False, "normalize": False}

    def call() -> Any:
        fresh = Model(learner, Always(), width=X.shape[1], **options)
        return fresh.run(Dense(X), codes, full=False)

    return call
