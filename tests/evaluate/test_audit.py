"""Accuracy from asked labels alone: an interval only where there are labels enough for one."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from selectron import OnlineClassifier
from selectron.askers import Budget
from selectron.cli import main
from selectron.evaluate import Audit, audited
from selectron.learners import LASEC
from selectron.streams import switching_gaussian


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = switching_gaussian(100, d=4, seed=0)
    lines = [",".join([*map(repr, x), str(label)]) for x, label in zip(X.tolist(), y, strict=True)]
    for n in (50, 99, 100):
        (tmp_path / f"{n}.csv").write_text("\n".join(["a,b,c,d,label", *lines[:n]]))
    return lambda *args: CliRunner().invoke(main, ["run", "--budget", "10%", *args])


@pytest.mark.parametrize("rows", ["50", "99"])
def test_a_short_stream_has_no_interval(call, rows):
    assert " too few labels " in call(f"{rows}.csv").stdout
    (row,) = json.loads(call(f"{rows}.csv", "--json").stdout)
    assert row["estimate"] is None
    assert row["estimate_reason"] == "too few labels: an interval takes 100 rows"


def test_a_longer_one_has(call):
    assert " to " in call("100.csv").stdout
    (row,) = json.loads(call("100.csv", "--json").stdout)
    assert 0 <= row["estimate"]["low"] < row["estimate"]["high"] <= 1
    assert row["estimate_reason"] is None


def test_an_asker_without_audits_has_none_either(call):
    (row,) = json.loads(call("100.csv", "--learner", "perceptron", "--json").stdout)
    assert row["estimate_reason"] is None  # a budget makes audits
    args = ("run", "100.csv", "--learner", "perceptron", "--ask", "always", "--json")
    (row,) = json.loads(CliRunner().invoke(main, args).stdout)
    assert (row["estimate"], row["estimate_reason"]) == (
        None,
        "the asker makes no audits: a budget does",
    )


def test_the_functions_keep_to_it():
    X, y = switching_gaussian(300, d=4, seed=0)
    clf = OnlineClassifier(LASEC(), asker=Budget(rate=0.3), random_state=0)
    run = clf.run(X[:99], y[:99])
    found = audited(run)
    assert 0 < found.accuracy < 1
    assert (found.low, found.high) == (0, 1)
    run = OnlineClassifier(LASEC(), asker=Budget(rate=0.3), random_state=0).run(X, y)
    found = audited(run)
    assert 0 < found.low < found.accuracy < found.high < 1


def test_the_length_of_the_stream_may_be_given():
    audit = Audit()
    audit.add(np.full(20, 0.5), np.arange(20) < 5)
    assert audit.estimate() == audit.estimate(rows=100)
    assert audit.estimate(rows=99) == (0.75, 0.0, 1.0)
