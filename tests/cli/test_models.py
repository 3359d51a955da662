"""`selectron run --save` and `--model`: a stream in two files is played as in one."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selectron import Budget, OnlineClassifier, SelectronError
from selectron.askers import Fixed
from selectron.cli import models
from selectron.data import TableEncoder
from selectron.learners import Perceptron

FAST = ["--learner", "perceptron", "--ask", "fixed:p=0.5"]
ALL = ["--learner", "perceptron", "--ask", "always"]
CLASSES = ["--classes", "ham,spam,late"]
THREE = [FAST, ["--learner", "lasec"], ["--learner", "perceptron", "--budget", "20%"]]
ENDINGS = "csv", "jsonl", "svm", "text.csv"


def rows_of(n=400, seed=0):
    """Rows with a number, blanks, a category some values of which come late, and a third class."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        a, b = rng.normal(size=2).round(3).tolist()
        city = rng.choice(["Rome", "Oslo", "Bern"][: 1 + i // 120]) if i % 9 else ""
        label = "late" if i > 250 and i % 11 == 0 else "spam" if a > b else "ham"
        yield {"id": i, "a": a if i % 7 else None, "city": str(city), "b": b, "label": label}


def written(path, rows):
    rows = list(rows)
    if path.suffix == ".csv":
        lines = [",".join("" if v is None else str(v) for v in row.values()) for row in rows]
        text = "\n".join([",".join(rows[0]), *lines])
    elif path.suffix == ".jsonl":
        text = "\n".join(map(json.dumps, rows))
    else:
        text = "".join(f"{row['label']} 1:{row['a'] or 0} {row['id'] % 50 + 2}:1\n" for row in rows)
    path.write_text(text)
    return path


def decided(path):
    """Return decisions without their rows, and without classes that are not known yet."""
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return [
        {key: x for key, x in row.items() if key != "row" and (x or key[:6] != "proba_")}
        for row in rows
    ]


def done(result):
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize(
    ("ending", "options"),
    [(ending, options) for ending in ENDINGS[:3] for options in THREE]
    + [("text.csv", FAST)]
    + [pytest.param(ending, [], marks=pytest.mark.slow) for ending in ENDINGS],
)
def test_two_files_are_as_one_at_any_cut(call, tmp_path, ending, options):
    rows = list(rows_of())
    if ending == "text.csv":
        rows = [{"note": f"word {i % 17} and number {i}", **row} for i, row in enumerate(rows)]
    columns = [] if ending == "svm" else ["--ignore", "id", "--label", "label"]
    first = ("--seed", 5, *options, *columns)
    whole = written(tmp_path / f"whole.{ending}", rows)
    done(call("run", whole, *first, "--save", "whole.model", "-o", "whole.out.jsonl"))
    rng = np.random.default_rng([len(ending), len(options)])
    for cut in (5, *rng.integers(6, 399, 3 if options else 1).tolist()):
        one = written(tmp_path / f"one.{ending}", rows[:cut])
        two = written(tmp_path / f"two.{ending}", rows[cut:])
        done(call("run", one, *first, "--save", "m", "-o", "one.out.jsonl"))
        done(call("run", two, "--model", "m", "--save", "m", "-o", "two.out.jsonl"))
        assert decided("one.out.jsonl") + decided("two.out.jsonl") == decided("whole.out.jsonl")
        assert Path("m").read_bytes() == Path("whole.model").read_bytes()


@pytest.mark.slow
def test_named_classes_and_times_are_kept(call, tmp_path):
    rows = [row | {"when": 864 * i} for i, row in enumerate(rows_of(300))]
    options = ("--time", "when", "--budget", "9/1d", "--label", "label", *CLASSES)
    done(call("run", written(tmp_path / "a.csv", rows), *options, "--save", "whole"))
    done(call("run", written(tmp_path / "b.csv", rows[:100]), *options, "--save", "m"))
    done(call("run", written(tmp_path / "c.csv", rows[100:]), "--model", "m", "--save", "m"))
    assert Path("m").read_bytes() == Path("whole").read_bytes()


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("ignore", [("--ignore", "id"), ("--column", "id=ignored")])
def test_columns_that_a_model_ignores_may_be_missing_and_return(call, tmp_path, ending, ignore):
    rows = list(rows_of(300))
    bare = [{name: value for name, value in row.items() if name != "id"} for row in rows]
    parts = rows[:100], rows[100:200], rows[200:]
    for name, middle in (("m", bare[100:200]), ("whole", parts[1])):
        done(
            call("run", written(tmp_path / f"a.{ending}", parts[0]), *FAST, *ignore, "--save", name)
        )
        for part in middle, parts[2]:
            path = written(tmp_path / f"b.{ending}", part)
            done(call("run", path, "--model", name, "--save", name))
    assert Path("m").read_bytes() == Path("whole").read_bytes()


def test_columns_that_a_model_does_not_know_are_left_out(call, tmp_path):
    rows = list(rows_of(300))
    more = [{"new": "x", **row, "other": 1} for row in rows[100:]]
    done(call("run", written(tmp_path / "a.csv", rows[:100]), *FAST, "--save", "a.model"))
    argv = ("--model", "a.model", "-o")
    result = done(call("run", written(tmp_path / "b.csv", rows[100:]), *argv, "b.jsonl"))
    told = done(call("run", written(tmp_path / "c.csv", more), *argv, "c.jsonl"))
    left = f"selectron: {tmp_path / 'c.csv'}: columns that the model does not know are left out: "
    assert told.stderr == f"{left}new, other\n{result.stderr}".replace("b.csv", "c.csv")
    assert Path("c.jsonl").read_text() == Path("b.jsonl").read_text()


def test_fields_of_objects_are_columns_that_a_model_knows(call, tmp_path):
    rows = [{"b": row["b"], "who": {"a": row["a"]}, "label": row["label"]} for row in rows_of(300)]
    for name, some in ("a", rows[:200]), ("b", [{**row, "new": {"c": 1}} for row in rows[200:]]):
        pq.write_table(pa.Table.from_pylist(some), f"{name}.parquet")
    done(call("run", "a.parquet", *FAST, "--save", "m"))
    told = done(call("run", "b.parquet", "--model", "m", "--save", "m")).stderr
    assert "left out: new.c\n" in told
    assert json.loads(done(call("show", "m", "--json")).stdout)["rows"] == 300
    written(Path("b.jsonl"), rows[200:])
    for ending in ("parquet", "jsonl"):
        done(call("predict", "m", f"b.{ending}", "-o", f"{ending}.csv"))
    found = [pd.read_csv(f"{ending}.csv").prediction for ending in ("parquet", "jsonl")]
    assert found[0].equals(found[1])


@pytest.mark.parametrize("inner", [True, False])
def test_fields_of_objects_may_be_ignored(call, inner):
    rows = [{"b": row["b"], "who": {"a": row["a"]}, "label": row["label"]} for row in rows_of(60)]
    path = written(Path("a.jsonl"), rows)
    done(call("run", path, *FAST, "--ignore", "who.a" if inner else "who", "--save", "m"))
    assert list(OnlineClassifier.load("m").encoder_.columns_) == ["b"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "svm"])
def test_a_stream_goes_on_at_any_row_of_its_file(call, tmp_path, ending):
    rows = list(rows_of())
    whole, part = written(tmp_path / f"a.{ending}", rows), tmp_path / f"b.{ending}"
    done(call("run", whole, *FAST, "--save", "whole", "-o", "whole.jsonl"))
    done(call("run", written(part, rows[:150]), *FAST, "--save", "m"))
    done(call("run", whole, "--model", "m", "--from", 151, "--save", "m", "-o", "m.jsonl"))
    assert Path("m").read_bytes() == Path("whole").read_bytes()
    assert Path("m.jsonl").read_text() == "".join(
        Path("whole.jsonl").read_text().splitlines(keepends=True)[150:]
    )
    assert "--from needs a FILE" in call("run", "--from", 2).stderr
    again = call("run", whole, "--model", "m", "--from", 151, "-o", "m.jsonl")
    assert again.exit_code == 2
    assert "m.jsonl exists, and may hold the decisions on the rows before --from" in again.stderr


def test_a_fault_among_new_columns_leaves_the_model_sound(call, tmp_path):
    rows = list(rows_of(300))
    argv = (*FAST, "--classes", "ham,spam,late", "--save")
    done(call("run", written(tmp_path / "a.csv", rows[:150]), *argv, "m"))
    later = [{**row, "new": 1} for row in rows[150:]]
    for i in range(10, 30):  # cities that begin a block
        later[i]["city"] = f"city {i}"
    later[100]["label"] = "odd"
    result = call("run", written(tmp_path / "b.csv", later), "--model", "m", "--save", "m")
    assert "row 101 has the label 'odd', which is none of" in result.stderr
    assert json.loads(done(call("show", "m", "--json")).stdout)["rows"] == 177


def test_rows_after_the_last_one(call, tmp_path):
    path = written(tmp_path / "a.csv", rows_of(300))
    done(call("run", path, *FAST, "--save", "m"))
    for argv in (FAST, ("--model", "m")):
        result = call("run", path, *argv, "--from", 301)
        assert result.exit_code == 1
        assert result.stderr.endswith("a.csv: --from 301 is after its last row, 300\n")


def test_a_model_of_python_takes_the_column_of_labels(call, tmp_path):
    frame = pd.DataFrame(rows_of(300)).drop(columns="id").fillna({"city": ""})
    X, y = frame.drop(columns="label"), frame["label"]
    OnlineClassifier(Perceptron(), encoder="auto", random_state=0).fit(X, y).save("m")
    frame.rename(columns={"label": "team"}).assign(z=1).to_csv("b.csv", index=False)
    assert "give --label" in call("run", "b.csv", "--model", "m").stderr
    told = done(call("run", "b.csv", "--model", "m", "--label", "team", "--save", "n")).stderr
    assert "left out: z\n" in told
    assert "team: the label, 3 classes\n" in told
    assert "--label cannot be given" in call("run", "b.csv", "--model", "n", "--label", "z").stderr


@pytest.mark.parametrize("weight", [{"spam": 5.0}, "balanced"])
def test_class_weights_of_python_go_on(call, tmp_path, weight):
    path = written(tmp_path / "b.csv", rows_of(300, seed=1))
    frame = pd.DataFrame(rows_of(300)).drop(columns="id").fillna({"city": ""})
    X, y = frame.drop(columns="label"), frame["label"]
    clf = OnlineClassifier(
        Perceptron(), Fixed(0.5), encoder="auto", class_weight=weight, random_state=0
    )
    clf.run(X, y)
    clf.save("m")
    done(call("run", path, "--model", "m", "--label", "label", "--ignore", "id", "--save", "n"))
    later = pd.read_csv(path, keep_default_na=False)
    clf.run(later[[*X]], later["label"])
    kept = OnlineClassifier.load(Path("n"))
    assert kept.class_weight == weight
    assert np.array_equal(kept.coef_, clf.coef_)


@pytest.mark.parametrize("numbers", [False, True])
def test_class_weights_hold_for_classes_that_come_later(call, tmp_path, numbers):
    names = {"ham": 0, "spam": 1, "late": 2} if numbers else {}
    frames = [
        pd.DataFrame(rows_of(400, seed)).drop(columns="id").fillna({"city": ""}).replace(names)
        for seed in range(2)
    ]
    early, later = (frame[["city", "b", "a", "label"]] for frame in frames)
    early = early[early["label"] != names.get("late", "late")]
    weights = {names.get(name, name): weight for name, weight in (("spam", 5.0), ("late", 9.0))}
    clf = OnlineClassifier(Perceptron(), encoder="auto", class_weight=weights, random_state=0)
    clf.partial_fit(early.drop(columns="label"), early["label"]).save("m")
    later.to_csv("later.csv", index=False)
    done(call("run", "later.csv", "--model", "m", "--save", "n", "--label", "label"))
    clf.partial_fit(later.drop(columns="label"), later["label"])
    kept = OnlineClassifier.load("n")
    np.testing.assert_allclose(kept.coef_, clf.coef_, rtol=1e-9)
    assert kept.class_weight == {str(name): weight for name, weight in weights.items()}


@pytest.mark.compiles
@pytest.mark.parametrize("weights", ["balanced", {"spam": 5.0, "late": 0.5}], ids=str)
def test_class_weights_are_those_of_python(call, weights):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(300, 2)), columns=["a", "b"])
    y = np.array(["ham", "late", "spam"])[np.digitize(X["a"] + X["b"], [0.5, 1.5])]
    X.assign(label=y).to_csv("a.csv", index=False)
    clf = OnlineClassifier(
        Perceptron(), Fixed(0.5), encoder="auto", class_weight=weights, random_state=0
    )
    clf.run(X, y, classes=["ham", "late", "spam"])
    given = [weights] if weights == "balanced" else [f"{k}={w}" for k, w in weights.items()]
    options = ["--classes", "ham,late,spam", "--ask", "fixed:p=0.5", "--save", "m"]
    options += [text for each in given for text in ("--class-weight", each)]
    options += ["--learner", "perceptron"]
    done(call("run", "a.csv", *options))
    kept = OnlineClassifier.load("m")
    assert kept.class_weight == weights
    assert kept.predict_proba(X).tolist() == clf.predict_proba(X).tolist()
    assert kept.predict(X).tolist() == clf.predict(X).tolist()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--class-weight spam", "'spam' should be LABEL=WEIGHT"),
        ("--class-weight spam=1001", "a weight from 0 to 1000"),
        ("--class-weight spam=nan", "a weight from 0 to 1000"),
        ("--class-weight spam=2 --class-weight balanced", "or balanced alone"),
        ("--class-weight spam=2 --class-weight spam=3", "a label has 2 weights"),
        ("--class-weight spam=2 --bounds", "--bounds excludes --class-weight"),
    ],
)
def test_class_weights_that_will_not_do(call, stream, options, why):
    result = call("run", stream[0], *options.split())
    assert result.exit_code == 2
    assert why in " ".join(result.stderr.split())


