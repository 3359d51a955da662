"""What no theorem can be about is refused in one sentence that tells what is wrong with it."""

import math

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Always, Margin
from selectron.bounds import (
    comparator,
    ellipsoid,
    expected_labels,
    large_margin,
    lasec,
    report,
    seen,
    selective_sampling,
    weighted_mistakes,
)
from selectron.learners import Perceptron

X = np.random.default_rng(0).normal(size=(30, 3))
Y = np.where(X[:, 0] > 0, 1, -1)
U = np.ones(3)


def run_of(y=Y, margins=True, **options):
    clf = OnlineClassifier(
        Perceptron(), Margin(0.5), fit_intercept=False, random_state=0, **options
    )
    return clf.run(X, y, margins=margins)


RUN = run_of()

THEOREMS = {
    "lasec 2": lambda run, X, U: lasec.theorem_2(run, X, U, 1.0, 10.0),
    "lasec 4": lambda run, X, U: lasec.theorem_4(run, X, U, 1.0, 10.0),
    "lasec 8": lambda run, X, U: lasec.corollary_8(run, X, U, 0.01, 20.0),
    "lasec 9": lambda run, X, U: lasec.corollary_9(run, X, U, 0.01, 20.0),
    "large margin 3.1": lambda run, X, U: large_margin.theorem_3_1(run, X, U, 0.1),
    "large margin 3.2": lambda run, X, U: large_margin.theorem_3_2(run, X, U, 3.0),
    "large margin 3.3": lambda run, X, U: large_margin.theorem_3_3(run, X, U, 0.1, 0.1),
    "large margin 3.4": lambda run, X, U: large_margin.theorem_3_4(run, X, U, 3.0, sigma=0.1),
    "large margin 5.1": lambda run, X, U: large_margin.theorem_5_1(run, X, U, 0.1, 1.0),
    "selective sampling 1": selective_sampling.theorem_1,
    "selective sampling 2": selective_sampling.theorem_2,
    "ellipsoid 2": lambda run, X, U: ellipsoid.theorem_2(run, X, U, 0.1, 0.5),
    "ellipsoid 3": lambda run, X, U: ellipsoid.theorem_3(run, X, U, 0.1, 0.1, 0.8),
}
ODD = {
    "sparse rows": (
        (RUN, scipy.sparse.csr_array(X), U),
        "Sparse data was passed for X, but dense data is required",
    ),
    "too few rows": ((RUN, X[:9], U), "X has 9 rows, and the run has 30 rounds"),
    "one row": ((RUN, X[0], U), "X must have two dimensions"),
    "no rows": ((RUN, None, U), "X must have two dimensions"),
    "rows with NaN": ((RUN, X * math.nan, U), "Input X contains NaN"),
    "complex rows": ((RUN, X + 1j, U), "X is not an array of real numbers: Complex"),
    "a short comparator": ((RUN, X, U[:2]), r"shape \(3,\).* got \(2,\)"),
    "too many comparators": ((RUN, X, np.ones((31, 3))), r"shape \(3,\).* got \(31, 3\)"),
    "a word": ((RUN, X, "abc"), "The comparator is not an array of real numbers: .*'abc'"),
    "no run": ((None, X, U), "A run must be what run"),
    "no runs": (([], X, U), "one run at least"),
    "many classes": ((run_of(np.arange(30) % 3), X, U), "this run is of many"),
    "examples left": ((run_of(kernel="linear", max_support=5), X, U), "max_support was 5"),
}


def refusal(call):
    with pytest.raises(SelectronError) as caught:
        call()
    said = str(caught.value)
    assert said.endswith(".")
    assert ". " not in said
    return said


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("case", ODD)
def test_what_a_theorem_cannot_be_about(theorem, case):
    given, said = ODD[case]
    with pytest.raises(SelectronError, match=said):
        THEOREMS[theorem](*given)
    refusal(lambda: THEOREMS[theorem](*given))


@pytest.mark.parametrize("theorem", THEOREMS)
def test_lists_are_as_good_as_arrays(theorem):
    bounds = [
        THEOREMS[theorem](RUN, *given) for given in ((X, U), (X.tolist(), U.astype(int).tolist()))
    ]
    assert bounds[0] == bounds[1]


def test_what_a_report_cannot_be_about():
    for case, (given, said) in ODD.items():
        if "comparator" not in case and case != "a word":
            with pytest.raises(SelectronError, match=said):
                report(*given[:2], Perceptron(), Always())


def test_a_run_without_margins():
    run = run_of(margins=False)
    assert lasec.theorem_2(run, X, U, 1.0, 10.0) == lasec.theorem_2(RUN, X, U, 1.0, 10.0)
    for call in (
        lambda: weighted_mistakes(run),
        lambda: expected_labels([run, run]),
        lambda: large_margin.theorem_3_1(run, X, U, 0.1),
        lambda: report(run, X, Perceptron(), Margin(0.5)),
    ):
        assert "play it with margins=True" in refusal(call)


WRONG = {
    "gamma": lambda: ellipsoid.theorem_3(RUN, X, U, -1.0, 0.1, 0.8),
    "b": lambda: lasec.corollary_9(RUN, X, U, "1", 10.0),
    "c": lambda: lasec.drift_of(0, X),
    "V": lambda: lasec.tuned_c("a", X),
    "alpha": lambda: large_margin.theorem_3_1(RUN, X, U, -0.1),
    "sigma": lambda: large_margin.theorem_3_4(RUN, X, U, 1.0, sigma=math.nan),
    "C": lambda: large_margin.theorem_5_1(RUN, X, U, 0.1, None),
    "beta": lambda: large_margin.theorem_3_2(RUN, X, U, 0),
    "norm": lambda: large_margin.theorem_3_2(RUN, X, U, 1.0, norm=3),
    "a": lambda: selective_sampling.theorem_2(RUN, X, U, a=-1),
    "start": lambda: ellipsoid.lambda_1(0.1, 0.5, "both"),
    "rho": lambda: ellipsoid.theorem_2(RUN, X, U, 0.1, 0.5, rho=0.5),
    "codes": lambda: comparator(X, Y[:9]),
    "switches": lambda: comparator(X, Y, switches=[31]),
    "switches must": lambda: comparator(X, Y, switches=10),
    "C must be finite": lambda: comparator(X, Y, C=math.inf),
    "a must be": lambda: lasec.theorem_4(RUN, X, U, 1.0, 10.0).at(-1),
    "learner must": lambda: report(RUN, X, "perceptron", Always()),
    "asker must": lambda: report(RUN, X, Perceptron(), None),
    "X": lambda: seen(scipy.sparse.csr_array(X), constant=True, normalize=True),
}


@pytest.mark.parametrize("name", WRONG)
def test_parameters(name):
    assert name in refusal(WRONG[name])


def test_mistakes_of_what_is_no_run():
    assert "A run must be" in refusal(lambda: large_margin.stepped_mistakes(None))


@pytest.mark.parametrize("codes", [[0, 1, 2], [0.5, 1, -1], ["a", "b", "c"]], ids=str)
def test_codes_of_a_comparator_are_those_of_two_classes(codes):
    with pytest.raises(SelectronError, match=r"[Cc]odes"):
        comparator(np.eye(3), codes)
