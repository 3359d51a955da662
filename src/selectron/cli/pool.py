"""`selectron pool`: label a whole table with as few corrections as possible."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..engine.parameters import counted
from ..engine.rows import Sparse, as_matrix, joined
from ..errors import SelectronError
from ..evaluate.plot import plot_pool
from ..streams.classes import names_of
from . import ExamplesFirst, Whole, reported
from .files import naming, numbering, refuse_columns, source_of, watched
from .options import PICTURES, check_classes, check_different, check_target, of_a_file, target
from .terminal import write_labels

if TYPE_CHECKING:
    import numpy as np

    from ..pool import PoolRun

PAPERS = 50_000  # rows up to which `Boosted` is among the default orders
LEARNERS = ("confident", "random", "given", "worst", "greedy", "sphere", "boosted")


class Table(NamedTuple):
    """A file in memory."""

    X: Any  # (n, d), dense or CSR
    y: "np.ndarray"  # (n,) text, or None
    rows: Any  # before they were encoded; None of svmlight


@click.command(cls=ExamplesFirst)
@click.argument("file")
@click.option(
    "--learner",
    "learners",
    type=click.Choice(LEARNERS),
    multiple=True,
    help="May be repeated if all rows have labels. Default: confident, or all orders with labels.",
)
@click.option(
    "--mode",
    type=click.Choice(["perfect", "strong", "weak"]),
    default="perfect",
    show_default=True,
    help="Label all rows, all but a share delta, or half.",
)
@click.option(
    "--delta",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.01,
    show_default=True,
    help="The share that mode strong may leave.",
)
@click.option(
    "--features",
    type=click.Choice(["auto", "standard", "raw"]),
    default="auto",
    show_default=True,
    help="How the columns are transformed first; auto: standard, and kernel maps.",
)
@click.option(
    "--intercept/--no-intercept", default=True, show_default=True, help="Add a constant feature."
)
@click.option("--seed", type=Whole(), default=0, show_default=True)
@of_a_file
@click.option(
    "--show",
    multiple=True,
    help="Column to show with each row. May be repeated. Default: the first twelve.",
)
@target("--answers", help="File of the answers, to resume from. Default: FILE.answers")
@target("-o", "--output", help="Write the labels here, by the number of the row: .csv.")
@target("--plot", "picture", help="Plot mistakes against rows: .png, .svg, .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def pool(file: str, **options: Any) -> None:
    """Label a whole table in the order that needs the fewest corrections.

    FILE is svmlight, CSV, Parquet or JSON lines. If every row has a label, the person is simulated,
    and the output lists the corrections in each order. If labels are missing (empty, ?, NA, nan,
    null), these rows are proposed one at a time: one key confirms, another corrects; from a pipe,
    each line is one answer. Every answer is saved at once; the same command resumes later.

    \b
        selectron pool digits.csv --plot mistakes.png
        selectron pool mail.csv --ignore subject --show subject --classes ham,spam -o labels.csv
    """
    check_target(options["picture"], PICTURES, "--plot")
    check_target(options["output"], (".csv",), "-o", replaced=True)
    answers = options["answers"] or f"{file}.answers"
    paths = file, answers, options["output"], options["picture"]
    check_different("FILE, --answers, -o and --plot", *paths)
    check_classes(options["classes"])
    with reported("interrupted"), numbering(file):
        table = loaded(file, **options)
        if all(label is not None for label in table.y):
            person = "rows without a label, and here every row has one"
            refuse(file, person, show=options["show"], answers=options["answers"])
            simulate(file, table, **options)
            return
        refuse(file, "a label in every row", plot=options["picture"], json=options["as_json"])
        from .asking import PoolSession

        if file == "-":
            raise SelectronError("answers are read from standard input: give the path of a file")
        if len(options["learners"]) > 1:
            one = "rows without labels are proposed by one learner"
            raise SelectronError(f"{one}: give one --learner")
        check_target(answers, (), "--answers")
        code = PoolSession(file, table, answers, options).ask()
    sys.exit(code)


def refuse(file: str, needed: str, **given: Any) -> None:
    """Refuse options that need other rows."""
    for name, value in given.items():
        if value:
            raise SelectronError(f"{file}: --{name} needs {needed}: leave it out")


def loaded(file: str, **options: Any) -> Table:
    """Return the rows of a file, and their labels as text."""
    from ..data.encoder import TableEncoder
    from .asking import named, together

    chunks = list(watched(source_of(file, **options)))
    rows: Any = [chunk.rows for chunk in chunks]
    width, blocks, whole = chunks[-1].width, rows, None
    with naming(file):
        if isinstance(rows[0], Sparse):
            refuse_columns("--column", options["columns"])
        else:
            encoder, whole = TableEncoder(options["columns"] or None), together(rows)
            for piece in rows:
                encoder.partial_fit(piece)
            width, blocks = encoder.width_, [*map(encoder.look, rows)]
        block: Any = joined(blocks)
        y = labels([x for chunk in chunks for x in chunk.labels], named(options["classes"]))
    return Table(as_matrix(block, width), y, whole)


def labels(found: list[Any], classes: list[str] | None) -> "np.ndarray":
    """Return labels as text; raise SelectronError if they look like another column."""
    from ..pool.classifier import scarce

    y = names_of(found, classes)
    present = [label for label in y if label is not None]
    if classes is None and scarce(different := len(set(present)), len(present)):
        raise SelectronError(
            f"{len(present):,} rows have {different:,} different labels: is this the label column? "
            "Name it with --label, or if it is, all labels with --classes"
        )
    return y


def simulate(file: str, table: Table, **options: Any) -> None:
    """Simulate every order on the labels; print the results, also of the first few if stopped."""
    from tqdm import tqdm

    from .asking import classifier

    runs: dict[str, PoolRun] = {}
    try:
        for learner in options["learners"] or default_orders(table):
            played = classifier(learner, **options)
            with tqdm(
                total=len(table.y), desc=learner, unit=" rows", disable=None, leave=False
            ) as bar:
                runs[learner] = played.run(
                    table.X, table.y, lambda count, bar=bar: bar.update(count - bar.n)
                )
    finally:
        if runs:
            report(runs, file, table, **options)


def default_orders(table: Table) -> list[str]:
    """Return the orders that apply: the paper's learners take two classes and dense rows."""
    import scipy.sparse

    orders = ["confident", "random", "given", "worst"]
    if len(set(table.y)) > 2:
        return orders
    if scipy.sparse.issparse(table.X):
        return [*orders, "greedy"]
    return [*orders, "greedy", "sphere", *(["boosted"] if len(table.y) <= PAPERS else [])]


def report(runs: dict[str, "PoolRun"], file: str, table: Table, **options: Any) -> None:
    """Print the mistakes of every order; draw them, and write the labels, if that is wanted."""
    rows = len(table.y)
    if options["as_json"]:
        results = [
            {"order": name, "rows": rows, "labelled": len(run.order), "mistakes": run.mistakes}
            for name, run in runs.items()
        ]
        click.echo(json.dumps(results, indent=2))
    else:
        header = f"{'order':<12}{'labelled':>12}{'corrected':>12}{'share':>9}"
        click.echo(f"{counted(rows, 'row')}\n{header}")
        for name, run in runs.items():
            labelled, share = len(run.order), run.mistakes / max(len(run.order), 1)
            click.echo(f"{name:<12}{labelled:>12,}{run.mistakes:>12,}{share:>9.2%}")
    if options["picture"]:
        plot_pool(runs, Path(file).name, options["picture"])
        click.echo(f"The plot is in {options['picture']}", err=True)
    if options["output"]:
        write_labels(next(iter(runs.values())), options["output"])
