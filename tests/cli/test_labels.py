"""`--labels`: labels by the number of the row, as `pool -o` and `label -o` write them."""

import json
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def files(stream, tmp_path):
    """Return the rows of the stream without a label, and a file of their labels."""
    lines = stream[0].read_text().splitlines()
    rows, labels = tmp_path / "rows.csv", tmp_path / "labels.csv"
    rows.write_text("\n".join(line.rpartition(",")[0] for line in lines))
    each = [f"{row},{line.rpartition(',')[2]}" for row, line in enumerate(lines[1:], 1)]
    labels.write_text("\n".join(["row,label", *reversed(each)]))
    return rows, labels


def test_they_are_learned_as_a_column_is(call, stream, files):
    rows, labels = files
    given = "--label", "", "--labels", labels, "--json"
    one, other = call("run", stream[0], "--json"), call("run", rows, *given)
    cut = [result.stdout.split('"rows_per_second"')[0] for result in (one, other)]
    assert cut[0] == cut[1] != ""
    assert f"{labels}: the label, 2 classes\n" in other.stderr


def test_words_for_no_label_are_none(call, files):
    rows, labels = files
    text = labels.read_text().splitlines()
    labels.write_text("\n".join([text[0], "1,NA", "2,?", *text[1:-2]]))
    found = call("run", rows, "--label", "", "--labels", labels)
    assert found.stderr.endswith(f"{labels}: the label, 2 classes, 2 rows without a label\n")


def test_they_take_the_place_of_those_of_a_column(call, stream, tmp_path):
    (tmp_path / "some.csv").write_text("row,label\n1,news\n300,\n")
    given = "--label", "label", "--labels", "some.csv", "--learner", "perceptron"
    found = call("run", stream[0], *given, "--ask", "always")
    assert "label: the label, 3 classes, 1 row without a label\n" in found.stderr


@pytest.mark.compiles
def test_what_pool_writes_makes_a_model_and_begins_another_pool(call, files):
    rows, _ = files
    call("pool", rows, "--label", "", "-o", "done.csv", input="ham\nn\nspam\n" + "1\n2\n" * 20)
    given = "--label", "", "--labels", "done.csv"
    made = call("run", rows, *given, "--ask", "always", "--save", "m")
    assert made.exit_code == 0, made.output
    assert "done.csv: the label, 2 classes, 258 rows without a label\n" in made.stderr
    assert "labels    42\n" in call("show", "m").stdout
    changed = rows.read_text().splitlines()
    rows.write_text("\n".join([*changed[:300], "0,0,0,0"]))
    refused = call("pool", rows, "--label", "", input="q\n")
    assert f"if {rows} has changed, another --answers, and with --labels" in refused.stderr
    again = "--labels", "done.csv", "--answers", "a", "-o", "more.csv"
    found = call("pool", rows, "--label", "", *again, input="1\nq\n")
    assert "1 of 258 rows labelled" in found.stdout
    lines = [line.split(",")[:2] for line in Path("more.csv").read_text().splitlines()]
    done = [line.split(",")[:2] for line in Path("done.csv").read_text().splitlines()]
    assert len(lines) == 44
    assert sorted(lines[:43]) == sorted(done)
    call("pool", rows, "--label", "", *again[2:], input="1\nq\n")  # without --labels
    Path("all.csv").write_bytes(Path("more.csv").read_bytes())
    call("pool", rows, "--label", "", "--labels", "all.csv", *again[2:], input="1\nq\n")
    lines = [line.split(",")[0] for line in Path("more.csv").read_text().splitlines()]
    assert len({*lines}) == len(lines) == 46
    Path("done.csv").write_text("row,label\n300,ham\n299,spam\n")
    refused = call("pool", rows, "--label", "", *again, input="1\nq\n")
    assert "a was started with other --labels, as of row " in refused.stderr


def test_a_model_goes_on_with_them(call, stream, files):
    rows, labels = files
    call("run", stream[0], "--save", "m")
    for file in (rows, stream[0]):
        found = call("run", file, "--model", "m", "--labels", labels, "--save", "m2")
        assert found.exit_code == 0, found.output
    labels.write_text("row,label\n1,ham\n2,spam\n")
    some = call("run", stream[0], "--model", "m2", "--labels", labels)  # others keep theirs
    assert some.stderr.endswith("label: the label, 2 classes\n")
    assert call("run", stream[0], "--model", "m2").exit_code == 0  # it knows the column yet


