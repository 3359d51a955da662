"""LIBSVM text: `label index:value index:value ... # comment`, a row a line.

A compiled pass over the bytes of a piece finds its labels, indices and values (`scanned`); Arrow
reads values with many digits or an exponent. If a line is faulty or unusual, the lines are parsed
one by one, which gives the same rows and finds the line of a fault.
"""

import math
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ...data.cells import parse_number
from ...data.values import labels_of
from ...engine.machine import compiled
from ...engine.rows import Sparse
from ...errors import SelectronError
from .columns import UNDAMAGED, Damage, Part
from .text import Blocks, Piece, ahead, pieces

HIGHEST = 2**31 - 2  # so that the width is an int32 as well
TAB, NEWLINE, VERTICAL, FEED, RETURN, SPACE = b"\t\n\v\f\r "
MINUS, POINT, ZERO, NINE, COLON, HASH = b"-.09:#"
DIGITS = 15  # of a number that is exact, as are these powers of ten: the quotient is rounded once
POWERS = 10.0 ** np.arange(DIGITS + 1)
UNUSUAL = -1  # instead of the number of rows: something is faulty, or needs `careful`
WHOLE = re.compile(rb"[+-]?[0-9]+")


def parts(blocks: Blocks, size: int) -> Iterator[Part]:
    """Yield the rows of the file."""
    yield from ahead(parsed, pieces(blocks, size), blocks.file.comes)


def parsed(piece: Piece) -> Part:
    """Return the rows of a piece."""
    found = scanned(piece.data)
    heads, rows, damage = (*found, UNDAMAGED) if found else careful(piece)
    return Part(rows, labels_of(heads), fault=piece.fault, damage=damage)


def careful(piece: Piece) -> tuple[pa.Array, Sparse, Damage]:
    """Return the same line by line, and what cannot be read."""
    heads, rows, damage = list[bytes](), list[list[tuple[int, float]]](), UNDAMAGED
    for line, text in enumerate(piece.data.split(b"\n"), piece.line):
        words = text.partition(b"#")[0].split()
        if not words:
            continue
        head = b"" if b":" in words[0] else words.pop(0)
        try:
            rows.append(_row(words))
        except SelectronError as error:
            damage = damage.and_also(Damage(1, len(rows), f"line {line}: {error}"))
            continue
        heads.append(head)
    pairs = [pair for row in rows for pair in row]
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    indices = np.array([index for index, _ in pairs], dtype=np.int32)
    values = np.array([value for _, value in pairs], dtype=float)
    return pa.array(heads, pa.string()), Sparse(indptr, indices, values), damage


def _row(words: list[bytes]) -> list[tuple[int, float]]:
    row: dict[int, float] = {}
    for word in words:
        index, value = _pair(word)
        if index in row:
            raise SelectronError(f"index {index} occurs twice")
        row[index] = value
    return sorted(row.items())


def _pair(word: bytes) -> tuple[int, float]:
    left, colon, right = word.partition(b":")
    if not colon:
        raise SelectronError(f"{word.decode()!r} is not an index:value pair")
    if not WHOLE.fullmatch(left):
        raise SelectronError(f"the index {left.decode()!r} is not a whole number")
    index = int(left) if len(left) < 100 else -1  # int() refuses thousands of digits
    if not 0 <= index <= HIGHEST:
        raise SelectronError(f"the index {left.decode()} is not from 0 to {HIGHEST}")
    value = parse_number(right)
    if value is None:
        raise SelectronError(f"{right.decode()!r} is not a number")
    if not math.isfinite(value):
        raise SelectronError(f"the value of feature {index} is not finite ({right.decode()})")
    return index, value


def scanned(text: bytes) -> tuple[pa.Array, Sparse] | None:
    """Return labels and rows of the lines that are not blank; a missing label is empty.

    Return None if anything is unusual, correct or not.

    >>> scanned(b"1 3:0.5 7:2e1\\n\\nspam 2:1\\n")[0].to_pylist()
    ['1', 'spam']
    """
    text += b"\n"
    lines, most = text.count(b"\n"), len(text) // 4 + 1  # a pair takes four bytes at least
    heads, indptr = np.empty((lines, 2), np.int32), np.zeros(lines + 1, np.int64)
    indices, values = np.empty(most, np.int32), np.empty(most)
    long = np.empty((most, 3), np.int32)
    n, left, is_sorted = SCAN(np.frombuffer(text, np.uint8), heads, indptr, indices, values, long)
    if n == UNUSUAL or (left and not read_long(text, long[:left], values)):
        return None
    rows = indptr[: n + 1], indices[: indptr[n]], values[: indptr[n]]
    table = Sparse(*rows) if is_sorted else in_order(*rows)
    return None if table is None else (cells(text, heads[:n]), table)


