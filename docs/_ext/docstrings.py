"""Docstrings are plain text with backticks and indented blocks; Sphinx wants reStructuredText."""

import inspect
import re
from collections.abc import Collection
from typing import Any

from listing import target

SPAN = re.compile(r"(``?[^`]+``?)")
SPECIAL = re.compile(r"[*|\\]|(?<=\w)_(?=\W|$)|(?<=^\w)\.$")  # "1." would be a list
NAMED = re.compile(r"[\w, ]+ : ")  # what an entry of a section begins with; napoleon escapes it


def code(span: str, at: str, parameters: Collection[str]) -> str:
    """Return a span in backticks as code, with a link if it stands for a public name.

    >>> code("`decide`", "selectron.OnlineClassifier.run", ())
    ':py:obj:`decide <selectron.OnlineClassifier.decide>`'
    """
    inner = span.strip("`")
    full = target(inner.partition("(")[0], at, parameters)
    return f":py:obj:`{inner} <{full}>`" if full and full != at else f"``{inner}``"


def escaped(line: str, at: str = "", parameters: Collection[str] = ()) -> str:
    r"""Return a line in which only backticks mean something, of the docstring of `at`.

    >>> escaped("|r| and X_ as in `classes_`")
    '\\|r\\| and X\\_ as in ``classes_``'
    """
    parts = SPAN.split(line)
    parts[::2] = [SPECIAL.sub(lambda found: "\\" + found[0], part) for part in parts[::2]]
    parts[1::2] = [code(part, at, parameters) for part in parts[1::2]]
    return "".join(parts)


def converted(lines: list[str], at: str = "", parameters: Collection[str] = ()) -> list[str]:
    """Return the lines of the docstring of `at` as reStructuredText: indented blocks become code.

    In NumPy's sections indentation means something else; from the first of them on, lines are
    only escaped.

    >>> converted(["Steps:", "", "    w <- w * x", "", "where *x* is a row."])
    ['Steps:', '', '::', '', '    w <- w * x', '', 'where \\\\*x\\\\* is a row.']
    """
    out: list[str] = []
    session = block = sections = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        sections |= bool(line) and set(following) == {"-"}
        session = bool(line) and (session or line.lstrip().startswith(">>>"))
        if line and not session and not sections:
            indented = line.startswith("    ")
            if indented and not block and (not out or not out[-1]):
                out += ["::", ""]
                block = True
            elif not indented:
                block = False
        plain = session or block or set(line) == {"-"}
        entry = NAMED.match(line) if sections else None
        start = len(line) if plain else entry.end() if entry else 0
        out.append(line[:start] + escaped(line[start:], at, parameters))
    return out


def parameters(thing: Any) -> Collection[str]:
    """Return the names of the parameters of a function or a class; none of other things."""
    try:
        return inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return ()


def process(app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Convert a docstring in place."""
    lines[:] = converted(lines, name, parameters(thing))
    if kind == "property":  # an empty comment: napoleon takes a colon in line 1 for that of a type
        lines[:0] = ["..", ""]
