"""`python -m experiments.activity`: generated logs, and the paper's protocol."""

import csv
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from selectron_desktop.cli import reported

from . import protocol
from .desks import export, generate
from .work import MONTH, PAPER, Size

SIZES = {"week": Size(12, 7, 2_000, 120), "month": MONTH, "paper": PAPER}


@click.group()
def main() -> None:
    """Generate logs of desktops, and evaluate the predictor on them."""


LOG: list[Any] = [
    click.Option(["--seed"], type=click.IntRange(min=0), default=0, show_default=True),
    click.Option(
        ["--size"], type=click.Choice(list(SIZES)), default="month", show_default=True,
        help="Size of the generated log; paper: four months, 299 activities.",
    ),
]  # fmt: skip


def file_of(*endings: str) -> Callable[[Any, Any, str | None], str | None]:
    """Return a check that an output file has one of these endings, and its folder exists."""

    def check(ctx: Any, param: Any, value: str | None) -> str | None:
        if value and Path(value).suffix.lower() not in endings:
            raise click.BadParameter(f"{value}: must end in {', '.join(endings)}")
        if value and not Path(value).parent.is_dir():
            raise click.BadParameter(f"{value}: must be in a folder that exists")
        return value

    return check


@main.command("generate", params=LOG[:])
@click.argument("file", callback=file_of(".json"))
@click.option(
    "--declarations", callback=file_of(".csv"), help="Write the declarations to this CSV file."
)
@reported()
def write_log(file: str, declarations: str | None, size: str, seed: int) -> None:
    """Generate a log of a desktop, and write it to FILE as ActivityWatch exports it.

    \b
        python -m experiments.activity generate log.json --declarations said.csv
        selectron-desktop import log.json --declarations said.csv --home demo
    """
    desk = generate(SIZES[size], seed)
    export(desk, file)
    if declarations:
        with open(declarations, "w", newline="", encoding="utf-8") as text:
            rows = csv.writer(text)
            rows.writerow(["time", "activity"])
            for spell in desk.truth:
                if spell.declared:
                    time = datetime.fromtimestamp(spell.start, UTC)
                    rows.writerow([time.isoformat(timespec="milliseconds"), spell.activity])


@main.command(params=LOG[:])
@click.option(
    "--threshold",
    "thresholds",
    type=click.FloatRange(min=0),
    multiple=True,
    default=protocol.THRESHOLDS,
    help="May be repeated. Default: several.",
)
@click.option(
    "--every",
    type=click.IntRange(min=0),
    default=protocol.EVERY,
    show_default=True,
    help="Labels between two fits of the batch method; 0: without the batch method.",
)
@click.option("--plot", callback=file_of(".png", ".svg", ".pdf"), help="Draw the curves here.")
@reported()
def evaluate(
    size: str, seed: int, thresholds: tuple[float, ...], every: int, plot: str | None
) -> None:
    """Measure how many forgotten switches are detected, and how many alarms are right.

    Every fourth switch is not declared; every alarm is answered. An alarm is right if it names the
    right activity within five minutes.
    """
    desk = generate(SIZES[size], seed)
    click.echo(protocol.HEAD)
    rows = protocol.evaluate(desk.events, desk.truth, thresholds, every, seen=click.echo)
    if plot:
        protocol.plot(rows, plot, f"Forgotten switches in a log of {SIZES[size].days} days")


if __name__ == "__main__":
    main(prog_name="python -m experiments.activity")
