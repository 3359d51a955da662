"""Tables of mixed columns: `encoder="auto"` through the estimator."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from selectron import OnlineClassifier, SelectronError
from selectron.learners import Perceptron

ROWS = [{"age": i % 7, "country": "FR" if i % 2 else "DE"} for i in range(40)]
LABELS = ["yes" if i % 2 else "no" for i in range(40)]
FRAME = pd.DataFrame(ROWS)


def fresh(**options):
    return OnlineClassifier(Perceptron(), encoder="auto", random_state=0, **options)


def test_the_first_row_may_be_a_dict():
    clf = fresh(classes=["no", "yes"])
    assert clf.tell(clf.decide(ROWS[0]).ticket, "no")
    assert fresh().fit(ROWS, LABELS).n_features_in_ == 2


def test_a_model_is_kept_after_a_dict_brought_a_column(tmp_path):
    clf = fresh().fit(FRAME, LABELS)
    clf.decide({"age": 3, "size": 2.5})
    clf.save(tmp_path / "model")
    again = OnlineClassifier.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(ROWS), clf.predict_proba(ROWS))


@pytest.mark.parametrize(
    "rows",
    [
        FRAME[["country"]],
        pd.DataFrame({"day": pd.to_datetime(["2026-01-01"] * 40)}),
        np.array([["a", "b"]] * 40),
        [{"country": "FR"}] * 40,
    ],
)
def test_text_without_an_encoder_gets_a_hint(rows):
    with pytest.raises(SelectronError, match='encoder="auto"'):
        OnlineClassifier(Perceptron()).fit(rows, LABELS)


def test_frames_may_follow_dicts(recwarn):
    clf = fresh().fit(ROWS, LABELS)
    assert clf.predict(FRAME).tolist() == clf.predict(ROWS).tolist()
    assert not recwarn.list


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (pd.concat([FRAME, FRAME], axis=1), "Two columns are named 'age'"),
        (pa.Table.from_pandas(FRAME).to_reader(), "has no length"),
    ],
)
def test_tables_that_cannot_be_taken(rows, reason):
    with pytest.raises(SelectronError, match=reason):
        fresh().fit(rows, LABELS)


@pytest.mark.parametrize("rows", [FRAME["country"], FRAME[[]], FRAME.rename(columns={"age": 0})])
def test_a_table_that_will_not_do_is_refused_in_one_sentence(rows):
    with pytest.raises(SelectronError, match=r"X has no columns|Feature names") as caught:
        fresh().fit(rows, LABELS)
    assert "\n" not in str(caught.value)


def test_no_row_is_refused():
    with pytest.raises(SelectronError, match="takes one row"):
        fresh().fit(FRAME, LABELS).decide(None)
