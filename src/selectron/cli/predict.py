"""`selectron predict` and `selectron show`: what a kept model predicts, and what it has learned."""

import json
import warnings
from collections import Counter
from collections.abc import Collection
from contextlib import ExitStack, closing, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa

from ..data.cells import label_of
from ..engine.parameters import counted, similar
from ..engine.rows import Sparse, as_matrix
from ..errors import SelectronError
from ..evaluate.tables import described
from ..model.metrics import RunMetrics, Tally
from ..specs import spec_of
from ..storage import drafted
from ..streams.classes import LabelNumbers
from ..streams.readers import Chunk, by_name
from . import ExamplesFirst, echo, warn
from .decisions import appender
from .files import all_columns, naming, records_of, refuse_columns, warn_of_odd, with_progress
from .models import Saved, load, model_columns, uninterrupted
from .options import (
    DECISIONS,
    check_different,
    check_target,
    model_and_file,
    model_arguments,
    path_option,
    text_options,
)

MOST = 10  # weights that are shown
ROWS = 20_000  # of a file in which words are looked for
LONGEST = 40  # characters of a word or pair that are shown
TO_NAME = "; to see them, add a file with such texts: selectron show MODEL FILE"


@click.command(cls=ExamplesFirst)
@model_arguments("MODEL FILE")
@path_option(
    "-o",
    "--output",
    help="CSV, Parquet or JSON lines, by its ending. Default: CSV on standard output.",
)
@click.option(
    "--why",
    type=click.IntRange(min=1),
    help="Add a column with this many columns or words that contribute most to the prediction, "
    "with their log-odds: positive for it, negative against it. Slow.",
)
@click.option(
    "--label",
    metavar="NAME",
    help="Compare predictions with the labels in this column; the metrics are printed.",
)
@text_options
def predict(
    paths: tuple[str, ...],
    model: str | None,
    output: str | None,
    why: int | None,
    label: str | None,
    **options: Any,
) -> None:
    """Predict the label of every row of FILE with MODEL, and the probability of each class.

    The model learns nothing. Columns that it does not use, such as an id, are copied. With --label,
    accuracy, and recall and precision of each class, are printed on standard error.

    \b
        selectron run today.csv --save mail.model
        selectron predict mail.model tomorrow.csv -o labels.csv
        selectron predict mail.model tomorrow.csv --why 3
        selectron predict mail.model labelled.csv -o out.csv --label verdict
    """
    model, file = model_and_file(model, paths)
    check_target(output, DECISIONS, "-o", replaced=True)
    check_different("MODEL, FILE and -o", file, model, output)
    target: Path | None = None
    saved, odd, rows = load(model), dict[str, Any](), 0
    schema: Any = None
    append: Any = None
    names = dict[str, None]()  # of all columns, in the order in which they come
    met = set[str]()  # keys of objects
    scored = None if label is None else Scored(saved, label)
    try:
        with drafted(output) if output else nullcontext() as target, ExitStack() as stack:
            source = all_columns(file, known=saved.columns, **options)
            source.may_be_empty = True
            for chunk in stack.enter_context(closing(with_progress(source))):
                with uninterrupted(), naming(file, chunk.first):
                    chunk = saved.flatten(chunk, file)
                    met.update(*chunk.rows if isinstance(chunk.rows, list) else ())
                    table = predictions(saved, chunk, odd, why)
                    if scored:
                        scored.add(chunk.rows, table)
                    schema = schema or table.schema
                    append = append or appender(target, schema, stack, output or "")
                    # the columns that the file begins with: keys of JSON rows come and go
                    both = [schema.empty_table(), table]
                    found = pa.concat_tables(both, promote_options="default")
                    found = found.select(schema.names).cast(schema)
                    given = isinstance(chunk.rows, list) and by_name(output or "") == "jsonl"
                    append(as_sent(found, chunk.rows, results(saved, why)) if given else found)
                    names |= dict.fromkeys(table.column_names)
                    rows += len(table)
    except KeyboardInterrupt:
        kept = output and target != Path(output).resolve()  # else it is a pipe, or a device
        left = f": {output} was not written" if kept else ""
        warn(f"interrupted after {counted(rows, 'row')}{left}")
        raise
    if late := [name for name in names if name not in schema.names]:
        warn(f"{file}: columns that the first rows do not have are left out: {', '.join(late)}")
    if saved.encoder:
        warn_of_columns(saved.encoder, file, met, odd, rows)
    if scored:
        echo(scored.report(file), err=True)


