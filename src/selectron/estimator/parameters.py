"""Parameters of an estimator: nested names, checks, and the model that they make."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import finalize

import numpy as np
from sklearn.base import BaseEstimator, clone

from ..askers import Always
from ..engine.parameters import shown, whole
from ..errors import SelectronError
from ..kernels import NAMED, kernel_of
from ..learners.leading_history import default_for
from ..model import Model
from .parts import checked

CLASSIFIED = {"joint": "joint", "exact": "exact", "rest": "rest"}
RANKED = {"joint": "ranking", "exact": "exact ranking"}
LOCKS: dict[int, Any] = {}  # of living estimators by id: as attributes, copies would share them
if hasattr(os, "register_at_fork"):  # a child has no threads that would release them
    os.register_at_fork(after_in_child=LOCKS.clear)
Given = ParamSpec("Given")
Returned = TypeVar("Returned")


def _lock_of(estimator: Any) -> Any:
    """Return a new lock, which goes with the estimator, or that of another thread."""
    finalize(estimator, LOCKS.pop, id(estimator), None).atexit = False
    return LOCKS.setdefault(id(estimator), RLock())


def one_at_a_time(
    method: Callable[Concatenate[Any, Given], Returned],
) -> Callable[Concatenate[Any, Given], Returned]:
    """Return a method that waits while another thread is in such a method of the same estimator.

    Rounds share arrays, and compiled code releases Python's own lock.
    """

    @wraps(method)
    def alone(self: Any, *args: Given.args, **kwargs: Given.kwargs) -> Returned:
        with LOCKS.get(id(self)) or _lock_of(self):
            return method(self, *args, **kwargs)

    return alone


class NestedParameters(BaseEstimator):
    """An estimator with NamedTuples as parameters, whose fields are parameters too: `learner__b`.

    So are the fields of these: `asker__asker__b`. A learner or an asker of None stands for another,
    as scikit-learn wants plain defaults in a signature.
    """

    def part(self, name: str) -> Any:
        """Return the learner, the asker or another parameter, a named kernel as an object."""
        given = getattr(self, name)
        if name == "kernel" and isinstance(given, str):
            return NAMED.get(given)
        if given is None and name == "learner":
            return learner_of(self, 0, False)  # with a kernel or a sketch, another one
        return Always() if given is None and name == "asker" else given

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; if `deep`, with those of the learner, the asker and the kernel."""
        params = super().get_params(deep=deep)
        for name in super().get_params(deep=False) if deep else ():
            params |= _nested(name, self.part(name))
        return params

    def set_params(self, **params: Any) -> "NestedParameters":
        """Set parameters such as `learner__b=2.0`: all of them, or none if one is unknown.

        What None stands for may depend on the rows: it stays None if its fields stay as they are.
        """
        inner = {key: params.pop(key) for key in list(params) if "__" in key}
        with all_or_nothing(self):
            super().set_params(**params)
            for key, value in sorted(inner.items(), key=lambda item: item[0].count("__")):
                name, _, field = key.partition("__")
                own: Any = self.part(name) if name in self.get_params(deep=False) else None
                if isinstance(own, BaseEstimator):  # an encoder
                    setattr(self, name, clone(own).set_params(**{field: value}))
                else:
                    new = _replaced(own, field.split("__"), value, key)
                    if getattr(self, name) is not None or repr(new) != repr(own):
                        setattr(self, name, new)
        return self


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Restore all attributes of an estimator if anything goes wrong."""
    before = dict(vars(estimator))
    known = len(before.get("names_", ()))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        if "names_" in before:  # it grows in place
            before["names_"].cut(known)
        raise


def forget(estimator: Any) -> None:
    """Remove all fitted attributes."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)


def _fields(part: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a learner or an asker; none for other objects."""
    return () if isinstance(part, type) else getattr(part, "_fields", ())


def _nested(name: str, part: Any) -> dict[str, Any]:
    """Return the parameters of a part by their nested names, with those of parts in it."""
    found: dict[str, Any] = {}
    for field in _fields(part):
        inner = f"{name}__{field}", getattr(part, field)
        found |= dict([inner]) | _nested(*inner)
    return found


def _replaced(part: Any, fields: list[str], value: Any, key: str) -> Any:
    """Return a part with another value of a field, or of one of a part in it."""
    field, *inner = fields
    if field not in _fields(part):
        known = ", ".join(_fields(part)) or "none"
        hint = f": {type(part).__name__} has {known}" if isinstance(part, tuple) else ""
        raise SelectronError(f"There is no parameter {key!r}{hint}.")
    if inner:
        value = _replaced(getattr(part, field), inner, value, key)
    return part._replace(**{field: value})


def many(value: Any, ranks: bool) -> str:
    """Return how many classes are learned, as a model has it; None is "joint"."""
    ways = RANKED if ranks else CLASSIFIED
    if value is None or (isinstance(value, str) and value in ways):
        return ways[value or "joint"]
    choices = '"joint" or "exact" with OnlineRanker' if ranks else '"joint", "exact" or "rest"'
    raise SelectronError(f"many must be {choices}, got {value!r}.")


def flag(name: str, value: Any) -> bool:
    """Return a parameter that is True or False; 1 and 0 are accepted."""
    if isinstance(value, int | np.bool_ | np.integer) and value in (0, 1):
        return bool(value)
    raise SelectronError(f"{name} must be True or False, got {shown(value)}.")


def learner_of(estimator: Any, width: int, sparse: bool) -> Any:
    """Return the learner of an estimator, or the default for such rows."""
    learner = estimator.learner
    if learner is None:
        given = estimator.kernel, estimator.sketch, estimator.ranks
        learner = default_for(width, sparse, *given)
    return checked(learner, "learner")


def model_of(estimator: Any, width: int, sparse: bool, classes: int) -> Model:
    """Return a new model with the parameters of an estimator, all of them checked."""
    normalize, support, sketch = estimator.normalize, estimator.max_support, estimator.sketch
    if estimator.ranks and (estimator.class_weight is not None or estimator.correctable):
        raise SelectronError("class_weight and correctable must be left out with OnlineRanker.")
    return Model(
        learner_of(estimator, width, sparse),
        checked(estimator.part("asker"), "asker"),
        width=width,
        sparse=sparse,
        classes=classes,
        many=many(estimator.many, estimator.ranks),
        constant=flag("fit_intercept", estimator.fit_intercept),
        normalize=None if normalize is None else flag("normalize", normalize),
        seed=estimator.random_state,
        max_open=whole("max_open", estimator.max_open),
        kernel=kernel_of(estimator.kernel),
        max_support=None if support is None else whole("max_support", support),
        sketch=None if sketch is None else whole("sketch", sketch),
        balanced=isinstance(estimator.class_weight, str),
        correctable=whole("correctable", estimator.correctable, least=0),
    )
