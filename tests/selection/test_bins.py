"""Bins hold equally many, and zeros that are not stored count as those that are."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from selectron.selection.information import binned, cuts

TABLES = arrays(
    float,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.sampled_from([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.5, 2.0, -3.0]),
)
BINS = st.integers(3, 7)


@given(TABLES, BINS)
def test_cuts_are_numpys_quantiles(X, bins):
    shares = np.arange(1, bins) / bins
    # rounding in a share would count one row too many where n * share is a whole number
    expected = np.quantile(X, shares * (1 - 1e-12), axis=0, method="inverted_cdf").T
    assert np.array_equal(cuts(X, bins), expected)


@given(TABLES, BINS)
def test_sparse_is_dense(X, bins):
    assert np.array_equal(cuts(scipy.sparse.csr_array(X), bins), cuts(X, bins))


def test_stored_zeros_are_zeros():
    X = scipy.sparse.csr_array(np.array([[1.0], [-1.0], [3.0], [2.0]]))
    X.data[[0, 2]] = 0.0
    assert np.array_equal(cuts(X, 4), cuts(X.toarray(), 4))


@pytest.mark.parametrize("bins", [3, 4, 9])
@pytest.mark.parametrize("n", [9, 36, 100])
def test_bins_of_different_values_hold_equally_many(bins, n):
    X = np.random.default_rng(n).permuted(np.tile(np.arange(float(n)), (3, 1)), axis=1).T
    places = binned(X, cuts(X, bins))
    for column in places.T:
        sizes = np.bincount(column, minlength=bins)
        assert len(sizes) == bins
        assert set(sizes) <= {n // bins, -(-n // bins)}


@given(TABLES, BINS, st.floats(-4, 4), st.floats(-4, 4))
def test_bins_are_in_the_order_of_the_values(X, bins, a, b):
    ends = cuts(X, bins)
    low, high = (binned(np.full(len(ends), x), ends) for x in sorted([a, b]))
    assert (low >= 0).all()
    assert (low <= high).all()
    assert (high < bins).all()


@given(arrays(float, st.integers(1, 30), elements=st.sampled_from([0.0, 1.0])), BINS)
def test_an_indicator_is_taken_as_it_is(column, bins):
    ends = cuts(column[:, None], bins)
    zero, one = binned(np.array([[0.0], [1.0]]), ends).ravel()
    assert zero < one


def test_mostly_zero_is_below_at_and_above():
    X = np.array([-2.0, -1.0, *[0.0] * 20, 1.0, 5.0])[:, None]
    places = binned(X, cuts(X, 4)).ravel()
    assert len(set(places)) == 3
    assert len(set(places[:2])) == len(set(places[2:-2])) == len(set(places[-2:])) == 1
