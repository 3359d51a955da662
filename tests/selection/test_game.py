"""The game of selection: its value from both sides, and by counting all selections."""

import itertools

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from sklearn.metrics import mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from selectron import SelectronError
from selectron.selection import Game, InformationGain
from selectron.selection.information import binned, play_game

SIZED = st.integers(1, 6).flatmap(
    lambda d: st.tuples(
        arrays(float, (d, d), elements=st.integers(0, 40).map(lambda i: i / 8)), st.integers(1, d)
    )
)


@parametrize_with_checks([Game(), Game(k=1, bins=3)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def stream(n=400, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, d)) + rng.normal(size=(n, d))
    X[:, : d // 3] *= rng.random((n, d // 3)) < 0.3
    return X


def column_value(M, k):
    """min_v max_u u'Mv, the column player's own programme: min k l + sum s, l + s_i >= (Mv)_i."""
    d = len(M)
    cost = np.concatenate([np.zeros(d), np.ones(d), [k]])
    response = np.hstack([M, -np.eye(d), -np.ones((d, 1))])
    total = np.concatenate([np.ones(d), np.zeros(d + 1)])[None]
    bounds = [(0, 1)] * d + [(0, None)] * d + [(None, None)]
    return linprog(cost, response, np.zeros(d), total, [k], bounds, method="highs").fun


def counted_value(M, k):
    """Value of the matrix game whose pure strategies are all the selections of k features."""
    picks = np.array([np.isin(range(len(M)), c) for c in itertools.combinations(range(len(M)), k)])
    pay = picks @ M @ picks.T
    n = len(pay)
    rows = np.hstack([-pay.T, np.ones((n, 1))])
    total = np.append(np.ones(n), 0.0)[None]
    bounds = [(0, None)] * n + [(None, None)]
    return -linprog(np.append(np.zeros(n), -1.0), rows, np.zeros(n), total, [1.0], bounds).fun


def guaranteed(M, u, k):
    """min_v u'Mv: the world takes the k smallest."""
    return np.sort(u @ M)[:k].sum()


@settings(deadline=None)
@given(SIZED)
def test_the_value_by_counting(case):
    M, k = case
    u, value = play_game(M, k)
    assert value == pytest.approx(counted_value(M, k), abs=1e-8)
    assert value == pytest.approx(column_value(M, k), abs=1e-8)
    assert guaranteed(M, u, k) == pytest.approx(value, abs=1e-8)
    assert u.sum() == pytest.approx(k, abs=1e-8)
    assert u.min() >= -1e-9
    assert u.max() <= 1 + 1e-9


@pytest.mark.parametrize("size", [2.0**-80, 2.0**80])
def test_the_size_of_the_rewards_does_not_matter(size):
    M = Game().fit(stream()).information_
    u, value = play_game(M, 3)
    same, other = play_game(size * M, 3)
    assert np.array_equal(same, u)
    assert other == size * value


def test_a_game_for_nothing():
    u, value = play_game(np.zeros((3, 3)), 2)
    assert value == 0
    assert u.sum() == pytest.approx(2)


@pytest.mark.parametrize("k", [1, 5, 20, 39, 40])
def test_both_players_agree(k):
    M = Game().fit(stream(d=40)).information_
    u, value = play_game(M, k)
    assert value == pytest.approx(column_value(M, k), rel=1e-8)
    assert guaranteed(M, u, k) == pytest.approx(value, rel=1e-8)


def test_all_features_is_all_that_can_be_played():
    M = np.arange(9.0).reshape(3, 3)
    u, value = play_game(M, 3)
    assert np.allclose(u, 1)
    assert value == pytest.approx(M.sum())


def test_information_is_scikit_learns():
    X = stream()
    game = Game(k=4).fit(X)
    places = binned(X, game.cuts_).T
    expected = [[mutual_info_score(a, b) for a in places] for b in places]
    assert np.allclose(game.information_, expected, rtol=0, atol=1e-12)


def test_the_largest_bets_are_kept():
    game = Game(k=4).fit(stream())
    mask = game.get_support()
    assert mask.sum() == 4
    assert game.strategy_[mask].min() >= game.strategy_[~mask].max()
    assert game.strategy_.sum() == pytest.approx(4)
    assert len(set(game.strategy_[mask].round(6))) > 1


def test_sparse_is_dense_and_rows_add_up():
    X = stream(n=2500)
    whole = Game(k=3).fit(X[:400]).partial_fit(X[400:])
    parts = Game(k=3).fit(scipy.sparse.csr_array(X[:400]))
    for part in np.array_split(X[400:], 3):
        parts.partial_fit(scipy.sparse.csr_array(part))
    assert np.array_equal(whole.counts_, parts.counts_)
    assert whole.counts_.sum() == 2500 * 12**2
    assert np.array_equal(whole.strategy_, parts.strategy_)


def test_features_that_do_not_vary_are_no_part_of_the_game():
    X = stream()
    wide = np.insert(X, [0, 3, 12], 1.0, axis=1)
    game, without = Game(k=3).fit(wide), Game(k=3).fit(X)
    varied = np.ptp(wide, axis=0) > 0
    assert varied.sum() == 12
    assert game.value_ == pytest.approx(without.value_, abs=1e-12)
    assert game.value_ > 0
    assert np.array_equal(game.strategy_[varied], without.strategy_)
    assert not game.strategy_[~varied].any()


def test_nothing_varies():
    game = Game(k=2).fit(np.ones((5, 3)))
    assert game.value_ == 0
    assert game.get_support().tolist() == [True, True, False]


@pytest.mark.parametrize("bins", [10**9, 2**70])
@pytest.mark.parametrize("selector", [Game, InformationGain])
def test_bins_that_do_not_fit_into_memory_are_refused(selector, bins):
    fresh = selector(bins=bins)
    with pytest.raises(SelectronError, match=r"^Counting \d+ bins .* GiB: take fewer bins"):
        fresh.fit(np.eye(64), np.arange(64) % 2)
    assert vars(fresh) == vars(selector(bins=bins))


def test_too_many_features_are_refused_and_change_nothing():
    game = Game().fit(stream())
    before = dict(vars(game))
    with pytest.raises(SelectronError, match="X has 1025 features"):
        game.fit(scipy.sparse.csr_array((3, 1025)))
    assert vars(game) == before


def test_values_that_are_not_finite_are_refused():
    with pytest.raises(SelectronError, match="Row 0, feature 0 is NaN"):
        Game().fit(stream() * np.nan)


def test_a_programme_that_is_not_solved_is_told(monkeypatch):
    def hasty(*args, **options):
        return linprog(*args, **options, options={"maxiter": 0, "presolve": False})

    monkeypatch.setattr("selectron.selection.information.linprog", hasty)
    with pytest.raises(SelectronError, match=r"The game of 12 features was not solved: [A-Z]"):
        play_game(np.random.default_rng(0).random((12, 12)), 3)