def test_a_weight_of_no_label_is_reported(call, stream):
    result = done(call("run", stream[0], *FAST, "--class-weight", "Spam=2"))
    assert f"--class-weight names 'Spam', which is no label in {stream[0]}" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--delay", 20)], ids=str)
@pytest.mark.parametrize("weights", ["balanced", {"spam": 5.0, "late": 9.0}], ids=str)
def test_an_ensemble_weighs_classes_that_come_later(call, weights, more):
    early, later = (pd.DataFrame(rows_of(400, seed))[["a", "b", "label"]] for seed in range(2))
    early = early[early["label"] != "late"]
    clf = OnlineClassifier(encoder="auto", class_weight=weights, random_state=0)
    clf.partial_fit(early.drop(columns="label"), early["label"]).save("m")
    later.to_csv("later.csv", index=False)
    done(call("run", "later.csv", "--model", "m", "--save", "n", "--label", "label", *more))
    kept, rows = OnlineClassifier.load("n"), later.drop(columns="label")
    assert kept.class_weight == weights
    ham, *others = kept.model_.weighting.factors
    assert kept.classes_.tolist() == ["ham", "spam", "late"]
    assert ham == 1
    assert others == ([5.0, 9.0] if weights != "balanced" else sorted(others)) > [1.0, 1.0]
    weighed = kept.predict(rows) == "late"
    kept.model_.weighting = kept.model_.weighting._replace(factors=(1.0, 1.0, 1.0))
    assert weighed.sum() > (kept.predict(rows) == "late").sum()


@pytest.mark.slow
def test_drift_is_reported_by_the_rows_of_the_file(call, tmp_path):
    x = np.random.default_rng(0).normal(size=(900, 2)).round(3)
    y = np.where(np.arange(900) < 450, x[:, 0] > 0, x[:, 0] < 0)
    rows = [
        {"a": a, "b": b, "label": f"class {c}"} for (a, b), c in zip(x.tolist(), y, strict=True)
    ]
    argv = ("run", written(tmp_path / "a.csv", rows), "--ask", "always", "--json")
    (whole,), (part,) = (
        json.loads(done(call(*argv, *more)).stdout) for more in ((), ("--from", 51))
    )
    assert abs(whole["drifts"][0] - 451) < 20
    assert abs(part["drifts"][0] - 451) < 20


