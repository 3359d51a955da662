"""What readers see of a stream: a picture of it that does not change any more."""

import math
from typing import Any

from .stream import Stream


def view(stream: Stream) -> dict[str, Any]:
    """Return the state of a stream as it is committed."""
    tally, declaration = stream.tally, stream.declaration
    estimates = {"overall": tally.accuracy(), "recent": tally.accuracy(recent=True)}
    return {
        "name": stream.name,
        "title": declaration.title or stream.name,
        "classes": list(stream.named),
        "new_classes": declaration.new_classes,
        "annotators": declaration.annotators,
        "lease": declaration.lease,
        "learner": declaration.learner,
        "items": tally.items,
        "asked": tally.asked,
        "answered": tally.answered,
        "skipped": tally.skipped,
        "late": tally.late,
        "retired": tally.retired,
        "damaged": tally.damaged,
        "hide": declaration.hide,
        "queue": len(stream.open),
        "version": stream.model.learned,
        "entry": stream.seq,
        "share": tally.share(),
        "budget": budget(stream),
        "accuracy": {name: plain(*estimate) for name, estimate in estimates.items()},
        "drifts": tally.drifts,
        "points": list(tally.points),
    }


def plain(accuracy: float, low: float, high: float) -> dict[str, float | None]:
    """Return an estimate for JSON, which has no NaN."""
    return {"estimate": None if math.isnan(accuracy) else accuracy, "low": low, "high": high}


def budget(stream: Stream) -> dict[str, Any]:
    """Return what is left of the budget, and when the next question is to be expected."""
    asker, pace, share = stream.model.asker, stream.tally.pace(), stream.tally.share()
    items = 1 / share if share else None
    found: dict[str, Any] = {"written": stream.declaration.budget}
    found["items_a_minute"] = 60 * pace if pace else None
    rate = asker.rate
    if rate is None:
        past = stream.model.clf.model_.past if stream.model.begun else asker.past()
        found["left"] = max(0.0, (asker.labels or 0) - float(past[1]))
    else:
        found["left"] = max(0.0, rate * stream.tally.items - stream.tally.asked)
    found["next_ask_items"] = items
    found["next_ask_seconds"] = items / pace if items and pace else None
    return found
