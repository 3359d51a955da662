"""Models and classifiers as a header that JSON can hold and arrays, and back."""

from collections import OrderedDict
from typing import Any

import numpy as np

from .. import storage
from ..data.dicts import Names
from ..data.encoder import TableEncoder
from ..engine.rows import Dense, Sparse, joined, rows_of
from ..errors import SelectronError
from ..history.drift import Drifts
from ..kernels import kernel_of
from ..model import calibration, support
from ..model.compose import RANKINGS
from ..model.live import Delayed, Ticket
from ..model.model import Model
from ..model.weighting import MOST, Weighting
from ..spaces.state import MANY, Limits
from .labelling import class_weights
from .parts import checked
from .rows import new_encoder, seen

SHARED = ("many", "normalize", "max_open", "max_support", "sketch")  # by a classifier and its model
KEPT = (*SHARED, "fit_intercept")  # parameters of a classifier
SETTINGS = (*SHARED, "width", "sparse", "classes", "constant")  # of a model
COUNTS = ("rounds", "tickets", "answered", "strained", "labels", "correctable", "chance")  # too


def pack(clf: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and arrays of a fitted classifier."""
    header, arrays = pack_model(clf.model_)
    kept = {name: getattr(clf, name) for name in KEPT}
    kept["classes"] = None if clf.classes is None else list(clf.classes)
    seeded = isinstance(clf.random_state, int | np.integer)  # a generator's place is the model's
    kept["random_state"] = clf.random_state if seeded else None
    names = list(getattr(clf, "feature_names_in_", ())) or None
    if names and hasattr(clf, "encoder_"):  # dicts may have brought more columns
        names = list(clf.encoder_.columns_)
    classes = [clf.classes_.tolist(), clf.classes_.dtype.str]
    labels = [one.item() if isinstance(one, np.generic) else one for one in classes[0]]
    odd = [label for label in labels if not isinstance(label, str | int | float)]
    if odd:
        raise SelectronError(
            f"{odd[0]!r} cannot be written to a file: labels must be strings, numbers of Python or "
            "booleans."
        )
    header = {"model": header, "kept": kept, "names": names, "classes": classes}
    keyed = list(clf.names_) if hasattr(clf, "names_") else None
    encoder = clf.encoder_.pack() if hasattr(clf, "encoder_") else None
    header |= {"named": clf.named_, "keyed": keyed, "encoder": encoder}
    return {**header, "class_weight": list(clf.class_weight_.items())}, arrays


def unpack(cls: Any, path: Any, header: Any, arrays: dict, parts: tuple[Any, ...]) -> Any:
    """Return the classifier, of class `cls`, of a file; SelectronError if the file is unsound."""
    if not (isinstance(parts, tuple | list) and all(map(callable, parts))):
        raise SelectronError(f"parts must be a list of classes or kernels, got {parts!r}.")
    try:
        return _unpack(cls, header, arrays, parts)
    except SelectronError:
        raise
    except (LookupError, ArithmeticError, TypeError, ValueError, AttributeError) as error:
        raise SelectronError(f"{path} does not hold a sound model.") from error


def _unpack(cls: Any, header: dict, arrays: dict, parts: tuple[Any, ...]) -> Any:
    if "plans" in header:
        how = "load it with SelfDirectedClassifier.load, or resume with `selectron pool`"
        raise SelectronError(f"The file holds the answers for a pool: {how}.")
    model = header["model"]
    learner = checked(storage.part(model["learner"], parts), "learner")
    asker = checked(storage.part(model["asker"], parts), "asker")
    kernel = model["kernel"] and kernel_of(storage.part(model["kernel"], parts))
    if cls.ranks != (model["many"] in RANKINGS):
        wanted = "OnlineClassifier" if cls.ranks else "OnlineRanker"
        raise SelectronError(f"The file holds an {wanted}: load it with {wanted}.load.")
    clf = cls(learner, asker, kernel=kernel, **header["kept"])
    clf.model_ = unpack_model(model, arrays, learner, asker, kernel)
    clf.correctable = clf.model_.correctable
    given = dict(header["class_weight"])
    clf.class_weight = "balanced" if clf.model_.weighting.balanced else given or None
    clf.class_weight_ = class_weights(clf.class_weight, None)
    width, keyed = clf.model_.width, header["keyed"]
    if keyed is not None:
        clf.names_ = Names(keyed)
        _must(clf.model_.sparse and len(clf.names_) == len(keyed) <= width)
        _must(all(isinstance(name, str) for name in keyed))
    clf.n_features_in_ = width if keyed is None else len(keyed)
    if header["encoder"]:
        clf.encoder_ = TableEncoder.unpack(header["encoder"])
        clf.encoder_.watched_ = seen(clf.encoder_)
        clf.encoder = new_encoder(clf.encoder_)
        clf.n_features_in_ = clf.encoder_.n_features_in_
        _must(clf.model_.sparse == clf.encoder_.sparse_)
    values, kind = header["classes"]
    clf.classes_ = np.array(values, dtype=kind)
    if header["names"]:
        clf.feature_names_in_ = np.array(header["names"], dtype=object)
    clf.named_ = bool(header["named"])
    _must(clf.classes_.ndim == 1 and max(2, len(clf.classes_)) == clf.model_.classes)
    _must(len(header["names"] or range(clf.n_features_in_)) == clf.n_features_in_)
    return clf


def pack_model(model: Model) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and arrays of a model, complete: it continues bit for bit from them."""
    waiting = list(model.open.values())
    header = {
        "learner": storage.packed(model.learner),
        "asker": storage.packed(model.asker),
        "kernel": storage.packed(model.kernel) if model.dual else None,
        "draws": model.draws.mark(),
        "open": list(model.open),
        "chances": [one.chance for one in waiting],
        "proposed": [one.proposed for one in waiting],
        "asked_in": [one.asked_in for one in waiting],
        "number": [one.number for one in waiting],
        "due": [[ticket, *one.delayed] for ticket, one in model.open.items() if one.delayed],
        "weighting": model.weighting,
        "alarms": model.alarms,
        **{name: getattr(model, name) for name in (*SETTINGS, *COUNTS)},
    }
    arrays = {f"state.{name}": array for name, array in model.state._asdict().items()}
    arrays |= {"asker.past": model.past, "calibration.s": model.calibration.s}
    rows = joined([one.block for one in waiting])
    if rows is not None:
        arrays |= {f"open.{name}": array for name, array in rows._asdict().items()}
    return header, arrays


def unpack_model(
    header: dict[str, Any],
    arrays: dict[str, np.ndarray],
    learner: Any,
    asker: Any,
    kernel: Any = None,
) -> Model:
    """Return the model of a header and arrays, given its learner, its asker and its kernel.

    Lengths, counts and indices are checked here, since the compiled loop does not check them.
    """
    width, classes = header["width"], header["classes"]
    _must(isinstance(width, int) and isinstance(classes, int) and width >= 0)
    # Before memory is taken: each class has an array as wide as rows are, but two may share one
    _must(classes >= 2 and max(1, width) * classes <= 2 * sum(map(np.size, arrays.values())))
    model = Model(learner, asker, kernel=kernel, **{name: header[name] for name in SETTINGS})
    model.draws.reset(header["draws"])
    _must(all(0 <= draw < 1 for draw in model.draws.ahead))
    for name in COUNTS:
        _must(0 <= header[name] <= MANY)
        setattr(model, name, int(header[name]))
    model.weighting = Weighting.read(header["weighting"])
    drifts = Drifts.unpack(header["alarms"])
    _must(drifts.sound(model.rounds))
    model.alarms = drifts.pack()
    model.state = _alike(arrays, "state", _roomy(model, arrays))
    past = _array(arrays, "asker.past", model.past)
    _must(bool((np.isfinite(past) | ~np.isfinite(model.past)).all()))
    model.past = past
    _must(model.space.sound(model.state))
    _must(model.dual or bool(np.isfinite(model.weights()).all()))
    s = _array(arrays, "calibration.s", model.calibration.s)
    _must(bool(np.isfinite(s).all()) and Limits(calibration.COUNT).hold(s))
    model.calibration = model.calibration._replace(s=s)
    if header["open"]:
        model.open = _open(model, header, arrays)
    return model


def _roomy(model: Model, arrays: dict[str, np.ndarray]) -> Any:
    """Return the model's state, with as much room as that of the file, which may have more."""
    if hasattr(model.state, "phases"):  # Fourier features remain while classes join
        phases = arrays["state.phases"]
        _must(phases.ndim == 1 and len(phases) <= model.learner.fourier)
        model.state = model.state._replace(phases=phases)
        return model.new_state()
    if not model.dual:
        return model.state
    found = {name: arrays[f"state.{name}"] for name in model.state._fields}
    room = model.space.room(model.state._replace(**found))
    support.check_room(model, room)
    return model.space.grow(model.state, *room)


def _alike(arrays: dict[str, np.ndarray], prefix: str, like: Any) -> Any:
    """Return arrays of a file as a tuple like this one."""
    return type(like)(*(_array(arrays, f"{prefix}.{n}", a) for n, a in like._asdict().items()))


def _array(arrays: dict[str, np.ndarray], name: str, like: np.ndarray) -> np.ndarray:
    """Return an array of a file; its type and shape must be those of `like`."""
    got = arrays[name]
    _must(got.shape == like.shape and got.dtype == like.dtype and got.flags.c_contiguous)
    return got


def _open(model: Model, header: dict[str, Any], arrays: dict) -> OrderedDict[int | str, Ticket]:
    found = OrderedDict[int | str, Ticket]()
    rows = _rows(arrays, len(header["open"]), model.width, model.sparse)
    columns = (header[name] for name in ("open", "chances", "asked_in", "proposed", "number"))
    for i, (name, chance, asked_in, place, number) in enumerate(zip(*columns, strict=True)):
        _must(0 < chance <= 1 and 0 < asked_in <= model.rounds and -1 <= place < model.classes)
        _must(0 < number <= model.tickets and name in (number, str(name)))
        ticket = Ticket(rows_of(rows, i, i + 1), float(chance), int(asked_in), int(place), number)
        found[name] = ticket
    for number, comes, place, weight in header["due"]:
        _must(place in range(model.classes) and 0 <= weight <= MOST)
        found[number] = found[number]._replace(delayed=Delayed(int(comes), place, float(weight)))
    return found


def _rows(arrays: dict[str, np.ndarray], n: int, width: int, sparse: bool) -> Dense | Sparse:
    """Return the rows of n open tickets as a block."""
    if not sparse:
        dense = _alike(arrays, "open", Dense(np.zeros((n, width))))
        _must(bool(np.isfinite(dense.values).all()))
        return dense
    size = len(arrays["open.values"])
    like = Sparse(np.zeros(n + 1, np.int64), np.zeros(size, np.int32), np.zeros(size))
    rows = _alike(arrays, "open", like)
    lengths, at = np.diff(rows.indptr), rows.indices
    _must(bool((lengths >= 0).all() and rows.indptr[0] == 0 and rows.indptr[-1] == size))
    _must(bool(((at >= 0) & (at < width)).all() and np.isfinite(rows.values).all()))
    owners = np.repeat(np.arange(n), lengths)
    _must(len(np.unique(owners * width + at)) == size)  # no feature comes twice in a row
    return rows


def _must(sound: bool) -> None:
    if not sound:
        raise SelectronError("The file does not hold a sound model.")
