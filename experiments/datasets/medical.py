"""Abstracts of medical papers: OHSUMED."""

import numpy as np

from .blocks import arrays, indicator, sparse
from .dataset import Dataset
from .home import file, reading


def ohsumed() -> Dataset:
    """Return OHSUMED: 13,929 abstracts, 1,002 words (0 or 1, sparse), 23 diseases, "C01" to "C23".

    An abstract may be of several classes. `features` are the words. The order is as found, and
    there are no dates. Raises SelectronError where the file is not to be had.

    Source: Hersh et al., "OHSUMED: An Interactive Retrieval Evaluation and New Large Test
    Collection for Research" (SIGIR 1994), as in mldr.datasets.
    """
    with reading(file("ohsumed/ohsumed.npz")) as path:
        packed = arrays(path)
        names, order = packed["labels"], np.argsort(packed["labels"])
        relevant = np.unpackbits(packed["Y"], axis=1, count=len(names))[:, order]
    return Dataset(sparse(packed), indicator(relevant), names[order], features=packed["features"])
