"""Readers: the same rows, from every format, packing and chunk size; files and memory."""

import gc
import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from selectron.streams.readers import read, text

from .reading import PACK, TEXT, canonical, dense, example, fails, parquet, stored, until_error


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
    monkeypatch.setattr(text, "READ", block)
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


@pytest.mark.parametrize("kind", TEXT)
def test_rows_of_a_slow_pipe_do_not_wait_for_more(monkeypatch, kind):
    head, *rows = example(kind)[0].splitlines(keepends=True)
    here, there = os.pipe()
    with os.fdopen(here) as stdin, os.fdopen(there, "wb", 0) as writing:
        monkeypatch.setattr(sys, "stdin", stdin)
        writing.write(head)
        chunks, found = iter(read("-")), 1 - (kind == "csv")
        with ThreadPoolExecutor(1) as pool, writing:
            for _ in range(5):
                writing.write(rows.pop() + rows.pop())
                found += 2
                while found > 0:
                    found -= len(pool.submit(next, chunks).result(timeout=20).labels)


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
    lines = content.rstrip(b"\n").replace(b"\n", b"\r\n" if b"\r" in ending else b"\n")
    lines = b"\n \n" + lines.replace(b"\n", b"\n\n", 3) + ending
    rows, labels = dense(read(stored(tmp_path, "a", lines), size=4), X.shape[1])
    assert (rows == X).all()
    assert labels == y


def test_iterating_again_starts_again(tmp_path):
    content, X, _ = example("csv")
    source = read(stored(tmp_path, "a.csv", content))
    assert (dense(source, 5)[0] == dense(source, 5)[0]).all()
    assert dense(source, 5)[0].shape == X.shape


def test_position_grows_with_the_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "READ", 1 << 17)
    for kind in ("csv", "parquet"):
        content, _, _ = example(kind, n=20000)
        source = read(stored(tmp_path, f"a.{kind}", content), size=1000)
        assert source.position() == 0
        seen = [source.position() for _ in source]
        assert seen == sorted(seen)
        assert 0 < seen[len(seen) // 2] < len(content)


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

    monkeypatch.setattr(text, "open", noted, raising=False)
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


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
@pytest.mark.slow
def test_memory_is_flat(tmp_path, kind):
    """Four times the rows need no more memory."""
    peaks = []
    for n in (15_000, 60_000):
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
    assert peaks[1] < 1.2 * peaks[0] + 500_000  # which thread is ahead varies
    assert peaks[1] < 12_000_000


def test_a_line_without_end_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "LIMIT", 1 << 20)
    path = stored(tmp_path, "a.svm", b"1 2:3\n" * 10 + b"1 2:" + b"3" * (3 << 20))
    assert fails(path) == (10, "line 11: a line (or a quoted cell) goes on for over 1 MiB")
    path = stored(tmp_path, "a.csv", b"a,y\n" + b"1,2\n" * 10 + b'1,"' + b"3\n" * (2 << 20))
    assert fails(path) == (10, "line 12: a line (or a quoted cell) goes on for over 1 MiB")
