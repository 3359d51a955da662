"""Bytes of files: opened, counted, decompressed, and cut into pieces of whole records."""

import bz2
import codecs
import gzip
import lzma
import os
import re
import stat
import sys
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain, islice, pairwise
from select import select
from typing import IO, Any, NamedTuple, TypeVar

from ...errors import SelectronError
from .columns import is_number

READ = 1 << 20  # bytes asked for at a time
SMALL = 1 << 10  # of zstd, since where its data are cut short, Arrow loses what it was asked for
LIMIT = 1 << 26  # bytes of one record at most, so that memory stays flat
THREADS = 2  # that parse ahead
PATIENCE = 0.1  # seconds after which rows that have come do not wait for more
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16 = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE  # with which such text begins
NO_ROWS = "there are no rows"
NEVER_CLOSED = "a quoted cell is opened and never closed"
NOT_UTF_8 = "the text is not UTF-8: name its encoding, as with --encoding cp1252"

Record = re.Pattern[bytes]  # of one record, with its end
LINE = re.compile(rb"[^\n]*\n")


def zstd(file: Any) -> Any:
    """Return the decompressed file."""
    import pyarrow as pa  # slow to import

    return pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")


PACKED: dict[bytes, tuple[str, Callable[[Any], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda file: gzip.GzipFile(fileobj=file)),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
    b"\x28\xb5\x2f\xfd": ("zstd", zstd),
}

Item = TypeVar("Item")
Result = TypeVar("Result")


def size_of(path: str) -> int | None:
    """Return the size of a regular file in bytes; None for standard input and pipes."""
    found = None if path == "-" else os.stat(path)
    return found.st_size if found and stat.S_ISREG(found.st_mode) else None


def opened(path: str) -> AbstractContextManager[IO[bytes]]:
    """Open the file at `path`, to be closed at the end; "-" is standard input, left open."""
    return nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb")


def reason(error: BaseException) -> str:
    """Return the message of an exception on one line, without path and error number."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text.strip().splitlines()[0].rstrip(". ")


class Counted:
    """A binary file that counts the bytes read from it and allows a look at the next ones."""

    closed = False  # Arrow asks

    def close(self) -> None:
        """Do nothing: the file is closed by its opener."""

    def __init__(self, file: IO[bytes]):
        self.file = file
        self.count = 0
        self.ahead = b""

    def peek(self, size: int) -> bytes:
        """Return the next `size` bytes (fewer at the end), which stay to be read."""
        while len(self.ahead) < size and (more := self.file.read(size - len(self.ahead))):
            self.ahead += more
        return self.ahead

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, as soon as there are some, so that pipes do not wait."""
        data, self.ahead = self.ahead[:size], self.ahead[size:]
        data = data or self.file.read1(size)  # type: ignore[attr-defined]
        self.count += len(data)
        return data

    read1 = read

    def comes(self, seconds: float = PATIENCE) -> bool:
        """Return whether more bytes, or the end, come in this time."""
        try:
            return bool(select([self.file], [], [], max(0.0, seconds))[0])
        except (OSError, ValueError):  # it is in memory, or a pipe of Windows
            return True


def encoding_of(name: str | None) -> str | None:
    """Return Python's name of an encoding of text, None for UTF-8.

    >>> encoding_of("Latin-1"), encoding_of("UTF8")
    ('iso8859-1', None)
    """
    if name is None:
        return None
    try:
        found = codecs.lookup(name).name
        codecs.getincrementaldecoder(found)
        b"\x80".decode(found, "replace")
    except (LookupError, ValueError):
        raise SelectronError(
            f"encoding {name!r} is unknown: give one such as cp1252, latin-1, utf-16 or shift-jis"
        ) from None
    return None if found == "utf-8" else found


QUOTED = re.compile(rb'"[^"]*"')


def titles(data: bytes, lines: list[bytes], first: int, marks: str) -> tuple[str, str]:
    """Return how to leave out titles above a table, and the mark between its cells if they differ.

    The data begin with the `lines`, at line `first`. If the later ones all have the same marks, the
    first of these is the header, unless it has numbers. A mark with a space behind it is one of
    prose.

    >>> titles(b"Export\\na;b\\n1;2\\n", [b"Export", b"a;b", b"1;2"], 1, ",;")
    ('if line 1 is a title or a comment, delete it', ';')
    """
    advice = f"if line {first} is a title or a comment, delete it"
    bare = [QUOTED.sub(b"", line) for line in lines]
    best = most = 0
    other = ""
    for mark in marks:
        counts = [len(re.findall(rf"{re.escape(mark)}(?! )".encode(), line)) for line in bare]
        above = counts.index(counts[-1])
        alike = 0 < above < len(counts) - 1 and len({*counts[above:]}) == 1
        if alike and counts[-1] > most:
            best, most, other = above, counts[-1], mark
    if best > 1 and not any(map(is_number, bare[best].decode(errors="replace").split(other))):
        names = 1 + data.count(b"\n", 0, data.find(lines[best]))
        them = f"if lines {first} to {names - 1} are titles or comments, delete them"
        advice = f"{them}: line {names} looks like the header"
    return advice, other


CELL = rb'(?<![^M\n])"[^"]*+(?>(?:""[^"]*+)*)"'  # quoted, where M is between cells
CLEAR = 4  # columns: lines of prose seldom have as many commas
SWALLOWED = (
    "line {} opens a quote that line {} closes, and the lines between look like rows: if the quote "
    "is part of a text, delete it, or quote the cell and double it"
)


class Blocks:
    """The decompressed bytes of a text file as UTF-8, block by block.

    `encoding` is that of the file, unless it begins with the byte order mark of UTF-8; by default
    UTF-16 if it begins so, or else UTF-8. If the bytes end too early, `fault` is the reason. It is
    not raised, so that the rows before the fault are processed first.
    """

    def __init__(self, file: Counted, encoding: str | None = None):
        self.file = file
        self.fault = ""
        self.ahead = b""
        self.packed = ""
        self.blocks: Iterator[bytes] = iter(())
        with self._faults_kept():
            head, stream = file.peek(6), file
            for magic, (name, unpack) in PACKED.items():
                if head.startswith(magic):
                    self.packed, stream = name, unpack(file)
            size = SMALL if self.packed == "zstd" else READ
            self.blocks = iter(lambda: stream.read1(size), b"")
            if self.packed:
                head = next(self.blocks, b"")
                self.blocks = chain([head] if head else [], self.blocks)
            if encoding is None and head.startswith(UTF_16):
                encoding = "utf-16"
            if head.startswith(BYTE_ORDER_MARK):
                encoding = None
            if encoding is not None:  # bytes that it lacks become U+FFFD
                self.blocks = map(str.encode, codecs.iterdecode(self.blocks, encoding, "replace"))

    def read(self, size: int = -1) -> bytes:
        """Return the next block, whatever its size; empty at the end."""
        data, self.ahead = self.ahead, b""
        if not data and not self.fault:
            with self._faults_kept():
                data = next(self.blocks, b"")
        return data

    def fileno(self) -> int:
        """Return the descriptor of the file, to wait for more."""
        return self.file.file.fileno()

    def first(self, count: int = 1, record: Record = LINE) -> list[bytes]:
        """Return the first records that are not blank, which stay to be read.

        A byte order mark is dropped.
        """
        ahead, found = b"", list[bytes]()
        while len(found) < count and len(ahead) < LIMIT and (block := self.read()):
            ahead = (ahead + block).removeprefix(BYTE_ORDER_MARK)
            stops = [0, *ends(ahead, record)]
            records = [ahead[start:stop] for start, stop in pairwise(stops)]
            found = [text for text in records if text.strip()][:count]
        self.ahead = ahead
        if len(found) < count and not self.fault:
            rest = ahead[_last(ahead, record) :]  # the last one, without a line end
            found += [rest] if rest.strip() else []
        return found

    @contextmanager
    def _faults_kept(self) -> Iterator[None]:
        try:
            yield
        except EOFError:
            self.fault = f"the {self.packed} data end too early"
        except (OSError, ValueError, zlib.error, lzma.LZMAError) as error:
            what = f"the {self.packed} data are damaged" if self.packed else "reading failed"
            self.fault = f"{what} ({reason(error)})"


class Piece(NamedTuple):
    """Whole records of UTF-8 text with "\\n" line ends, up to a fault if there is one."""

    data: bytes
    line: int  # number of the first line in the file, from 1
    fault: str = ""


def pieces(blocks: Blocks, size: int, record: Record = LINE, line: int = 1) -> Iterator[Piece]:
    """Yield the text in pieces of `size` lines or `READ` bytes, whichever is fewer, roughly.

    Where more is slow to come, as from a pipe, lines wait for `PATIENCE` at most.
    """
    held: list[bytes] = []
    length, lines, wanted, many, due = 0, 0, READ, size, 0.0
    while block := blocks.read():
        held.append(block)
        length += len(block)
        lines += block.count(b"\n")
        if lines < many and length < wanted:
            due = due or time.monotonic() + PATIENCE
            if blocks.file.comes(due - time.monotonic()):
                continue
        data = b"".join(held)
        stop = _last(data, record)
        if stop:
            yield (piece := _piece(data[:stop], line, record))
            if piece.fault:
                return
        elif length >= LIMIT:
            what = f"a line (or a quoted cell) goes on for over {LIMIT >> 20} MiB"
            yield Piece(b"", line, f"line {line}: {what}")
            return
        held, length, due = [data[stop:]], len(data) - stop, 0.0
        lines, before = data.count(b"\n", stop), lines
        line += before - lines
        wanted, many = (READ, size) if stop else (2 * length, LIMIT)  # of a long quoted cell
    data = b"".join(held)
    if blocks.fault:
        data = data[: _last(data, record)]  # a record that is cut short is not a row
    data += b"" if data.endswith(b"\n") else b"\n"
    whole = _last(data, record)
    if data[whole:].strip():
        begins = line + data.count(b"\n", 0, whole)
        piece = _piece(data[:whole], line, record)
        yield piece._replace(fault=piece.fault or f"line {begins}: {NEVER_CLOSED}")
    elif data != b"\n":
        yield _piece(data, line, record)


def _piece(data: bytes, line: int, record: Record) -> Piece:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b" ")
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        line_of_fault = line + data.count(b"\n", 0, error.start)
        fault = f"line {line_of_fault}: {NOT_UTF_8}"
        return Piece(data[: _last(data[: error.start], record)], line, fault)
    return Piece(data, line)


