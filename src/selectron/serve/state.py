"""The state of a stream, as readers see it: counts, budget, and what is estimated."""

import math
from typing import Any

from .question import COUNTS, Statistics
from .stream import Stream

SHOWN = ("new_classes", "annotators", "lease", "learner", "hide")  # of a declaration


def view(stream: Stream) -> dict[str, Any]:
    """Return an immutable view of a stream's state for readers."""
    statistics, declaration = stream.statistics, stream.declaration
    return {
        "name": stream.name,
        "title": declaration.title or stream.name,
        "classes": list(stream.named),
        "columns": stream.model.columns,
        **{name: getattr(declaration, name) for name in SHOWN},
        **{name: getattr(statistics, name) for name in COUNTS},
        "unaskable": sum(statistics.unaskable.values()),
        "queue": len(stream.open),
        "disputed": len(stream.disputed),
        "version": stream.model.learned,
        "entry": stream.seq,
        "share": statistics.share(),
        "budget": budget(stream),
        "accuracy": {
            "overall": estimate_json(*statistics.accuracy()),
            "recent": estimate_json(*statistics.accuracy(recent=True)),
        },
        "majority": statistics.majority(),
        "per_class": [per_class(statistics, name) for name in stream.named],
        "drifts": statistics.drifts,
        "points": list(statistics.points),
    }


def estimate_json(accuracy: float, low: float, high: float) -> dict[str, float | None]:
    """Return an estimate for JSON, with null for NaN."""
    return {"estimate": None if math.isnan(accuracy) else accuracy, "low": low, "high": high}


def per_class(statistics: Statistics, name: str) -> dict[str, Any]:
    """Return the number of settled labels of a class, its recall and its precision."""
    recall, precision = statistics.recall_and_precision(name)
    return {
        "class": name,
        "labels": statistics.labels.get(name, 0),
        "recall": estimate_json(*recall),
        "precision": estimate_json(*precision),
    }


def budget(stream: Stream) -> dict[str, Any]:
    """Return the budget left, and the expected items and seconds until the next question."""
    given, record, statistics = stream.model.budget, stream.model.record, stream.statistics
    pace, share = statistics.pace(), statistics.share()
    labels = (given.labels or 0) if given.rate is None else given.rate * record.seen
    left = float(labels - record.asked)
    return {
        "written": stream.settings["budget"],
        "items_a_minute": 60 * pace if pace else None,
        "left": max(0.0, left),
        "next_ask_items": 1 / share if share else None,
        "next_ask_seconds": 1 / share / pace if share and pace else None,
    }
