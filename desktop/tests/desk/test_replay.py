"""Which rows come back."""

import numpy as np
import pytest

from selectron_desktop.features import K, M
from selectron_desktop.files import pack, unpack
from selectron_desktop.scoring import LENGTH, Replay


def row(i):
    return np.full(K + 2 * M, float(i))


def numbers(block):
    return block[:, 0].astype(int).tolist()


def test_only_what_is_kept_comes_back_and_the_new_row_is_last():
    replay = Replay(again=7)
    for i in range(LENGTH + 500):
        *earlier, last = numbers(replay.add(row(i)))
        assert last == i
        assert len(earlier) == min(i, 7)
        assert all(i - LENGTH < one < i for one in earlier)


def test_all_rows_come_back_about_as_often():
    replay, times = Replay(again=4), np.zeros(2 * LENGTH, int)
    for i in range(2 * LENGTH):
        times[numbers(replay.add(row(i)))[:-1]] += 1
    middle = times[LENGTH // 2 : LENGTH]  # these were there for as long as a row can be
    assert middle.mean() == pytest.approx(4, abs=0.5)
    assert (middle == 0).mean() < 0.01  # by drawing lots it would be 0.018
    assert middle.max() <= 16


def test_nothing_comes_back_if_nothing_should():
    replay = Replay(again=0)
    assert [numbers(replay.add(row(i))) for i in range(3)] == [[0], [1], [2]]


@pytest.mark.parametrize("after", [0, 20, LENGTH + 20])
def test_it_goes_on_from_what_was_packed(after):
    straight, halted = Replay(again=3), Replay(again=3)
    expected = [numbers(straight.add(row(i))) for i in range(after + 30)]
    found = [numbers(halted.add(row(i))) for i in range(after)]
    arrays = {}
    again = unpack(pack(halted, arrays), arrays)
    assert found + [numbers(again.add(row(after + i))) for i in range(30)] == expected
