"""Channels: a terminal, and notifications with buttons where there are any."""

import io
import stat
import time

import pytest

from selectron import SelectronError
from selectron_desktop.asking import Desktop, Terminal

QUESTION = {"id": 7, "activity": "thesis", "declared": "mail", "since": 0.0}


class Told(list):
    """What was answered; names of one letter cannot be."""

    def __call__(self, alarm, activity):
        if len(activity) == 1:
            raise SelectronError("That cannot be.")
        self.append((alarm, activity))

    def wait(self, n=1):
        limit = time.monotonic() + 10
        while len(self) < n and time.monotonic() < limit:
            time.sleep(0.01)
        return list(self)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("\n", "thesis"), ("y\n", "thesis"), ("n\n", "mail"), ("the garden\n", "the garden"),
     ("x\ntax\n", "tax")],
)  # fmt: skip
def test_what_is_typed_answers(typed, meant, capsys):
    told = Told()
    terminal = Terminal(told, io.StringIO(typed))
    terminal.ask(QUESTION)
    terminal.listening.join(10)
    assert told == [(7, meant)]
    out, err = capsys.readouterr()
    assert 'Are you now working on "thesis", since' in out
    assert ("That cannot be." in err) == ("x" in typed)


def test_nothing_declared_cannot_be_gone_back_to(capsys):
    told = Told()
    terminal = Terminal(told, io.StringIO("n\nmail\n"))
    terminal.ask({**QUESTION, "declared": None})
    terminal.listening.join(10)
    assert told == [(7, "mail")]
    assert "Nothing was declared" in capsys.readouterr().err


def program(tmp_path, script):
    path = tmp_path / "notify"
    path.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$*\" >> {tmp_path}/called\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(("button", "meant"), [("yes", "thesis"), ("no", "mail")])
def test_a_button_of_a_notification_answers(tmp_path, button, meant):
    told = Told()
    Desktop(told, program(tmp_path, f"echo {button}")).ask(QUESTION)
    assert told.wait() == [(7, meant)]


def test_a_notification_without_buttons(tmp_path):
    told = Told()
    script = 'case "$*" in *--action*) exit 1;; esac'
    Desktop(told, program(tmp_path, script))._show(QUESTION)
    assert told == []
    first, second = (tmp_path / "called").read_text().splitlines()
    assert "--action=yes=thesis" in first
    assert "--action" not in second


def test_a_notification_that_fails_is_told_of(tmp_path, capsys):
    Desktop(Told(), str(tmp_path / "nowhere"))._show(QUESTION)
    assert capsys.readouterr().err.startswith("selectron: the notification failed")