@pytest.mark.parametrize("size", [1, 7, 4096])
@pytest.mark.parametrize("delay", [[], ["--delay", 20]])
def test_a_model_and_decisions_do_not_depend_on_chunks(call, tmp_path, monkeypatch, size, delay):
    from selectron.streams import readers

    path = written(tmp_path / "a.csv", rows_of())
    read = readers.read
    argv = ("run", path, *FAST, "--ignore", "id", *delay)
    done(call(*argv, "--save", "whole", "-o", "whole.csv"))
    monkeypatch.setattr(readers, "read", lambda *args, **kept: read(*args, size=size, **kept))
    done(call(*argv, "--save", "m", "-o", "m.csv"))
    assert Path("m").read_bytes() == Path("whole").read_bytes()
    assert Path("m.csv").read_text() == Path("whole.csv").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 7])
def test_growing_svmlight_rows_do_not_depend_on_chunks(call, tmp_path, monkeypatch, size):
    from selectron.streams import readers

    random, read = np.random.default_rng(0), readers.read
    w, rows = random.normal(size=400), []
    for t in range(300):  # of ever more features: dense at first to the learner, and then sparse
        at = 1 + np.sort(random.choice(20 + t, 8, replace=False))
        x = random.exponential(size=8)
        cells = " ".join(f"{j}:{v:.3f}" for j, v in zip(at, x, strict=True))
        rows.append(f"{'+1' if w[at] @ x > 0 else '-1'} {cells}\n")
    (tmp_path / "a.svm").write_text("".join(rows))
    argv = ("run", tmp_path / "a.svm", "--learner", "leading-history", "--budget", "30%")
    done(call(*argv, "--save", "whole", "-o", "whole.csv"))
    monkeypatch.setattr(readers, "read", lambda *args, **kept: read(*args, size=size, **kept))
    done(call(*argv, "--save", "m", "-o", "m.csv"))
    assert Path("m.csv").read_text() == Path("whole.csv").read_text()
    assert Path("m").read_bytes() == Path("whole").read_bytes()


def test_the_rows_before_a_fault_are_kept(call, tmp_path):
    path = written(tmp_path / "a.csv", rows_of())
    done(call("run", path, *FAST, "--save", "whole"))
    with path.open("a") as file:
        file.write("\n1,2\n")
    result = call("run", path, *FAST, "--save", "m")
    assert result.exit_code == 1
    assert "columns were found" in result.stderr
    assert Path("m").read_bytes() == Path("whole").read_bytes()


def test_a_label_that_is_unknown_leaves_the_encoder_with_the_model(call, tmp_path):
    rows = list(rows_of(400))
    argv = (*FAST, "--classes", "ham,spam", "--label", "label", "-o", "out.jsonl", "--save")
    result = call("run", written(tmp_path / "a.csv", rows), *argv, "m")
    assert result.exit_code == 1
    played = len(decided("out.jsonl"))
    assert 50 < played < 260
    done(call("run", written(tmp_path / "b.csv", rows[:played]), *argv, "n"))
    assert Path("m").read_bytes() == Path("n").read_bytes()


def test_another_budget_holds_from_then_on(call, tmp_path):
    path = written(tmp_path / "a.csv", rows_of(2000))
    first = ("--learner", "perceptron", "--budget", "10%", "--ignore", "id")
    done(call("run", path, *first, "--save", "m"))
    for budget, least, most in ("20%", 260, 420), ("150/2000", 150, 150):
        argv = ("run", path, "--model", "m", "--budget", budget, "--json", "--save", "n")
        (result,) = json.loads(done(call(*argv)).stdout)
        assert least <= result["asked"] <= most
    assert OnlineClassifier.load("n").asker.labels == 150
    refused = call("run", path, "--model", "m", "--budget", "9/1d")
    assert refused.exit_code == 1
    assert "the model was saved without a column of times" in refused.stderr


def test_a_budget_for_a_model_that_had_none(call, tmp_path):
    path = written(tmp_path / "a.csv", rows_of())
    done(call("run", path, *FAST, "--ignore", "id", "--no-intercept", "--save", "m"))
    done(call("run", path, "--model", "m", "--budget", "5%", "--save", "m"))
    clf = OnlineClassifier.load("m")
    assert (clf.asker, clf.fit_intercept) == (Budget(rate=0.05, asker=Fixed(0.5)), False)


REFUSED = {
    "--learner cannot be given with --model": ["--model", "m", *FAST],
    "--seed cannot be given with --model": ["--model", "m", "--seed", "0"],
    "--column cannot be given with --model": ["--model", "m", "--column", "a=text"],
    "--model, unless that was made with --label '': leave --label out": [
        "--model",
        "m",
        "--label",
        "b",
    ],
    "--save keeps one model": ["--save", "n", *FAST, "--learner", "lasec"],
    "'zip' should be NAME=KIND": ["--column", "zip"],
    "'zip' has 2 kinds: give one": ["--column", "zip=text", "--column", "zip=number"],
    "its folder does not exist": ["--save", "nowhere/m"],
    "'nowhere.model' does not exist": ["--model", "nowhere.model"],
}


@pytest.mark.parametrize("reason", REFUSED)
def test_options_that_a_model_fixes(call, stream, reason):
    done(call("run", stream[0], *FAST, "--save", "m"))
    result = call("run", stream[0], *REFUSED[reason])
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.split())


def test_a_model_goes_with_a_file(call, stream):
    done(call("run", stream[0], *FAST, "--save", "m"))
    for options in (["--save", "n"], ["--model", "m"]):
        assert "need a FILE" in call("run", *options).stderr


WRONG = {
    "table.csv": "a,b,c,label\n1,2,3,ham\n4,5,6,spam\n",
    "rows.svm": "ham 1:2\nspam 2:3\n",
    "nolabel.csv": "a,b,c,d\n1,2,3,4\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_model_of_other_columns(call, stream, name):
    done(call("run", stream[0], *FAST, "--save", "m"))
    before = Path("m").read_bytes()
    Path(name).write_text(WRONG[name])
    result = call("run", name, "--model", "m", "--save", "m")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"selectron: {name}: ")
    assert Path("m").read_bytes() == before


@pytest.mark.parametrize("label", [0, 2, 4])
def test_rows_without_a_header_lack_the_column_of_labels(call, tmp_path, label):
    lines = [[row["a"] or 0, row["b"], row["city"], row["id"] % 7] for row in rows_of(300)]
    for row in lines:
        row.insert(label, "up" if row[0] > row[1] else "down")
    whole, part = tmp_path / "whole.csv", tmp_path / "part.csv"
    whole.write_text("".join(",".join(map(str, row)) + "\n" for row in lines))
    few = [[cell for j, cell in enumerate(row) if j != label] for row in lines[:90]]
    other = tmp_path / "other.csv"  # lacks another column, and has the labels
    other.write_text("".join(",".join(map(str, row[:-1])) + "\n" for row in lines))
    part.write_text("".join(",".join(map(str, row)) + "\n" for row in few))
    done(call("run", whole, "--no-header", "--label", str(label), "--save", "m.model"))
    if label < 4:
        assert "there is no column '4'" in call("predict", "m.model", other).stderr
    found = [done(call("predict", "m.model", file)).stdout.splitlines() for file in (whole, part)]
    assert [line.split(",")[-3:] for line in found[0][:91]] == [
        line.split(",") for line in found[1]
    ]


