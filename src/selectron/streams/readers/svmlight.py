"""LIBSVM text: `label index:value index:value ... # comment`, a row a line.

A piece is parsed at one go (`pairs`). Where that does not apply, or something is wrong, its pairs
are parsed one by one, which gives the same rows and finds the line of the error.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...engine.rows import Sparse
from ...errors import SelectronError
from .ahead import ahead
from .labels import column, given
from .lines import Piece, pieces
from .numerals import number
from .opening import Blocks
from .pairs import HIGHEST, scanned

WHOLE = re.compile(rb"[+-]?[0-9]+")

Row = list[tuple[int, float]]


class Lines(NamedTuple):
    """The lines of a piece that are not blank, taken apart."""

    heads: list[bytes]  # the label, or nothing
    tails: list[bytes]  # the pairs
    places: list[int]  # numbers of the lines in the file


def parts(blocks: Blocks, size: int) -> Iterator[tuple[Sparse, int, np.ndarray, np.ndarray]]:
    """Rows, width, labels and no times of at most `size` rows at a time.

    Labels are float64 as long as all are numbers, and from the chunk with the first that is not,
    they are text as it stands in the file.
    """
    width, words = 0, False
    for heads, rows, fault in ahead(_rows, pieces(blocks, size)):
        count = len(rows.indptr) - 1
        labels = _labels(heads[:count], words)
        words = labels.dtype == object
        width = max(width, int(rows.indices.max(initial=-1)) + 1)
        if count:
            yield rows, width, labels, np.empty(0)
        if fault:
            raise fault


def _taken_apart(piece: Piece) -> Lines:
    lines = Lines([], [], [])
    comments = b"#" in piece.data
    for place, line in enumerate(piece.data.split(b"\n"), piece.line):
        text = line.partition(b"#")[0] if comments else line
        words = text.split(None, 1)
        if not words:
            continue
        bare = b":" in words[0]
        lines.heads.append(b"" if bare else words[0])
        lines.tails.append(text if bare else words[1] if len(words) > 1 else b"")
        lines.places.append(place)
    return lines


def _rows(piece: Piece) -> tuple[list[bytes], Sparse, SelectronError | None]:
    found = scanned(piece.data)
    if found is not None:
        return (*found, None)
    lines = _taken_apart(piece)
    return (lines.heads, *careful(lines))


def careful(lines: Lines) -> tuple[Sparse, SelectronError | None]:
    """The rows before the first error, and that error if there is one."""
    rows: list[Row] = []
    fault = None
    for tail, place in zip(lines.tails, lines.places, strict=True):
        try:
            rows.append(_row(tail))
        except SelectronError as error:
            fault = SelectronError(f"line {place}: {error}")
            break
    pairs = [pair for row in rows for pair in row]
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    indices = np.array([index for index, _ in pairs], dtype=np.int32)
    return Sparse(indptr, indices, np.array([value for _, value in pairs], dtype=float)), fault


def _row(tail: bytes) -> Row:
    row: dict[int, float] = {}
    for token in tail.split():
        if token.startswith(b"qid:"):
            continue
        index, value = _pair(token)
        if index in row:
            raise SelectronError(f"index {index} occurs twice")
        row[index] = value
    return sorted(row.items())


def _pair(token: bytes) -> tuple[int, float]:
    left, colon, right = token.partition(b":")
    if not colon:
        raise SelectronError(f"{token.decode()!r} is not an index:value pair")
    if not WHOLE.fullmatch(left):
        raise SelectronError(f"the index {left.decode()!r} is not a whole number")
    if not 0 <= (index := _whole(left)) <= HIGHEST:
        raise SelectronError(f"the index {left.decode()} is not from 0 to {HIGHEST}")
    value = number(right)
    if value is None:
        raise SelectronError(f"{right.decode()!r} is not a number")
    if not math.isfinite(value):
        raise SelectronError(f"the value of feature {index} is not finite ({right.decode()})")
    return index, value


def _whole(digits: bytes) -> int:
    """As int(), which refuses thousands of digits."""
    return int(digits) if len(digits) < 100 else -1


def _labels(heads: list[bytes], words: bool) -> np.ndarray:
    texts = {head: given(head.decode()) for head in set(heads)}
    numbers = {head: number(head) if text else math.nan for head, text in texts.items()}
    known = {head: value for head, value in numbers.items() if value is not None}
    finite = not any(map(math.isinf, known.values()))
    if not words and finite and len(known) == len(texts):
        return np.array([known[head] for head in heads], dtype=float)
    return column(texts[head] for head in heads)
