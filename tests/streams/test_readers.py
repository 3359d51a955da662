"""Readers: the same rows from every format, packing and chunk size, and one sentence on each error.

Real files are read if the environment variable SELECTRON_DATA names the folder that holds them.
"""

import bz2
import gc
import gzip
import io
import itertools
import json
import lzma
import math
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selectron.engine.rows import Dense, Sparse
from selectron.errors import SelectronError
from selectron.streams.readers import Chunk, delimited, lines, opening, quick_pairs, read, svmlight
from selectron.streams.readers.cells import Grammar
from selectron.streams.readers.columns import Columns
from selectron.streams.readers.lines import Piece
from selectron.streams.readers.opening import Blocks, Counted

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
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
            block = chunk.rows.values
        rows.append(block)
        labels.extend(chunk.labels.tolist())
    return np.concatenate(rows), labels


def canonical(chunk, size):
    """What the loop relies on without a check."""
    assert isinstance(chunk, Chunk)
    assert 1 <= len(chunk.labels) <= size
    assert chunk.labels.dtype in (np.dtype(float), np.dtype(object))
    if isinstance(chunk.rows, Dense):
        assert chunk.rows.values.shape == (len(chunk.labels), chunk.width)
    else:
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
    return sum(len(chunk.labels) for chunk in rows), text.removeprefix(f"{path}: ")


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


# every format, packing and chunk size


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("kind", TEXT)
def test_text_formats_and_packings(tmp_path, kind, packing):
    content, X, y = example(kind)
    named = stored(tmp_path, f"a.{kind}{packing}", PACK[packing](content))
    bare = stored(tmp_path, "bare", PACK[packing](content))
    for path in (named, bare, Path(named)):
        source = read(path, size=10)
        chunks = list(source)
        for chunk in chunks:
            canonical(chunk, 10)
        rows, labels = dense(chunks, X.shape[1])
        assert (rows == X).all()
        assert labels == y
        assert [chunk.first for chunk in chunks] == np.cumsum(
            [0, *(len(chunk.labels) for chunk in chunks[:-1])]
        ).tolist()
        assert source.size_in_bytes == source.position() == os.path.getsize(path)


def test_parquet(tmp_path):
    content, X, y = example("parquet")
    for name in ("a.parquet", "a.pq", "bare"):
        source = read(stored(tmp_path, name, content), size=10)
        for chunk in (chunks := list(source)):
            canonical(chunk, 10)
        rows, labels = dense(chunks, X.shape[1])
        assert (rows == X).all()
        assert labels == y
        assert source.position() == source.size_in_bytes == len(content)


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
@pytest.mark.parametrize("size", [1, 2, 7, 56, 57, 58, 4096])
def test_rows_do_not_depend_on_the_chunk_size(tmp_path, kind, size):
    content, X, y = example(kind)
    rows, labels = dense(read(stored(tmp_path, "a", content), size=size), X.shape[1])
    assert rows.tobytes() == X.tobytes() or (rows == X).all()
    assert labels == y


@pytest.mark.parametrize("kind", TEXT)
@pytest.mark.parametrize("size", [1, 5, 4096])
@pytest.mark.parametrize("block", [1, 3, 64])
def test_rows_do_not_depend_on_the_blocks(tmp_path, monkeypatch, kind, size, block):
    content, X, y = example(kind)
    content = "\ufeff".encode() + content.replace(b"\n", b"\r\n")
    monkeypatch.setattr(opening, "READ", block)
    rows, labels = dense(read(stored(tmp_path, "a", content), size=size), X.shape[1])
    assert (rows == X).all()
    assert labels == y


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("kind", TEXT)
def test_standard_input(monkeypatch, kind, packing):
    content, X, y = example(kind)
    buffer = io.BytesIO(PACK[packing](content))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer))
    source = read("-", size=10)
    rows, labels = dense(source, X.shape[1])
    assert (rows == X).all()
    assert labels == y
    assert source.size_in_bytes is None
    assert source.position() == len(buffer.getvalue())
    assert not buffer.closed


def test_a_slow_pipe_is_followed():
    """A row is delivered before the next is written, if chunks are of one row."""
    here, there = os.pipe()
    with os.fdopen(here, "rb") as reading, os.fdopen(there, "wb", 0) as writing:
        writing.write(b"+1 3:1 4:2\n")
        pieces = lines.pieces(Blocks(Counted(reading)), 1)
        assert next(pieces).data == b"+1 3:1 4:2\n"
        writing.write(b"-1 4:1\n")
        assert next(pieces) == Piece(b"-1 4:1\n", 2)


