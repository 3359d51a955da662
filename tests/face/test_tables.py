"""Tables of mixed columns: `encoder="auto"` through the estimator."""

import collections
import copy
import datetime
import warnings
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError, TableEncoder
from selectron.learners import Perceptron
from selectron.pool import SelfDirectedClassifier

from .examples import is_one_sentence

ROWS = [{"age": i % 7, "country": "FR" if i % 2 else "DE"} for i in range(40)]
LABELS = ["yes" if i % 2 else "no" for i in range(40)]
FRAME = pd.DataFrame(ROWS)


def fresh(**options):
    return OnlineClassifier(Perceptron(), encoder="auto", random_state=0, **options)


def test_a_model_is_kept_after_a_dict_brought_a_column(tmp_path):
    clf = fresh().fit(FRAME, LABELS)
    clf.decide({"age": 3, "size": 2.5})
    clf.save(tmp_path / "model")
    again = OnlineClassifier.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(ROWS), clf.predict_proba(ROWS))


def test_objects_and_maps_that_stay_whole_are_json():
    inner = [{"a": i % 2, "b": None} for i in range(40)]
    texts = ['{"a": 0, "b": null}', '{"a": 1, "b": null}'] * 20
    whole = TableEncoder({"of": "category"})
    for frame in (pa.table({"of": inner}), pd.DataFrame({"of": inner})):
        assert np.array_equal(whole.fit_transform(frame), whole.fit_transform({"of": texts}))
    pairs = [[("k", "ab"[i % 2])] for i in range(40)]
    maps = pa.table({"of": pa.array(pairs, pa.map_(pa.string(), pa.string()))})
    assert whole.fit(maps).report() == ["of: category, 2 values"]
    days = pa.array([[(datetime.date(2026, 1, 1), 1)], None] * 20, pa.map_(pa.date32(), pa.int64()))
    days = pa.table({"of": days})
    assert whole.fit(days).report() == ["of: category, 1 value, 50.0% blank"]
    assert TableEncoder().fit(days).report() == ["of.2026-01-01: number, 50.0% blank"]
    assert TableEncoder({"of": "category"}).fit([{"of": {(1, 2): 3}}]).kinds_ == {"of": "category"}


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


def test_numbers_far_off_and_columns_that_are_all_blank_are_warned_of():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"v": rng.normal(size=400), "w": np.where(np.arange(400) % 20, 1.0, np.nan)})
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(X, X["v"] > 0)
    with pytest.warns(UserWarning, match="'v': 300 of 300 values are more than 8 standard dev"):
        clf.predict(X[:300].assign(v=X["v"] * 10 + 50))
    with pytest.warns(UserWarning, match="'w': blank in all rows, 5% when learned"):
        clf.predict_proba([{"v": 0.5}] * 20)
    clf.predict(X.assign(v=[*[50.0] * 150, *X["v"][150:]]))  # of all rows, most are as before
    clf.predict(X.assign(w=[*[None] * 150, *X["w"][150:]]))


def test_a_column_that_is_mostly_odd_is_warned_of_once():
    """While it is learned, too, from rows that come together."""
    ragged = {"v": [[0.5, 1.0]] + [[0.5] * (3 + i) for i in range(39)], "n": [1.0] * 40}
    message = "39 of the last 40 values of 'v' are odd, and taken as blank: it is learned as vector"
    for learn in ("fit", "run", "partial_fit"):
        clf = fresh()
        with pytest.warns(UserWarning, match=message) as found:
            getattr(clf, learn)(pa.table(ragged), LABELS)
        assert len(found) == 1
        if learn != "fit":
            with warnings.catch_warnings(action="error"):
                getattr(clf, learn)(pa.table(ragged), LABELS)
    with warnings.catch_warnings(action="error"):
        ragged["v"] = [[0.5, 1.0]] * 21 + ragged["v"][:19]
        fresh().fit(pa.table(ragged), LABELS)
        for row in pa.table(ragged).to_pylist():
            clf.decide(row)


@pytest.mark.parametrize("learn", ["run", "partial_fit"])
def test_a_column_that_changes_after_many_rows_is_warned_of(learn):
    clf = fresh().fit(pa.table({"v": [[0.5, 1.0]] * 400, "n": [1.0] * 400}), LABELS * 10)
    later = pa.table({"v": [[0.5] * 3] * 80, "n": pa.nulls(80)})
    with pytest.warns(UserWarning, match="odd|have no") as found:
        getattr(clf, learn)(later, LABELS * 2)
    assert [str(one.message) for one in found] == [
        "80 of the last 80 values of 'v' are odd, and taken as blank: it is learned as vector, "
        "2 numbers.",
        "The last 80 rows have no 'n', and most rows before had.",
    ]


