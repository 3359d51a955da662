"""Every composition decides as it did, bit for bit: `decisions` has the table and rewrites it."""

import pytest

from .decisions import ALL, REFUSED, cells, read

CELLS, TABLE = list(cells()), read()


def changed(cells):
    """Return the cells that decide otherwise than in the table."""
    return [" ".join(cell) for cell in cells if cell.digest() != TABLE.get(cell)]


def test_the_table_has_every_cell_once():
    assert list(TABLE) == CELLS


def test_compositions_decide_differently():
    """A stream on which all decided alike would show nothing."""
    found = [digest for digest in TABLE.values() if digest != REFUSED]
    assert len(set(found)) > len(found) / 4


@pytest.mark.parametrize("start", range(10))
def test_a_tenth_of_the_cells_decide_as_before(start):
    assert changed(CELLS[10 * start :: 100]) == []


@pytest.mark.slow
@pytest.mark.parametrize("learner", ALL)
def test_all_cells_of_a_learner_decide_as_before(learner):
    assert changed(cell for cell in CELLS if cell.learner == learner) == []