def test_named_pipe(tmp_path):
    path = str(tmp_path / "pipe.svm")
    os.mkfifo(path)
    with subprocess.Popen([sys.executable, "-c", f"open({path!r}, 'w').write('1 3:4\\n')"]):
        source = read(path)
        (chunk,) = source
    assert source.size_in_bytes is None
    assert chunk.rows.indices.tolist() == [3]


@pytest.mark.parametrize("kind", TEXT)
@pytest.mark.parametrize("ending", [b"\n", b"", b"\r\n", b"\n\n \n", b"\r\n\r\n"])
def test_line_ends_and_blank_lines(tmp_path, kind, ending):
    content, X, y = example(kind)
    text = content.rstrip(b"\n").replace(b"\n", b"\r\n" if b"\r" in ending else b"\n")
    text = b"\n \n" + text.replace(b"\n", b"\n\n", 3) + ending
    rows, labels = dense(read(stored(tmp_path, "a", text), size=4), X.shape[1])
    assert (rows == X).all()
    assert labels == y


def test_iterating_again_starts_again(tmp_path):
    content, X, _ = example("csv")
    source = read(stored(tmp_path, "a.csv", content))
    assert (dense(source, 5)[0] == dense(source, 5)[0]).all()
    assert dense(source, 5)[0].shape == X.shape


