"""Parquet files."""

import io
import math
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selectron import SelectronError
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
    wanted = pa.table(columns).drop_columns("y")
    assert chunk.rows.schema.types[:-1] == wanted.schema.types[:-1]
    assert chunk.rows.to_pydict() == wanted.to_pydict()
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


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.date32(), pa.binary()])
def test_columns_that_are_no_label(tmp_path, kind):
    content = parquet({"a": [1.0], "y": pa.nulls(1, kind)})
    found = fails(stored(tmp_path, "a.parquet", content))
    assert found[0] == 0
    assert found[1].startswith("column 'y' holds ")
    assert found[1].endswith(", which is not a label; name another as the label")


def test_other_columns_are_left_to_the_encoder(tmp_path):
    columns = {
        "a": [1.0, None, math.nan],
        "city": ["x", None, "y"],
        "day": pa.array([1, None, 2], pa.date32()),
        "x": [[1.0, 2], [3.0], None],
    }
    (chunk,) = read(stored(tmp_path, "a.parquet", parquet({**columns, "y": [0, 1, 0]})))
    assert chunk.rows.select(["city", "day", "x"]) == pa.table(columns).drop_columns("a")
    assert chunk.rows["a"].null_count == 1


def test_parquet_row_names_of_pandas_are_left_out(tmp_path):
    content = parquet({"a": [1.0], "y": [0], "__index_level_0__": ["u1"]})
    (chunk,) = read(stored(tmp_path, "a.parquet", content))
    assert (chunk.rows.column_names, chunk.labels.tolist()) == (["a"], ["0"])


def test_parquet_cut_short_or_damaged(tmp_path):
    _, X, y = example("parquet", n=5000)
    content = parquet({"a": X[:, 0], "b": X[:, 1], "y": y}, compression="gzip")
    for keep in (3, 100, len(content) - 10):
        rows, text = fails(stored(tmp_path, "a.parquet", content[:keep]))
        assert rows == 0
        assert text.startswith("this is not a whole Parquet file, it may be cut short (")
    broken = bytearray(content)
    broken[len(content) // 3 : len(content) // 3 + 3000] = b"\xff" * 3000
    rows, text = fails(stored(tmp_path, "b.parquet", bytes(broken)), size=100)
    assert f"damaged after {rows} rows" in text


def test_parquet_from_a_pipe(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(example("parquet")[0])))
    for options in ({}, {"format": "parquet"}):
        _, text = until_error(read("-", **options))
        assert text == (
            "standard input: Parquet cannot be read from a pipe; give the path of the file"
        )


def test_an_ignored_column_with_the_name_of_another(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([3.0]), pa.array([1])], ["a", "a", "y"])
    path = tmp_path / "twice.parquet"
    pq.write_table(table, path)
    with pytest.raises(SelectronError, match="Two columns are named 'a'"):
        list(read(path, ignore=1))
