"""Sweeps: the same results however they are computed, and nothing computed twice."""

import importlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.askers import Budget, Fixed, Margin
from selectron.engine.round import Step
from selectron.errors import SelectronError
from selectron.evaluate import each as module
from selectron.evaluate.each import each
from selectron.evaluate.sweep import grid, sweep
from selectron.learners import PassiveAggressive, Perceptron
from selectron.streams import switching_gaussian

counted = []


def squared(x):
    counted.append(x)
    if x < 0:
        raise ValueError("negative")
    return {"square": x * x, "root": x**0.5}


def root(x):
    return x**0.5


def napping(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(60)


class Mine(NamedTuple):
    def numbers(self):
        return ()

    def step(self, r):
        return Step(keep=1.0, eta=r.y)


def calls(*values):
    return [{"x": x} for x in values]


@pytest.fixture(autouse=True)
def _nothing_counted():
    counted.clear()


def test_results_come_in_the_order_of_the_calls():
    with ThreadPoolExecutor(3) as pool:
        pool.submit = Mock(wraps=pool.submit)
        results = each(squared, calls(*range(20)), executor=pool)
    assert pool.submit.call_count == 20
    assert [result["square"] for result in results] == [x * x for x in range(20)]


def test_only_what_is_new_is_computed(tmp_path):
    first = each(squared, calls(1, 2), store=tmp_path)
    assert each(squared, calls(1, 2, 3), store=tmp_path)[:2] == first
    assert counted == [1, 2, 3]


def test_what_was_done_before_an_error_is_kept(tmp_path):
    with pytest.raises(ValueError, match="negative"):
        each(squared, calls(1, 2, -1, 3), store=tmp_path)
    assert len(each(squared, calls(1, 2, 3), store=tmp_path)) == 3
    assert counted == [1, 2, -1, 3]


def test_another_function_or_code_is_another_result(tmp_path, monkeypatch):
    each(squared, calls(4), store=tmp_path)
    assert each(root, calls(4), store=tmp_path) == [2.0]
    monkeypatch.setattr(module, "code_digest", lambda function: "changed")
    each(squared, calls(4), store=tmp_path)
    assert counted == [4, 4]


def test_a_change_in_a_module_that_the_function_imports_is_another_result(tmp_path, monkeypatch):
    package, store = tmp_path / "trials_of_mine", tmp_path / "store"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "trial.py").write_text("from .data import rows\n\ndef total():\n    return rows()\n")
    monkeypatch.syspath_prepend(tmp_path)
    for text, expected in (("def rows(): return 1", 1), ("def rows(): return 1 + 1", 2)):
        (package / "data.py").write_text(text)
        for name in [name for name in sys.modules if name.startswith("trials_of_mine")]:
            monkeypatch.delitem(sys.modules, name)
        total = importlib.import_module("trials_of_mine.trial").total
        assert each(total, [{}], store=store) == [expected]


