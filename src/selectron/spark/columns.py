"""The columns that go to the workers, the same for rows, labels and states, and what comes back.

Rows and labels are united, so that one operator holds the state of a key and labels reach its model
whenever they come. Their names are plain (k0, v0), whatever those of the frame are.
"""

from typing import Any

from ..data.labels import none_of
from ..model.keyed import ASAP
from .checks import DATED, WHOLE, kind

ITEM, STATE = 0, -(2**31)  # in place of a label's code
EVERYWHERE = {  # columns after those of the key, with their defaults and types
    "code": (ITEM, "int"),
    "position": (0, "bigint"),
    "by_ticket": (False, "boolean"),
    "time": (ASAP, "bigint"),
}
DECIDED = {
    "proba": "array<double>",
    "ask": "boolean",
    "ask_probability": "double",
    "ticket": "bigint",
}


class UnitedColumns:
    """The united columns of rows and labels, in `together`.

    Rows are the columns `names` of the frame, encoded by a function of a struct unless it is None.
    """

    def __init__(
        self,
        frame: Any,
        keys: list[str],
        order: str,
        kept: list[str],
        classes: tuple,
        names: list[str],
        encode: Any,
    ) -> None:
        from pyspark.sql import functions

        self.F: Any = functions
        self.frame, self.keys, self.order, self.kept = frame, keys, order, kept
        self.classes = classes
        self.key_names = [f"k{i}" for i in range(len(keys))]
        self.types = {name: frame.schema[name].dataType for name in frame.columns}
        x = [self._column(frame, name) for name in names]
        numbers = (column.cast("double") for column in x)
        row = self.F.array(*numbers) if encode is None else encode(self.F.struct(*x))
        passed = {f"v{i}": self._wrapped(name) for i, name in enumerate(kept)}
        position = self._position(frame, order)
        self.together = self._selected(frame, position=position, x=row, **passed)

    def add_labels(self, labels: Any, time: str | None) -> None:
        """Add the labels: nulls are none."""
        F, given = self.F, labels.columns
        ticket = self._column(labels, "ticket").cast("bigint") if "ticket" in given else F.lit(None)
        order = [self._position(labels, self.order)] if self.order in given else []
        found = {"code": self._code(labels), "position": F.coalesce(ticket, *order)}
        found["by_ticket"] = ticket.isNotNull()
        if time is not None:
            found["time"] = self._position(labels, time)
        labelled = self._selected(labels.where(F.col("label").isNotNull()), **found)
        self.together = self.together.unionByName(labelled, allowMissingColumns=True)

    def add_states(self, states: Any) -> None:
        """Add the models that a batch starts from."""
        found = self._selected(states, code=self.F.lit(STATE), state=self._state())
        self.together = self.together.unionByName(found, allowMissingColumns=True)

    def states(self, states: Any) -> Any:
        """Return given models, with the names of the key's columns."""
        return states.select(*self._key(states), self._state())

    def schema(self, of_states: bool = False) -> Any:
        """Return the columns that come back from a worker."""
        types = dict(self.together.dtypes)
        found = {name: types[name] for name in self.key_names}
        if of_states:
            found["state"] = "binary"
        else:
            label = {str: "string", bool: "boolean", int: "bigint"}[type(self.classes[0])]
            found |= {f"v{i}": types[f"v{i}"] for i in range(len(self.kept))}
            found |= {"position": "bigint", "label": label, **DECIDED}
        return ", ".join(f"{name} {kind}" for name, kind in found.items())

    def restored(self, result: Any) -> Any:
        """Return the result with the columns of the frame under their names, in their order."""
        F, own = self.F, {}
        for k, name in zip(self.key_names, self.keys, strict=True):
            own[name] = F.col(k)
        position = F.col("position")
        if kind(self.frame, self.order) not in WHOLE:
            position = F.timestamp_micros(position)
        own[self.order] = position.cast(self.types[self.order])
        for i, name in enumerate(self.kept):
            wide = kind(self.frame, name) == "bigint"
            own[name] = F.col(f"v{i}")[0] if wide else F.col(f"v{i}")
        columns = [own[name].alias(name) for name in self.frame.columns if name in own]
        return result.select(*columns, "label", *DECIDED)

    # Internals

    def _column(self, frame: Any, name: str) -> Any:
        """Return a column, whatever signs its name has."""
        return frame["`" + name.replace("`", "``") + "`"]

    def _given(self, frame: Any, name: str, what: str) -> Any:
        """Return a column that must not hold nulls."""
        text = f"Column '{name}' of the {what} holds a null: leave out such rows."
        column = self._column(frame, name)
        return self.F.when(column.isNull(), self.F.raise_error(self.F.lit(text))).otherwise(column)

    def _key(self, frame: Any) -> list[Any]:
        pairs = zip(self.keys, self.key_names, strict=True)
        return [self._given(frame, key, "key").cast(self.types[key]).alias(k) for key, k in pairs]

    def _state(self) -> Any:
        return self.F.col("state").cast("binary").alias("state")

    def _position(self, frame: Any, name: str) -> Any:
        """Return a column of the order's type as whole numbers, of microseconds if it has times."""
        column = self._given(frame, name, "order")
        if kind(frame, name) in DATED:
            return self.F.unix_micros(column.cast("timestamp"))
        return column.cast("bigint")

    def _wrapped(self, name: str) -> Any:
        """Return a column to keep: whole numbers with nulls would come back as floats."""
        column = self._column(self.frame, name)
        return self.F.array(column) if kind(self.frame, name) == "bigint" else column

    def _code(self, labels: Any) -> Any:
        """Return the codes of labels: -1 and +1 of two classes, 1 to K of many."""
        label, F = self._column(labels, "label"), self.F
        codes = (-1, 1) if len(self.classes) == 2 else range(1, len(self.classes) + 1)
        chosen = F
        for one, code in zip(self.classes, codes, strict=True):
            chosen = chosen.when(label == F.lit(one), F.lit(code))
        none = f", which is {none_of(self.classes)}."  # type: ignore[arg-type]
        message = F.concat(F.lit("The label "), label.cast("string"), F.lit(none))
        return chosen.otherwise(F.raise_error(message))

    def _selected(self, frame: Any, **found: Any) -> Any:
        """Return the columns of the key, those that are everywhere, and the others that are found.

        Unions fill in those that are missing with nulls.
        """
        columns = {name: self.F.lit(default) for name, (default, _) in EVERYWHERE.items()} | found
        for name, (_, type_) in EVERYWHERE.items():
            columns[name] = columns[name].cast(type_)
        named = [column.alias(name) for name, column in columns.items()]
        return frame.select(*self._key(frame), *named)
