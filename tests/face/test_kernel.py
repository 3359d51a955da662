"""Kernels at the face: how they are given, what there is with them, and files."""

import math
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Always, Margin
from selectron.engine.bind import digest
from selectron.engine.loop import play
from selectron.engine.round import Step
from selectron.kernels import RBF, Linear, Polynomial
from selectron.learners import (
    LASEC,
    BudgetPerceptron,
    Forgetron,
    L1Constrained,
    Perceptron,
    SecondOrderPerceptron,
)
from selectron.model.compose import loop, parts, space_for
from selectron.streams import switching_gaussian

from .examples import is_one_sentence

X, y = switching_gaussian(300, d=5, seed=1)


def ring():
    """Return rows that no line tells apart: those of one class lie around those of the other."""
    rng = np.random.default_rng(0)
    angle, side = rng.uniform(0, 2 * math.pi, size=600), rng.choice([-1, 1], size=600)
    radius = np.where(side > 0, 2.0, 0.7) + rng.normal(scale=0.2, size=600)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), side


def test_it_learns_what_no_line_tells_apart(interpreted):
    rows, side = ring()
    straight, round_ = (
        OnlineClassifier(Perceptron(), kernel=k).run(rows, side) for k in (None, "rbf")
    )
    assert straight.accuracy < 0.6
    assert round_.accuracy > 0.9


class Laplacian(NamedTuple):
    """exp(-|x - y| / width)."""

    width: float = 1.0

    def numbers(self):
        return (float(self.width),)

    def value(self, xy, xx, yy):
        return math.exp(-math.sqrt(max(0.0, xx + yy - 2 * xy)) / self.width)


def laplacian(x, y):
    total = 0.0
    for j in range(len(x)):
        total += (x[j] - y[j]) ** 2
    return math.exp(-math.sqrt(total) / 2.0)


@pytest.mark.slow
def test_kernels_of_ones_own():
    """Compiled: the NamedTuple on inner products, and the function on arrays."""
    given = [Laplacian(2.0), laplacian]
    runs = [
        OnlineClassifier(Perceptron(), kernel=kernel, random_state=0).run(X, y) for kernel in given
    ]
    np.testing.assert_allclose(runs[0].margin, runs[1].margin, rtol=1e-9, atol=1e-9)
    assert runs[0].steps > 20


@pytest.mark.compiles
def test_a_function_that_does_not_compile():
    clf = OnlineClassifier(Perceptron(), kernel=lambda x, y: float(sorted(x)[0] + input()))
    with pytest.raises(SelectronError, match="does not compile"):
        clf.fit(X, y)
    assert not hasattr(clf, "classes_")


@pytest.mark.compiles
@pytest.mark.parametrize("kernel", [lambda x, y: "x", lambda x, y: x, lambda x, y: None])
def test_a_function_that_returns_no_number(kernel):
    """The sentence names the kernel, and nothing that the user has not written."""
    clf = OnlineClassifier(Perceptron(), kernel=kernel)
    with pytest.raises(SelectronError, match=r"^The kernel <lambda>, .* does not comp") as caught:
        clf.fit(X, y)
    assert is_one_sentence(str(caught.value))
    assert "play_" not in str(caught.value)
    assert not hasattr(clf, "classes_")


@pytest.mark.compiles
def test_a_learner_that_does_not_compile_is_named():
    class Mine(Perceptron):
        def steps(self, m, y):
            return "{}".format("word") == "word"

    with pytest.raises(SelectronError, match=r"^Mine does not compile: .*format") as caught:
        OnlineClassifier(Mine()).fit(X, y)
    assert is_one_sentence(str(caught.value))
    line = Mine.steps.__code__.co_firstlineno + 1
    assert str(caught.value).endswith(f"(test_kernel.py, line {line}).")


class Fading(NamedTuple):
    rate: float

    def numbers(self):
        return (self.rate,)

    def step(self, r):
        return Step(keep=1 - self.rate, eta=r.y)

    def value(self, xy, xx, yy):
        return xy


@pytest.mark.compiles
def test_parameters_may_be_ints_first_and_floats_later():
    for rate in (0, 0.5, 1):
        clf = OnlineClassifier(Fading(rate), fit_intercept=False).fit([[1.0], [1.0]], [-1, 1])
        assert clf.coef_.item() == rate


