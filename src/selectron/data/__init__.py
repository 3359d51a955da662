"""From what users have to rows: tables, dicts, labels, times, and files that are written.

`TableEncoder` encodes tables of mixed columns; `live` lets a pipeline decide and tell.
"""

from importlib import import_module
from typing import Any

__all__ = ["TableEncoder", "live"]
LATER = {"TableEncoder": "encoder", "live": "pipelines"}


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{LATER[name]}", __name__), name)
