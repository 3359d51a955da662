"""Model: the state of a learner and an asker, the draws, and the tickets of open labels.

Labels are codes here: -1 and +1 of two classes, 1 to K of many, and 0 for none. Rows are blocks,
whose shapes the estimators check. A call either succeeds, or raises and changes nothing.
"""

import math
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..askers import Always
from ..classes.stack import of_one
from ..engine.arithmetic import one_thread
from ..engine.loop import AGAIN, GIVEN, NEVER, NONE, Asker
from ..engine.parameters import floats
from ..engine.parts import NEVER_DUE, Learner, Space, declared
from ..engine.round import ASKED, STRAINED
from ..engine.rows import Dense, Sparse, as_dense, narrowed, no_rows, rows_of, widened
from ..errors import Refused, SelectronError
from . import calibration, support, weighting
from .compose import ENSEMBLE, EXACT, RANKINGS, asker_type, check_pair, loop, order_of, space_for
from .draws import BLOCK, Draws, constant
from .live import SingleRounds, Ticket
from .run import EMPTY, NO_ALARMS, Given, OneRound, Outcome, detect
from .widths import blocks_by_width, is_narrow, outgrow

Block = Dense | Sparse | list[Dense]


class Model(SingleRounds):
    """A learner and an asker, in the space for the learner's order and the kind of rows.

    Parameters: `width` features; `sparse` or dense rows; `classes`, their number, at least two;
    `many`, how more than two are learned, as in `compose.space_for`; `constant` puts a 1 in front
    of every row; `normalize` scales rows to unit length (None: as in the learner's paper); `seed`
    as in `Draws`; `max_open` bounds the number of open tickets. A `kernel`, an object of `kernels`
    or a function, selects the dual form; `max_support` bounds the examples that are kept.
    `sketch` is the number of directions that a sketch of P keeps; None keeps all of P. `balanced`
    weighs labels by the frequencies of classes. The last `correctable` answers can be corrected.
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
        balanced: bool = False,
        correctable: int = 0,
        sketch: int | None = None,
    ) -> None:
        check_pair(learner, asker)
        self.learner, self.asker = learner, asker
        self.numbers = floats(learner), floats(asker)
        self.width, self.sparse, self.constant = width, sparse, constant
        self.classes, self.many = max(2, classes), many
        self.ranks = many in RANKINGS  # a row may be of several classes, without probabilities
        self.exact = many in EXACT  # all classes share a matrix in second order
        own = declared(learner, Learner, "normalize")(learner)
        self.normalize = bool(own if normalize is None else normalize)
        self.max_open = max_open
        self.kernel = support.kernel_for(learner, kernel, max_support, sparse)
        self.dual = self.kernel is not None  # examples are kept instead of weights of features
        self.aging = order_of(learner) is ENSEMBLE  # whose leading expert has an age
        self.max_support, self.sketch = max_support, sketch
        self.draws = Draws(seed)
        self.chance = self.draws.aside()
        self.weighting = weighting.Weighting(self.chance, balanced, self.aging)
        self.correctable, self.answers, self.renewals = correctable, (), ()
        self.rounds = self.strained = self.labels = 0  # labels learned
        self.open = OrderedDict[int | str, Ticket]()  # by number or name, oldest first
        self.alarms = NO_ALARMS  # the state of the detector of drift
        self.guarded = False  # whether the state is restored if anything goes wrong
        self.tickets = self.answered = 0  # the last one given, and the last one answered
        self.state: Any = None
        self.equip()
        support.check_start(self, self.width, self.classes)
        self.state = self.new_state()
        self.past = np.array(declared(asker, Asker, "past")(asker), dtype=float)
        self.calibration: calibration.Calibration = calibration.start(learner, self.columns)

    @property
    def stacked(self) -> bool:
        """Whether every class has a vector; else one vector separates two classes."""
        return self.classes > 2 or self.ranks or self.exact

    @property
    def columns(self) -> int:
        """Number of scores of a row."""
        return self.classes if self.stacked else 1

    def equip(self) -> None:
        """Set what is derived from the parameters: the space, the loop, and arrays of one round."""
        many = (self.many or "joint") if self.stacked else None
        kernel = support.kernel_type(self.kernel)
        most = min(support.capacity(self.learner), self.max_support or math.inf)
        self.limit = most if self.dual else math.inf
        bounded, sketched = self.limit < math.inf, self.sketch is not None
        sparse = self.sparse and not is_narrow(self, self.width)
        self.space: Any = space_for(self.learner, sparse, many, kernel, bounded, sketched)
        rows_left = declared(of_one(self.space), Space, "rows_left")
        self.renewing = rows_left is not Space.rows_left  # derives something from all rows
        self.timed = bool(declared(self.asker, Asker, "timed")(self.asker))  # uses times of rows
        self.scaled = self.normalize and not self.aging  # an ensemble's rows come scaled
        own = (self.normalize,) if self.aging else ()
        numbers = floats(self.kernel) if isinstance(kernel, type) else ()  # a function has none
        self.tail = (numbers,) if self.dual else own
        self.recent: tuple[Any, tuple] = (None, ())
        self.loop = loop(type(self.learner), asker_type(self.asker), self.space)
        self.codes: Any = np.int32 if self.stacked else np.int8  # the type of labels and flags
        self._make_one_round()

    def _make_one_round(self) -> None:
        labels, times = np.zeros(1, self.codes), np.zeros(int(self.timed))
        self.one_round = OneRound(labels, np.zeros(1), times, self.outcome(1).arrays())

    def prepare(self, calibrated: bool = True) -> None:
        """Compile the loop, or load it from disk; that of the calibration too, if it is used."""
        predict = self.proba if calibrated and not self.ranks else self.look
        predict(no_rows(self.sparse, self.width), 0)

    def run(
        self,
        block: Block,
        labels: np.ndarray,
        full: bool = True,
        times: Any = EMPTY,
        weights: np.ndarray | None = None,
        delays: np.ndarray | None = None,
        calibrated: bool = True,
    ) -> Outcome:
        """Play rounds; a label, where there is one, is used only if it is asked for.

        A list of blocks may grow wider. `times` are those of the rows in seconds, if the asker uses
        them. A label of weight w is learned w times. `delays` are the numbers of rounds that labels
        take to come: see `play_late`. Rounds that are not `calibrated` have no probabilities.
        """
        before, given = self.rounds, Given(labels, times, weights)
        if delays is not None:
            out = self.play_late(block, given, delays)
        else:
            draw = GIVEN if isinstance(self.asker, Always) else None  # which uses no draws
            out = self._learn(block, given, draw, full, full and calibrated)
        if len(out.evidence):
            self.alarms, out = detect(self.alarms, before, out)
        return out

    def learn(self, block: Block, labels: np.ndarray, weights: np.ndarray | None = None) -> Outcome:
        """Play rounds in which every label is given."""
        return self._learn(block, Given(labels, EMPTY, weights), GIVEN, False, True)

    def look(self, block: Any, n: int, full: bool = False, scores: bool = False) -> Outcome:
        """Predict without changing anything."""
        out = self.outcome(n, full, scores)
        block = narrowed(block, self.width)  # features that no row had count as 0
        self._play(block, Given(np.full(n, NONE, self.codes)), NEVER, out)
        return out

    def proba(self, block: Dense | Sparse, n: int) -> np.ndarray:
        """Return the probabilities of the classes for n rows, (n, n_classes)."""
        outcome = self.look(block, n, full=self.calibration.own, scores=True)
        if self.weighting.shifts:
            return weighting.proba(np.asarray(outcome.scores))
        codes = np.full(n, NONE, self.codes)
        return self.calibration.proba(outcome.arrays(), codes, EMPTY)

    def widen(self, width: int) -> None:
        """Grow to `width` features; new ones count as 0 in the rows so far."""
        if width <= self.width:
            return
        if is_narrow(self, self.width) and not is_narrow(self, width):
            outgrow(self, width)
        else:
            support.check_start(self, width, self.classes)
            if self.correctable:
                self.remember_rows()
            self.state = self.space.widen(self.state, self.weights_of(width))
        self.width, self.recent = width, (None, ())
        self.open = OrderedDict(
            (name, ticket._replace(block=widened(ticket.block, width)))
            for name, ticket in self.open.items()
        )

    def extend(self, classes: int) -> None:
        """Grow to this many classes; new ones start with no weights, or as rare ones."""
        if classes <= self.classes:
            return
        support.check_start(self, self.width, classes)
        stacked, self.classes, self.past, gap = self.stacked, classes, self.past.copy(), 1.0
        if not stacked:
            self.equip()
            self.state = self.space.of_two(self.state, self.normalize)
            gap = 2 * self.space.reduction.share(self.normalize)
        self.calibration = calibration.extended(self.calibration, classes, gap)
        self._make_one_round()
        self.state = self.space.extend(self.state, classes, self._start_one)

    def set_asker(self, asker: Any) -> None:
        """Ask by another asker from now on; a budget may go on from the record of the old one."""
        check_pair(self.learner, asker)
        past = declared(asker, Asker, "past_after")(asker, self.asker, self.past)
        self.asker, self.numbers = asker, (self.numbers[0], floats(asker))
        self.past = np.array(past, dtype=float)
        self.equip()

    def weights(self) -> np.ndarray:
        """Return the weights, (n_weights,) or (n_classes, n_weights); the constant's come first."""
        w = self.space.weights(self.state)
        return w if self.constant or self.weights_of(0) == 0 else w[..., 1:]

    def __getstate__(self) -> dict[str, Any]:
        left = ("space", "loop", "one_round", "recent", "codes", "state")
        kept = {name: value for name, value in vars(self).items() if name not in left}
        return {**kept, "arrays": tuple(self.state)}  # the type of a stack's state has no module

    def __setstate__(self, values: dict[str, Any]) -> None:
        arrays = values.pop("arrays")
        self.__dict__.update(values)
        self.past, self.calibration = np.array(self.past), self.calibration.copy()
        self.equip()
        # the arrays of a memory-mapped pickle are read-only
        self.state = self.space.State(*(np.require(a, requirements="W") for a in arrays))

    # Internals

    def new_state(self) -> Any:
        """Return the state before the first round."""
        start = self._start_one
        return self.space.begin(start, self.classes) if self.stacked else start()

    def _start_one(self, times: int = 1) -> Any:
        """Return the state of one vector before the first round, `times` as long as usual."""
        weights = times * self.weights_of(self.width)
        more = (self.limit, self.chance) if self.dual else self.start_room
        shape = declared(self.learner, Learner, "shape")(self.learner)
        return of_one(self.space).start(weights, shape, *more)

    def weights_of(self, width: int) -> int:
        """Return the number of weights for a number of features."""
        return width + (self.constant or (self.space.order == 1 and not self.dual))

    @property
    def start_room(self) -> tuple[int, ...]:
        """Return the room of a state for terms of a sketch, or for Fourier features, if any."""
        fourier = getattr(of_one(self.space), "fourier_features", None)
        if fourier is not None:
            return (fourier(self.learner, self.classes, self.state),)
        return () if self.sketch is None else (2 * self.sketch,)

    def outcome(self, n: int, full: bool = True, scores: bool = True, ages: bool = True) -> Outcome:
        """Return the empty record of n rounds, with margins and ages if `full`, and scores."""
        kept, aged = n if full else 0, n if full and ages and self.aging else 0
        shape = (n, self.columns) if scores else (0, 0)
        record = np.empty(kept), np.empty(kept), np.empty(n, self.codes), np.empty(shape)
        return Outcome(*record, np.empty(aged), np.empty((aged, 2)))

    def _learn(self, block: Any, given: Given, draw: Any, full: bool, calibrated: bool) -> Outcome:
        """Play rounds and count them, all or nothing; each takes one draw, used or not."""
        labels, times, weights = given
        if weights is not None or self.weighting.weighs:
            weights = np.ones(len(labels)) if weights is None else weights.copy()
            given = Given(labels.copy(), times, weights)
        out, calibrated = self.outcome(len(labels), full, full), calibrated and not self.ranks
        with self.restoring() as before:
            self._play(block, given, draw, out, calibrated)
        asked = out.flags & ASKED
        self.rounds += len(labels)
        self.strained += int(np.count_nonzero(out.flags & STRAINED))
        self.labels += int(np.count_nonzero(asked if weights is None else asked * (weights > 0)))
        self.answers, self.renewals = (), ()  # earlier answers stay as they are
        if draw is not None:
            self.draws.skip(len(labels))
        if not (full and calibrated):
            return out
        if self.weighting.shifts:
            return replace(out, replay=partial(weighting.proba, out.scores))
        record = out.arrays(), given.labels, weighting.ask_rates(out.ask_probability, weights)
        return replace(out, replay=partial(before["calibration"].proba, *record))

    def _play(
        self, block: Any, given: Given, draw: Any, out: Outcome, calibrated: bool = False
    ) -> None:
        """Play a block, or several that grow wider, with one draw for all rows; None: one each.

        If they are `calibrated`, labels have the weight 1 / probability of asking where that is
        recorded, and else the weight 1, as if they are all given.
        """
        full, shifts, proba = len(out.margin) > 0, self.weighting.shifts, calibration.NO_PROBA
        calibrated, margins = calibrated or shifts, shifts or self.calibration.own
        recorded = full or (shifts and draw is None)
        if self.timed and not len(given.times):
            given = given._replace(times=np.zeros(len(out)))  # of rounds that do not use them
        for first, n, piece in blocks_by_width(self, block, len(out)):
            start = 0
            while start < max(n, 1):
                at = first + start
                left = BLOCK if draw == NEVER else self.renew(self.rounds + at + 1)
                size = min(BLOCK, n - start, left)
                part = slice(at, at + size)
                draws = self.draws.take(size) if draw is None else constant(draw)[:size]
                labels, times, weights = given.part(part)
                rows, record = rows_of(piece, start, start + size), out.part(part)
                if calibrated:  # that takes the scores
                    record = record.filled(self.outcome(size, margins, ages=False))
                rounds, parts = (labels, draws, times), [(slice(None), self.weighting)]
                if weights is None:
                    self.play_block(rows, rounds, at, record)
                else:
                    parts = weighting.play_weighted(self, rows, rounds, at, record, weights)
                if calibrated:
                    chances = record.ask_probability if recorded else EMPTY
                    rates = weighting.ask_rates(chances, weights)
                    proba = np.empty((size, max(2, self.columns))) if shifts else proba
                    self.calibration.learn(record.arrays(), labels, rates, proba)
                for each, used in parts if shifts else ():
                    used.predict(record.part(each).arrays(), proba[each])
                start += max(size, 1)

    def play_block(self, block: Any, rounds: Any, start: int, out: Outcome) -> None:
        """Play rows, with labels, draws and times; make room in the state where there is none."""
        rows, full, record = self._rows(block), len(out.margin) > 0, out.arrays()
        new, at = rounds[1] != AGAIN, 0
        while True:
            played = self._call(rows, rounds, start, full, record)
            compressed = self.sketch is not None and self.space.compress(self.state)  # if full
            if at + played == len(out):
                return
            start += int(new[at : at + played].sum())
            at, rows = at + played, (rows[0][played:], *rows[1:])
            rounds, record = (tuple(a[played:] for a in arrays) for arrays in (rounds, record))
            if not compressed and (rounds[1][0] == NEVER or not self._grown(rows)):
                raise Refused(start - (not new[at]), support.why_refused(block, at))

    def renew(self, t: int) -> int:
        """Renew what follows from all rows, if due before t; return the rows until the next."""
        if not self.renewing:
            return NEVER_DUE
        space = of_one(self.space)
        one = space.at(self.state, 0) if self.stacked else self.state
        if left := space.rows_left(one, t):
            return int(left)
        if self.correctable:
            self.remember_rows()
        new = self.space.State(*(array.copy() for array in self.state))
        both = self.state, new
        states, copies = map(self.space.unstacked, both) if self.stacked else ([s] for s in both)
        try:
            with one_thread(), np.errstate(all="ignore"):  # as of rows near the limits of floats
                space.renew(states, copies)
        except (ValueError, ArithmeticError) as error:  # as if a decomposition does not converge
            raise SelectronError(f"What is known of the rows so far{support.TOO_LARGE}") from error
        self.state = new
        return max(1, space.rows_left(copies[0], t))

    def _rows(self, block: Dense | Sparse) -> tuple:
        """Return a block in the form that the loop takes."""
        if isinstance(block, Sparse) and is_narrow(self, self.width):
            block = as_dense(block, self.width)
        return tuple(self.space.rows(block, self.constant, *self.tail))

    def _grown(self, rows: tuple) -> bool:
        """Grow the dual state if it has no room for a step on the first row; return whether."""
        room = self.dual and self.space.wanted(self.state, self.space.Rows(*rows))
        if not room or room == self.space.room(self.state):
            return False
        support.check_room(self, room)
        self.state = self.space.grow(self.state, *room)
        return True

    def _call(
        self, rows: tuple, rounds: Any, start: int, full: bool, out: tuple, waiting: int = -1
    ) -> int:
        """Call the compiled loop; `rounds` are labels, draws and times."""
        state, before = tuple(self.state), self.rounds + start
        given = self.past, state, rows, *rounds, before, waiting, self.scaled, full, out
        return self.loop(*self.numbers, *given)

    @contextmanager
    def restoring(self) -> Iterator[dict[str, Any]]:
        """Return a context that restores all attributes if anything goes wrong, and gives them."""
        before, mark = dict(vars(self)), self.draws.mark()
        before["state"] = self.space.State(*(array.copy() for array in self.state))
        before["past"], before["calibration"] = self.past.copy(), self.calibration.copy()
        try:
            yield before
        except BaseException:
            vars(self).update(before)
            self.draws.reset(mark)
            raise
