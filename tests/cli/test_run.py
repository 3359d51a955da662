"""`selectron run`, as a user calls it."""

import csv
import io
import json
import lzma
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from selectron.askers import Margin
from selectron.cli import decisions as written
from selectron.cli import files
from selectron.cli.models import load
from selectron.data.encoder import TableEncoder
from selectron.learners import Perceptron
from selectron.model.model import Model
from selectron.streams.readers import Source

FAST = ["--learner", "perceptron"]


def test_the_demonstration_prints_a_table_and_draws_a_picture(call):
    result = call("run", *FAST, "--learner", "lasec")
    assert result.exit_code == 0, result.output
    head, _, first, second, blank, most = result.stdout.splitlines()
    shown = ["learner", "asker", "accuracy", "estimated", "asked", "mistakes", "steps", "rows/s"]
    assert head.split() == shown
    assert first.startswith("perceptron ")
    assert second.startswith("lasec:b=1,c=1000 ")
    assert (blank, most[:18]) == ("", "Always predicting ")
    assert Path("selectron-run.png").read_bytes().startswith(b"\x89PNG")


def test_a_budget_that_is_spent_before_the_end(call, tmp_path):
    lines = [f"{i % 7},{i % 5},{'ab'[i % 7 > 3]}" for i in range(600)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,y,label", *lines]))
    result = call("run", tmp_path / "rows.csv", "--learner", "perceptron", "--budget", "20/200")
    assert result.exit_code == 0, result.output
    (note,) = [line for line in result.stdout.splitlines() if "no label could" in line]
    rows, first = re.search(r"in (\d+) rows, first in row (\d+):", note).groups()
    assert int(rows) == 601 - int(first) >= 400


def played(X, codes, seed):
    """What the model does on the columns a, b, c and d of a table."""
    (block,) = TableEncoder().learn(pa.table(dict(zip("abcd", X.T, strict=True))))
    model = Model(Perceptron(), Margin(0.5), width=block.values.shape[1], seed=seed)
    return model.run(block, codes)


def test_a_file_is_played_as_the_model_plays_its_rows(call, stream):
    path, X, y = stream
    args = ("run", path, *FAST, "--ask", "margin:b=0.5", "--seed", 3, "--json")
    (result,) = json.loads(call(*args).stdout)
    codes = y.astype(np.int8)
    outcome = played(X, codes, seed=3)
    assert result["mistakes"] == int((outcome.positive != (codes > 0)).sum())
    assert result["asked"] == int(outcome.asked.sum())
    assert result["steps"] == int(outcome.updated.sum())
    assert result["accuracy"] == 1 - result["mistakes"] / 300
    assert result["rows"] == 300


def test_learners_are_compared_with_the_same_draws(call, stream):
    args = ("run", stream[0], *FAST, "--learner", "lasec", "--ask", "fixed:p=0.3", "--json")
    one, other = json.loads(call(*args).stdout)
    assert one["asked"] == other["asked"] > 0
    assert one["mistakes"] != other["mistakes"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_decisions_are_written(call, stream, ending):
    path, X, y = stream
    result = call("run", path, *FAST, "--ask", "margin:b=0.5", "-o", f"out.{ending}")
    assert result.exit_code == 0, result.output
    if ending == "csv":
        rows = pyarrow.csv.read_csv("out.csv").to_pylist()
    elif ending == "parquet":
        rows = pyarrow.parquet.read_table("out.parquet").to_pylist()
    else:
        rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    outcome = played(X, y.astype(np.int8), seed=0)
    assert [row["row"] for row in rows] == list(range(1, 301))
    assert {row["learner"] for row in rows} == {"perceptron"}
    assert [row["margin"] for row in rows] == outcome.margin.tolist()
    assert [row["proba"] for row in rows] == outcome.proba.max(axis=1).tolist()
    assert [[row["proba_ham"], row["proba_spam"]] for row in rows] == outcome.proba.tolist()
    assert [row["ask_probability"] for row in rows] == outcome.ask_probability.tolist()
    assert [row["asked"] for row in rows] == outcome.asked.tolist()
    assert [row["updated"] for row in rows] == outcome.updated.tolist()
    assert [row["prediction"] == "spam" for row in rows] == outcome.positive.tolist()
    assert [row["label"] == "spam" for row in rows] == (y > 0).tolist()


def decisions(path):
    """Return the rows of a file of decisions, as text."""
    if path.suffix == ".csv":
        return [*csv.DictReader(io.StringIO(path.read_text()))]
    found = pa.parquet.read_table(path).to_pylist() if path.suffix == ".parquet" else None
    return found or [json.loads(line) for line in path.read_text().splitlines()]


LATE = 'a "b",\nNA'  # the name of a class


def late_classes(path):
    """Write rows among which are two late classes, in several chunks; return their labels."""
    labels = [("ham", "spam")[i % 2] for i in range(5000)]
    labels[3], labels[1500], labels[4500] = "", "c", LATE
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("x", "label"), *((i % 7, y) for i, y in enumerate(labels))])
    return labels


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_decisions_have_a_column_for_late_classes_too(call, tmp_path, ending):
    labels = late_classes(tmp_path / "late.csv")
    result = call("run", "late.csv", *FAST, "--learner", "mira", "-o", f"out.{ending}")
    assert result.exit_code == 0, result.output
    found = decisions(tmp_path / f"out.{ending}")
    assert [*found[0]][10:] == ["proba_ham", "proba_spam", "proba_c", f"proba_{LATE}"]
    for learner in ("perceptron", "mira:C=inf"):
        rows = [row for row in found if row["learner"] == learner]
        assert [row["label"] or "" for row in rows] == labels
        for i, row in enumerate(rows):
            proba = [float(row[name]) for name in [*row][10:]]
            assert sum(proba) == pytest.approx(1)
            assert max(proba) == float(row["proba"])
            assert [p > 0 for p in proba[2:]] == [i >= 1500, i >= 4500]
    assert {path.name for path in tmp_path.iterdir()} == {"late.csv", f"out.{ending}"}


