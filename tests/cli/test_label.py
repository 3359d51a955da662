"""`selectron label`: asks for rows on standard input, and learns and saves every answer."""

import csv
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.conftest import blank

from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.cli.labels import LabelFile
from selectron.cli.models import load
from selectron.errors import SelectronError

FAST = ["--learner", "perceptron", "--ask", "fixed:p=0.5", "--classes", "ham,spam"]
ROW = re.compile(r"^row ([\d,]+)$", re.MULTILINE)


@pytest.fixture
def halves(call, stream, tmp_path):
    """Return two halves of a stream, and a model that has played the first.

    The second has no labels: those are in labelled.csv.
    """
    names, *rows = stream[0].read_text().splitlines()
    paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for path, half in zip(paths, (rows[:200], rows[200:]), strict=True):
        path.write_text("\n".join([names, *half]))
    shutil.copy(paths[1], tmp_path / "labelled.csv")
    blank(paths[1])
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
    labelled = second.with_name("labelled.csv")
    assert call("run", labelled, "--model", model, "--save", "run.model").exit_code == 0
    rows = labelled.read_text().splitlines()[1:]
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


def test_rows_that_have_a_label_are_not_asked_about(call, halves):
    """They are decided as rows without a label are in a run: predicted, and never asked for."""
    first, second, model = halves
    labelled = second.with_name("labelled.csv").read_text().splitlines()
    without = second.read_text().splitlines()
    some = [(without, labelled)[k > 0 and k % 3 == 0][k] for k in range(101)]
    others = [labelled[k] for k in range(101) if k == 0 or k % 3]
    second.write_text("\n".join(some))
    second.with_name("others.csv").write_text("\n".join(others))
    before = model.read_bytes()
    assert call("run", "others.csv", "--model", model, "--save", "run.model").exit_code == 0
    asked = ROW.findall(call("label", model, second, input="s\n" * 100).stdout)
    assert len(asked) > 20
    assert all(int(row) % 3 for row in asked)
    model.write_bytes(before)
    found = call("label", model, second, input="s\nu\n" + answers(labelled[1:], asked))
    how = f"selectron run {second} --model {model} --save {model} --budget 100%"
    assert f"33 rows have a label already. If that is not learned yet: {how}\n" in found.stdout
    for path, kept in (("one.csv", "run.model"), ("two.csv", model)):
        call("predict", kept, first, "-o", path)
    one, two = (first.with_name(path).read_text() for path in ("one.csv", "two.csv"))
    assert one == two


@pytest.fixture
def dated(call, tmp_path):
    """Return a file of two days, and a model of the day before, with a budget of labels a day."""
    lines = ["when,x,label"]
    for i in range(1800):
        x, minute = (i * 7919 % 2003) / 1000 - 1, 2 * (i % 600)
        when = f"2026-03-0{1 + i // 600} {minute // 60:02}:{minute % 60:02}"
        lines.append(f"{when},{x},{'yes' if x > 0 else 'no'}")
    first, second, model = (tmp_path / name for name in ("a.csv", "b.csv", "m.model"))
    first.write_text("\n".join(lines[:601]))
    second.write_text("\n".join([lines[0], *lines[601:]]))
    found = call("run", first, "--time", "when", "--budget", "20/1d", "--save", model)
    assert found.exit_code == 0, found.output
    return second, model


def test_a_budget_a_day_goes_by_the_times_of_rows(call, dated):
    file, model = dated
    file.write_text(file.read_text().replace(",yes", ",no"))
    options = "--budget", "40/1d"
    (played,) = json.loads(call("run", file, "--model", model, "--json", *options).stdout)
    blank(file)
    found = call("label", model, file, *options, input="n\nno\n" * 200)
    assert found.exit_code == 0, found.output
    asked = [int(row.replace(",", "")) for row in ROW.findall(found.stdout)]
    assert len(asked) == played["asked"]
    first = sum(row <= 600 for row in asked)
    assert all(10 < n <= 40 for n in (first, len(asked) - first))


