"""Which project is one working on? The large-margin paper's activity predictor, on today's desktop.

Shen and Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in Dynamic
Environments", SDM 2009, section 5.

    windows, timeline, activities    what was in front, what was declared, and the names
    associations, features, scoring  how activities are scored, and how that is learned
    predictor, alarms, past, files   what is predicted and asked, and what it goes on from
    journal, saying, session         what happened, kept in a folder; the predictor in step with it
    naming, joining, feed, server    ActivityWatch: what is read, and how
    watching, asking, web, home      the loop, and how a question reaches a person
    report, page                     a day, as text and as a page
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = ["ActivityPredictor", "Alarm", "Event", "Prediction"]
LATER = {
    "ActivityPredictor": "predictor",
    "Alarm": "alarms",
    "Event": "windows",
    "Prediction": "alarms",
}


def __getattr__(name: str) -> Any:
    """Import what needs NumPy only when it is asked for: commands must start at once."""
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{LATER[name]}", __name__), name)
