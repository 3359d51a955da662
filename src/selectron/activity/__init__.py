"""Which project is one working on? The large-margin paper's activity predictor, on today's desktop.

Shen and Dietterich, "A Family of Large Margin Linear Classifiers and Its Application in Dynamic
Environments", SDM 2009, section 5.
"""

from typing import Any

from .event import Event

__all__ = ["ActivityPredictor", "Alarm", "Event", "Prediction"]

LAZY = {"ActivityPredictor": "predictor", "Alarm": "alarm", "Prediction": "alarm"}


def __getattr__(name: str) -> Any:
    """Import what needs the engine only when it is asked for: commands must start at once."""
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{LAZY[name]}", __name__), name)