def test_a_category_whose_values_are_all_new_is_warned_of():
    known = [{"c": ["FR", "DE", "IT"][i % 3], "id": f"u{i % 20}", "x": float(i)} for i in range(40)]
    clf = fresh().fit(known, LABELS)
    new = [row | {"c": row["c"].lower(), "id": f"v{i}"} for i, row in enumerate(known)]
    message = "20 of the first 20 values of 'c' are new, and ignored: it was learned as category, 3"
    for rows in (new[:20], pd.DataFrame(new[:20]), pa.Table.from_pylist(new[:20])):
        for call in (clf.predict, clf.predict_proba, lambda X: clf.score(X, LABELS[:20])):
            with pytest.warns(UserWarning, match=message) as found:
                call(rows)
            assert len(found) == 1
    with warnings.catch_warnings(action="error"):
        clf.predict(new[:19])
        clf.predict([*new[:19], known[0]])
        clf.predict([*new[:19], {"c": None, "id": "v", "x": 1.0}])


@pytest.mark.parametrize("encoder", ["auto", TableEncoder(), None])
def test_blanks_in_an_array_are_refused_with_what_takes_them(encoder):
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[3, 1] = np.nan
    clf = OnlineClassifier(Perceptron(), encoder=encoder)
    with pytest.raises(SelectronError, match=r"frame, such as pandas.DataFrame\(X\)") as error:
        clf.fit(X, LABELS)
    assert is_one_sentence(str(error.value))
    clf.set_params(encoder=encoder or "auto").fit(pd.DataFrame(X), LABELS)


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
    with pytest.raises(
        SelectronError, match=r"X has (no columns|one dimension)|names that are not text"
    ) as caught:
        fresh().fit(rows, LABELS)
    assert "\n" not in str(caught.value)


def test_no_row_is_refused():
    with pytest.raises(SelectronError, match="takes one row"):
        fresh().fit(FRAME, LABELS).decide(None)


def test_columns_go_by_their_names():
    clf = fresh().fit(FRAME, LABELS)
    expected = clf.predict_proba(FRAME).tolist()
    for rows in (FRAME[["country", "age"]], FRAME.assign(new=[{}] * 40), FRAME.iloc[:, ::-1]):
        assert clf.predict_proba(rows).tolist() == expected
    assert clf.predict_proba(pa.Table.from_pandas(FRAME.assign(new=1))).tolist() == expected
    assert clf.partial_fit(FRAME[["country", "age"]], LABELS).n_rounds_ == 80
    for rows, reason in [
        (
            FRAME[["country"]],
            "There is no column 'age', which earlier rows had: rename it back, or add a blank one.",
        ),
        (FRAME.assign(new=1), "There was no column 'new' in earlier rows: leave it out."),
    ]:
        with pytest.raises(SelectronError) as caught:
            clf.partial_fit(rows, LABELS)
        assert str(caught.value) == reason


def test_a_column_that_is_ignored_may_be_missing():
    encoder = TableEncoder(ignore=["country"])
    clf = OnlineClassifier(Perceptron(), encoder=encoder, random_state=0).fit(FRAME, LABELS)
    twin = OnlineClassifier(Perceptron(), encoder=encoder, random_state=0).fit(FRAME, LABELS)
    clf.partial_fit(FRAME[["age"]], LABELS)
    twin.partial_fit(FRAME, LABELS)
    assert clf.predict_proba(FRAME).tolist() == twin.predict_proba(FRAME[["age"]]).tolist()


def test_columns_to_be_ignored_may_come_later():
    encoder = TableEncoder(ignore=["id", "typist"])
    clf = OnlineClassifier(Perceptron(), encoder=encoder, random_state=0)
    with pytest.warns(UserWarning, match="There is no column 'id' to ignore"):
        clf.fit(FRAME, LABELS)
    twin = copy.deepcopy(clf).partial_fit(FRAME, LABELS).partial_fit(FRAME[:1], LABELS[:1])
    later = FRAME.assign(id=range(40))
    clf.partial_fit(later, LABELS).partial_fit(later[:1].to_dict("records"), LABELS[:1])
    assert clf.encoder_.pack() == twin.encoder_.pack()
    assert clf.decide(later.iloc[0].to_dict())[:2] == twin.decide(FRAME.iloc[0].to_dict())[:2]
    assert clf.encoder_.n_features_in_ == clf.n_features_in_ == 2


