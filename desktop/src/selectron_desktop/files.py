"""Files that hold a predictor, which continues from them bit for bit.

An object is stored as a list: the name of its class, then its items or its attributes. Large arrays
and the classifier, which is a file of its own, are stored next to this header.
"""

import os
import tempfile
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from selectron import OnlineClassifier, SelectronError
from selectron.storage import read as read_state
from selectron.storage import write as write_state

from .activities import Activities
from .alarms import Alarm, Asked, Questions, Sure
from .associations import Associations, Counts, Rows
from .features import Features
from .past import History, Instance, Past
from .scoring import Replay
from .timeline import Statement, Timeline
from .windows import Desktop, Event, Vector, Window

if TYPE_CHECKING:
    from .predictor import ActivityPredictor

KIND, FILE = "activity predictor", "classifier"
LARGE = 1000  # numbers; a larger array is stored outside of the header
PARTS = "midnight", "threshold", "_activities", "past", "desktop", "asked"
SEQUENCES = list, tuple, set, deque
PAST = Past, History, Instance, Timeline, Activities, Associations, Counts, Replay
NOW = Desktop, Questions, Asked
RECORDS = Alarm, Event, Features, Rows, Statement, Vector, Window
CLASSES: Any = {kind.__name__: kind for kind in (*SEQUENCES, *PAST, *NOW, *RECORDS)}


def write(path: str | os.PathLike, predictor: "ActivityPredictor") -> None:
    """Write the state of a predictor."""
    arrays: dict[str, np.ndarray] = {}
    scoring = predictor.scoring
    parts = {name: getattr(predictor, name) for name in PARTS}
    state = pack([parts, scoring.replay, scoring.shift], arrays)
    with tempfile.TemporaryDirectory() as folder:
        scoring.clf.save(Path(folder, FILE))
        arrays[FILE] = np.frombuffer(Path(folder, FILE).read_bytes(), np.uint8)
    write_state(path, {"kind": KIND, "state": state}, arrays)


def read(kind: Any, path: str | os.PathLike, parts: tuple[Any, ...]) -> "ActivityPredictor":
    """Return the predictor in a file; raises SelectronError if there is none, or it is damaged."""
    header, arrays = read_state(path)
    if header.get("kind") != KIND:
        raise SelectronError(f"{path} does not hold an activity predictor of this version.")
    try:
        state, replay, shift = unpack(header["state"], arrays)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, FILE).write_bytes(arrays[FILE].tobytes())
            clf = OnlineClassifier.load(Path(folder, FILE), parts=(Sure, *parts))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise SelectronError(f"{path} does not hold a valid predictor.") from error
    predictor = kind(learner=clf.learner)
    predictor.__dict__.update(state)
    predictor.scoring.clf, predictor.scoring.replay, predictor.scoring.shift = clf, replay, shift
    return predictor


def pack(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return a value as JSON can hold it; its large arrays are added to `arrays`."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        if value.size <= LARGE:
            return ["array", value.dtype.str, value.shape, value.ravel().tolist()]
        arrays[f"array {len(arrays)}"] = value
        return ["large", f"array {len(arrays) - 1}"]
    if isinstance(value, dict):
        return ["dict", pack(list(value), arrays), pack(list(value.values()), arrays)]
    if kind not in CLASSES:
        return value
    items = value if isinstance(value, SEQUENCES) else [value.__getstate__()]
    return [kind, *(pack(one, arrays) for one in items)]


def unpack(packed: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Return the value that was packed; an unknown class is a KeyError."""
    if not isinstance(packed, list):
        return packed
    kind, *content = packed
    if kind == "array":
        dtype, shape, numbers = content
        return np.array(numbers, dtype).reshape(shape)
    if kind == "large":
        return arrays[content[0]]
    items = [unpack(one, arrays) for one in content]
    if kind == "dict":
        return dict(zip(*items, strict=True))
    if hasattr(CLASSES[kind], "_fields"):
        return CLASSES[kind](*items)
    if issubclass(CLASSES[kind], SEQUENCES):
        return CLASSES[kind](items)
    made = object.__new__(CLASSES[kind])
    made.__dict__.update(items[0])
    return made
