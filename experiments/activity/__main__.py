"""`python -m experiments.activity`: generated logs, and the paper's protocol."""

import csv
from typing import Any

import click

from selectron.cli.options import PICTURES, check_target
from selectron_desktop.cli import reported

from . import protocol
from .desks import export, generate, stamp
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


@main.command("generate", params=LOG[:])
@click.argument("file")
@click.option("--declarations", help="Write the declarations to this CSV file.")
@reported()
def write_log(file: str, declarations: str | None, size: str, seed: int) -> None:
    """Generate a log of a desktop, and write it to FILE as ActivityWatch exports it.

    \b
        python -m experiments.activity generate log.json --declarations said.csv
        selectron-desktop import log.json --declarations said.csv --home demo
    """
    check_target(file, (".json",), "FILE")
    check_target(declarations, (".csv",), "--declarations")
    desk = generate(SIZES[size], seed)
    export(desk, file)
    if declarations:
        with open(declarations, "w", newline="", encoding="utf-8") as text:
            rows = csv.writer(text)
            rows.writerow(["time", "activity"])
            rows.writerows((stamp(s.start), s.activity) for s in desk.truth if s.declared)


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
@click.option("--plot", help="Draw the curves here.")
@reported()
def evaluate(
    size: str, seed: int, thresholds: tuple[float, ...], every: int, plot: str | None
) -> None:
    """Measure how many forgotten switches are detected, and how many alarms are right.

    Every fourth switch is not declared; every alarm is answered. An alarm is right if it names the
    right activity within five minutes.
    """
    check_target(plot, PICTURES, "--plot")
    desk = generate(SIZES[size], seed)
    click.echo(protocol.HEAD)
    rows = []
    for row in protocol.evaluate(desk.events, desk.truth, thresholds, every):
        click.echo(row)
        rows.append(row)
    if plot:
        protocol.plot(rows, plot, f"Forgotten switches in a log of {SIZES[size].days} days")


if __name__ == "__main__":
    main(prog_name="python -m experiments.activity")
