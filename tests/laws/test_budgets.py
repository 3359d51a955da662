"""At most so many examples are held; what leaves is what the papers say, and w is without it."""

import numpy as np
import pytest

from selectron.askers import Always, Fixed, Margin
from selectron.engine.round import mistake
from selectron.kernels import RBF, Linear, Polynomial
from selectron.learners import NORMA, BudgetPerceptron, Forgetron, PassiveAggressive, Perceptron
from selectron.spaces import state

from .dual import held, holdings
from .grid import Case, plain_loop
from .playing import play_learn, play_run, upcoming

KERNELS = [Linear(), Polynomial(2), RBF(0.2)]
BUDGET = 9


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)


def between(kernel, x, y):
    return type(kernel)(*kernel.numbers()).value(x @ y, x @ x, y @ y)


def gram(kernel, x):
    return np.array([[between(kernel, a, b) for b in x] for a in x])


def square_of(space, state, kernel):
    """Return <w, w> from the examples and their coefficients."""
    coef = space.kept.coefficients(state)
    examples = [space.storage.combined(state, one, 7) for one in np.eye(len(coef))]
    return coef @ gram(kernel, np.array(examples)) @ coef


def stream(learner, sparse, **options):
    case = Case(learner, Always(), sparse, False)
    return case, case.stream(n=120, missing=0.0, **options)


class Literal:
    """A kernel Perceptron on rows of unit length in feature space: a list of (coefficient, row)."""

    def __init__(self, kernel, values):
        rows = np.column_stack([np.ones(len(values)), values])
        k = gram(kernel, rows)
        self.k = k / np.sqrt(np.outer(k.diagonal(), k.diagonal()))
        self.held, self.margins = [], []

    def f(self, i):
        return sum(c * self.k[i, j] for c, j in self.held)

    def play(self, labels, remove):
        for i, y in enumerate(labels):
            self.margins.append(self.f(i))
            if mistake(self.margins[-1], y):
                self.held.append((float(y), i))
                if len(self.held) > BUDGET:
                    remove(self)
        return self


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_the_oldest_leaves(kernel, sparse):
    case, rows = stream(Perceptron(), sparse)
    literal = Literal(kernel, rows.values).play(rows.labels, lambda one: one.held.pop(0))
    model = case.model(6, kernel=kernel, max_support=BUDGET)
    found = play_run(case, model, rows)
    assert held(model) == BUDGET < found.updated.sum()
    np.testing.assert_allclose(found.margin, literal.margins, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_any_but_the_newest_leaves(kernel, sparse):
    """The generator is that of Park & Miller; the newest takes the place of the one that leaves."""
    case, rows = stream(BudgetPerceptron(BUDGET), sparse)
    model = case.model(6, kernel=kernel)
    chance = [int(model.state.scalars[state.CHANCE])]

    def remove(one):
        chance[0] = 48271 * chance[0] % (2**31 - 1)
        newest = one.held.pop()
        one.held[chance[0] * len(one.held) // (2**31 - 1)] = newest

    literal = Literal(kernel, rows.values).play(rows.labels, remove)
    found = play_run(case, model, rows)
    assert held(model) == BUDGET < found.updated.sum()
    np.testing.assert_allclose(found.margin, literal.margins, rtol=1e-9, atol=1e-9)


def psi(weight, u):
    return weight**2 + 2 * weight - 2 * weight * u


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sparse", [False, True])
def test_the_forgetron(kernel, sparse):
    """phi is found by bisection; Q <= 15/32 M throughout, and a larger phi would break it."""
    case, rows = stream(Forgetron(BUDGET), sparse)
    spent, steps, shrunk = [0.0], [0], []

    def remove(one):
        c, j = one.held[0]
        u = np.sign(c) * one.f(j)
        left = 15 / 32 * steps[0] - spent[0]
        low, high = 0.0, 1.0
        while high - low > 1e-15:
            middle = (low + high) / 2
            fits = psi(middle * abs(c), middle * u) <= left
            low, high = (middle, high) if fits else (low, middle)
        phi = 1.0 if psi(abs(c), u) <= left else low
        shrunk.append(phi)
        spent[0] += psi(phi * abs(c), phi * u)
        one.held = [(phi * c, j) for c, j in one.held[1:]]

    literal, model = Literal(kernel, rows.values), case.model(6, kernel=kernel)
    for i, y in enumerate(rows.labels):
        steps[0] += mistake(literal.f(i), y)
        margin = literal.f(i)
        literal.margins.append(margin)
        if mistake(margin, y):
            literal.held.append((float(y), i))
            if len(literal.held) > BUDGET:
                remove(literal)
        found = play_run(case, model, rows.part(i, i + 1))
        np.testing.assert_allclose(found.margin, margin, rtol=1e-7, atol=1e-9)
        note, count = model.state.scalars[[state.NOTE, state.COUNT]]
        assert count == steps[0]
        assert note <= 15 / 32 * count + 1e-9
        np.testing.assert_allclose(note, spent[0], rtol=1e-7, atol=1e-9)
    assert held(model) == BUDGET
    assert min(shrunk) < 0.9


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2)])
@pytest.mark.parametrize(
    "learner", [BudgetPerceptron(5), Forgetron(5), PassiveAggressive(), NORMA(lam=0.5)]
)
def test_the_square_of_w_is_kept(learner, kernel, sparse, normalize):
    case, rows = stream(learner, sparse)
    bound = None if hasattr(learner, "budget") else 5
    model = case.model(6, kernel=kernel, normalize=normalize, max_support=bound)
    for i in range(0, 120, 8):
        play_learn(case, model, rows.part(i, i + 8))
        assert held(model) <= 5
        expected = square_of(model.space, model.state, kernel)
        np.testing.assert_allclose(
            model.state.scalars[state.SQUARE], expected, rtol=1e-8, atol=1e-10
        )
    assert held(model) == 5


