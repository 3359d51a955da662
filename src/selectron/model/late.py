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
from typing import Any, NamedTuple

import numpy as np

from ..engine.loop import LATER, NONE
from ..engine.round import ASKED, STRAINED, UPDATED
from ..engine.rows import Dense, Sparse, extent, rows_of, taken
from ..errors import Refused
from .draws import BLOCK
from .live import Due, Ticket
from .run import Outcome, indices

LONGEST = 2**62  # of a delay: later labels never come
TIMELESS = np.zeros(0)


class Rounds(NamedTuple):
    """The rounds of a run: arrays of one element each."""

    labels: np.ndarray  # codes
    times: np.ndarray  # or empty
    weights: np.ndarray
    delays: np.ndarray


def play(
    model: Any,
    block: Any,
    labels: np.ndarray,
    times: np.ndarray,
    weights: np.ndarray | None,
    delays: np.ndarray,
) -> Outcome:
    """Play rounds whose labels come `delays` rounds later, if they are asked for.

    `UPDATED` marks the rounds whose label, once it came, was learned with a step.
    """
    n = len(labels)
    times = np.zeros(n) if model.timed and not len(times) else times
    weights = np.ones(n) if weights is None else weights
    rounds = Rounds(labels, times, weights, np.minimum(delays, LONGEST))
    out = Outcome.empty(n, True, model.columns, model.aging, model.codes)
    begins: list[tuple[int, Any]] = []  # of the parts, and the calibrations before them
    with model.turn, model.restoring():
        model.open, model.guarded = dict(model.open), True
        earlier = _play_pieces(model, block, rounds, out, begins)
        model.guarded = False
    replay = None if model.ranks else partial(_proba, out, labels, model.classes, begins)
    return replace(out, replay=replay, earlier=earlier)


def _play_pieces(model: Any, block: Any, rounds: Rounds, out: Outcome, begins: list) -> int:
    """Play a block, or several that grow wider; return the steps on labels of earlier runs."""
    before, n = model.rounds, len(rounds.labels)
    queue = [(one.due.round, ticket) for ticket, one in model.open.items() if one.due]
    heapq.heapify(queue)
    comes = np.where(rounds.labels == NONE, LONGEST, np.arange(n) + rounds.delays)
    soonest = np.minimum.accumulate(comes[::-1])[::-1]  # of this label and later ones
    first = earlier = 0
    for piece in block if isinstance(block, list) else [block]:
        size, width = extent(piece) if isinstance(block, list) else (n, model.width)
        model.widen(width)
        at = first
        while at < first + size:
            cut = soonest[at] + 1 if not queue else min(soonest[at] + 1, queue[0][0] - before)
            left = min(BLOCK, model.renew(model.rounds + 1))
            end = min(max(at + 1, int(cut)), at + left, first + size)
            begins.append((at, model.calibration.copy()))
            rows = rows_of(piece, at - first, end - first)
            _decide(model, rows, rounds, slice(at, end), out, queue)
            earlier += _deliver(model, queue, before, out)
            at = end
        first += size
    return earlier


def _decide(
    model: Any, rows: Dense | Sparse, rounds: Rounds, part: slice, out: Outcome, queue: list
) -> None:
    """Play rounds in which no label comes, and issue tickets for those that are asked for."""
    codes = rounds.labels[part]
    labels, record = np.where(codes == NONE, NONE, LATER).astype(codes.dtype), out.part(part)
    places = indices(codes, model.stacked)
    draws = model.draws.take(len(labels))
    try:
        model.play_block(rows, (labels, draws, rounds.times[part]), 0, record, model.waiting)
    except Refused as error:
        raise Refused(part.start + error.row, error.reason) from None
    for i in np.flatnonzero(record.flags & ASKED).tolist():
        row, asked_in, at = taken(rows, np.array([i])), model.rounds + i + 1, part.start + i
        index, chance = record.index[i].item(), record.ask_probability[i].item()
        comes, weight = asked_in + rounds.delays[at].item(), rounds.weights[at].item()
        due = Due(comes, places[i].item(), weight)
        heapq.heappush(queue, (comes, model.issue(Ticket(row, chance, asked_in, index, due))))
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
        _, place, weight = model.open[ticket].due
        code = place + 1 if model.stacked else 2 * place - 1
        try:
            updated = model.tell(ticket, code, weight)
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
