"""The decisions of all compositions: the table in `decisions.txt`, and what plays it.

A line is a cell of the grid and a digest of what it decides on the laws' stream, in plain Python:
which class is predicted, whether its label is asked for, and whether there is a step. Where a
change of decisions is intended, rewrite the table, and look at its diff:

    python -m tests.laws.decisions
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from selectron.engine.rows import Dense
from selectron.errors import SelectronError
from selectron.kernels import RBF, Linear, Polynomial
from selectron.learners import BudgetPerceptron, Forgetron
from selectron.model.compose import asker_type
from selectron.model.model import Model

from .grid import ASKERS, LEARNERS, SPACES, every, named, plain_loop, sparse_block, stream

TABLE = Path(__file__).with_name("decisions.txt")
BOUNDED = {"budget-perceptron": BudgetPerceptron(budget=7), "forgetron": Forgetron(budget=8)}
ALL = {**LEARNERS, **BOUNDED}
KERNELS = {"rbf": RBF(0.3), "poly": Polynomial(2), "linear": Linear()}
MANY = ("joint", "exact", "rest")
REFUSED = "refused"
WIDTH, CLASSES = 6, 4
ROWS = stream(n=60, width=WIDTH)
CODES = (1 + np.abs(ROWS.values.sum(axis=1)).astype(np.int32) % CLASSES).astype(np.int32)


class Cell(NamedTuple):
    """A composition: learner, asker, space, and where they are given a reduction and a kernel."""

    learner: str
    asker: str
    space: str
    many: str = "two"
    kernel: str = "primal"

    def model(self) -> Model:
        """Return a fresh model in plain Python."""
        options: dict[str, Any] = {}
        if self.many != "two":
            options |= {"classes": CLASSES, "many": self.many}
        if self.kernel != "primal":
            bound = 12 if self.learner in ("perceptron", "norma") else None
            options |= {"kernel": KERNELS[self.kernel], "max_support": bound}
        learner, asker = ALL[self.learner], ASKERS[self.asker]
        return InPython(learner, asker, width=WIDTH, sparse=SPACES[self.space], seed=7, **options)

    def digest(self) -> str:
        """Play the stream and return eight hexadecimal digits, or that the parts do not fit."""
        try:
            model = self.model()
        except SelectronError:
            return REFUSED
        block = sparse_block(ROWS.values) if SPACES[self.space] else Dense(ROWS.values)
        flags = model.run(block, ROWS.labels if self.many == "two" else CODES, full=False).flags
        return hashlib.sha256(flags.astype("<i4").tobytes()).hexdigest()[:8]


class InPython(Model):
    """A model that plays its rounds as plain Python."""

    def equip(self) -> None:
        super().equip()
        self.loop = plain_loop(type(self.learner), asker_type(self.asker), self.space)


def cells() -> Iterator[Cell]:
    """Yield every cell: of two classes, of many, and with kernels."""
    for case in every(compiled=False):
        space = "sparse" if case.sparse else "dense"
        yield Cell(named(LEARNERS, case.learner), named(ASKERS, case.asker), space)
    for learner in ALL:
        for space in SPACES:
            for many in MANY:
                yield from (Cell(learner, a, space, many) for a in ("margin", "margin-2", "rate"))
            for kernel in KERNELS:
                for many in ("two", *MANY):
                    yield Cell(learner, "margin", space, many, kernel)


def read() -> dict[Cell, str]:
    """Return the table."""
    lines = (line.split() for line in TABLE.read_text().splitlines())
    return {Cell(*cell): digest for *cell, digest in lines}


def write() -> None:
    """Rewrite the table."""
    with patch("selectron.model.widths.NARROW", 0):  # as in the tests
        lines = [f"{' '.join(cell)} {cell.digest()}\n" for cell in cells()]
    TABLE.write_text("".join(lines))


if __name__ == "__main__":
    write()
