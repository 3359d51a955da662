"""`selectron activity answer`: a question that waits."""

import time
from pathlib import Path

import click

from ...errors import SelectronError
from .common import at_home, reported, saying
from .declare import moment


@click.command()
@click.argument("name", required=False)
@click.option("--alarm", type=int, help="The number of the alarm. Default: the latest that waits.")
@click.option("--since", help="When the switch really was: 14:05, or ago: 20min.")
@at_home
@reported
def answer(name: str | None, alarm: int | None, since: str | None, home: Path) -> None:
    """Say what you were working on when an alarm was raised: the predicted activity, or another.

    Without NAME, the questions that wait are listed. Answering again corrects.
    """
    from ...activity.desk.asking import sentence

    now = time.time()
    with saying(home) as say:
        waiting = say.questions(now)
        if name is None:
            for question in waiting:
                click.echo(f"{question['id']:>5}  {sentence(question)}")
            click.echo(f"{len(waiting)} waiting")
            return
        if alarm is None:
            if not waiting:
                raise SelectronError("No question waits: give --alarm to correct an answer.")
            alarm = waiting[0]["id"]
        entry = say.answer(alarm, name, now, None if since is None else moment(since, now))
    click.echo(f"Alarm {alarm}: {entry.body['activity']}")
