"""Tables of mixed columns in an OnlineClassifier, encoded as they come."""

import itertools
import warnings
from enum import Enum

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from selectron import Budget, LeadingHistory, OnlineClassifier, TableEncoder
from selectron.errors import SelectronError
from selectron.learners import LASEC, Perceptron

N = 500
LEARNERS = [LeadingHistory(), LASEC(), Perceptron()]


def stream(text=False, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(N) < 0.05, np.nan, rng.normal(40, 10, N).round()),
            "country": rng.choice(["FR", "DE", "IT", "ES", None], N, p=[0.3, 0.3, 0.2, 0.15, 0.05]),
            "when": pd.date_range("2026-01-01", periods=N, freq="7h"),
        }
    )
    frame.loc[300:, "country"] = rng.choice(["FR", "UK", "PL"], N - 300)
    if text:
        words = np.array(["refund", "please", "late", "thanks", "order", "urgent", "payment"])
        frame["note"] = [" ".join(rng.choice(words, 5)) for _ in range(N)]
    y = np.where(frame.country.isin(["FR", "IT"]) ^ (rng.random(N) < 0.05), "ok", "bad")
    return frame, y


def classifier(learner=None, **options):
    asker = Budget(rate=0.2)
    return OnlineClassifier(
        learner, asker, encoder="auto", classes=["bad", "ok"], random_state=0, **options
    )


SPARSE = [pytest.param(True, marks=pytest.mark.slow)]  # nine experts over 32,768 features


