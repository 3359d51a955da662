"""Text in pieces: whole records, as many as a chunk takes, with the number of their first line."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...errors import SelectronError
from .opening import LIMIT, Blocks

Ends = Callable[[bytes], np.ndarray]


class Piece(NamedTuple):
    """Whole records of UTF-8 text with "\\n" line ends."""

    data: bytes
    line: int  # number of the first line in the file, from 1


class _TooLong(Exception):
    """A record that does not end."""


def line_ends(data: bytes) -> np.ndarray:
    """Where records end if each is a line: the offsets behind the line ends.

    >>> line_ends(b"a\\nbc\\nd").tolist()
    [2, 5]
    """
    return np.flatnonzero(np.frombuffer(data, np.uint8) == 10) + 1


def pieces(blocks: Blocks, size: int, ends: Ends = line_ends, line: int = 1) -> Iterator[Piece]:
    """Pieces of at most `size` records each, the first of which begins on line `line`."""
    try:
        for cut in _cuts(blocks, size, ends):
            data = cut.replace(b"\r\n", b"\n") if b"\r" in cut else cut
            bad = not_utf8(data)
            if bad is None:
                yield Piece(data, line)
            else:
                if len(before := ends(data[:bad])):
                    yield Piece(data[: before[-1]], line)
                line += data.count(b"\n", 0, bad)
                raise SelectronError(f"line {line}: the text is not UTF-8; convert the file to it")
            line += data.count(b"\n")
    except _TooLong:
        raise SelectronError(
            f"line {line}: a line (or a quoted cell) goes on for over {LIMIT >> 20} MiB"
        ) from None


def not_utf8(data: bytes) -> int | None:
    """Where the first byte is that is not UTF-8; None if all are.

    >>> not_utf8(b"caf\\xe9"), not_utf8("café".encode())
    (3, None)
    """
    if data.isascii():
        return None
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def _cuts(blocks: Blocks, size: int, ends: Ends) -> Iterator[bytes]:
    held: list[bytes] = []
    length = lines = again = 0
    while block := blocks.read():
        held.append(block)
        length += len(block)
        lines += block.count(b"\n")
        if length < LIMIT and (lines < size or length < again):
            continue
        data = b"".join(held)
        stops = _stops(ends(data), size, all_of_them=length >= LIMIT)
        if length >= LIMIT and not stops:
            raise _TooLong
        yield from _slices(data, stops)
        held = [data[stops[-1] :] if stops else data]
        length, lines = len(held[0]), held[0].count(b"\n")
        again = 0 if stops else 2 * length  # a long quoted cell is not searched at every block
    yield from _last(b"".join(held), size, ends, broken=blocks.fault is not None)


def _stops(found: np.ndarray, size: int, all_of_them: bool) -> list[int]:
    stops = found[size - 1 :: size].tolist()
    if all_of_them and len(found) % size:
        stops.append(int(found[-1]))
    return stops


def _slices(data: bytes, stops: list[int]) -> Iterator[bytes]:
    start = 0
    for stop in stops:
        yield data[start:stop]
        start = stop


def _last(data: bytes, size: int, ends: Ends, broken: bool) -> Iterator[bytes]:
    """What is left at the end; of a broken file only the whole records."""
    if data and not broken and not data.endswith(b"\n"):
        data += b"\n"
    stops = _stops(ends(data), size, all_of_them=True)
    if not broken and data and (not stops or stops[-1] < len(data)):
        stops.append(len(data))  # a quoted cell that is never closed: the parser tells of it
    yield from _slices(data, stops)
