"""Rounds one at a time, labels that come later, and answers that are corrected."""

import copy
import heapq
import warnings
from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..classes import rest
from ..classes.stack import of_one
from ..engine.loop import GIVEN, LATER, NONE
from ..engine.round import ASKED, CLASS, STRAINED, UPDATED
from ..engine.rows import Dense, Sparse, rows_of, taken
from ..errors import NotOpen, Refused, SelectronError
from . import support, weighting
from .run import EMPTY, Given, Outcome, code_of, indices
from .widths import blocks_by_width

LONGEST = 2**62  # of a delay: later labels never come
LOST = "Labels came that were open no more: max_open={} tickets are too few for this delay."
KEPT = ("classes", "width", "weighting", "strained", "labels")  # in a copy, besides arrays


class Delayed(NamedTuple):
    """A label on its way: the round at whose end it comes, its class, and its weight."""

    round: int
    place: int  # of the class: codes change with the third class
    weight: float


class Ticket(NamedTuple):
    """An open ticket: a row whose label was asked for."""

    block: Dense | Sparse
    chance: float  # with which it was asked for
    asked_in: int  # the round
    proposed: int  # the predicted class, -1 where no class had a name yet
    number: int  # of tickets until then, with it
    delayed: Delayed | None = None  # its label, if that is on its way


class LearnedAnswer(NamedTuple):
    """An answer that can be corrected, and what it depended on."""

    name: int | str  # of the ticket
    ticket: Ticket
    place: int  # of the class
    weight: float
    rounds: int
    classes: int
    width: int
    rows: dict[str, np.ndarray]  # what was known of rows by then
    renewals: tuple[tuple[int, dict], ...]  # since the answer before: width, what was known of rows
    before: dict[str, Any] | None = None  # what had been learned, at every 16th answer