def test_rows_without_a_time_are_refused_where_a_budget_goes_by_it(call, dated):
    file, model = dated
    file.write_text(file.read_text().replace("when", "day", 1))
    found = call("label", model, file)
    assert found.exit_code == 1
    assert "a row has no 'when', which the budget needs" in found.stderr


def test_a_budget_a_day_needs_a_model_with_a_column_of_times(call, halves):
    _, second, model = halves
    found = call("label", model, second, "--budget", "20/1d")
    assert found.exit_code == 1
    assert "the model was saved without a column of times" in found.stderr


def test_a_skipped_row_leaves_no_open_ticket(call, halves):
    _, second, model = halves
    before = load(model).classifier
    call("label", model, second, input="s\n" * 5 + "q\n")
    after = load(model).classifier
    assert after.open_tickets_ == [6]  # of the row on which the session ended
    assert after.model_.tickets - after.model_.answered == 1
    assert after.model_.labels == before.model_.labels
    assert after.coef_.tolist() == before.coef_.tolist()
    call("label", model, second, "--from", 1, input="q\n")
    assert load(model).classifier.open_tickets_ == [7]


def test_the_label_of_a_row_is_not_shown(call, halves):
    found = call("label", halves[2], halves[1], input="q\n")
    assert "  a: " in found.stdout
    assert "  label: " not in found.stdout


def test_only_the_columns_that_are_named_are_shown(call, halves):
    found = call("label", halves[2], halves[1], "--show", "b", "--show", "label", input="q\n")
    shown = [line.split(":")[0].strip() for line in found.stdout.splitlines() if ": " in line]
    assert "b" in shown
    assert not {"a", "label"} & {*shown}
    found = call("label", halves[2], halves[1], "--show", "colour", input="q\n")
    assert found.exit_code == 1
    assert found.stderr.endswith("second.csv: --show finds no column 'colour'\n")


def test_long_values_and_many_columns_are_cut_with_a_word(call, tmp_path):
    names = ["text", *(f"c{j}" for j in range(20)), "label"]
    rows = [["long words " * 40 + "end", *"12" * 10, "ab"[i % 2]] for i in range(4)]
    lines = [",".join(map(str, row)) for row in (names, *rows)]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    call("run", "wide.csv", "--learner", "perceptron", "--ask", "always", "--save", "m")
    blank(tmp_path / "wide.csv")
    found = call("label", "m", "wide.csv", input="q\n").stdout
    assert "…\n" in found
    assert "  and 9 more columns: --show COLUMN shows others\n" in found
    found = call("label", "m", "wide.csv", "--show", "text", "--show", "c19", input="q\n").stdout
    assert "words end\n" in found
    assert "more column" not in found


@pytest.mark.parametrize("budget", ["30/300", "10%"])
def test_a_budget_begins_after_rows_without_labels(call, tmp_path, budget):
    """Nothing could be spent on them, which is no reason to ask for the first rows."""
    random = np.random.default_rng(0)
    rows = "".join(f"{x},{z},\n" for x, z in random.normal(size=(300, 2)).round(3))
    (tmp_path / "new.csv").write_text("a,b,label\n" + rows)
    fast = "--learner", "perceptron", "--ask", "margin:b=1", "--budget", budget
    assert call("run", "new.csv", *fast, "--classes", "x,y", "--save", "m").exit_code == 0
    asked = [
        int(row) for row in ROW.findall(call("label", "m", "new.csv", input="1\n" * 99).stdout)
    ]
    assert 10 < len(asked) < 50
    assert max(asked) > 200


def test_labels_are_counted_by_class_until_they_are_undone(call, halves):
    learned = call("label", halves[2], halves[1], input="1\n1\nq\n").stdout
    assert "Labels learned: 2.\nBy class: ham 2; none of 'spam'.\n" in learned
    undone = call("label", halves[2], halves[1], input="1\nu\nq\n").stdout
    assert "Labels learned: 0.\nThe same command" in undone


@pytest.mark.parametrize(("key", "learned"), [("", 1), ("y", 1), ("1", 1), ("s", 0), ("x", 0)])
def test_one_key_answers(call, halves, key, learned):
    found = call("label", halves[2], halves[1], input=f"{key}\nq\n")
    assert f"Labels learned: {learned}." in found.stdout
    assert found.stdout.count("Enter or y confirms") == (2 if key == "x" else 1)


