"""The best pair in O(K) is that of all K^2."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from selectron_desktop.scoring import Pair, Scores

numbers = st.integers(-6, 6).map(float)  # so that there are ties
scores = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.lists(numbers, min_size=n, max_size=n),
        st.lists(numbers, min_size=n, max_size=n),
        st.sets(st.integers(0, n - 1)),
    )
)


def made(found, penalty):
    first, second, shut = found
    first, second = np.array(first), np.array(second)
    first[list(shut)] = second[list(shut)] = -np.inf
    return Scores(first, second, penalty)


def brute(scored, pairs):
    return max(map(scored.of, pairs), default=-np.inf)


def all_pairs(scored):
    return [Pair(*pair) for pair in product(range(len(scored.first)), repeat=2)]


@given(scores, numbers)
def test_the_best_pair_is_that_of_all(found, penalty):
    scored = made(found, penalty)
    most, pair = brute(scored, all_pairs(scored)), scored.best()
    assert (pair is None) == (most == -np.inf)
    assert pair is None or scored.of(pair) == most


@given(scores, numbers, st.integers(0, 6), st.integers(0, 6))
def test_the_best_other_pair_is_that_of_all_others(found, penalty, i, j):
    scored = made(found, penalty)
    without = Pair(i % len(scored.first), j % len(scored.first))
    most = brute(scored, [pair for pair in all_pairs(scored) if pair != without])
    pair = scored.best(without=without)
    assert pair != without
    assert (pair is None) == (most == -np.inf)
    assert pair is None or scored.of(pair) == most


@given(scores, numbers, st.integers(0, 6))
def test_the_best_pair_that_keeps_an_activity_is_that_of_all_that_do(found, penalty, now):
    scored = made(found, penalty)
    now %= len(scored.first)
    most = brute(scored, [pair for pair in all_pairs(scored) if pair.now == now])
    pair = scored.keeping(now)
    assert pair.now == now
    assert scored.of(pair) == most