def cells(text: bytes, places: np.ndarray) -> pa.Array:
    """Return the parts of a text between these starts and ends.

    >>> cells(b"1 3:0.5 7:2e1", np.array([[4, 7], [10, 13]], np.int32)).to_pylist()
    ['0.5', '2e1']
    """
    offsets = pa.py_buffer(np.append(places, np.int32(len(text))))
    found = pa.StringArray.from_buffers(2 * len(places), offsets, pa.py_buffer(text))
    return found.take(pa.array(np.arange(0, len(found), 2)))  # without the parts in between


def read_long(text: bytes, long: np.ndarray, values: np.ndarray) -> bool:
    """Write long values; return False if one is not finite, or Arrow does not read it."""
    try:
        found = cells(text, long[:, 1:]).cast(pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return False
    values[long[:, 0]] = found
    return bool(np.isfinite(found).all())


def in_order(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray) -> Sparse | None:
    """Return rows with sorted indices; None if an index occurs twice in a row."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, row))
    indices, values = indices[order], values[order]
    if ((np.diff(indices) == 0) & (np.diff(row) == 0)).any():
        return None
    return Sparse(indptr, indices, values)


def scan(text, heads, indptr, indices, values, long):
    """Fill the arrays; return the numbers of rows and long values, and whether indices are sorted.

    `heads` are the starts and ends of the labels; a row of `long` is the position of a value, and
    the start and end of its text.
    """
    i = row = k = left = 0
    is_sorted = True
    while i < len(text):
        i = blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            i = ending(text, i) + 1
            continue
        stop, bare = token(text, i)
        heads[row, 0], heads[row, 1] = i, i if bare else stop
        last = -1
        i = blanks(text, i if bare else stop)
        while text[i] != NEWLINE and text[i] != HASH:
            i, index = whole(text, i)
            if index < 0 or text[i] != COLON:
                return UNUSUAL, 0, True
            start = i + 1
            i, values[k] = short(text, start)
            if i < 0:
                i, _ = token(text, start)
                long[left, 0], long[left, 1], long[left, 2] = k, start, i
                left += 1
            is_sorted = is_sorted and index > last
            indices[k], last, k = index, index, k + 1
            i = blanks(text, i)
        row += 1
        indptr[row] = k
        i = ending(text, i) + 1
    return row, left, is_sorted


def blanks(text, i):
    """Return the end of blank space; the text ends in a line end."""
    while text[i] in (SPACE, TAB, VERTICAL, FEED, RETURN):
        i += 1
    return i


def ending(text, i):
    """Return the end of the line."""
    while text[i] != NEWLINE:
        i += 1
    return i


def token(text, i):
    """Return the end of a word, and whether it has a colon."""
    colon = False
    while text[i] > SPACE and text[i] != HASH:
        colon = colon or text[i] == COLON
        i += 1
    return i, colon


def whole(text, i):
    """Return the end of a whole number and its value, -1 if it is missing or too large."""
    start, total = i, 0
    while ZERO <= text[i] <= NINE:
        if total > HIGHEST:
            return i, -1
        total = 10 * total + int(text[i]) - ZERO
        i += 1
    return i, total if i > start and total <= HIGHEST else -1


def short(text, i):
    """Return the end of a number and its value; -1 unless it has few digits and no exponent."""
    negative = text[i] == MINUS
    i += negative
    total = digits = after = 0
    pointed = False
    while ZERO <= text[i] <= NINE or (text[i] == POINT and not pointed):
        if text[i] == POINT:
            pointed = True
        else:
            total = 10 * total + int(text[i]) - ZERO
            digits += 1
            after += pointed
        i += 1
    if not 0 < digits <= DIGITS or (text[i] > SPACE and text[i] != HASH):
        return -1, 0.0
    value = total / POWERS[after]
    return i, -value if negative else value


SCAN = compiled(scan, {}, "scan")
