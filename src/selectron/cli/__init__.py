"""The command line."""

import difflib
import errno
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .. import __version__
from ..errors import SelectronError

FULL = errno.ENOSPC, errno.EFBIG, errno.EDQUOT
# Characters that could make a value look like a prompt: of control but for tabs, of direction, and
# ends of lines
CODES = {*range(32), *range(127, 160), 0x61C, *range(0x200E, 0x2010), *range(0x2028, 0x202F)}
ESCAPES = {code: f"\\u{code:04x}" for code in CODES | {*range(0x2066, 0x206A)} if code != 9}
INTERRUPTED = 130  # the exit code with which a shell reports Ctrl-C
MOST = 2**32 - 1  # which every seed, size and number of rows may be
COMMANDS = {
    "demo": "Show in a few seconds what Selectron does: a table, and a picture.",
    "run": "Play a stream and report how the learners did.",
    "predict": "Predict the rows of a file with a saved model: labels and probabilities.",
    "show": "Show what a saved model has learned.",
    "label": "Answer in the terminal what a saved model asks about the rows of a file.",
    "ask": "Write what a saved model asks about the rows of a file, to be filled in.",
    "learn": "Learn the labels that were filled in.",
    "pool": "Label a whole table, correcting as few proposals as possible.",
    "serve": "Serve live streams: predictions over HTTP, and a page that asks for labels.",
    "send": "Send a file to a stream that is served.",
}
# Commands in the module of another
TOGETHER = {"demo": "run", "learn": "ask", "send": "serve", "show": "predict"}


class Whole(click.IntRange):
    """A whole number of a range, from 0 to `MOST` by default."""

    name = "integer"  # in help texts and messages

    def __init__(self, least: int = 0, most: int = MOST):
        super().__init__(least, most)


class ExamplesFirst(click.Command):
    """A command whose help begins with its examples, the last paragraph of its docstring."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and then what click writes."""
        text, mark, examples = (self.help or "").partition("\b\n")
        if mark:
            with formatter.section("Examples"):
                for line in examples.strip().splitlines():
                    formatter.write(" " * formatter.current_indent + line.strip() + "\n")
            formatter.write_paragraph()
        whole, self.help = self.help, text.rstrip()
        super().format_help(ctx, formatter)
        self.help = whole


class Lazy(ExamplesFirst, click.Group):
    """A group that imports a command when it is called, as NumPy and Numba load slowly.

    A command is in the module of its name, but for those of `TOGETHER`.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Any:
        """Return the command of this name; if there is none, suggest one, or return None."""
        if cmd_name not in COMMANDS:
            if near := difflib.get_close_matches(cmd_name, COMMANDS, 1):
                ctx.fail(f"No such command {cmd_name!r}. Did you mean {near[0]!r}?")
            return None
        module = TOGETHER.get(cmd_name, cmd_name)
        return getattr(importlib.import_module(f".{module}", __name__), cmd_name)

    def main(self, *args: Any, **options: Any) -> Any:
        """Call a command, or print the help, for which the disk may be full, too."""
        with reporting_errors():
            return super().main(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Call a command; Ctrl-C while it is imported ends quietly, as it does later on."""
        with sigterm_interrupts(), reporting_errors():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Treat SIGTERM, and a terminal that closes, as Ctrl-C: what has been learned is saved.

    That holds also where a shell ignores Ctrl-C; a terminal may close under nohup.
    """

    def end(number: int, frame: Any) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):
            raise KeyboardInterrupt
        handler(number, frame)

    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)  # which Windows has not
    numbers = {signal.SIGTERM} | ({hangup} if signal.getsignal(hangup) != signal.SIG_IGN else set())
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selectron")
def main() -> None:
    """Learn a linear classifier from a stream, asking for as few labels as possible.

    \b
        selectron demo
        selectron run today.csv --budget 10% --save mail.model
        selectron run tomorrow.csv --model mail.model --save mail.model
        selectron predict mail.model new.csv -o out.csv
        selectron label mail.model new.csv
        selectron serve --demo
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it is closed, as under some schedulers
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
        if mode == "w" and hasattr(stream := getattr(sys, name), "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # as texts that cp1252 lacks
    warnings.showwarning = lambda message, *where, **more: warn(str(message))


def warn(text: str) -> None:
    """Write a line to standard error."""
    echo(f"selectron: {text}", err=True)


def echo(text: object = "", err: bool = False, nl: bool = True) -> None:
    """Write text to standard output or error, where names and labels of files move no cursor.

    All that people read passes here; what programs read, such as predictions, is written as it is.
    """
    click.echo(printable(str(text)), err=err, nl=nl)


def printable(text: str) -> str:
    """Return text with all codes escaped that a terminal obeys, but for ends of lines and tabs.

    >>> print(printable("spam" + chr(27) + "[2J"))
    spam\\u001b[2J
    """
    return "\n".join(line.translate(ESCAPES) for line in text.split("\n"))


@contextmanager
def reporting_errors(interrupted: str = "", extra: str = "") -> Iterator[None]:
    """Turn errors of the user or the system into one line of standard error, and an exit code.

    `interrupted` is the line for Ctrl-C, none if empty; `extra` names optional packages it needs.
    """
    code = 1
    try:
        yield
        return
    except BrokenPipeError:  # nobody reads the output any more: click exits quietly
        raise
    except ModuleNotFoundError as error:
        if not extra or (error.name or "").startswith("selectron"):
            raise
        need = f"needs more packages ({error.name} is missing): pip install 'selectron[{extra}]'."
        reason = f"this command {need}"
    except SelectronError as error:
        reason = str(error)
    except MemoryError as error:
        reason = f"there is not enough memory ({error})"
    except OSError as error:
        where = error.filename or ("the output" if error.errno in FULL else None)
        known = where is not None and error.strerror
        reason = f"{where}: {str(error.strerror).lower()}" if known else str(error)
    except KeyboardInterrupt:
        reason, code = interrupted, INTERRUPTED
    if reason:
        warn(reason)
    try:
        sys.stdout.flush()
    except OSError:  # drop what cannot be written: Python would try again as it exits, and complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
