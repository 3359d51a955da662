"""Channels: how a question reaches the user, and how an answer comes back.

A channel is any object with `ask(question)`, which returns at once. It may answer later, or never,
by calling the function it was created with. `question` is an alarm as a dictionary.
"""

import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO

import click

from selectron import SelectronError

Answer = Callable[[int, str], Any]
PROGRAM = "notify-send"


class Channel(Protocol):
    """A way to reach the user."""

    def ask(self, question: dict[str, Any]) -> None:
        """Ask a question, and return at once."""


def sentence(question: dict[str, Any]) -> str:
    """Return a question as a sentence."""
    since = time.strftime("%H:%M", time.localtime(question["since"]))
    declared = question["declared"]
    end = f', and no longer on "{declared}"' if declared else ""
    return f'Are you now working on "{question["activity"]}", since {since}{end}?'


class Desktop:
    """Notifications through notify-send, with a button for each answer if it supports buttons."""

    def __init__(self, answer: Answer, program: str = PROGRAM):
        self.answer, self.program = answer, program

    @staticmethod
    def there() -> bool:
        """Return whether notifications can be shown."""
        return shutil.which(PROGRAM) is not None

    def ask(self, question: dict[str, Any]) -> None:
        """Show a notification."""
        threading.Thread(target=self._show, args=(question,), daemon=True).start()

    def _show(self, question: dict[str, Any]) -> None:
        text = "Selectron", sentence(question)
        buttons = {"yes": question["activity"], "no": question["declared"]}
        named = [f"--action={key}={name}" for key, name in buttons.items() if name]
        plain = [self.program, "--app-name=Selectron"]
        try:
            done = subprocess.run([*plain, *named, *text], capture_output=True, text=True)
            if done.returncode:  # an older version, without buttons
                subprocess.run([*plain, *text], capture_output=True, timeout=10)
            elif chosen := buttons.get(done.stdout.strip()):
                self.answer(question["id"], chosen)
        except (OSError, sqlite3.Error, subprocess.SubprocessError, SelectronError) as error:
            click.echo(f"selectron: the notification failed: {error}", err=True)


class Terminal:
    """Questions in the terminal; a line that is typed answers the latest one.

    Enter or y confirms, n means the declared activity, any other text is the name of another one.
    """

    def __init__(self, answer: Answer, lines: TextIO | None = None):
        self.answer, self.lines = answer, lines or sys.stdin
        self.open: list[dict[str, Any]] = []
        self.listening: threading.Thread | None = None

    def ask(self, question: dict[str, Any]) -> None:
        """Print a question."""
        self.open.append(question)
        click.echo(f"\a{sentence(question)}  [Enter] yes  [n] no  or type what it is")
        if self.listening is None:
            self.listening = threading.Thread(target=self._listen, daemon=True)
            self.listening.start()

    def _listen(self) -> None:
        for line in self.lines:
            if self.open:
                self._typed(line.strip(), self.open.pop())

    def _typed(self, text: str, question: dict[str, Any]) -> None:
        yes, no = question["activity"], question["declared"]
        activity = {"": yes, "y": yes, "n": no}.get(text, text)
        try:
            if activity is None:
                raise SelectronError("Nothing was declared: type what it is instead.")
            self.answer(question["id"], activity)
            click.echo(f"Answered: {activity}")
        except (SelectronError, sqlite3.Error) as error:
            self.open.append(question)
            click.echo(f"selectron: {error}", err=True)
