"""`selectron predict`: label the rows of a file with a kept model."""

import warnings
from collections import Counter
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from ..data.tables import odd_values
from ..engine.parameters import counted, similar
from ..engine.rows import Sparse, as_matrix
from ..errors import SelectronError
from ..streams.readers import Chunk, by_name
from . import ExamplesFirst, warn
from .files import all_columns, appender, as_text, naming, with_progress
from .models import Saved, load, uninterrupted
from .options import (
    DECISIONS,
    check_different,
    check_target,
    model_and_file,
    model_arguments,
    path_option,
    text_options,
)


@click.command(cls=ExamplesFirst)
@model_arguments("MODEL FILE")
@path_option(
    "-o",
    "--output",
    help="CSV, Parquet or JSON lines, by its ending. Default: CSV on standard output.",
)
@text_options
def predict(paths: tuple[str, ...], model: str | None, output: str | None, **options: Any) -> None:
    """Predict the label of every row of FILE with MODEL, and the probability of each class.

    The model learns nothing. Columns that it does not use, such as an id, are copied.

    \b
        selectron run today.csv --save mail.model
        selectron predict mail.model tomorrow.csv -o labels.csv
    """
    model, file = model_and_file(model, paths)
    check_target(output, DECISIONS, "-o")
    check_different("MODEL, FILE and -o", file, model, output)
    path = Path(output) if output else None
    saved, odd, rows = load(model), Counter[str](), 0
    schema: Any = None
    append: Any = None
    names = dict[str, None]()  # of all columns, in the order in which they come
    met = set[str]()  # keys of objects
    try:
        with ExitStack() as stack:
            source = all_columns(file, known=saved.columns, **options)
            for chunk in stack.enter_context(closing(with_progress(source))):
                with uninterrupted(), naming(file, chunk.first):
                    chunk = saved.flatten(chunk)
                    met.update(*chunk.rows if isinstance(chunk.rows, list) else ())
                    table = predictions(saved, chunk, odd)
                    schema = schema or table.schema
                    append = append or appender(path, schema, stack)
                    found = with_schema(table, schema)
                    given = isinstance(chunk.rows, list) and by_name(output or "") == "jsonl"
                    append(as_sent(found, chunk.rows, saved) if given else found)
                    names |= dict.fromkeys(table.column_names)
                    rows += len(table)
    except KeyboardInterrupt:
        warn(f"interrupted after {counted(rows, 'row')}")
        raise
    if late := [name for name in names if name not in schema.names]:
        what = "columns that the first rows do not have are left out"
        warn(f"{file}: {what}: {', '.join(late)}")
    if met and (missing := [name for name in model_columns(saved.encoder) if name not in met]):
        warn(f"{file}: no row has {', '.join(missing)}, which the model has learned from")
    for name, count in (+odd).items():
        column = saved.encoder.columns_[name]
        new = column.kind == "category"
        which, what = ("new value", "ignored") if new else ("odd value", "taken as blank")
        why = f": the model knows {name} as {column.learned()}" * (2 * count > rows and not new)
        warn(f"{file}: {name}: {counted(count, which)} in {counted(rows, 'row')} {what}{why}")


def as_sent(table: pa.Table, rows: list[dict[str, Any]], saved: Saved) -> list[dict[str, Any]]:
    """Return predicted rows of JSON as dicts, whose other values are as they were given."""
    new = {"prediction", *(f"proba_{name}" for name in saved.classifier.classes_)}
    return [
        {name: value if name in new else row.get(name) for name, value in found.items()}
        for found, row in zip(table.to_pylist(), rows, strict=True)
    ]


def with_schema(table: pa.Table, schema: Any) -> pa.Table:
    """Return a table with the columns that the file begins with: keys of JSON rows come and go."""
    both = pa.concat_tables([schema.empty_table(), table], promote_options="default")
    return both.select(schema.names).cast(schema)


def predictions(saved: Saved, chunk: Chunk, odd: Counter[str]) -> pa.Table:
    """Return other columns, predicted labels, probabilities; count in `odd` what has no effect."""
    rows, columns = chunk.rows, other_columns(saved, chunk)
    if isinstance(rows, Sparse):
        width = saved.classifier.model_.width  # features beyond it are unknown
        rows = as_matrix(rows, max(width, chunk.width))[:, :width]
    else:
        odd.update(odd_values(saved.encoder.columns_, saved.encoder.layout_, rows))
    classes = [str(name) for name in saved.classifier.classes_.tolist()]
    if len(classes) < 2:
        raise SelectronError("the model knows fewer than two classes: train it first")
    with warnings.catch_warnings(action="ignore"):  # of odd values: they are counted
        proba = saved.classifier.predict_proba(rows)
    columns["prediction"] = pa.array([classes[k] for k in proba.argmax(axis=1)])
    return pa.table(columns | {f"proba_{name}": proba[:, k] for k, name in enumerate(classes)})


def other_columns(saved: Saved, chunk: Chunk) -> dict[str, Any]:
    """Return the columns that are not features; SelectronError if features are missing."""
    rows, encoder = chunk.rows, saved.encoder
    saved.check(rows)
    if encoder is None:
        return {}
    if isinstance(rows, list):
        return {
            name: pa.array([as_text(row.get(name)) for row in rows], pa.string())
            for name in dict.fromkeys(chain.from_iterable(rows))
            if encoder.kinds_.get(name, "ignored") == "ignored"
        }
    names = dict.fromkeys(rows.column_names)  # Arrow builds a new list at each access
    first = set(list(encoder.columns_)[: encoder.n_first_])  # later ones came in rows of JSON
    if missing := [name for name in model_columns(encoder) if name in first and name not in names]:
        raise SelectronError(
            f"there is no column {missing[0]!r}, which the model has learned from: rename it "
            f"back, or add a blank one{similar(missing[0], names)}"
        )
    kinds = encoder.kinds_
    return {name: rows.column(name) for name in names if kinds.get(name, "ignored") == "ignored"}


def model_columns(encoder: Any) -> list[str]:
    """Return the columns that the model has learned from."""
    return [name for name, kind in encoder.kinds_.items() if kind not in (None, "ignored")]