def test_a_change_in_the_library_is_another_result_but_in_what_only_reports(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    digests = [module.code_digest.__wrapped__(squared)]
    for folder in ("cli", "model"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "new.py").touch()
        digests.append(module.code_digest.__wrapped__(squared))
    assert digests[0] == digests[1] != digests[2]


def test_a_result_that_is_not_whole_is_computed_anew(tmp_path):
    each(squared, calls(4), store=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps({"square": 16})[:-3])
    assert each(squared, calls(4), store=tmp_path) == [{"square": 16, "root": 2.0}]
    assert counted == [4, 4]


def test_a_result_is_the_same_fresh_and_stored(tmp_path):
    fresh = each(dict, [{"a": (1, np.inf), "b": None}], store=tmp_path)
    assert fresh == each(dict, [{"a": (1, np.inf), "b": None}], store=tmp_path)
    assert fresh == [{"a": [1, np.inf], "b": None}]


def test_no_worker_is_too_few():
    with pytest.raises(SelectronError, match="workers must be 1 or more, got 0"):
        each(squared, calls(1), workers=0)


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_sweep import each, napping
each(napping, [{"folder": sys.argv[2]}] * 2, workers=2)
"""


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are killed in another way")
def test_workers_end_with_the_process_that_is_killed(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), str(tmp_path)]
    with subprocess.Popen(command) as parent:
        while len(list(tmp_path.iterdir())) < 2:
            assert parent.poll() is None
            time.sleep(0.1)
        parent.kill()
    workers = [int(path.name) for path in tmp_path.iterdir()]
    for _ in range(300):
        if not any(map(alive, workers)):
            return
        time.sleep(0.1)
    raise AssertionError(f"{workers} are still there")


LEARNERS = [Perceptron(), *grid(PassiveAggressive, C=[0.1, 1.0])]
ASKERS = [Margin(0.1), Fixed(0.3)]


@pytest.fixture(scope="module")
def stream():
    return switching_gaussian(600, d=5, every=200)


def test_a_sweep_is_what_the_classifier_does(stream):
    table = sweep(*stream, LEARNERS, ASKERS, seeds=[3, 5], fit_intercept=False).to_pylist()
    assert len(table) == 3 * 2 * 2
    row = next(row for row in table if row["learner__C"] == 0.1 and row["seed"] == 5)
    clf = OnlineClassifier(PassiveAggressive(C=0.1), Margin(0.1), fit_intercept=False)
    run = clf.set_params(random_state=5).run(*stream)
    assert (row["accuracy"], row["label_rate"]) == (run.accuracy, run.label_rate)
    assert (row["mistakes"], row["steps"], row["rows"]) == (run.mistakes, run.steps, 600)


def test_a_sweep_names_the_asker_in_a_budget(stream):
    askers = [Budget(rate=0.1, asker=Margin(0.5)), Budget(rate=0.1), Margin(0.5)]
    table = sweep(*stream, [PassiveAggressive()], askers)
    assert table["asker__asker"].to_pylist() == ["margin:b=0.5", "uncertainty:doubt=0.5", None]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((Perceptron(), ASKERS), r"learners must be a list, got Perceptron\(\)"),
        ((LEARNERS, Margin(0.1)), "askers must be a list"),
        ((LEARNERS, ASKERS, 3), "seeds must be a list, got 3"),
        (([None], ASKERS), "learner must be an object from selectron.learners"),
        ((LEARNERS, ["margin"]), "asker must be an object from selectron.askers"),
    ],
)
def test_what_cannot_be_swept_is_told_before_a_pass(stream, given, said):
    with pytest.raises(SelectronError, match=said):
        sweep(*stream, *given)


def test_a_grid_has_parameters_of_its_kind():
    with pytest.raises(SelectronError, match="no parameter 'q': PassiveAggressive has C, variant"):
        grid(PassiveAggressive, q=[1.0])


@pytest.mark.parametrize("values", [0.1, "II"])
def test_a_grid_takes_lists(values):
    with pytest.raises(SelectronError, match="must be a list"):
        grid(PassiveAggressive, variant=values)


def test_passes_of_one_seed_have_the_same_draws(stream):
    table = sweep(*stream, LEARNERS, [Fixed(0.3)], seeds=[0, 1]).to_pylist()
    asked = {seed: {row["asked"] for row in table if row["seed"] == seed} for seed in (0, 1)}
    assert len(asked[0]) == len(asked[1]) == 1
    assert asked[0] != asked[1]


@pytest.mark.slow
def test_a_sweep_is_the_same_with_two_processes(stream, tmp_path):
    one = sweep(*stream, LEARNERS, ASKERS[:1], store=tmp_path / "one")
    two = sweep(*stream, LEARNERS, ASKERS[:1], store=tmp_path / "two", workers=2)
    assert one == two
    names = [sorted(path.name for path in (tmp_path / way).iterdir()) for way in ("one", "two")]
    assert names[0] == names[1]


def test_a_learner_that_was_edited_is_played_again(tmp_path, monkeypatch, interpreted):
    X, y = switching_gaussian(200, d=3, seed=0)
    first = sweep(X, y, [Mine()], [Fixed(1.0)], store=tmp_path)
    assert sweep(X, y, [Mine()], [Fixed(1.0)], store=tmp_path) == first
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(Mine, "step", lambda self, r: Step(keep=0.5, eta=r.y))
    assert sweep(X, y, [Mine()], [Fixed(1.0)], store=tmp_path) != first
