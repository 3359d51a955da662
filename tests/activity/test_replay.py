"""Which rows come back."""

import numpy as np
import pytest

from selectron.activity.features import K, M
from selectron.activity.replay import LENGTH, Replay


def row(i):
    return np.full(K + 2 * M, float(i))


def numbers(block):
    return block[:, 0].astype(int).tolist()


def test_only_what_is_kept_comes_back_and_the_new_row_is_last():
    replay = Replay(again=7)
    for i in range(LENGTH + 500):
        *earlier, last = numbers(replay.add(row(i)))
        assert last == i
        assert len(earlier) == min(i, 7, LENGTH)
        assert all(max(0, i - LENGTH) <= one < i for one in earlier)


def test_all_rows_come_back_about_as_often():
    replay, times = Replay(again=4), np.zeros(2 * LENGTH, int)
    for i in range(2 * LENGTH):
        times[numbers(replay.add(row(i)))[:-1]] += 1
    middle = times[LENGTH // 2 : LENGTH]  # these were there for as long as a row can be
    assert middle.min() >= 1
    assert middle.mean() == pytest.approx(4, abs=2)


def test_nothing_is_kept_that_does_not_come_back():
    replay = Replay(again=0)
    assert [numbers(replay.add(row(i))) for i in range(3)] == [[0], [1], [2]]
    assert len(replay.rows) == 0


def test_it_goes_on_from_what_was_packed():
    straight, halted = Replay(again=3), Replay(again=3)
    expected = [numbers(straight.add(row(i))) for i in range(50)]
    found = [numbers(halted.add(row(i))) for i in range(20)]
    again = Replay.unpack(*halted.pack())
    assert found + [numbers(again.add(row(i))) for i in range(20, 50)] == expected