def test_an_array_has_the_columns_of_a_frame_whose_names_are_numbers():
    X = np.arange(160.0).reshape(40, 4)
    clf = OnlineClassifier(Perceptron(), encoder="auto").fit(pd.DataFrame(X), LABELS)
    for _ in range(2):
        assert len(clf.predict(X)) == 40
        for other in (np.c_[X, X], X[:, :3]):
            with pytest.raises(SelectronError, match="but OnlineClassifier is expecting 4 feat"):
                clf.predict(other)
        clf.partial_fit([{"0": 1.0, "1": 2.0, "2": 3.0, "3": 4.0, "more": 5.0}], LABELS[:1])


def decide_all(clf, rows):
    for row in rows:
        clf.decide(row)


def broken(row, fault):
    row = dict(row)
    if fault == "renamed":
        row["vector"] = row.pop("v")
    elif fault == "none":
        row["v"] = None
    else:
        row["v"] = row["v"] * 2 if fault == "longer" else "low"
    return row


FAULTS = {"renamed": "have no 'v'", "none": "have no 'v'"}


@pytest.mark.parametrize("past", ["live", "run", "file"])
@pytest.mark.parametrize("fault", ["renamed", "none", "longer", "word"])
def test_a_column_that_breaks_is_warned_of_within_128_live_rows(past, fault, tmp_path):
    rows = [{"v": [0.5, i % 7 / 7], "w": "ab"[i % 2]} for i in range(500)]
    clf = OnlineClassifier(Perceptron(), encoder="auto", classes=["no", "yes"])
    if past == "live":
        decide_all(clf, rows)
    else:
        clf.run(rows, [None] * 500)
    if past == "file":
        clf.save(tmp_path / "model")
        clf = OnlineClassifier.load(tmp_path / "model")
    with pytest.warns(UserWarning, match=FAULTS.get(fault, "of 'v' are odd")) as found:
        decide_all(clf, [broken(row, fault) for row in rows[:128]])
    assert [one.filename for one in found] == [__file__]


@pytest.mark.parametrize("end", [1024, 1030])
def test_a_column_that_ends_between_two_looks_is_warned_of(end):
    clf = OnlineClassifier(Perceptron(), encoder="auto", random_state=0)
    decide_all(clf, [{"v": i, "t": i} for i in range(end)])
    with pytest.warns(UserWarning, match="have no 't'") as found:
        decide_all(clf, [{"v": i} for i in range(600)])
    assert len(found) == 1


def test_a_column_that_comes_and_goes_is_warned_of_once():
    clf = OnlineClassifier(Perceptron(), encoder="auto", random_state=0)
    rows = [{"v": i} | ({"t": i} if i % 1000 < 600 else {}) for i in range(4000)]
    with pytest.warns(UserWarning, match="have no 't'") as found:
        decide_all(clf, rows)
    assert len(found) == 1


def test_a_fault_that_lasts_is_warned_of_once():
    clf = OnlineClassifier(Perceptron(), encoder="auto", random_state=0)
    for i in range(191):
        clf.decide({"v": i if i < 128 else "low"})
    with pytest.warns(UserWarning, match="64 of the last 64 values of 'v' are odd, and taken as"):
        clf.decide({"v": "low"})
    decide_all(clf, 400 * [{"v": "low"}] + 128 * [{"v": 1.0}])
    with pytest.warns(UserWarning, match="odd"):
        decide_all(clf, 128 * [{"v": "low"}])


def test_columns_that_few_rows_have_are_not_missed():
    clf = OnlineClassifier(Perceptron(), encoder="auto", random_state=0)
    for i in range(900):
        row = {"v": i} | ({"w": i, "u": "x"} if i < 300 and i % 3 == 0 else {})
        clf.decide(row | ({"t": i} if 300 < i < 500 else {}))


def test_rows_are_decided_on_after_a_warning_that_is_an_error():
    clf = OnlineClassifier(Perceptron(), encoder="auto", random_state=0)
    for i in range(127):
        clf.decide({"v": i if i < 50 else "low"})
    with pytest.raises(UserWarning, match="77 of the last 128"):
        clf.decide({"v": 1.0})
    assert clf.decide({"v": 1.0}).ask


Row = collections.namedtuple("Row", ["v", "c", "n"])


