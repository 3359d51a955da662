"""`selectron activity import`: what ActivityWatch has exported."""

from pathlib import Path

import click

from .common import at_home, reported
from .options import of_predictor
from .stated import stated

UNDECLARED = """\
No activity is known, so nothing can be predicted: give the same file again with --declarations,
a CSV file with the columns time and activity."""


@click.command("import")
@click.argument("file", type=click.Path(dir_okay=False, exists=True))
@click.option(
    "--declarations",
    type=click.Path(dir_okay=False, exists=True),
    help="A CSV file of what was declared meanwhile: time, activity.",
)
@click.option("--host", help="The computer, where there are several. Default: the busiest.")
@at_home
@of_predictor
@reported
def take_up(
    file: str, declarations: str | None, host: str | None, home: Path, **settings: str | float
) -> None:
    """Take up the events of FILE, an export of ActivityWatch, after those that are known.

    Either server's export will do. What is from before the latest that is known is passed over, so
    that the same file can be given twice; so is what is said to be of the future. Declarations are
    taken up once each, of whatever time: they may come after the events.
    """
    from ...activity.desk.home import opened, titles_of
    from ...activity.diary.names import sound
    from ...activity.watcher.export import read

    said = [(time, sound(name)) for time, name in stated(declarations)] if declarations else []
    session, settled = opened(home, **settings)
    try:
        events = read(file, titles_of(home, settled), host, lambda note: click.echo(note, err=True))
        new = [event for event in events if session.until < event.end <= session.clock()]
        fresh = session.say.fresh(said, session.clock())
        for time, name in fresh:
            session.said("declare", name, time, session.clock())
        alarms = session.advance(new, new[-1].end if new else session.until)
        with session.thread:
            session.journal.keep("told", session.seq)  # the server has no use for what is past
        session.snapshot()
    finally:
        session.close()
    lengths = [event.end - event.start for event in new if not event.away]
    hours = sum(lengths) / 3600
    counts = f"{len(lengths):,} new events, {hours:,.1f} hours of work, {len(alarms):,} alarms"
    click.echo(f"{counts}, {len(fresh):,} new declarations" if said else counts)
    if alarms:
        click.echo("selectron activity answer --all lists the alarms to answer.", err=True)
    elif not session.names.open:
        click.echo(UNDECLARED, err=True)