@pytest.mark.parametrize("text", [False, *SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_cut_anywhere_and_saved_is_as_one(learner, text, tmp_path):
    if text and isinstance(learner, LASEC):
        pytest.skip("a matrix over 32,768 hashed features does not fit")
    frame, y = stream(text)
    whole = classifier(learner)
    run = whole.run(frame, y)
    found, clf = [], classifier(learner)
    for start, stop in itertools.pairwise([0, 3, 101, 333, N]):
        found.append(clf.run(frame[start:stop], y[start:stop]))
        clf.save(tmp_path / "model")
        clf = OnlineClassifier.load(tmp_path / "model")
    for name in ("margin", "ask_probability", "flags"):
        joined = np.concatenate([getattr(part, name) for part in found])
        assert joined.tobytes() == getattr(run, name).tobytes()
    whole.save(tmp_path / "whole")
    assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_an_array_is_encoded_even_if_it_is_as_wide_as_an_encoded_row():
    X = np.random.default_rng(0).normal(size=(50, 2))
    frame, y = pd.DataFrame(X, columns=["a", "b"]), np.where(X[:, 0] > 0, "ok", "bad")
    clf = classifier(Perceptron()).fit(frame, y)
    assert clf.decide(np.array([3.0, 0.0])).label == "ok"
    with pytest.raises(SelectronError, match="8 features"):
        clf.decide(np.ones(clf.model_.width))


def test_one_row_at_a_time_decides_as_a_run():
    frame, y = stream()
    run = classifier().run(frame, y)
    live = classifier()
    for i, row in enumerate(frame.to_dict("records")):
        row["when"] = row["when"].isoformat()
        decision = live.decide(row)
        assert (decision.margin, decision.ask) == (run.margin[i], run.asked[i])
        if decision.ask:
            live.tell(decision.ticket, y[i])


@pytest.mark.slow
def test_pandas_arrow_and_dicts_are_alike():
    frame, y = stream(text=True, seed=1)
    clf = classifier().partial_fit(frame, y)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    expected = clf.predict_proba(frame)
    assert np.array_equal(clf.predict_proba(table), expected)
    assert np.array_equal(clf.predict_proba(table.to_pylist()), expected)
    assert (clf.predict(frame) == y).mean() > 0.9


def test_predicting_changes_nothing():
    frame, y = stream()
    clf = classifier().partial_fit(frame[:200], y[:200])
    before = clf.encoder_.pack()
    clf.predict(frame[200:])  # with countries that are new
    assert clf.encoder_.pack() == before


def test_weights_have_names():
    frame, y = stream()
    clf = classifier(LASEC()).partial_fit(frame, y)
    weights = dict(zip(clf.feature_names_, clf.coef_[0], strict=True))
    assert max(weights, key=weights.get) in ("country=FR", "country=IT")


def test_faults_change_nothing():
    frame, y = stream()
    clf = classifier().partial_fit(frame[:100], y[:100])
    before = clf.encoder_.pack(), clf.model_.rounds
    renamed = frame.rename(columns={"age": "years"})
    with pytest.raises(SelectronError, match="There is no column 'age'"):
        clf.partial_fit(renamed, y)
    with pytest.raises(SelectronError, match="has the label 'odd'"):
        clf.run(frame, np.where(np.arange(N) == 400, "odd", y))
    with pytest.raises(SelectronError, match="no rows"):
        clf.predict(frame[:0])
    with pytest.raises(SelectronError, match="key 3"):
        clf.decide({3: "age"})
    assert (clf.encoder_.pack(), clf.model_.rounds) == before


def test_an_encoder_of_your_own():
    frame, y = stream()
    encoder = TableEncoder({"age": "category"}, ignore=["when"])
    clf = OnlineClassifier(Perceptron(), encoder=encoder).fit(frame, y)
    assert clf.encoder_.kinds_ == {"age": "category", "country": "category", "when": "ignored"}
    with pytest.raises(SelectronError, match="no column 'zip'"):
        OnlineClassifier(encoder=TableEncoder({"zip": "category"})).fit(frame, y)
    with pytest.raises(SelectronError, match="encoder must be"):
        OnlineClassifier(encoder="best").fit(frame, y)
    with pytest.raises(SelectronError, match="encoder must be"):
        OnlineClassifier(encoder="best").fit(np.eye(2), ["a", "b"])


MIXED = [{"t": f"win money now number {i}", "k": "x"} for i in range(200)]


def test_a_refused_call_leaves_a_model_that_can_be_kept(tmp_path):
    clf = OnlineClassifier(Perceptron(), encoder="auto", classes=["a", "b"], random_state=0)
    clf.run(MIXED, ["a", "b"] * 100)
    rows = [{"t": "hello", "k": f"user{i}"} for i in range(1500)]  # wider than the model
    with pytest.raises(SelectronError, match="typo"):
        clf.run(rows, ["a"] * 1499 + ["typo"])
    clf.save(tmp_path / "model")
    again = OnlineClassifier.load(tmp_path / "model")
    assert np.array_equal(again.decision_function(MIXED), clf.decision_function(MIXED))


@pytest.mark.parametrize("odd", [{"v": [1e149, 2.0]}, {"new": 2, 7: 3}, {"v": 1, None: 2}], ids=str)
def test_a_refused_row_changes_no_later_decision(odd):
    found = []
    for rows in ([], [odd]):
        clf = classifier(Perceptron(), kernel="poly")
        for i in range(20):
            decision = clf.decide({"v": [1.0, 2.0], "n": i % 5})
            if decision.ask:
                clf.tell(decision.ticket, ["bad", "ok"][i % 2])
        before = clf.encoder_.pack()
        for x in rows:
            with pytest.raises(SelectronError):
                clf.decide(x)
        assert clf.encoder_.pack() == before
        found.append([clf.decide({"v": [1.0, 2.0], "n": float(i)}).margin for i in range(3)])
    assert found[0] == found[1]


def test_numbers_of_lists_have_the_bound_of_numbers():
    clf = classifier(LASEC())
    clf.decide({"v": [1.0, 2.0]})
    clf.decide({"v": [1e150, 2.0]})
    clf.partial_fit(pa.table({"v": [[1e200, 2.0]]}), ["ok"])
    assert clf.encoder_.report() == ["v: vector, 2 numbers, 2 odd values taken as blank"]


@pytest.mark.parametrize("learner", [LASEC(), pytest.param(None, marks=pytest.mark.slow)])
def test_rows_with_objects_are_decided_as_rows_of_their_fields(learner):
    nested, flat = (
        OnlineClassifier(learner, encoder="auto", classes=["p", "q"], random_state=0) for _ in "ab"
    )
    for i in range(40):
        inner = {"a": f"v{i}", "n": i % 7}
        one = nested.decide({"o": inner, "x": 1.0})
        two = flat.decide({**{f"o.{key}": value for key, value in inner.items()}, "x": 1.0})
        assert one[:5] == two[:5]
        if one.ask:
            assert nested.tell(one.ticket, "pq"[i % 2]) == flat.tell(two.ticket, "pq"[i % 2])
    assert nested.model_.rounds == 40


def test_periods_are_dates_in_tables_and_in_dicts():
    frame = pd.DataFrame({"day": pd.period_range("2026-01-01", periods=5, freq="D")})
    dicts, encoder = frame.to_dict("records"), TableEncoder().fit(frame)
    assert encoder.report() == TableEncoder().fit(dicts).report() == ["day: date"]
    np.testing.assert_array_equal(encoder.transform(frame), encoder.transform(dicts))


@pytest.mark.parametrize(
    "form", [lambda f: f, pa.Table.from_pandas, lambda f: f.to_dict("records")]
)
def test_columns_of_another_kind_than_was_learned_are_warned_of(form):
    a = np.random.default_rng(5).normal(size=60)
    frame = pd.DataFrame({"a": a, "c": ["x", "y"] * 30, "v": [[x, 1.0] for x in a]})
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(form(frame), a > 0)
    with warnings.catch_warnings(action="error"):
        clf.predict(form(frame))
        clf.predict(form(frame.assign(c=["z"] * 59 + ["x"], a=["late", *map(str, a[1:])])))
    other = form(frame.assign(a=[f"{x:.2f} o'clock" for x in a], v=[[x] * 3 for x in a]))
    with pytest.warns(UserWarning, match="of the first 60 values of") as found:
        clf.predict(other)
    learned = [str(one.message).partition("as blank: ")[2] for one in found]
    assert learned == ["it was learned as number.", "it was learned as vector, 2 numbers."]


class Channel(Enum):
    WEB = "web"
    MAIL = "mail"


class TextChannel(str, Enum):  # noqa: UP042 - str() of it is its name, unlike that of StrEnum
    WEB = "web"
    MAIL = "mail"


@pytest.mark.parametrize("kind", [Channel, TextChannel])
@pytest.mark.parametrize("form", [list, pd.DataFrame])
def test_members_of_an_enum_are_their_values(kind, form):
    rows = [{"channel": "web"}, {"channel": "mail"}] * 60
    typed = form([{"channel": kind(row["channel"])} for row in rows])
    wanted, y = (
        OnlineClassifier(Perceptron(), encoder="auto").fit(form(rows), ["x", "y"] * 60),
        ["x", "y"] * 60,
    )
    assert wanted.score(typed, y) == 1.0
    found = OnlineClassifier(Perceptron(), encoder="auto").fit(typed, y)
    assert found.encoder_.pack() == wanted.encoder_.pack()
    assert found.decide({"channel": kind.WEB}).label == "x"


@pytest.mark.parametrize(
    "values", [[1, 2, 3], [0.5, None, 2.0], ["2026-11-01", "2026-11-02", None]]
)
@pytest.mark.parametrize("form", [list, pd.DataFrame])
def test_members_of_an_enum_of_any_kind(values, form):
    kind = Enum("Kind", {f"K{i}": value for i, value in enumerate(values)})
    order = np.random.default_rng(0).integers(0, len(values), 300)
    typed = [{"x": kind[f"K{i}"], "all": [kind.K0]} for i in order]
    plain = [{"x": values[i], "all": [values[0]]} for i in order]
    found, wanted = (
        OnlineClassifier(Perceptron(), encoder="auto").fit(form(rows), order.tolist())
        for rows in (typed, plain)
    )
    assert found.encoder_.pack() == wanted.encoder_.pack()
    assert found.predict(typed).tolist() == wanted.predict(plain).tolist()


@pytest.mark.parametrize("form", [list, pd.DataFrame, pa.Table.from_pylist])
def test_lists_of_whole_numbers(form):
    """They are words if their lengths differ, as those of ids do, and else vectors."""
    random = np.random.default_rng(0)
    rows = [{"ids": random.integers(1, 30, n).tolist()} for n in random.integers(0, 5, 400)]
    y = ["bad" if {7, 8} & {*row["ids"]} else "ok" for row in rows]
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(form(rows), y)
    assert clf.score(form(rows), y) > 0.95  # always "ok" is right in 0.9
    kinds = {name: column.kind for name, column in clf.encoder_.columns_.items()}
    assert kinds == {"ids": "text"}
    pixels = [{"pixels": random.integers(0, 256, 6).tolist()} for _ in range(200)]
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(form(pixels), ["a", "b"] * 100)
    assert clf.encoder_.report() == ["pixels: vector, 6 numbers"]


def test_a_dict_of_which_nothing_is_known_is_named():
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(
        [{"a": 1.0, "b": "x"}, {"a": 2.0}], ["u", "v"]
    )
    other = {"Subject": "win", "deep": {"a": 1}}
    with pytest.warns(UserWarning, match="it has 'Subject', 'deep.a', and earlier rows had 'a'"):
        clf.predict([other])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.predict([{"b": "y"}, other])
        clf.predict([{}])


def test_a_decision_on_a_dict_of_which_nothing_is_known_warns_once():
    clf = OnlineClassifier(Perceptron(), encoder="auto", classes=["u", "v"])
    for i in range(20):
        clf.decide({f"word{i}": 1.0})  # as sparse rows of words, which share nothing
    clf = OnlineClassifier(Perceptron(), encoder="auto", classes=["u", "v"])
    for i in range(20):
        clf.decide({"a": float(i), "b": "x"})
    clf.decide({"c": 1.0, "a": 2.0})
    clf = OnlineClassifier(Perceptron(), encoder="auto", classes=["u", "v"]).fit(
        [{"a": float(i)} for i in range(20)], ["u", "v"] * 10
    )
    with pytest.warns(UserWarning, match=r"it has 'item.a', and earlier rows had 'a'"):
        clf.decide({"item": {"a": 1.0}})
    clf.decide({"item": {"a": 1.0}})
