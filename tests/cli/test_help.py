"""The help: examples first, for the group and for each command; completion; the demonstration."""

import os
import subprocess
import sys

import pytest

from selectron.cli import COMMANDS


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_begins_with_examples(call, command):
    result = call(*command.split(), "--help")
    first, example, *_ = result.stdout.splitlines()
    assert result.exit_code == 0
    assert first == "Examples:"
    assert example.startswith("  selectron ")
    assert result.stdout.count("Usage:") == 1
    assert "\b" not in result.stdout


def test_without_arguments_it_shows_the_examples(call):
    result = call()
    assert result.output.startswith("Examples:\n  selectron demo\n")


def test_the_help_of_run_lists_parameters_and_their_defaults(call):
    text = " ".join(call("run", "--help").stdout.split())
    assert " lasec:b=1,c=1000, " in text
    assert " margin:b=, " in text


def test_examples_in_the_help_name_commands_and_options_that_exist(call):
    for command in COMMANDS:
        text = call(command, "--help").stdout
        examples, _, rest = text.partition("Usage:")
        lines = [line for line in examples.splitlines() if f"selectron {command}" in line]
        assert lines
        for option in {word for line in lines for word in line.split() if word.startswith("--")}:
            assert option in rest


@pytest.mark.parametrize(
    ("typed", "offered"), [("selectron pre", "predict"), ("selectron run --bud", "--budget")]
)
def test_the_shell_completes(typed, offered):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    env = {**os.environ, "_SELECTRON_COMPLETE": "bash_complete", **words}
    program = "from selectron.cli import main; main(prog_name='selectron')"
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert done.stdout.split() == [f"plain,{offered}"]


@pytest.mark.slow
def test_the_demonstration_draws_a_picture(call, tmp_path):
    picture = tmp_path / "demo.png"
    result = call("demo", "--plot", picture)
    assert result.exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert result.stdout.count("budget:rate=0.1") == 2
    accuracy = [float(line.split()[2]) for line in result.stdout.splitlines() if "budget:" in line]
    assert accuracy[0] == max(accuracy)  # LASEC, as the text says


def test_the_demonstration_refuses_a_picture_of_no_known_kind(call):
    result = call("demo", "--plot", "demo.xyz")
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: main demo [OPTIONS]\n")
    assert result.stdout == ""
