"""The stateful core: what is learned, the draws, and the tickets of labels that may still come.

Labels are codes here: -1 and +1 of two classes, 1 to K of many, and 0 for none. Rows are blocks,
and inputs are taken to be of the right shape; the faces see to that. Either a call does all of its
work, or it raises and changes nothing.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

from ..askers import Always
from ..classes.stack import of_one
from ..engine.loop import GIVEN, LATER, NEVER, NONE
from ..engine.parts import Asker, Learner, declared
from ..engine.round import ASKED, CLASS, STRAINED, UPDATED
from ..engine.rows import Dense, Sparse, no_rows
from ..errors import SelectronError
from . import support
from .compose import check_pair, kind_of, loop, space_for
from .draws import Draws
from .playing import TIMELESS, Playing, Room
from .refusal import why_not_open
from .run import Outcome


class Model(Playing):
    """A learner under an asker, in the space for its order and its rows.

    Parameters: `width` features; `sparse` rows or dense ones; `classes`, how many there are, two at
    least; `many`, how more than two are learned, as in `compose.space_for`; `constant` puts a 1 in
    front of every row; `normalize` scales rows to unit length (None: as the learner's paper does);
    `seed` as in `Draws`; `max_open` bounds the tickets that are kept open. A `kernel`, an object of
    `kernels` or a function, takes the dual form; `max_support` bounds the examples that are held.
    """

    def __init__(
        self,
        learner: Any,
        asker: Any,
        *,
        width: int,
        sparse: bool = False,
        classes: int = 2,
        many: str | None = None,
        constant: bool = True,
        normalize: bool | None = None,
        seed: Any = None,
        max_open: int = 10_000,
        kernel: Any = None,
        max_support: int | None = None,
    ) -> None:
        check_pair(learner, asker)
        self.learner, self.asker = learner, asker
        self.numbers = learner.numbers(), asker.numbers()
        self.width, self.sparse, self.constant = width, sparse, constant
        self.classes, self.many = max(2, classes), many
        self.normalize = bool(learner.normalize() if normalize is None else normalize)
        self.max_open = max_open
        self.kernel = support.kernel_for(learner, kernel, max_support, sparse)
        self.max_support = max_support
        self.draws = Draws(seed)
        self.chance = self.draws.aside()
        self.rounds = self.strained = 0
        self.open: dict[int, Dense | Sparse] = {}
        self.oldest = 1  # no open ticket has a lower number
        self.tickets = 0
        self._equip()
        support.check_start(self, self.width, self.classes)
        self.state = self._start()
        self.past = np.array(declared(asker, Asker, "past")(asker), dtype=float)

    @property
    def stacked(self) -> bool:
        """Is there a vector for every class? Else there is one between two."""
        return self.classes > 2 or self.many in ("ranking", "exact")

    def _equip(self) -> None:
        """Take up what is not kept with the model: the space, the loop, and room for one round."""
        many, kernel = (self.many or "joint") if self.stacked else None, support.kind(self.kernel)
        self.limit = support.limit(self.learner, self.max_support) if self.dual else math.inf
        self.space: Any = space_for(self.learner, self.sparse, many, kernel, self.limit < math.inf)
        self.scaled = self.normalize and not self.aging
        own = (self.normalize,) if self.aging else ()
        self.tail = (support.numbers(self.kernel),) if self.dual else own
        self.recent: tuple[Any, tuple] = (None, ())
        self.loop = loop(type(self.learner), kind_of(self.asker), self.space)
        self.codes = np.int32 if self.stacked else np.int8
        self.turn = Lock()
        out = Outcome.empty(1, True, 0, self.aging, self.codes).arrays()
        self.room = Room(np.zeros(1, self.codes), np.zeros(1), np.zeros(int(self.timed)), out)

    def prepare(self) -> None:
        """Compile the loop, or load it."""
        self.look(no_rows(self.sparse, self.width), 0)

    def run(
        self, block: Dense | Sparse, labels: np.ndarray, full: bool = True, times: Any = TIMELESS
    ) -> Outcome:
        """Play rounds in which a label, where there is one, is seen only if it is asked for.

        `times` are those of the rows in seconds, if the asker goes by them.
        """
        always = isinstance(self.asker, Always)  # it would not look at the draws
        return self._play_rounds(block, labels, always, full, times)

    def learn(self, block: Dense | Sparse, labels: np.ndarray) -> Outcome:
        """Play rounds in which every label is given."""
        return self._play_rounds(block, labels, given=True, full=False)

    def look(
        self, block: Dense | Sparse, n: int, full: bool = False, scores: bool = False
    ) -> Outcome:
        """Predict, and change nothing."""
        return self._play(block, np.full(n, NONE, self.codes), NEVER, full, scores)

    def decide(
        self, block: Dense | Sparse, time: float = 0.0
    ) -> tuple[int, float, float, int | None]:
        """Play a round whose label may come later: (class, margin, probability, ticket).

        There is a ticket if the label is asked for. The row is kept until the ticket is answered,
        or until `max_open` younger ones are open.
        """
        if len(self.room.times) > 0:
            self.room.times[0] = time
        flags = self._play_one(block, LATER, self.draws.first(), full=True)
        self.rounds += 1
        self.draws.skip(1)
        ticket = None
        if flags & ASKED:
            ticket = self.tickets = self.tickets + 1
            self.open[ticket] = block
            if len(self.open) > self.max_open:
                while self.oldest not in self.open:  # a dict's first key is far behind gaps
                    self.oldest += 1
                del self.open[self.oldest]
        margin, probability, *_ = self.room.out
        return flags >> CLASS, margin.item(), probability.item(), ticket

    def tell(self, ticket: int, label: int) -> bool:
        """Learn the label of an open ticket, from the model as it is now: did it step?"""
        block = self.open.get(ticket) if isinstance(ticket, int | np.integer) else None
        if block is None:
            raise SelectronError(why_not_open(ticket, self.tickets, self.max_open))
        flags = self._play_one(block, label, GIVEN, full=False)
        self.strained += flags & STRAINED != 0
        del self.open[ticket]
        return flags & UPDATED != 0

    @contextmanager
    def relating(self, relevant: np.ndarray) -> Iterator[None]:
        """Within, the label of row i of a call is the set of classes in row i of this table."""
        self.state = self.state._replace(relevant=relevant)
        try:
            yield
        finally:
            self.state = self.state._replace(relevant=relevant[:0])

    def widen(self, width: int) -> None:
        """Make room for features up to `width`; sparse rows only."""
        if width > self.width:
            support.check_start(self, width, self.classes)
            self.state = self.space.widen(self.state, self.weights_of(width))
            self.width = width

    def extend(self, classes: int) -> None:
        """Make room for so many classes: new ones have no weights yet."""
        if classes <= self.classes:
            return
        support.check_start(self, self.width, classes)
        stacked, self.classes, self.past = self.stacked, classes, self.past.copy()
        if not stacked:
            self._equip()
            self.state = self.space.of_two(self.state, self.normalize)
        self.state = self.space.extend(self.state, classes, self._start_one)

    def weights(self) -> np.ndarray:
        """Return the weights, the constant's first if there is one; of many classes, a row each."""
        w = self.space.weights(self.state)
        return w if self.constant or self.weights_of(0) == 0 else w[..., 1:]

    def __getstate__(self) -> dict[str, Any]:
        left = ("space", "loop", "room", "recent", "codes", "state", "turn")
        kept = {name: value for name, value in vars(self).items() if name not in left}
        return {**kept, "arrays": tuple(self.state)}  # the type of a stack's state has no module

    def __setstate__(self, values: dict[str, Any]) -> None:
        arrays = values.pop("arrays")
        self.__dict__.update(values)
        self.past = np.require(self.past, requirements="W")
        self._equip()
        # where a pickle is mapped from its file, the arrays in it are read-only
        self.state = self.space.State(*(np.require(a, requirements="W") for a in arrays))

    def _start(self) -> Any:
        """Return the state before the first round."""
        if self.stacked:
            return self.space.begin(self._start_one, self.classes)
        return self._start_one()

    def _start_one(self, times: int = 1) -> Any:
        """Return the state of one vector before the first round, or of one that is longer."""
        weights, more = times * self.weights_of(self.width), (self.limit, self.chance)
        return of_one(self.space).start(weights, self._shape(), *(more if self.dual else ()))

    def _shape(self) -> Any:
        return declared(self.learner, Learner, "shape")(type(self.learner)(*self.numbers[0]))

    def weights_of(self, width: int) -> int:
        """Return how many weights the space has for so many features."""
        return width + (self.constant or (self.space.order == 1 and not self.dual))
