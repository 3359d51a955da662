"""Learners and askers as they are written on the command line: `lasec:b=1,c=1000`."""

from types import ModuleType
from typing import Any

import click

from .. import askers, learners
from ..errors import SelectronError
from ..names import kebab


class Spec(click.ParamType):
    """A learner or an asker by name, with parameters after a colon."""

    def __init__(self, name: str, module: ModuleType):
        self.name = name
        self.kinds = {kebab(kind): getattr(module, kind) for kind in module.__all__}

    def get_metavar(self, param: Any, ctx: Any = None) -> str:
        """Return what the help shows."""
        return "NAME[:P=V,...]"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the learner or asker, its parameters checked."""
        name, _, rest = value.partition(":")
        kind = self.kinds.get(name.lower().replace("_", "-"))
        if kind is None:
            self.fail(f"no {self.name} {name!r}; there are {', '.join(self.kinds)}", param, ctx)
        try:
            part = kind(**dict(self._pair(pair) for pair in rest.split(",") if pair))
            part.numbers()
        except SelectronError as error:
            self.fail(str(error), param, ctx)
        except TypeError:
            wanted = ", ".join(kind._fields) or "none"
            self.fail(f"{value!r}: the parameters of {name} are: {wanted}", param, ctx)
        return part

    def _pair(self, pair: str) -> tuple[str, Any]:
        name, equals, value = pair.partition("=")
        if not equals:
            raise SelectronError(f"{pair!r} should be PARAMETER=VALUE.")
        try:
            return name.strip(), float(value)
        except ValueError:
            return name.strip(), value.strip()


LEARNER = Spec("learner", learners)
ASKER = Spec("asker", askers)
