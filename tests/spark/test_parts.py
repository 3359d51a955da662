"""What needs no Spark session: checks of columns and parameters, and a step in a worker."""

import datetime
import enum
from typing import NamedTuple

import numpy as np
import pytest
from tests.draws import generator_of

from selectron import OnlineClassifier, TableEncoder, spark
from selectron.askers import BBQ, Budget, Fixed, Margin
from selectron.engine.rows import Sparse
from selectron.errors import SelectronError
from selectron.learners import Perceptron
from selectron.model.keyed import ASAP, Keyed

checks = pytest.importorskip("selectron.spark.checks")
pytest.importorskip("pyspark", reason="PySpark is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")


class Frame(NamedTuple):
    """What the checks read of a DataFrame."""

    dtypes: list
    isStreaming: bool = False

    @property
    def columns(self):
        return [name for name, _ in self.dtypes]


KEYS = [("site", "string"), ("user", "bigint"), ("n", "bigint")]
FRAME = Frame([*KEYS, ("a b", "double"), ("x.y", "double")])
LABELS = Frame([*KEYS, ("label", "string")])
GIVEN = {"key": ["site", "user"], "order": "n", "columns": ["a b", "x.y"]}
GIVEN |= {"classes": ["down", "up"], "labels": LABELS, "asker": Fixed(0.5)}
HOURS = Frame([*KEYS[:2], ("n", "timestamp"), ("label", "string")])
WRONG = {
    "has no column 'c': it has": {"columns": ["c"]},
    "columns or encoder": {"columns": None},
    "a fitted TableEncoder": {"columns": None, "encoder": TableEncoder()},
    "'site' is of string, and must be numbers": {"columns": ["site"]},
    "'x.y' is of double, and must be whole numbers, dates": {"order": "x.y"},
    "'x.y' is of double, and must be texts": {"key": "x.y"},
    "classes must be two or more": {"classes": ["up"]},
    "classes must be texts, whole": {"classes": ["up", 1]},
    "'label' of labels is of string, and the classes are whole": {"classes": [0, 1]},
    "labels has no column 'ticket' or 'n'": {"labels": Frame([*KEYS[:2], LABELS.dtypes[-1]])},
    "labels must be streaming if": {"labels": LABELS._replace(isStreaming=True)},
    "'n' of labels is of timestamp, and the order is of bigint": {"labels": HOURS},
    "max_open must be a whole number from 1": {"max_open": 0},
    "ttl must be a whole number": {"ttl": datetime.timedelta(days=1)},
    "a period needs an order of times": {"asker": Budget(labels=2, per="1d", asker=Margin(1.0))},
    "asks by the variance": {"asker": BBQ(0.5)},
}


@pytest.mark.parametrize("text", WRONG)
def test_parameters_that_do_not_fit_are_refused_in_a_sentence(text):
    with pytest.raises(SelectronError, match=text) as found:
        spark.decide(FRAME, **GIVEN | WRONG[text])
    assert str(found.value).count(". ") == 0


def test_classes_may_be_of_an_enumeration():
    kind = enum.StrEnum("kind", ["ham", "spam"])
    assert checks.classes(list(kind)) == ("ham", "spam")
    with pytest.raises(SelectronError, match="texts, whole numbers or booleans alone"):
        checks.classes([2, True])


def test_models_are_of_batches():
    with pytest.raises(SelectronError, match="models takes a batch"):
        spark.models(FRAME._replace(isStreaming=True), **GIVEN)


def united(X=(), codes=(), state=None):
    """Return rows, their labels and a state in the columns that come to a worker."""
    given = [] if state is None else [{"code": -(2**31), "position": 0, "state": state}]
    rows = [{"code": 0, "position": t, "x": x, "v0": f"row {t}"} for t, x in enumerate(X)]
    labels = [{"code": code, "position": t} for t, code in enumerate(codes)]
    names = ["k0", "code", "position", "by_ticket", "time", "x", "v0", "state"]
    found = pd.DataFrame([*labels, *given, *rows], columns=names)
    return found.assign(k0="a", by_ticket=False, time=ASAP)


def plan_of(frame, **options):
    from selectron.spark.handler import KeyStep

    keyed = Keyed(Perceptron(), Margin(0.5), width=2, names=(("down", "up"), "ab"), **options)
    return KeyStep(keyed, list(frame.columns), ("down", "up"))


def test_a_worker_plays_a_key_as_a_run_does_and_goes_on_from_its_state():
    X = np.random.default_rng(0).normal(size=(60, 2))
    codes = np.where(X[:, 0] > 0, 1, -1)
    frame = united(X, codes)
    plan = plan_of(frame)
    state, found = plan.advance(("a",), None, frame)
    draws = generator_of(0, ("a",))
    clf = OnlineClassifier(Perceptron(), Margin(0.5), random_state=draws)
    run = clf.run(X, np.where(codes > 0, "up", "down"))
    assert found.label.tolist() == run.prediction.tolist()
    assert found.ask.tolist() == run.asked.tolist()
    assert np.stack(found.proba).tolist() == run.proba.tolist()
    assert found.v0.tolist() == [f"row {t}" for t in range(60)]
    later = united(X[:9])
    given, alike = plan.advance(("a",), None, united(X[:9], state=state))
    assert given == plan.advance(("a",), state, later)[0]
    assert alike.ticket.tolist() == plan.advance(("a",), state, later)[1].ticket.tolist()
    assert not len(plan.advance(("a",), None, united(state=state))[1])


def test_a_worker_takes_sparse_rows():
    rows = [{"indices": [0, 1], "values": [1.0, -2.0]}, {"indices": [1], "values": [3.0]}]
    frame = united(rows, [1, -1])
    plan = plan_of(frame, sparse=True)
    found = plan.rows(np.array(rows, object))
    assert isinstance(found, Sparse)
    assert [part.tolist() for part in found] == [[0, 2, 3], [0, 1, 1], [1.0, -2.0, 3.0]]
    assert plan.advance(("a",), None, frame)[1].position.tolist() == [0, 1]
