"""Rows of every kind: tables to learn from, and single rows to decide on."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError
from selectron.learners import LASEC, Perceptron

from .examples import X, Y, inside

WHOLE = np.round(4 * X)  # what every kind of number can hold


def fresh(**given):
    return OnlineClassifier(Perceptron(), **({"classes": [-1, 1], "random_state": 0} | given))


# Tables


def strided(X):
    return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]


def backwards(X):
    return X[::-1, ::-1].copy()[::-1, ::-1]


def readonly(X):
    X = X.copy()
    X.flags.writeable = False
    return X


DENSE = {
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big-endian": lambda X: X.astype(">f8"),
    "int8": lambda X: X.astype(np.int8),
    "int64": lambda X: X.astype(np.int64),
    "objects": lambda X: X.astype(object),
    "Fortran": np.asfortranarray,
    "strided": strided,
    "backwards": backwards,
    "read-only": readonly,
    "lists": lambda X: X.tolist(),
    "pandas": pd.DataFrame,
    "pandas of several kinds": lambda X: pd.DataFrame(X).astype({0: int, 1: "Float64", 2: "int8"}),
}


@pytest.mark.parametrize("kind", DENSE)
def test_kinds_of_dense_input(kind):
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(DENSE[kind](WHOLE), Y)
    assert inside(clf) == inside(OnlineClassifier(Perceptron(), random_state=0).fit(WHOLE, Y))
    assert np.array_equal(clf.decision_function(DENSE[kind](WHOLE)), clf.decision_function(WHOLE))


def test_booleans():
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(X > 0, Y)
    assert inside(clf) == inside(
        OnlineClassifier(Perceptron(), random_state=0).fit((X > 0).astype(float), Y)
    )


def test_memory_mapped(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(mapped, Y)
    assert inside(clf) == inside(OnlineClassifier(Perceptron(), random_state=0).fit(X, Y))


THIN = scipy.sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))


def unsorted(thin):
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(*_ends(thin), strict=True)])
    return scipy.sparse.csr_array(
        (thin.data[order], thin.indices[order], thin.indptr), shape=thin.shape
    )


def _ends(thin):
    return thin.indptr[:-1], thin.indptr[1:]


def halves(thin):
    """Every entry twice, at half its value."""
    return scipy.sparse.csr_array(
        (np.repeat(thin.data / 2, 2), np.repeat(thin.indices, 2), 2 * thin.indptr), shape=thin.shape
    )


def wide_indices(thin):
    thin = thin.copy()
    thin.indices, thin.indptr = thin.indices.astype(np.int64), thin.indptr.astype(np.int64)
    return thin


def every_other(thin):
    """Arrays that are not contiguous."""
    wide = scipy.sparse.csr_array(thin)
    wide.data, wide.indices = np.repeat(thin.data, 2)[::2], np.repeat(thin.indices, 2)[::2]
    return wide


SPARSE = {
    "csr matrix": scipy.sparse.csr_matrix,
    "csc array": scipy.sparse.csc_array,
    "csc matrix": scipy.sparse.csc_matrix,
    "coo array": scipy.sparse.coo_array,
    "lil matrix": scipy.sparse.lil_matrix,
    "unsorted": unsorted,
    "duplicates": halves,
    "64-bit indices": wide_indices,
    "not contiguous": every_other,
}


@pytest.mark.parametrize("learner", [Perceptron(), LASEC()], ids=["first", "second"])
@pytest.mark.parametrize("kind", SPARSE)
def test_kinds_of_sparse_input(kind, learner):
    given = SPARSE[kind](THIN)
    before = given.copy()
    clf = OnlineClassifier(learner).fit(given, Y)
    like = OnlineClassifier(learner).fit(THIN, Y)
    np.testing.assert_allclose(clf.coef_, like.coef_, rtol=1e-12)
    assert np.array_equal(clf.predict(given), like.predict(THIN))
    assert abs(given - before).sum() == 0
    assert given.nnz == before.nnz


@pytest.mark.parametrize("learner", [Perceptron(), LASEC()], ids=["first", "second"])
def test_dense_and_sparse_agree(learner):
    sparse = OnlineClassifier(learner).fit(THIN, Y)
    dense = OnlineClassifier(learner).fit(THIN.toarray(), Y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)
    assert np.array_equal(sparse.predict(THIN.toarray()), dense.predict(THIN))


# Names of features


def frame():
    return pd.DataFrame(X, columns=["a", "b", "c", "d"])


def test_names_are_kept():
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(frame(), pd.Series(Y))
    assert clf.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert clf.n_features_in_ == 4
    assert np.array_equal(
        clf.predict(frame()), OnlineClassifier(Perceptron(), random_state=0).fit(X, Y).predict(X)
    )


def test_names_of_another_fit_are_forgotten():
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(frame(), Y)
    assert not hasattr(clf.fit(X, Y), "feature_names_in_")


def test_columns_in_another_order_are_refused():
    clf = OnlineClassifier(Perceptron(), random_state=0).fit(frame(), Y)
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame()[["b", "a", "c", "d"]])


def test_row_of_a_frame_with_names():
    frame = pd.DataFrame(X, columns=list("abcd"))
    clf, plain = fresh().fit(frame, Y), fresh().fit(X, Y)
    assert (
        clf.decide(frame.iloc[7])
        == clf.decide(frame.iloc[[7]])._replace(ticket=1)
        == plain.decide(X[7])
    )
    with pytest.raises(SelectronError, match="feature names"):
        clf.decide(frame.iloc[7][["b", "a", "c", "d"]])


# Single rows

ROWS = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "objects": lambda x: x.astype(object),
    "2-D": lambda x: x[None, :],
    "read-only": lambda x: np.broadcast_to(x, (1, 4)),
    "strided": lambda x: np.repeat(x, 2)[::2],
    "Fortran": lambda x: np.asfortranarray(np.vstack([x, x]))[:1],
    "longdouble": lambda x: x.astype(np.longdouble),
    "big-endian": lambda x: x.astype(">f8"),
    "series": pd.Series,
    "frame": lambda x: pd.DataFrame(x[None, :]),
    "row of a frame": lambda x: pd.DataFrame(np.vstack([x, x])).iloc[1],
    "csr": lambda x: scipy.sparse.csr_array(x[None, :]),
    "csc matrix": lambda x: scipy.sparse.csc_matrix(x[None, :]),
    "1-D coo": scipy.sparse.coo_array,
}


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("known", [True, False], ids=["fitted", "fresh"])
def test_kinds_of_rows(kind, known):
    got, want = fresh(fit_intercept=False), fresh(fit_intercept=False)
    for clf in (got, want) if known else ():
        clf.fit(X[:20], Y[:20])
    ticket = got.decide(ROWS[kind](X[50])).ticket
    assert want.decide(X[50]).ticket == ticket
    label = -got.predict(X[50:51])[0]
    assert got.tell(ticket, label)
    assert want.tell(ticket, label)
    np.testing.assert_allclose(got.coef_, want.coef_, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint8, bool])
@pytest.mark.parametrize("known", [True, False], ids=["fitted", "fresh"])
def test_types_of_rows(dtype, known):
    x = np.array([1, 0, 1, 1])
    got, want = fresh(), fresh()
    for clf in (got, want) if known else ():
        clf.fit(X[:20], Y[:20])
    assert got.decide(x.astype(dtype)) == want.decide(x.astype(float))
    assert inside(got) == inside(want)


def spoil(row):
    (row.data if scipy.sparse.issparse(row) else row)[:] = 0


@pytest.mark.parametrize(
    "kind",
    [
        lambda x: x.copy(),
        lambda x: x[None, :].copy(),
        lambda x: scipy.sparse.csr_array(x[None, :]),
        lambda x: scipy.sparse.csr_array(x[None, :].astype(np.float32)),
    ],
    ids=["array", "2-D", "csr", "csr of float32"],
)
@pytest.mark.parametrize("known", [True, False], ids=["fitted", "fresh"])
def test_what_becomes_of_the_row_afterwards_does_not_matter(kind, known):
    clf, like = fresh(fit_intercept=False), fresh(fit_intercept=False)
    row = kind(X[50])
    for each in (clf, like):
        if known:
            each.fit(kind(X[0]) if row.ndim > 1 else X[:1], [-1])
        each.decide(row)
    spoil(row)
    for each, x in ((clf, kind(X[50])), (like, kind(X[50]))):
        label = -each.predict(x.reshape(1, -1))[0]
        assert each.tell(1, label)
    assert clf.coef_.any()
    assert np.abs(clf.coef_).sum() > 0.5


def test_sparse_rows_stay_sparse():
    thin = scipy.sparse.csr_array(np.where(X > 0.5, X, 0))
    clf = fresh().partial_fit(thin, Y)
    ticket = clf.decide(thin[[5]]).ticket
    assert clf.decide(X[5]).ticket == ticket + 1
    clf.tell(ticket, 1)
    clf.tell(ticket + 1, -1)
    assert clf.model_.sparse


def test_masked_values_are_refused():
    masked = np.ma.masked_greater(X, 1)
    with pytest.raises(SelectronError, match="masked values"):
        OnlineClassifier(Perceptron()).fit(masked, Y)
    clf = OnlineClassifier(Perceptron()).fit(masked.filled(0.0), Y)
    row = int(masked.mask.any(axis=1).argmax())
    with pytest.raises(SelectronError, match="masked values"):
        clf.decide(masked[row])
    assert clf.decide(np.ma.masked_array(X[row])).margin == clf.decide(X[row]).margin
    frame = pd.DataFrame({"_mask": [0.0, 1.0, 2.0, 3.0], "b": 1.0})
    OnlineClassifier(Perceptron()).fit(frame, [0, 1, 0, 1])


@pytest.mark.parametrize(
    "dates", [pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-01", tz="UTC"), pd.Timedelta("1h")]
)
def test_a_frame_with_dates_is_refused_by_the_name_of_the_column(dates):
    frame = pd.DataFrame(X).assign(when=dates)
    with pytest.raises(SelectronError, match=r"^Column 'when' holds dates or times \("):
        OnlineClassifier(Perceptron()).fit(frame, Y)


def test_dates_of_arrow_and_numpy_are_refused():
    dates = pd.date_range("2026-01-01", periods=len(Y), freq="h")
    for table in (pa.table({"when": dates}), pa.table({"when": dates - dates[0]})):
        with pytest.raises(SelectronError, match=r"^Column 'when' holds dates or times \("):
            OnlineClassifier(Perceptron()).fit(table, Y)
    with pytest.raises(SelectronError, match=r"^X holds dates or times \(datetime64"):
        OnlineClassifier(Perceptron()).fit(dates.to_numpy()[:, None], Y)