def test_position_grows_with_the_chunks(tmp_path):
    for kind in ("csv", "parquet"):
        content, _, _ = example(kind, n=20000)
        source = read(stored(tmp_path, f"a.{kind}", content), size=1000)
        assert source.position() == 0
        seen = [source.position() for _ in source]
        assert seen == sorted(seen)
        assert 0 < seen[len(seen) // 2] < len(content)


# files are closed


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
@pytest.mark.parametrize("how", ["ends", "abandoned", "errs"])
def test_files_are_closed(tmp_path, monkeypatch, kind, how):
    content, _, _ = example(kind)
    if how == "errs":
        content = content[:-30] if kind == "parquet" else content + b'\n"oh:no,\n'
    path = stored(tmp_path, f"a.{kind}", content)
    files = []

    def noted(*arguments):
        files.append(open(*arguments))  # noqa: SIM115 (closing it is what is tested)
        return files[-1]

    monkeypatch.setattr(opening, "open", noted, raising=False)
    source = read(path, size=10)
    assert not files
    if how == "abandoned":
        rows = iter(source)
        next(rows)
        del rows
        gc.collect()
    elif how == "errs":
        until_error(source)
    else:
        list(source)
    assert [file.closed for file in files] == [True]


# memory


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
def test_memory_is_flat(tmp_path, kind):
    """Four times the rows need no more memory."""
    peaks = []
    for n in (25_000, 100_000):
        content, _, _ = example(kind, n=1000)
        if kind == "parquet":
            _, X, y = example(kind, n=1000)
            table = {f"f{j}": np.tile(X[:, j], n // 1000) for j in range(5)}
            content = parquet({**table, "label": y * (n // 1000)}, row_group_size=n)
        else:
            head, _, body = content.partition(b"\n") if kind == "csv" else (b"", b"", content)
            content = head + b"\n" + body * (n // 1000)
        path = stored(tmp_path, f"a.{kind}.gz", gzip.compress(content, 1))
        if kind == "parquet":
            path = stored(tmp_path, "a.parquet", content)
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        arrow = 0
        rows = 0
        for chunk in read(path, size=1000):
            rows += len(chunk.labels)
            arrow = max(arrow, pa.total_allocated_bytes() - before)
        peaks.append(tracemalloc.get_traced_memory()[1] + arrow)
        tracemalloc.stop()
        assert rows == n
    assert peaks[1] < 1.2 * peaks[0] + 200_000
    assert peaks[1] < 12_000_000


def test_a_line_without_end_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LIMIT", 1 << 20)
    monkeypatch.setattr(opening, "LIMIT", 1 << 20)
    path = stored(tmp_path, "a.svm", b"1 2:3\n" * 10 + b"1 2:" + b"3" * (3 << 20))
    assert fails(path) == (10, "line 11: a line (or a quoted cell) goes on for over 1 MiB")
    path = stored(tmp_path, "a.csv", b"a,y\n" + b"1,2\n" * 10 + b'1,"' + b"3\n" * (2 << 20))
    assert fails(path) == (10, "line 12: a line (or a quoted cell) goes on for over 1 MiB")


def test_chunks_of_more_bytes_than_the_limit_come_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LIMIT", 1 << 10)
    monkeypatch.setattr(opening, "READ", 300)
    content, X, y = example("csv", n=500)
    chunks = list(read(stored(tmp_path, "a.csv", content), size=400))
    assert len(chunks) > 2
    rows, labels = dense(chunks, 5)
    assert (rows == X).all()
    assert labels == y


# opening


def test_missing_file_directory_and_permission(tmp_path, monkeypatch):
    with pytest.raises(SelectronError, match=r"/none\.svm: there is no such file$"):
        read(tmp_path / "none.svm")
    with pytest.raises(SelectronError, match=r"is a directory, and a file is needed$"):
        read(tmp_path)
    with pytest.raises(SelectronError, match="cannot be opened"):
        read("a\0b")
    path = stored(tmp_path, "a.svm", "1 2:3\n")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(opening, "open", refuse, raising=False)
    assert fails(path) == (0, "may not be read (permission denied)")


def test_a_file_that_cannot_be_read_on(monkeypatch):
    class Failing(io.BytesIO):
        def read1(self, size=-1):
            data = super().read1(size)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    stdin = type("Stdin", (), {"buffer": Failing(b"1 2:3\n2 3:4\n7 8:")})
    monkeypatch.setattr(sys, "stdin", stdin)
    chunks, text = until_error(read("-"))
    assert chunks[0].labels.tolist() == [1, 2]
    assert text == "standard input: reading failed (Input/output error), after 2 rows"


@pytest.mark.parametrize("options", [{"format": "arff"}, {"size": 0}, {"size": 2.5}])
def test_options(tmp_path, options):
    path = stored(tmp_path, "a.svm", "1 2:3\n")
    with pytest.raises(SelectronError, match=r"is unknown; it is one of|a whole number of rows"):
        read(path, **options)


@pytest.mark.parametrize("kind", TEXT)
@pytest.mark.parametrize("content", [b"", b"\n\n", b" \r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("packing", PACK)
def test_empty_files(tmp_path, kind, content, packing):
    path = stored(tmp_path, "a", PACK[packing](content))
    assert fails(path, format=kind) == (0, "there are no rows")
    assert fails(path) == (0, "there are no rows")


def test_files_with_a_head_and_no_rows(tmp_path):
    assert fails(stored(tmp_path, "a.csv", "a,b,y\n")) == (0, "there are no rows")
    assert fails(stored(tmp_path, "a.svm", "# a comment\n")) == (0, "there are no rows")
    assert fails(stored(tmp_path, "a.pq", parquet({"a": [0.5], "y": [1]})[:0])) == (
        0,
        "this is not a whole Parquet file, it may be cut short (Parquet file size is 0 bytes)",
    )
    empty = parquet({"a": pa.array([], pa.float64()), "y": pa.array([], pa.int64())})
    assert fails(stored(tmp_path, "b.pq", empty)) == (0, "there are no rows")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("kind", TEXT)
def test_packed_files_cut_short(tmp_path, kind, packing):
    """Whatever could be unpacked is delivered, and the error says after how many rows."""
    content, X, y = example(kind, n=3000)
    packed = PACK[packing](content)
    for keep in (len(packed) - 3, len(packed) // 2, 20):
        path = stored(tmp_path, f"a.{kind}{packing}", packed[:keep])
        chunks, text = until_error(read(path, size=100))
        count = sum(len(chunk.labels) for chunk in chunks)
        assert text.endswith(f"data end too early, after {count} rows")
        if count:
            rows, labels = dense(chunks, 5)
            assert (rows == X[:count]).all()
            assert labels == y[:count]
    assert count == 0


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("kind", TEXT)
def test_damaged_packed_files(tmp_path, kind, packing):
    content, _, _ = example(kind, n=3000)
    packed = bytearray(PACK[packing](content))
    for place in (len(packed) // 2, len(packed) - 6):
        packed[place] ^= 0xFF
        path = stored(tmp_path, f"a.{kind}{packing}", bytes(packed))
        _, text = fails(path)
        # a flipped byte may unpack to wrong text before the checksum is seen
        assert "data are damaged" in text or "data end too early" in text or "line " in text


@pytest.mark.parametrize("kind", TEXT)
def test_text_that_is_not_utf8(tmp_path, kind):
    content, _, _ = example(kind)
    parts = content.split(b"\n")
    parts[20] = parts[20].replace(b"ham", b"caf\xe9").replace(b"spam", b"caf\xe9")
    parts[20] = parts[20].replace(b"null", b'"caf\xe9"').replace(b"?", b"caf\xe9")
    assert b"\xe9" in parts[20]
    for size in (1, 7, 4096):
        rows, text = fails(stored(tmp_path, "a", b"\n".join(parts)), size=size)
        assert rows == (19 if kind == "csv" else 20)
        assert text == "line 21: the text is not UTF-8; convert the file to it"


def test_header_that_is_not_utf8(tmp_path):
    path = stored(tmp_path, "a.csv", b"\nna\xefve,y\n1,2\n")
    assert fails(path) == (0, "line 2: the text is not UTF-8; convert the file to it")


# svmlight


def svm(tmp_path, text, **options):
    return list(read(stored(tmp_path, "a.svm", text), **options))


def test_svmlight_as_written(tmp_path):
    text = (
        "# a file\n"
        "+1 3:0.5 7:2 # first\n"
        "\n"
        "-1 qid:7 9:1e-3 2:-4\n"
        "5:1\t6:+.5\n"
        "nan 1:1\n"
        "? qid:3\n"
        "2.5\n"
        "qid:4 0:9\n"
    )
    (chunk,) = svm(tmp_path, text)
    canonical(chunk, 4096)
    assert chunk.width == 10
    np.testing.assert_array_equal(
        chunk.labels, [1, -1, math.nan, math.nan, math.nan, 2.5, math.nan]
    )
    assert chunk.rows.indptr.tolist() == [0, 2, 4, 6, 7, 7, 7, 8]
    assert chunk.rows.indices.tolist() == [3, 7, 2, 9, 5, 6, 1, 0]
    assert chunk.rows.values.tolist() == [0.5, 2, -4, 1e-3, 1, 0.5, 1, 9]


def test_svmlight_width_grows(tmp_path):
    chunks = svm(tmp_path, "1 5:1\n1 2:1\n1\n1 90:1\n1 3:1\n", size=1)
    assert [chunk.width for chunk in chunks] == [6, 6, 6, 91, 91]


def test_svmlight_labels_turn_into_words(tmp_path):
    chunks = svm(tmp_path, "+1 1:1\n? 1:1\n01 1:1\nspam 1:1\n1:3\n2 1:1\n", size=2)
    assert [chunk.labels.dtype for chunk in chunks] == [float, object, object]
    np.testing.assert_array_equal(chunks[0].labels, [1, math.nan])
    assert chunks[1].labels.tolist() == ["01", "spam"]
    assert chunks[2].labels.tolist() == [None, "2"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1 3:abc", "'abc' is not a number"),
        ("1 3:", "'' is not a number"),
        ("1 3:1:2", "'1:2' is not a number"),
        ("1 3: 1", "'' is not a number"),
        ("1 3:1,5", "'1,5' is not a number"),
        ("1 2:1 abc", "'abc' is not an index:value pair"),
        ("1 2,5", "'2,5' is not an index:value pair"),
        ("1 -3:1", "the index -3 is not from 0 to 2147483646"),
        ("1 2147483647:1", "the index 2147483647 is not from 0 to 2147483646"),
        ("1 99999999999999999999:1", "the index 99999999999999999999 is not from 0 to 2147483646"),
        ("1 2:1 3.5:1", "the index '3.5' is not a whole number"),
        ("1 0x10:1", "the index '0x10' is not a whole number"),
        ("1 :1", "the index '' is not a whole number"),
        ("1 a:1", "the index 'a' is not a whole number"),
        ("1 3:1 2:1 3:2", "index 3 occurs twice"),
        ("1 3:nan", "the value of feature 3 is not finite (nan)"),
        ("1 3:1 4:-inf", "the value of feature 4 is not finite (-inf)"),
        ("1 3:1e999", "the value of feature 3 is not finite (1e999)"),
    ],
)
@pytest.mark.parametrize("before", [16, 5000])
def test_svmlight_errors(tmp_path, row, reason, before):
    path = stored(tmp_path, "mail.svm", "+1 1:2 3:4\n" * before + row + "\n1 1:1\n")
    assert fails(path) == (before, f"line {before + 1}: {reason}")


def test_svmlight_has_no_columns(tmp_path):
    path = stored(tmp_path, "a.svm", "1 2:3\n")
    for options in ({"label": "y"}, {"label": ""}, {"drop": "a"}):
        assert "svmlight has no named columns" in fails(path, **options)[1]


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
indexes = st.one_of(
    st.integers(0, 9).map(str),
    st.integers(0, 2**31 - 2).map(str),
    st.sampled_from(["+3", "-0", "007", "-1", "1e1", "3.0", "0x1", "1_0"]),
    st.sampled_from(["2147483647", "2147483646", "4294967297", "2147483648"]),
)
spaces = st.sampled_from([" ", " ", " ", "  ", "\t", "\v", " \f"])


@st.composite
def tails(draw, values=numerals):
    pairs = st.tuples(indexes, values).map(":".join)
    tokens = st.lists(st.one_of(pairs, pairs, pairs, st.just("qid:3"), odd.filter(len)), max_size=4)
    simple = st.lists(st.tuples(st.integers(0, 30).map(str), values).map(":".join), max_size=6)
    row = draw(st.one_of(simple, simple, tokens))
    return (draw(spaces).join(row) + draw(st.sampled_from(["", " "]))).encode()


def same(left, right):
    return all(
        a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(left, right, strict=True)
    )


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(tails(), max_size=5))
def test_svmlight_quick_is_careful(rows):
    """The quick path gives the same bits as the careful one, or leaves the piece to it."""
    quick = quick_pairs.quick(rows)
    careful, fault = svmlight.careful(svmlight.Lines([], rows, list(range(len(rows)))))
    if quick is not None:
        assert fault is None
        assert same(quick, careful)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(st.integers(0, 10**6), numerals, max_size=6), max_size=5))
def test_svmlight_values_are_those_of_float(rows):
    tails = [" ".join(f"{j}:{v}" for j, v in row.items()).encode() for row in rows]
    found, fault = svmlight._rows(svmlight.Lines([], tails, list(range(len(rows)))))
    expected = [[(j, float(row[j])) for j in sorted(row)] for row in rows]
    finite = all(math.isfinite(v) for row in expected for _, v in row)
    assert (fault is None) == finite
    if finite:
        flat = [pair for row in expected for pair in row]
        assert found.indices.tolist() == [j for j, _ in flat]
        assert found.values.tobytes() == np.array([v for _, v in flat], dtype=float).tobytes()
        assert np.diff(found.indptr).tolist() == [len(row) for row in expected]


def test_svmlight_quick_path_is_taken():
    """Ordinary rows, sorted or not, with comments, qid and words, are not parsed one by one."""
    rows = [b"3:1 7:0.5", b"", b"9:1 2:-1e-3 ", b"qid:3 1:1"]
    assert quick_pairs.quick(rows) is not None
    assert quick_pairs.quick([]) is not None


# csv


def table(tmp_path, text, **options):
    (chunk,) = read(stored(tmp_path, "a.csv", text), **options)
    canonical(chunk, 4096)
    return chunk.rows.values.tolist(), chunk.labels.tolist()


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_marks_and_headers(tmp_path, mark):
    text = "a,b,Class\n1,2,ham\n3, 4 , spam \n".replace(",", mark)
    expected = ([[1, 2], [3, 4]], ["ham", "spam"])
    assert table(tmp_path, text) == expected
    assert table(tmp_path, text.partition("\n")[2], header=False) == expected
    numbers = "1,2,0\n3,4,\n5,6,?\n".replace(",", mark)
    assert table(tmp_path, numbers) == ([[1, 2], [3, 4], [5, 6]], ["0", None, None])


@pytest.mark.parametrize("word", ["", " ", "?", "NA", "nan", "null", "NaN"])
def test_csv_rows_without_label(tmp_path, word):
    assert table(tmp_path, f"a,y\n1,{word}\n2,0\n") == ([[1], [2]], [None, "0"])


def test_csv_first_row_without_label_is_no_header(tmp_path):
    assert table(tmp_path, "1,2,?\n3,4,1\n")[1] == [None, "1"]


def test_csv_label_and_drop(tmp_path):
    text = "id,y,a,kind,b\nu1,1,2,s,3\nu2,0,4,t,5\n"
    expected = [[2, 3], [4, 5]]
    assert table(tmp_path, text, drop=("id", "kind")) == (expected, ["1", "0"])
    assert table(tmp_path, text, drop=["id", "y"], label="kind") == (expected, ["s", "t"])
    assert table(tmp_path, text, drop=(0, -2), label=1) == (expected, ["1", "0"])
    assert table(tmp_path, text, drop=(0, 1), label=-2) == (expected, ["s", "t"])
    both = [[1, 2, 3], [0, 4, 5]]
    assert table(tmp_path, text, drop=("id", "kind"), label="") == (both, [None, None])
    assert table(tmp_path, "a\n1\n2\n") == ([[1], [2]], [None, None])
    assert table(tmp_path, "a,b\n1,x\n", drop="b", label="") == ([[1]], [None])
    assert table(tmp_path, "x,y,label\n1,2,3\n") == ([[1, 2]], ["3"])


def test_csv_quotes(tmp_path):
    text = '"a","the\nbody","y"\r\n"1.5","so, ""he""\r\n\r\nsaid","ham"\r\n2,x,"spam, ""eggs"""\r\n'
    assert table(tmp_path, text, drop="the\nbody") == ([[1.5], [2]], ["ham", 'spam, "eggs"'])
    text += '3,x,"no"\nabc,x,yes\n'
    path = stored(tmp_path, "b.csv", text)
    for size in (1, 2, 100):
        rows, error = fails(path, drop=1, size=size)
        assert rows == 3
        assert error.startswith("line 8: column 'a': 'abc' is not a number")


def test_csv_lone_carriage_return_is_a_space(tmp_path):
    assert table(tmp_path, "a,y\n1\r,2\n3,\r4\n") == ([[1], [3]], ["2", "4"])


@pytest.mark.parametrize("size", [1, 3, 4096])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,2", "2 columns were found, and 3 expected"),
        ("1,2,0,4", "4 columns were found, and 3 expected"),
        (",2,0", "column 'a' is empty; fill it in or leave it out: --drop a"),
        (
            "1,red,0",
            "column 'b': 'red' is not a number; leave the column out (--drop b) "
            "or name it as the label",
        ),
        ("1,nan,0", "column 'b' is not finite (nan)"),
        ("-inf,1,0", "column 'a' is not finite (-inf)"),
        ("1e999,1,0", "column 'a' is not finite (1e999)"),
        ('1,"2,0', "a quoted cell is opened and never closed"),
    ],
)
def test_csv_errors(tmp_path, row, reason, size):
    path = stored(tmp_path, "a.csv", "a,b,y\n\n1,2,0\n3,4,1\n" + row + "\n5,6,0\n")
    assert fails(path, size=size) == (2, f"line 5: {reason}")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"label": "z"}, "there is no column 'z'; the columns are 'a', 'b', 'y'"),
        ({"label": 3}, "there is no column number 3; the columns are 'a', 'b', 'y'"),
        ({"drop": ("a", "q")}, "there is no column 'q'; the columns are 'a', 'b', 'y'"),
        ({"drop": "y", "label": "y"}, "the label column 'y' is also to be dropped"),
        (
            {"drop": ("a", "b")},
            "no feature is left of the columns 'a', 'b', 'y'; name another label or drop less",
        ),
    ],
)
def test_columns_that_do_not_exist(tmp_path, options, reason):
    if "q" not in reason and options.get("drop") == ("a", "b"):
        options = {**options, "label": "y"}
    path = stored(tmp_path, "a.csv", "a,b,y\n1,2,0\n")
    assert fails(path, **options) == (0, reason)
    path = stored(tmp_path, "a.parquet", parquet({"a": [1], "b": [2], "y": [0]}))
    assert fails(path, **options) == (0, reason)


def test_csv_label_named_twice(tmp_path):
    path = stored(tmp_path, "a.csv", "a,a,y\n1,2,0\n")
    assert fails(path, label="a") == (0, "2 columns are named 'a'; give the position")
    assert table(tmp_path, "a,a,y\n1,2,0\n") == ([[1, 2]], ["0"])


def test_wide_tables_name_only_some_columns(tmp_path):
    path = stored(tmp_path, "a.csv", ",".join(f"c{i}" for i in range(500)) + "\n")
    assert fails(path, label="z")[1].endswith("'c19' and 480 more")


cells = st.one_of(numerals, numerals, odd, st.just(""), numerals.map('"{}"'.format))
words = st.one_of(
    st.sampled_from(["ham", " spam ", '"a,b"', '"a\nb"', '"say ""x"""', "NA", "é", '"x"y', 'x"y']),
    st.text('ab",; \n', max_size=5),
)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.one_of(numerals, cells), numerals, words), max_size=5), st.data())
def test_csv_quick_is_careful(rows, data):
    """Arrow gives the same bits as the careful path, or the piece is left to it."""
    text = "".join(",".join(row) + "\n" + data.draw(st.sampled_from(["", "\n"])) for row in rows)
    grammar = Grammar.of(",")
    stops = grammar.ends(text.encode())
    piece = Piece(text.encode()[: stops[-1] if len(stops) else 0], 1)
    about = delimited.Table(grammar, ("a", "b", "y"), Columns([0, 1], 2))
    quick, careful = delimited.quick(piece, about), delimited.careful(piece, about)
    if quick is not None:
        assert careful.fault is None
        assert quick.values.tobytes() == careful.values.tobytes()
        assert quick.labels.tolist() == careful.labels.tolist()


