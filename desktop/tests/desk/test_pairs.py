"""The best pair in O(K) is that of all K^2."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from selectron_desktop.scoring import Pair, best, keeping, value

numbers = st.integers(-6, 6).map(float)  # so that there are ties
scores = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.lists(numbers, min_size=n, max_size=n),
        st.lists(numbers, min_size=n, max_size=n),
        st.sets(st.integers(0, n - 1)),
    )
)


def arrays(found):
    first, second, shut = found
    first, second = np.array(first), np.array(second)
    first[list(shut)] = second[list(shut)] = -np.inf
    return first, second


def brute(first, second, penalty, pairs):
    return max((value(first, second, penalty, pair) for pair in pairs), default=-np.inf)


def all_pairs(first):
    return [Pair(*pair) for pair in product(range(len(first)), repeat=2)]


@given(scores, numbers)
def test_the_best_pair_is_that_of_all(found, penalty):
    first, second = arrays(found)
    most = brute(first, second, penalty, all_pairs(first))
    pair = best(first, second, penalty)
    assert (pair is None) == (most == -np.inf)
    assert pair is None or value(first, second, penalty, pair) == most


@given(scores, numbers, st.integers(0, 6), st.integers(0, 6))
def test_the_best_other_pair_is_that_of_all_others(found, penalty, i, j):
    first, second = arrays(found)
    without = Pair(i % len(first), j % len(first))
    most = brute(first, second, penalty, [p for p in all_pairs(first) if p != without])
    pair = best(first, second, penalty, without=without)
    assert pair != without
    assert (pair is None) == (most == -np.inf)
    assert pair is None or value(first, second, penalty, pair) == most


@given(scores, numbers, st.integers(0, 6))
def test_the_best_pair_that_keeps_an_activity_is_that_of_all_that_do(found, penalty, now):
    first, second = arrays(found)
    now %= len(first)
    most = brute(first, second, penalty, [p for p in all_pairs(first) if p.now == now])
    pair = keeping(first, second, penalty, now)
    assert pair.now == now
    assert value(first, second, penalty, pair) == most
