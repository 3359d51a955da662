"""LIBSVM text, a piece at a time: one compiled pass over its bytes."""

import numpy as np

from ...engine.machine import compiled
from ...engine.rows import Sparse

HIGHEST = 2**31 - 2  # so that the width is an int32 as well
TAB, NEWLINE, VERTICAL, FEED, RETURN, SPACE = b"\t\n\v\f\r "
PLUS, MINUS, POINT, ZERO, NINE, COLON, HASH, SMALL_E, LARGE_E = b"+-.09:#eE"
LETTER_Q, LETTER_I, LETTER_D = b"qid"
EXACT = 2**53  # whole numbers up to here are exact, as are powers of ten up to the 22nd:
POWERS = 10.0 ** np.arange(23)  # their products and quotients are rounded only once
UNUSUAL = -1  # instead of the number of rows: something is wrong, or takes more care


def scanned(text: bytes) -> tuple[list[bytes], Sparse] | None:
    """Return labels and rows of the lines that are not blank; no label is an empty one.

    None if anything is unusual, be it right or wrong.

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
    """Fill the arrays; return the number of rows, that of hard values, and are indices sorted?

    A value is hard if its digits have to be rounded with more care: `hard` says which it is, and
    where its text begins and ends.
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
    """Is there blank space, but for a line's end?"""
    return text[i] in (SPACE, TAB, VERTICAL, FEED, RETURN)


def blanks(text, i):
    """Where blank space ends; there is a line's end at the end of the text."""
    while blank_at(text, i):
        i += 1
    return i


def ending(text, i):
    """Where the line ends."""
    while text[i] != NEWLINE:
        i += 1
    return i


def token(text, i):
    """Where a word ends, and is there a colon in it?"""
    colon = False
    while not blank_at(text, i) and text[i] != NEWLINE and text[i] != HASH:
        colon = colon or text[i] == COLON
        i += 1
    return i, colon


def asks(text, i):
    """Is this a query's number, as files for ranking have it?"""
    word = text[i] == LETTER_Q and text[i + 1] == LETTER_I and text[i + 2] == LETTER_D
    return word and text[i + 3] == COLON


def whole(text, i):
    """Where a whole number ends, and the number; -1 if there is none, or it is too large."""
    start, total = i, 0
    while ZERO <= text[i] <= NINE:
        if total > HIGHEST:
            return i, -1
        total = 10 * total + int(text[i]) - ZERO
        i += 1
    return i, total if i > start and total <= HIGHEST else -1


def decimal(text, i):
    """Where a number ends, -1 if it is none; its value; and is that value exactly rounded?"""
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
    """Where an exponent ends, -1 if it is none, and the exponent."""
    negative = text[i] == MINUS
    if negative or text[i] == PLUS:
        i += 1
    i, total = whole(text, i)
    return (-1, 0) if total < 0 else (i, -total if negative else total)


SCAN = compiled(scan, {}, "scan")
