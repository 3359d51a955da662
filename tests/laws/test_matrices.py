"""w and P are what the plain formulas say, P positive definite, and <w, w> kept right all along."""

import numpy as np
import pytest

from selectron.askers import Disagreement
from selectron.engine.loop import Asker
from selectron.engine.parts import Learner, declared
from selectron.engine.round import Projection, Round
from selectron.learners import ModifiedPerceptron
from selectron.spaces.state import COUNT, SQUARE

from .grid import GRID, chunks, marked, method, name_of, parameters, plain_loop
from .playing import close, matrix, play_run, with_constant
from .projecting import nearest

ONE_VECTOR = [case for case in GRID if not hasattr(case.learner, "ensemble")]


@pytest.fixture(params=marked(ONE_VECTOR), ids=name_of)
def case(request, monkeypatch):
    if not request.param.compiled:
        monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    return request.param


class Literal:
    """The round of the papers on whole matrices: no triangle, no factor, no recurrence."""

    def __init__(self, model):
        self.learner = parameters(model.learner)
        self.asker = parameters(model.asker)
        second = model.space.order == 2
        width = len(model.weights())
        shape = self.learner.shape() if second else None
        self.p = shape.scale * np.eye(width) if second else None
        self.noise = shape.noise * np.eye(width) if second else None
        self.w = np.zeros(width)
        self.k, self.note = 0, 0.0
        cuts = isinstance(self.asker, Disagreement) and hasattr(self.learner, "cuts")
        self.steps = method(self.learner, "cuts" if cuts else "steps")

    def play(self, x, y, asked):
        """Return the margin quantity, and whether there was a step."""
        m = self.w @ x
        passed = declared(self.asker, Asker, "passes")(self.asker, m, y)
        g = x if self.p is None else (self.p + self.noise) @ x
        q = x @ g
        moved = bool(asked and passed and self.steps(m, y))
        if moved:
            now = Round(m, q, float(y), self.k, self.w @ self.w, self.note)
            self.move(g, y, self.learner.step(now))
            self.note = declared(self.learner, Learner, "noted")(self.learner, now)
        return method(self.learner, "score")(m, q), moved

    def move(self, g, y, step):
        self.k += 1
        if isinstance(step, Projection):
            self.w = nearest(self.w, y * g, step.radius)
        elif self.p is None:
            self.w = step.keep * self.w + step.eta * g
        else:
            self.w = self.w + step.eta * g
            self.p = step.mu * (self.p + self.noise) - step.nu * np.outer(g, g)


def assert_literal(case, rows, **options):
    model = case.model(rows.values.shape[1], **options)
    out = play_run(case, model, rows)
    literal = Literal(model)
    played = zip(with_constant(model, rows.values), rows.labels, out.asked, strict=True)
    margins, moved = zip(*(literal.play(*each) for each in played), strict=True)
    np.testing.assert_array_equal(moved, out.updated)
    close([margins, literal.w], [out.margin, model.weights()])
    if case.second_order:
        close([literal.p], [matrix(model)])


@pytest.mark.parametrize("options", [{}, {"constant": False}], ids=str)
def test_a_run_is_the_literal_recomputation(case, options):
    assert_literal(case, case.stream(), **options)


def test_at_small_widths_too(case):
    """Loops that take rows of P two at a time have their corner cases here."""
    if case.learner == ModifiedPerceptron(
        size=1
    ):  # rows along one line are all ties once projected
        return
    for width in (1, 2, 3, 4):
        rows = case.stream(n=20, width=width, seed=width)
        assert_literal(case, rows, constant=False, normalize=False)


def test_p_stays_symmetric_and_positive_definite(case):
    if not case.second_order:
        return
    rows = case.stream(n=200)
    model = case.model(rows.values.shape[1])
    for cut in chunks(200, [20]):
        play_run(case, model, rows.part(*cut))
        p = matrix(model)
        np.testing.assert_array_equal(p, p.T)
        assert np.linalg.eigvalsh(p)[0] > 0


def test_the_square_of_w_is_kept_right(case):
    if case.sketched:  # nothing depends on it
        return
    rows = case.stream(n=200)
    model = case.model(rows.values.shape[1])
    for cut in chunks(200, [10]):
        play_run(case, model, rows.part(*cut))
        w = model.weights()
        assert model.state.scalars[SQUARE] == pytest.approx(w @ w, rel=1e-9, abs=1e-12)


def test_steps_are_counted(case):
    rows = case.stream()
    model = case.model(rows.values.shape[1])
    out = play_run(case, model, rows)
    assert model.state.scalars[COUNT] == out.updated.sum() > 0
