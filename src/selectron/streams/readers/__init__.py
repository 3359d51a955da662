"""Readers: files of labelled or unlabelled rows, read in chunks, so that memory stays flat."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

import numpy as np

from ...engine.rows import Dense, Sparse
from ...errors import SelectronError
from .columns import Choice
from .formats import FORMATS, by_content, by_name
from .heading import Heading
from .lines import line_ends
from .opening import Blocks, Counted, opened, size_of

__all__ = ["Chunk", "Source", "read"]

Parts: TypeAlias = Iterator[tuple[Dense | Sparse, int, np.ndarray, np.ndarray]]


class Chunk(NamedTuple):
    """Some rows of a stream, one after another.

    Dense rows have one width. Sparse ones (svmlight) keep the indices of the file, and their width,
    the highest index so far plus 1, may grow from chunk to chunk.

    Labels are float64 in svmlight files as long as all are numbers, with NaN for none; from the
    chunk with the first word on, and always in the other formats, they are objects: text without
    spaces around it, or None. There is no label where a cell is empty or a null, or holds "?",
    "NA", "nan" or "null" in small or capital letters.
    """

    rows: Dense | Sparse
    width: int  # number of features known so far
    labels: np.ndarray  # (n,)
    first: int  # number of the first row in the stream, from 0
    times: np.ndarray = np.empty(0)  # (n,) in seconds since 1970, or none


class Source:
    """A file of rows; each iteration opens it, reads it from the start and closes it.

    Made by `read`, which tells what it gives.
    """

    def __init__(self, path: str, kind: str | None, choice: Choice, header: bool | None, size: int):
        self.path = path
        self.name = "standard input" if path == "-" else path
        self.size_in_bytes = size_of(path)
        self._kind, self._choice, self._header, self._size = kind, choice, header, size
        self._file: Counted | None = None
        self._heading: Heading | None = None

    @property
    def doubt(self) -> str:
        """What of the file might be meant otherwise, once it has been begun; empty if nothing."""
        if self._heading is None or not self._heading.mixed:
            return ""
        return f"{self._heading}, though some are numbers: if it is a row, say --no-header"

    def position(self) -> int:
        """Number of bytes of the file, packed as they are, that have been consumed so far."""
        return self._file.count if self._file else 0

    def __iter__(self) -> Iterator[Chunk]:
        rows = 0
        with _told_of(self.name):
            with opened(self.path) as file:
                self._file = Counted(file)
                for block, width, labels, times in self._parts(self._file):
                    yield Chunk(block, width, labels, rows, times)
                    rows += len(labels)
            if not rows:
                raise SelectronError(f"there are no rows{self._said()}")

    def _said(self) -> str:
        return f": {self._heading} (if it is a row, say --no-header)" if self._heading else ""

    def _parts(self, file: Counted) -> Parts:
        kind, blocks = self._kind, Blocks(file)
        if kind == "parquet" or (kind is None and file.ahead.startswith(b"PAR1")):
            yield from self._parquet(file)
            return
        first, rows = blocks.first(line_ends), 0
        cut = blocks.fault and not first.endswith(b"\n")  # not even one line is whole
        if first.strip() and not cut:
            for part in self._text(blocks, kind or by_content(first.strip())):
                yield part
                rows += len(part[2])
        if blocks.fault:
            raise SelectronError(f"{blocks.fault}, after {rows} rows")

    def _text(self, blocks: Blocks, kind: str) -> Parts:
        # imported here, as Arrow takes a while and not every format needs it
        if kind == "svmlight":
            from . import svmlight

            if self._choice != Choice():
                raise SelectronError("svmlight has no named columns: leave label, drop, time out")
            return svmlight.parts(blocks, self._size)
        if kind == "jsonl":
            from . import json_lines

            return json_lines.parts(blocks, self._size, self._choice)
        from . import delimited

        table = delimited.begun(blocks, self._choice, self._header)
        self._heading = table.heading
        return delimited.parts(blocks, self._size, table)

    def _parquet(self, file: Counted) -> Parts:
        from . import parquet

        if self.path == "-":
            raise SelectronError("Parquet cannot be read from a pipe; give the path of the file")
        return parquet.parts(file, self._size, self._choice)


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    label: str | int | None = None,
    drop: str | int | Iterable[str | int] = (),
    time: str | int | None = None,
    header: bool | None = None,
    size: int = 4096,
) -> Source:
    """Read rows from a file in chunks.

    Parameters
    ----------
    path : the file, "-" for standard input; text may be packed with gzip, bzip2 or xz
    format : one of svmlight, csv, parquet, jsonl; by default told from the name or the first line
    label : name or position of the label column, "" for none; by default the column named label,
        target, class or y, or else the last of several (JSON: none); not for svmlight
    drop : names or positions of columns to leave out
    time : name or position of the column with the time of each row, in seconds since 1970 or as
        ISO 8601 writes it, in UTC where no zone is given; it is no feature; not for svmlight
    header : whether a CSV file begins with names; by default if a cell of its first line is a word,
        unless others are numbers and the next line is like it: `1,2,spam` before `3,4,ham`
    size : number of rows in a chunk at most; the rows do not depend on it

    Raises SelectronError, with the line or row and the reason, and while iterating only after all
    rows before the faulty one have been delivered.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.svm").write_text("+1 3:0.5 7:2\\n-1 1:1\\n")
    ...     [(chunk.labels, chunk.width) for chunk in read(pathlib.Path(folder, "a.svm"))]
    [(array([ 1., -1.]), 8)]
    """
    name = os.fspath(path)
    _check(format, size)
    dropped = (drop,) if isinstance(drop, str | int) else tuple(drop)
    choice = Choice("" if label is False else label, dropped, time)
    with _told_of(name):
        return Source(name, format or by_name(name), choice, header, int(size))


def _check(kind: str | None, size: int) -> None:
    if kind is not None and kind not in FORMATS:
        raise SelectronError(f"format {kind!r} is unknown; it is one of {', '.join(FORMATS)}")
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise SelectronError(f"size is {size!r}, and a whole number of rows from 1 is needed")


@contextmanager
def _told_of(name: str) -> Iterator[None]:
    """Put the name of the file before what is wrong with it."""
    try:
        yield
    except SelectronError as error:
        raise SelectronError(f"{name}: {error}") from None
