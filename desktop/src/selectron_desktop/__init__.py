"""Predict which project the user works on: the large-margin paper's activity predictor.

Shen and Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in Dynamic
Environments", SDM 2009, section 5.

    windows, timeline, activities    what was in front, what was declared, and the names
    associations, features, scoring  how activities are scored, and how that is learned
    predictor, alarms, past, files   predictions, questions, and the state they depend on
    journal, saying, session         the folder in which all input is stored; the predictor in step
    naming, joining, feed, server    ActivityWatch: what is read, and how
    watching, asking, web, home      the loop, and how a question reaches the user
    report, page                     a day, as text and as a page
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = ["ActivityPredictor", "Alarm", "Event", "Prediction"]
MODULES = {
    "ActivityPredictor": "predictor",
    "Alarm": "alarms",
    "Event": "windows",
    "Prediction": "alarms",
}


def __getattr__(name: str) -> Any:
    """Import modules that need NumPy only on demand, so that commands start at once."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