def test_those_that_leave_are_spread_evenly():
    """Over many seeds, each of the others is as likely to make room, and the newest never does."""
    case, rows = stream(BudgetPerceptron(4), False)
    counts = np.zeros(5, int)
    for seed in range(240):
        model = case.model(6, seed=seed)
        for i in range(120):
            play_learn(case, model, rows.part(i, i + 1))
            if model.state.scalars[state.COUNT] == 5:
                break
        gone = set(range(5)) - set(model.state.born[:4].astype(int))
        counts[gone.pop()] += 1
    assert counts[4] == 0
    assert ((counts[:4] - 60) ** 2 / 60).sum() < 16.3  # chi^2 with 3 degrees of freedom, p = 0.001


def test_the_choice_takes_no_draw():
    """The same labels are asked for, and the next draws are the same, as with any other learner."""
    models = []
    for learner in (Perceptron(), BudgetPerceptron(3)):
        case = Case(learner, Fixed(0.5), False, False)
        model, rows = case.model(6), case.stream(n=100, missing=0.0)
        models.append((play_run(case, model, rows).asked.tolist(), upcoming(model).tolist()))
    assert models[0] == models[1]


@pytest.mark.parametrize("many", ["joint", "rest"])
@pytest.mark.parametrize("learner", [BudgetPerceptron(6), Forgetron(6)])
def test_each_class_has_its_budget(learner, many):
    case = Case(learner, Margin(0.4), True, False)
    model, rows = case.model(6, classes=3, many=many, kernel=RBF(0.2)), case.stream(n=150)
    codes = np.random.default_rng(3).integers(1, 4, size=150).astype(np.int32)
    model.run(case.block(rows.values), codes)
    assert holdings(model).tolist() == [6, 6, 6]
    for one in model.space.unstacked(model.state):
        expected = square_of(model.space.space, one, model.kernel)
        np.testing.assert_allclose(one.scalars[state.SQUARE], expected, rtol=1e-8, atol=1e-10)
