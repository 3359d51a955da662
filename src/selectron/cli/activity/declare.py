"""`selectron activity declare`: what one works on."""

import re
import time
from datetime import datetime, timedelta
from pathlib import Path

import click

from .common import at_home, reported, saying

AGO = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)")
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}


@click.command()
@click.argument("name")
@click.option("--since", help="When that began: 14:05, 2024-05-01T14:05, or ago: 20min, 1.5h.")
@at_home
@reported
def declare(name: str, since: str | None, home: Path) -> None:
    """Say that you work on NAME, from now on. An activity that is new is created.

    What is declared for the past holds until what has been said to begin later, and is learned.

    \b
        selectron activity declare "Write the thesis"
        selectron activity declare mail --since 20min
    """
    now = time.time()
    with saying(home) as say:
        entry = say.declare(name, now if since is None else moment(since, now), now)
        said = say.names().said.statements
    until = next((f", until {_shown(one.time)}" for one in said if one.time > entry.time), "")
    click.echo(f"{entry.body['activity']}, since {_shown(entry.time)}{until}")


def _shown(time: float) -> str:
    return f"{datetime.fromtimestamp(time):%Y-%m-%d %H:%M}"


def moment(text: str, now: float) -> float:
    """Return a time that is written as one of today, with its date, or as how long ago it was.

    Raises click.BadParameter if it is none.

    >>> moment("20min", 3600.0)
    2400.0
    """
    if match := AGO.fullmatch(text.strip()):
        return now - float(match[1]) * SECONDS[match[2]]
    today = datetime.fromtimestamp(now)
    try:
        if re.fullmatch(r"\d\d?:\d\d(:\d\d)?", text):
            found = datetime.fromisoformat(f"{today:%Y-%m-%d}T{text:0>5}")
            return (found - timedelta(days=found > today)).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is no time: 14:05, 2024-05-01T14:05, 20min or 1.5h would be.",
            param_hint="--since",
        ) from None