@pytest.mark.parametrize(
    ("first", "later", "named"),
    [
        ("OFF", "{}.5", True),
        ("OFF", "on {}", False),
        ("OFF", "0{}", False),  # a code
        ("7", "{}.5", False),
    ],
)
def test_numbers_that_come_after_words_are_named(call, tmp_path, first, later, named):
    rows = [(first if i < 120 else later.format(i % 31)) for i in range(300)]
    lines = [f"{x},{i % 7},{'ab'[i % 2]}" for i, x in enumerate(rows)]
    (tmp_path / "a.csv").write_text("\n".join(["s4,x,label", *lines]))
    why = "a.csv: s4: 31 of 32 categories are numbers, which came after 'OFF': for a new model, "
    why += "--column s4=number takes 'OFF' as blank"
    result = call("run", "a.csv", *FAST)
    assert (result.exit_code, why in result.stderr) == (0, named)
    declared = call("run", "a.csv", *FAST, "--column", "s4=number")
    assert (declared.exit_code, "categories" in declared.stderr) == (0, False)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_no_decision_is_lost_if_a_late_class_finds_no_room(call, tmp_path, monkeypatch, ending):
    late_classes(tmp_path / "late.csv")
    real, begun = written.appender, []

    def full(*args):
        raise OSError(28, "no room")

    def appender(path, schema, stack):
        begun.append(real(path, schema, stack))
        if len(begun) == 2:
            stack.callback(full)  # it cannot be closed, either
        return begun[0] if len(begun) == 1 else full

    monkeypatch.setattr(written, "appender", appender)
    result = call("run", "late.csv", *FAST, "-o", f"o.{ending}", "--save", "m")
    assert result.exit_code == 1
    went = f"--model m --save m --from 1501 -o o-1501.{ending} continues"
    assert f"stopped after 1,500 rows; {went}" in result.stderr
    assert f"o.{ending} cannot be written (No space left on device)" in result.stderr
    assert len(decisions(tmp_path / f"o.{ending}")) == 100  # a block of rows


