"""Logs that are made up: the options that say which, and the log."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ...activity.generate import Desk

SIZES = ("week", "month", "paper")


def of_made_up(command: Callable) -> Callable:
    """Give a command the options that say which log is made up."""
    command = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)(
        command
    )
    return click.option(
        "--size",
        type=click.Choice(SIZES),
        default="month",
        show_default=True,
        help="How long the log is that is made up; paper: four months, 299 activities.",
    )(command)


def made_up(size: str, seed: int) -> "Desk":
    """Return a log that is made up."""
    from ...activity.generate import MONTH, PAPER, Size, generate

    week = Size(activities=12, days=7, minutes=2_000, switches=120)
    return generate({"week": week, "month": MONTH, "paper": PAPER}[size], seed)
