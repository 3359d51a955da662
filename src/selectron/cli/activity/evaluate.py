"""`selectron activity evaluate`: precision and recall, by the paper's protocol."""

import json
from typing import TYPE_CHECKING, Any

import click

from ...errors import SelectronError
from ..usage import PICTURES, check_target
from .common import reported
from .sizes import made_up, of_made_up
from .stated import stated

if TYPE_CHECKING:
    from ...activity.event import Event


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, exists=True))
@click.option(
    "--truth",
    type=click.Path(dir_okay=False, exists=True),
    help="A CSV file of what was worked on in FILE, from when on: time, activity.",
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
@click.option("--plot", "picture", type=click.Path(dir_okay=False), help="Draw the curves here.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@reported
def evaluate(file: str | None, truth: str | None, picture: str | None, **options: Any) -> None:
    """Measure how many forgotten switches are noticed, and how many alarms are right.

    Every fourth switch is not declared; every alarm is answered. An alarm counts that names the
    right activity within five minutes. FILE is an export of ActivityWatch; without it, a log is
    made up.
    """
    if (file is None) != (truth is None):
        raise click.UsageError("FILE and --truth go together.")
    check_target(picture, PICTURES, "--plot")
    from ...activity import evaluate as own

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
    """Return the events of an export, and what was worked on: each until the next begins."""
    from ...activity.generate import Spell
    from ...activity.watcher.export import read
    from ...activity.watcher.titles import Titles

    events = read(file, Titles("plain"))
    said = sorted(stated(truth))
    if len(said) < 2:
        raise SelectronError(f"{truth} must tell of two activities at least.")
    ends = [time for time, _ in said[1:]] + [max(events[-1].end, said[-1][0])]
    spells = [Spell(time, end, name, True) for (time, name), end in zip(said, ends, strict=True)]
    return [event for event in events if event.end > spells[0].start], spells


def _plain(row: Any) -> dict[str, Any]:
    found = row.outcome
    shares = {"precision": found.precision, "recall": found.recall}
    plain = {name: None if share != share else share for name, share in shares.items()}
    return {"method": row.method, "threshold": row.threshold, **found._asdict(), **plain}
