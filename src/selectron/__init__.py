"""Selectron: learn a linear classifier from a stream, and ask for as few labels as possible.

    from selectron import Budget, OnlineClassifier

    clf = OnlineClassifier(asker=Budget(rate=0.1), encoder="auto")

The estimators are imported when they are first used, since importing scikit-learn is slow.
"""

from importlib import import_module
from typing import Any

from .errors import SelectronError

__version__ = "0.2.0"
__all__ = [
    "Budget",
    "LeadingHistory",
    "OnlineClassifier",
    "OnlineRanker",
    "Run",
    "SelectronError",
    "TableEncoder",
]
MODULES = {
    "Budget": "askers",
    "LeadingHistory": "learners",
    "TableEncoder": "data.encoder",
    "OnlineClassifier": "estimator.classifier",
    "OnlineRanker": "estimator.ranker",
    "Run": "model.run",
}


def __dir__() -> list[str]:
    """Return all names, with the public ones that are not imported yet."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
