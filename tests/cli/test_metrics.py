"""Metrics and calibration curves of `selectron run`, next to accuracy."""

import json
from pathlib import Path

import numpy as np
import pytest

FAST = ["--learner", "perceptron", "--budget", "20%"]


@pytest.fixture
def fraud(tmp_path):
    """A file of which 4% of the rows are of a class."""
    rng = np.random.default_rng(7)
    rare = rng.random(1500) < 0.04
    X = rng.normal(size=(1500, 2)) + 2 * rare[:, None]
    rows = [f"{a:.3f},{b:.3f},{'fraud' if y else 'ok'}" for (a, b), y in zip(X, rare, strict=True)]
    path = tmp_path / "fraud.csv"
    path.write_text("a,b,label\n" + "\n".join(rows))
    return path


def of_json(call, *argv):
    return json.loads(call("run", *argv, *FAST, "--json").stdout)


def test_the_recall_of_a_rare_class_is_shown(call, fraud):
    lines = call("run", fraud, *FAST).stdout.splitlines()
    true = of_json(call, fraud)[0]["metrics"]["true"]
    assert "  recall of fraud  " in lines[0]
    assert f" {true['recall'][0]:.4f} " in lines[2]
    assert lines[4] == f"Always predicting ok has an accuracy of {true['majority']:.4f}."


def test_no_class_of_a_balanced_stream_is_rare(call, stream):
    shown = call("run", stream[0], *FAST).stdout
    assert "recall" not in shown
    assert f"has an accuracy of {max(np.mean(stream[2] > 0), np.mean(stream[2] < 0)):.4f}." in shown


