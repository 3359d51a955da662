"""A stream of many keys as files, one of rows and one of labels for each micro-batch.

Labels come up to ten batches late, some twice, some for rows that were not asked for, some never.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from selectron import specs
from selectron.askers import Budget
from selectron.engine.rows import Dense
from selectron.model.keyed import ASAP, Answers, Items, Keyed

CLASSES = ["ham", "spam"]
FEATURES = ["x0", "x1", "x2"]
LEARNER, ASKER = "passive-aggressive", "50%"
BATCHES, LATEST = 12, 10


def tables(
    keys: int, rows: int, seed: int = 0, batches: int = BATCHES
) -> list[tuple[pd.DataFrame, pd.DataFrame]]:
    """Return the rows and the labels of each batch."""
    rng = np.random.default_rng(seed)
    n = batches * rows
    user = rng.integers(keys, size=n)
    x = rng.normal(size=(n, len(FEATURES)))
    label = np.where(np.sum(x * rng.normal(size=(keys, len(FEATURES)))[user], axis=1) > 0, *CLASSES)
    batch = np.repeat(np.arange(batches), rows)
    order = np.arange(n)
    for b in range(batches):  # a batch is not in order
        order[b * rows : (b + 1) * rows] = rng.permutation(order[b * rows : (b + 1) * rows])
    items = pd.DataFrame({"user": [f"u{k}" for k in user], "n": order})
    items[FEATURES] = x
    items["note"] = 2**60 + order
    labels = items[["user", "n"]].assign(label=label)
    due = batch + rng.integers(-1, LATEST + 1, size=n)  # -1: never
    again = np.where((rng.random(n) < 0.2) & (due >= batch), due + 1, -1)
    twice = pd.concat([labels.assign(due=np.where(due < batch, -1, due)), labels.assign(due=again)])
    return [
        (
            items[batch == b],
            twice[twice.due == b].drop(columns="due").sample(frac=1, random_state=b),
        )
        for b in range(batches)
    ]


def write(folder: Path, batches: list[tuple[pd.DataFrame, pd.DataFrame]]) -> None:
    """Write one file of each kind for each batch; Spark reads them in the order of their times."""
    for b, tables in enumerate(batches):
        for name, table in zip(("items", "labels"), tables, strict=True):
            (folder / name).mkdir(parents=True, exist_ok=True)
            path = folder / name / f"{b:03}.parquet"
            table.to_parquet(path, index=False)
            os.utime(path, (10**9 + b, 10**9 + b))


def written(folder: Path) -> pd.DataFrame:
    """Return the table that a stream has written, as Spark reads it: the files in the sink's log.

    A driver that was killed leaves others, which are empty or cut short.
    """
    logs = (
        path.read_text().splitlines()[1:] for path in (folder / "_spark_metadata").glob("[0-9]*")
    )
    names = {Path(json.loads(line)["path"]).name for lines in logs for line in lines}
    return pd.concat([pd.read_parquet(folder / name) for name in sorted(names)], ignore_index=True)


def parts(learner: str, asker: str) -> tuple[Any, Any]:
    """Return a learner and an asker, or a budget such as 10%, by their names."""
    found = specs.LEARNER.convert(learner, None, None)
    if asker.endswith("%"):
        return found, specs.budgeted(Budget.parse(asker), None, found, named=True)
    return found, specs.ASKER.convert(asker, None, None)


def alone(
    tables: Iterable[tuple[pd.DataFrame, pd.DataFrame]],
    key: str,
    learner: str = LEARNER,
    asker: str = ASKER,
) -> tuple[bytes | None, pd.DataFrame]:
    """Return the state and the decisions of one key, played in this process from its tables."""
    state, found = None, []
    for items, labels in tables:
        if not len(items) and not len(labels):
            continue
        features = [name for name in items.columns if name[0] == "x"]
        names = tuple(CLASSES), tuple(features)
        keyed = Keyed(*parts(learner, asker), width=len(features), names=names)
        code, n = np.where(labels.label == CLASSES[1], 1, -1), len(labels)
        answers = Answers(labels.n.to_numpy(), code, np.zeros(n, bool), np.full(n, ASAP))
        rows = Items(items.n.to_numpy(), Dense(np.ascontiguousarray(items[features])))
        state, decided = keyed.step(key, state, rows, answers)
        own = {
            "label": np.array(CLASSES, object)[decided.predicted],
            "spam": decided.proba[:, 1],
            **{name: getattr(decided, name) for name in ("ask", "ask_probability", "ticket")},
        }
        found.append(items.assign(**own))
    return state, pd.concat(found).sort_values("n", ignore_index=True)


def of_key(
    batches: list[tuple[pd.DataFrame, pd.DataFrame]], key: str
) -> list[tuple[pd.DataFrame, pd.DataFrame]]:
    """Return the rows and labels of one key in each batch."""
    return [tuple(table[table.user == key] for table in tables) for tables in batches]
