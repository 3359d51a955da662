"""Files that hold a predictor: what it goes on from, bit for bit."""

import os
from typing import TYPE_CHECKING, Any

from ..errors import SelectronError
from ..estimator import packing
from ..model import storage
from .activities import Activities
from .alarm import Sure
from .desktop import Desktop
from .past import Past
from .replay import Replay

if TYPE_CHECKING:
    from .predictor import ActivityPredictor

KIND = "activity"
PLAIN = ("seconds", "unanswered", "midnight", "threshold")


def write(path: str | os.PathLike, predictor: "ActivityPredictor") -> None:
    """Write all that the predictor is."""
    model, arrays = packing.pack(predictor.scoring.model)
    past, tables = predictor.past.pack()
    replay, rows = predictor.scoring.replay.pack()
    header = {
        "kind": KIND,
        "model": model,
        "replay": replay,
        "plain": {name: getattr(predictor, name) for name in PLAIN},
        "patience": predictor.asked.patience,
        "activities": predictor._activities.pack(),
        "past": past,
        "desktop": predictor.desktop.pack(),
        **predictor.asked.pack(),
    }
    storage.write(path, header, {**arrays, **tables, **rows})


def read(kind: Any, path: str | os.PathLike, parts: tuple[Any, ...]) -> "ActivityPredictor":
    """Return the predictor of a file; SelectronError if it holds none, or an unsound one."""
    header, arrays = storage.read(path)
    if header.get("kind") != KIND:
        raise SelectronError(f"{path} does not hold an activity predictor.")
    try:
        return _restored(kind, header, arrays, (Sure, *parts))
    except SelectronError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise SelectronError(f"{path} does not hold a sound predictor.") from error


def _restored(kind: Any, header: Any, arrays: Any, parts: tuple[Any, ...]) -> "ActivityPredictor":
    model = header["model"]
    learner = storage.part(model["learner"], parts)
    asker = storage.part(model["asker"], parts)
    predictor = kind(learner=learner, patience=header["patience"])
    predictor.scoring.model = packing.unpack(model, arrays, learner, asker)
    predictor.scoring.replay = Replay.unpack(header["replay"], arrays)
    for name in PLAIN:
        setattr(predictor, name, header["plain"][name])
    predictor._activities = Activities.unpack(header["activities"])
    predictor.past = Past.unpack(header["past"], arrays)
    predictor.desktop = Desktop.unpack(header["desktop"])
    predictor.asked.unpack(header)
    return predictor
