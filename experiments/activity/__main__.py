"""`python -m experiments.activity`: generated logs, and the paper's protocol."""

import csv
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selectron import SelectronError
from selectron_desktop.cli import reported
from selectron_desktop.times import stated

if TYPE_CHECKING:
    from selectron_desktop.windows import Event

    from .desks import Desk

SIZES = ("week", "month", "paper")


@click.group()
def main() -> None:
    """Generate logs of desktops, and evaluate the predictor on them."""


def of_made_up(command: Callable) -> Callable:
    """Add the options for the generated log to a command."""
    command = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)(
        command
    )
    return click.option(
        "--size",
        type=click.Choice(SIZES),
        default="month",
        show_default=True,
        help="Size of the generated log; paper: four months, 299 activities.",
    )(command)


def made_up(size: str, seed: int) -> "Desk":
    """Return a generated log."""
    from .desks import generate
    from .projects import MONTH, PAPER, Size

    week = Size(activities=12, days=7, minutes=2_000, switches=120)
    return generate({"week": week, "month": MONTH, "paper": PAPER}[size], seed)


@main.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--declarations",
    type=click.Path(dir_okay=False),
    help="Write the declarations to this CSV file.",
)
@click.option(
    "--truth", type=click.Path(dir_okay=False), help="Write the true activities to this CSV file."
)
@of_made_up
@reported()
def generate(file: str, declarations: str | None, truth: str | None, size: str, seed: int) -> None:
    """Generate a log of a desktop, and write it to FILE as ActivityWatch exports it.

    \b
        python -m experiments.activity generate log.json --declarations said.csv
        selectron-desktop import log.json --declarations said.csv --home demo
    """
    from .desks import export

    _check(file, (".json",), "FILE")
    _check(declarations, (".csv",), "--declarations")
    _check(truth, (".csv",), "--truth")
    desk = made_up(size, seed)
    export(desk, file)
    for target, spells in (
        (declarations, [spell for spell in desk.truth if spell.declared]),
        (truth, desk.truth),
    ):
        if target:
            with open(target, "w", newline="", encoding="utf-8") as text:
                rows = csv.writer(text)
                rows.writerow(["time", "activity"])
                rows.writerows([_stamp(one.start), one.activity] for one in spells)


def _check(path: str | None, endings: tuple[str, ...], option: str) -> None:
    """Refuse an output file whose ending is not a known format."""
    if path and Path(path).suffix.lower() not in endings:
        raise click.BadParameter(f"{path}: must end in {', '.join(endings)}", param_hint=option)


def _stamp(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")


@main.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, exists=True))
@click.option(
    "--truth",
    type=click.Path(dir_okay=False, exists=True),
    help="A CSV file with the true activities of FILE and their starts: time, activity.",
)
@of_made_up
@click.option(
    "--threshold",
    "thresholds",
    type=click.FloatRange(min=0),
    multiple=True,
    help="May be repeated. Default: several.",
)
@click.option(
    "--batch/--no-batch", default=True, help="Compare with a linear SVM that is refitted."
)
@click.option(
    "--plot", "picture", type=click.Path(dir_okay=False), help="Draw the curves to this file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@reported()
def evaluate(file: str | None, truth: str | None, picture: str | None, **options: Any) -> None:
    """Measure how many forgotten switches are detected, and how many alarms are right.

    Every fourth switch is not declared; every alarm is answered. An alarm is right if it names
    the right activity within five minutes. FILE is an export of ActivityWatch; without it, a log is
    generated.
    """
    if (file is None) != (truth is None):
        raise click.UsageError("FILE and --truth go together.")
    _check(picture, (".png", ".svg", ".pdf"), "--plot")
    from . import evaluate as own

    events, spells = _of_file(file, truth) if file and truth else _made_up(**options)
    as_json = options["as_json"]
    if not as_json:
        click.echo(own.table([]))
    rows = own.evaluate(
        events,
        spells,
        options["thresholds"] or own.THRESHOLDS,
        own.EVERY if options["batch"] else 0,
        seen=lambda row: None if as_json else click.echo(own.table([row]).splitlines()[-1]),
    )
    if as_json:
        click.echo(json.dumps([_plain(row) for row in rows], indent=2))
    if picture:
        own.plot(rows, picture)
        click.echo(f"The picture is in {picture}", err=True)


def _made_up(size: str, seed: int, **options: Any) -> tuple[list["Event"], list[Any]]:
    desk = made_up(size, seed)
    return desk.events, desk.truth


def _of_file(file: str, truth: str) -> tuple[list["Event"], list[Any]]:
    """Return the events of an export, and the true activities: each until the next begins."""
    from selectron_desktop.feed import read
    from selectron_desktop.naming import Titles

    from .days import Spell

    events = read(file, Titles("plain"))
    said = sorted(stated(truth))
    if len(said) < 2:
        raise SelectronError(f"{truth} must contain at least two activities.")
    ends = [time for time, _ in said[1:]] + [max(events[-1].end, said[-1][0])]
    spells = [Spell(time, end, name, True) for (time, name), end in zip(said, ends, strict=True)]
    return [event for event in events if event.end > spells[0].start], spells


def _plain(row: Any) -> dict[str, Any]:
    found = row.outcome
    shares = {"precision": found.precision, "recall": found.recall}
    plain = {name: None if share != share else share for name, share in shares.items()}
    return {"method": row.method, "threshold": row.threshold, **found._asdict(), **plain}


if __name__ == "__main__":
    main(prog_name="python -m experiments.activity")
