"""What the page of a class holds, and the signature that it shows."""

import dataclasses
import inspect
from typing import Any

from docstrings import escaped
from listing import fields, for_engine, is_property, members
from sphinx.util.inspect import stringify_signature

ENGINE = [
    "   .. rubric:: For the engine",
    "",
    "   The engine calls these: see :doc:`Writing a learner </howto/writing-a-learner>`.",
    "",
]


def described(thing: type, full: str) -> list[str]:
    """Return the directives of a class and its members."""
    lines = [f".. autoclass:: {thing.__name__}", ""]
    engine = False
    for name in members(thing):
        if for_engine(thing, name) and not engine:
            engine, lines = True, lines + ENGINE
        if name in fields(thing):
            lines += field(name, *fields(thing)[name], f"{full}.{name}")
        else:
            kind = "property" if is_property(thing, name) else "method"
            lines += [f"   .. auto{kind}:: {name}", ""]
    return lines


def field(name: str, kind: str, meaning: str, at: str) -> list[str]:
    """Return the directive of a field of a record, whose meaning becomes a sentence.

    >>> field("age", "np.ndarray", "in rounds", "selectron.Run.age")
    ['   .. py:attribute:: age', '      :type: ndarray', '', '      In rounds.', '']
    """
    text = meaning and f"{meaning[0].upper()}{meaning[1:]}."
    typed = [] if kind == "Any" else [f"      :type: {kind.replace('np.', '')}"]
    return [f"   .. py:attribute:: {name}", *typed, "", f"      {escaped(text, at)}", ""]


class Default:
    """A default value, shown by its own repr even if it is a tuple."""

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


def real(thing: type) -> str:
    """Return the signature of a class, or of the first above it that does not hide it.

    >>> from selectron import Budget
    >>> real(Budget).rpartition("Any = ")[2]
    'Uncertainty(doubt=0.5), saved: float = 400, audits: float = 0.1)'
    """
    signatures = map(inspect.signature, thing.__mro__)
    open_ones = (one for one in signatures if "args" not in one.parameters)
    shown = [
        one if one.default is one.empty else one.replace(default=Default(one.default))
        for one in next(open_ones).parameters.values()
    ]
    return stringify_signature(inspect.Signature(shown), unqualified_typehints=True)


def signature(
    app: Any, kind: str, name: str, thing: Any, options: Any, given: str | None, result: str | None
) -> tuple[str, None] | None:
    """Show no parameters of data classes, which only the package makes, and those of `real`."""
    if kind == "class" and dataclasses.is_dataclass(thing):
        return "", None
    return (real(thing), None) if kind == "class" and "*args" in (given or "") else None