def warn_of_columns(encoder: Any, file: str, met: set[str], odd: dict[str, Any], rows: int) -> None:
    """Warn of columns that no object has, if any was met, and of what is odd in the others."""
    missing = [name for name in model_columns(encoder) if name not in met] if met else []
    if missing:
        warn(f"{file}: no row has {', '.join(missing)}, which the model has learned from")
    others = {name: counts for name, counts in odd.items() if name not in missing}
    warn_of_odd(encoder, others, file, rows)


class Scored:
    """Predictions that are compared with a column of labels."""

    def __init__(self, saved: Saved, label: str):
        self.kinds = saved.encoder.kinds_ if saved.encoder else {}
        self.label, self.classes = label, saved.classifier.classes_.tolist()
        self.numbers, self.tally = LabelNumbers(self.classes, ordered=True), Tally()

    def add(self, rows: Any, table: pa.Table) -> None:
        """Add predicted rows; raise SelectronError if there is no such column of labels."""
        if self.label in self.kinds and self.kinds[self.label] not in (None, "ignored"):
            raise SelectronError(f"{self.label!r} is a feature of the model, not the label")
        refuse_columns("--label", isinstance(rows, Sparse))
        if isinstance(rows, list):
            values = [row.get(self.label) for row in rows]
        elif self.label in rows.column_names:
            values = rows.column(self.label).to_pylist()
        else:
            hint = similar(self.label, rows.column_names)
            raise SelectronError(f"there is no column {self.label!r} with labels{hint}")
        labels = np.array([*map(label_of, values)], object)
        numbers = self.numbers.numbers(labels)
        proba = np.zeros((len(labels), len(self.numbers.names)))
        for k, name in enumerate(self.classes):
            proba[:, k] = table.column(f"proba_{name}")
        known = numbers > 0
        self.tally.add(numbers[known] - 1, proba[known].argmax(axis=1), 1.0, proba[known])

    def report(self, file: str) -> str:
        """Return the metrics as text."""
        metrics = self.tally.metrics(self.numbers.names)
        labelled = int(metrics.confusion.sum())
        title = f"{file}: {counted(labelled, 'row')} with a label in {self.label!r}"
        return f"{title}\n\n{described(RunMetrics(metrics, None))}" if labelled else title


def as_sent(
    table: pa.Table, rows: list[dict[str, Any]], new: Collection[str]
) -> list[dict[str, Any]]:
    """Return predicted rows of JSON as dicts, whose values are as they were given but for `new`."""
    return [
        {name: value if name in new else row.get(name) for name, value in found.items()}
        for found, row in zip(table.to_pylist(), rows, strict=True)
    ]


def results(saved: Saved, why: int | None) -> list[str]:
    """Return the names of the columns with predictions."""
    probabilities = (f"proba_{name}" for name in saved.classifier.classes_)
    return ["prediction", *probabilities, *["why"] * bool(why)]


