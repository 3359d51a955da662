"""`selectron run`: play a stream, and tell how the learners fared."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..askers import Margin
from ..errors import Refused, SelectronError
from ..learners import AROW, LASEC, PassiveAggressive, Perceptron, SecondOrderPerceptron
from .specs import ASKER, LEARNER

if TYPE_CHECKING:
    from ..evaluate.contest import Contestant
    from ..streams.readers import Chunk

DEMO = LASEC(), SecondOrderPerceptron(), AROW(), PassiveAggressive(), Perceptron()
PICTURE = "selectron-run.png"
INTERRUPTED = 130  # as a shell reports Ctrl-C


@click.command()
@click.argument("file", required=False)
@click.option("--learner", "learners", type=LEARNER, multiple=True, help="May be repeated.")
@click.option("--ask", "askers", type=ASKER, multiple=True, help="May be repeated.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the draws."
)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write every decision here.")
@click.option("--plot", "picture", type=click.Path(dir_okay=False), help="Draw a picture here.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.option("--label", help="Name or position of the column with the labels.")
@click.option("--drop", multiple=True, help="A column to leave out. May be repeated.")
@click.option("--format", "kind", type=click.Choice(["svmlight", "csv", "parquet", "jsonl"]))
@click.option("--classes", help="The two labels, if the first rows do not show both: ham,spam.")
@click.option("--intercept/--no-intercept", default=True, show_default=True)
@click.option("--normalize/--no-normalize", default=None, help="Default: as each paper does.")
def run(**options: Any) -> None:
    """Play a stream of rows: predict each, ask for some of the labels, learn from those.

    FILE is svmlight, CSV, Parquet or JSON lines, or - for standard input; text may be packed (.gz,
    .bz2, .xz). Without FILE, the handwritten digits are played, with a concept that changes every
    500 rows, and a picture is drawn.

    \b
        selectron run
        selectron run mail.svm --learner lasec:b=1,c=1000 --ask margin:b=0.1
        selectron run data.csv.gz --learner perceptron --learner arow -o decisions.csv
    """
    check_endings(options["output"], options["picture"])
    try:
        code = play_all(**options)
    except (SelectronError, OSError) as error:
        click.echo(f"selectron: {error}", err=True)
        code = 1
    sys.exit(code)


def check_endings(output: str | None, picture: str | None) -> None:
    """Refuse files whose ending names no format, before anything is played."""
    from .decisions import ENDINGS

    if output and Path(output).suffix not in ENDINGS:
        raise click.BadParameter(f"{output}: must end in {', '.join(ENDINGS)}", param_hint="-o")
    pictures = (".png", ".svg", ".pdf")
    if picture and Path(picture).suffix not in pictures:
        raise click.BadParameter(
            f"{picture}: must end in {', '.join(pictures)}", param_hint="--plot"
        )


def play_all(file: str | None, **options: Any) -> int:
    """Play the stream, print the results, draw the picture; return the exit code."""
    contestants: list[Contestant] = []
    code = 0
    try:
        play(contestants, file, **options)
    except KeyboardInterrupt:
        code = INTERRUPTED
    if contestants:
        report(contestants, options["as_json"], interrupted=bool(code))
        draw(contestants, file, options["picture"])
    return code


def play(contestants: list["Contestant"], file: str | None, **options: Any) -> None:
    """Play chunk after chunk; the first one makes the contestants."""
    from ..streams.classes import settle

    chunks = digits(options["seed"]) if file is None else chunks_of(file, **options)
    given = options["classes"].split(",") if options["classes"] else None
    with ExitStack() as stack:
        with naming(file):
            classes, chunks = settle(chunks, given)
        write = writer(stack, options["output"], classes.names)
        for chunk in chunks:
            with naming(file, chunk.first):
                if not contestants:
                    contestants += enter(chunk, file is None, **options)
                labels = classes.codes(chunk.labels, chunk.first)
                for contestant in contestants:
                    outcome = contestant.play(chunk, labels, full=write is not None)
                    if write:
                        write(chunk.first, contestant.name, outcome, labels)


def digits(seed: int) -> Iterator["Chunk"]:
    """Yield the handwritten digits in chunks."""
    from ..engine.rows import Dense
    from ..streams import digits
    from ..streams.readers import Chunk

    X, y = digits(seed=seed)
    for start in range(0, len(y), 1024):
        part = slice(start, start + 1024)
        yield Chunk(Dense(X[part]), X.shape[1], y[part].astype(float), start)


def chunks_of(file: str, **options: Any) -> Iterator["Chunk"]:
    """Yield the chunks of a file, with a progress bar on a terminal."""
    from tqdm import tqdm

    from ..streams.readers import read

    label = None if options["label"] is None else position(options["label"])
    drop = [position(name) for name in options["drop"]]
    source = read(file, format=options["kind"], label=label, drop=drop)
    bar = tqdm(total=source.size_in_bytes, unit="B", unit_scale=True, disable=None, delay=0.5)
    with bar:
        for chunk in source:
            yield chunk
            bar.update(source.position() - bar.n)


def position(column: str) -> str | int:
    """Return a column's name, or its position if it is a whole number."""
    try:
        return int(column)
    except ValueError:
        return column


def enter(chunk: "Chunk", demo: bool, **options: Any) -> list["Contestant"]:
    """Return a contestant for every learner under every asker."""
    from ..engine.rows import Sparse
    from ..evaluate.contest import Contestant
    from ..model import Model

    return [
        Contestant(
            Model(
                learner,
                asker,
                width=chunk.width,
                sparse=isinstance(chunk.rows, Sparse),
                constant=options["intercept"],
                normalize=options["normalize"],
                seed=options["seed"],
            )
        )
        for asker in options["askers"] or (Margin(0.1),)
        for learner in options["learners"] or (DEMO if demo else DEMO[:1])
    ]


def writer(
    stack: ExitStack, path: str | None, names: tuple[str, str]
) -> Callable[..., None] | None:
    """Return what writes the decisions of a chunk, None if they are not wanted."""
    if path is None:
        return None
    from .decisions import Writer, decisions

    file = stack.enter_context(Writer(path))
    return lambda *chunk: file.write(decisions(names, *chunk))


@contextmanager
def naming(file: str | None, first: int = 0) -> Iterator[None]:
    """Put the name of the file before the message of an error, and number rows by the stream."""
    try:
        yield
    except Refused as error:
        raise SelectronError(f"{file}: row {first + error.row}{error.reason}") from None
    except SelectronError as error:
        known = file is None or str(error).startswith((f"{file}:", "standard input:"))
        raise SelectronError(f"{'' if known else f'{file}: '}{error}") from None


def report(contestants: list["Contestant"], as_json: bool, interrupted: bool) -> None:
    """Print the results."""
    from ..evaluate.contest import table

    results = [contestant.result() for contestant in contestants]
    click.echo(json.dumps(results, indent=2) if as_json else table(results))
    if interrupted:
        rows = results[0]["rows"]
        click.echo(f"selectron: interrupted; this is how it stood after {rows:,} rows", err=True)


def draw(contestants: list["Contestant"], file: str | None, path: str | None) -> None:
    """Draw the picture if it is wanted, as it is of the digits."""
    from ..evaluate.plot import plot

    path = path or (None if file else PICTURE)
    if path:
        title = Path(file).name if file else "Handwritten digits, another concept every 500 rows"
        plot(contestants, title, path)
        click.echo(f"The picture is in {path}", err=True)
