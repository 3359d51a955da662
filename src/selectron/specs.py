"""Learners, askers and kernels as text, `lasec:b=1,c=1000`: on the command line and in tables."""

import re
from types import ModuleType
from typing import Any

import click

from . import askers, kernels, learners
from .engine.loop import Asker
from .engine.parts import Learner, declared
from .errors import SelectronError

EXAMPLES = {"b": 0.1, "beta": 10, "kappa": 0.5, "p": 0.1}  # of parameters without a default


def spec_of(part: Any) -> str:
    """Return a learner or an asker as it is written on the command line.

    >>> from selectron.learners import LASEC, PassiveAggressive
    >>> spec_of(LASEC(b=2.0)), spec_of(PassiveAggressive(C=0.1))
    ('lasec:b=2,c=1000', 'passive-aggressive:C=0.1,variant=I')

    For parts that need no parameter, or wrap another, only non-default values are written.

    >>> from selectron.askers import Budget, Margin
    >>> spec_of(Budget(rate=0.1)), spec_of(Budget(rate=0.1, asker=Margin(0.5)))
    ('budget:rate=0.1', 'budget:rate=0.1,asker=margin(b=0.5)')
    """
    given, usual = part._asdict(), part._field_defaults
    ensemble = "ensemble" not in given and declared(part, Learner, "ensemble")(part)
    if isinstance(part, askers.Budget) or ensemble:
        given = {
            name: value
            for name, value in given.items()  # two askers of different types may be equal
            if value != usual.get(name) or type(value) is not type(usual.get(name))
        }
    values = ",".join(f"{name}={_value(value)}" for name, value in given.items())
    return kebab(type(part).__name__) + (f":{values}" if values else "")


def _value(value: Any) -> str:
    if hasattr(value, "_fields"):
        name, _, values = spec_of(value).partition(":")
        return f"{name}({values})" if values else name
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def kebab(name: str) -> str:
    """Return a class name in lower case, with hyphens between its words.

    >>> kebab("SecondOrderPerceptron"), kebab("LASEC")
    ('second-order-perceptron', 'lasec')
    """
    return re.sub("([a-z])([A-Z])", r"\1-\2", name).lower()


class Spec(click.ParamType):
    """A learner, an asker or a kernel by name, with parameters after a colon: `lasec:b=1,c=1000`.

    `short` gives names that are shown in place of others; both are accepted.
    """

    def __init__(self, name: str, module: ModuleType, **short: str):
        self.name, self.short = name, short
        found = {kebab(kind): getattr(module, kind) for kind in module.__all__}
        self.kinds = {short.get(kind, kind): part for kind, part in found.items()}

    def forms(self) -> str:
        """Return the names and their parameters, those without a default as P=."""
        return ", ".join(
            spec_of(tuple.__new__(kind, kind._field_defaults.values()))  # not checked
            if len(kind._field_defaults) == len(kind._fields)
            else f"{name}:{','.join(f'{field}=' for field in kind._fields)}"
            for name, kind in self.kinds.items()
        )

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return what the help shows."""
        return "NAME[:P=V,...]"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the learner, asker or kernel, its parameters checked."""
        name, _, rest = value.partition(":")
        known = name.lower().replace("_", "-")
        kind = self.kinds.get(self.short.get(known, known))
        if kind is None:
            self.fail(f"no {self.name} {name!r}; there are {', '.join(self.kinds)}", param, ctx)
        pairs: list[tuple[str, Any]] = []
        try:
            pairs += [_pair(pair) for pair in rest.split(",") if pair]
            part = kind(**dict(pairs))
            if len(part) and len(dict(pairs)) < len(pairs):
                raise SelectronError(f"{value!r} names a parameter twice.")
            part.numbers()
        except SelectronError as error:
            self.fail(str(error), param, ctx)
        except TypeError:
            self.fail(f"{value!r}: {self._wanted(kind, dict(pairs))}", param, ctx)
        return part

    def _wanted(self, kind: Any, given: dict[str, Any]) -> str:
        """Return which parameters are unknown or missing, and which ones to give."""
        name = next(name for name, one in self.kinds.items() if one is kind)
        if unknown := [field for field in given if field not in kind._fields]:
            wanted = ", ".join(kind._fields) or "none"
            return f"there is no parameter {unknown[0]!r}; those of {name} are: {wanted}"
        missing = [f for f in kind._fields if f not in kind._field_defaults and f not in given]
        example = ",".join(f"{field}={EXAMPLES.get(field, '...')}" for field in missing)
        return f"{' and '.join(missing)} is missing, as in {name}:{example}"


def _pair(pair: str) -> tuple[str, Any]:
    name, equals, value = pair.partition("=")
    if not equals:
        raise SelectronError(f"{pair!r} should be PARAMETER=VALUE.")
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), value.strip()


class Share(click.ParamType):
    """A budget, as `Budget.parse` reads it."""

    name = "budget"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the budget, its parameters checked."""
        try:
            return askers.Budget.parse(value)
        except SelectronError as error:
            return self.fail(str(error), param, ctx)


BUDGET = Share()
LEARNER = Spec("learner", learners)
ASKER = Spec("asker", askers)
KERNEL = Spec("kernel", kernels, polynomial="poly")


def budgeted(budget: askers.Budget | None, asker: Any, learner: Any, named: bool) -> Any:
    """Return the asker within the budget, or the default asker of the learner without one.

    A learner that the user has named, without asker or budget, asks by its margin, as in its paper.
    """
    ensemble = declared(learner, Learner, "ensemble")(learner)
    if asker is not None and (budget is None or declared(asker, Asker, "past")(asker)):
        return asker
    if asker is None and budget is None and named and not ensemble:
        return askers.Margin(0.1)
    budget = budget or askers.Budget(rate=0.1)
    if asker is None:
        asker = budget.asker if ensemble else askers.Margin(0.1)
    return budget._replace(asker=asker)