def predictions(saved: Saved, chunk: Chunk, odd: dict[str, Any], why: int | None) -> pa.Table:
    """Return other columns, predicted labels, probabilities, and `why` reasons for each.

    What has no effect is counted in `odd`, as by `odd_values`.
    """
    from ..data.tables import odd_values  # it takes a while to import

    rows, columns = chunk.rows, saved.other_columns(chunk)
    if isinstance(rows, Sparse):
        width = saved.classifier.model_.width  # features beyond it are unknown
        rows = as_matrix(rows, max(width, chunk.width))[:, :width]
    else:
        found = odd_values(saved.encoder.columns_, saved.encoder.layout_, rows)
        odd |= {name: odd.get(name, 0) + counts for name, counts in found.items()}
    classes = [str(name) for name in saved.classifier.classes_.tolist()]
    if len(classes) < 2:
        raise SelectronError("the model knows fewer than two classes: train it first")
    with warnings.catch_warnings(action="ignore"):  # of odd values: they are counted
        some = len(chunk.labels) > 0
        proba = saved.classifier.predict_proba(rows) if some else np.zeros((0, len(classes)))
        reasons = saved.classifier.explain(rows) if why and some else []
    columns["prediction"] = pa.array([classes[k] for k in proba.argmax(axis=1)], pa.string())
    columns |= {f"proba_{name}": pa.array(proba[:, k]) for k, name in enumerate(classes)}
    if why:
        columns["why"] = pa.array([as_reasons(found, why) for found in reasons], pa.string())
    return pa.table(columns)


def as_reasons(found: dict[str, float], most: int) -> str:
    """Return contributions as text, without those that are about 0.

    >>> as_reasons({"amount": 1.234, "country": -0.5, "note": 0.001}, 3)
    'amount +1.2, country -0.5'
    """
    shown = [f"{name} {by:+.1f}" for name, by in islice(found.items(), most) if abs(by) >= 0.05]
    return ", ".join(shown)