def test_the_same_command_goes_on_where_it_stopped(call, halves, tmp_path):
    _, second, model = halves
    first = call("label", model, second, input="\n\nq\n").stdout
    *_, refused = ROW.findall(first)
    assert first.splitlines()[-1] == f"The same command continues at row {refused}."
    assert f"Rows: {int(refused) - 1}. Labels learned: 2." in first
    again = call("label", model, second, input="q\n").stdout
    assert again.startswith(f"Continuing at row {refused}; --from 1 begins again.\n")
    assert ROW.findall(again) == [refused]
    assert int(ROW.findall(call("label", model, second, "--from", 1, input="q\n").stdout)[0]) < 20
    second.write_text(second.read_text() + "1,2,3,ham\n")  # another file of this name
    assert "Going on" not in call("label", model, second, input="s\n" * 100).stdout


def test_a_model_that_another_process_has_written_is_kept(call, halves, monkeypatch):
    _, second, model = halves
    theirs, module = model.read_bytes(), importlib.import_module("selectron.cli.label")
    monkeypatch.setattr(module, "load", lambda path: load(path)._replace(stamp=(0,)))
    found = call("label", model, second, input="\n\nq\n")
    assert found.exit_code == 1
    assert f"{model} has changed since it was read: this model is in {model}-2" in found.stderr
    assert f"With {model}-2, it continues at row" in found.stdout
    assert model.read_bytes() == theirs
    learned = [load(path).classifier.model_.labels for path in (str(model), f"{model}-2")]
    assert learned[1] == learned[0] + 2


def test_a_place_is_saved_with_every_answer_and_at_the_end(call, halves):
    first, second, model = halves
    call("label", model, second, input="\n\n")  # the input ends
    place = load(model).place
    assert place.row > 1
    assert call("run", first, "--model", model, "--save", model).exit_code == 0
    assert load(model).place == place
    assert call("label", model, second, input="s\n" * 100).exit_code == 0
    found = load(model).place  # rows that were skipped do not count
    assert place.rows < found.rows < 100
    assert found == place._replace(row=100, ticket=None, ended=True, rows=found.rows)
    again = call("label", model, second, input="s\n" * 100)
    assert (again.exit_code, again.stdout) == (
        0,
        f"{second} was labelled to its end; --from 1 begins again.\n",
    )
    assert len(ROW.findall(call("label", model, second, "--from", 1, input="q\n").stdout)) == 1


def test_a_file_that_has_grown_is_continued(call, halves):
    _, second, model = halves
    call("label", model, second, input="s\n" * 100)
    with second.open("a") as file:
        file.write(second.read_text().splitlines()[1] + "\n")
    found = call("label", model, second, input="q\n").stdout
    assert found.startswith("Continuing at row 101; --from 1 begins again.\n")


def test_a_file_that_has_changed_begins_again_with_a_word(call, halves):
    _, second, model = halves
    call("label", model, second, input="s\n" * 3)
    row = load(model).place.row
    names, first, *rows = second.read_text().splitlines()
    second.write_text("\n".join([names, *rows, first, first]))
    what = (
        f"{second} has changed since row {row}: beginning at row 1; --from {row + 1} continues.\n"
    )
    assert what in call("label", model, second, input="q\n").stdout
    assert "changed" not in call("label", model, second, "--from", row + 1, input="q\n").stdout


def test_another_file_of_the_same_name_and_size_begins_at_its_first_row(call, halves):
    _, second, model = halves
    call("label", model, second, input="s\n" * 3)
    names, *rows = second.read_text().splitlines()
    second.write_text("\n".join([names, *reversed(rows)]))
    assert "beginning at row 1" in call("label", model, second, input="q\n").stdout


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
        "selectron: a.model has learned from rows without names: there is nothing to show\n"
    )


