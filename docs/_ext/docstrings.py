"""Docstrings are plain text with backticks and indented blocks; Sphinx wants reStructuredText."""

import re
from collections import Counter
from functools import cache
from typing import Any

from pages import home, public

SPAN = re.compile(r"(``?[^`]+``?)")
SPECIAL = re.compile(r"[*|\\]|(?<=\w)_(?=\W|$)")


@cache
def linked() -> dict[str, str]:
    """Return the full name of each public name that only one thing has."""
    names = public()
    full = {home(module, name, names) for module, listed in names.items() for name in listed}
    count = Counter(name.rpartition(".")[2] for name in full)
    return {short: name for name in full if count[short := name.rpartition(".")[2]] == 1}


def code(span: str) -> str:
    """Return a span in backticks as code, with a link if it is a public name."""
    inner = span.strip("`")
    name = inner.partition("(")[0].rpartition(".")[2]
    return f":py:obj:`{inner} <{linked()[name]}>`" if name in linked() else f"``{inner}``"


def escaped(line: str) -> str:
    r"""Return a line in which only backticks mean something.

    >>> escaped("|r| and X_ as in `classes_`")
    '\\|r\\| and X\\_ as in ``classes_``'
    """
    parts = SPAN.split(line)
    parts[::2] = [SPECIAL.sub(lambda found: "\\" + found[0], part) for part in parts[::2]]
    parts[1::2] = map(code, parts[1::2])
    return "".join(parts)


def converted(lines: list[str]) -> list[str]:
    """Return the lines of a docstring as reStructuredText: indented blocks become code.

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
        out.append(line if plain else escaped(line))
    return out


def process(app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Convert a docstring in place."""
    lines[:] = converted(lines)


def setup(app: Any) -> dict[str, bool]:
    """Convert before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", process, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