@pytest.mark.parametrize("given", [0.5, [], (0.5, 1.0), ("half",), None])
def test_numbers_that_do_not_fit_the_parameters(monkeypatch, given):
    monkeypatch.setattr(Fading, "numbers", lambda self: given)
    wanted = r"^Fading\(rate=0.5\): numbers\(\) must return a tuple of one number for each"
    for options in ({"learner": Fading(0.5)}, {"learner": Perceptron(), "kernel": Fading(0.5)}):
        with pytest.raises(SelectronError, match=wanted) as caught:
            OnlineClassifier(**options).fit(X, y)
        assert is_one_sentence(str(caught.value))


def test_a_kernel_that_is_defined_anew():
    def made(power):
        class Kernel(NamedTuple):
            def numbers(self):
                return ()

            def value(self, xy, xx, yy):
                return xy**power

        Kernel.__qualname__ = "Kernel"
        return Kernel

    spaces = [space_for(Perceptron(), False, kernel=made(power)) for power in (1, 2)]
    one, other = (digest(play, parts(Perceptron, Always, space)) for space in spaces)
    assert one != other
    assert loop(Perceptron, Always, spaces[0]) is not loop(Perceptron, Always, spaces[1])


WRONG = {
    "name": ("cubic", "kernel must be"),
    "class": (RBF, "kernel must be"),
    "number": (3, "kernel must be"),
    "builtin": (max, "kernel must be"),
    "gamma": (RBF(gamma=-1), "RBF: gamma must be a number above 0 and finite, got -1."),
    "infinite": (RBF(gamma=math.inf), "RBF: gamma must be"),
    "degree": (Polynomial(degree=1.5), "Polynomial: degree must be"),
    "coef0": (Polynomial(coef0=-1), "Polynomial: coef0 must be"),
    "no arrays": (lambda: "x", "The kernel <lambda> must be a function of two arrays"),
    "one array": (lambda x: 1.0, "The kernel <lambda> must be a function of two arrays"),
    "three arrays": (lambda x, y, z: 1.0, "The kernel <lambda> must be a function of two arrays"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_kernel(name):
    kernel, said = WRONG[name]
    with pytest.raises(SelectronError, match=said) as caught:
        OnlineClassifier(Perceptron(), kernel=kernel).fit(X, y)
    assert is_one_sentence(str(caught.value))


MISFITS = {
    "l1": ({"learner": L1Constrained(beta=2.0), "kernel": "rbf"}, "L1Constrained has no kernel"),
    "no kernel": ({"learner": Perceptron(), "max_support": 5}, "max_support .* without a kernel"),
    "second": (
        {"learner": LASEC(), "kernel": "rbf", "max_support": 5},
        "LASEC, which is",
    ),
    "budget": ({"learner": Forgetron(), "max_support": 5}, "Forgetron, which has a budget"),
    "none": ({"learner": Perceptron(), "kernel": "rbf", "max_support": 0}, "max_support must be"),
    "half": ({"learner": Perceptron(), "kernel": "rbf", "max_support": 2.5}, "max_support must be"),
    "empty budget": ({"learner": BudgetPerceptron(0)}, "BudgetPerceptron: budget must be"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_what_does_not_go_together(name):
    options, said = MISFITS[name]
    with pytest.raises(SelectronError, match=said) as caught:
        OnlineClassifier(**options).fit(X, y)
    assert is_one_sentence(str(caught.value))


def test_a_function_on_sparse_rows():
    with pytest.raises(SelectronError, match="takes arrays") as caught:
        OnlineClassifier(Perceptron(), kernel=laplacian).fit(scipy.sparse.csr_array(X), y)
    assert is_one_sentence(str(caught.value))


def test_a_matrix_too_large_for_memory_fits_with_the_linear_kernel(interpreted):
    rows = scipy.sparse.csr_array(([1.0, 2.0], ([0, 1], [5, 9_999_999])), (2, 10_000_000))
    with pytest.raises(SelectronError, match="or fewer features, or sketch=32") as caught:
        OnlineClassifier(SecondOrderPerceptron()).fit(rows, [0, 1])
    assert is_one_sentence(str(caught.value))
    clf = OnlineClassifier(SecondOrderPerceptron(), kernel="linear").fit(rows, [0, 1])
    assert clf.coef_.shape == (1, 10_000_000)


def test_weights_and_examples(interpreted):
    clf = OnlineClassifier(Perceptron(), kernel="linear").fit(X, y)
    primal = OnlineClassifier(Perceptron()).fit(X, y)
    np.testing.assert_allclose(clf.coef_, primal.coef_, rtol=1e-9)
    np.testing.assert_allclose(clf.intercept_, primal.intercept_, rtol=1e-9)
    assert not hasattr(primal, "n_support_")
    curved = OnlineClassifier(Perceptron(), kernel="rbf", max_support=20).fit(X, y)
    assert curved.n_support_ == 20
    assert not hasattr(curved, "coef_")
    with pytest.raises(SelectronError, match="no weights of features with the kernel RBF"):
        curved.intercept_  # noqa: B018
    many = OnlineClassifier(Perceptron(), kernel="rbf").fit(X, np.arange(300) % 3)
    assert many.n_support_.shape == (3,)
    assert many.n_support_.min() > 0
    exact = OnlineClassifier(LASEC(), kernel="linear", many="exact").fit(X, np.arange(300) % 3)
    assert isinstance(exact.n_support_, int)
    assert exact.n_support_ > 0


@pytest.mark.parametrize("classes", [2, 3])
def test_max_support_is_that_of_every_class(classes, interpreted):
    clf = OnlineClassifier(Perceptron(), kernel="rbf", max_support=9)
    held = np.array(clf.fit(X, np.arange(300) % classes).n_support_)
    assert held.shape == (() if classes == 2 else (3,))
    assert (held == 9).all()


def test_the_polynomial_kernel_has_two_names(interpreted):
    runs = [
        OnlineClassifier(Perceptron(), kernel=name).run(X, y) for name in ("poly", "polynomial")
    ]
    assert np.array_equal(runs[0].margin, runs[1].margin)


def test_budgets_need_no_kernel(interpreted):
    clf = OnlineClassifier(BudgetPerceptron(12), random_state=0).fit(X, y)
    assert clf.n_support_ == 12
    assert clf.coef_.shape == (1, 5)


def test_parameters_are_scikit_learns(interpreted):
    clf = clone(OnlineClassifier(Perceptron(), kernel=RBF(0.5), max_support=7))
    assert clf.get_params()["kernel"] == RBF(0.5)
    grid = GridSearchCV(
        clf, {"kernel": ["linear", RBF(0.1), laplacian], "max_support": [5, None]}, cv=2
    )
    assert grid.fit(X[:60], y[:60]).best_params_["max_support"] in (5, None)


# Files


@pytest.mark.parametrize(
    ("learner", "kernel"),
    [(BudgetPerceptron(9), RBF(0.1)), (LASEC(), Linear()), (Forgetron(9), None), (LASEC(), "poly")],
    ids=str,
)
@pytest.mark.parametrize("sparse", [False, True])
def test_files_go_on_bit_for_bit(learner, kernel, sparse, tmp_path, interpreted):
    rows = scipy.sparse.csr_array(X) if sparse else X
    clf = OnlineClassifier(learner, Margin(0.5), kernel=kernel, random_state=3)
    clf.run(rows[:200], y[:200])
    clf.save(tmp_path / "model")
    runs = [
        one.run(rows[200:], y[200:]) for one in (clf, OnlineClassifier.load(tmp_path / "model"))
    ]
    assert runs[0].margin.tobytes() == runs[1].margin.tobytes()
    assert (runs[0].flags == runs[1].flags).all()


@pytest.mark.parametrize("kernel", [Laplacian(2.0), laplacian], ids=["tuple", "function"])
def test_files_with_kernels_of_ones_own(kernel, tmp_path, interpreted):
    clf = OnlineClassifier(Perceptron(), kernel=kernel).fit(X, y)
    clf.save(tmp_path / "model")
    with pytest.raises(SelectronError, match=r"pass it in parts="):
        OnlineClassifier.load(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model", parts=(Laplacian, laplacian))
    np.testing.assert_array_equal(loaded.decision_function(X), clf.decision_function(X))