def test_csv_quick_path_is_taken():
    about = delimited.Table(Grammar.of(","), ("a", "y"), Columns([0], 1))
    for text in (b"1,ham\n\n2,\n", b'"1","a ""b"""\n', b' 1.5 ,"a\nb"\n'):
        assert delimited.quick(Piece(text, 1), about) is not None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.text('a",\n é', max_size=4), min_size=2, max_size=2), min_size=1))
def test_csv_cells_come_back(rows):
    """What a writer of CSV quotes is read as it was."""
    text = "".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows
    )
    grammar = Grammar.of(",")
    found = [grammar.cells(record) for record, _ in grammar.records(Piece(text.encode(), 1))]
    assert found == rows


# parquet


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


# json lines


def objects(tmp_path, text, **options):
    (chunk,) = read(stored(tmp_path, "a.jsonl", text), **options)
    canonical(chunk, 4096)
    return chunk.rows.values.tolist(), chunk.labels.tolist()


def test_json_keys(tmp_path):
    text = '{"b": 1, "a": 2.5, "y": "ham"}\n{"y": null, "a": true}\n{"a": 1, "b": 3}\n'
    assert objects(tmp_path, text) == ([[1, 2.5], [0, 1], [3, 1]], ["ham", None, None])
    text = '{"id": "u", "a": 1, "kind": 2}\n{"a": 3, "kind": 2.5}\n'
    assert objects(tmp_path, text, drop="id", label="kind") == ([[1], [3]], ["2", "2.5"])
    assert objects(tmp_path, '{"a": 1, "y": 2}\n', label="") == ([[1, 2]], [None])