@pytest.mark.skipif(os.name != "posix", reason="files have no mode")
def test_a_private_file_stays_private(call, tmp_path):
    late_classes(tmp_path / "late.csv")
    (tmp_path / "o.csv").touch(mode=0o600)
    assert call("run", "late.csv", *FAST, "-o", "o.csv").exit_code == 0
    assert (tmp_path / "o.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="there are no named pipes")
def test_a_late_class_is_refused_in_a_pipe(call, tmp_path):
    late_classes(tmp_path / "late.csv")
    os.mkfifo(tmp_path / "o.csv")
    with subprocess.Popen(["cat", tmp_path / "o.csv"], stdout=subprocess.PIPE) as reader:
        result = call("run", "late.csv", *FAST, "-o", "o.csv")
        assert len(reader.communicate(timeout=60)[0].splitlines()) == 101
    assert result.exit_code == 1
    assert result.stderr.endswith("the late class 'c': name all classes with --classes\n")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_picture_has_the_format_of_its_ending(call, stream, ending):
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert call("run", stream[0], *FAST, "--plot", f"p.{ending}").exit_code == 0
    assert Path(f"p.{ending}").read_bytes().startswith(start)


def test_standard_input(call, stream):
    text = stream[0].read_bytes()
    args = (*FAST, "--json")
    piped, read = call("run", "-", *args, input=text), call("run", stream[0], *args)
    drop = {"rows_per_second"}
    (one,), (other,) = json.loads(piped.stdout), json.loads(read.stdout)
    assert {k: one[k] for k in one.keys() - drop} == {k: other[k] for k in other.keys() - drop}


def test_rows_without_a_label_are_predicted_and_not_asked_for(call, tmp_path):
    (tmp_path / "some.csv").write_text("a,label\n1,x\n2,\n-1,y\n-2,\n")
    result = call("run", "some.csv", *FAST, "--ask", "always", "-o", "out.jsonl", "--json")
    (totals,) = json.loads(result.stdout)
    assert (totals["rows"], totals["asked"]) == (4, 2)
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [row["asked"] for row in rows] == [True, False, True, False]
    assert [row["label"] for row in rows] == ["x", None, "y", None]


def test_labels_that_are_numbers_agree_however_written(call, tmp_path):
    (tmp_path / "n.csv").write_text("a,label\n1,1\n-1,0\n2,1.0\n-2,+0\n")
    assert call("run", "n.csv", *FAST).exit_code == 0
    refused = call("run", "n.csv", *FAST, "--classes", "1,1.0")
    assert refused.stderr.endswith("at least two different labels are needed: ham,spam\n")


def test_sparse_rows_may_widen(call, tmp_path):
    (tmp_path / "w.svm").write_text("".join(f"{1 if i % 2 else -1} {i}:1\n" for i in range(9000)))
    for learner in ("perceptron", "passive-aggressive"):
        (result,) = json.loads(call("run", "w.svm", "--learner", learner, "--json").stdout)
        assert result["rows"] == 9000


def bad_files():
    """Return contents of files, and what the message says about them."""
    good = "a,b,label\n1,2,x\n3,4,y\n"
    return {
        "empty": (b"", "no rows"),
        "header only": (b"a,b,label\n", "no rows"),
        "a missing cell": (good.encode() + b"1,x\n", "line 4"),
        "one class": (b"a,label\n1,x\n2,x\n", "--classes"),
        "no label": (b"a,label\n1,\n2,\n", "no label"),
        "a truncated archive": (lzma.compress(good.encode() * 999)[:-20], "bad.csv"),
    }


@pytest.mark.parametrize("case", bad_files())
def test_bad_data_exits_with_1_and_one_sentence(call, tmp_path, case):
    content, says = bad_files()[case]
    (tmp_path / "bad.csv").write_bytes(content)
    result = call("run", "bad.csv", "--learner", "passive-aggressive", "--ask", "always")
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("selectron: bad.csv: ")
    assert says in line


ODD = {"NaN": "nan", "infinite": "inf", "a word": "two", "nothing": "", "too large": "1e999"}


@pytest.mark.parametrize("case", ODD)
def test_odd_cells_stop_nothing(call, tmp_path, case):
    rows = "".join(f"{i},{i % 7},{'xy'[i % 2]}\n" for i in range(300))
    (tmp_path / "odd.csv").write_text(f"a,b,label\n{rows}1,{ODD[case]},x\n{rows}")
    result = call("run", "odd.csv", *FAST, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["rows"] == 601


def test_the_columns_are_reported(call, tmp_path):
    head = ",".join(f"c{i}" for i in range(50))
    row = ",".join("1" for _ in range(50))
    (tmp_path / "wide.csv").write_text(f"{head},label\n{row},x\n{row},y\n")
    lines = call("run", "wide.csv", *FAST).stderr.splitlines()
    assert (len(lines), lines[-2]) == (41, "and 11 more columns")
    assert lines[0].startswith("c0: ")
    assert lines[-1] == "label: the label, 2 classes"


@pytest.mark.parametrize("path", ["nowhere.csv", "."])
def test_a_file_that_cannot_be_read(call, path):
    result = call("run", path)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"selectron: {path}: ")


def test_decisions_tell_askers_apart(call, stream):
    args = ("--ask", "always", "--ask", "fixed:p=0", "-o", "out.jsonl")
    assert call("run", stream[0], *FAST, *args).exit_code == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert {(row["asker"], row["asked"]) for row in rows} == {
        ("always", True),
        ("fixed:p=0", False),
    }


def test_what_was_played_before_an_error_is_reported(call, tmp_path):
    text = "a,label\n" + "1,x\n-1,y\n" * 4096 + "1,z\n"
    (tmp_path / "late.csv").write_text(text)
    result = call("run", "late.csv", *FAST, "--json", "--classes", "x,y")
    assert result.exit_code == 1
    assert "row 8193" in result.stderr
    assert json.loads(result.stdout)[0]["rows"] == 8192


def test_a_file_without_names_whose_labels_are_words(call, tmp_path):
    (tmp_path / "nh.csv").write_text("1,2,x\n3,4,y\n5,6,x\n")
    for option in ([], ["--no-header"]):
        played = call("run", "nh.csv", *FAST, *option, "--json")
        (result,) = json.loads(played.stdout)
        assert result["rows"] == 3
        assert "taken for names" not in played.stderr
    (named,) = json.loads(call("run", "nh.csv", *FAST, "--header", "--json").stdout)
    assert named["rows"] == 2


def test_names_some_of_which_are_numbers_are_told_of(call, tmp_path):
    (tmp_path / "years.csv").write_text("2019,2020,verdict\n1,2,1\n3,4,0\n5,6,1\n")
    played = call("run", "years.csv", *FAST)
    assert played.exit_code == 0
    line, *_ = played.stderr.splitlines()
    assert line.startswith("selectron: years.csv: line 1 was taken for names")
    assert "--no-header" in line
    assert "--no-header" not in call("run", "years.csv", *FAST, "--header").stderr


def test_columns_whose_names_are_numbers(call, tmp_path):
    (tmp_path / "years.csv").write_text("2019,1,zone,target\n1,2,7,a\n3,4,8,b\n5,6,9,a\n")
    for drop in ("2019", "1", "2"):
        result = call("run", "years.csv", *FAST, "--ignore", drop, "--ignore", "nothing")
        assert result.exit_code == 1  # 'nothing' is not there
        assert call("run", "years.csv", *FAST, "--ignore", drop).exit_code == 0


@pytest.mark.slow
def test_sparse_rows_get_a_learner_without_a_matrix(call, tmp_path):
    (tmp_path / "wide.svm").write_text("1 1:1 900000:1\n-1 2:1\n")
    (result,) = json.loads(call("run", "wide.svm", "--json").stdout)
    assert result["learner"].startswith("leading-history")


def test_a_matrix_that_does_not_fit(call, tmp_path):
    (tmp_path / "wide.svm").write_text("1 1:1 900000000:1\n-1 2:1\n")
    result = call("run", "wide.svm", "--learner", "lasec")
    assert result.exit_code == 1
    assert "GiB" in result.stderr


def test_help_is_quick_and_imports_neither_numpy_nor_numba():
    code = (
        "import sys; from selectron.cli import main; main(['--help'], standalone_mode=False); "
        "print([m for m in ('numpy', 'numba', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_rows_of_numbers_are_played_without_scikit_learn(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n-1 2:1\n" * 9)
    code = (
        "import sys; from selectron.cli import main; "
        f"main(['run', {str(path)!r}, '--learner', 'perceptron'], standalone_mode=False)"
    )
    after = "import sys, atexit; atexit.register(lambda: print('sklearn' in sys.modules)); "
    done = subprocess.run(
        [sys.executable, "-c", after + code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def ignore_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def test_pandas_is_imported_before_arrow_does_and_loses_ctrl_c():
    code = "import selectron.data.values, sys; print('pandas' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "True\n"


@pytest.mark.parametrize(
    "by",
    [
        "Ctrl-C",
        *(
            pytest.param(by, marks=pytest.mark.slow)
            for by in ("SIGTERM", "SIGTERM, Ctrl-C ignored")
        ),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a signal of POSIX systems here")
def test_signals_print_what_there_is(tmp_path, by):
    command = [sys.executable, "-m", "selectron", "run", "-", *FAST, "-o", "out.csv"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=ignore_ctrl_c if "ignored" in by else None,  # as a shell does after "&"
    )
    process.stdin.write(b"".join(b"%d 1:%d\n" % (i % 2, i % 7) for i in range(100_000)))
    process.stdin.flush()
    deadline = time.monotonic() + 60
    out = tmp_path / "out.csv"
    while not (out.exists() and out.stat().st_size > 1000) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM if "TERM" in by else signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output.splitlines()[0].startswith(b"learner")
    assert b"interrupted" in errors
    assert b"Traceback" not in errors


@pytest.mark.slow
@pytest.mark.skipif("SELECTRON_DATA" not in os.environ, reason="SELECTRON_DATA is not set")
def test_adult_from_its_archive(call):
    path = Path(os.environ["SELECTRON_DATA"], "a9a", "a9a.xz")
    (result,) = json.loads(call("run", path, "--learner", "lasec", "--json").stdout)
    assert result["rows"] == 32_561
    assert 0.75 < result["accuracy"] < 0.9


@pytest.mark.slow
def test_drift_is_told_of_and_drawn(call, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 3))
    y = np.where(np.arange(1200) < 600, X[:, 0], -X[:, 0]) > 0
    lines = [
        ",".join([*map(repr, row), str(int(label))])
        for row, label in zip(X.tolist(), y, strict=True)
    ]
    (tmp_path / "turn.csv").write_text("a,b,c,label\n" + "\n".join(lines))
    argv = ("run", "turn.csv", "--budget", "40%", "--learner", "leading-history", *FAST)
    (told, silent) = json.loads(call(*argv, "--json").stdout)
    assert silent["drifts"] is None
    assert len(told["drifts"]) == 1
    assert 600 < told["drifts"][0] < 700
    shown = call(*argv, "--plot", "turn.svg").stdout
    assert f"detected drift in row {told['drifts'][0]}." in shown
    drawn = Path("turn.svg").read_text()
    assert "drift detected" in drawn
    assert "age of the leader, rows" in drawn


def dated(tmp_path):
    """Ten days of 100 rows each, 864 s apart."""
    X = np.random.default_rng(0).normal(size=(1000, 2))
    dates = np.datetime64("2026-11-20") + np.arange(1000) * np.timedelta64(864, "s")
    rows = [f"{a},{when},{b},{int(a > b)}" for (a, b), when in zip(X, dates, strict=True)]
    (tmp_path / "dated.csv").write_text("a,when,b,label\n" + "\n".join(rows))


def test_a_budget_per_day_goes_by_the_times_of_rows(call, tmp_path):
    dated(tmp_path)
    argv = ("run", "dated.csv", "--time", "when", "--budget", "7/1d", "-o", "out.csv", "--json")
    (result,) = json.loads(call(*argv).stdout)
    assert result["asker"] == "budget:labels=7,per=1d"
    asked = pyarrow.csv.read_csv("out.csv")["asked"].to_numpy().reshape(10, 100).sum(axis=1)
    assert (asked == 7).all()


@pytest.mark.parametrize("option", [["--budget", "7/1d"], ["--ask", "budget:labels=7,per=1d"]])
def test_a_budget_per_day_without_times_is_bad_usage(call, tmp_path, option):
    dated(tmp_path)
    result = call("run", "dated.csv", "--ignore", "when", *option)
    assert result.exit_code == 2
    assert "name their column with --time" in result.stderr


def test_milliseconds_are_refused_as_times(call, tmp_path):
    text = "a,when,label\n" + "".join(f"{i},{1767225600000 + i},{i % 2}\n" for i in range(9))
    (tmp_path / "ms.csv").write_text(text)
    result = call("run", "ms.csv", "--time", "when", "--budget", "2/1d")
    assert result.exit_code == 1
    assert result.stderr.startswith("selectron: ms.csv: line 2: 'when': '1767225600000' lies")
    assert "milliseconds" in result.stderr


FULL = Path("/dev/full")
BUFFERED = {**os.environ, "PYTHONUNBUFFERED": ""}  # as Python writes by default


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "svg"])
def test_a_full_disk_is_told_of_by_the_name_of_the_file(call, stream, ending):
    Path(f"full.{ending}").symlink_to(FULL)
    option = "--plot" if ending == "svg" else "-o"
    result = call("run", stream[0], *FAST, option, f"full.{ending}")
    assert result.exit_code == 1
    assert result.stdout.startswith("learner ") or ending != "svg"
    said = f"selectron: full.{ending} cannot be written (No space left on device): choose a place"
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("option", [[], ["--json"]])
def test_results_that_cannot_be_printed(stream, option):
    command = [sys.executable, "-m", "selectron", "run", str(stream[0]), *FAST, *option]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=BUFFERED)
    assert done.returncode == 1
    assert done.stderr.startswith("selectron: standard output cannot be written (No space left")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("option", [["--help"], ["--version"], ["run", "--help"]])
def test_help_that_cannot_be_printed(option):
    with FULL.open("w") as full:
        command = [sys.executable, "-m", "selectron", *option]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=BUFFERED)
    assert (done.returncode, done.stderr) == (1, "selectron: the output: no space left on device\n")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
