"""`selectron run` with many classes, bounds, kernels, and columns that are not labels."""

import json
from pathlib import Path

import numpy as np
import pytest

from selectron import OnlineClassifier

FAST = ["--learner", "perceptron"]


def test_two_classes_at_once_are_two_classes(call, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{u},{v},{'yes' if u > v else 'no'}" for u, v in rng.normal(size=(400, 2)).tolist()]
    (tmp_path / "two.csv").write_text("u,v,label\n" + "\n".join(lines))
    argv = ("run", "two.csv", "--learner", "perceptron", "--ask", "always", "--json", "--many")
    (joint,), (exact,) = (json.loads(call(*argv, many).stdout) for many in ("joint", "exact"))
    assert exact["mistakes"] == joint["mistakes"] < 50


@pytest.mark.parametrize("many", ["joint", "rest"])
def test_a_file_of_many_classes_some_of_which_come_late(call, tmp_path, many):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 3))
    labels = np.array(["c", "a", "b"], dtype=object)[X.argmax(axis=1)]
    labels[X[:, 0] > 1.5] = "late"
    labels[:4500][labels[:4500] == "late"] = "c"
    lines = [
        ",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), labels, strict=True)
    ]
    (tmp_path / "many.csv").write_text("\n".join(["u,v,w,label", *lines]))
    argv = ("run", "many.csv", "--learner", "passive-aggressive:C=0.1", "--ask", "always")
    found = call(*argv, "--many", many, "--json", "-o", "out.json")
    (result,) = json.loads(found.stdout)
    rows = [json.loads(line) for line in Path("out.json").read_text().splitlines()]
    assert [row["label"] for row in rows] == labels.tolist()
    assert result["mistakes"] == sum(row["label"] != row["prediction"] for row in rows)
    assert result["accuracy"] > 0.8
    assert {row["prediction"] for row in rows[6000:]} == {"a", "b", "c", "late"}


def test_a_column_that_is_no_label(call, tmp_path):
    (tmp_path / "numbers.csv").write_text("a,label\n" + "".join(f"1,{i}\n" for i in range(2000)))
    result = call("run", "numbers.csv", *FAST)
    assert result.exit_code == 1
    assert "2,000 values in the first 2,000 rows, and each would be a class" in result.stderr


def test_bounds_are_printed_beside_what_came_of_it(call, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    lines = [f"{u},{v},{int(u + v > 0)}" for u, v in X.tolist()]
    (tmp_path / "line.csv").write_text("u,v,label\n" + "\n".join(lines))
    argv = ("run", "line.csv", "--learner", "perceptron", "--learner", "norma", "--bounds")
    shown = call(*argv).stdout
    assert "steps: Cesa-Bianchi, Gentile & Zaniboni 2004, theorem 1" in shown
    assert "no theorem is about this learner" in shown
    perceptron, norma = json.loads(call(*argv, "--json").stdout)
    assert all(claim["outcome"] <= claim["bound"] for claim in perceptron["bounds"])
    assert len(perceptron["bounds"]) == 2
    assert norma["bounds"] == []


def test_first_order_takes_any_kernel_in_the_exact_form(call, tmp_path):
    (tmp_path / "three.csv").write_text("a,label\n" + "1,x\n2,y\n3,z\n" * 9)
    argv = ("run", "three.csv", *FAST, "--many", "exact", "--kernel")
    found = [json.loads(call(*argv, kernel, "--json").stdout) for kernel in ("poly", "polynomial")]
    assert found[0][0]["mistakes"] == found[1][0]["mistakes"]


@pytest.mark.parametrize("late", [False, True])
def test_a_column_of_measurements_is_no_column_of_labels(call, tmp_path, late):
    values = ["1", "2"] * 3000 * late + ["0.25", "1.5", "0.75", "2"] * 5
    (tmp_path / "m.csv").write_text("a,label\n" + "".join(f"1,{value}\n" for value in values))
    result = call("run", "m.csv", *FAST)
    assert result.exit_code == 1
    assert "m.csv: the labels are numbers such as '0.25', more than two by row" in result.stderr
    assert call("run", "m.csv", *FAST, "--classes", "0.25,0.75,1,1.5,2").exit_code == 0


def test_two_fractions_are_two_classes(call, tmp_path):
    (tmp_path / "two.csv").write_text("a,label\n" + "1,0.5\n-1,-0.5\n" * 5)
    assert call("run", "two.csv", *FAST).exit_code == 0


def test_kernels(call, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    lines = [f"{u},{v},{int(u * u + v * v > 1.4)}" for u, v in X.tolist()]
    (tmp_path / "ring.csv").write_text("u,v,label\n" + "\n".join(lines))
    argv = ("run", "ring.csv", "--learner", "passive-aggressive:C=1", "--ask", "always", "--json")
    (linear,) = json.loads(call(*argv).stdout)
    (curved,) = json.loads(call(*argv, "--kernel", "rbf:gamma=0.5", "--max-support", "50").stdout)
    assert linear["accuracy"] < 0.65
    assert curved["accuracy"] > 0.8
    unknown = call(*argv, "--kernel", "cosine")
    assert unknown.exit_code == 2
    assert "no kernel 'cosine'; there are rbf, linear, poly" in unknown.stderr


def test_a_sketch_is_kept_with_the_model(call, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{u},{v},{'yes' if u > v else 'no'}" for u, v in rng.normal(size=(300, 2)).tolist()]
    (tmp_path / "two.csv").write_text("u,v,label\n" + "\n".join(lines))
    argv = ("run", "two.csv", "--ask", "always", "--json")
    (whole,) = json.loads(call(*argv, "--learner", "lasec").stdout)
    (sketch,) = json.loads(call(*argv, "--sketch", "3", "--save", "model").stdout)
    assert sketch["mistakes"] == whole["mistakes"] < 30
    assert OnlineClassifier.load(tmp_path / "model").sketch == 3
    found = call("run", "two.csv", "--sketch", "3", "--learner", "perceptron")
    assert found.exit_code == 2
    assert "Perceptron has no --sketch" in found.output
