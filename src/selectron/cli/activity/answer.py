"""`selectron activity answer`: a question that waits."""

import time
from pathlib import Path
from typing import Any

import click

from ...errors import SelectronError
from .common import at_home, reported, saying
from .declare import moment


@click.command()
@click.argument("name", required=False)
@click.option("--alarm", type=int, help="The number of the alarm. Default: the latest that waits.")
@click.option("--all", "every", is_flag=True, help="List older alarms too, as those of an import.")
@click.option("--since", help="When the switch really was: 14:05, or ago: 20min.")
@at_home
@reported
def answer(name: str | None, alarm: int | None, every: bool, since: str | None, home: Path) -> None:
    """Say what you were working on when an alarm was raised: the predicted activity, or another.

    Without NAME, the questions that wait are listed, with the numbers of their alarms. Answering
    again corrects.
    """
    from ...activity.desk.asking import sentence

    now = time.time()
    with saying(home) as say:
        waiting = say.questions(now)
        if name is None:
            unanswered = say.unanswered()
            for question in unanswered if every else waiting:
                click.echo(f"{question['id']:>5}  {_day(question)}  {sentence(question)}")
            click.echo(f"{len(waiting)} waiting, {len(unanswered) - len(waiting)} older")
            return
        if alarm is None:
            if not waiting:
                raise SelectronError("No question waits: give --alarm; --all lists older ones.")
            alarm = waiting[0]["id"]
        entry = say.answer(alarm, name, now, None if since is None else moment(since, now))
    click.echo(f"Alarm {alarm}: {entry.body['activity']}")


def _day(question: dict[str, Any]) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(question["since"]))
