"""A file of rows: its format, and its rows in chunks."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from ...engine.rows import Dense, Sparse, extent, rows_of
from ...errors import SelectronError
from .columns import UNDAMAGED, USUAL, Choice, Part
from .text import NO_ROWS, Blocks, Counted, encoding_of, opened, reason, size_of

ENDINGS = {  # of the names of files, by format
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "csv": (".csv", ".tsv"),
    "parquet": (".parquet", ".pq"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
}
FORMATS = tuple(ENDINGS)
PACKED = (".gz", ".bz2", ".xz", ".zst")
PAIRS = re.compile(rb"\s*(?:[^\s:,;]+\s+)?\d+:[^\s:,;]+(?:\s|$)")
FOREIGN = {  # what files of other kinds begin with
    b"PK\x03\x04": "a workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "a workbook",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"%PDF-": "a PDF document",
    b"\x80\x04\x95": "a pickle",
    b"ARROW1": "an Arrow file",
    b"BEGIN:": "a file of contacts or appointments",
}
MAIL = (".mbox", ".eml", ".emlx", ".msg")  # endings of files of mail
MODEL = b"selectron\n"  # what files of models begin with
GUESSED = 50  # values that a column may have to be taken for the label without being named
MANY = 0.1  # values a row from which a label is doubted that is not refused
FRACTION = re.compile(r"[+-]?\d*\.\d*[1-9]\d*")  # labels with these among them are amounts
LONG = 40  # characters, on average, of values that are texts and not labels
COMMENT = re.compile(rb"\s*#[^,;\t]*$")  # with a comma it is rather the header of a table
COMMENTS = 100  # lines in which one is looked for that is none


class Chunk(NamedTuple):
    """Some rows of a stream, one after another.

    Rows are an Arrow table of the features (CSV: all columns are text; Parquet: its own types), or
    a list of dicts (JSON lines), to be encoded; or Sparse (svmlight), with the indices of the file;
    their width, the highest index so far plus 1, may grow from chunk to chunk.

    Labels are objects: text without spaces around it, or None where a cell is empty or a null, or
    holds "?", "NA", "n/a", "nan" or "null" in small or capital letters.

    >>> Chunk([{"a": 1.0}, {"a": 2.0}], 0, np.array(["ham", "spam"]), first=10).part(1, 2).first
    11
    """

    rows: Any  # Arrow table, list of dicts, or Sparse
    width: int  # number of features known so far; of tables and dicts 0
    labels: np.ndarray  # (n,)
    first: int  # number of the first row in the stream, from 0
    times: np.ndarray = np.empty(0)  # (n,) in seconds since 1970, or none

    def part(self, start: int, stop: int) -> "Chunk":
        """Return rows `start` to `stop`."""
        span = slice(start, stop)
        if isinstance(self.rows, Dense | Sparse):
            rows: Any = rows_of(self.rows, start, stop)
        else:  # a slice of an Arrow table, or of a list
            rows = self.rows[span]
        more = self.labels[span], self.first + start, self.times[span]
        return Chunk(rows, self.width, *more)


class Source:
    """A file of rows, read in chunks; `read` is another name of this class.

    Each iteration opens the file, reads it and closes it. Raises SelectronError with the line or
    row and the reason, while iterating only after all rows before the faulty one.

    Parameters
    ----------
    path : the file, "-" for standard input; text may be compressed with gzip, bzip2, xz or zstd
    format : svmlight, csv, parquet or jsonl; by default found by the name or the first line
    label : name or position of the label column, "" for none; by default the column named label,
        target, class or y, or else the last of several (JSON: none); not for svmlight
    ignore : names or positions of columns to leave out
    lenient : whether such a column may be missing, as they were chosen for an earlier file
    time : name or position of the column with the time of each row, in seconds since 1970 or as
        ISO 8601 writes it, in UTC where no zone is given; it is not a feature; not for svmlight
    header : whether a CSV file begins with names; by default if a cell of its first line is a word,
        unless others are numbers and the next line is like it: `1,2,spam` before `3,4,ham`, and no
        column is asked for by such a word
    size : number of rows in a chunk at most; the rows do not depend on it
    encoding : of text, such as latin-1; by default UTF-16 if the file begins with its byte order
        mark, or else UTF-8; not for Parquet
    skip_damaged : whether to leave out rows that cannot be read, such as those with another number
        of cells, instead of raising; `damage` counts them, and says where the first of them is

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.svm")
    ...     _ = path.write_text("+1 3:0.5 7:2\\n-1 1:1\\n")
    ...     [(chunk.labels, chunk.width) for chunk in read(path)]
    [(array(['+1', '-1'], dtype=object), 8)]
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        label: str | int | None = None,
        ignore: str | int | Iterable[str | int] = (),
        lenient: bool = False,
        time: str | int | None = None,
        header: bool | None = None,
        size: int = 4096,
        encoding: str | None = None,
        skip_damaged: bool = False,
    ):
        if format is not None and format not in FORMATS:
            raise SelectronError(f"format {format!r} is unknown; it is one of {', '.join(FORMATS)}")
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise SelectronError(f"size is {size!r}, and a whole number of rows from 1 is needed")
        self.path = os.fspath(path)
        self.name = "standard input" if self.path == "-" else self.path
        ignored = (ignore,) if isinstance(ignore, str | int) else tuple(ignore)
        # of columns; once reading has begun, by their names
        self.choice = Choice("" if label is False else label, ignored, time, lenient)
        self._guesses = label is None
        self.guessed = False  # whether the label is the last column, which has no usual name
        with _naming(self.path):
            self._kind, self._encoding = format or by_name(self.path), encoding_of(encoding)
            self.size_in_bytes = size_of(self.path)
        self._header, self._size, self._skips = header, int(size), bool(skip_damaged)
        self.damage = UNDAMAGED  # of the rows that were left out so far
        self.most_classes = 0  # if the values of the label are the classes; else 0
        self.may_be_empty = False  # whether a table of names alone is a chunk without rows
        self._file: Counted | None = None
        self.doubts: list[str] = []  # about the header and the label, once reading has begun

    def position(self) -> int:
        """Return the number of bytes of the file (compressed) that have been consumed so far."""
        return self._file.count if self._file else 0

    def __iter__(self) -> Iterator[Chunk]:
        rows = width = 0
        self.doubts, self.damage = [], UNDAMAGED
        with _naming(self.name), opened(self.path) as file:
            self._file = Counted(file)
            for part in self._parts(self._file):
                part = self._without_damage(part, rows)
                self.choice = part.choice
                self.doubts += part.doubts
                if not rows:
                    self._check_label(part)
                whole = Chunk(part.rows, width, part.labels, rows, part.times)
                for start in range(0, len(part.labels), self._size):
                    chunk = whole.part(start, start + self._size)
                    if isinstance(chunk.rows, Sparse):
                        width = max(width, extent(chunk.rows)[1])
                    yield chunk._replace(width=width)
                rows += len(part.labels)
                if self.may_be_empty and part.fault.startswith(NO_ROWS):
                    yield whole
                    return
                if part.fault:
                    raise SelectronError(part.fault)
            if not rows:
                why = f" that can be read: {self.damage.why}" if self.damage.rows else ""
                raise SelectronError(f"{NO_ROWS}{why}")

    def _without_damage(self, part: Part, rows: int) -> Part:
        """Count rows that were left out; unless they may be, return those before the first."""
        left_out, before, why, general = part.damage
        if not left_out or self._skips:
            self.damage = self.damage.and_also(part.damage._replace(before=rows + before))
            return part
        kept, _, labels, _, times = Chunk(part.rows, 0, part.labels, 0, part.times).part(0, before)
        why += "; leave such rows out with --skip-damaged" if rows + before and not general else ""
        return part._replace(rows=kept, labels=labels, times=times, fault=why)

    def _check_label(self, part: Part) -> None:
        """Count the values of a label that does not look like one.

        Raises SelectronError for a guess, and for values that cannot be classes.
        """
        name, rows = part.choice.label, len(part.labels)
        labels = [label for label in part.labels.tolist() if label is not None]
        values = {*labels}
        n = len(values)
        self.guessed = self._guesses and str(name or USUAL[0]).lower() not in USUAL
        if not name or n <= GUESSED:
            return
        found = f"{n:,} values in the first {rows:,} rows"
        if self.guessed:
            raise SelectronError(
                f"the last column, {name!r}, would be the label, and has {found}: name the label "
                "with --label, or '' for none"
            )
        texts = [*map(str, values)]
        are_texts = 2 * n > len(labels) and sum(map(len, texts)) > LONG * n
        many = self.most_classes and (n > self.most_classes or are_texts)
        if many and not any(map(FRACTION.fullmatch, texts)):  # amounts are refused by name, later
            raise SelectronError(
                f"the label {name!r} has {found}, and each would be a class: name another column "
                "with --label, or all classes with --classes"
            )
        if n > rows * MANY:
            self.doubts.append(f"the label {name!r} has {found}, and each is a class")

    def _parts(self, file: Counted) -> Iterator[Part]:
        kind, blocks = self._kind, Blocks(file, self._encoding)
        for magic, what in FOREIGN.items():
            if file.ahead.startswith(magic):
                raise SelectronError(f"is {what}; export the rows as CSV")
        if self.path.lower().endswith(MAIL) and kind is None:
            raise SelectronError("is mail; export the messages as CSV or JSON lines")
        if MODEL.startswith(file.ahead) and file.peek(len(MODEL)) == MODEL:
            raise SelectronError("is a model of Selectron: give a file with rows here")
        if kind == "parquet" or (kind is None and file.ahead.startswith(b"PAR1")):
            from . import tables

            self._refuse("Parquet", header=self._header, encoding=self._encoding)
            if self.path == "-" or not file.file.seekable():
                raise SelectronError(
                    "Parquet cannot be read from a pipe; give the path of the file"
                )
            yield from tables.parquet_parts(file, self._size, self.choice)
            return
        rows = 0
        first = blocks.first()
        for count in range(2, COMMENTS):
            if kind is None and first and COMMENT.match(first[-1]):
                first = blocks.first(count)
        if first:
            for part in self._text(blocks, kind or by_content(first[-1])):
                yield part
                rows += len(part.labels)
        if blocks.fault:
            raise SelectronError(f"{blocks.fault}, after {rows} rows")

    @staticmethod
    def _refuse(kind: str, **given: Any) -> None:
        """Refuse parameters that a format has no use for, as they would change nothing."""
        for name, value in given.items():
            if value is not None:
                raise SelectronError(f"{kind} takes no {name}: leave it out")

    # the formats are imported when they are needed, as Arrow takes a while
    def _text(self, blocks: Blocks, kind: str) -> Iterator[Part]:
        if kind == "svmlight":
            from . import svmlight

            self._refuse("svmlight", header=self._header)
            given = {name: getattr(self.choice, name) for name in ("label", "ignore", "time")}
            if named := [name for name, value in given.items() if value not in (None, ())]:
                raise SelectronError(
                    f"svmlight has no named columns: leave {' and '.join(named)} out, and "
                    "give a model of tables a table"
                )
            return svmlight.parts(blocks, self._size)
        if kind == "jsonl":
            from . import json_lines

            self._refuse("JSON", header=self._header)
            return json_lines.parts(blocks, self._size, self.choice)
        from . import tables

        return tables.csv_parts(blocks, self._size, self.choice, self._header)


def by_name(path: str) -> str | None:
    """Return the format by the ending of a file's name, None if it is unknown.

    >>> by_name("mail.CSV.gz"), by_name("a9a.txt"), by_name("-")
    ('csv', None, None)
    """
    endings = [ending.lower() for ending in PurePath(path).suffixes]
    if endings and endings[-1] in PACKED:
        endings.pop()
    last = endings[-1] if endings else None
    return next((name for name, known in ENDINGS.items() if last in known), None)


def by_content(line: bytes) -> str:
    """Return the format by the first line that is not blank, nor a comment with others after it.

    >>> by_content(b"+1 3:0.5 7:1"), by_content(b'{"x": 1}'), by_content(b"1,2,3")
    ('svmlight', 'jsonl', 'csv')
    """
    line = line.strip()
    if line.startswith(b"{"):
        return "jsonl"
    return "svmlight" if PAIRS.match(line) or COMMENT.match(line) else "csv"


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Put the name of the file before the message of an error."""
    try:
        yield
    except SelectronError as error:
        raise SelectronError(f"{name}: {error}") from None
    except OSError as error:
        raise SelectronError(f"{name}: {reason(error).lower()}") from None


read = Source
