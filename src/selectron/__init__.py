"""Selectron: learn a linear classifier from a stream, and ask for as few labels as possible.

    from selectron import OnlineClassifier
    from selectron.learners import LASEC
    from selectron.askers import Margin

The estimators are imported when they are first used, since importing scikit-learn is slow.
"""

from importlib import import_module
from typing import Any

from .errors import SelectronError

__version__ = "0.1.0"
__all__ = ["OnlineClassifier", "OnlineRanker", "Run", "SelectronError"]
LATER = {
    "OnlineClassifier": "estimator.classifier",
    "OnlineRanker": "estimator.ranker",
    "Run": "model.run",
}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{LATER[name]}", __name__), name)