class SingleRounds:
    """A model that decides on single rows and learns their labels later."""

    def decide(
        self: Any, block: Any, time: float = 0.0, name: str | None = None, label: int = LATER
    ) -> tuple[int, float, float, Any]:
        """Play a round whose label may come later: (class, margin, ask_probability, ticket).

        The ticket, `name` or else the next number, is None unless the label is asked for, which it
        never is if `label` is NONE. The row is kept until the ticket is answered, or until
        `max_open` newer ones are open.
        """
        one = self.one_round
        if self.timed:
            one.times[0] = time
        flags = self._play_one(block, label, self.draws.first(), True)
        if self.weighting.shifts:
            self.weighting.predict(one.out, self.calibration.proba(one.out, one.labels, EMPTY))
            flags = one.out[2].item()
        self.rounds += 1
        self.draws.taken += 1  # the one that was looked at
        index, margin, chance = flags >> CLASS, one.out[0].item(), one.out[1].item()
        if not flags & ASKED:
            return index, margin, chance, None
        self.tickets += 1
        ticket = self.tickets if name is None else name
        self.open[ticket] = Ticket(block, chance, self.rounds, index, self.tickets)
        if len(self.open) > self.max_open:
            self.open.popitem(last=False)
        return index, margin, chance, ticket

    def last_proba(self: Any) -> tuple[float, ...]:
        """Return the probability of every class in the last `decide`."""
        if self.weighting.shifts:
            return tuple(weighting.proba(self.one_round.out[3])[0].tolist())
        return self.calibration.of_one(self.one_round.out, self.one_round.labels)

    def tell(self: Any, ticket: int | str, label: int, weight: float = 1.0) -> bool:
        """Learn the label of an open ticket; return whether the learner took a step.

        The step starts from the current state, and counts as one of the round that asked. Raises
        NotOpen if the ticket is closed.
        """
        asked = self._ticket(ticket)
        if not self.correctable:
            updated = self._learn_one(asked, label, weight)
        else:
            place, rows = indices(label, self.stacked), self._row_statistics()
            if not self.answers or self.classes == self.answers[-1].classes:
                for name in ("moments", "totals", "counts"):  # only renewals use these
                    rows.pop(name, None)
            rows = {name: array.copy() for name, array in rows.items()}
            now = self.rounds, self.classes, self.width, rows, self.renewals
            updated = self._remember(LearnedAnswer(ticket, asked, place, weight, *now))
            self.renewals = ()
        self._close(ticket)
        return updated

    def expire(self: Any, ticket: int | str) -> None:
        """Close a ticket whose label will not come; raise NotOpen if it is not open."""
        self._ticket(ticket)
        self._close(ticket)

    def _close(self: Any, ticket: int | str) -> None:
        """Close an open ticket; neither it nor older ones count as on their way."""
        self.answered = max(self.answered, self.open.pop(ticket).number)

    def answer(self: Any, ticket: int | str, correct: bool) -> int:
        """Return the code to `tell` if the class proposed with a ticket was correct, or was not.

        Raises NotOpen if the ticket is closed, and SelectronError if it takes the right class to
        learn.
        """
        place = self._ticket(ticket).proposed
        if place < 0:
            raise SelectronError(
                f"No class was known when ticket {ticket!r} was given: answer it with a label."
            )
        if not correct and self.stacked and self.classes > 2:
            if self.space.reduction not in (rest, rest.coupled):
                raise SelectronError(
                    "correct=False says too little to learn several classes jointly: take "
                    'many="rest", or LeadingHistory().'
                )
            return LATER - (place + 1)
        return code_of(place if correct else 1 - place, self.stacked)

    def _ticket(self: Any, name: Any) -> Ticket:
        """Return the ticket of this number or name; raise NotOpen if it is not open."""
        named = isinstance(name, (int, str, np.integer))  # a union would be made each time
        ticket = self.open.get(name) if named else None
        if ticket is None:
            why = support.why_not_open(name, self.open, self.tickets, self.max_open)
            raise (NotOpen if named else SelectronError)(why)
        return ticket

    def play_late(self: Any, block: Any, given: Given, delays: np.ndarray) -> Outcome:
        """Simulate `decide` and `tell`: labels come `delays` rounds later, if they are asked for.

        That is after the own decision of the round, and of several in the order of asking. Labels
        that have not come by the end stay open tickets, for the next delayed run, or for `tell`.
        `UPDATED` marks the rounds whose label, once it came, was learned with a step.
        """
        n, before, earlier = len(given.labels), self.rounds, 0
        places = indices(given.labels, self.stacked)
        out, proba = self.outcome(n), np.empty((n, self.classes))
        record = out.arrays()
        queue = [(one.delayed.round, ticket) for ticket, one in self.open.items() if one.delayed]
        heapq.heapify(queue)
        with self.restoring():
            self.open, self.guarded = OrderedDict(self.open), True
            for first, size, piece in blocks_by_width(self, block, n):
                for t in range(first, first + size):
                    row = rows_of(piece, t - first, t - first + 1)
                    time = given.times[t] if len(given.times) else 0.0
                    label = NONE if given.labels[t] == NONE else LATER
                    try:
                        *_, ticket = self.decide(row, time, label=label)
                    except Refused as error:
                        raise Refused(t, error.reason) from None
                    for whole, found in zip(record, self.one_round.out, strict=True):
                        whole[t : t + 1] = found
                    if not self.ranks:
                        proba[t] = self.last_proba()
                    if ticket is not None:
                        comes = self.rounds + min(delays[t].item(), LONGEST)
                        weight = 1.0 if given.weights is None else given.weights[t].item()
                        delayed = Delayed(comes, places[t].item(), weight)
                        # not a view, which would keep the whole block
                        alone = taken(row, np.zeros(1, int))
                        self.open[ticket] = self.open[ticket]._replace(block=alone, delayed=delayed)
                        heapq.heappush(queue, (comes, ticket))
                    earlier += self._deliver(queue, before, out)
            self.guarded = False
        replay = None if self.ranks else partial(np.asarray, proba)
        return replace(out, replay=replay, earlier=earlier)

    def _deliver(self: Any, queue: list, before: int, out: Outcome) -> int:
        """Learn the labels that have come by now, but those of expired tickets.

        Return the number of steps on those that were asked for before round `before`.
        """
        earlier = 0
        while queue and queue[0][0] <= self.rounds:
            ticket = heapq.heappop(queue)[1]
            if ticket not in self.open:
                warnings.warn(LOST.format(self.max_open), stacklevel=2)
                continue
            strained, at = self.strained, self.open[ticket].asked_in - before - 1
            _, place, weight = self.open[ticket].delayed
            try:
                updated = self.tell(ticket, code_of(place, self.stacked), weight)
            except Refused as error:
                raise Refused(max(0, at), error.reason) from None
            if at >= 0:
                out.flags[at] |= UPDATED * updated | STRAINED * (self.strained > strained)
            else:
                earlier += updated
        return earlier

    def corrected(self: Any, ticket: int | str, label: int) -> Any:
        """Return a copy that learned this label of an answered ticket, and all later ones again.

        Raises SelectronError if it is not one of the last `correctable` tickets answered.
        """
        answers = self.answers
        recent = [answer.name for answer in answers[: -self.correctable - 1 : -1]]
        known = isinstance(ticket, int | str | np.integer) and ticket in recent
        if not (self.correctable and known) or ticket in self.open:  # a name may come again
            raise SelectronError(support.why_not_corrected(ticket, self.open, self.correctable))
        at = len(answers) - 1 - recent.index(ticket)
        place = indices(label, self.stacked)
        first = max(i for i, answer in enumerate(answers[: at + 1]) if answer.before is not None)
        model = copy.copy(self)
        again = list(answers)
        again[at] = answers[at]._replace(place=place)
        model._restore(answers[first].before or {})
        if not self.weighting.balanced:  # the classes since then have weights, too
            model.weighting = model.weighting._replace(factors=self.weighting.factors)
        model.answers = tuple(again[:first])
        for i, answer in enumerate(again[first:], first):
            model.rounds = answer.rounds
            if i > first:  # the copy knows earlier ones
                model._renew_again(answer.renewals)
            model.widen(answer.width)
            if answer.place >= answer.classes:  # a class that is new with the correction
                model.extend(answer.place + 1)
            model._set_row_statistics(answer.rows)
            model.extend(answer.classes)
            model._remember(answer._replace(classes=model.classes))
        model.open, model.rounds = self.open, self.rounds
        model._renew_again(self.renewals)
        model.extend(self.classes)
        model.widen(self.width)
        model._set_row_statistics(self._row_statistics())
        model.renewals = self.renewals
        return model

    def _row_statistics(self: Any) -> dict[str, np.ndarray]:
        """Return what is known of rows, which no label changes: the same for all classes."""
        names = getattr(of_one(self.space), "OF_ROWS", ())
        return {name: getattr(self.state, name) for name in names}

    def remember_rows(self: Any) -> None:
        """Remember what is known of rows, so that a correction can widen or renew as now."""
        rows = {name: array.copy() for name, array in self._row_statistics().items()}
        self.renewals = (*self.renewals, (self.width, rows))

    def _set_row_statistics(self: Any, rows: dict[str, np.ndarray]) -> None:
        """Set what is known of rows."""
        for name, array in rows.items():
            getattr(self.state, name)[...] = array

    def _renew_again(self: Any, renewals: tuple[tuple[int, dict], ...]) -> None:
        """Renew what the state derives from all rows, by what was known of them each time."""
        for width, rows in renewals:
            self.widen(width)
            self._set_row_statistics(rows)
            self.renew(self.rounds + 1)

    def _remember(self: Any, answer: LearnedAnswer) -> bool:
        """Learn an answer, and keep it among those that can be corrected."""
        before = self._snapshot() if len(self.answers) % support.COPY_EVERY == 0 else None
        code = code_of(answer.place, self.stacked)
        updated = self._learn_one(answer.ticket, code, answer.weight)
        self.answers = (*self.answers, answer._replace(before=before))
        if len(self.answers) >= self.correctable + 2 * support.COPY_EVERY:
            self.answers = self.answers[support.COPY_EVERY :]
        return updated

    def _snapshot(self: Any) -> dict[str, Any]:
        """Return what labels change, in arrays of its own."""
        kept = {name: getattr(self, name) for name in KEPT}
        kept["arrays"] = tuple(array.copy() for array in self.state)
        return {**kept, "calibration": self.calibration.copy()}

    def _restore(self: Any, before: dict[str, Any]) -> None:
        """Return to a snapshot, without open tickets; what askers remember stays as it is."""
        self.__dict__.update({name: before[name] for name in KEPT})
        self.calibration, self.open = before["calibration"].copy(), OrderedDict[int | str, Ticket]()
        self.equip()
        self.state = self.space.State(*(array.copy() for array in before["arrays"]))

    def _learn_one(self: Any, ticket: Ticket, label: int, weight: float) -> bool:
        """Learn the label of one row; return whether the learner took a step."""
        times, weighting = 1, self.weighting
        if label >= LATER and (weight != 1 or weighting.weighs):  # a class that has a weight
            index = indices(np.array([label]), self.stacked)
            draw = max(self.rounds - 1, weighting.drawn + 1)
            weighting = weighting.at(self.rounds - 1, self.classes)
            times = weighting.times(np.array([weight]), index, draw).item()
            weighting = weighting._replace(drawn=draw).learned(index[: min(times, 1)])
        flags = 0
        if times == 1:
            flags = self._play_times(ticket, label, 1)
        elif times:
            with self.restoring():
                flags = self._play_times(ticket, label, times)
        self.weighting = weighting
        self.strained += flags & STRAINED != 0
        self.labels += times > 0
        return flags & UPDATED != 0

    def _play_times(self: Any, ticket: Ticket, label: int, times: int) -> int:
        """Learn a label several times, once for the calibration; return the flags of all."""
        one, shift = self.one_round, ticket.asked_in - self.rounds - 1  # to the round that asked
        flags = self._play_one(ticket.block, label, GIVEN, self.calibration.own, shift)
        if not self.ranks:
            one.out[1][0] = ticket.chance / times
            self.calibration.learn(one.out, one.labels, one.out[1])
        for _ in range(times - 1):
            flags |= self._play_one(ticket.block, label, GIVEN, False, shift)
        return flags

    def _play_one(
        self: Any, block: Dense | Sparse, label: int, draw: float, full: bool, shift: int = 0
    ) -> int:
        """Play one row without counting it; return its flags, and leave the rest in `one_round`.

        It is in the next round, or `shift` rounds after that, where `shift` is 0 or negative.
        """
        one = self.one_round
        one.labels[0], one.draws[0] = label, draw
        *rounds, out = one
        if self.recent[0] is not block:  # for `tell` right after `decide`
            self.recent = block, self._rows(block)
        rows = self.recent[1]
        kept: list[np.ndarray] = []
        before, renewals, weighting = self.state, self.renewals, self.weighting
        if weighting.balanced and draw != GIVEN:
            self.weighting = weighting.at(self.rounds, self.classes)
        if self.renewing:
            self.renew(self.rounds + (0 if draw == GIVEN else 1))
        if label != LATER and self.stacked and self.space.refuses and not self.guarded:
            kept = [array.copy() for array in (*self.state, self.past)]
        waiting = self.tickets - self.answered  # labels of older open tickets may never come
        while not self._call(rows, rounds, shift, full, out, waiting):
            if label == LATER or not self._grown(rows):
                self.state, self.renewals, self.weighting = before, renewals, weighting
                if kept:
                    self.state, self.past = self.space.State(*kept[:-1]), kept[-1]
                raise Refused(0, support.why_refused(block, 0))
        if self.sketch is not None:
            self.space.compress(self.state)
        return out[2].item()
