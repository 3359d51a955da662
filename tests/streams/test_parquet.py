"""Parquet files."""

import io
import math
import sys

import pyarrow as pa
import pytest

from selectron.streams.readers import read

from .reading import canonical, dense, example, fails, parquet, stored, until_error


def test_parquet_types(tmp_path):
    columns = {
        "i": pa.array([1, 2], pa.int8()),
        "u": pa.array([3, 2**53], pa.uint64()),
        "h": pa.array([0.5, 1.5], pa.float16()),
        "f": pa.array([0.25, -1], pa.float32()),
        "b": [True, False],
        "d": pa.array([1, 2], pa.decimal128(9, 2)),
        "c": pa.array([7, 8]).dictionary_encode(),
        "y": [1, 0],
    }
    (chunk,) = read(stored(tmp_path, "a.parquet", parquet(columns)))
    canonical(chunk, 4096)
    assert chunk.rows.values.tolist() == [
        [1, 3, 0.5, 0.25, 1, 1, 7],
        [2, 2**53, 1.5, -1, 0, 2, 8],
    ]
    assert chunk.labels.tolist() == ["1", "0"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, None, -3], ["1", None, "-3"]),
        ([1.0, 0.5, math.nan], ["1", "0.5", None]),
        ([True, False, None], ["True", "False", None]),
        ([" ham", "", "?"], ["ham", None, None]),
        (pa.array(["b", None, "a"]).dictionary_encode(), ["b", None, "a"]),
        (pa.array([1, 2, None], pa.decimal128(9, 2)), ["1", "2", None]),
        (pa.nulls(3), [None, None, None]),
    ],
)
def test_parquet_labels(tmp_path, labels, expected):
    path = stored(tmp_path, "a.parquet", parquet({"a": [1, 2, 3], "y": labels}))
    assert dense(read(path, size=2), 1)[1] == expected


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.large_list(pa.float64()),
                                  pa.list_(pa.float64(), 2)])  # fmt: skip
def test_parquet_vectors(tmp_path, kind):
    X = [[1.5, 2], [3, 4], [5, 6]]
    content = parquet({"x": pa.array(X, kind), "label": ["a", "b", None]})
    chunks = list(read(stored(tmp_path, "a.parquet", content), size=2))
    for chunk in chunks:
        canonical(chunk, 2)
    assert dense(chunks, 2)[0].tolist() == X
    content = parquet({"x": pa.array(X, kind)})
    assert dense(read(stored(tmp_path, "a.parquet", content), size=2), 2)[0].tolist() == X


@pytest.mark.parametrize(
    ("columns", "rows", "reason"),
    [
        (
            {"a": [1.0, 2], "city": ["x", "y"], "y": [0, 1]},
            0,
            "column 'city' holds string, and numbers are needed; "
            "leave it out (--drop city) or name it as the label",
        ),
        ({"a": [1.0, None], "y": [0, 1]}, 1, "row 2: column 'a' is empty (null)"),
        ({"a": [1.0, math.nan], "y": [0, 1]}, 1, "row 2: column 'a' is not finite (nan)"),
        ({"a": [1, 2], "b": [-math.inf, 1], "y": [0, 1]}, 0,
         "row 1: column 'b' is not finite (-inf)"),
        ({"x": [[1.0, 2], [3.0]], "y": [0, 1]}, 1,
         "row 2: column 'x' holds 1 numbers, and 2 were expected"),
        ({"x": [[1.0, 2], None], "y": [0, 1]}, 1,
         "row 2: column 'x' holds 0 numbers, and 2 were expected"),
        ({"x": [[1.0, 2], [3.0, None]], "y": [0, 1]}, 1, "row 2: column 'x' is empty (null)"),
        ({"x": [[], [1.0]], "y": [0, 1]}, 0, "row 1: column 'x' holds no vector"),
        (
            {"x": [[1.0], [2.0]], "a": [1, 2], "y": [0, 1]},
            0,
            "column 'x' holds vectors, which have to be the only feature; drop the others",
        ),
        (
            {"a": [1.0], "y": [[1]]},
            0,
            "column 'y' holds list<element: int64>, which is no label; "
            "name another column as the label",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 4096])
def test_parquet_errors(tmp_path, columns, rows, reason, size):
    path = stored(tmp_path, "a.parquet", parquet(columns))
    assert fails(path, size=size) == (rows, reason)


def test_parquet_row_names_of_pandas_are_left_out(tmp_path):
    content = parquet({"a": [1.0], "y": [0], "__index_level_0__": ["u1"]})
    (chunk,) = read(stored(tmp_path, "a.parquet", content))
    assert (chunk.width, chunk.labels.tolist()) == (1, ["0"])


def test_parquet_cut_short_or_damaged(tmp_path):
    content, _, _ = example("parquet", n=5000)
    for keep in (3, 100, len(content) - 10):
        rows, text = fails(stored(tmp_path, "a.parquet", content[:keep]))
        assert rows == 0
        assert text.startswith("this is not a whole Parquet file, it may be cut short (")
    broken = bytearray(content)
    broken[len(content) // 3 : len(content) // 3 + 3000] = b"\xff" * 3000
    rows, text = fails(stored(tmp_path, "b.parquet", bytes(broken)), size=100)
    assert f"damaged after {rows} rows" in text or "row " in text


def test_parquet_from_a_pipe(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(example("parquet")[0])))
    for options in ({}, {"format": "parquet"}):
        _, text = until_error(read("-", **options))
        assert text == (
            "standard input: Parquet cannot be read from a pipe; give the path of the file"
        )
