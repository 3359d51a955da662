"""What the laws compare: the record of rounds and the state they leave, bit by bit."""

import copy
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from selectron.engine.rows import Dense, Sparse
from selectron.errors import SelectronError
from selectron.model.model import Model, Outcome
from selectron.spaces.state import EPOCH, FRESH, HELD, MIX, SCRATCH

from .grid import Case, Stream

# of sketches and dual forms, beside `SCRATCH`; of an ensemble, a is learned
ROOM = frozenset({"a", "kappa"})
WHAT_LAST = [0, 1, 2, 6, 7]  # in `mix`, where the others are what was predicted last


class Record(NamedTuple):
    """What happened in some rounds: arrays of one element a round."""

    margin: np.ndarray  # empty if not recorded
    ask_probability: np.ndarray  # empty if not recorded
    positive: np.ndarray
    asked: np.ndarray
    updated: np.ndarray


def record_of(outcome: Outcome) -> Record:
    return Record(*(getattr(outcome, name) for name in Record._fields))


def play_run(case: Case, model: Model, rows: Stream, full: bool = True) -> Record:
    return record_of(model.run(case.block(rows.values), rows.labels, full=full))


def play_learn(case: Case, model: Model, rows: Stream) -> Record:
    return record_of(model.learn(case.block(rows.values), rows.labels))


def play_look(case: Case, model: Model, rows: Stream, full: bool = True) -> Record:
    return record_of(model.look(case.block(rows.values), len(rows.labels), full=full))


def play_live(case: Case, model: Model, rows: Stream) -> Record:
    """Decide each row, and tell its label at once if it is asked for."""
    record = []
    for x, label in zip(rows.values, rows.labels, strict=True):
        index, margin, probability, ticket = model.decide(case.block(x[None, :]))
        updated = ticket is not None and model.tell(ticket, int(label))
        record.append((margin, probability, index == 1, ticket is not None, updated))
    return Record(*map(np.array, zip(*record, strict=True)))


def in_parts(play: Callable, case: Case, model: Model, rows: Stream, cuts: Iterable) -> Record:
    """Play a stream piece by piece, and return one record."""
    records = [play(case, model, rows.part(*cut)) for cut in cuts]
    return Record(*map(np.concatenate, zip(*records, strict=True)))


def same_bits(left: Iterable[Any], right: Iterable[Any]) -> bool:
    """Do two records or states hold the same arrays, bit by bit?"""
    pairs = list(zip(left, right, strict=True))
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs)


def same_flags(left: Record, right: Record) -> bool:
    return same_bits(left[2:], right[2:])


def learned(model: Model) -> list[np.ndarray]:
    """Return copies of all arrays of the state but those that are written before they are read."""
    left_out = SCRATCH if "experts" in model.state._fields else SCRATCH | ROOM
    kept = [(name, array) for name, array in model.state._asdict().items() if name not in left_out]
    return [array[..., WHAT_LAST] if name == "mix" else array.copy() for name, array in kept]


def close(left: Iterable[Any], right: Iterable[Any], tolerance: float = 1e-9) -> None:
    for a, b in zip(left, right, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def matrix(model: Model) -> np.ndarray:
    """Return P, written out."""
    if model.sketch is not None:
        return sketched_matrix(model)
    if model.sparse:
        return model.state.p.copy()
    width = len(model.state.w)
    full = np.zeros((width, width))
    full[np.tril_indices(width)] = model.state.triangle
    return full + np.tril(full, -1).T


def sketched_matrix(model: Model) -> np.ndarray:
    """Return P, written out, of a model with a sketch."""
    s, n = model.state, int(model.state.scalars[HELD])
    c = s.c
    if model.sparse:
        now, m = int(s.scalars[EPOCH]), len(s.c) // 2
        y = s.y.copy()
        for j in np.flatnonzero((s.epoch > 0) & (s.epoch < now)):
            y[j] = np.concatenate([s.moved[s.epoch[j]] @ s.y[j, :m], np.zeros(m)])
        lower = np.zeros_like(s.gram)
        lower[np.tril_indices(len(s.c))] = s.triangle
        g, c = lower @ y.T, s.scalars[MIX] * s.c
    else:
        g = s.directions
    removed = (g[:n].T * c[:n]) @ g[:n]
    return s.scalars[FRESH] * np.eye(len(removed)) - (removed + removed.T) / 2


def with_constant(model: Model, values: np.ndarray) -> np.ndarray:
    """Return the rows as the learner takes them: a constant 1 in front, and of unit length."""
    rows = np.column_stack([np.ones(len(values)), values]) if model.constant else values
    if not model.normalize:
        return rows
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def refused(model: Model, play: Callable) -> bool:
    """Was it refused, with nothing changed? Fail if it was refused and left a trace."""
    before = snapshot(model)
    try:
        play()
    except SelectronError:
        assert same_bits(snapshot(model), before)
        return True
    return False


def snapshot(model: Model) -> list[np.ndarray]:
    """Return copies of all that later rounds depend on."""
    counts = np.array([model.rounds, model.tickets, model.width, *model.open])
    return [
        *learned(model),
        model.past.copy(),
        upcoming(model),
        counts,
        *waiting(one.block for one in model.open.values()),
    ]


def upcoming(model: Model) -> np.ndarray:
    """Return the next three draws, without taking them."""
    return copy.deepcopy(model.draws).take(3)


def waiting(blocks: Iterable[Dense | Sparse]) -> list[np.ndarray]:
    return [array.copy() for block in blocks for array in block]
