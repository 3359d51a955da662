"""Options of the commands that run the predictor: how a folder is begun."""

from collections.abc import Callable

import click


def of_predictor(command: Callable) -> Callable:
    """Give a command the options that settle how a folder is begun."""
    for option in (
        click.option(
            "--titles",
            type=click.Choice(["hashed", "plain", "dropped"]),
            help="What is kept of windows' titles. Default: their words, hashed under a key.",
        ),
        click.option("--threshold", type=click.FloatRange(min=0), help="What an alarm's score "
                     "must reach. Default: the predictor's own."),
        click.option("--budget", help="The alarms that are allowed, or none. Default: '6 per 1d'"),
    ):  # fmt: skip
        command = option(command)
    return command
