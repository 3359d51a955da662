"""Damaged rows end a command with what would do, or are left out and counted."""

import csv

BAD = 120, 250  # rows with too few cells, from 0


def damage(path):
    lines = path.read_text().splitlines()
    for row in BAD:
        lines[row + 1] = "1.0,spam"
    path.write_text("\n".join(lines))
    return [line for row, line in enumerate(lines) if row - 1 not in BAD]


def test_the_rows_before_are_learned_and_saved(call, stream):
    damage(stream[0])
    result = call("run", stream[0], "--save", "a.model")
    assert result.exit_code == 1
    reason = "2 columns were found, and 5 expected; leave such rows out with --skip-damaged"
    assert result.stderr.splitlines()[-1] == f"selectron: {stream[0]}: line 122: {reason}"
    assert "rows      120\n" in call("show", "a.model").stdout


def test_a_run_without_them_is_that_of_a_file_without_them(call, stream, tmp_path):
    (tmp_path / "whole.csv").write_text("\n".join(damage(stream[0])))
    for name, *options in ((stream[0], "--skip-damaged"), ("whole.csv",)):
        result = call("run", name, *options, "-o", f"{len(options)}.csv")
        assert result.exit_code == 0
        left = f"{name}: left out 2 rows that cannot be read, the first in line 122: 2 columns"
        assert (left in result.stderr) == bool(options)
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()


def test_predictions_are_of_the_other_rows(call, stream, tmp_path):
    call("run", stream[0], "--save", "a.model")
    rows = damage(stream[0])[1:]
    result = call("predict", "a.model", stream[0], "-o", "out.csv")
    assert result.exit_code == 1
    result = call("predict", "a.model", stream[0], "--skip-damaged", "-o", "new.csv")
    assert result.exit_code == 0
    assert "left out 2 rows" in result.stderr
    with (tmp_path / "new.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert len(found) == len(rows)
    assert call("run", "--skip-damaged").exit_code == 2


def test_questions_are_of_the_other_rows(call, stream):
    call("run", stream[0], "--save", "a.model")
    damage(stream[0])
    result = call("label", "a.model", stream[0], "--skip-damaged", input="1\n" * 300)
    assert result.exit_code == 0
    assert "left out 2 rows" in result.stderr
