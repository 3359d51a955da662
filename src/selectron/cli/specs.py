"""Learners and askers as they are written on the command line: `lasec:b=1,c=1000`."""

from types import ModuleType
from typing import Any

import click

from .. import askers, kernels, learners
from ..askers.budget import budget_of
from ..errors import SelectronError
from ..model.names import kebab, written

EXAMPLES = {"b": 0.1, "beta": 10, "kappa": 0.5, "p": 0.1}  # of parameters without a default
ENDINGS = (".csv", ".jsonl", ".ndjson", ".parquet", ".pq")  # of files of decisions


class Spec(click.ParamType):
    """A learner, an asker or a kernel by name, with parameters after a colon.

    `short` gives names that are shown in place of others; the others will do as well.
    """

    def __init__(self, name: str, module: ModuleType, **short: str):
        self.name, self.short = name, short
        found = {kebab(kind): getattr(module, kind) for kind in module.__all__}
        self.kinds = {short.get(kind, kind): part for kind, part in found.items()}

    def listed(self) -> str:
        """Return the names and their parameters, those without a default as P=."""
        return ", ".join(self._pattern(name, kind) for name, kind in self.kinds.items())

    def _pattern(self, name: str, kind: Any) -> str:
        if len(kind._field_defaults) == len(kind._fields):
            return written(kind())
        return f"{name}:{','.join(f'{field}=' for field in kind._fields)}"

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return what the help shows."""
        return "NAME[:P=V,...]"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the learner or asker, its parameters checked."""
        name, _, rest = value.partition(":")
        known = name.lower().replace("_", "-")
        kind = self.kinds.get(self.short.get(known, known))
        if kind is None:
            self.fail(f"no {self.name} {name!r}; there are {', '.join(self.kinds)}", param, ctx)
        pairs: list[tuple[str, Any]] = []
        try:
            pairs += [self._pair(pair) for pair in rest.split(",") if pair]
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
        """Tell which parameters are unknown or missing, and what would do."""
        name = next(name for name, one in self.kinds.items() if one is kind)
        if unknown := [field for field in given if field not in kind._fields]:
            wanted = ", ".join(kind._fields) or "none"
            return f"there is no parameter {unknown[0]!r}; those of {name} are: {wanted}"
        missing = [f for f in kind._fields if f not in kind._field_defaults and f not in given]
        example = ",".join(f"{field}={EXAMPLES.get(field, '...')}" for field in missing)
        return f"{' and '.join(missing)} is missing, as in {name}:{example}"

    def _pair(self, pair: str) -> tuple[str, Any]:
        name, equals, value = pair.partition("=")
        if not equals:
            raise SelectronError(f"{pair!r} should be PARAMETER=VALUE.")
        try:
            return name.strip(), float(value)
        except ValueError:
            return name.strip(), value.strip()


class Share(click.ParamType):
    """A budget, as `budget_of` reads it."""

    name = "budget"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the budget, its parameters checked."""
        try:
            return budget_of(value)
        except SelectronError as error:
            return self.fail(str(error), param, ctx)


BUDGET = Share()
LEARNER = Spec("learner", learners)
ASKER = Spec("asker", askers)
KERNEL = Spec("kernel", kernels, polynomial="poly")


def within(budget: askers.Budget | None, asker: Any, learner: Any, named: bool) -> Any:
    """Return the asker within the budget; without one, that for a learner which was named or not.

    A learner that was named asks by its margin, as in its paper, if nothing else is said.
    """
    ring = hasattr(learner, "ensemble")
    if asker is not None and (budget is None or hasattr(asker, "after")):
        return asker
    if asker is None and budget is None and named and not ring:
        return askers.Margin(0.1)
    budget = budget or askers.Budget(rate=0.1)
    return budget._replace(asker=asker or (budget.asker if ring else askers.Margin(0.1)))
