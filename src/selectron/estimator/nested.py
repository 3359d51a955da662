"""Parameters of the parts, named as in scikit-learn's nested estimators: `learner__b`."""

from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from ..errors import SelectronError


class NestedParameters(BaseEstimator):
    """An estimator two of whose parameters, those with `defaults`, are NamedTuples or None.

    None stands for the default: scikit-learn wants plain defaults in a signature.
    """

    defaults: ClassVar[dict[str, Any]] = {}

    def part(self, name: str) -> Any:
        """Return the learner or the asker."""
        given = getattr(self, name)
        return self.defaults[name] if given is None else given

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; deep, those of the learner and the asker too."""
        params = super().get_params(deep=deep)
        for name in self.defaults if deep else ():
            part = self.part(name)
            params |= {f"{name}__{field}": getattr(part, field) for field in _fields(part)}
        return params

    def set_params(self, **params: Any) -> "NestedParameters":
        """Set parameters, `learner__b=2.0` among them: all of them or none."""
        before = dict(vars(self))
        inner = {key: params.pop(key) for key in list(params) if "__" in key}
        try:
            super().set_params(**params)
            for key, value in inner.items():
                self._set_inner(key, value)
        except BaseException:
            self.__dict__ = before
            raise
        return self

    def _set_inner(self, key: str, value: Any) -> None:
        name, _, field = key.partition("__")
        part: Any = self.part(name) if name in self.defaults else None
        if field not in _fields(part):
            raise SelectronError(f"There is no parameter {key!r}.")
        setattr(self, name, part._replace(**{field: value}))


def _fields(part: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a learner or an asker, none for anything else."""
    return () if isinstance(part, type) else getattr(part, "_fields", ())
