"""The dual form of spaces: w and P over stored examples, for a kernel or for none.

A space combines how examples are stored (`support_dense`, `support_sparse`), what is kept of them
(`dual_first`, `dual_second`, or `dual_second.explicit` with w as a dense vector) and a kernel. When
there is no room left, the loop stops, the model calls `grow`, and the loop goes on.
"""

from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from ..engine.parts import Space
from ..engine.round import Shape
from ..errors import NotThere
from ..kernels import Linear
from . import dual_first, dual_second, support_dense, support_sparse
from .state import CHANCE, HELD, LIMIT, Room, Table


class Dual:
    """The space of an order, for dense or sparse rows and a kernel.

    `kernel` is the class of a NamedTuple, or a function; if `bounded`, excess examples are evicted.
    """

    def __init__(self, order: int, sparse: bool, kernel: Any, bounded: bool) -> None:
        self.order, self.sparse, self.kernel, self.bounded = order, sparse, kernel, bounded
        self.explicit = order == 2 and sparse and kernel is Linear  # w is a dense vector
        storage: Any = support_sparse if sparse else support_dense
        kept: Any = dual_second.explicit if self.explicit else (dual_first, dual_second)[order - 1]
        self.storage, self.kept, self.Rows, self.rows = storage, kept, storage.Rows, storage.rows
        self.table = Table(storage.FIELDS | kept.FIELDS)
        self.State, self.at, self.scaled = self.table.State, self.table.at, self.table.scaled
        names = [space.__name__.rpartition(".")[2] for space in (storage, kept)]
        named = kernel.__name__ if kernel.__name__.isidentifier() else "kernel"
        self.__name__ = "_".join([*names, named, "bounded" * bounded])

    @property
    def parts(self) -> dict[str, Any]:
        """Return what the parts of the loop stand for."""
        function = kernel = self.kernel
        if isinstance(kernel, FunctionType):  # of two arrays
            kernel = SimpleNamespace(compare=lambda numbers, x, xx, y, yy: float(function(x, y)))
        own = SimpleNamespace(State=self.State, Rows=self.Rows, at=self.at)
        if not self.bounded:
            own.evict = Space.evict
        return {"space": (own, self.kept, self.storage), "storage": self.storage, "kernel": kernel}

    def size(self, width: int, capacity: int = 0, slot: int = 0, classes: int = 1) -> int:
        """Return the bytes of a state or stack with this room, by default that of the start."""
        capacity, slot = (capacity, slot) if capacity else self.storage.START
        return self.table.size(width, capacity, slot, classes)

    def start(
        self, width: int, shape: Shape | None, limit: float = np.inf, chance: float = 1.0
    ) -> Any:
        """Return the state for at most `limit` examples; `chance` seeds which ones are evicted."""
        capacity, slot = self.storage.START
        state = self.table.start(width, shape, int(min(capacity, limit + 1)), slot)
        state.scalars[[LIMIT, CHANCE]] = limit, chance
        return state

    def resized(self, s: Any, width: int, capacity: int, slot: int) -> Any:
        """Return a copy of the state with this room."""
        used = Room(self.width(s), int(s.scalars[HELD]), self.room(s)[1])
        return self.table.resized(s, Room(width, capacity, slot), used)

    def room(self, s: Any) -> tuple[int, int]:
        """Return the room in the state for examples, and for non-zeros of each."""
        return s.xx.shape[-1], s.values.shape[-1] if self.sparse else 0

    def wanted(self, s: Any, rows: Any) -> tuple[int, int]:
        """Return the room for a step on the first row, with half as much again for later ones."""
        capacity, slot = self.room(s)
        held, needed = int(s.scalars[HELD]), self.storage.needed(rows)
        if held >= capacity:
            capacity = int(min(capacity + capacity // 2 + 8, s.scalars[LIMIT] + 1))
        return capacity, slot if needed <= slot else max(needed, slot + slot // 4)

    def grow(self, s: Any, capacity: int, slot: int) -> Any:
        """Return a copy of the state with at least this room."""
        return self.resized(s, self.width(s), *np.maximum(self.room(s), (capacity, slot)).tolist())

    def width(self, s: Any) -> int:
        """Return the number of features, with the constant."""
        return len(s.wide) if self.sparse else s.x.shape[1]

    def widen(self, s: Any, width: int) -> Any:
        """Return the state with new features."""
        return self.resized(s, width, *self.room(s))

    def weights(self, s: Any) -> np.ndarray:
        """Return w, for the linear kernel."""
        if self.kernel is not Linear:
            raise NotThere(
                f"There are no weights of features with the kernel {self.kernel.__name__}."
            )
        if self.explicit:
            return s.w.copy()
        return self.storage.combined(s, self.kept.coefficients(s), self.width(s))

    def sound(self, s: Any) -> bool:
        """Return whether counts and indices are valid and the numbers finite."""
        held, limit = s.scalars[HELD], s.scalars[LIMIT]
        if not (self.table.limited(s) and limit > 0 and limit >= max(held, self.room(s)[0] - 1)):
            return False
        return self.storage.sound(s, int(held)) and self.kept.sound(s, int(held))