def test_json_arrays(tmp_path):
    text = '{"x": [1, 2.5], "label": 1.0}\n{"label": false, "x": [true, -1e2]}\n{"x": [0, 0]}\n'
    assert objects(tmp_path, text) == ([[1, 2.5], [1, -100], [0, 0]], ["1", "False", None])


def test_json_labels_that_begin_late(tmp_path):
    assert objects(tmp_path, '{"a": 1}\n{"a": 2, "Label": "b"}\n')[1] == [None, "b"]


@pytest.mark.parametrize("size", [1, 4096])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"a": 1', "this is not JSON (Expecting ',' delimiter at column 8); each line holds one "
         "object"),
        ("[1, 2]", "[1, 2] is not an object; each line holds one"),
        ('{"a": 1, "z": 2}', "'z' is a feature that the first row does not have"),
        ('{"a": null}', "'a': null is not a number; leave the key out (--drop a) or name it as the "
         "label"),
        ('{"b": "red"}', "'b': \"red\" is not a number; leave the key out (--drop b) or name it as "
         "the label"),
        ('{"b": [1]}', "'b': [1] is not a number; leave the key out (--drop b) or name it as the "
         "label"),
        ('{"b": NaN}', "'b' is not finite (nan)"),
        ('{"b": 1e999}', "'b' is not finite (inf)"),
        ('{"b": 1' + "0" * 400 + "}", "a number is too large"),
        ('{"b": 1' + "0" * 5000 + "}", "a number is too long or an array nested too deeply"),
        ('{"b": ' + "[" * 100000 + "}", "a number is too long or an array nested too deeply"),
        ('{"a": 1, "y": [1]}', "the label is neither text nor a number"),
    ],
)  # fmt: skip
def test_json_errors(tmp_path, row, reason, size):
    path = stored(tmp_path, "a.jsonl", '{"a": 1, "b": 2, "y": 0}\n\n{"a": 1}\n' + row + "\n{}\n")
    assert fails(path, size=size) == (2, f"line 4: {reason}")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"x": [1]}', "'x' has 1 numbers, and 2 were expected"),
        ('{"x": [1, "2"]}', "\"2\" in 'x' is not a number"),
        ('{"x": [1, null]}', "null in 'x' is not a number"),
        ('{"x": [1, Infinity]}', "number 2 in 'x' is not finite (inf)"),
        ('{"x": [1, 2], "id": 3}', "'id' is beside 'x'; leave it out: --drop id"),
        ('{"label": 1}', "there is no array of numbers 'x'"),
    ],
)
def test_json_array_errors(tmp_path, row, reason):
    path = stored(tmp_path, "a.jsonl", '{"x": [1, 2], "label": 0}\n' + row + "\n")
    assert fails(path) == (1, f"line 2: {reason}")


