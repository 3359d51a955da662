"""`selectron run`: play a stream, and report how the learners did."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.files import writing
from ..errors import SelectronError
from ..specs import ASKER, BUDGET, KERNEL, LEARNER, within
from . import reported
from .files import chunks_of, decisions, digits, in_order, naming, opened
from .options import by_time, check_learners, check_usage, default_learners, of_a_file
from .theorems import Kept, promises

if TYPE_CHECKING:
    from ..evaluate.contest import Contestant
    from ..streams.readers import Chunk

PICTURE = "selectron-run.png"


@click.command(epilog=f"Learners: {LEARNER.listed()}. Askers: {ASKER.listed()}.")
@click.argument("file", required=False)
@click.option(
    "--learner",
    "learners",
    type=LEARNER,
    multiple=True,
    help="May be repeated. Default: leading-history, which has nothing to set; with --kernel "
    "lasec, or passive-aggressive where rows are sparse; without FILE five of them.",
)
@click.option(
    "--ask",
    "askers",
    type=ASKER,
    multiple=True,
    help="Which rows to ask for. May be repeated. Default: by uncertainty with "
    "leading-history, and margin:b=0.1 with others.",
)
@click.option(
    "--budget",
    type=BUDGET,
    help="How many labels: 10% of the rows, 500/10000 for 500 labels in 10000 rows, or 200/1d for "
    "200 a day (w, d, h, min, s), with --time. A share holds in the long run, and may be exceeded "
    "on some hundred rows; a number never is. Default: 10%, but none if --ask or a --learner other "
    "than leading-history is given.",
)
@click.option(
    "--time",
    help="Column with the time of each row, by name or position, for a budget per day; it is not a "
    "feature. Seconds since 1970, or dates as 2026-11-22T08:30:00Z. Rows should be in this order, "
    "as a budget goes by the latest time so far.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the draws."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write every decision here: .csv, .jsonl or .parquet.",
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(dir_okay=False),
    help="Draw a picture here: .png, .svg or .pdf.",
)
@click.option(
    "--bounds",
    is_flag=True,
    help="Compare the bounds of the papers' theorems with the outcome. Keeps all rows, and is "
    "slow; two classes and dense rows only.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@of_a_file
@click.option(
    "--kernel", type=KERNEL, help=f"Keep examples instead of weights: {', '.join(KERNEL.kinds)}."
)
@click.option(
    "--max-support",
    type=click.IntRange(min=1),
    help="How many examples are kept at most; the oldest is evicted. First order, with --kernel.",
)
@click.option(
    "--many",
    type=click.Choice(["joint", "exact", "rest"]),
    default="joint",
    show_default=True,
    help="How more than two classes are learned.",
)
@click.option(
    "--intercept/--no-intercept", default=True, show_default=True, help="Add a constant feature 1."
)
@click.option(
    "--normalize/--no-normalize",
    default=None,
    help="Scale rows to unit length. Default: as each learner's paper does.",
)
def run(**options: Any) -> None:
    """Play a stream of rows: predict each, ask for some of the labels, learn from those.

    FILE is svmlight, CSV, Parquet or JSON lines, or - for standard input; text may be compressed
    (.gz, .bz2, .xz). Without FILE, the handwritten digits are played, with a concept that changes
    every 500 rows, and a picture is drawn.

    Labels may be any values, and new ones may appear. A row whose label is empty or ?, NA, nan or
    null has none; it is predicted, and never asked for.

    \b
        selectron run
        selectron run data.csv.gz --budget 10%
        selectron run mail.jsonl --budget 200/1d --time received
        selectron run data.csv.gz --learner lasec:b=1,c=1000 --ask margin:b=0.1
        selectron run mail.svm --learner perceptron --learner arow -o decisions.csv
    """
    check_usage(**options)
    with reported():
        play_all(**options)


def play_all(file: str | None, **options: Any) -> None:
    """Play the stream, print the results and draw the picture, also of a stream cut short."""
    contestants: list[Contestant] = []
    kept = Kept() if options["bounds"] else None
    fault: BaseException | None = None
    try:
        play(contestants, kept, file, **options)
    except (SelectronError, OSError, click.UsageError, KeyboardInterrupt) as error:
        fault = error
    interrupted = isinstance(fault, KeyboardInterrupt)
    if contestants and contestants[0].rows:
        theorems = kept.theorems(contestants, file is None) if kept and not interrupted else None
        with writing("standard output"):
            report(contestants, options["as_json"], theorems)
        draw(contestants, file, options["picture"])
    if interrupted:
        rows = contestants[0].rows if contestants else 0
        click.echo(f"selectron: interrupted after {rows:,} rows", err=True)
    if fault:
        raise fault


def play(
    contestants: list["Contestant"], kept: "Kept | None", file: str | None, **options: Any
) -> None:
    """Play chunk by chunk; the first one creates the contestants."""
    from ..streams.classes import settle

    chunks = digits(options["seed"]) if file is None else chunks_of(file, **options)
    if file is not None and by_time(options["budget"], *options["askers"]):
        chunks = in_order(chunks, file, options["time"])
    given = options["classes"].split(",") if options["classes"] else None
    with ExitStack() as stack:
        with naming(file):
            classes, chunks = settle(chunks, given)
        append = opened(Path(options["output"]), stack) if options["output"] else None
        for chunk in chunks:
            with naming(file, chunk.first):
                if not contestants:
                    contestants += enter(chunk, file is None, **options)
                labels = classes.codes(chunk.labels, chunk.first, options["many"] == "exact")
                full, known = append is not None or kept is not None, len(classes.names)
                played = [each.play(chunk, labels, full, known) for each in contestants]
                if kept is not None:
                    kept.add(chunk, labels, played)
            for contestant, outcome in zip(contestants, played, strict=True):
                contestant.add(outcome, labels)
                if append:
                    append(decisions(classes.names, chunk.first, contestant, outcome, labels))


def enter(chunk: "Chunk", demo: bool, **options: Any) -> list["Contestant"]:
    """Return a contestant for every learner under every asker."""
    from ..engine.rows import Sparse
    from ..evaluate.contest import Contestant
    from ..model.model import Model

    sparse = isinstance(chunk.rows, Sparse)
    learners = options["learners"] or default_learners(demo, sparse, options["kernel"])
    kernel, max_support = options["kernel"], options["max_support"]
    check_learners(learners, kernel, max_support, options["many"], options["askers"])
    return [
        Contestant(
            Model(
                learner,
                within(options["budget"], asker, learner, bool(options["learners"])),
                width=chunk.width,
                sparse=sparse,
                constant=options["intercept"],
                normalize=options["normalize"],
                many=options["many"],
                kernel=kernel,
                max_support=max_support,
                seed=options["seed"],
            )
        )
        for asker in options["askers"] or (None,)
        for learner in learners
    ]


def report(
    contestants: list["Contestant"], as_json: bool, theorems: list[list[dict]] | None
) -> None:
    """Print the results, and the theorems' bounds if they are wanted."""
    from ..evaluate.contest import detected, table

    results = [contestant.result() for contestant in contestants]
    if as_json:
        for result, promised in zip(results, theorems or [], strict=theorems is not None):
            result["bounds"] = promised
        click.echo(json.dumps(results, indent=2))
        return
    click.echo(table(results))
    if drifts := detected(results):
        click.echo("\n" + drifts)
    if theorems is not None:
        click.echo("\n" + promises(contestants, theorems))


def draw(contestants: list["Contestant"], file: str | None, path: str | None) -> None:
    """Draw the picture if a path is given, and always for the digits."""
    from ..evaluate.plot import plot

    path = path or (None if file else PICTURE)
    if path:
        title = Path(file).name if file else "Handwritten digits, another concept every 500 rows"
        with writing(path):
            plot(contestants, title, path)
        click.echo(f"The picture is in {path}", err=True)
