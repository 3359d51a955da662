"""`selectron activity generate`: a log to try things with."""

import csv
from datetime import UTC, datetime

import click

from ..usage import check_target
from .common import reported
from .sizes import made_up, of_made_up


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--declarations", type=click.Path(dir_okay=False), help="Write what is declared here, as CSV."
)
@click.option(
    "--truth", type=click.Path(dir_okay=False), help="Write what is worked on here, as CSV."
)
@of_made_up
@reported
def generate(file: str, declarations: str | None, truth: str | None, size: str, seed: int) -> None:
    """Make up a log of a desktop, and write it to FILE as ActivityWatch exports it.

    \b
        selectron activity generate log.json --declarations said.csv
        selectron activity import log.json --declarations said.csv --home demo
    """
    from ...activity.generate import export

    check_target(file, (".json",), "FILE")
    for target, name in ((declarations, "--declarations"), (truth, "--truth")):
        check_target(target, (".csv",), name)
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


def _stamp(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")
