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
from ..model.run import EMPTY
from .columns import DECIDED, ITEM, STATE


@dataclass(frozen=True)
class KeyStep:
    """What a worker has to know: how a step is played, the names of its columns, the classes."""

    keyed: Keyed
    names: list[str]
    classes: tuple

    def advance(self, key: tuple, state: bytes | None, frame: Any) -> tuple[bytes, pd.DataFrame]:
        """Return the state of a key after the rows and labels of a frame, and the decisions."""
        column = {name: frame.iloc[:, i].to_numpy() for i, name in enumerate(self.names)}
        code, position = column["code"], column["position"]
        item, given = code == ITEM, code == STATE
        if given.any():
            state = bytes(column["state"][given.argmax()])
        items = answers = None
        if (label := ~item & ~given).any():
            answers = Answers(
                position[label], code[label], column["by_ticket"][label], column["time"][label]
            )
        order = position[item]
        if len(order):
            timed = getattr(self.keyed.asker, "per", None) is not None
            seconds = order / 1e6 if timed else EMPTY
            items = Items(order, self.rows(column["x"][item]), seconds)
        state, found = self.keyed.step(key, state, items, answers)
        columns = {name: column[name][item] for name in self.names if name[0] in "kv"}
        columns |= {"position": order, "label": np.array(self.classes, object)[found.predicted]}
        proba = pd.Series(list(found.proba), dtype=object)  # the type of arrays, if there are none
        decided = proba, found.ask, found.ask_probability, found.ticket
        return state, pd.DataFrame(columns | dict(zip(DECIDED, decided, strict=True)), copy=False)

    def rows(self, x: np.ndarray) -> Dense | Sparse:
        """Return rows from arrays of numbers, or from indices and values of sparse rows."""
        if not self.keyed.sparse:
            return Dense(np.array(x.tolist(), np.float64))
        indices, values = ([np.asarray(row[name]) for row in x] for name in ("indices", "values"))
        indptr = np.cumsum([0, *map(len, indices)], dtype=np.int64)
        return Sparse(
            indptr, np.concatenate(indices).astype(np.int32), np.concatenate(values, dtype=float)
        )


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


def of_group(plan: Any, final: bool) -> Callable[[tuple, pd.DataFrame], pd.DataFrame]:
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
