"""Labels that come late: a simulated stream of `decide` and `tell`.

The label that is asked for in round t with a delay of d comes at the end of round t + d, after that
round's own decision. Labels that come in the same round are learned in the order of asking. Those
that have not come by the end stay open tickets, for the next delayed run, or for `tell`.
"""

import heapq
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..engine.loop import LATER, NONE
from ..engine.round import STRAINED, UPDATED
from ..engine.rows import rows_of, taken
from ..errors import Refused
from .calibration import proba_of
from .live import Delayed
from .run import Given, Outcome, code_of, indices

LONGEST = 2**62  # of a delay: later labels never come


def play(model: Any, block: Any, given: Given, delays: np.ndarray) -> Outcome:
    """Play rounds whose labels come `delays` rounds later, if they are asked for.

    `UPDATED` marks the rounds whose label, once it came, was learned with a step.
    """
    n, before, earlier = len(given.labels), model.rounds, 0
    places = indices(given.labels, model.stacked)
    out, proba = model.outcome(n), np.empty((n, model.classes))
    record = out.arrays()
    queue = [(one.delayed.round, ticket) for ticket, one in model.open.items() if one.delayed]
    heapq.heapify(queue)
    with model.lock, model.restoring():
        model.open, model.guarded = dict(model.open), True
        for first, size, piece in model.pieces(block, n):
            for t in range(first, first + size):
                row = rows_of(piece, t - first, t - first + 1)
                time = given.times[t] if len(given.times) else 0.0
                try:
                    *_, ticket = model.decide(row, time, NONE if given.labels[t] == NONE else LATER)
                except Refused as error:
                    raise Refused(t, error.reason) from None
                for whole, found in zip(record, model.one_round.out, strict=True):
                    whole[t : t + 1] = found
                if not model.ranks:
                    proba[t] = proba_of(model.belief())
                if ticket is not None:
                    comes = model.rounds + min(delays[t].item(), LONGEST)
                    weight = 1.0 if given.weights is None else given.weights[t].item()
                    delayed = Delayed(comes, places[t].item(), weight)
                    # not a view, which would keep the whole block
                    alone = taken(row, np.zeros(1, int))
                    model.open[ticket] = model.open[ticket]._replace(block=alone, delayed=delayed)
                    heapq.heappush(queue, (comes, ticket))
                earlier += _deliver(model, queue, before, out)
        model.guarded = False
    replay = None if model.ranks else partial(np.asarray, proba)
    return replace(out, replay=replay, earlier=earlier)


def _deliver(model: Any, queue: list, before: int, out: Outcome) -> int:
    """Learn the labels that have come by now, but those of expired tickets.

    Return the number of steps on those that were asked for before round `before`.
    """
    earlier = 0
    while queue and queue[0][0] <= model.rounds:
        ticket = heapq.heappop(queue)[1]
        if ticket not in model.open:
            continue
        strained, at = model.strained, model.open[ticket].asked_in - before - 1
        _, place, weight = model.open[ticket].delayed
        try:
            updated = model.tell(ticket, code_of(place, model.stacked), weight)
        except Refused as error:
            raise Refused(max(0, at), error.reason) from None
        if at >= 0:
            out.flags[at] |= UPDATED * updated | STRAINED * (model.strained > strained)
        else:
            earlier += updated
    return earlier
