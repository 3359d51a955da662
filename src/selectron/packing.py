"""A model as a header for JSON and plain arrays, and back."""

from typing import Any

import numpy as np
import scipy.sparse

from . import storage
from .draws import Draws
from .engine.rows import Dense, Sparse, joined, rows_of
from .errors import SelectronError
from .model import Model

SETTINGS = ("width", "sparse", "constant", "normalize", "max_open")


def pack(model: Model) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return all that the model is: nothing else is needed to go on bit for bit."""
    header = {
        "learner": storage.packed(model.learner),
        "asker": storage.packed(model.asker),
        "draws": model.draws.pack(),
        "open": list(model.open),
        "rounds": model.rounds,
        "tickets": model.tickets,
        **{name: getattr(model, name) for name in SETTINGS},
    }
    arrays = {f"state.{name}": array for name, array in model.state._asdict().items()}
    waiting = joined(list(model.open.values()))
    if waiting is not None:
        arrays |= {f"open.{name}": array for name, array in waiting._asdict().items()}
    return header, arrays


def unpack(
    header: dict[str, Any], arrays: dict[str, np.ndarray], learner: Any, asker: Any
) -> Model:
    """Return the model of a header and arrays, given its learner and its asker.

    The compiled loop trusts lengths and indices, so they are checked here.
    """
    model = Model(learner, asker, **{name: header[name] for name in SETTINGS})
    model.draws = Draws.unpack(header["draws"])
    model.rounds, model.tickets = int(header["rounds"]), int(header["tickets"])
    model.state = _alike(arrays, "state", model.state)
    _must(bool(np.isfinite(model.weights()).all()))
    tickets = [int(ticket) for ticket in header["open"]]
    if tickets:
        waiting = _waiting(arrays, len(tickets), model.width, model.sparse)
        rows = (rows_of(waiting, i, i + 1) for i in range(len(tickets)))
        model.open = dict(zip(tickets, rows, strict=True))
    return model


def _alike(arrays: dict[str, np.ndarray], prefix: str, like: Any) -> Any:
    """Return arrays of a file as a tuple like this one, of the same kinds and lengths."""
    found = like._replace(**{name: arrays[f"{prefix}.{name}"] for name in like._fields})
    for got, wanted in zip(found, like, strict=True):
        _must(got.shape == wanted.shape and got.dtype == wanted.dtype and got.flags.c_contiguous)
    return found


def _waiting(arrays: dict[str, np.ndarray], n: int, width: int, sparse: bool) -> Dense | Sparse:
    """Return the rows of n open tickets as a block."""
    if not sparse:
        return _alike(arrays, "open", Dense(np.zeros((n, width))))
    size = len(arrays["open.values"])
    like = Sparse(np.zeros(n + 1, np.int64), np.zeros(size, np.int32), np.zeros(size))
    rows = _alike(arrays, "open", like)
    table = (rows.values, rows.indices, rows.indptr)
    scipy.sparse.csr_array(table, shape=(n, width)).check_format(full_check=True)
    return rows


def _must(sound: bool) -> None:
    if not sound:
        raise SelectronError("The file does not hold a sound model.")
