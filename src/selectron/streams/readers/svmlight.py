"""LIBSVM text: `label index:value index:value ... # comment`, a row a line.

A piece is parsed in one compiled pass over its bytes (`scanned`), in an eighth of the time of
scikit-learn's reader. If a line is faulty or unusual, the lines are parsed one by one, which gives
the same rows and finds the line of a fault.
"""

import math
import re
from collections.abc import Iterator

import numpy as np

from ...data.cells import label, number
from ...engine.machine import compiled
from ...engine.rows import Sparse
from ...errors import SelectronError
from .columns import Part
from .text import Blocks, Piece, ahead, pieces

HIGHEST = 2**31 - 2  # so that the width is an int32 as well
TAB, NEWLINE, VERTICAL, FEED, RETURN, SPACE = b"\t\n\v\f\r "
PLUS, MINUS, POINT, ZERO, NINE, COLON, HASH, SMALL_E, LARGE_E = b"+-.09:#eE"
LETTER_Q, LETTER_I, LETTER_D = b"qid"
EXACT = 2**53  # whole numbers up to here are exact, as are powers of ten up to the 22nd:
POWERS = 10.0 ** np.arange(23)  # their products and quotients are rounded only once
UNUSUAL = -1  # instead of the number of rows: something is faulty, or needs `careful`
WHOLE = re.compile(rb"[+-]?[0-9]+")
TIMES = np.empty(0)


def parts(blocks: Blocks, size: int) -> Iterator[Part]:
    """Yield the rows of the file.

    Labels are float64 until the first part with a label that is no number, and text from there on.
    """
    words = False
    for heads, rows, fault in ahead(parsed, pieces(blocks, size)):
        labels = _labels(heads, words)
        words = labels.dtype == object
        yield Part(rows, labels, TIMES, fault)


def parsed(piece: Piece) -> tuple[list[bytes], Sparse, str]:
    """Return the labels and the rows before the first fault, and that fault."""
    found = scanned(piece.data)
    heads, rows, fault = (*found, "") if found else careful(piece)
    return heads, rows, fault or piece.fault


def careful(piece: Piece) -> tuple[list[bytes], Sparse, str]:
    """Return the same line by line, up to the first fault."""
    heads: list[bytes] = []
    rows: list[list[tuple[int, float]]] = []
    fault = ""
    for line, text in enumerate(piece.data.split(b"\n"), piece.line):
        words = text.partition(b"#")[0].split()
        if not words:
            continue
        head = b"" if b":" in words[0] else words.pop(0)
        try:
            rows.append(_row(words))
        except SelectronError as error:
            fault = f"line {line}: {error}"
            break
        heads.append(head)
    pairs = [pair for row in rows for pair in row]
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    indices = np.array([index for index, _ in pairs], dtype=np.int32)
    values = np.array([value for _, value in pairs], dtype=float)
    return heads, Sparse(indptr, indices, values), fault


def _row(words: list[bytes]) -> list[tuple[int, float]]:
    row: dict[int, float] = {}
    for word in words:
        if word.startswith(b"qid:"):
            continue
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
    value = number(right)
    if value is None:
        raise SelectronError(f"{right.decode()!r} is not a number")
    if not math.isfinite(value):
        raise SelectronError(f"the value of feature {index} is not finite ({right.decode()})")
    return index, value


def _labels(heads: list[bytes], words: bool) -> np.ndarray:
    texts = {head: label(head.decode()) for head in set(heads)}
    values = {head: number(head) if text else math.nan for head, text in texts.items()}
    if words or any(value is None or math.isinf(value) for value in values.values()):
        return np.array([texts[head] for head in heads], dtype=object)
    return np.array([values[head] for head in heads], dtype=float)


