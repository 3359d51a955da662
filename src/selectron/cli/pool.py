"""`selectron pool`: label a whole table, correcting as few proposals as possible."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import SelectronError
from . import INTERRUPTED
from .files import chunks_of, naming, numbering
from .options import PICTURES, check_target, of_a_file

if TYPE_CHECKING:
    import numpy as np

    from ..pool import PoolRun

PAPERS = 50_000  # rows up to which the paper's learner for any points is among the default orders
LEARNERS = ("confident", "random", "given", "worst", "greedy", "sphere", "boosted")


class Table(NamedTuple):
    """A file in memory."""

    X: Any  # (n, d), dense or CSR
    y: "np.ndarray"  # (n,) text, or None


@click.command()
@click.argument("file")
@click.option(
    "--learner",
    "learners",
    type=click.Choice(LEARNERS),
    multiple=True,
    help="May be repeated where there are labels. Default: confident, and with labels all orders.",
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
    help="The share that a strong learner may leave.",
)
@click.option(
    "--features",
    type=click.Choice(["auto", "standard", "raw", "rbf"]),
    default="auto",
    show_default=True,
    help="What is made of the columns first; auto: standard, and kernel maps beside it; rbf: "
    "random Fourier features.",
)
@click.option(
    "--intercept/--no-intercept", default=True, show_default=True, help="Add a constant feature."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@of_a_file
@click.option(
    "--show",
    multiple=True,
    help="Column to show to whoever labels. May be repeated; CSV, Parquet, JSON lines.",
)
@click.option(
    "--answers",
    type=click.Path(dir_okay=False),
    help="Where the answers are kept, to go on from. Default: FILE.answers",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="Write the labels here: .csv."
)
@click.option(
    "--plot", "picture", type=click.Path(dir_okay=False), help="Draw mistakes against rows here."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def pool(**options: Any) -> None:
    """Label a whole table in the order that needs the fewest corrections.

    FILE is svmlight, CSV, Parquet or JSON lines. Where every row has a label, the person is
    simulated, and the table tells how many proposals each order would have had corrected. Where
    some rows have none (empty, ?, NA, nan, null), these are proposed one after the other: one key
    confirms, another corrects; from a pipe, each line is one answer. Every answer is kept at once;
    the same command goes on later.

    \b
        selectron pool digits.csv --plot mistakes.png
        selectron pool mail.csv --drop subject --show subject --classes ham,spam -o labels.csv
    """
    check_target(options["picture"], PICTURES, "--plot")
    check_target(options["output"], (".csv",), "-o")
    try:
        with numbering(options["file"]):
            code = label(**options)
    except (SelectronError, OSError) as error:
        click.echo(f"selectron: {error}", err=True)
        code = 1
    except KeyboardInterrupt:  # before there is anything to print
        click.echo("selectron: interrupted", err=True)
        code = INTERRUPTED
    sys.exit(code)


def label(file: str, **options: Any) -> int:
    """Simulate, or ask; return the exit code."""
    table = loaded(file, **options)
    if all(label is not None for label in table.y):
        check_simulated(file, **options)
        return simulate(file, table, **options)
    from .labelling import Labelling

    if file == "-":
        raise SelectronError("rows without labels are asked about here: give the path of a file")
    if len(options["learners"]) > 1:
        raise SelectronError("rows without labels are proposed by one learner: give one --learner")
    return Labelling(file, table, **options).ask()


def check_simulated(file: str, **options: Any) -> None:
    """Refuse what is for a person who labels, where there is none."""
    for name in ("show", "answers"):
        if options[name]:
            raise SelectronError(
                f"{file}: every row has a label, and the person is simulated, for whom there is no "
                f"--{name}: leave it out, or give a table with rows that have none"
            )


def loaded(file: str, **options: Any) -> Table:
    """Return the rows of a file, and their labels as text."""
    import scipy.sparse

    from ..engine.rows import Sparse, joined
    from .labelling import named

    chunks = list(chunks_of(file, **options))
    block: Any = joined([chunk.rows for chunk in chunks])
    with naming(file):
        y = labels([v for chunk in chunks for v in chunk.labels.tolist()], named(**options))
    if isinstance(block, Sparse):
        shape = len(y), chunks[-1].width
        return Table(scipy.sparse.csr_array((block.values, block.indices, block.indptr), shape), y)
    return Table(block.values, y)


def labels(found: list[Any], classes: list[str] | None) -> "np.ndarray":
    """Return labels as text, refusing those that seem to be of another column."""
    from ..pool.known import scarce
    from ..streams.classes import names_of

    y = names_of(found, classes)
    told = [label for label in y if label is not None]
    if classes is None and scarce(different := len(set(told)), len(told)):
        raise SelectronError(
            f"{len(told):,} rows have {different:,} different labels: is the column of labels the "
            "right one? Name it with --label, or if it is, all labels with --classes"
        )
    return y


def simulate(file: str, table: Table, **options: Any) -> int:
    """Play every order against the labels; print how they fared."""
    from tqdm import tqdm

    from .labelling import classifier

    runs: dict[str, PoolRun] = {}
    code = 0
    for learner in options["learners"] or default_orders(table):
        try:
            played = classifier(learner, **options)
            with tqdm(
                total=len(table.y), desc=learner, unit=" rows", disable=None, leave=False
            ) as bar:
                runs[learner] = played.run(
                    table.X, table.y, lambda told, bar=bar: bar.update(told - bar.n)
                )
        except KeyboardInterrupt:
            click.echo("selectron: interrupted", err=True)
            code = INTERRUPTED
            break
    if runs:
        report(runs, len(table.y), options["as_json"])
        draw(runs, file, options["picture"])
        write(runs, table, options["output"])
    return code


def default_orders(table: Table) -> list[str]:
    """Return the orders that can be had: the paper's learners are for two classes, dense rows."""
    import scipy.sparse

    orders = ["confident", "random", "given", "worst"]
    if len(set(table.y)) > 2:
        return orders
    papers = [] if scipy.sparse.issparse(table.X) or len(table.y) > PAPERS else ["boosted"]
    return [*orders, "greedy", "sphere", *papers]


def report(runs: dict[str, "PoolRun"], rows: int, as_json: bool) -> None:
    """Print the mistakes of every order."""
    results: list[dict[str, Any]] = [
        {"order": name, "rows": rows, "told": len(run.order), "mistakes": run.mistakes}
        for name, run in runs.items()
    ]
    if as_json:
        click.echo(json.dumps(results, indent=2))
        return
    click.echo(f"{rows:,} rows")
    click.echo(f"{'order':<12}{'labelled':>12}{'corrected':>12}{'share':>9}")
    for result in results:
        told, mistakes = result["told"], result["mistakes"]
        click.echo(
            f"{result['order']:<12}{told:>12,}{mistakes:>12,}{mistakes / max(told, 1):>9.2%}"
        )


def draw(runs: dict[str, "PoolRun"], file: str, path: str | None) -> None:
    """Draw mistakes against rows, if that is wanted."""
    if path:
        from ..evaluate.plot import plot_pool

        plot_pool(runs, Path(file).name, path)
        click.echo(f"The picture is in {path}", err=True)


def write(runs: dict[str, "PoolRun"], table: Table, path: str | None) -> None:
    """Write the labels in the order of the first run, if that is wanted."""
    if path:
        from .labelling import written

        written(next(iter(runs.values())), path)
