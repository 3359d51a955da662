"""Times of rows, which a budget per period goes by."""

import warnings
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Budget
from selectron.learners import Perceptron

from .examples import X, inside, is_one_sentence

ROWS = X[:4]
DAY = datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=1)))
SECONDS = datetime(2026, 1, 2, tzinfo=UTC).timestamp()
DAYS = {
    "text": "2026-01-02",
    "text with a zone": "2026-01-02T01:00:00+01:00",
    "a date": date(2026, 1, 2),
    "a moment": DAY,
    "pandas'": pd.Timestamp(DAY),
    "NumPy's": np.datetime64("2026-01-02", "ns"),
    "a whole number": int(SECONDS),
    "NumPy's number": np.float32(SECONDS),
}
NEVER = [1767225600000, 1e300, -1e13, np.nan, np.inf, "soon", pd.NaT, np.datetime64("NaT"), True]

pytestmark = pytest.mark.usefixtures("interpreted")


def fresh():
    asker = Budget(labels=1, per="1d")
    return OnlineClassifier(Perceptron(), asker, classes=[-1, 1], random_state=0)


@pytest.mark.parametrize("kind", DAYS)
def test_what_may_be_a_time(kind):
    wanted = float(np.float32(SECONDS)) if kind == "NumPy's number" else SECONDS
    clf = fresh()
    for _ in range(2):  # the first round makes the model
        clf.decide(ROWS[0], time=DAYS[kind])
        assert clf.model_.one_round.times[0] == wanted
    runs = [fresh().run(ROWS, [1, -1, 1, -1], times=[time] * 4) for time in (DAYS[kind], wanted)]
    assert runs[0].flags.tolist() == runs[1].flags.tolist()


@pytest.mark.parametrize("time", NEVER, ids=repr)
def test_what_can_be_no_time_changes_nothing(time):
    clf = fresh()
    with pytest.raises(SelectronError, match=r"^time is "):
        clf.decide(ROWS[0], time=time)
    assert not hasattr(clf, "classes_")
    clf.decide(ROWS[0], time=0)
    before = inside(clf)
    with pytest.raises(SelectronError, match=r"^time is ") as caught:
        clf.decide(ROWS[0], time=time)
    assert is_one_sentence(str(caught.value))
    with pytest.raises(SelectronError, match=r"^times: row 2 has ") as caught:
        clf.run(ROWS, [1, -1, 1, -1], times=np.array([0, 1, time, 2], object))
    assert is_one_sentence(str(caught.value))
    assert inside(clf) == before


def test_a_time_is_one():
    with pytest.raises(SelectronError, match="must be a date or seconds"):
        fresh().decide(ROWS[0], time=[0.0])


def test_times_that_go_back_are_warned_of():
    with pytest.warns(UserWarning, match="times: row 2 is earlier than row 1: the budget"):
        fresh().run(ROWS, [1, -1, 1, -1], times=[3.0, 9.0, 8.0, 10.0])


def test_a_row_before_the_period_of_the_budget_is_warned_of():
    """As where times are given, but for one row, which is of now."""
    clf = fresh()
    with warnings.catch_warnings(action="error"):
        for time in ("2020-03-01 12:00", "2020-03-02 09:00", "2020-03-02 08:00", None, None):
            clf.decide(ROWS[0], time=time)
    match = "time: 2020-03-03 00:00 is earlier than .* 00:00, when the period of the budget began"
    with pytest.warns(UserWarning, match=match):
        clf.decide(ROWS[0], time="2020-03-03")


@pytest.mark.parametrize("times", [[0.0], 0.0, [[0.0]] * 4, [[0.0], [0.0, 1.0], [], []]], ids=repr)
@pytest.mark.parametrize("asker", [Budget(labels=1, per="1d"), Budget(rate=0.1), None], ids=repr)
def test_there_are_as_many_times_as_rows(asker, times):
    clf = OnlineClassifier(Perceptron(), asker)
    with pytest.raises(SelectronError, match="one for each of 4 rows"):
        clf.run(ROWS, [1, -1, 1, -1], times=times)
    assert not hasattr(clf, "classes_")
