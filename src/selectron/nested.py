"""Parameters of the parts, named as in scikit-learn's nested estimators: `learner__b`."""

from typing import Any

from sklearn.base import BaseEstimator

from .errors import SelectronError

PARTS = ("learner", "asker")


class NestedParameters(BaseEstimator):
    """An estimator whose parameters `learner` and `asker` are NamedTuples, or None."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; deep, those of the learner and the asker too."""
        params = super().get_params(deep=deep)
        for name in PARTS if deep else ():
            part = params[name]
            params |= {f"{name}__{field}": getattr(part, field) for field in fields(part)}
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
        part: Any = getattr(self, name) if name in PARTS else None
        if field not in fields(part):
            default = ", as its default stands for no object yet" if part is None else ""
            raise SelectronError(f"There is no parameter {key!r}{default * (name in PARTS)}.")
        setattr(self, name, part._replace(**{field: value}))


def fields(part: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a learner or an asker, none for None."""
    return () if isinstance(part, type) else getattr(part, "_fields", ())