@pytest.mark.parametrize(
    "row", [Row([0.5, 1.0], "a", 1.0), ([0.5, 1.0], "a", 1.0), [0.5, 1.0, 2.0]]
)
def test_rows_without_names_are_refused_in_one_sentence(row):
    clf = fresh().fit([Row([0.5, 1.0], "ab"[i % 2], float(i))._asdict() for i in range(40)], LABELS)
    for method in (clf.predict, clf.explain, lambda X: clf.run(X, LABELS[: len(X)])):
        with pytest.raises(SelectronError, match=r"The rows have no names .* dict\(zip") as error:
            method([row, row])
        assert is_one_sentence(str(error.value))
    mixed = Row([0.5, 1.0], "a", 1.0)
    for refused in (lambda: fresh().fit([mixed, mixed], ["a", "b"]), lambda: clf.decide(mixed)):
        with pytest.raises(SelectronError, match="rows differ in length, or have lists") as error:
            refused()
        assert is_one_sentence(str(error.value))


class Polars:
    """A stand-in for a Polars data frame, whose objects are addresses in Arrow."""

    def __init__(self, values):
        self.values, self.shape = values, (len(values), 1)
        self.columns, self.dtypes = ["v"], ["Object"]

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        return self.values if key == "v" else Polars(self.values[key])

    def slice(self, start, n):
        return self[start : start + n]

    def __arrow_c_stream__(self, requested_schema=None):
        addresses = [id(one).to_bytes(8) for one in self.values]
        found = pa.table({"v": pa.array(addresses, pa.binary(8))})
        return found.__arrow_c_stream__(requested_schema)


def test_objects_of_polars_are_read_as_those_of_pandas():
    vectors = [*np.random.default_rng(0).normal(size=(40, 3))]
    frame, same = Polars(vectors), pd.DataFrame({"v": vectors})
    clf, other = fresh().fit(frame, LABELS), fresh().fit(same, LABELS)
    assert clf.encoder_.report() == ["v: vector, 3 numbers"]
    assert np.array_equal(clf.predict_proba(frame), other.predict_proba(same))
    assert clf.decide(frame[:1]) == other.decide(same[:1])
    one, another = Polars([{"a": 1}, {"b": 2}] * 20), pd.DataFrame({"v": [{"a": 1}, {"b": 2}] * 20})
    run, other = fresh().run(one, LABELS), fresh().run(another, LABELS)
    assert np.array_equal(run.margin, other.margin)


class Unusual(Polars):
    """One with a column of a type that Arrow has not."""

    columns = ()

    def __init__(self, names):
        self.values, self.shape, self.columns = [0.0] * 40, (40, len(names)), names

    def __getitem__(self, names):
        return Unusual(names)

    def __arrow_c_stream__(self, requested_schema=None):
        if "big" in self.columns:
            raise pa.ArrowInvalid("Invalid format string: '_pli128'.")
        found = pa.table(dict.fromkeys(self.columns, self.values))
        return found.__arrow_c_stream__(requested_schema)


def test_a_column_of_a_type_that_arrow_has_not_is_named():
    with pytest.raises(
        SelectronError, match=r"Arrow cannot take column 'big': Invalid format.*; cast it"
    ):
        fresh().fit(Unusual(["a", "big"]), LABELS)


class LazyFrame:
    """A stand-in for that of Polars."""


def test_a_lazy_table_is_to_be_collected():
    clf = fresh().fit(FRAME, LABELS)
    for refused in (fresh().fit, clf.run, clf.score, lambda X, y: clf.predict(X)):
        with pytest.raises(
            SelectronError, match=r"^X is a Polars LazyFrame: give X.collect\(\)\.$"
        ):
            refused(LazyFrame(), LABELS)
    for refused in (fresh().fit, clf.run, clf.score):
        with pytest.raises(
            SelectronError, match=r"^y is a Polars LazyFrame: give y.collect\(\)\.$"
        ):
            refused(FRAME, LazyFrame())


def test_names_that_are_numbers_are_compared_as_text():
    frame = pd.DataFrame(np.arange(80).reshape(40, 2) % 3)
    clf = OnlineClassifier(Perceptron(), encoder=TableEncoder({0: "category"}, ignore=[1]))
    assert clf.fit(frame, LABELS).encoder_.kinds_ == {"0": "category", "1": "ignored"}


def test_a_sparse_matrix_may_follow_a_table():
    clf = fresh().fit(FRAME[["age"]], LABELS)
    rows = scipy.sparse.csr_array(FRAME[["age"]].to_numpy(float))
    with pytest.warns(UserWarning, match="valid feature names"):
        assert clf.predict(rows).tolist() == clf.predict(FRAME[["age"]]).tolist()


