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
}


class Lazy(click.Group):
    """A group whose commands are imported when they are called: NumPy and Numba take their time.

    `told` has what each does, in a sentence. Each is in the module of `package` of its own name.
    """

    def __init__(self, *args: Any, told: dict[str, str], package: str, **more: Any):
        super().__init__(*args, **more)
        self.told, self.package = told, package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.told)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Any:
        """Return a command by its name, None if there is none."""
        if cmd_name not in self.told:
            return None
        found = vars(importlib.import_module(f".{cmd_name}", self.package)).values()
        return next(c for c in found if isinstance(c, click.Command) and c.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.told.items()))


@click.group(
    cls=Lazy,
    told=COMMANDS,
    package=__name__,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="selectron")
def main() -> None:
    """Learn a linear classifier from a stream, asking for as few labels as possible."""
