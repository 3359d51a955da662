"""Files that hold a predictor: what it goes on from, bit for bit.

The classifier is a file of its own within; files of Selectron 0.1 have its parts side by side.
"""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from selectron import OnlineClassifier, SelectronError
from selectron.storage import read as stored
from selectron.storage import write as store

from .activities import Activities
from .alarms import Sure
from .past import Past
from .scoring import LESS, Replay
from .windows import Desktop

if TYPE_CHECKING:
    from .predictor import ActivityPredictor

KIND, FILE = "activity", "classifier"
PLAIN = ("seconds", "unanswered", "midnight", "threshold")
OLD = {
    "kept": {"many": None, "fit_intercept": False, "normalize": False, "max_open": 1,
             "max_support": None},
    "names": None, "classes": [[LESS, 1], "<i8"], "named": True, "keyed": None,
}  # fmt: skip


def write(path: str | os.PathLike, predictor: "ActivityPredictor") -> None:
    """Write all that the predictor is."""
    past, tables = predictor.past.pack()
    replay, rows = predictor.scoring.replay.pack()
    header = {
        "kind": KIND,
        "shift": predictor.scoring.shift,
        "replay": replay,
        "plain": {name: getattr(predictor, name) for name in PLAIN},
        "patience": predictor.asked.patience,
        "activities": predictor._activities.pack(),
        "past": past,
        "desktop": predictor.desktop.pack(),
        **predictor.asked.pack(),
    }
    with tempfile.TemporaryDirectory() as folder:
        predictor.scoring.clf.save(Path(folder, FILE))
        content = np.frombuffer(Path(folder, FILE).read_bytes(), np.uint8)
    store(path, header, {FILE: content, **tables, **rows})


def read(kind: Any, path: str | os.PathLike, parts: tuple[Any, ...]) -> "ActivityPredictor":
    """Return the predictor of a file; SelectronError if it holds none, or an unsound one."""
    header, arrays = stored(path)
    if header.get("kind") != KIND:
        raise SelectronError(f"{path} does not hold an activity predictor.")
    try:
        return _restored(kind, header, arrays, (Sure, *parts))
    except SelectronError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise SelectronError(f"{path} does not hold a sound predictor.") from error


def _restored(kind: Any, header: Any, arrays: Any, parts: tuple[Any, ...]) -> "ActivityPredictor":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, FILE)
        if FILE in arrays:
            file.write_bytes(arrays[FILE].tobytes())
        else:
            store(file, {**OLD, "model": header["model"]}, arrays)
        clf = OnlineClassifier.load(file, parts=parts)
    predictor = kind(learner=clf.learner, patience=header["patience"])
    predictor.scoring.clf, predictor.scoring.shift = clf, header.get("shift", 0.0)
    predictor.scoring.replay = Replay.unpack(header["replay"], arrays)
    for name in PLAIN:
        setattr(predictor, name, header["plain"][name])
    predictor._activities = Activities.unpack(header["activities"])
    predictor.past = Past.unpack(header["past"], arrays)
    predictor.desktop = Desktop.unpack(header["desktop"])
    predictor.asked.unpack(header)
    return predictor
