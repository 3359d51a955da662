"""The four phases: which classes come when."""

import numpy as np
import pytest

from selectron.errors import SelectronError
from selectron.streams import four_phases
from selectron.streams.generated import PHASES

CLASSES = np.tile([3, 7, 8, 9, 5], 20_000)
GROUPS = 3, 7, 8, 9  # P1, P2, N1, N2


def test_probabilities_move_as_the_paper_says():
    order, y = four_phases(CLASSES, GROUPS, n=10_000, seed=1)
    drawn = CLASSES[order]
    for phase, (start, end) in enumerate(PHASES):
        part = drawn[phase * 10_000 : (phase + 1) * 10_000]
        for quarter in range(4):
            some = part[quarter * 2500 : (quarter + 1) * 2500]
            found = [(some == group).mean() for group in GROUPS]
            expected = np.average([start, end], axis=0, weights=[3.5 - quarter, 0.5 + quarter])
            np.testing.assert_allclose(found, expected, atol=0.05)
    assert set(drawn[y == 1]) == {3, 7}
    assert set(drawn[y == -1]) == {8, 9}


def test_probabilities_sum_to_one():
    np.testing.assert_allclose(np.sum(PHASES, axis=2), 1)


def test_no_row_comes_twice():
    order, y = four_phases(CLASSES, GROUPS, n=5000)
    assert len(set(order.tolist())) == len(order) == len(y) == 20_000


def test_the_seed_decides():
    first, again, other = (four_phases(CLASSES, GROUPS, 50, seed)[0] for seed in (4, 4, 5))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": (3, 7, 8)}, "Four groups and n above 0 are needed, got 3 and 10"),
        ({"n": 0}, "got 4 and 0"),
        ({"groups": (3, 7, 8, 1)}, "of the class 1, which has 0: take a smaller n than 10"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(SelectronError, match=message):
        four_phases(CLASSES, **{"groups": GROUPS, "n": 10, **options})