def scanned(text: bytes) -> tuple[list[bytes], Sparse] | None:
    """Return labels and rows of the lines that are not blank; a missing label is empty.

    Return None if anything is unusual, correct or not.

    >>> scanned(b"1 3:0.5 7:2e1\\n\\nspam 2:1\\n")[0]
    [b'1', b'spam']
    """
    text += b"\n"
    lines, most = text.count(b"\n"), len(text) // 4 + 1  # a pair takes four bytes at least
    heads, indptr = np.empty((lines, 2), np.int64), np.zeros(lines + 1, np.int64)
    indices, values, hard = np.empty(most, np.int32), np.empty(most), np.empty((most, 3), np.int64)
    found = SCAN(np.frombuffer(text, np.uint8), heads, indptr, indices, values, hard)
    n, rough, sorted_already = found
    if n == UNUSUAL:
        return None
    for k, start, stop in hard[:rough].tolist():
        values[k] = float(text[start:stop])
    rows = indptr[: n + 1], indices[: indptr[n]], values[: indptr[n]]
    if rough and not np.isfinite(rows[2]).all():
        return None
    table = Sparse(*rows) if sorted_already else in_order(*rows)
    labels = [text[start:stop] for start, stop in heads[:n].tolist()]
    return None if table is None else (labels, table)


def in_order(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray) -> Sparse | None:
    """Return rows with sorted indices; None if an index occurs twice in a row."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, row))
    indices, values = indices[order], values[order]
    if ((np.diff(indices) == 0) & (np.diff(row) == 0)).any():
        return None
    return Sparse(indptr, indices, values)


def scan(text, heads, indptr, indices, values, hard):
    """Fill the arrays; return the numbers of rows and hard values, and whether indices are sorted.

    A value is hard if plain arithmetic does not round its digits correctly: a row of `hard` is its
    position and the start and end of its text.
    """
    i = row = k = rough = 0
    in_line = True
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
            if asks(text, i):
                i = blanks(text, token(text, i)[0])
                continue
            i, index = whole(text, i)
            if index < 0 or text[i] != COLON:
                return UNUSUAL, 0, True
            start = i + 1
            i, value, fine = decimal(text, start)
            if i < 0:
                return UNUSUAL, 0, True
            if not fine:
                hard[rough, 0], hard[rough, 1], hard[rough, 2] = k, start, i
                rough += 1
            in_line = in_line and index > last
            indices[k], values[k], last, k = index, value, index, k + 1
            i = blanks(text, i)
        row += 1
        indptr[row] = k
        i = ending(text, i) + 1
    return row, rough, in_line


def blank_at(text, i):
    """Return whether there is blank space other than a line end."""
    return text[i] in (SPACE, TAB, VERTICAL, FEED, RETURN)


def blanks(text, i):
    """Return the end of blank space; the text ends in a line end."""
    while blank_at(text, i):
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
    while not blank_at(text, i) and text[i] != NEWLINE and text[i] != HASH:
        colon = colon or text[i] == COLON
        i += 1
    return i, colon


def asks(text, i):
    """Return whether this is a query number, as in files for ranking."""
    word = text[i] == LETTER_Q and text[i + 1] == LETTER_I and text[i + 2] == LETTER_D
    return word and text[i + 3] == COLON


def whole(text, i):
    """Return the end of a whole number and its value, -1 if it is missing or too large."""
    start, total = i, 0
    while ZERO <= text[i] <= NINE:
        if total > HIGHEST:
            return i, -1
        total = 10 * total + int(text[i]) - ZERO
        i += 1
    return i, total if i > start and total <= HIGHEST else -1


def decimal(text, i):
    """Return the end of a number, -1 if it is none, its value, and whether that is exact."""
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    digits, power, seen, fine = 0, 0, 0, True
    pointed = False
    while ZERO <= text[i] <= NINE or (text[i] == POINT and not pointed):
        if text[i] == POINT:
            pointed = True
        else:
            seen += 1
            if digits < EXACT // 10:
                digits = 10 * digits + int(text[i]) - ZERO
                power -= pointed
            else:  # more digits than are exact
                fine = False
        i += 1
    if seen == 0:
        return -1, 0.0, True
    if text[i] == SMALL_E or text[i] == LARGE_E:
        i, exponent = whole_signed(text, i + 1)
        if i < 0:
            return -1, 0.0, True
        power += exponent
    if not blank_at(text, i) and text[i] != NEWLINE and text[i] != HASH:
        return -1, 0.0, True
    fine = fine and -22 <= power <= 22
    value = 0.0
    if fine:
        value = digits * POWERS[power] if power >= 0 else digits / POWERS[-power]
    return i, -value if negative else value, fine


def whole_signed(text, i):
    """Return the end of an exponent, -1 if it is none, and its value."""
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    i, total = whole(text, i)
    return (-1, 0) if total < 0 else (i, -total if negative else total)


SCAN = compiled(scan, {}, "scan")
