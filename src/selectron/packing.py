"""A model, or a classifier, as a header for JSON and plain arrays, and back."""

from typing import Any

import numpy as np
import scipy.sparse

from . import checks, storage
from .draws import Draws
from .engine.rows import Dense, Sparse, joined, rows_of
from .errors import SelectronError
from .model import Model

KEPT = ("fit_intercept", "normalize", "max_open")  # a classifier's parameters
SETTINGS = ("width", "sparse", "constant", "normalize", "max_open")


def described(clf: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return all that a fitted classifier is."""
    header, arrays = pack(clf.model_)
    kept = {name: getattr(clf, name) for name in KEPT}
    names = list(getattr(clf, "feature_names_in_", ())) or None
    classes = [clf.classes_.tolist(), clf.classes_.dtype.str]
    return {"model": header, "kept": kept, "names": names, "classes": classes}, arrays


def restored(cls: type, path: Any, header: Any, arrays: dict, parts: tuple[type, ...]) -> Any:
    """Return the classifier, of class `cls`, that a file held; SelectronError if it is unsound."""
    try:
        return _restored(cls, header, arrays, parts)
    except SelectronError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SelectronError(f"{path} does not hold a sound model.") from error


def _restored(cls: type, header: dict, arrays: dict, parts: tuple[type, ...]) -> Any:
    model = header["model"]
    learner = checks.part(storage.part(model["learner"], parts), "learner")
    asker = checks.part(storage.part(model["asker"], parts), "asker")
    clf: Any = cls(learner, asker, **header["kept"])
    clf.model_ = unpack(model, arrays, learner, asker)
    clf.n_features_in_ = width = clf.model_.width
    values, kind = header["classes"]
    clf.classes_ = np.array(values, dtype=kind)
    if header["names"]:
        clf.feature_names_in_ = np.array(header["names"], dtype=object)
    _must(clf.classes_.shape == (2,) and len(header["names"] or range(width)) == width)
    return clf


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