DAYS = pd.period_range("2026-01", periods=40, freq="M")
ODD = {
    "bins": pd.Series(pd.qcut(np.arange(40.0), 4)),
    "pairs": pd.Series(pd.Categorical(pd.Series([(1, 2), (3, 4)] * 20))),
    "months": pd.Series(pd.Categorical(DAYS)),
    "intervals": pd.Series(pd.interval_range(0, 40)),
    "periods": pd.Series(DAYS),
    "dicts": pd.Series([{"a": 1}, {"b": 2}] * 20),
    "holes": pd.Series(pd.qcut([np.nan, *range(39)], 3)),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_values_are_categories_by_their_text(kind):
    frame = pd.DataFrame({"x": np.arange(40.0), "odd": ODD[kind]})
    rows = [{"x": float(i), "odd": value} for i, value in enumerate(ODD[kind])]
    for columns in ({"odd": "category"}, {}):
        clf, one = (OnlineClassifier(Perceptron(), encoder=TableEncoder(columns)) for _ in "ab")
        clf.fit(frame, LABELS)
        if columns or isinstance(ODD[kind].dtype, pd.CategoricalDtype):
            assert clf.encoder_.kinds_["odd"] == "category"
        if columns:
            assert one.fit(rows, LABELS).predict_proba(rows).tolist() == (
                clf.predict_proba(frame).tolist()
            )
    clf = OnlineClassifier(Perceptron(), encoder=TableEncoder({"odd": "date"}))
    with pytest.warns(UserWarning, match="values of 'odd' are odd, .*: it is declared as date"):
        clf.fit(frame, LABELS)


PLAIN = {
    "intervals": pd.DataFrame({"x": ODD["intervals"][:4]}),
    "periods": pd.DataFrame({"x": ODD["periods"][:4]}),
    "dicts": pd.DataFrame({"x": ODD["dicts"][:4]}),
    "structured": np.zeros(4, [("a", float), ("b", int)]),
    "matrix": np.eye(4).view(np.matrix),
    "generator": (row for row in np.eye(4)),
    "partly text": pd.DataFrame(np.eye(4)[:, :2], columns=[0, "a"]),
    "partly None": pd.DataFrame(np.eye(4)[:, :2], columns=[None, "a"]),
    "twice": pd.DataFrame(np.eye(4)[:, :2], columns=["a", "a"]),
    "huge": [[10**400]] * 4,
    "objects": [[object()]] * 4,
    "dates": [[datetime.date(2026, 1, 1)]] * 4,
}


@pytest.mark.parametrize("kind", PLAIN)
def test_what_is_no_table_of_numbers_is_refused_in_one_sentence(kind):
    calls = [lambda: OnlineClassifier(Perceptron()).fit(PLAIN[kind], ["a", "b"] * 2)]
    if kind in ("intervals", "dicts", "objects"):
        calls.append(lambda: SelfDirectedClassifier().run(PLAIN[kind], ["a", "b"] * 2))
    if isinstance(PLAIN[kind], list):
        calls.append(lambda: OnlineClassifier(classes=["a", "b"]).decide(PLAIN[kind][0]))
    for call in calls:
        with pytest.raises(SelectronError) as caught:
            call()
        assert is_one_sentence(str(caught.value))


@pytest.mark.parametrize("row", [FRAME[["age"]].iloc[0], np.array([3])], ids=["series", "array"])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_row_of_a_table_with_one_column(row):
    clf = fresh().fit(FRAME[["age"]], LABELS)
    assert (
        clf.decide(row).label
        == clf.predict(FRAME[["age"]].iloc[[3 - int(np.asarray(row)[0])]]).item()
    )
    with pytest.raises(SelectronError, match="decide takes one row"):
        clf.decide(np.float64(5))


@pytest.mark.parametrize("kind", [collections.OrderedDict, MappingProxyType])
def test_mappings_of_any_kind_are_flattened(kind):
    rows = [{"user": kind({"age": row["age"]})} for row in ROWS]
    assert fresh().fit(rows, LABELS).encoder_.report() == ["user.age: number"]
    with pytest.raises(SelectronError, match=r"Two fields are named 'user.age': rename one"):
        fresh().fit([row | {"user.age": 3} for row in rows], LABELS)


def test_arrays_after_a_frame_with_numbers_for_names():
    frame = pd.DataFrame({0: np.arange(40.0), 1: np.arange(40.0)[::-1] ** 2})
    clf = fresh().fit(frame, LABELS)
    assert clf.predict(frame.to_numpy()).tolist() == clf.predict(frame).tolist()
    assert clf.decide([1.0, 2.0]).label == clf.predict(frame.iloc[[0]] * 0 + [1.0, 2.0]).item()


def test_the_form_of_output_stays_when_the_encoder_is_fitted():
    encoder = TableEncoder().set_output(transform="pandas")
    for _ in range(2):
        found = encoder.fit(FRAME).transform(FRAME)
        assert list(found.columns) == ["age", "country=DE", "country=FR"]