@pytest.mark.parametrize(
    ("reply", "learned"),
    [("y", 1), ("n", 0), ("", 0), ("no", 0), ("x\ns", 0), ("?", 0), ("y\n", 2)],
)
def test_a_new_class_is_added_only_if_that_is_confirmed(call, unnamed, reply, learned):
    second, model = unnamed
    found = call("label", model, second, input=f"n\nspma\n{reply}\nq\n")
    assert "'spma' is a new class: add it? [y/N]" in found.stdout
    assert f"Labels learned: {learned}." in found.stdout
    assert "invalid" not in found.output
    assert "None" not in found.output
    assert ("spma" in call("show", model).stdout) == reply.startswith("y")


@pytest.mark.parametrize(("reply", "learned"), [("y", 1), ("", 1), ("n\nn", 0), ("n\ny", 1)])
def test_a_class_that_begins_so_is_offered_before_a_new_one(call, unnamed, reply, learned):
    second, model = unnamed
    found = call("label", model, second, "-o", "o.csv", input=f"n\nspa\n{reply}\nq\n").stdout
    assert "'spa' is no class: is it 'spam'? [Y/n]" in found
    assert ("'spa' is a new class: add it? [y/N]" in found) == reply.startswith("n")
    assert f"Labels learned: {learned}." in found
    if learned:
        assert records("o.csv")[1][1] == ("spa" if "n" in reply else "spam")


def test_a_key_is_no_label_of_a_model_whose_classes_lack_it(call, unnamed):
    found = call("label", unnamed[1], unnamed[0], input="n\nu\nq\n").stdout
    how = "`selectron run --classes`, as the model is made, makes it possible as a label"
    assert f"'u' is a key: {how}\n" in found


def test_a_class_is_added_to_those_that_were_named_once_that_is_confirmed(call, halves):
    _, second, model = halves
    found = call("label", model, second, input="n\n\nn\nspma\n\nn\n spam \nq\n")
    asked = "'spma' is a new class, which --classes does not name: add it? [y/N]"
    assert found.stdout.count("new class") == found.stdout.count(asked) == 1
    assert "Labels learned: 1." in found.stdout
    call("label", model, second, input="n\nnews\ny\nn\nnew\nq\n")
    assert "classes   ham, spam, news\n" in call("show", model).stdout
    assert "Labels learned: 1." in call("label", model, second, input="3\nq\n").stdout


def test_a_name_and_its_beginning_are_answers(call, halves):
    _, second, model = halves
    found = call("label", model, second, "-o", "o.csv", input="spam\nham\nn\nH\nn\n\nspa\nq\n")
    assert "'spa' is neither a key nor the digit of a class" in found.stdout
    assert [row[1] for row in records("o.csv")[1:]] == ["spam", "ham", "ham"]