@click.command(cls=ExamplesFirst)
@model_arguments("MODEL [FILE]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@text_options
def show(paths: tuple[str, ...], model: str | None, as_json: bool, **options: Any) -> None:
    """Show what MODEL has learned: rows, labels, classes, columns, and its largest weights.

    A model stores hashes of the words of texts, not the words. With FILE, which holds such texts,
    the weights of its words are shown, too.

    \b
        selectron show mail.model
        selectron show mail.model mail.csv
        selectron show mail.model --json
    """
    model, file = model_and_file(model, paths, 1)
    saved = load(model)
    found = summary(saved, {} if file is None else words_of(saved, file, options))
    if as_json:
        echo(json.dumps(found, indent=2))
        return
    for name in ("learner", "asker", "rows", "labels", "open", "classes"):
        value = found[name]
        shown = ", ".join(value) if isinstance(value, list) else value
        echo(f"{name:8}  {f'{shown:,}' if isinstance(shown, int) else shown}")
    if isinstance(weights := found["class_weight"], dict):
        weights = ", ".join(f"{label} {weight:g}" for label, weight in weights.items())
    if weights:
        echo(f"weights   {weights}")
    if (place := saved.audited()) and (accuracy := place.accuracy()):
        echo(f"accuracy  {accuracy}")
    for line in found["columns"]:
        echo(f"column    {line}")
    for name, weights in found["weights"].items():
        other = f", or {found['classes'][0]} if negative" if len(found["weights"]) == 1 else ""
        echo(f"\nWeights towards {name}{other}")
        lines = [f"  {weight:+10.4f}  {feature}" for feature, weight in weights]
        if part := found["words"].get(name):
            how = TO_NAME if file is None else ":"
            lines.append(f"  Words of text have {part:.1%} of all weight{how}")
        named = found["weights_of_words"].get(name, ())
        lines += [f"  {weight:+10.4f}  {word}" for word, weight in named]
        echo("\n".join(lines))


def words_of(saved: Saved, file: str, options: dict[str, Any]) -> dict[int, str]:
    """Return the most frequent word in a file at the place of each hash."""
    columns = saved.encoder.columns_ if saved.encoder else {}
    texts = {name: column.encoder for name, column in columns.items() if column.kind == "text"}
    if not texts or saved.classifier.model_.dual:
        raise SelectronError("the model has no weights of words: leave FILE out")
    layout, counts = saved.encoder.layout_, Counter[tuple[int, str]]()
    missing = set(texts)
    with closing(with_progress(all_columns(file, known=saved.columns, **options))) as chunks:
        found = (records_of(saved.flatten(chunk, file).rows) for chunk in chunks)
        for row in islice(chain.from_iterable(found), ROWS):
            missing -= row.keys()
            for name, text in texts.items():
                column = "" if layout.hashed else f"{name}: "
                for place, word in text.terms(row.get(name), layout):
                    counts[place, f'{column}"{word[:LONGEST]}"'] += 1
    if not counts:
        what = "there is no column of text named" if missing else "there are no words in"
        raise SelectronError(f"{file}: {what} {', '.join(map(repr, sorted(missing or texts)))}")
    return {place: word for (place, word), _ in reversed(counts.most_common())}


def summary(saved: Saved, words: dict[int, str]) -> dict[str, Any]:
    """Return what is known of a model, as values for JSON, given the words at places of hashes.

    The weights are the largest ones of each class, or if there are two classes, of the second:
    those of `words`, and those of features that are not hashed words. The part that all hashed
    words have of the sum of all sizes is in "words".
    """
    clf, encoder = saved.classifier, saved.encoder
    model, classes = clf.model_, [str(name) for name in clf.classes_.tolist()]
    found: dict[str, Any] = {
        "learner": spec_of(model.learner),
        "asker": spec_of(model.asker),
        "rows": model.rounds,
        "labels": model.labels,
        "open": len(model.open),
        "classes": classes,
        "class_weight": clf.class_weight,
        "accuracy": (place := saved.audited()) and place.estimate(),
        "columns": [] if encoder is None else encoder.report(),
        **{name: {} for name in ("weights", "weights_of_words", "words")},
    }
    if model.dual:
        return found
    coef = clf.coef_
    sizes, (hashed, idle) = abs(coef), hashed_and_idle(encoder, coef.shape[1])
    shares = sizes[:, hashed].sum(axis=1) / sizes.sum(axis=1).clip(min=1e-300)
    names = getattr(clf, "feature_names_", [f"feature {j}" for j in range(coef.shape[1])])
    named = np.isin(np.arange(coef.shape[1]), list(words))
    sides = classes[-1:] if len(coef) == 1 else classes
    for side, weights, share in zip(sides, coef, shares.tolist(), strict=True):
        found["weights"][side] = largest(weights, names, ~(hashed | idle))
        if words:
            found["weights_of_words"][side] = largest(weights, words, named)
        found["words"][side] = share
    return found


def hashed_and_idle(encoder: Any, width: int) -> np.ndarray:
    """Return which features are hashed words, and which are the same in all rows: (2, width).

    Those are of ids, now ignored, or constant, so that their weights are only a threshold.
    """
    from ..data.words import TEXT_PLACES

    found = np.zeros((2, width), bool)
    for column in encoder.columns_.values() if encoder else ():
        same = column.encoder.constant(column.before) if column.encoder else []
        found[1, [*column.unused, *same]] = True
        if column.kind == "ignored":  # what it was taken for at first
            own = {column.name, f"{column.name} is blank", f"log of {column.name}"}
            names = encoder.layout_.all_names()
            found[1, [j for j, name in enumerate(names) if name in own]] = True
        if column.kind == "text" and column.encoder.place >= 0:
            size = encoder.layout_.hashed or TEXT_PLACES
            found[0, column.encoder.place : column.encoder.place + size] = True
    return found


def largest(weights: np.ndarray, names: Any, among: np.ndarray) -> list[tuple[str, float]]:
    """Return the largest weights `among` those of a mask, with the names at their places."""
    order = abs(weights).argsort(kind="stable")[::-1]
    some = order[among[order] & (weights[order] != 0)][:MOST].tolist()
    return [(names[j], float(weights[j])) for j in some]
