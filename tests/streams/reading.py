"""What the tests of readers share: files of every kind, and what is read from them."""

import bz2
import gzip
import io
import itertools
import json
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from selectron.engine.rows import Sparse
from selectron.errors import SelectronError
from selectron.streams.readers import Chunk, read

PACK = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}
TEXT = ("svmlight", "csv", "jsonl")


def sentence(excinfo):
    text = str(excinfo.value)
    assert "\n" not in text
    assert excinfo.value.__cause__ is None
    return text


def dense(chunks, width):
    """All rows of the chunks as one dense array, and the labels as a list."""
    rows, labels = [], []
    for chunk in chunks:
        if isinstance(chunk.rows, Sparse):
            block = np.zeros((len(chunk.rows.indptr) - 1, width))
            at = np.repeat(np.arange(len(block)), np.diff(chunk.rows.indptr))
            block[at, chunk.rows.indices] = chunk.rows.values
        else:
            block = np.array([[*map(float, row)] for row in cells(chunk)])
        rows.append(block)
        labels.extend(chunk.labels.tolist())
    return np.concatenate(rows), labels


def cells(chunk):
    """The rows of a table or of dicts as lists; an array of features is spread out."""
    table = chunk.rows if isinstance(chunk.rows, list) else chunk.rows.to_pylist()
    rows = [list(row.values()) for row in table]
    return [row[0] if len(row) == 1 and isinstance(row[0], list) else row for row in rows]


def canonical(chunk, size):
    """What the loop and the encoder rely on without a check."""
    assert isinstance(chunk, Chunk)
    assert 1 <= len(chunk.labels) <= size
    assert chunk.labels.dtype == object
    if not isinstance(chunk.rows, Sparse):
        assert len(chunk.rows) == len(chunk.labels)
        assert chunk.width == 0
        return
    indptr, indices, _ = chunk.rows
    assert indptr.dtype == np.int64
    assert indices.dtype == np.int32
    assert indptr[0] == 0
    assert indptr[-1] == len(indices) == len(chunk.rows.values)
    assert len(indptr) == len(chunk.labels) + 1
    for start, stop in itertools.pairwise(indptr):
        assert (np.diff(indices[start:stop]) > 0).all()
    assert indices.max(initial=-1) < chunk.width
    for array in chunk.rows:
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert chunk.rows.values.dtype == np.float64


def until_error(source):
    """The rows delivered before the error, and its sentence."""
    chunks = []
    with pytest.raises(SelectronError) as excinfo:
        chunks.extend(source)
    # extend keeps what came before the error
    return chunks, sentence(excinfo)


def fails(path, **options):
    rows, text = until_error(read(path, **options))
    assert text.startswith(f"{path}: ")
    text = text.removeprefix(f"{path}: ").removesuffix("; leave such rows out with --skip-damaged")
    return sum(len(chunk.labels) for chunk in rows), text


def stored(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def example(kind, n=57, d=5, seed=3):
    """The bytes of a file of that format, with the rows and labels that are in it."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.3, 0.0, rng.normal(size=(n, d)))
    y = rng.choice(["ham", "spam", None], n)
    if kind == "svmlight":
        rows = (" ".join(f"{j}:{v!r}" for j, v in enumerate(x.tolist()) if v) for x in X)
        text = "".join(f"{label or '?'} {row}\n" for label, row in zip(y, rows, strict=True))
    elif kind == "csv":
        rows = (",".join(map(repr, x.tolist())) for x in X)
        text = "".join(f"{row},{label or ''}\n" for label, row in zip(y, rows, strict=True))
        text = ",".join(f"f{j}" for j in range(d)) + ",label\n" + text
    elif kind == "jsonl":
        rows = ({"x": x.tolist(), "label": label} for x, label in zip(X, y, strict=True))
        text = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        return parquet({**{f"f{j}": X[:, j] for j in range(d)}, "label": y.tolist()}), X, y.tolist()
    return text.encode(), X, y.tolist()


def parquet(columns, **options):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


# Numbers as they are written, and what is nearly one
numerals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-10, 10).map("{:.4g}".format),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["1", "0", "-0", "+1", "1.", ".5", "-.5e-3", "1E5", "1e+5", "007", "1_0"]),
    st.sampled_from(["5e-324", "1e-400", "1.7976931348623157e308", "2.2250738585072011e-308"]),
    st.sampled_from(["9007199254740993", "0.1e1", "1e22", "1e23", "123456789012345678e-30"]),
)
odd = st.one_of(numerals, st.text("0123456789.+-eExX_,infa:#", max_size=6))
