"""A person in the terminal: the keys that answer, and the rows that are shown."""

import sys
from collections.abc import Sequence
from typing import Any

import click

from . import INTERRUPTED

CONFIRM = ("\r", "\n", " ", "y")
SHOWN = 12  # columns shown, or features of largest magnitude
WIDEST = 300  # characters of a value that are shown


def exit_code(end: BaseException) -> int:
    """Return the code for Ctrl-C, or for the end of the input; a prompt raises Abort for both."""
    cause = end.__context__ if isinstance(end, click.Abort) else end
    return INTERRUPTED if isinstance(cause, KeyboardInterrupt) else 0


def pressed() -> str:
    """Return the next key, or the next line of a pipe; raise EOFError at its end."""
    if sys.stdin.isatty():
        key = click.getchar()
    else:
        line = sys.stdin.readline()
        key = line.strip() or line[-1:]  # an empty line is Enter
    if key == "\x03":
        raise KeyboardInterrupt
    if key in ("\x04", ""):
        raise EOFError
    return key


def records_of(piece: Any) -> list[dict[str, Any]]:
    """Return the rows of a piece of a table as dicts.

    >>> records_of([{"hue": 0.5}])
    [{'hue': 0.5}]
    """
    return piece if isinstance(piece, list) else piece.to_pylist()


def shown(row: dict[str, Any], names: Sequence[str] = ()) -> str:
    """Return the values of a row as text: of these columns, by default the first that have one.

    >>> shown({"alcohol": 13.2, "hue": None, "name": "Ida"})
    'alcohol: 13.2  name: Ida'
    """
    columns = [name for name in names or row if row.get(name) is not None]
    some = columns if names else columns[:SHOWN]
    return "  ".join(f"{name}: {str(row[name])[:WIDEST]}" for name in some)
