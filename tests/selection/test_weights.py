"""Which weights are dropped, compared with the words of the paper."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from selectron import SelectronError
from selectron.selection import kept

# Tenths make ties and sums that meet sigma, quarters do so exactly.
WEIGHTS = st.one_of(
    arrays(float, st.integers(0, 12), elements=st.integers(-8, 8).map(lambda i: i / 4)),
    arrays(float, st.integers(0, 12), elements=st.floats(-1e3, 1e3)),
)
SIGMAS = st.one_of(st.integers(0, 40).map(lambda i: i / 4), st.floats(0, 1e4), st.just(math.inf))
NORMS = st.sampled_from(["abs", "square"])


def paper(w, sigma, norm):
    """Section 3.4, feature by feature: removed first are the smallest, while the sum is < sigma."""
    total, mask = 0.0, [True] * len(w)
    for i in sorted(range(len(w)), key=lambda i: abs(w[i])):
        total += abs(w[i]) if norm == "abs" else w[i] ** 2
        if total >= sigma:
            break
        mask[i] = False
    return mask


@given(WEIGHTS, SIGMAS, NORMS)
def test_as_the_paper_says(w, sigma, norm):
    assert kept(w, sigma, norm).tolist() == paper(w, sigma, norm)


def test_of_equal_weights_the_first_ones_go():
    assert kept([1.0, -1.0, 2.0, 1.0], 2.5).tolist() == [False, False, True, True]


def test_a_weight_of_zero_stays_at_sigma_zero_alone():
    assert kept([0.0, 1.0], 0.0).tolist() == [True, True]
    assert kept([0.0, 1.0], 1e-300).tolist() == [False, True]


@given(arrays(float, (3, 6), elements=st.integers(-8, 8).map(lambda i: i / 4)), SIGMAS, NORMS)
def test_features_of_many_classes_cost_what_all_their_weights_do(W, sigma, norm):
    mask = kept(W, sigma, norm)
    costs = (np.abs(W) if norm == "abs" else W**2).sum(axis=0)
    assert mask.tolist() == paper(costs, sigma, "abs")


@given(WEIGHTS, SIGMAS)
def test_one_class_is_no_class(w, sigma):
    assert np.array_equal(kept(w[None], sigma), kept(w, sigma))


@pytest.mark.filterwarnings("error")
def test_what_is_too_large_to_square_is_kept():
    assert kept([1e300, 0.1, math.nan, math.inf], 1.0, "square").tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("sigma", [-1, -0.1, math.nan, "1", None, [1.0]])
def test_sigma_is_named(sigma):
    with pytest.raises(SelectronError, match=r"^sigma must be a number from 0 on, got "):
        kept([1.0], sigma)


@pytest.mark.parametrize("norm", ["l1", None, 2, ["abs"]])
def test_norm_is_named(norm):
    with pytest.raises(SelectronError, match=r'^norm must be "abs" or "square", got '):
        kept([1.0], 0.5, norm)


@pytest.mark.parametrize("w", ["abc", ["a"], [[1, 2], [1]], np.ones(3) * 1j, object()])
def test_weights_are_numbers(w):
    with pytest.raises(
        SelectronError, match=r"^w must be an array of real numbers, got ('abc'|a \w+)\.$"
    ):
        kept(w, 0.1)


def test_weights_have_one_dimension_or_two():
    with pytest.raises(SelectronError, match=r"got shape \(1, 1, 1\)"):
        kept([[[1.0]]], 0.5)