def test_a_model_that_cannot_be_shown(call, stream):
    call("run", stream[0], *FAST, "--save", "kept.model")
    with FULL.open("w") as full:
        command = [sys.executable, "-m", "selectron", "show", "kept.model"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=BUFFERED)
    assert (done.returncode, done.stderr) == (1, "selectron: the output: no space left on device\n")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no folder where no file can be")
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_file_that_cannot_be_made(call, stream, ending):
    result = call("run", stream[0], *FAST, "-o", f"/proc/out.{ending}")
    assert result.exit_code == 2
    assert f"/proc/out.{ending}: nothing can be written to its folder (" in result.stderr


@pytest.mark.parametrize("first", [1, 4095, 4096, 4097])
def test_a_row_that_is_earlier_than_the_one_before_is_told_of_once(call, tmp_path, first):
    times = np.arange(9000) * 60.0
    times[first:] -= 90
    times[8000:] -= 1000
    rows = "".join(f"{i % 7},{time},{i % 2}\n" for i, time in enumerate(times))
    (tmp_path / "back.csv").write_text("a,when,label\n" + rows)
    argv = ("run", "back.csv", *FAST, "--time", "when")
    told = call(*argv, "--budget", "7/1d")
    assert told.exit_code == 0
    line, _, _ = told.stderr.splitlines()  # the others are about the columns
    assert line.startswith(f"selectron: back.csv: row {first + 1} is earlier than row {first}: ")
    assert line.endswith("sort the rows by 'when'")
    assert "earlier" not in call(*argv).stderr  # nothing depends on the times


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ("a,b,kind", "kind: the label, as the last column, 2 classes, 1 row without a label"),
        ("a,b,label", "label: the label, 2 classes, 1 row without a label"),
    ],
)
def test_a_label_that_was_guessed_is_named(call, tmp_path, names, line):
    rows = "".join(f"{i % 7},{i},{'xy'[i % 2] if i else ''}\n" for i in range(50))
    (tmp_path / "a.csv").write_text(f"{names}\n{rows}")
    assert call("run", "a.csv", *FAST).stderr.splitlines()[-1] == line


