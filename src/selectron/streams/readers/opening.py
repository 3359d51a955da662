"""Bytes: opening a file or standard input, counting what is read, and unpacking it."""

import bz2
import gzip
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from ...errors import SelectronError

READ = 1 << 18  # bytes asked for at a time
LIMIT = 1 << 26  # bytes of text held at most; a longer line is an error, so memory stays flat
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PACKED: dict[bytes, tuple[str, Callable[[Any], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda file: gzip.GzipFile(fileobj=file)),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
}


def size_of(path: str) -> int | None:
    """Size of a regular file in bytes; None for standard input and pipes.

    Raises SelectronError if there is no such file, or if it is a directory.
    """
    if path == "-":
        return None
    with as_one_error():
        found = os.stat(path)
    if stat.S_ISDIR(found.st_mode):
        raise SelectronError("is a directory, and a file is needed")
    return found.st_size if stat.S_ISREG(found.st_mode) else None


@contextmanager
def as_one_error() -> Iterator[None]:
    """Turn what the operating system says into one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise SelectronError("there is no such file") from None
    except PermissionError:
        raise SelectronError("may not be read (permission denied)") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise SelectronError(f"cannot be opened ({reason(error)})") from None


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """The file at `path`, closed at the end; "-" is standard input, which is left open."""
    if path == "-":
        yield sys.stdin.buffer
        return
    with as_one_error():
        file = open(path, "rb")  # noqa: SIM115 (an error while reading is not one of opening)
    with file:
        yield file


def reason(error: BaseException) -> str:
    """What an exception says, on one line, without the path and the number of the error."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text.strip().splitlines()[0].rstrip(". ")


class Counted:
    """A binary file that counts the bytes read from it and can be looked into ahead."""

    def __init__(self, file: IO[bytes]):
        self.file = file
        self.count = 0
        self.ahead = b""

    def peek(self, size: int) -> bytes:
        """The next `size` bytes (fewer at the end), which stay to be read."""
        while len(self.ahead) < size and (more := self.file.read(size - len(self.ahead))):
            self.ahead += more
        return self.ahead

    def read(self, size: int) -> bytes:
        """At most `size` bytes, as soon as there are some, so that a slow pipe is followed."""
        data, self.ahead = self.ahead[:size], self.ahead[size:]
        data = data or self.file.read1(size)  # type: ignore[attr-defined]
        self.count += len(data)
        return data

    read1 = read


class Blocks:
    """The unpacked bytes of a text file, block by block; `fault` says why they ended too early.

    A fault is kept rather than raised, so that the rows before it are delivered first.
    """

    def __init__(self, file: Counted):
        self.fault: str | None = None
        self.ahead = b""
        self.packed, self.stream = "", file
        with self._kept():
            head = file.peek(6)
            for magic, (name, unpack) in PACKED.items():
                if head.startswith(magic):
                    self.packed, self.stream = name, unpack(file)

    def read(self) -> bytes:
        """The next block; empty at the end."""
        data, self.ahead = self.ahead, b""
        if not data and not self.fault:
            with self._kept():
                data = self.stream.read1(READ)
        return data

    def first(self, ends: Callable[[bytes], np.ndarray], start: int = 0) -> bytes:
        """The first record from `start` on that is not blank, and blank lines before it.

        It stays to be read. A byte order mark is removed. Without a whole record all there is comes
        back.
        """
        ahead, rest, stops = b"", b"", np.empty(0, np.int64)
        while not len(stops) and len(ahead) < LIMIT and (block := self.read()):
            ahead = (ahead + block).removeprefix(BYTE_ORDER_MARK)
            rest = ahead[start:]
            blank = len(rest) - len(rest.lstrip())
            stops = ends(rest)
            stops = stops[stops > blank]
        self.ahead = ahead
        return rest[: stops[0]] if len(stops) else rest

    def skip(self, size: int) -> None:
        """Leave out the first bytes of those that were looked at."""
        self.ahead = self.ahead[size:]

    @contextmanager
    def _kept(self) -> Iterator[None]:
        try:
            yield
        except EOFError:
            self.fault = f"the {self.packed} data end too early"
        except (OSError, ValueError, zlib.error, lzma.LZMAError) as error:
            what = f"the {self.packed} data are damaged" if self.packed else "reading failed"
            self.fault = f"{what} ({reason(error)})"
