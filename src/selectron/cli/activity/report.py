"""`selectron activity report`: a day as it was."""

import os
import sys
from datetime import date, timedelta
from pathlib import Path

import click

from ..usage import check_target
from .common import at_home, reported


@click.command()
@click.option("--day", "when", default="today", show_default=True, help="2024-05-01, or yesterday.")
@click.option("--html", "target", type=click.Path(dir_okay=False), help="Write one HTML file here.")
@click.option("--plain", is_flag=True, help="Print without colours.")
@at_home
@reported
def report(when: str, target: str | None, plain: bool, home: Path) -> None:
    """Show a day: what was predicted, declared and corrected, and the time of each activity."""
    from ...activity.diary.journal import Journal
    from ...activity.report import day, page, terminal

    check_target(target, (".html", ".htm"), "--html")
    wanted = _date(when)
    journal = Journal(home)
    try:
        found = day.day(journal, wanted)
    finally:
        journal.close()
    if target:
        Path(target).write_text(page.written(found), encoding="utf-8")
        click.echo(f"The report is in {target}", err=True)
        return
    colourless = plain or not sys.stdout.isatty() or "NO_COLOR" in os.environ
    for line in terminal.lines(found, colourless):
        click.echo(line, color=not colourless)


def _date(text: str) -> date:
    from ...activity.report.day import bounds

    if text in ("today", "yesterday"):
        return date.today() - timedelta(days=text == "yesterday")
    try:
        found = date.fromisoformat(text)
        bounds(found)  # the first and the last days of the calendar have none
        return found
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is no day: 2024-05-01 would be.", param_hint="--day"
        ) from None
