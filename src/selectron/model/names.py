"""Names of learners and askers, as they are written on the command line and in tables."""

import re
from typing import Any


def written(part: Any) -> str:
    """Return a learner or an asker as it is written on the command line.

    >>> from selectron.learners import LASEC, PassiveAggressive
    >>> written(LASEC(b=2.0)), written(PassiveAggressive(C=0.1))
    ('lasec:b=2,c=1000', 'passive-aggressive:C=0.1,variant=I')

    Of those that need nothing set, or wrap another, only what differs from the defaults is told.

    >>> from selectron.askers import Budget, Margin
    >>> written(Budget(rate=0.1)), written(Budget(rate=0.1, asker=Margin(0.5)))
    ('budget:rate=0.1', 'budget:rate=0.1,asker=margin(b=0.5)')
    """
    given, usual = part._asdict(), part._field_defaults
    if hasattr(part, "ensemble") or hasattr(part, "after"):
        given = {name: value for name, value in given.items() if not _same(value, usual[name])}
    values = ",".join(f"{name}={_value(value)}" for name, value in given.items())
    return kebab(type(part).__name__) + (f":{values}" if values else "")


def _same(value: Any, usual: Any) -> bool:
    """Are they equal, and of one kind? Two askers may have equal numbers."""
    return value == usual and type(value) is type(usual)


def _value(value: Any) -> str:
    if hasattr(value, "_fields"):
        name, _, values = written(value).partition(":")
        return f"{name}({values})" if values else name
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def kebab(name: str) -> str:
    """Return a class name in lower case, its words apart.

    >>> kebab("SecondOrderPerceptron"), kebab("LASEC")
    ('second-order-perceptron', 'lasec')
    """
    return re.sub("([a-z])([A-Z])", r"\1-\2", name).lower()