def records(path):
    """Return the lines of a CSV file as lists."""
    with open(path, newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("end", ["q\n", ""])
def test_the_open_row_is_asked_about_again(call, halves, end):
    _, second, model = halves
    first = call("label", model, second, input=f"\n\n{end}").stdout
    *_, refused = ROW.findall(first)
    assert first.splitlines()[-1] == f"The same command continues at row {refused}."
    rounds, tickets = load(model).classifier.model_.rounds, load(model).classifier.open_tickets_
    assert (rounds, tickets) == (200 + int(refused), [3])
    again = call("label", model, second, input=end).stdout
    assert again.startswith(f"Continuing at row {refused}; --from 1 begins again.\n")
    (counts,) = re.findall(r"\nBy class: [^.]*\.", first)
    assert first.partition(f"row {refused}\n")[2] == again.partition(f"row {refused}\n")[2].replace(
        "Rows: 0. Labels learned: 0.", f"Rows: {int(refused) - 1}. Labels learned: 2.{counts}"
    )
    assert load(model).classifier.model_.rounds == rounds
    assert load(model).classifier.open_tickets_ == tickets


def test_pieces_give_the_model_of_one_session(call, halves):
    _, second, model = halves
    before = model.read_bytes()
    rows = second.with_name("labelled.csv").read_text().splitlines()[1:]
    found = call("label", model, second, input="s\n" * 100)
    asked = ROW.findall(found.stdout)
    model.write_bytes(before)
    call("label", model, second, input=answers(rows, asked))
    whole = model.read_bytes()
    model.write_bytes(before)
    for at, row in enumerate(asked):
        found = call("label", model, second, input=answers(rows, [row]) + ("q\n" if at % 2 else ""))
        assert ROW.findall(found.stdout)[0] == row
    assert model.read_bytes() == whole


def test_a_model_that_is_slow_to_save_is_saved_at_the_end(call, halves, monkeypatch):
    _, second, model = halves
    module, saves = importlib.import_module("selectron.cli.label"), []
    before, keep = model.read_bytes(), module.keep
    monkeypatch.setattr(module, "keep", lambda *args: saves.append(1) or keep(*args))
    for slow, times in ((60.0, 11), (0.0, 2)):
        monkeypatch.setattr(module, "SLOW", slow)
        monkeypatch.setattr(module, "PAUSE", 1e6)
        model.write_bytes(before)
        call("label", model, second, input="1\n" * 10 + "q\n")
        assert len(saves) == times
        saves.clear()
    after = model.read_bytes()
    monkeypatch.setattr(module, "BYTES", 1)  # of copies, one of which there always is
    model.write_bytes(before)
    found = call("label", model, second, input="1\n" * 11 + "u\nu\nq\n").stdout
    assert found.count("undone") == 1
    assert "nothing to undo" in found
    assert model.read_bytes() == after


@pytest.mark.slow
def test_an_interruption_keeps_the_open_row(call, halves, tmp_path):
    _, second, model = halves
    args = [sys.executable, "-m", "selectron", "label", model, second]
    pipe = subprocess.PIPE
    with subprocess.Popen(args, stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path) as process:
        shown = b""
        while not shown.endswith(b" ? "):
            more = os.read(process.stdout.fileno(), 4096)
            assert more, shown
            shown += more
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    (row,) = ROW.findall(shown.decode())
    assert process.returncode == 130
    assert rest.decode().splitlines()[-1] == f"The same command continues at row {row}."
    assert ROW.findall(call("label", model, second, input="q\n").stdout) == [row]


def test_an_undone_answer_leaves_no_trace(call, halves):
    _, second, model = halves
    before = model.read_bytes()
    call("label", model, second, "-o", "one.csv", input="1\n1\n\nq\n")
    plain, labels = model.read_bytes(), records("one.csv")
    model.write_bytes(before)
    keys = "1\n2\n2\nu\ns\nu\nu\nu\n1\n1\n\nq\n"  # three answers, a skip, and all but one undone
    found = call("label", model, second, "-o", "two.csv", input=keys)
    assert found.stdout.count("undone") == 4
    assert "Labels learned: 3." in found.stdout
    assert model.read_bytes() == plain
    assert records("two.csv") == labels


def test_only_answers_of_the_session_are_undone(call, halves):
    _, second, model = halves
    call("label", model, second, input="1\nq\n")
    found = call("label", model, second, input="u\nq\n").stdout
    assert "nothing to undo" in found
    assert len({*ROW.findall(found)}) == 1
    found = call("label", model, second, input="1\n" * 12 + "u\n" * 11 + "q\n")
    assert found.stdout.count("undone") == 10
    assert "Labels learned: 2." in found.stdout


@pytest.fixture
def mail(call, tmp_path):
    """Return a file with an id, without labels, and a model that ignores the id."""
    path = tmp_path / "mail.csv"
    rows = [f"m{i},{i % 7},{i % 5},{'spam' if i % 7 > 3 else 'ham'}\n" for i in range(60)]
    path.write_text("id,a,b,label\n" + "".join(rows))
    options = "--learner", "perceptron", "--ask", "always", "--ignore", "id"
    assert call("run", path, *options, "--save", "mail.model").exit_code == 0
    blank(path)
    return path, tmp_path / "mail.model"


def test_labels_are_written_after_every_answer_and_go_on(call, mail):
    path, model = mail
    args = "label", model, path, "-o", "labels.csv"
    found = call(*args, input="1\n2\n")
    assert "The labels are in labels.csv." in found.stdout
    names, *rows = records("labels.csv")
    assert names == ["row", "id", "label", "proposal", "corrected"]
    assert [row[:3] for row in rows] == [["1", "m0", "ham"], ["2", "m1", "spam"]]
    assert all((label != proposal) == (corrected == "1") for *_, label, proposal, corrected in rows)
    call(*args, input="s\n2\nu\n1\nq\n")
    assert [row[:3] for row in records("labels.csv")[3:]] == [["4", "m3", "ham"]]
    found = call("label", model, path, "--from", 60, "-o", "none.csv", input="s\n").stdout
    assert "No label was learned: none.csv was not written.\n" in found
    assert found.endswith("mail.csv is read, without an answer, to its end.\n")
    call(*args, "--from", 1, input="2\n")
    labels = [(row[0], row[2]) for row in records("labels.csv")[1:]]
    assert labels == [("1", "spam"), ("2", "spam"), ("4", "ham")]
    path.write_text(path.read_text() + "m60,1,1,\n")
    path.write_text(path.read_text().replace("m1,", "M1,"))
    row = load(model).place.row
    assert call(*args).stderr == (
        f"selectron: labels.csv holds labels already, and {path} has changed since row {row}: give "
        f"another -o, or the row to continue at, such as --from {row + 1}\n"
    )


def test_a_file_of_labels_goes_on_after_long_values(tmp_path):
    csv.field_size_limit(131_072)  # Python's
    path, text = str(tmp_path / "labels.csv"), "x" * 200_000
    LabelFile(path, "", 1, None).put(1, {"text": text}, "ham", "spam")
    assert LabelFile(path, "", 1, True).rows == {1: ["1", text, "ham", "spam", "1"]}


def test_an_answer_counts_once_if_the_file_of_labels_is_gone(call, mail, monkeypatch):
    second, model = mail
    module = importlib.import_module("selectron.cli.label")
    labels = load(model).classifier.model_.labels
    monkeypatch.setattr(module, "SLOW", 0.0)
    monkeypatch.setattr(module, "PAUSE", 1e6)  # the second answer is not saved by itself
    written = []

    def write(*args):
        written.append(1)
        if len(written) == 3:
            raise SelectronError("labels.csv cannot be written")

    monkeypatch.setattr("selectron.cli.labels.write_csv", write)
    found = call("label", model, second, "-o", "labels.csv", input="1\n" * 5)
    assert found.exit_code == 1
    assert "cannot be written" in found.stderr
    monkeypatch.undo()
    assert load(model).classifier.model_.labels == labels + 3
    rows = [int(row) for row in ROW.findall(found.stdout)]
    assert int(ROW.findall(call("label", model, second, input="q\n").stdout)[0]) > rows[2]


def test_other_files_are_not_written_over(call, mail, tmp_path):
    path, model = mail
    before = model.read_bytes()
    for content in (b"a,b\n1,2\n", b"\xff\xfe", b"row,label,proposal,corrected\nx,1,2,0\n"):
        (tmp_path / "labels.csv").write_bytes(content)
        found = call("label", model, path, "-o", "labels.csv", input="1\n")
        assert (found.exit_code, found.stderr) == (
            1,
            "selectron: labels.csv is not a file of labels that `selectron pool` or "
            "`selectron label` wrote: give another -o\n",
        )
        assert (tmp_path / "labels.csv").read_bytes() == content
    (tmp_path / "labels.csv").write_text("row,label,proposal,corrected\n1,ham,ham,0\n")
    found = call("label", model, path, "-o", "labels.csv", input="1\n")
    assert "labels.csv holds labels already, and" in found.stderr
    for target in (model, path):
        link = tmp_path / "link.csv"
        link.symlink_to(target)
        found = call("label", model, path, "-o", "link.csv", input="1\n")
        assert (found.exit_code, "must be different files" in found.stderr) == (2, True)
        link.unlink()
    assert model.read_bytes() == before


def test_classes_that_are_digits_are_chosen_by_name(call, tmp_path):
    path = tmp_path / "digits.csv"
    path.write_text("a,label\n" + "".join(f"{i % 4},{i % 4}\n" for i in range(40)))
    options = "--learner", "perceptron", "--ask", "always"
    assert call("run", path, *options, "--save", "d.model").exit_code == 0
    blank(path)
    found = call("label", "d.model", path, "-o", "labels.csv", input="3\n0\n7\nq\n")
    assert "\n  0  1  2  3\n" in found.stdout
    assert [row[1] for row in records("labels.csv")[1:]] == ["3", "0"]
    assert found.stdout.count("Enter or y confirms") == 2


def test_another_budget_holds_for_the_rest_of_the_file(call, halves):
    _, second, model = halves
    few = ("label", model, second, "--budget", "4/100")
    found = call(*few, input="s\n" * 2)
    assert len(ROW.findall(found.stdout)) == 3  # the third question has no answer
    found = call(*few, input="s\n" * 100)  # the same budget goes on
    assert len(ROW.findall(found.stdout)) == 2
    assert load(str(model)).classifier.asker.labels == 4
    found = call(*few, "--from", 1, input="s\n" * 100)  # a new pass has a new budget
    assert len(ROW.findall(found.stdout)) == 4
    assert found.stdout.endswith("The budget of 4 labels is spent: --budget gives another one.\n")


def test_the_accuracy_of_proposals_is_estimated_over_sessions(call, halves):
    first, second, _ = halves
    model, copy = "audited", "copy"
    budget = "--learner", "perceptron", "--budget", "40%", "--classes", "ham,spam"
    call("run", first, *budget, "--save", model)
    others = "n\nspam\ny\nu\nn\nham\ny\ns\nn\nspam\n"
    shutil.copy(model, copy)
    whole = call("label", model, second, input=others + "y\n" * 200).stdout
    found = json.loads(call("show", model, "--json").stdout)["accuracy"]
    (line,) = [line for line in whole.splitlines() if line.startswith("Accuracy: ")]
    interval = f"{found['low']:.3f} to {found['high']:.3f}"
    rows = f"{found['rows']} rows of {second.name}, estimated from their labels"
    assert line == f"Accuracy: {interval} on {rows}."
    assert 0 < found["low"] < found["accuracy"] < found["high"] <= 1
    assert f"accuracy  {interval} on {rows}\n" in call("show", model).stdout
    for some in ("n\nspam\nq\n", "n\nham\ny\ns\nn\nspam\ny\nq\n", "y\n" * 200):
        call("label", copy, second, input=some)
    assert json.loads(call("show", copy, "--json").stdout)["accuracy"] == found


@pytest.mark.compiles
def test_there_is_no_accuracy_without_audits(call, halves):
    first, second, _ = halves
    call("run", first, "--ask", "always", "--save", "always")
    assert "Accuracy" not in call("label", "always", second, input="y\n" * 200).stdout
    assert json.loads(call("show", "always", "--json").stdout)["accuracy"] is None


def test_a_new_class_is_a_number_where_the_others_are(call, tmp_path):
    rows = [{"a": float(i % 7), "b": float(i % 3)} for i in range(60)]
    y = [int(i % 7 > 3) for i in range(60)]
    clf = OnlineClassifier(classes=[0, 1], asker=Always(), encoder="auto")
    clf.fit(pa.Table.from_pylist(rows), y).save("m")
    (tmp_path / "new.csv").write_text("a,b\n" + "\n".join(f"{i % 7},{i % 3}" for i in range(20)))
    found = call("label", "m", "new.csv", input="n\nsix\nn\n6\ny\n0\nq\n")
    assert "'six' is no int, as the other classes are\n" in found.stdout
    assert "Labels learned: 2." in found.stdout
    assert load("m").classifier.classes_.tolist() == [0, 1, 6]


def test_a_budget_that_is_spent_ends_a_session_and_another_continues(call, halves):
    first, second, _ = halves
    call("run", first, "--learner", "perceptron", "--budget", "9/200", "--save", "m")
    some = call("label", "m", second, "--budget", "5/100", input="y\n" * 100).stdout
    assert some.endswith("The budget of 5 labels is spent: --budget gives another one.\n")
    (row,) = re.findall(r"continues at row (\d+)\.", some)
    more = call("label", "m", second, "--budget", "50%", input="y\n" * 100).stdout
    assert f"Continuing at row {row};" in more
    assert more.endswith("second.csv is labelled to its end.\n")