@pytest.mark.slow
def test_output_that_nobody_reads_is_no_error(stream):
    command = [sys.executable, "-m", "selectron", "run", str(stream[0]), *FAST]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 1


@pytest.mark.slow
def test_the_default_takes_many_numbers_as_sparse_rows(call, tmp_path):
    path = tmp_path / "wide.csv"
    cells = np.random.default_rng(0).normal(size=(12, 2049)).round(2)
    lines = [",".join(map(str, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(cells.tolist())]
    path.write_text("\n".join(lines))
    assert "leading-history" in call("run", path, "--no-header", "--save", "m").stdout
    assert load("m").classifier.model_.sparse
    assert (
        "leading-history" in call("run", path, "--no-header", "--ignore", "0", "--save", "m").stdout
    )
    assert not load("m").classifier.model_.sparse


@pytest.mark.parametrize(("delay", "late"), [(0, 0), (10, 10), (9000, 300)])
def test_labels_that_have_not_come_by_the_end_are_told_of(call, stream, delay, late):
    shown = call("run", stream[0], *FAST, "--ask", "always", "--delay", delay).stdout
    said = f"always: {late} labels had not come by the end, and were not learned (a saved model"
    assert (said in shown) == (late > 0)


def test_a_report_without_probabilities_calibrates_nothing(call, stream, monkeypatch):
    from selectron.model.calibration import Calibration

    monkeypatch.setattr(Calibration, "learn", lambda *_: pytest.fail("it was calibrated"))
    options = ("run", stream[0], "--learner", "perceptron", "--budget", "10%")
    assert call(*options).exit_code == 0
    with pytest.raises(pytest.fail.Exception):
        call(*options, "--metrics", catch_exceptions=False)


def test_a_terminal_shows_the_rows_so_far_of_a_file_that_is_read_at_once(stream, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("COLUMNS", "100")
    for chunk in files.with_progress(Source(str(stream[0]), size=100)):
        time.sleep(0.6 if not chunk.first else 0.15)
    assert "100%" in terminal.getvalue()
    assert ", 200 rows]" in terminal.getvalue()