def test_without_labels_no_class_is_the_most_frequent(call, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,4\n")
    shown = call("run", "a.csv", *FAST, "--label", "", "--classes", "ham,spam").stdout
    assert shown.startswith("learner ")
    assert "Always predicting" not in shown


@pytest.mark.slow
def test_a_file_that_is_sorted_by_class_is_reported(call, tmp_path):
    rows = [f"{i % 7},{'abc'[i // 3000]}\n" for i in range(9000)]
    for order in rows, rows[::-1], rows[1:] + rows[:1]:
        (tmp_path / "a.csv").write_text("x,kind\n" + "".join(order))
        shown = call("run", "a.csv", *FAST).stdout
        assert ("The rows are sorted by class" in shown) == (order[0] != rows[1])


def test_metrics_are_printed_on_demand(call, stream):
    shown = call("run", stream[0], *FAST, "--metrics").stdout
    (found,) = of_json(call, stream[0])
    true, estimated = found["metrics"]["true"], found["metrics"]["estimated"]
    assert true["accuracy"] == pytest.approx(found["accuracy"])
    assert estimated["accuracy"] == pytest.approx(found["estimate"]["accuracy"])
    assert np.sum(true["confusion"]) == 300
    lines = {line.split("  ")[0]: line.split()[-2:] for line in shown.splitlines()}
    for name in ("kappa", "log_loss", "balanced_accuracy"):
        expected = [f"{part[name]:.4f}" for part in (true, estimated)]
        assert lines[name.replace("_", " ")] == expected
    assert lines["spam"] == [f"{count:,.0f}" for count in estimated["confusion"][1]]


def test_without_audits_nothing_is_estimated(call, fraud):
    argv = ("run", fraud, "--learner", "perceptron", "--ask", "always")
    (found,) = json.loads(call(*argv, "--json").stdout)
    assert found["metrics"]["estimated"] is None
    assert 0 < found["metrics"]["true"]["log_loss"] < 1
    assert "estimated" not in call(*argv, "--metrics").stdout


def test_new_classes_and_chunks_change_no_sum(call, tmp_path):
    rows = [f"{i % 7},{'abc'[i % 2 + (i > 4500) * (i % 3 == 0)]}" for i in range(9000)]
    (tmp_path / "new.csv").write_text("x,label\n" + "\n".join(rows))
    (found,) = of_json(call, "new.csv")
    true = found["metrics"]["true"]
    assert true["classes"] == ["a", "b", "c"]
    labels = [row[-1] for row in rows]
    assert np.sum(true["confusion"], axis=1).tolist() == [labels.count(name) for name in "abc"]
    assert np.trace(true["confusion"]) == 9000 - found["mistakes"]


def test_a_calibration_curve_is_drawn_on_demand(call, stream):
    argv = ("run", stream[0], *FAST, "--plot", "p.svg")
    assert call(*argv).exit_code == 0
    assert "probability of the predicted class" not in Path("p.svg").read_text()
    assert call(*argv, "--calibration").exit_code == 0
    assert "probability of the predicted class" in Path("p.svg").read_text()
    result = call("run", stream[0], *FAST, "--calibration")
    assert result.exit_code == 2
    assert "--calibration needs --plot" in result.stderr


def test_rare_classes_without_a_column_are_counted(call, tmp_path):
    names = [f"kind{k}" for k in range(5) for _ in range(3)] + ["ok"] * 285
    rows = [
        f"{i % 11},{name}" for i, name in enumerate(np.random.default_rng(0).permutation(names))
    ]
    (tmp_path / "a.csv").write_text("\n".join(["x,label", *rows]))
    line = "The table has the recall of the rarest 3 of 5 rare classes: --metrics shows all."
    shown = call("run", "a.csv", *FAST).stdout
    assert line in shown
    assert shown.count("recall of kind") == 3
    assert "The table has" not in call("run", "a.csv", *FAST, "--metrics").stdout


def test_classes_that_differ_in_capitals_alone_are_doubted(call, tmp_path):
    kinds = "ham", "spam", "Spam", "not spam", "Not  spam", "SPAM"
    rows = [f"{i % 7},{kinds[i % 6]}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["x,label", *rows]))
    alike = "'spam', 'Spam', 'SPAM' and 'not spam', 'Not  spam'"
    doubt = f"the labels {alike} differ in capitals or spaces alone: are they one class?"
    assert doubt in call("run", "a.csv", *FAST, "--save", "m").stderr
    assert "capitals" not in call("run", "a.csv", "--model", "m").stderr
    named = "ham,spam,Spam,not spam,Not  spam,SPAM"
    assert "capitals" not in call("run", "a.csv", *FAST, "--classes", named).stderr


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_saved_model_is_evaluated_without_learning(call, fraud, ending):
    """Rows without a label do not count; a class that is new to the model is never right."""
    assert call("run", fraud, *FAST, "--save", "m").exit_code == 0
    before, lines = Path("m").read_bytes(), fraud.read_text().splitlines()[1:]
    rows = [dict(zip(("a", "b", "label"), line.split(","), strict=True)) for line in lines]
    rows[0]["label"], rows[1]["label"] = "", "new"
    if ending == "jsonl":
        text = "\n".join(json.dumps(row | {"a": float(row["a"])}) for row in rows)
    else:
        text = "\n".join(["a,b,label", *(",".join(row.values()) for row in rows)])
    Path(f"new.{ending}").write_text(text)
    result = call("predict", "m", f"new.{ending}", "-o", "out.jsonl", "--label", "label")
    assert result.exit_code == 0
    assert Path("m").read_bytes() == before
    written = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    right = [row["prediction"] == row["label"] for row in written[1:]]
    assert result.stderr.startswith(f"new.{ending}: 1,499 rows with a label in 'label'\n\n")
    assert f"accuracy           {np.mean(right):.4f}\n" in result.stderr
    found = [row["prediction"] == "fraud" for row in written if row["label"] == "fraud"]
    assert f"\nfraud        {np.mean(found):.4f} " in result.stderr


def test_predictions_are_compared_with_labels_alone(call, fraud):
    assert call("run", fraud, *FAST, "--save", "m").exit_code == 0
    for name, why in ("a", "'a' is a feature of the model"), ("labl", "is it 'label'?"):
        result = call("predict", "m", fraud, "-o", "out.csv", "--label", name)
        assert result.exit_code == 1
        assert why in result.stderr
        assert not Path("out.csv").exists()
