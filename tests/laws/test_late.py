"""A run with late labels is a stream of `decide` and `tell`, bit for bit, however it is cut."""

from collections import defaultdict

import numpy as np
import pytest

from selectron.errors import SelectronError

from .grid import chunks
from .playing import learned, play_run, record_of, same_bits, snapshot

DELAYS = [0, 4, "mixed"]


def delays_of(kind, n):
    """Return the delays of n labels: all the same, or at random, so that later ones overtake."""
    mixed = np.random.default_rng(3).integers(0, 12, n)
    return mixed if kind == "mixed" else np.full(n, kind)


def play_late_live(case, model, rows, delays):
    """Decide row by row, and tell each label that many rounds later; return the record."""
    record, due = [], defaultdict(list)
    for t, (x, label) in enumerate(zip(rows.values, rows.labels, strict=True)):
        index, margin, probability, ticket = model.decide(case.block(x[None, :]))
        record.append([margin, probability, index == 1, ticket is not None, False])
        if ticket is not None:
            due[t + delays[t]].append((ticket, t, int(label)))
        for one, row, told in sorted(due.pop(t, [])):
            record[row][-1] = model.tell(one, told)
    return tuple(map(np.array, zip(*record, strict=True)))


def due_in(model):
    """Return the labels on their way, by ticket."""
    return {number: ticket.delayed for number, ticket in model.open.items() if ticket.delayed}


def rounds_of(model):
    """Return the rounds of the open tickets."""
    return {number: ticket.asked_in for number, ticket in model.open.items()}


@pytest.mark.parametrize("kind", DELAYS)
def test_late_labels_are_told(case, kind):
    rows = case.stream(missing=0.0)
    width, n = rows.values.shape[1], len(rows.labels)
    live, late = case.model(width), case.model(width)
    delays = delays_of(kind, n)
    expected = play_late_live(case, live, rows, delays)
    found = late.run(case.block(rows.values), rows.labels, delays=delays)
    assert same_bits(record_of(found), expected)
    assert same_bits(learned(late), learned(live))
    assert same_bits([late.past, late.calibration.s], [live.past, live.calibration.s])
    assert list(late.open) == list(live.open)
    assert (late.tickets, late.answered) == (live.tickets, live.answered)
    assert rounds_of(late) == rounds_of(live)


def test_a_late_run_may_be_cut_anywhere(case):
    rows = case.stream()
    width, n = rows.values.shape[1], len(rows.labels)
    whole, cut = case.model(width), case.model(width)
    delays = delays_of("mixed", n)
    expected = whole.run(case.block(rows.values), rows.labels, delays=delays)
    parts = [
        cut.run(case.block(part.values), part.labels, delays=delays[a:b])
        for a, b in chunks(n, [1, 13, 4, 0, 2])
        for part in [rows.part(a, b)]
    ]
    for name in ("margin", "ask_probability", "asked", "index", "proba"):
        assert same_bits(
            [np.concatenate([getattr(part, name) for part in parts])], [getattr(expected, name)]
        )
    assert same_bits(snapshot(cut), snapshot(whole))
    assert due_in(cut) == due_in(whole)


def test_no_delay_is_a_run(case):
    rows = case.stream(missing=0.0)
    width, n = rows.values.shape[1], len(rows.labels)
    late, plain = case.model(width), case.model(width)
    found = late.run(case.block(rows.values), rows.labels, delays=np.zeros(n, int))
    assert same_bits(record_of(found), play_run(case, plain, rows))
    assert same_bits(learned(late), learned(plain))
    assert not late.open


def test_a_late_run_that_fails_leaves_no_trace(case):
    rows = case.stream()
    width = rows.values.shape[1]
    model = case.model(width)
    delays = delays_of("mixed", len(rows.labels))
    model.run(case.block(rows.values), rows.labels, delays=delays)
    before, due = snapshot(model), due_in(model)
    values = rows.values.copy()
    values[-1, 0] = np.nan
    with pytest.raises(SelectronError, match=f"[Rr]ow {len(values) - 1}"):
        model.run(case.block(values), rows.labels, delays=delays)
    assert same_bits(snapshot(model), before)
    assert due_in(model) == due
