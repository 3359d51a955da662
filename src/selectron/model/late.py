"""Labels that come late: a simulated stream of `decide` and `tell`.

The label that is asked for in round t with a delay of d comes at the end of round t + d, after that
round's own decision. Labels that come in the same round are learned in the order of asking. Rounds
are played in blocks that are cut where a label may come; with a delay of 0 that is every round.
Labels that have not come by the end stay open tickets. The next delayed run delivers them, unless
`tell` has answered them before.
"""

import heapq
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..engine.loop import LATER, NONE
from ..engine.round import ASKED, STRAINED, UPDATED
from ..engine.rows import Dense, Sparse, rows_of, taken
from ..errors import Refused
from .draws import BLOCK
from .live import Delayed, Ticket
from .run import TIMELESS, Given, Outcome, code_of, indices

LONGEST = 2**62  # of a delay: later labels never come


def play(model: Any, block: Any, given: Given, delays: np.ndarray) -> Outcome:
    """Play rounds whose labels come `delays` rounds later, if they are asked for.

    `UPDATED` marks the rounds whose label, once it came, was learned with a step.
    """
    labels, times, weights = given
    n, delays = len(labels), np.minimum(delays, LONGEST)
    times = np.zeros(n) if model.timed and not len(times) else times
    given = Given(labels, times, np.ones(n) if weights is None else weights)
    out = model.outcome(n)
    begins: list[tuple[int, Any]] = []  # of the parts, and the calibrations before them
    with model.turn, model.restoring():
        model.open, model.guarded = dict(model.open), True
        earlier = _play_pieces(model, block, given, delays, out, begins)
        model.guarded = False
    replay = None if model.ranks else partial(_proba, out, labels, model.classes, begins)
    return replace(out, replay=replay, earlier=earlier)


def _play_pieces(
    model: Any, block: Any, given: Given, delays: np.ndarray, out: Outcome, begins: list
) -> int:
    """Play a block, or several that grow wider; return the steps on labels of earlier runs."""
    before, n = model.rounds, len(given.labels)
    queue = [(one.delayed.round, ticket) for ticket, one in model.open.items() if one.delayed]
    heapq.heapify(queue)
    comes = np.where(given.labels == NONE, LONGEST, np.arange(n) + delays)
    soonest = np.minimum.accumulate(comes[::-1])[::-1]  # of this label and later ones
    earlier = 0
    for first, size, piece in model.pieces(block, n):
        at = first
        while at < first + size:
            cut = soonest[at] + 1 if not queue else min(soonest[at] + 1, queue[0][0] - before)
            left = min(BLOCK, model.renew(model.rounds + 1))
            end = min(max(at + 1, int(cut)), at + left, first + size)
            begins.append((at, model.calibration.copy()))
            rows = rows_of(piece, at - first, end - first)
            part = slice(at, end)
            _decide(model, rows, given.part(part), delays[part], out.part(part), queue, at)
            earlier += _deliver(model, queue, before, out)
            at = end
    return earlier


def _decide(
    model: Any,
    rows: Dense | Sparse,
    given: Given,
    delays: np.ndarray,
    out: Outcome,
    queue: list,
    first: int,
) -> None:
    """Play rounds in which no label comes, and issue tickets for those that are asked for."""
    codes, times, weights = given
    labels = np.where(codes == NONE, NONE, LATER).astype(codes.dtype)
    places = indices(codes, model.stacked)
    draws = model.draws.take(len(labels))
    try:
        model.play_block(rows, (labels, draws, times), 0, out, model.waiting)
    except Refused as error:
        raise Refused(first + error.row, error.reason) from None
    for i in np.flatnonzero(out.flags & ASKED).tolist():
        row, asked_in = taken(rows, np.array([i])), model.rounds + i + 1
        index, chance = out.index[i].item(), out.ask_probability[i].item()
        comes = asked_in + delays[i].item()
        delayed = Delayed(comes, places[i].item(), weights[i].item())
        heapq.heappush(queue, (comes, model.issue(Ticket(row, chance, asked_in, index, delayed))))
    model.rounds += len(labels)


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


def _proba(out: Outcome, labels: np.ndarray, classes: int, begins: list) -> np.ndarray:
    """Return the probabilities of the classes at the decisions, (n_rows, n_classes)."""
    codes = np.where(labels == NONE, NONE, LATER).astype(labels.dtype)
    ends = [at for at, _ in begins[1:]] + [len(labels)]
    found = [np.empty((0, classes))]
    for (at, calibration), end in zip(begins, ends, strict=bool(begins)):
        part = out.part(slice(at, end))
        found.append(calibration.proba(part.arrays(), codes[at:end], TIMELESS))
    return np.concatenate(found)