def test_json_label_errors(tmp_path):
    path = stored(tmp_path, "a.jsonl", '{"a": 1, "label": 0}\n')
    assert fails(path, label="lable")[1] == (
        "line 1: there is no label 'lable'; the keys are 'a', 'label'"
    )
    assert "have no columns to count" in fails(path, label=-1)[1]
    path = stored(tmp_path, "a.jsonl", '{"label": 0}\n')
    assert fails(path)[1] == "line 1: there is no feature beside the label"
    path = stored(tmp_path, "a.json", '[\n  {"a": 1}\n]\n')
    assert fails(path)[1].startswith("line 1: this is not JSON (Expecting value at column 2)")


# formats


@pytest.mark.parametrize(
    ("text", "sparse"),
    [
        ("+1 3:1 4:1\n", True),
        ("3:1\n", True),
        ("spam qid:1 3:1e-4\n", True),
        ("# comment\n1 2:3\n", True),
        ("#a,y\n1,2\n", False),
        ("1,2,3\n", False),
        ('{"a": 1}\n', False),
        ("a;b\n1;2\n", False),
        ("1\t2\n", False),
        ("12:30,1,0\n1,2,3\n", False),
    ],
)
@pytest.mark.parametrize("name", ["a", "a.txt", "a.dat", "a.txt.gz"])
def test_formats_by_content(tmp_path, name, text, sparse):
    source = read(stored(tmp_path, name, text), drop="12:30" if text.startswith("12") else ())
    (chunk,) = source
    assert isinstance(chunk.rows, Sparse) == sparse


