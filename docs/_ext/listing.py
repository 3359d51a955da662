"""The public names, their members, and what a name in a docstring stands for.

A module is public if it has `__all__`, and if all packages above it are. A name that is listed in
several modules has its page in the one that lies deepest.
"""

import dataclasses
import importlib
import inspect
import re
import sys
from collections.abc import Collection, Iterator
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import selectron
from selectron.engine.loop import Worth
from selectron.engine.parts import Expert, Kernel
from selectron.estimator.parameters import NestedParameters
from selectron.model.run import Outcome

SOURCES = Path(selectron.__file__).parent
INNER = {"history"}  # spaces, whose `__all__` is for the loop
CONTRACT = {name for part in (Expert, Kernel, Worth) for name in dir(part)}  # with the engine
HELPERS: dict[type, set[str]] = {  # members that are no part of the interface
    Outcome: {"flags", "replay", "earlier", "arrays", "empty", "part"},
    NestedParameters: {"part"},
}
FIELD = re.compile(r"^    (\w+): ([^=#\n]+?)(?: = [^#\n]+?)?(?:  # (.*))?$", re.MULTILINE)


def modules() -> list[str]:
    """Return the names of the public modules, those of the package first."""
    names = []
    for file in sorted(SOURCES.rglob("*.py")):
        parts = file.relative_to(SOURCES).with_suffix("").parts
        if "\n__all__ = " in file.read_text(encoding="utf-8") and parts[0] not in INNER:
            names.append(".".join(("selectron", *parts)).removesuffix(".__init__"))
    return sorted(names, key=lambda name: (name != "selectron", name))


def public() -> dict[str, list[str]]:
    """Return the names of each public module that can be imported here."""
    names = {}
    for module in modules():
        try:
            names[module] = sorted(importlib.import_module(module).__all__, key=str.lower)
        except ModuleNotFoundError as error:  # of an optional package
            if (error.name or "").startswith("selectron"):
                raise
    return names


def home(module: str, name: str, names: dict[str, list[str]]) -> str:
    """Return the full name under which a thing has its page."""
    thing = getattr(importlib.import_module(module), name)
    if isinstance(thing, ModuleType):
        return thing.__name__
    same = [
        other
        for other, listed in names.items()
        if name in listed and getattr(sys.modules[other], name) is thing
    ]
    return f"{max(same, key=lambda other: other.count('.'))}.{name}"


def found(full: str) -> Any:
    """Return the module, class or function of a full name."""
    module, _, name = full.rpartition(".")
    return sys.modules.get(full) or getattr(sys.modules[module], name)


# Members of classes


def is_part(thing: type) -> bool:
    """Return whether a class is a learner, also of pools, an asker or a kernel, with parameters.

    >>> from selectron.learners import LASEC
    >>> is_part(LASEC), is_part(Outcome)
    (True, False)
    """
    return hasattr(thing, "numbers") or hasattr(thing, "plan")


@cache
def fields(thing: type) -> dict[str, tuple[str, str]]:
    """Return the type and the comment of each field of a record, from its source.

    There are none if no field has a comment.

    >>> from selectron.estimator.live import Decision
    >>> fields(Decision)["ticket"]
    ('int | str | None', 'for `OnlineClassifier.tell`, if the label is asked for')
    """
    if is_part(thing) or not (hasattr(thing, "_fields") or dataclasses.is_dataclass(thing)):
        return {}
    records = {
        name: (kind, comment)
        for owner in thing.__mro__
        if owner.__module__.startswith("selectron")
        for name, kind, comment in FIELD.findall(inspect.getsource(owner))
        if name in owner.__annotations__ and name not in HELPERS.get(owner, ())
    }
    return records if any(comment for _, comment in records.values()) else {}


def is_property(thing: type, name: str) -> bool:
    """Return whether a member of a class is computed, and read without a call."""
    return isinstance(inspect.getattr_static(thing, name, None), property | cached_property)


def documented(thing: type) -> Iterator[str]:
    """Yield the methods and properties that the package documents, those of the class first."""
    for owner in thing.__mro__:
        for name, value in vars(owner).items():
            inner = next(
                (getattr(value, at) for at in ("fget", "func", "__func__") if hasattr(value, at)),
                value,
            )
            ours = str(getattr(inner, "__module__", "")).startswith("selectron")
            hidden = name.startswith("_") or name in HELPERS.get(owner, ())
            if ours and not hidden and not inspect.isclass(value) and inspect.getdoc(inner):
                yield name


@cache
def members(thing: type) -> list[str]:
    """Return what the page of a class lists, in order.

    Records begin with their attributes, other classes with their methods. The members of data
    classes come in the order in which the docstring names them. What the engine calls comes last.

    >>> from selectron import Budget
    >>> from selectron.estimator.live import Decision
    >>> members(Budget)[0], members(Decision)[0], members(Decision)[-1]
    ('parse', 'label', 'evidence')
    """
    own = fields(thing)
    names = list(dict.fromkeys([*own, *documented(thing)]))
    names.sort(key=lambda name: (name in own or is_property(thing, name)) != bool(own))
    if dataclasses.is_dataclass(thing):
        text = thing.__doc__ or ""
        names.sort(key=lambda name: text.find(f"`{name}`") % (len(text) + 1))
    return sorted(names, key=lambda name: for_engine(thing, name))


def for_engine(thing: type, name: str) -> bool:
    """Return whether a member is there for the engine to call.

    >>> from selectron import Budget
    >>> for_engine(Budget, "chance"), for_engine(Budget, "parse")
    (True, False)
    """
    return is_part(thing) and name in CONTRACT


# What names stand for


@cache
def targets() -> dict[str, str]:
    """Return where each public name, and each member of a class, is documented: by full names."""
    names = public()
    full = {
        f"{module}.{name}": home(module, name, names)
        for module, listed in names.items()
        for name in listed
    }
    full |= {module: module for module in names}
    for at in set(full.values()):
        if inspect.isclass(found(at)):
            full |= {f"{at}.{name}": f"{at}.{name}" for name in members(found(at))}
    return full


def target(name: str, at: str, parameters: Collection[str] = ()) -> str | None:
    """Return the full name of what a name stands for in the docstring of `at`; None if unknown.

    It is looked for in `at`, among its parameters, in the class and the module around it, and then
    everywhere: there a name counts if only one thing has it.

    >>> target("decide", "selectron.OnlineClassifier.run")
    'selectron.OnlineClassifier.decide'
    >>> target("decide", "selectron.spark"), target("decide", "selectron.bounds")
    ('selectron.spark.decide', None)
    >>> target("evaluate.Drifts.add", "selectron.Run"), target("Budget", "selectron.bounds")
    ('selectron.evaluate.Drifts.add', 'selectron.askers.Budget')
    """
    known = targets()
    if f"{at}.{name}" in known:
        return known[f"{at}.{name}"]
    if name in parameters:
        return None
    while "." in at:
        at = at.rpartition(".")[0]
        if f"{at}.{name}" in known:
            return known[f"{at}.{name}"]
    anywhere = {place for full, place in known.items() if f".{full}".endswith(f".{name}")}
    alone = len(anywhere) == 1 and ("." in name or is_top(next(iter(anywhere))))
    return anywhere.pop() if alone else None


def is_top(full: str) -> bool:
    """Return whether a full name is no member of a class."""
    return full in sys.modules or full.rpartition(".")[0] in sys.modules
