"""Every composition decides as it did, bit for bit: `decisions` has the table and rewrites it."""

import pytest

from selectron import askers, learners

from .decisions import ALL, REFUSED, cells, read
from .grid import ASKERS, LEARNERS

CELLS, TABLE = list(cells()), read()


def changed(cells):
    """Return the cells that decide otherwise than in the table."""
    return [" ".join(cell) for cell in cells if cell.digest() != TABLE.get(cell)]


def test_the_table_has_every_cell_once():
    assert list(TABLE) == CELLS


def test_no_learner_or_asker_is_left_out():
    budgeted = {"BudgetPerceptron", "Forgetron"}  # in test_budgets.py
    for table, module in ((LEARNERS, learners), (ASKERS, askers)):
        names = {type(part).__name__ for part in table.values()}
        assert names == {*module.__all__} - budgeted, module.__name__


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
