"""`selectron pool`: simulated where there are labels, in the terminal where there are none."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from subprocess import PIPE

import numpy as np
import pytest


def records(path):
    with open(path) as file:
        return list(csv.DictReader(file))


@pytest.fixture
def half(stream, tmp_path):
    """Return the file of the stream with no label in it."""
    path = tmp_path / "open.csv"
    lines = stream[0].read_text().splitlines()
    path.write_text("\n".join([lines[0], *(line.rpartition(",")[0] + "," for line in lines[1:])]))
    return path


@pytest.mark.slow
def test_all_orders_are_printed_and_drawn(call, stream, tmp_path):
    result = call("pool", stream[0], "--plot", "m.png", "-o", "labels.csv")
    assert result.exit_code == 0
    for order in ("confident", "random", "given", "worst", "greedy", "sphere", "boosted"):
        assert order in result.output
    assert "The plot is in m.png\n" in result.output
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
    rows = records("labels.csv")
    truth = np.where(stream[2] > 0, "spam", "ham")
    assert sorted(int(row["row"]) for row in rows) == list(range(1, 301))
    assert all(row["label"] == truth[int(row["row"]) - 1] for row in rows)


def test_as_json(call, stream):
    result = call("pool", stream[0], "--learner", "confident", "--json", "--mode", "weak")
    (one,) = json.loads(result.stdout)
    assert (one["order"], one["rows"], one["labelled"]) == ("confident", 300, 150)


def test_answers_are_kept_and_taken_up_again(call, half):
    args = "pool", half, "--classes", "ham,spam", "-o", "labels.csv"
    result = call(*args, input="y\n\nn\ns\nu\n?\nq")
    assert result.exit_code == 0
    assert "undone" in result.output
    assert "3 of 300 rows labelled, 1 corrected" in result.output
    result = call(*args, input="y\ny\nq")
    assert "Resuming from" in result.output
    assert "5 of 300 rows labelled, 1 corrected" in result.output
    assert len(records("labels.csv")) == 5


def test_labels_replace_no_other_file(call, half, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")
    result = call("pool", half, "--classes", "ham,spam", "-o", "table.csv", input="q")
    assert result.exit_code == 1
    assert (
        "table.csv is not a file of labels that `selectron pool` or `selectron label` wrote"
        in result.stderr
    )
    assert table.read_text() == "a,b\n1,2\n"


def test_answers_go_on_with_their_own_classes_only(call, half, tmp_path):
    call("pool", half, "--classes", "yes,no", input="y\nn\n")
    before = (tmp_path / "open.csv.answers").read_bytes()
    result = call("pool", half, "--classes", "ham,spam", input="y\n")
    assert result.exit_code == 1
    why = "was started with other --classes, or without, and has the labels"
    assert f"open.csv.answers {why} yes, no: leave out" in result.output
    assert "--answers" in result.output
    assert (tmp_path / "open.csv.answers").read_bytes() == before
    for more in ([], ["--classes", "no, yes"]):
        assert "2 of 300 rows labelled" in call("pool", half, *more, input="q\n").output
    args = "pool", half, "--answers", "other"
    call(*args, input="ham\n")
    result = call(*args, "--classes", "ham,spam", input="y\n")
    assert result.exit_code == 1
    assert f"other {why} ham: leave out --classes" in result.output


def test_labels_are_typed_where_none_are_named(call, half):
    result = call("pool", half, input="news\nn\nmail\nq")
    assert "2 of 300 rows labelled" in result.output
    assert "label (news)" in result.output


def test_a_third_class_is_confirmed(call, half):
    result = call("pool", half, input="news\nn\nmail\nn\nmial\nn\nn\nbulk\ny\nq")
    assert "3 of 300 rows labelled" in result.output
    assert "'mial' is a new class: add it? [y/N]: n\n" in result.output
    assert "[1] news  [2] mail  [3] bulk\n" in result.output


def test_classes_are_added_to_those_that_were_named(call, half):
    args = "pool", half, "-o", "labels.csv", "--classes"
    call(*args, "a,b,c", input="1\nn\nnews\ny\nq")
    assert "3 of 300 rows labelled" in call(*args, "a,b,c", input="4\nq").output
    result = call(*args, "a,b,c,news,bulk", input="5\nu\n5\nq")
    assert "4 of 300 rows labelled" in result.output
    assert [row["label"] for row in records("labels.csv")] == ["a", "news", "news", "bulk"]
    other = call(*args, "a,q", input="q")
    assert "other --classes, or without, and has the labels a, b, c, news, bulk:" in other.stderr


def test_the_end_of_a_pipe_loses_nothing(call, half):
    assert "1 of 300 rows labelled" in call("pool", half, "--classes", "a,b", input="y").output
    assert "resuming" in call("pool", half, "--classes", "a,b", input="").output.lower()


@pytest.mark.parametrize(("lines", "count"), [("y\n", 1), ("\n", 1), ("y\r\n \nyes\ny", 3)])
def test_a_line_of_a_pipe_is_one_answer(call, half, lines, count):
    result = call("pool", half, "--classes", "a,b", input=lines)
    assert f"{count} of 300 rows labelled, 0 corrected" in result.output
    assert "Enter or y confirms" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "lines", "asked"),
    [(["--classes", "a,b"], b"y\n", b" ? "), ([], b"a\nn\n", b"label (a): ")],
    ids=["at a proposal", "at a label that is typed"],
)
def test_an_interruption_is_reported_by_the_exit_code(half, tmp_path, classes, lines, asked):
    args = [sys.executable, "-m", "selectron", "pool", half.name, *classes]
    with subprocess.Popen(args, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=tmp_path) as process:
        process.stdin.write(lines)
        process.stdin.flush()
        shown, last = b"", b"2 of 300 \xc2\xb7 0 corrected"
        while last not in shown or not shown.endswith(asked):
            more = os.read(process.stdout.fileno(), 4096)
            assert more, shown
            shown += more
        time.sleep(1)  # between prompt and read, a signal would wait for the end of the input
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)  # while its input is open: the end of that would be another quit
        rest, fault = process.communicate()
    assert process.returncode == 130
    assert b"1 of 300 rows labelled" in rest
    assert fault.endswith(b"d: number\nselectron: interrupted\n")
    assert (tmp_path / "open.csv.answers").exists()


def test_columns_are_shown(call, half):
    result = call("pool", half, "--classes", "a,b", "--show", "b", "--show", "a", input="q")
    assert "b: " in result.output
    result = call("pool", half, "--classes", "a,b", "--show", "colour", input="q")
    assert result.exit_code == 1
    assert "colour" in result.output


def test_columns_are_shown_of_a_header_that_holds_the_label(call, tmp_path):
    lines = "sample,400,450,found", "S1,0.1,0.2,", "S2,0.3,0.1,", "S3,0.2,0.2,"
    (tmp_path / "a.csv").write_text("\n".join(lines))
    options = "--label", "found", "--classes", "a,b", "--show", "sample"
    assert "sample: S" in call("pool", "a.csv", *options, input="q").output


def test_without_names_the_first_columns_are_shown_as_they_are_in_the_file(call, tmp_path):
    path, note = tmp_path / "mail.csv", "pay at once, or lose it all"
    row = f'{{}},{note!r},,"FR",\n'.replace("'", '"')
    path.write_text("size,note,age,country,label\n" + "".join(map(row.format, range(20))))
    result = call("pool", path, "--classes", "a,b", "--ignore", "age", input="q")
    assert f"note: {note}  country: FR\n" in result.output
    assert "size: " in result.output
    assert "age" not in result.output


@pytest.mark.parametrize("option", ["--show", "--answers"])
def test_what_is_for_a_person_is_refused_where_the_person_is_simulated(call, stream, option):
    result = call("pool", stream[0], "--learner", "given", option, "a")
    assert result.exit_code == 1
    assert f"{option} needs rows without a label, and here every row has one" in (result.output)


def test_keys_of_json_lines_are_shown(call, tmp_path):
    path = tmp_path / "mail.jsonl"
    rows = [{"a": i - 5.0, "b": i % 3, "subject": f"number {i}", "label": None} for i in range(10)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    args = "pool", path, "--ignore", "subject", "--label", "label", "--classes", "ham,spam"
    result = call(*args, "--show", "subject", input="y\nq")
    assert "1 of 10 rows labelled" in result.output
    assert "subject: number " in result.output
    result = call(*args, "--show", "colour", input="q")
    assert (result.exit_code, "finds no column 'colour'" in result.output) == (1, True)


@pytest.mark.parametrize("label", ["ham", "?"])
def test_rows_are_numbered_by_the_file(call, tmp_path, label):
    path = tmp_path / "huge.svm"
    path.write_text("ham 1:1\nspam 2:1\n" * 150 + f"{label} 1:1e160\n")
    result = call("pool", path, "--classes", "ham,spam")
    assert result.exit_code == 1
    assert f"{path}: row 301 is too large for floating point" in result.output
    assert not (tmp_path / "huge.svm.answers").exists()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([f"id{i}" for i in range(1001)], "more than 1,000 different labels by row 1001"),
        (["0.25", "1.5", "0.75", "2"] * 5, "more than two by row 3"),
        (["id7", *(f"id{i}" for i in range(100))], "101 rows have 100 different labels"),
        (["", *(f"id{i}" for i in range(100))], "100 rows have 100 different labels"),
    ],
)
def test_a_column_that_is_no_label(call, tmp_path, labels, message):
    (tmp_path / "ids.csv").write_text("a,label\n" + "".join(f"1,{label}\n" for label in labels))
    result = call("pool", "ids.csv", "--learner", "confident", input="q")
    assert result.exit_code == 1
    assert result.output.startswith("selectron: ids.csv: ")
    assert message in result.output
    assert "--label" in result.output


def test_labels_that_were_not_named(call, stream):
    result = call("pool", stream[0], "--classes", "ham,news")
    assert result.exit_code == 1
    assert "has the label 'spam', which is none of 'ham', 'news'" in result.output


def test_numbers_agree_however_written(call, tmp_path):
    (tmp_path / "n.csv").write_text("a,label\n1,1\n2,2.0\n3,\n4,\n")
    result = call("pool", "n.csv", "--classes", "1.0,2,3", "-o", "out.csv", input="n\n3.0\nq")
    assert "1 of 2 rows labelled" in result.output
    assert records("out.csv")[0]["label"] == "3"


def test_what_cannot_be_done(call, stream, half):
    assert call("pool", "nothing.csv").exit_code == 1
    assert call("pool", stream[0], "--plot", "m.bmp").exit_code == 2
    assert call("pool", stream[0], "--learner", "best").exit_code == 2
    result = call("pool", half, "--learner", "random", "--learner", "given")
    assert (result.exit_code, "one --learner" in result.output) == (1, True)
    result = call("pool", "-", input=half.read_text())
    assert "give the path" in result.output
    for classes in ("ok", "a,", ""):
        result = call("pool", half, "--classes", classes, input="q")
        expected = (0, True) if not classes else (2, False)
        assert (result.exit_code, "label (" in result.output) == expected
        wanted = "no label may be empty" if classes == "a," else "at least two different labels"
        assert classes == "" or wanted in result.output


def test_the_column_of_labels_is_named_where_it_was_guessed(call, tmp_path):
    rows = [f"{i},{'xy'[i % 2]}" for i in range(20)]
    (tmp_path / "a.csv").write_text("\n".join(["size,kind", *rows]))
    found = call("pool", "a.csv", "--learner", "confident")
    assert found.stderr == "kind: the label, as the last column\n"
    assert call("pool", "a.csv", "--label", "kind", "--learner", "confident").stderr == ""


def test_names_of_classes_may_hold_commas(call, half):
    classes = '"bills, late",spam, ham'
    found = call("pool", half, "--classes", classes, "-o", "labels.csv", input="1\n2\n3\nq\n")
    assert "  [1] bills, late  [2] spam  [3] ham\n" in found.output
    assert [row["label"] for row in records("labels.csv")] == ["bills, late", "spam", "ham"]
    assert "a: number\nb: number\n" in found.output
    refused = call("pool", half, "--classes", "spam,,ham")
    assert "no label may be empty: ham,spam" in refused.stderr
    for odd in ('ham,"spam', "ham\nx,spam", '"ham"x,spam'):
        refused = call("pool", half, "--classes", odd)
        assert "names are separated by commas" in refused.stderr


def test_a_class_that_only_an_undone_answer_added_is_forgotten(call, half):
    args = "pool", half, "--classes", "a,b,c"
    found = call(*args, input="n\nnews\ny\nn\nbulk\ny\nu\nu\nn\nmail\ny\nq\n").output
    assert found.rstrip().count("[4] mail\n") == 1
    assert "bulk" not in found.partition("undone")[2].partition("undone")[2]
    assert "[4] mail\n" in call(*args, input="q\n").output


def test_wide_rows_are_refused_where_they_would_not_end(call, tmp_path):
    rows = [f"word{i} more{i % 3},{'xy'[i % 2]}" for i in range(12)]
    (tmp_path / "a.csv").write_text("\n".join(["note,label", *rows]))
    for learner in "sphere", "boosted":
        found = call("pool", "a.csv", "--column", "note=text", "--learner", learner)
        assert "dense rows of up to 1,000 features: use Confident." in found.stderr


def test_keys_are_no_labels_while_no_class_is_known(call, half):
    result = call("pool", half, input="\ny\nn\nu\ns\nu\nq\nnews\n")
    assert result.exit_code == 0
    assert result.output.count("No class is known yet: type the first label.") == 4
    assert "--classes q,s makes such names possible" in result.output
    assert "0 of 300 rows labelled, 0 corrected.\n" in result.output
    assert "quit" in result.output
    result = call("pool", half, input="news\nn\nq\nn\nmail\nq\n")
    assert "'q' is a key: --classes makes it possible as a label" in result.output
    assert "2 of 300 rows labelled, 1 corrected" in result.output
    result = call("pool", half, "--answers", "b", "--classes", "q,s", input="1\nn\nq\n")
    assert "2 of 300 rows labelled" in result.output


def test_a_digit_chooses_a_class(call, half):
    classes = [*"abcdefghij", "k,l"]
    args = "pool", half, "--classes", ",".join(classes), "-o", "labels.csv"
    result = call(*args, input="3\n9\n0\nn\nk\nq\n")
    assert "  [1] a  [2] b  " in result.output
    assert "  [9] i  j  k  l\n" in result.output
    assert [row["label"] for row in records("labels.csv")] == ["c", "i", "k"]
    args = "pool", half, "--classes", "1,0,10", "--answers", "other", "-o", "labels.csv"
    result = call(*args, input="0\n1\n10\n2\nq\n")
    assert "\n  1  0  10\n" in result.output
    assert [row["label"] for row in records("labels.csv")] == ["0", "1", "10"]


@pytest.fixture
def eight(tmp_path):
    """Return a file of eight rows without labels."""
    path = tmp_path / "small.csv"
    path.write_text("id,a,b,label\n" + "".join(f"{i},{i % 3},{i * i % 5},\n" for i in range(8)))
    return path


def test_skipped_rows_are_proposed_again_at_last(call, eight):
    args = "pool", eight, "--classes", "ham,spam", "-o", "labels.csv"
    result = call(*args, input="s\ny\ns\n")
    assert "1 of 8 rows labelled, 0 corrected, 2 skipped.\n" in result.output
    assert "small.csv.answers: the same command resumes from there.\n" in result.output
    skipped = [row["row"] for row in records("labels.csv") if not row["label"]]
    result = call(*args, input="y\n" * 5)
    assert "small.csv.answers: 1 of 8 rows labelled, 2 skipped.\n" in result.output
    assert "6 of 8 rows labelled, 0 corrected, 2 skipped.\n" in result.output
    assert "small.csv.answers: the same command proposes the skipped rows again.\n" in result.output
    result = call(*args, input="s\nn\n")
    assert "small.csv.answers: 6 of 8 rows labelled, 2 skipped.\n" in result.output
    assert "Rows that were skipped are proposed again: 2.\n" in result.output
    assert "7 of 8 rows labelled, 1 corrected, 1 skipped.\n" in result.output
    result = call(*args, input="y\n")
    assert "8 of 8 rows labelled, 1 corrected.\n" in result.output
    assert "small.csv.answers.\n" in result.output
    assert {*skipped} == {row["row"] for row in records("labels.csv")[6:]}
    result = call(*args)
    assert "small.csv.answers: 8 of 8 rows labelled.\n" in result.output
    assert "Enter" not in result.output


def test_answers_for_other_columns(call, eight):
    args = "pool", eight, "--classes", "ham,spam"
    call(*args, "--ignore", "id", input="y\n")
    result = call(*args, input="y\n")
    assert (result.exit_code, result.stderr) == (
        1,
        f"selectron: {eight}.answers holds the answers for other rows or columns: give the same "
        f"--ignore and --column, or if {eight} has changed, another --answers, and with --labels "
        "the labels that -o has written\n",
    )


def test_a_table_and_its_answers_are_not_overwritten(call, half):
    before = half.read_bytes()
    for options in (("-o", half), ("--answers", "a.csv", "-o", "a.csv"), ("--answers", half)):
        found = call("pool", half, *options)
        assert found.exit_code == 2
        assert "FILE, --labels, --answers, -o and --plot must be different files." in found.stderr
    assert half.read_bytes() == before


def test_other_options_than_those_of_the_answers(call, half):
    args = "pool", half, "--classes", "ham,spam", "--mode", "strong"
    assert call(*args, input="y\nq").exit_code == 0
    assert "Resuming from" in call(*args, input="q").output
    for option, value in (("--mode", "weak"), ("--seed", 9), ("--learner", "sphere")):
        refused = call(*args[:4], option, value, input="q")
        assert refused.exit_code == 1
        assert f"leave out {option} to resume" in refused.stderr
