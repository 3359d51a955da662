"""What runs in Spark's Python workers: a step for the rows and labels of one key."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql.functions import pandas_udf
from pyspark.sql.streaming import StatefulProcessor

from ..engine.rows import Dense, Sparse
from ..model.keyed import Answers, Items, Keyed
from ..model.run import TIMELESS
from .columns import (
    BY_TICKET,
    BYTES,
    CODE,
    DECIDED,
    ITEM,
    PASSED,
    POSITION,
    STATE,
    TIME,
    Columns,
    X,
)


@dataclass(frozen=True)
class Plan:
    """What a worker has to know: how a step is played, and the numbers of columns."""

    keyed: Keyed
    keys: int
    passed: int
    classes: tuple

    @classmethod
    def of(cls, columns: Columns) -> "Plan":
        """Return the plan for these columns."""
        return cls(columns.keyed, len(columns.keys), len(columns.kept), columns.classes)

    def advance(self, key: tuple, state: bytes | None, frame: Any) -> tuple[bytes, pd.DataFrame]:
        """Return the state of a key after the rows and labels of a frame, and the decisions."""
        code, position = self.column(frame, CODE), self.column(frame, POSITION)
        item = code == ITEM
        answers, where = None, np.arange(len(item))
        if not item.all():
            if (code == STATE).any():
                state = bytes(self.column(frame, BYTES)[np.argmax(code == STATE)])
            label, where = ~item & (code != STATE), np.flatnonzero(item)
            by_ticket, time = self.column(frame, BY_TICKET), self.column(frame, TIME)
            answers = Answers(position[label], code[label], by_ticket[label], time[label])
        order = position[where]
        items = Items(order, self.rows(self.column(frame, X)[where]), self.times(order))
        state, found = self.keyed.step(key, state, items if len(order) else None, answers)
        columns = {f"k{i}": frame.iloc[:, i].to_numpy()[where] for i in range(self.keys)}
        for i in range(self.passed):
            columns[f"v{i}"] = self.column(frame, PASSED + i)[where]
        columns |= {"position": order, "label": self.names()[found.predicted]}
        proba = pd.Series(list(found.proba), dtype=object)  # the type of arrays, if there are none
        decided = proba, found.ask, found.ask_probability, found.ticket
        return state, pd.DataFrame(columns | dict(zip(DECIDED, decided, strict=True)), copy=False)

    def column(self, frame: pd.DataFrame, i: int) -> np.ndarray:
        """Return the values of column i after those of the key."""
        return frame.iloc[:, self.keys + i].to_numpy()

    def names(self) -> np.ndarray:
        """Return the classes as an array of objects."""
        found = np.empty(len(self.classes), object)
        found[:] = self.classes
        return found

    def times(self, order: np.ndarray) -> np.ndarray:
        """Return the times of rows in seconds, if the asker uses them."""
        return order / 1e6 if getattr(self.keyed.asker, "per", None) is not None else TIMELESS

    def rows(self, x: np.ndarray) -> Dense | Sparse:
        """Return rows from arrays of numbers, or from indices and values of sparse rows."""
        n = len(x)
        if not self.keyed.sparse:
            return Dense(np.array(x.tolist(), np.float64).reshape(n, self.keyed.width))
        indices, values = ([np.asarray(row[name]) for row in x] for name in ("indices", "values"))
        indptr = np.cumsum([0, *map(len, indices)], dtype=np.int64)
        none = [np.zeros(0)]
        joined = np.concatenate(indices or none), np.concatenate(values or none)
        return Sparse(indptr, joined[0].astype(np.int32), joined[1].astype(np.float64))


class Processor(StatefulProcessor):
    """The operator of a stream: the state of a key is the bytes of its model."""

    def __init__(self, plan: Any) -> None:
        self.plan = plan

    def init(self, handle: Any) -> None:
        """Declare the state."""
        self.state = handle.getValueState("model", "state BINARY")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        """Yield the decisions about the rows of a key in one batch."""
        frames, found = list(rows), self.state.get()
        frame = frames[0] if len(frames) == 1 else pd.concat(frames)
        state, decided = self.plan.advance(key, None if found is None else bytes(found[0]), frame)
        self.state.update((state,))
        if len(decided):
            yield decided

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Start from a given model."""
        self.state.update((bytes(initialState.iloc[0, -1]),))

    def close(self) -> None:
        """Do nothing."""


def of_group(plan: Any, final: bool = False) -> Callable[[tuple, pd.DataFrame], pd.DataFrame]:
    """Return the function for all rows of a key in a batch: decisions, or the final model."""

    def decided(key: tuple, frame: pd.DataFrame) -> pd.DataFrame:
        state, found = plan.advance(key, None, frame)
        if not final:
            return found
        keys = {f"k{i}": [value] for i, value in enumerate(key)}
        return pd.DataFrame({**keys, "state": [state]})

    return decided


def encoding(encoder: Any) -> Any:
    """Return the function of Spark's columns that encodes a table, without learning anything."""

    def encoded(table: pd.DataFrame) -> pd.Series:
        table.columns = pd.Index(encoder.columns_)
        block = encoder.look(table)
        if isinstance(block, Dense):
            return pd.Series(list(block.values))
        cuts = block.indptr[1:-1]
        parts = np.split(block.indices, cuts), np.split(block.values, cuts)
        return pd.DataFrame(dict(zip(("indices", "values"), parts, strict=True)))

    sparse = "struct<indices: array<int>, values: array<double>>"
    kind = sparse if encoder.sparse_ else "array<double>"
    return pandas_udf(encoded, kind)  # type: ignore[call-overload]
