"""The grammar of CSV: where a record ends, and what its cells are.

A quote opens a quoted cell only where the cell begins, and is doubled within it; what follows the
closing quote belongs to the cell as it stands. So does Arrow read it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...errors import SelectronError
from .lines import Piece, line_ends

MARKS = ",;\t"


class Grammar(NamedTuple):
    """What the mark between cells makes of the text."""

    mark: str
    record: re.Pattern[bytes]
    cell: re.Pattern[str]

    @classmethod
    def of(cls, mark: str) -> "Grammar":
        """The grammar with cells between that mark."""
        quoted, plain = r'"[^"]*+(?:""[^"]*+)*+"[^M\n]*+', r'[^"M\n][^M\n]*+'
        cell = f"(?:{quoted}|{plain})?+"
        return cls(
            mark,
            re.compile(f"{cell}(?:M{cell})*+\n".replace("M", mark).encode()),
            re.compile(f"({cell})(?:M|\n|$)".replace("M", mark)),
        )

    @classmethod
    def sniffed(cls, line: bytes) -> "Grammar":
        """The grammar with the mark that is most frequent in the first line, outside quotes."""
        text = re.sub(rb'"[^"]*"', b"", line)
        return cls.of(max(MARKS, key=lambda mark: text.count(mark.encode())))

    def ends(self, data: bytes) -> np.ndarray:
        """The offsets behind whole records."""
        if b'"' not in data:
            return line_ends(data)
        stops, start = [], 0
        while found := self.record.match(data, start):
            start = found.end()
            stops.append(start)
        return np.array(stops, dtype=np.int64)

    def records(self, piece: Piece) -> Iterator[tuple[str, int]]:
        """Records that are not blank, with the line each begins on."""
        start, line = 0, piece.line
        for stop in [*self.ends(piece.data).tolist(), len(piece.data)]:
            record = piece.data[start:stop].decode()
            if record.strip(" \r\n"):
                yield record, line
            start, line = stop, line + record.count("\n")

    def cells(self, record: str) -> list[str]:
        r"""The cells of a record.

        >>> Grammar.of(",").cells('1,"a ""b"", c",\n')
        ['1', 'a "b", c', '']
        """
        text = record.rstrip("\r\n")
        if '"' not in text:
            return text.split(self.mark)
        cells, start = [], 0
        while True:
            found = self.cell.match(text, start)
            if found is None:
                raise SelectronError("a quoted cell is opened and never closed")
            cells.append(_unquoted(found[1]))
            start = found.end()
            if found.end(1) == len(text):
                return cells


def _unquoted(cell: str) -> str:
    if not cell.startswith('"'):
        return cell
    stop = re.match(r'"[^"]*+(?:""[^"]*+)*+"', cell)
    assert stop is not None
    return stop[0][1:-1].replace('""', '"') + cell[stop.end() :]