def swallowed(piece: Piece, record: Record, mark: bytes, width: int) -> str:
    """Return that a quote which is part of a text seems to have taken in rows; "" if none has.

    All lines of such a record have the marks between `width` cells, and more text follows the quote
    that ends it. Otherwise, all records of several lines have to be so, as some prose is.
    """
    data, cell = piece.data, re.compile(CELL.replace(b"M", re.escape(mark)))
    several = [one for one in record.finditer(data) if one[0].count(b"\n") > 1]
    like_rows = [
        one for one in several if all(line.count(mark) == width - 1 for line in one[0].splitlines())
    ]
    quoted = [each for one in like_rows for each in cell.finditer(data, *one.span())]
    spans = [each.span() for each in quoted if b"\n" in each[0]]
    strays = [span for span in spans if data[span[1] : span[1] + 1] not in (mark, b"\n")]
    clear = (mark == b"\t" or width >= CLEAR) and len(like_rows) == len(several) > 0
    if not strays and not (clear and sum(one[0].count(b"\n") - 1 for one in several) > 1):
        return ""
    lines = (piece.line + data.count(b"\n", 0, place) for place in (strays or spans)[0])
    return SWALLOWED.format(*lines)


def ends(data: bytes, record: Record) -> Iterator[int]:
    """Yield the offsets behind whole records.

    >>> list(ends(b"a\\nbc\\nd", LINE))
    [2, 5]
    """
    stop = 0
    while found := record.match(data, stop):
        yield (stop := found.end())


def _last(data: bytes, record: Record) -> int:
    """Return the offset behind the last whole record."""
    if record is LINE or b'"' not in data:
        return data.rfind(b"\n") + 1
    found = re.match(b"(?>(?:%b)*)" % record.pattern, data)
    return found.end() if found else 0


def ahead(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    comes: Callable[[], bool] = lambda: True,
) -> Iterator[Result]:
    """Yield the result of each item in order, computed in other threads ahead of their use.

    The first one is computed at once by the caller's thread, as it may be the only one. Unless
    another item `comes` soon, results do not wait for it.

    >>> list(ahead(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    source = iter(items)
    for item in islice(source, 1):
        yield function(item)
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for item in source:
                waiting.append(pool.submit(function, item))
                while waiting and (len(waiting) > THREADS or not comes()):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
