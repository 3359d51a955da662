"""The command line."""

import importlib
from typing import Any

import click

from .. import __version__

INTERRUPTED = 130  # the exit code with which a shell reports Ctrl-C
COMMANDS = {
    "run": "Play a stream and tell how the learners fared.",
    "pool": "Label a whole table, correcting as few proposals as possible.",
    "serve": "Serve live streams: predictions over HTTP, and a page to label what is asked.",
    "send": "Send a file to a stream that is served.",
    "reproduce": "Run a paper's experiment, and tell which claims hold.",
}


class Lazy(click.Group):
    """A group whose commands are imported when they are called: NumPy and Numba take their time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Any:
        """Return a command by its name, None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        return getattr(importlib.import_module(f".{cmd_name}", __name__), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selectron")
def main() -> None:
    """Learn a linear classifier from a stream, asking for as few labels as possible."""
