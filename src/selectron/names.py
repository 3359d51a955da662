"""Names of learners and askers, as they are written on the command line and in tables."""

import re
from typing import Any


def written(part: Any) -> str:
    """Return a learner or an asker as it is written on the command line.

    >>> from selectron.learners import LASEC, PassiveAggressive
    >>> written(LASEC(b=2.0)), written(PassiveAggressive(C=0.1))
    ('lasec:b=2,c=1000', 'passive-aggressive:C=0.1,variant=I')
    """
    values = ",".join(f"{name}={_value(value)}" for name, value in part._asdict().items())
    return kebab(type(part).__name__) + (f":{values}" if values else "")


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def kebab(name: str) -> str:
    """Return a class name in lower case, its words apart.

    >>> kebab("SecondOrderPerceptron"), kebab("LASEC")
    ('second-order-perceptron', 'lasec')
    """
    return re.sub("([a-z])([A-Z])", r"\1-\2", name).lower()
