"""From users' data to rows: tables, dicts, labels and times.

`TableEncoder` encodes tables of mixed columns; `live` lets a pipeline decide and tell.
"""

from importlib import import_module
from typing import Any

__all__ = ["TableEncoder", "live"]
MODULES = {"TableEncoder": "encoder", "live": "pipelines"}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