def test_a_model_of_dense_arrays_takes_no_rows_of_svmlight(call, tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    OnlineClassifier(Perceptron()).fit(X, X[:, 0] > 0).save("m")
    Path("rows.svm").write_text("True 1:2\nFalse 2:3\n")
    for argv in (["run", "rows.svm", "--model", "m"], ["predict", "m", "rows.svm"]):
        assert "has learned from dense arrays, which have other" in call(*argv).stderr
    assert "has learned from rows without names" in call("label", "m", "rows.svm").stderr


def test_a_file_that_holds_no_model(call, stream):
    Path("m").write_text("a,b\n")
    result = call("run", stream[0], "--model", "m")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "not a Selectron model file" in result.stderr


def test_a_model_replaces_models_only(call, stream):
    Path("mine.csv").write_text("a,b\n")
    Path("empty").touch()
    result = call("run", stream[0], *FAST, "--save", "mine.csv")
    assert result.exit_code == 2
    assert "--save: mine.csv: was not written by Selectron: give another file" in result.stderr
    assert Path("mine.csv").read_text() == "a,b\n"
    for _ in range(2):
        done(call("run", stream[0], *FAST, "--save", "empty"))


@pytest.mark.parametrize("output", ["rows.csv", "./rows.csv", "m.csv"])
def test_predictions_replace_neither_the_rows_nor_the_model(call, tmp_path, output):
    path = written(tmp_path / "rows.csv", rows_of())
    done(call("run", str(path), *FAST, "--save", "m.csv"))
    before = [Path(name).read_bytes() for name in ("rows.csv", "m.csv")]
    result = call("predict", "rows.csv", "--model", "m.csv", "-o", output)
    assert result.exit_code == 2
    assert "MODEL, FILE and -o must be different files." in result.stderr
    assert [Path(name).read_bytes() for name in ("rows.csv", "m.csv")] == before


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_odd_values_are_counted_when_they_are_predicted(call, tmp_path, ending):
    rows = list(rows_of())
    path = written(tmp_path / f"rows.{ending}", rows)
    done(call("run", str(path), *FAST, "--save", "m.model"))
    for i, word in enumerate(["lots", "", "None", "many"]):
        rows[10 + i]["b"] = word
        rows[10 + i]["city"] = ["rome", "Pisa", "", "Rome"][i]
    written(path, rows)
    result = done(call("predict", path.name, "--model", "m.model", "-o", "out.csv"))
    assert result.stderr.splitlines() == [
        f"selectron: {path.name}: city: 2 new values in 400 rows ignored",
        f"selectron: {path.name}: b: 2 odd values in 400 rows taken as blank",
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_numbers_far_off_and_columns_that_are_all_blank_are_named_in_predict(
    call, tmp_path, ending
):
    rng = np.random.default_rng(0)
    rows = [
        {"s0": round(10 + x, 3), "s1": round(50 + y, 3), "s2": "" if i % 20 == 0 else y}
        for i, (x, y) in enumerate(rng.normal(size=(300, 2)).tolist())
    ]
    learned = written(tmp_path / f"a.{ending}", [row | {"label": row["s0"] > 10} for row in rows])
    done(call("run", learned, *FAST, "--save", "m"))
    swapped = [row | {"s0": row["s1"], "s1": row["s0"], "s2": ""} for row in rows]
    swapped[0]["s0"] = "odd"

    def seen(rows):
        path = written(tmp_path / f"b.{ending}", rows)
        return done(call("predict", "m", path.name, "-o", "out.csv")).stderr

    assert seen(rows) == seen(rows[:150] + [row | {"s0": row["s1"]} for row in rows[150:]]) == ""
    lines = seen(swapped).splitlines()
    far = "are more than 8 standard deviations off those learned"
    assert lines == [
        f"selectron: b.{ending}: s0: 299 of 299 values {far}",
        f"selectron: b.{ending}: s0: 1 odd value in 300 rows taken as blank",
        f"selectron: b.{ending}: s1: 300 of 300 values {far}",
        f"selectron: b.{ending}: s2: blank in all rows, 5% when learned",
    ]
    assert seen(swapped[1:20]) == ""  # too few


def test_what_is_odd_in_a_file_is_named_when_a_model_learns_it(call, tmp_path):
    """Of this file alone: of all rows that the model has learned, few are odd."""
    x = np.random.default_rng(0).normal(size=600).round(3).tolist()
    rows = [{"a": v, "b": v, "c": "" if i % 20 == 0 else v} for i, v in enumerate(x)]
    good = written(tmp_path / "good.csv", [row | {"label": row["a"] > 0} for row in rows])
    bad = [{"a": "Infinity", "b": "lots", "c": "", "label": True}] * 29
    bad = written(tmp_path / "bad.csv", [*bad, {"a": 0.5, "b": 0.1, "c": "", "label": False}])
    done(call("run", good, *ALL, "--save", "m"))
    assert "odd" not in done(call("run", good, "--model", "m")).stderr
    what = " values in 30 rows taken as blank"
    found = done(call("run", bad, "--model", "m", "--save", "m")).stderr.splitlines()
    assert [line for line in found if line.startswith("selectron")] == [
        f"selectron: {bad}: a: 29 odd{what}: the model knows a as number",
        f"selectron: {bad}: b: 29 odd{what}: the model knows b as number",
        f"selectron: {bad}: c: blank in all rows, 5% when learned",
    ]


def test_learned_columns_that_no_object_has_are_named(call, tmp_path):
    written(tmp_path / "a.jsonl", [{"a": i, "b": "xy"[i % 2], "label": i % 2} for i in range(40)])
    written(tmp_path / "b.jsonl", [{"a": i, "B": "x"} for i in range(9)])
    written(tmp_path / "c.jsonl", [{"a": i} if i else {"b": "x"} for i in range(9)])
    done(call("run", "a.jsonl", *FAST, "--save", "m.model"))
    why = "selectron: b.jsonl: no row has b, which the model has learned from\n"
    assert done(call("predict", "m.model", "b.jsonl", "-o", "out.csv")).stderr == why
    assert done(call("predict", "m.model", "c.jsonl", "-o", "out.csv")).stderr == ""


def test_lists_of_another_length_are_counted_when_they_are_predicted(call, tmp_path):
    for length in (3, 4):
        lists = ([i % 3] * length if i % 5 else [] for i in range(60))
        rows = [{"e": e, "label": "ab"[i % 2]} for i, e in enumerate(lists)]
        (tmp_path / f"{length}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done(call("run", "4.jsonl", *FAST, "--save", "m.model"))
    to = "--model", "m.model", "-o", "out.csv"
    found = [done(call("predict", f"{length}.jsonl", *to)) for length in (4, 3)]
    assert found[0].stderr == ""
    why = "the model knows e as vector, 4 numbers"
    odd = f"selectron: 3.jsonl: e: 48 odd values in 60 rows taken as blank: {why}\n"
    assert found[1].stderr == odd


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_reasons_of_predictions(call, tmp_path, ending):
    rows = [
        {
            "id": f"n{i}",
            "size": i * 7 % 20,
            "country": "FRDE"[i % 2 * 2 :][:2],
            "label": "ab"[i % 2],
        }
        for i in range(100)
    ]
    path = tmp_path / f"rows.{ending}"
    if ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        getattr(pd.DataFrame(rows), f"to_{ending}")(path, index=False)
    done(call("run", path.name, *FAST, "--ignore", "id", "--save", "m.model"))
    done(call("predict", "m.model", path.name, "-o", "plain.csv"))
    done(call("predict", "m.model", path.name, "--why", 1, "-o", "why.csv"))
    found = pd.read_csv("why.csv")
    assert found.drop(columns="why").equals(pd.read_csv("plain.csv"))
    assert found.why.str.fullmatch(r"country \+[0-9]\.[0-9]").all()
    done(call("predict", "m.model", path.name, "--why", 5, "-o", "why.jsonl"))
    lines = Path("why.jsonl").read_text().splitlines()
    assert {len(json.loads(line)["why"].split(", ")) for line in lines} <= {1, 2}
    assert call("predict", "m.model", path.name, "--why", 0).exit_code == 2


def test_a_column_named_why_is_as_it_was_sent(call, tmp_path):
    rows = [{"x": i, "why": [1, {"a": i}], "label": "ab"[i % 2]} for i in range(60)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done(call("run", "rows.jsonl", *FAST, "--ignore", "why", "--save", "m.model"))
    done(call("predict", "m.model", "rows.jsonl", "-o", "out.jsonl"))
    found = map(json.loads, Path("out.jsonl").read_text().splitlines())
    assert [row["why"] for row in found] == [row["why"] for row in rows]


def test_a_lock_of_another_process_is_not_waited_for_forever(call, tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr("selectron.cli.models.WAIT", 0.2)
    (tmp_path / "rows.csv").write_text("x,label\n" + "1,a\n2,b\n" * 20)
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    done(call("run", "rows.csv", *FAST, "--save", "m.model"))
    os.close(folder)
    assert Path("m.model").exists()


def test_labels_that_are_written_in_another_way_are_named(call, tmp_path):
    for name, labels in (("a", "ham,spam"), ("b", "0,1"), ("c", "spam,other")):
        rows = [f"{i % 7},{labels.split(',')[i % 7 > 3]}" for i in range(60)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,label", *rows]))
    done(call("run", "a.csv", *FAST, "--save", "m.model"))
    before = Path("m.model").read_bytes()
    found = call("run", "b.csv", "--model", "m.model", "--save", "m.model")
    what = "no label of the first rows is a class of the model, 'ham', 'spam', but '0', '1'"
    why = "rename those that mean the same, or put rows of a known class first"
    assert (found.exit_code, found.stderr) == (1, f"selectron: b.csv: {what}: {why}\n")
    assert Path("m.model").read_bytes() == before


@pytest.mark.parametrize(
    ("labels", "warned"),
    [
        ("fault,ok", ""),
        ("ok,ok", ""),
        ("a,b,ok", "'a', 'b'"),
        ("fault,ok,rare", "'rare'"),
    ],
)
def test_labels_of_new_classes_are_named_before_they_are_learned(call, tmp_path, labels, warned):
    for name, some in (("a", ["fault", "ok"]), ("b", labels.split(","))):
        rows = [f"{i % 7},{some[i % len(some)]}" for i in range(60)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,label", *rows]))
    done(call("run", "a.csv", *FAST, "--save", "m.model"))
    lines = done(
        call("run", "b.csv", "--model", "m.model", "--save", "m.model")
    ).stderr.splitlines()
    what = "labels that are new to the model, which knows 'fault', 'ok'"
    assert [line for line in lines[:1] if "new to the model" in line] == (
        [f"selectron: b.csv: {what}: {warned}; rename those that mean the same"] if warned else []
    )


AS_FRACTION = "'1.234' is read as a fraction, and the model has learned whole numbers"


@pytest.mark.parametrize(
    ("values", "same", "why"),
    [
        (["56", "1.234", "2.345", "12.345", "1.234.567"], [56, 1234, 2345, 12345, 1234567], ""),
        (["1.234", "56", "78"], ["1.234", 56, 78], f"{AS_FRACTION}: if it is 1234, write that"),
        (["1.234", "1.5", "0.5", "2.345", "3.456"], [1.234, 1.5, 0.5, 2.345, 3.456], ""),
        (["1,234", "5,678", "12,345", "56"], [1234, 5678, 12345, 56], ""),
    ],
)
def test_thousands_of_a_later_file_are_read_as_in_a_first_one(call, tmp_path, values, same, why):
    learned = [f"{i * 37};{'ab'[i > 60]}" for i in range(120)]
    (tmp_path / "a.csv").write_text("\n".join(["n;label", *learned]))
    for name, some in (("b", values), ("c", same)):
        (tmp_path / f"{name}.csv").write_text("\n".join(["n;id", *(f"{x};1" for x in some)]))
    done(call("run", "a.csv", *FAST, "--save", "m"))
    found, plain = (done(call("predict", "m", f"{name}.csv")) for name in "bc")
    assert found.stdout == plain.stdout
    assert (f"b.csv: n: {why}\n" in found.stderr) if why else not found.stderr


def test_a_model_of_fractions_of_three_digits_reads_others_as_fractions(call, tmp_path):
    rows = [f"{1 + i / 40:.3f};{'ab'[i > 60]}" for i in range(120)]
    (tmp_path / "a.csv").write_text("\n".join(["n;label", *rows]))
    (tmp_path / "b.csv").write_text("n;id\n1.234;1\n2.345;1\n3.456;1\n")
    (tmp_path / "c.csv").write_text("n;id\n1.2340;1\n2.3450;1\n3.4560;1\n")
    done(call("run", "a.csv", *FAST, "--save", "m"))
    found, plain = (done(call("predict", "m", f"{name}.csv")) for name in "bc")
    assert (found.stdout, found.stderr) == (plain.stdout, "")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("zones", [("+02:00", ""), ("", "Z"), ("Z", "+02:00"), ("", "")])
def test_times_with_and_without_a_zone_are_not_mixed_silently(call, tmp_path, zones, ending):
    for name, zone in zip("ab", zones, strict=True):
        times = [None, *(f"2026-11-{1 + i // 24:02}T{i % 24:02}:30:00{zone}" for i in range(200))]
        when = pa.array(times).cast(pa.timestamp("s", "UTC" if zone else None))
        table = {"when": when if ending == "parquet" else times, "label": [*"ab" * 100, "a"]}
        if ending == "parquet":
            pq.write_table(pa.table(table), f"{name}.parquet")
        else:
            written(tmp_path / f"{name}.{ending}", pa.table(table).to_pylist())
    done(call("run", f"a.{ending}", *FAST, "--save", "m"))
    told = done(call("predict", "m", f"b.{ending}")).stderr
    have = [f"{'a' if zone else 'no'} zone" for zone in zones]
    what = f"times have {have[1]}, and those that the model has learned have {have[0]}"
    advice = "without one, they are in UTC; write both alike"
    mixed = have[0] != have[1]
    assert told == (f"selectron: b.{ending}: when: {what}: {advice}\n" if mixed else "")


def test_a_column_that_was_always_blank_may_be_missing(call, tmp_path):
    rows = [{**row, "none": ""} for row in rows_of()]
    path = written(tmp_path / "rows.csv", rows)
    done(call("run", str(path), *FAST, "--save", "m.model"))
    for row in rows:
        del row["none"]
    less = written(tmp_path / "less.csv", rows)
    done(call("predict", path.name, "--model", "m.model", "-o", "out.csv"))
    done(call("predict", less.name, "--model", "m.model", "-o", "less_out.csv"))
    assert Path("less_out.csv").read_text() == Path("out.csv").read_text()
    done(call("run", less.name, "--model", "m.model"))


@pytest.mark.parametrize(
    "by", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)]
)
def test_signals_end_predictions_after_a_whole_chunk(call, tmp_path, monkeypatch, by):
    from selectron.cli import predict

    path, usual = written(tmp_path / "rows.csv", rows_of()), predict.predictions
    done(call("run", str(path), *FAST, "--save", "m.model"))

    def interrupted(*given):
        signal.raise_signal(by)
        return usual(*given)

    Path("out.csv").write_text("of another run")
    before = {*tmp_path.iterdir()}
    monkeypatch.setattr(predict, "predictions", interrupted)
    usually = signal.signal(by, signal.default_int_handler)  # nohup ignores SIGHUP
    try:
        result = call("predict", "rows.csv", "--model", "m.model", "-o", "out.csv")
    finally:
        signal.signal(by, usually)
    text = "selectron: interrupted after 400 rows: out.csv was not written\n"
    assert (result.exit_code, result.stderr) == (130, text)
    assert Path("out.csv").read_text() == "of another run"
    assert {*tmp_path.iterdir()} == before


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_without_rows_has_no_predictions(call, tmp_path, ending):
    path = written(tmp_path / "rows.csv", rows_of())
    done(call("run", str(path), *FAST, "--save", "m.model"))
    done(call("predict", "m.model", "rows.csv", "-o", f"all.{ending}"))
    if ending == "csv":
        Path("none.csv").write_text(path.read_text().partition("\n")[0])
        Path("other.csv").write_text("id,a\n")
    else:
        pq.write_table(pa.table(pd.read_csv(path)).slice(0, 0), "none.parquet")
        pq.write_table(pa.table({"id": [1], "a": [1.5]}).slice(0, 0), "other.parquet")
    result = done(call("predict", "m.model", f"none.{ending}", "-o", f"out.{ending}"))
    assert result.output == ""
    if ending == "csv":
        assert Path("out.csv").read_text() == Path("all.csv").read_text().partition("\n")[0] + "\n"
    else:
        assert pq.read_schema("out.parquet").names == pq.read_schema("all.parquet").names
    result = call("predict", "m.model", f"other.{ending}")
    assert result.exit_code == 1
    assert "there are no columns 'city', 'b', which the model has learned from" in result.stderr


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_predictions_that_cannot_be_written_leave_no_file(call, tmp_path, monkeypatch, ending):
    from selectron.cli import decisions

    path = written(tmp_path / "rows.csv", rows_of())
    done(call("run", str(path), *FAST, "--save", "m.model"))
    begun, before = decisions._begun, {*tmp_path.iterdir()}

    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(decisions, "_begun", lambda *given: (begun(*given)[0], full))
    result = call("predict", "m.model", "rows.csv", "-o", f"out.{ending}")
    assert result.exit_code == 1
    assert f"out.{ending} cannot be written (No space left on device)" in result.stderr
    assert {*tmp_path.iterdir()} == before


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a signal of POSIX systems here")
def test_ctrl_c_keeps_the_rows_that_were_played(call, tmp_path):
    command = [sys.executable, "-m", "selectron", "run", "-", *FAST, "--save", "m", "-o", "o.jsonl"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    rows = "".join(f"{i},{i % 7},{'xy'[i % 3 == 0]}\n" for i in range(200_000))
    process.stdin.write(f"a,b,label\n{rows}".encode())
    process.stdin.flush()
    deadline = time.monotonic() + 60
    out = tmp_path / "o.jsonl"
    while not (out.exists() and out.stat().st_size > 1000) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    count = len(out.read_text().splitlines())
    assert errors.decode().endswith(
        f"interrupted after {count:,} rows; --model m --save m --from {count + 1} "
        f"-o o-{count + 1}.jsonl continues\n"
    )
    assert 0 < count <= 200_000
    kept = "\n".join(rows.splitlines()[:count])
    (tmp_path / "part.csv").write_text(f"a,b,label\n{kept}\n")
    done(call("run", "part.csv", *FAST, "--save", "n"))
    assert Path("m").read_bytes() == Path("n").read_bytes()


def test_a_kept_model_predicts_without_warnings_and_names_a_missing_file(call, tmp_path):
    path, model = written(tmp_path / "rows.csv", rows_of()), str(tmp_path / "kept.model")
    done(call("run", str(path), *FAST, "--save", model))
    result = done(call("predict", str(path), "--model", model))
    assert result.stderr == ""
    result = call("show", str(tmp_path / "none.model"))
    assert (result.exit_code, result.stderr.count("Errno")) == (1, 0)
    assert "none.model: no such file; `selectron run FILE --save " in result.stderr
    assert result.stderr.endswith("with --label '' --classes NAME,NAME if no row has a label yet\n")


def test_truth_values_are_the_same_classes_in_every_format(call, tmp_path):
    json_rows = ({"a": i % 7, "hot": i % 7 > 3} for i in range(60))
    csv_rows = ({"a": i % 7, "hot": "TRUE" if i % 7 > 3 else "false"} for i in range(60))
    first = written(tmp_path / "rows.jsonl", json_rows)
    second, model = written(tmp_path / "rows.csv", csv_rows), str(tmp_path / "m")
    done(call("run", str(first), *FAST, "--label", "hot", "--save", model))
    result = done(call("run", str(second), "--model", model, "--save", model))
    assert "rename" not in result.stderr
    assert OnlineClassifier.load(model).classes_.tolist() == ["False", "True"]
    result = done(call("run", str(second), *FAST, "--class-weight", "true=3"))
    assert "which is no label" not in result.stderr


def test_keys_of_json_rows_that_come_and_go(call, tmp_path, monkeypatch):
    """The first rows decide on the columns of the output, which the later ones keep."""
    from selectron.streams import readers

    read, rows = readers.read, list(rows_of(200))
    path = written(tmp_path / "a.jsonl", rows)
    done(call("run", path, *FAST, "--ignore", "id", "--save", "m"))
    late = [{k: v for k, v in row.items() if k != "id" or i < 90} for i, row in enumerate(rows)]
    later = [{**row, "note": "new"} if i > 120 else row for i, row in enumerate(late)]
    written(tmp_path / "b.jsonl", later)
    monkeypatch.setattr(readers, "read", lambda *args, **kept: read(*args, size=64, **kept))
    done(call("predict", "b.jsonl", "--model", "m", "-o", "out.jsonl"))
    out = decided("out.jsonl")
    assert [row["id"] for row in out] == [*range(90), *[None] * 110]
    assert all("note" not in row for row in out)


@pytest.mark.parametrize("options", THREE[:2], ids=["perceptron", "lasec"])
def test_late_labels_go_on_coming(call, tmp_path, options):
    """A stream in two files is one with late labels too."""
    rows = list(rows_of())
    files = [written(tmp_path / f"{i}.csv", rows[200 * i :][:200]) for i in range(2)]
    whole = written(tmp_path / "all.csv", rows)
    argv = [*options, *CLASSES, "--ignore", "id", "--json"]
    played = [("run", whole, *argv, "--delay", "40", "--save", "whole"), ("run", whole, *argv)]
    played += [("run", files[0], *argv, "--delay", "40", "--save", "m")]
    played += [("run", files[1], "--model", "m", "--delay", "40", "--json", "--save", "m")]
    late, at_once, one, two = (json.loads(call(*each).stdout)[0] for each in played)
    for name in ("mistakes", "asked", "steps"):
        assert one[name] + two[name] == late[name]
    assert Path("m").read_bytes() == Path("whole").read_bytes()
    assert late["steps"] != at_once["steps"]


def test_words_of_text_leave_the_other_weights_to_be_shown(call, tmp_path):
    rng = np.random.default_rng(0)
    words = rng.choice(["urgent", "help", "server", "invoice", "login"], (200, 6))
    rows = [
        {"a": a, "note": " ".join(some), "label": "high" if a + ("urgent" in some) > 0.5 else "low"}
        for a, some in zip(rng.normal(size=200).round(3).tolist(), words, strict=True)
    ]
    written(tmp_path / "a.jsonl", rows)
    options = ["--learner", "perceptron", "--ask", "always", "--save", "a.model"]
    assert call("run", "a.jsonl", "--column", "note=text", *options).exit_code == 0
    shown = call("show", "a.model").stdout
    assert "Weights towards low, or high if negative\n" in shown
    *_, one, words = shown.splitlines()
    assert one.endswith("  a")
    ask = "; to see them, add a file with such texts: selectron show MODEL FILE"
    assert re.fullmatch(rf"  Words of text have \d+\.\d% of all weight{ask}", words)
    (part,) = json.loads(call("show", "a.model", "--json").stdout)["words"].values()
    assert 0 < part < 1
    call("run", "a.jsonl", "--column", "note=text", "--ignore", "a", *options)
    assert "Words of text have 100.0% of all weight; to see them" in call("show", "a.model").stdout


def test_a_model_is_the_first_argument_or_an_option(call, tmp_path):
    path = written(tmp_path / "a.csv", rows_of())
    done(call("run", path, "--ignore", "id", *FAST, "--save", "m"))
    for command in "predict", "show", "label":
        (Path("n")).write_bytes(Path("m").read_bytes())
        first = (
            done(call(command, "n", path, input="q\n")) if command != "show" else call("show", "n")
        )
        (Path("n")).write_bytes(Path("m").read_bytes())
        argv = (path,) if command != "show" else ()
        assert done(call(command, *argv, "--model", "n", input="q\n")).output == first.output
    for argv in ("predict", path), ("label", "m"), ("show",), ("predict", "m", path, "b"):
        result = call(*argv)
        assert result.exit_code == 2
        assert "Error: The arguments are MODEL" in result.stderr
    assert f"MODEL comes first: m {path}." in call("predict", path, "m").stderr
    assert "is not a Selectron model file" in call("show", path).stderr
    assert "m: is a model of Selectron: give a file with rows" in call("run", "m").stderr


@pytest.mark.parametrize("form", ["sparse", "dense"])
def test_words_of_a_file_name_their_weights(call, tmp_path, form):
    rng = np.random.default_rng(0)
    notes = [" ".join(some) for some in rng.choice(["urgent", "help", "server"], (300, 4))]
    labels = ["high" if "urgent" in note else "low" for note in notes]
    encoder = TableEncoder({"note": "text"}, form=form)
    clf = OnlineClassifier(Perceptron(), encoder=encoder, random_state=0)
    clf.fit(pd.DataFrame({"note": notes}), labels).save("m")
    file = written(tmp_path / "new.jsonl", [{"note": note, "more": 1} for note in (*notes, None)])
    shown = json.loads(done(call("show", "m", file, "--json")).stdout)
    (weights,) = shown["weights_of_words"].values()
    assert [*shown["weights"].values()] == [[]]
    prefix = "" if form == "sparse" else "note: "
    assert weights[0][0] == f'{prefix}"urgent"'
    words = {name.removeprefix(prefix).strip('"'): weight for name, weight in weights}
    margins = clf.decision_function(pd.DataFrame({"note": [*words]})) * 2**0.5  # of (1, 1), scaled
    assert len(words) > 1
    assert (margins - clf.intercept_).tolist() == pytest.approx([*words.values()])
    assert "Words of text have 100.0% of all weight; to see them" in call("show", "m").stdout
    svmlight = written(tmp_path / "a.svm", rows_of(9))
    assert "the model has learned from tables" in call("show", "m", svmlight).stderr
    (tmp_path / "a.csv").write_text("note,more,label\n,1,a\n,2,b\n")
    refused = call("show", "m", "a.csv").stderr
    assert refused == "selectron: a.csv: there are no words in 'note'\n"
    Path("b.csv").write_text("other,label\nspam,x\n")
    refused = call("show", "m", "b.csv").stderr
    assert refused == "selectron: b.csv: there is no column of text named 'note'\n"
    encoder = TableEncoder({"user.bio": "text"}, form=form)
    clf = OnlineClassifier(Perceptron(), encoder=encoder, random_state=0)
    clf.fit([{"user": {"bio": note}} for note in notes], labels).save("nested")
    file = written(tmp_path / "users.jsonl", [{"user": {"bio": note}} for note in notes])
    assert '"urgent"' in done(call("show", "nested", file)).stdout
    done(call("run", "a.csv", *FAST, "--ignore", "note", "--save", "m"))
    assert "the model has no weights of words: leave FILE out" in call("show", "m", "a.csv").stderr


def test_python_takes_the_same_tables_as_the_command_line(call, tmp_path):
    path = written(tmp_path / "a.csv", rows_of())
    done(call("run", path, "--ignore", "id", *FAST, "--save", "m"))
    clf, frame = OnlineClassifier.load(Path("m")), pd.read_csv(path, keep_default_na=False)
    features = frame[["b", "city", "a"]]
    assert np.array_equal(clf.predict_proba(frame), clf.predict_proba(features))
    again = OnlineClassifier.load(Path("m")).partial_fit(features, frame["label"])
    assert clf.partial_fit(frame, frame["label"]).encoder_.pack() == again.encoder_.pack()
    rows = frame.to_dict("records")
    clf.decide(rows[0])
    clf.partial_fit(rows[:9], frame["label"][:9])
    clf.save("n")
    assert OnlineClassifier.load("n").partial_fit(frame, frame["label"]).n_features_in_ == 3
    with pytest.raises(SelectronError, match="There was no column 'new'"):
        clf.partial_fit(frame.assign(new=1), frame["label"])


def test_a_column_that_came_in_later_rows_of_json_may_be_missing(call, tmp_path):
    rows = [*rows_of(200)]
    late = [row | ({"late": "xy"[i % 2]} if i > 50 else {}) for i, row in enumerate(rows)]
    written(tmp_path / "a.jsonl", late)
    written(tmp_path / "b.csv", rows)
    done(call("run", "a.jsonl", *FAST, "--save", "m", "--ignore", "id"))
    for command in ("predict", "run", "label"):
        options = ["--save", "n"] if command == "run" else []
        assert call(command, "--model", "m", "b.csv", *options, input="q\n").exit_code == 0


def test_new_classes_of_a_later_file_are_named(call, tmp_path):
    rows = list(rows_of(300))
    done(call("run", written(tmp_path / "a.csv", rows[:200]), *FAST, "--save", "m"))
    told = done(call("run", written(tmp_path / "b.csv", rows[200:]), "--model", "m")).stderr
    assert told.endswith("label: the label, 3 classes; new: late\n")


def test_a_budget_that_is_spent_is_named_and_may_be_given_again(call, tmp_path):
    one, two = written(tmp_path / "a.csv", rows_of()), written(tmp_path / "b.csv", rows_of(seed=1))
    done(call("run", one, "--learner", "perceptron", "--budget", "40/400", "--save", "m"))
    result = done(call("run", two, "--model", "m", "--json"))
    spent = "selectron: the budget of 40 labels is spent: --budget gives another one\n"
    assert result.stderr.startswith(spent)
    assert json.loads(result.stdout)[0]["asked"] == 0
    result = done(call("run", two, "--model", "m", "--budget", "40/400", "--json"))
    assert "spent" not in result.stderr
    assert json.loads(result.stdout)[0]["asked"] == 40
    result = call("label", "m", two, input="")
    assert result.stderr == spent.replace("the budget", "m would ask for no label, as the budget")
    assert result.exit_code == 1
    more = call("label", "m", two, "--budget", "10%", input="q\n")
    assert (more.exit_code, more.stderr) == (0, "")


def test_an_output_stays_if_the_model_cannot_play_the_file(call, stream, tmp_path):
    done(call("run", stream[0], *FAST, "--save", "m"))
    names, *rows = stream[0].read_text().splitlines()
    odd = {
        "no_label": [name.rpartition(",")[0] for name in (names, *rows)],
        "other": ["other,label", "1,ham"],
        "empty": [names],
    }
    for name, lines in odd.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
        Path("out.csv").write_text("of another run")
        found = call("run", f"{name}.csv", "--model", "m", "-o", "out.csv")
        assert found.exit_code == 1
        assert Path("out.csv").read_text() == "of another run", found.stderr


def test_a_model_that_another_process_has_written_is_kept(call, tmp_path, capsys):
    rows = list(rows_of(300))
    done(call("run", written(tmp_path / "a.csv", rows[:100]), *FAST, "--save", "m"))
    saved = models.load("m")
    done(call("run", written(tmp_path / "b.csv", rows[100:]), "--model", "m", "--save", "m"))
    theirs = Path("m").read_bytes()
    for _ in range(2):  # it stays with the other path
        saved = models.keep(saved.path, saved)
        assert saved.path == "m-2"
    assert Path("m").read_bytes() == theirs != Path("m-2").read_bytes()
    assert "m has changed since it was read: this model is in m-2" in capsys.readouterr().err


def test_two_processes_that_save_at_once_keep_both_models(call, tmp_path, monkeypatch):
    """The second one waits until the first has compared and written."""
    done(call("run", written(tmp_path / "a.csv", rows_of(100)), *FAST, "--save", "m"))
    saved, write = models.load("m"), models.storage.write

    def slow(*given):
        time.sleep(0.3)
        write(*given)

    monkeypatch.setattr(models.storage, "write", slow)
    with ThreadPoolExecutor() as threads:
        both = [threads.submit(models.keep, "m", saved) for _ in range(2)]
    assert sorted(one.result().path for one in both) == ["m", "m-2"]


def test_columns_that_were_renamed_are_all_named(call, tmp_path):
    """So is the column of labels, and one of a similar name."""
    path = written(tmp_path / "a.csv", rows_of(100))
    names, *rows = path.read_text().splitlines()
    done(call("run", path, *FAST, "--save", "m"))
    first, second = names.split(",")[:2]
    other = names.replace(first, "x1", 1).replace(second, "x2", 1)
    (tmp_path / "b.csv").write_text("\n".join([other, *rows]))
    both = f"here are no columns {first!r}, {second!r}, which "
    result = call("run", "b.csv", "--model", "m")
    assert f"{both}earlier rows had: rename them back, or add blank ones" in result.stderr
    result = call("predict", "m", "b.csv")
    assert f"{both}the model has learned from: rename them back" in result.stderr
    (tmp_path / "c.csv").write_text("\n".join([names.replace("label", "Label"), *rows]))
    result = call("run", "c.csv", "--model", "m")
    assert "`selectron label` need none; is it 'Label'?\n" in result.stderr


def test_a_run_whose_model_is_elsewhere_fails(call, tmp_path, monkeypatch):
    path = written(tmp_path / "a.csv", rows_of(100))
    done(call("run", path, *FAST, "--save", "m"))
    module = importlib.import_module("selectron.cli.run")
    monkeypatch.setattr(module, "load", lambda path: models.load(path)._replace(stamp=(0,)))
    result = call("run", path, "--model", "m", "--save", "m")
    assert result.exit_code == 1
    assert "m has changed since it was read: this model is in m-2\n" in result.stderr


def test_a_column_of_classes_is_not_silently_a_feature(call, tmp_path):
    """The model that ignores it learns its labels later."""
    path = written(tmp_path / "a.csv", [row for row in rows_of(200) if row["label"] != "late"])
    new = (*ALL, "--label", "", "--classes", "ham,spam", "--save", "m")
    what = "the column 'label' holds classes, and the model has no column of labels"
    how = "give --label label to learn them, or --ignore label"
    assert f"selectron: {path}: {what}: {how}\n" in done(call("run", path, *new)).stderr
    assert "holds classes" not in done(call("run", path, *new, "--ignore", "label")).stderr
    result = done(call("run", path, "--model", "m", "--label", "label", "--save", "m"))
    assert "label: the label, 2 classes" in result.stderr
    assert models.load("m").classifier.model_.labels > 100


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_model_without_labels_learns_those_of_a_column_later(call, tmp_path, ending):
    """The blank column of the first file is no feature."""
    rows = [row for row in rows_of(200) if row["label"] != "late"]
    first = written(tmp_path / f"a.{ending}", [row | {"label": ""} for row in rows])
    second = written(tmp_path / f"b.{ending}", rows)
    new = (*ALL, "--label", "", "--classes", "ham,spam", "--save", "m")
    assert "holds classes" not in done(call("run", first, *new)).stderr
    assert "holds classes" not in done(call("run", first, "--model", "m")).stderr
    what = "the column 'label' holds classes, and the model has no column of labels"
    warning = f"selectron: {second}: {what}: give --label label to learn them\n"
    assert done(call("run", second, "--model", "m")).stderr.startswith(warning)
    given = ("--model", "m", "--label", "label", "--save", "m")
    assert "holds classes" not in done(call("run", second, *given)).stderr
    result = done(call("run", second, "--model", "m", "--save", "m"))
    assert "label: the label, 2 classes" in result.stderr
    assert models.load("m").classifier.model_.labels == 2 * len(rows)
    done(call("predict", "m", second, "-o", "p.csv"))
    assert "label" in pd.read_csv("p.csv")


def test_a_model_that_was_removed_is_written_again(call, tmp_path):
    done(call("run", written(tmp_path / "a.csv", rows_of(100)), *FAST, "--save", "m"))
    saved = models.load("m")
    Path("m").unlink()
    assert models.keep("m", saved).path == "m"


def test_features_of_ids_are_not_shown(call, tmp_path):
    rows = [row | {"id": f"A{i}"} for i, row in enumerate(rows_of())]
    done(call("run", written(tmp_path / "a.csv", rows), *FAST, "--save", "m"))
    shown = done(call("show", "m")).stdout
    assert "column    id: ignored, as 100 of its first 100 values differ" in shown
    assert "id: unused" not in shown
    rows = [row | {"id": f"{i}" if i < 3 else f"{i:05d}"} for i, row in enumerate(rows_of())]
    done(call("run", written(tmp_path / "b.csv", rows), *FAST, "--save", "n"))  # numbers at first
    shown = done(call("show", "n")).stdout
    assert "column    id: ignored, as 100 of its first 100 values differ" in shown
    assert not re.search(r"\bid\b", shown.partition("Weights")[2])
    assert "city" in shown.partition("Weights")[2]


def test_names_that_the_model_has_are_the_header(call, tmp_path):
    names, *rows = "sample,400,450,found", "S1,0.1,0.2,pos", "S2,0.3,0.1,neg", "S3,0.2,0.2,pos"
    (tmp_path / "a.csv").write_text("\n".join([names, *rows]))
    done(call("run", "a.csv", *FAST, "--header", "--save", "m"))
    for cells in (4, 3):  # without the label, too
        lines = [",".join(line.split(",")[:cells]) for line in (names, *rows)]
        (tmp_path / "b.csv").write_text("\n".join(lines))
        assert len(done(call("predict", "m", "b.csv")).stdout.splitlines()) == 4
    done(call("run", "a.csv", "--model", "m", "--save", "m"))
    assert "rows      6\n" in call("show", "m").stdout


def test_features_that_are_the_same_in_all_rows_are_not_shown(call, tmp_path):
    """Their weights are a threshold: the hour of dates without one, the only device."""
    days = (date(2026, 1, 5) + timedelta(weeks=i) for i in range(400))
    constants = ({"day": f"{day:%d.%m.%Y}", "device": "ICP-1"} for day in days)
    rows = [row | new for row, new in zip(rows_of(), constants, strict=True)]
    done(call("run", written(tmp_path / "a.csv", rows), *FAST, "--save", "m"))
    shown = done(call("show", "m")).stdout.partition("Weights")[2]
    assert "day: day of year" in shown
    assert not any(name in shown for name in ("hour", "weekday", "device"))


@pytest.mark.parametrize("command", ["run", "predict", "label"])
def test_json_rows_of_another_model_are_refused(call, tmp_path, command):
    written(tmp_path / "a.jsonl", rows_of(100))
    done(call("run", "a.jsonl", *FAST, "--save", "m", "--ignore", "id"))
    (tmp_path / "b.jsonl").write_text('{}\n{"c": 1, "label": "ham"}\n')
    kept = Path("m").read_bytes()
    result = call(command, "--model", "m", "b.jsonl")
    assert result.exit_code == 1
    assert "b.jsonl: there is no column from which the model has learned" in result.stderr
    assert Path("m").read_bytes() == kept


def test_maps_of_parquet_are_predicted_as_rows_of_json(call, tmp_path):
    r = np.random.default_rng(0).normal(size=200).round(3).tolist()
    maps = [[("a", x)] if i % 3 else [("a", x), ("b", i)] for i, x in enumerate(r)]
    labels = ["spam" if x > 0 else "ham" for x in r]
    kind = pa.map_(pa.string(), pa.float64())
    table = pa.table({"of": pa.array(maps, kind), "label": labels, "id": range(200)})
    pq.write_table(table, tmp_path / "a.parquet")
    rows = [
        {"of": dict(x), "label": y, "id": i}
        for i, (x, y) in enumerate(zip(maps, labels, strict=True))
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for file in ("a.parquet", "a.jsonl"):
        done(call("run", file, *ALL, "--ignore", "id", "--save", f"{file}.model"))
        call("predict", "a.parquet.model", file, "-o", f"{file}.csv")
    assert (tmp_path / "a.parquet.csv").read_text() == (tmp_path / "a.jsonl.csv").read_text()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_durations_that_predict_has_copied_are_read_as_they_were(call, tmp_path, ending):
    r = np.random.default_rng(0)
    waits = [timedelta(seconds=s) for s in r.exponential(9e4, 300).round(6)]
    labels = ["long" if x > timedelta(days=1) else "short" for x in waits]
    table = pa.table({"wait": pa.array(waits, pa.duration("us")), "z": range(300), "label": labels})
    pq.write_table(table, "a.parquet")
    call("run", "a.parquet", *ALL, "--ignore", "wait", "--save", "other")
    call("run", "a.parquet", *ALL, "--ignore", "z", "--save", "model")
    call("predict", "other", "a.parquet", "-o", f"b.{ending}")
    for file in ("a.parquet", f"b.{ending}"):
        assert call("predict", "model", file, "-o", f"{file}.out.jsonl").exit_code == 0
    first, again = (
        [row["proba_long"] for row in decided(f"{file}.out.jsonl")]
        for file in ("a.parquet", f"b.{ending}")
    )
    assert first == again
