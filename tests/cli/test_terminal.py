"""Names and labels of files on a terminal: they move no cursor, and hide nothing."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import blank

import selectron

CLEAR = "\x1b[2J"
EVIL = f"spam{CLEAR}\x1b]0;PWNED\x07"
SHOWN = "spam\\u001b[2J\\u001b]0;PWNED\\u0007"
FAST = ["--learner", "perceptron", "--ask", "fixed:p=0.5"]
SOURCES = Path(selectron.__file__).parent / "cli"


@pytest.fixture
def evil(call, stream, tmp_path):
    """Return a model of a file whose labels and columns have codes of terminals, and the file."""
    text = stream[0].read_text().replace("spam", EVIL).replace("a,b", f"a{CLEAR},b")
    stream[0].write_text(text)
    found = call("run", stream[0], *FAST, "--metrics", "--save", "a.model")
    assert found.exit_code == 0
    return found, stream[0]


def test_all_text_is_written_in_one_place():
    """Of `serve`, names are those that its admin has given."""
    others = [path.name for path in SOURCES.glob("*.py") if "click.echo(" in path.read_text()]
    assert {*others} <= {"__init__.py", "serve.py"}


def test_reports_show_codes_and_do_not_obey_them(call, evil):
    run, file = evil
    blank(file)
    shown, labelled = call("show", "a.model"), call("label", "a.model", file, input="s\nn\nq\n")
    for found in (run, shown, labelled):
        assert found.exit_code == 0
        assert CLEAR not in found.output
        assert SHOWN in found.output
        assert "a\\u001b[2J" in found.output


def test_warnings_and_errors_show_codes(call, evil):
    found = call("predict", "a.model", "no\x1b[2J.csv")
    assert found.exit_code == 1
    assert found.stderr.endswith("no\\u001b[2J.csv: no such file or directory\n")


def test_a_label_of_two_lines_is_one_line_of_a_table(call, stream):
    stream[0].write_text(stream[0].read_text().replace("spam", '"spam\nham  0.9"'))
    found = call("run", stream[0], *FAST, "--metrics")
    assert "spam\\nham  0.9" in found.stdout


def test_what_programs_read_has_values_as_they_are(call, evil):
    assert call("predict", "a.model", evil[1], "-o", "out.csv").exit_code == 0
    piped = call("predict", "a.model", evil[1]).stdout
    with open("out.csv", newline="") as file:
        assert file.read() == piped
    assert {row["prediction"] for row in csv.DictReader(piped.splitlines())} == {"ham", EVIL}


def test_predictions_on_a_terminal_show_codes(call, evil):
    reader, screen = os.openpty()
    program = [sys.executable, "-m", "selectron", "predict", "a.model", str(evil[1])]
    child = subprocess.Popen(program, stdout=screen, stderr=subprocess.DEVNULL)
    os.close(screen)
    found = b""
    try:
        while part := os.read(reader, 4096):
            found += part
    except OSError:  # the other end is closed
        pass
    assert child.wait() == 0
    os.close(reader)
    assert b"\x1b" not in found
    assert SHOWN.encode() in found
    assert len(found.splitlines()) == 301