def test_the_column_is_not_guessed(call, files):
    rows, labels = files
    names, *lines = rows.read_text().splitlines()
    rows.write_text("\n".join([f"{names},kind", *(f"{line},x" for line in lines)]))
    for command in ("run", "pool"):
        found = call(command, rows, "--labels", labels)
        assert found.stderr == (
            f"selectron: {rows}: give --label, too: the column of labels, whose other rows keep "
            "theirs, or ''\n"
        )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("a,b\n1,2\n", ""),
        ("row,label\n1,ham\n1,spam\n", " in line 3"),
        ("row,label\n1,ham\n0,spam\n", " in line 3"),
        ("row,label\n1,ham\n2.5,spam\n", " in line 3"),
        ("row,label\n1,ham\n2\n", " in line 3"),
        ("label,row\nham,1\n\n\nspam\n", " in line 5"),
    ],
)
def test_files_of_something_else_are_refused(call, files, tmp_path, text, line):
    (tmp_path / "other.csv").write_text(text)
    found = call("run", files[0], "--label", "", "--labels", "other.csv")
    assert found.exit_code == 1
    assert "other.csv should have the columns row and label" in found.stderr
    assert found.stderr.endswith(f"write them; that fails{line}\n" if line else "write them\n")


def test_labels_of_another_file_are_refused(call, files, tmp_path):
    rows, labels = files
    labels.write_text(labels.read_text() + "\n301,ham\n")
    for command, *more in (("run", "--save", "m"), ("pool",)):
        found = call(command, rows, "--label", "", "--labels", labels, *more)
        assert found.exit_code == 1
        assert not Path("m").exists()
        assert f"{labels} has a label for row 301, and there are 300 rows" in found.stderr


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_what_label_has_copied_is_what_rows_hold(call, kind, tmp_path):
    """Booleans, lists, dates, blanks and nested fields, which the model has not."""
    rows = [
        {
            "a": float(a),
            "ok": bool(i % 2),
            "tags": ["x", str(i)] if i % 3 else None,
            "day": date(2026, 1, 1 + i),
            "who": {"name": f"n{i}"},
        }
        for i, a in enumerate(np.random.default_rng(0).normal(size=20))
    ]
    known = [f"{row['a']},{'yn'[row['a'] > 0]}" for row in rows]
    Path("known.csv").write_text("\n".join(["a,y", *known]))
    if kind == "jsonl":
        Path("rows.jsonl").write_text("\n".join(json.dumps(row, default=str) for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), "rows.parquet")
    assert call("run", "known.csv", "--ask", "always", "--save", "m").exit_code == 0
    asked = call("label", "m", f"rows.{kind}", "-o", "l.csv", "--budget", "100%", input="y\n" * 20)
    assert asked.exit_code == 0, asked.output
    assert {"ok", "tags", "day"} < {*Path("l.csv").read_text().split("\n")[0].split(",")}
    given = "--label", "", "--labels", "l.csv", "--ask", "always"
    found = call("run", f"rows.{kind}", *given)
    assert found.exit_code == 0, found.output


def test_labels_of_rows_in_another_order_are_refused(call, tmp_path):
    """`label -o` copies ids, by which they are known."""
    rows = [f"t-{i:03},{i % 7}" for i in range(60)]
    labels = [f"{i + 1},t-{i:03},{'ab'[i % 7 > 2]},a,0" for i in range(0, 60, 3)]
    Path("day.csv").write_text("\n".join(["id,x", *rows]))
    Path("sorted.csv").write_text("\n".join(["id,x", *reversed(rows)]))
    Path("done.csv").write_text("\n".join(["row,id,label,proposal,corrected", *labels]))
    given = "--label", "", "--labels", "done.csv", "--ask", "always", "--save", "m"
    for command in (("run", "sorted.csv", *given), ("pool", "sorted.csv", *given[:4])):
        refused = call(*command)
        wanted = "row 1 has the id 't-059', and done.csv has 't-000': are these labels of another"
        assert refused.exit_code == 1, refused.output
        assert wanted in refused.stderr
        assert not Path("m").exists()
    assert call("run", "day.csv", *given).exit_code == 0
    assert call("run", "day.csv", *given, "--ignore", "id").exit_code == 0


