"""Headings: whether the first line of a table has the names of its columns, or a row."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .columns import USUAL
from .labels import given
from .numerals import number

ENOUGH = 3  # numbers that count up by one are numbers of columns, where the line below has others
NAMES = tuple(name for name in USUAL if len(name) > 1)  # "y" is as likely to be a label


class Heading(NamedTuple):
    """A line that was taken for names."""

    line: int
    mixed: bool  # nobody said so, and some of them are numbers

    def __str__(self) -> str:
        return f"line {self.line} was taken for names"


def has_word(cells: Sequence[str]) -> bool:
    """Is any of the cells a word?"""
    return any(map(_is_word, cells))


def is_mixed(cells: Sequence[str]) -> bool:
    """Are there words and numbers, so that they may be names or a row?"""
    return has_word(cells) and any(map(_is_number, cells))


def is_row(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Is a mixed first line like the line below, so that it is a row as well?

    It is not where a word, or nothing, is above a number, nor with the name that labels usually
    have, nor where numbers count the columns.

    >>> is_row(["1", "2", "spam"], ["3", "4", "ham"]), is_row(["2019", "area"], ["3", "4"])
    (True, False)
    >>> is_row(["0", "1", "label"], ["3", "4", "ham"])
    False
    >>> is_row(["kind", "1", "2", "3"], ["ham", "3", "3", "7"])
    False
    """
    if below and len(below) != len(cells):
        return False
    above = [one for one, two in zip(cells, below, strict=False) if _is_number(two)]
    unlike = any(_is_word(cell) or not cell.strip() for cell in above)
    named = any(cell.strip().lower() in NAMES for cell in cells)
    counted = _counts_up(cells) and not _counts_up(below)
    return not (unlike or named or counted)


def _counts_up(cells: Sequence[str]) -> bool:
    found = [value for cell in cells if given(cell) and (value := number(cell)) is not None]
    return len(found) >= ENOUGH and all(b == a + 1 for a, b in pairwise(found))


def _is_word(cell: str) -> bool:
    return given(cell) is not None and number(cell) is None


def _is_number(cell: str) -> bool:
    return given(cell) is not None and number(cell) is not None
