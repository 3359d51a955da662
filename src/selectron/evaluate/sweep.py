"""Sweeps: every learner under every asker with every seed on one stream, as one tidy table."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import pyarrow as pa

from ..engine.bind import digest
from ..engine.loop import play
from ..engine.parameters import shown
from ..errors import SelectronError
from ..estimator.classifier import OnlineClassifier
from ..estimator.parts import checked
from ..kernels import kernel_of
from ..model import support
from ..model.compose import asker_type, parts, space_for
from ..specs import spec_of
from .each import each

__all__ = ["grid", "sweep"]


def grid(kind: Any, **values: Iterable[Any]) -> list[Any]:
    """Return a learner or an asker with each combination of these parameters.

    Raises SelectronError if there is no such parameter, or its values are not a list.

    >>> from selectron.learners import LASEC
    >>> grid(LASEC, b=[1.0], c=[10.0, 100.0])
    [LASEC(b=1.0, c=10.0), LASEC(b=1.0, c=100.0)]
    """
    if unknown := sorted(values.keys() - {*kind._fields}):
        known = ", ".join(kind._fields) or "none"
        raise SelectronError(f"There is no parameter {unknown[0]!r}: {kind.__name__} has {known}.")
    _several(**values)
    return [kind(**dict(zip(values, some, strict=True))) for some in product(*values.values())]


def sweep(
    X: Any,
    y: Any,
    learners: Iterable[Any],
    askers: Iterable[Any],
    seeds: Iterable[int] = (0,),
    *,
    workers: int = 1,
    executor: Any = None,
    store: Any = None,
    progress: bool = False,
    **options: Any,
) -> pa.Table:
    """Play a stream with every learner, asker and seed; return a table with one row for each pass.

    X (n, d) and y (n,) are as for `OnlineClassifier.run`, and `options` are parameters of
    `OnlineClassifier`. All passes with one seed have the same draws, so that they can be compared
    in pairs. `workers`, `executor` and `store` are as in `each`. Columns are learner, asker, their
    parameters (null where there is none), seed, accuracy, label_rate, mistakes, asked, steps and
    rows. Raises SelectronError as `run` does, and if learners, askers or seeds are not a list.

    >>> from selectron import askers, learners, streams
    >>> X, y = streams.digits(passes=1)
    >>> several = [learners.Perceptron(), *grid(learners.LASEC, c=[100.0])]
    >>> table = sweep(X, y, several, [askers.Margin(0.1)], seeds=[0, 1])
    >>> table.num_rows, table["learner__c"].to_pylist()
    (4, [None, None, 100.0, 100.0])
    """
    _several(learners=learners, askers=askers, seeds=seeds)
    calls = [
        {"learner": learner, "asker": asker, "seed": seed}
        for learner, asker, seed in product(learners, askers, seeds)
    ]
    for call in calls:
        checked(call["learner"], "learner")
        checked(call["asker"], "asker")
    kernel = support.kernel_type(kernel_of(options.get("kernel")))
    results = each(
        play_pass,
        [{**call, "code": code_digest(call["learner"], call["asker"], kernel)} for call in calls],
        shared={"X": X, "y": y, "options": options},
        workers=workers,
        executor=executor,
        store=store,
        progress="passes" if progress else None,
    )
    rows = [_row(**call) | result for call, result in zip(calls, results, strict=True)]
    columns = dict.fromkeys(name for row in rows for name in row)
    order = sorted(columns, key=RESULTS.__contains__)  # last
    return pa.table({name: [row.get(name) for row in rows] for name in order})


def _several(**given: Any) -> None:
    """Raise SelectronError unless all are lists: a single learner would be taken for its fields."""
    for name, values in given.items():
        single = isinstance(values, str) or hasattr(values, "_fields")
        if single or not isinstance(values, Iterable):
            raise SelectronError(f"{name} must be a list, got {shown(values)}.")


RESULTS = "accuracy", "label_rate", "mistakes", "asked", "steps", "rows"


def code_digest(learner: Any, asker: Any, kernel: Any) -> str:
    """Return a digest of the code of the parts, which may be a user's."""
    space = space_for(learner, sparse=False, kernel=kernel)
    return digest(play, parts(type(learner), asker_type(asker), space))


def play_pass(
    X: Any, y: Any, options: dict, learner: Any, asker: Any, seed: int, code: str
) -> dict[str, Any]:
    """Play one pass, and return its totals; `code` is for the store alone."""
    run = OnlineClassifier(learner, asker, random_state=seed, **options).run(X, y, margins=False)
    totals = run.accuracy, run.label_rate, run.mistakes, int(run.asked.sum()), run.steps, len(run)
    return dict(zip(RESULTS, totals, strict=True))


def _row(seed: int, **parts: Any) -> dict[str, Any]:
    """Return a row of the table, without the totals."""
    row = {role: spec_of(one) for role, one in parts.items()}
    for role, one in parts.items():
        for name, value in one._asdict().items():  # which may be an asker in turn
            row[f"{role}__{name}"] = spec_of(value) if hasattr(value, "_fields") else value
    return {**row, "seed": seed}