@pytest.mark.compiles
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("ignored", [(), ("--ignore", "a"), ("--ignore", "1")])
def test_a_pool_copies_what_is_no_feature(call, tmp_path, kind, ignored):
    """So labels of rows in another order are refused; `a` is copied where it is left out."""
    if kind == "jsonl" and "1" in ignored:
        pytest.skip("objects have no columns by position")
    found = np.random.default_rng(0).normal(size=(120, 2)).round(3).tolist()
    rows = [{"id": f"P-{i:03}", "a": a, "b": b} for i, (a, b) in enumerate(found)]
    for name, order in (("day", rows), ("sorted", rows[::-1])):
        lines = [json.dumps(row) for row in order]
        if kind == "csv":
            lines = ["id,a,b", *(",".join(map(str, row.values())) for row in order)]
        Path(f"{name}.{kind}").write_text("\n".join(lines))
    given = "--label", "", "--classes", "bad,ok"
    for answers in ("y\ny\nq\n", "y\nq\n"):  # the second session replaces the file
        done = call("pool", f"day.{kind}", *given, *ignored, "-o", "done.csv", input=answers)
        assert done.exit_code == 0, done.output
    names, *answered = [line.split(",") for line in Path("done.csv").read_text().splitlines()]
    assert names == ["row", *["a"] * bool(ignored), "id", "label", "proposal", "corrected"]
    assert len(answered) == 3
    assert all(line[-4] == f"P-{int(line[0]) - 1:03}" for line in answered)
    labels = *given, "--labels", "done.csv"
    learned = call("run", f"day.{kind}", *labels, "--ask", "always")
    assert learned.exit_code == 0, learned.output
    refused = call("pool", f"sorted.{kind}", *labels)
    assert refused.exit_code == 1, refused.output
    assert "are these labels of another file" in refused.stderr


def test_a_pool_copies_what_it_can(call, tmp_path):
    """Nothing of a pipe, which is read once; no column of no row, or whose name comes twice."""
    cells = [f"P-{i:03},{i},{i % 5},{'ab'[i % 5 > 2]}" for i in range(120)]
    Path("twice.csv").write_text("\n".join(["id,id,a,label", *cells]))
    rows = ({"user": {"id": f"P-{i:03}"}, "a": i % 5, "label": "ab"[i % 5 > 2]} for i in range(120))
    Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    piped = "\n".join(["id,n,a,label", *cells])
    for file, names, text in (
        ("-", "", piped),
        ("twice.csv", "", None),
        ("a.jsonl", "user.id,", None),
    ):
        done = call("pool", file, "--ignore", "id", "-o", "l.csv", "--learner", "given", input=text)
        assert done.exit_code == 0, done.output
        assert Path("l.csv").read_text().startswith(f"row,{names}label,proposal,corrected\n1,")


def test_few_labels_are_counted_with_those_that_were_learned(call, stream):
    """They may be all that there are; a table whose rows have labels needs no such line."""
    names, *rows = stream[0].read_text().splitlines()
    some = [row if k < 100 else row.rpartition(",")[0] + "," for k, row in enumerate(rows)]
    stream[0].with_name("some.csv").write_text("\n".join([names, *some]))
    fast, these = ("--learner", "perceptron"), "100 rows have a label"
    found = call("run", "some.csv", *fast, "--ask", "always", "--save", "m").stdout
    assert found.endswith(f"\n\n{these}: accuracy is for these.\n")
    found = call("run", "some.csv", *fast, "--budget", "20/300").stdout
    how = "labels learned: --ask always, without --budget, learns all of them."
    last = found.splitlines()[-1]
    assert last.startswith(f"{these}: accuracy is for these. ")
    assert last.endswith(how)
    found = call("run", "some.csv", "--model", "m", "--budget", "20/300").stdout
    assert "labels learned: --budget 100% learns all of them.\n" in found
    assert "have a label" not in call("run", stream[0], *fast, "--budget", "20/300").stdout


def test_a_column_of_texts_is_no_label_unless_its_classes_are_named(call, tmp_path):
    lines = [f"{i},{'some words and more of them ' * 2}{i},ab" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["n,text,label", *lines]))
    found = call("run", "a.csv", "--label", "text", "--learner", "perceptron")
    what = "a.csv: the label 'text' has 60 values in the first 60 rows, and each would be a class"
    how = "name another column with --label, or all classes with --classes"
    assert (found.exit_code, found.output) == (1, f"selectron: {what}: {how}\n")
    found = call("run", "a.csv", "--label", "text", "--classes", "x,y")
    assert "is none of 'x', 'y'" in found.stderr
    (tmp_path / "a.csv").write_text("\n".join(["n,text,label", *lines, *["1,,ab"] * 90]))
    found = call("run", "a.csv", "--label", "text", "--learner", "perceptron")
    assert "'text' has 60 values in the first 150 rows, and each would be a class" in found.stderr


def test_amounts_are_no_labels_however_many_there_are(call, tmp_path):
    lines = [f"{i},{i + 0.25}" for i in range(1100)]
    (tmp_path / "a.csv").write_text("\n".join(["n,price", *lines]))
    found = call("run", "a.csv", "--label", "price", "--learner", "perceptron")
    assert "classes are predicted, not amounts" in found.stderr
    assert "would be a class" not in found.stderr
