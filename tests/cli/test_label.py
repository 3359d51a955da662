"""`selectron label`: asks for rows on standard input, and learns and saves every answer."""

import re

import pytest

from selectron.cli.models import load

FAST = ["--learner", "perceptron", "--ask", "fixed:p=0.5", "--classes", "ham,spam"]
ROW = re.compile(r"^row ([\d,]+)$", re.MULTILINE)


@pytest.fixture
def halves(call, stream, tmp_path):
    """Return two halves of a stream, and a model that has played the first."""
    names, *rows = stream[0].read_text().splitlines()
    paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for path, half in zip(paths, (rows[:200], rows[200:]), strict=True):
        path.write_text("\n".join([names, *half]))
    assert call("run", paths[0], *FAST, "--save", "a.model").exit_code == 0
    return *paths, tmp_path / "a.model"


@pytest.fixture
def unnamed(call, halves):
    """Return the second half, and a model whose classes were not named."""
    options = [each for each in FAST if each not in ("--classes", "ham,spam")]
    assert call("run", halves[0], *options, "--save", "b.model").exit_code == 0
    return halves[1], halves[2].with_name("b.model")


def answers(rows, asked):
    """Return typed answers for these rows, numbered from 1 on."""
    return "".join(f"n\n{rows[int(row) - 1].rpartition(',')[2]}\n" for row in asked)


def test_answers_teach_what_a_run_learns(call, halves, tmp_path):
    first, second, model = halves
    before = model.read_bytes()
    assert call("run", second, "--model", model, "--save", "run.model").exit_code == 0
    rows = second.read_text().splitlines()[1:]
    found = call("label", model, second, input="s\n" * 100)
    asked = ROW.findall(found.stdout)
    assert 30 < len(asked) < 70
    assert "Labels learned: 0." in found.stdout
    model.write_bytes(before)
    found = call("label", model, second, input=answers(rows, asked))
    assert found.exit_code == 0, found.output
    assert ROW.findall(found.stdout) == asked
    assert f"Rows: 100. Labels learned: {len(asked)}." in found.stdout
    out = ["predict", first, "-o"]
    call(*out, "one.csv", "--model", "run.model")
    call(*out, "two.csv", "--model", model)
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()


def test_the_label_of_a_row_is_not_shown(call, halves):
    found = call("label", halves[2], halves[1], input="q\n")
    assert "  a: " in found.stdout
    assert "  label: " not in found.stdout


@pytest.mark.parametrize(("key", "learned"), [("", 1), ("y", 1), ("1", 1), ("s", 0), ("x", 0)])
def test_one_key_answers(call, halves, key, learned):
    found = call("label", halves[2], halves[1], input=f"{key}\nq\n")
    assert f"Labels learned: {learned}." in found.stdout
    assert found.stdout.count("Enter confirms") == (2 if key == "x" else 1)


def test_the_same_command_goes_on_where_it_stopped(call, halves, tmp_path):
    _, second, model = halves
    first = call("label", model, second, input="\n\nq\n").stdout
    *_, refused = ROW.findall(first)
    assert first.splitlines()[-1] == f"The same command goes on at row {refused}."
    assert f"Rows: {int(refused) - 1}. Labels learned: 2." in first
    again = call("label", model, second, input="q\n").stdout
    assert again.startswith(f"Going on at row {refused}; --from 1 begins again.\n")
    assert int(ROW.findall(again)[0]) >= int(refused)
    assert int(ROW.findall(call("label", model, second, "--from", 1, input="q\n").stdout)[0]) < 20
    second.write_text(second.read_text() + "1,2,3,ham\n")  # another file of this name
    assert "Going on" not in call("label", model, second, input="s\n" * 100).stdout


def test_a_place_is_saved_with_every_answer_and_dropped_at_the_end(call, halves, tmp_path):
    first, second, model = halves
    call("label", model, second, input="\n\n")  # the input ends
    place = load(model).place
    assert place.row > 1
    assert call("run", first, "--model", model, "--save", model).exit_code == 0
    assert load(model).place == place
    assert call("label", model, second, input="s\n" * 100).exit_code == 0
    assert load(model).place is None


def test_a_first_row_after_the_last_is_refused(call, halves):
    _, second, model = halves
    before = model.read_bytes()
    found = call("label", model, second, "--from", 102)
    assert found.exit_code == 1
    assert found.stderr == f"selectron: {second}: --from 102 is after its last row, 100\n"
    assert model.read_bytes() == before
    assert "Rows: 0." in call("label", model, second, "--from", 101).stdout


def test_a_model_of_svmlight_rows_has_no_values_to_show(call, tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n-1 1:2\n" * 20)
    assert call("run", path, *FAST[:4], "--save", "a.model").exit_code == 0
    found = call("label", "a.model", path)
    assert found.exit_code == 1
    assert found.stderr == (
        "selectron: a.model has learned from svmlight rows: there is nothing to show\n"
    )


@pytest.mark.parametrize(("reply", "learned"), [("y", 1), ("n", 0), ("", 0)])
def test_a_new_class_is_added_only_if_that_is_confirmed(call, unnamed, reply, learned):
    second, model = unnamed
    found = call("label", model, second, input=f"n\nspma\n{reply}\nq\n")
    assert "'spma' is a new class: add it? [y/N]" in found.stdout
    assert f"Labels learned: {learned}." in found.stdout
    assert ("spma" in call("show", model).stdout) == bool(learned)


def test_no_class_is_added_to_those_that_were_named(call, halves):
    _, second, model = halves
    found = call("label", model, second, input="n\nspma\nn\n spam \nq\n")
    assert found.stdout.count("there is no class 'spma'") == 1
    assert "Labels learned: 1." in found.stdout
