"""`selectron predict`: label the rows of a file with a kept model."""

from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SelectronError
from . import ExamplesFirst, reported
from .files import appending, cell, naming, watched
from .models import Saved, load, uninterrupted
from .options import check_different, check_target, model_and_file, of_a_model, of_text

if TYPE_CHECKING:
    import pyarrow as pa

    from ..streams.readers import Chunk


@click.command(cls=ExamplesFirst)
@of_a_model("MODEL FILE")
@click.option(
    "-o",
    "--output",
    help="CSV, Parquet or JSON lines, by its ending. Default: CSV on standard output.",
)
@of_text
def predict(paths: tuple[str, ...], model: str | None, output: str | None, **options: Any) -> None:
    """Predict the label of every row of FILE with MODEL, and the probability of each class.

    The model learns nothing. Columns that it does not use, such as an id, are copied.

    \b
        selectron run today.csv --save mail.model
        selectron predict mail.model tomorrow.csv -o labels.csv
    """
    model, file = model_and_file(model, paths)
    check_target(output, (".csv", ".parquet", ".pq", ".json", ".jsonl", ".ndjson"), "-o")
    check_different("MODEL, FILE and -o", file, model, output)
    with reported():
        label_rows(file, load(model), output, options)


def label_rows(file: str, saved: Saved, output: str | None, options: dict[str, Any]) -> None:
    """Write the predictions of all rows; Ctrl-C waits for the end of a chunk."""
    schema: Any = None
    append, rows, odd = None, 0, Counter[str]()
    path = None if output is None else Path(output)
    late = dict[str, None]()  # in the order in which they come
    try:
        with ExitStack() as stack:
            source = all_columns(file, **options)
            for chunk in stack.enter_context(closing(watched(source))):
                with uninterrupted(), naming(file, chunk.first):
                    table = predicted(saved, chunk, odd)
                    schema = schema or table.schema
                    append = append or appending(path, schema, stack)
                    append(aligned(table, schema))
                    late |= dict.fromkeys(table.column_names)
                    rows += len(table)
    except KeyboardInterrupt:
        click.echo(f"selectron: interrupted after {rows:,} rows", err=True)
        raise
    if missed := [name for name in late if name not in schema.names]:
        what = "columns that the first rows do not have are left out"
        click.echo(f"selectron: {file}: {what}: {', '.join(missed)}", err=True)
    for name, count in (+odd).items():
        what = f"{count:,} odd values in {rows:,} rows taken as blank"
        click.echo(f"selectron: {file}: {name}: {what}", err=True)


def all_columns(file: str, kind: str | None, header: bool | None, encoding: str | None) -> Any:
    """Return a file to be read with all of its columns."""
    from ..streams.readers import by_name, read

    svmlight = (kind or by_name(file)) == "svmlight"
    label = None if svmlight else ""
    return read(file, format=kind, header=header, label=label, encoding=encoding)


def aligned(table: "pa.Table", schema: Any) -> "pa.Table":
    """Return a table with the columns of the first rows: keys of JSON rows may come and go.

    A CSV or Parquet file has the columns with which it begins.
    """
    import pyarrow as pa

    names, n = table.column_names, len(table)
    columns = [table[f.name] if f.name in names else pa.nulls(n, f.type) for f in schema]
    return pa.table(columns, names=schema.names).cast(schema)


def predicted(saved: Saved, chunk: "Chunk", odd: Counter[str]) -> "pa.Table":
    """Return the other columns of some rows, the predicted labels and the probabilities.

    Values that are no numbers or dates, in columns of these, are counted in `odd`.
    """
    import pyarrow as pa

    rows, others = features(saved, chunk)
    odd.update(odd_values(saved.encoder, rows) if saved.encoder else {})
    classes = [str(name) for name in saved.classifier.classes_.tolist()]
    if len(classes) < 2:
        raise SelectronError("the model knows fewer than two classes: let it learn first")
    proba = saved.classifier.predict_proba(rows)
    found = pa.array([classes[k] for k in proba.argmax(axis=1)])
    columns = dict(others) | {"prediction": found}
    return pa.table(columns | {f"proba_{name}": proba[:, k] for k, name in enumerate(classes)})


def features(saved: Saved, chunk: "Chunk") -> tuple[Any, dict[str, Any]]:
    """Return the rows as the classifier takes them, and the columns that are no features."""
    import pyarrow as pa

    from ..engine.rows import Sparse

    rows, encoder = chunk.rows, saved.encoder
    if isinstance(rows, Sparse) != (encoder is None):
        was = "tables" if encoder else "svmlight rows"
        raise SelectronError(f"the model has learned from {was}, which have other features")
    if encoder is None:
        return matrix(rows, saved.classifier.model_.width), {}
    names = list(encoder.columns_)
    used = [name for name, kind in encoder.kinds_.items() if kind != "ignored"]
    if isinstance(rows, list):
        known = list(dict.fromkeys(name for row in rows for name in row))
        others = {
            name: pa.array([cell(row.get(name)) for row in rows], pa.string())
            for name in known
            if name not in used
        }
        return [{name: row.get(name) for name in names} for row in rows], others
    missing = next((name for name in used if name not in rows.column_names), None)
    if missing is not None:
        raise SelectronError(
            f"there is no column {missing!r}, which the model has learned from: rename it "
            "back, or add a blank one"
        )
    others = {name: rows.column(name) for name in rows.column_names if name not in used}
    for name in names:
        if name not in rows.column_names:  # it is ignored
            rows = rows.append_column(name, [[None] * len(rows)])
    return rows.select(names), others


def odd_values(encoder: Any, rows: Any) -> dict[str, int]:
    """Return how many values of each column of numbers or dates are of another kind."""
    from ..data.measured import Number
    from ..data.tables import array_of

    found = {}
    for name, column in encoder.columns_.items():
        if isinstance(column.encoder, Number):
            values = [row[name] for row in rows] if isinstance(rows, list) else rows.column(name)
            found[name] = column.encoder.odd_in(array_of(values))
    return found


def matrix(rows: Any, width: int) -> Any:
    """Return sparse rows with the features that the model knows."""
    import numpy as np
    import scipy.sparse

    n = len(rows.indptr) - 1
    wide = max(width, int(rows.indices.max(initial=-1)) + 1)
    found = scipy.sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=(n, wide))
    return found[:, np.arange(width)] if wide > width else found