def test_the_name_goes_before_the_content(tmp_path):
    assert "'{\"a\":' " not in fails(stored(tmp_path, "a.csv", '{"a": 1}\n'))[1]
    path = stored(tmp_path, "a.jsonl", "1 2:3\n")
    assert fails(path)[1].startswith("line 1: this is not JSON")
    (chunk,) = read(path, format="svmlight")
    assert chunk.width == 3


def test_nothing_heavy_is_imported(tmp_path):
    path = stored(tmp_path, "a.csv", "1,2\n")
    code = (
        "import sys; from selectron.streams.readers import read;"
        "assert 'pyarrow' not in sys.modules;"
        f"list(read({path!r})); "
        "print(sorted({'pandas', 'sklearn', 'scipy', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# real files

DATA = os.environ.get("SELECTRON_DATA")


@pytest.mark.skipif(not DATA, reason="SELECTRON_DATA does not name a folder of data files")
class TestRealFiles:
    def test_a9a(self):
        source = read(Path(DATA, "a9a", "a9a.xz"))
        labels = np.concatenate([chunk.labels for chunk in source])
        width = [chunk.width for chunk in source][-1]
        assert (len(labels), width) == (32561, 124)
        assert ((labels == 1).sum(), (labels == -1).sum()) == (7841, 24720)

    def test_letter(self):
        rows, labels = dense(read(Path(DATA, "letter", "letter-recognition.data.xz"), label=0), 16)
        assert rows.shape == (20000, 16)
        assert labels.count("A") == 789
        assert rows[0, :4].tolist() == [2, 8, 3, 5]

    def test_shuttle(self):
        path = Path(DATA, "shuttle", "shuttle.trn.csv.xz")
        rows, labels = dense(read(path, header=False), 9)
        assert rows.shape == (43500, 9)
        assert labels.count("High") > 5000

    def test_luxembourg(self):
        rows, labels = dense(read(Path(DATA, "luxembourg_chess", "LUdata.csv.xz")), 31)
        assert rows.shape == (1901, 31)
        assert sorted(labels.count(label) for label in set(labels)) == [924, 977]
