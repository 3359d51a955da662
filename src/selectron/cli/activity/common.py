"""What the commands share: the folder in which everything is kept, and how errors are told."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import SelectronError
from .. import INTERRUPTED

if TYPE_CHECKING:
    from ...activity.diary.saying import Saying

NEEDED = "this needs more packages ({} is missing): pip install 'selectron[activity,serve]'."


def at_home(command: Callable) -> Callable:
    """Give a command the option --home."""
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        envvar="SELECTRON_ACTIVITY",
        default=lambda: Path(click.get_app_dir("selectron")) / "activity",
        help="Where everything is kept. Default: a folder of the user's, or SELECTRON_ACTIVITY.",
    )(command)


def reported(command: Callable[..., Any]) -> Callable[..., None]:
    """Have what goes wrong in a command told in one sentence, with the exit code for it."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("selectron"):
                raise
            _end(NEEDED.format(error.name))
        except (SelectronError, OSError, sqlite3.Error) as error:
            _end(str(error))
        except KeyboardInterrupt:
            _end("interrupted", INTERRUPTED)

    return run


def _end(message: str, code: int = 1) -> None:
    click.echo(f"selectron: {message}", err=True)
    sys.exit(code)


@contextmanager
def saying(home: Path) -> Iterator["Saying"]:
    """Open the journal, to write what is said: a watch that runs takes it up."""
    from ...activity.diary.journal import Journal
    from ...activity.diary.saying import Saying

    journal = Journal(home)
    try:
        yield Saying(journal)
    finally:
        journal.close()
