"""Not finite, huge, tiny: an error and nothing changed, or a model of finite numbers."""

import itertools
from functools import partial

import numpy as np
import pytest

from selectron import OnlineClassifier
from selectron.errors import SelectronError
from selectron.learners import AROW, IELLIP, LASEC, RLS, BayesianPerceptron

from .playing import learned, play_learn, play_live, play_look, play_run, refused

NOT_FINITE = (np.nan, np.inf, -np.inf)
HUGE = (1e300, -1e160)
TINY = (1e-160, -5e-324)
BEFORE, BAD, AFTER = (0, 6), (6, 11), (11, 17)  # the rounds before, with, and after such a row
PLAYS = {
    "run": play_run,
    "flags": partial(play_run, full=False),
    "learn": play_learn,
    "look": play_look,
    "predict": partial(play_look, full=False),
}


def trained(case, rows, **options):
    model = case.model(rows.values.shape[1], **options)
    play_run(case, model, rows.part(*BEFORE))
    return model


def spoilt(rows, value, everywhere):
    """Return five rows, the fourth of which holds this value, once or everywhere."""
    part = rows.part(*BAD)
    values = part.values.copy()
    values[3, slice(None) if everywhere else 1] = value
    return part._replace(values=values)


def assert_finite(model):
    assert np.isfinite(model.weights()).all()
    assert all(np.isfinite(array).all() for array in learned(model))


def test_what_is_not_finite_is_refused_and_changes_nothing(case):
    rows = case.stream(n=20, missing=0.0)
    model = trained(case, rows)
    for value in NOT_FINITE:
        bad = spoilt(rows, value, everywhere=False)
        for play in PLAYS.values():
            assert refused(model, partial(play, case, model, bad)), value
        assert refused(model, partial(model.decide, case.block(bad.values[3:4]))), value


@pytest.mark.parametrize("everywhere", [False, True], ids=["once", "everywhere"])
def test_what_is_huge_or_tiny_is_refused_or_does_no_harm(case, everywhere):
    rows = case.stream(n=20, missing=0.0)
    for value, play in itertools.product((*HUGE, *TINY), PLAYS.values()):
        bad, model = spoilt(rows, value, everywhere), trained(case, rows, constant=not everywhere)
        refused(model, partial(play, case, model, bad))
        assert_finite(model)
        refused(model, partial(play_run, case, model, rows.part(*AFTER)))
        assert_finite(model)


def test_huge_or_tiny_rows_decided_one_by_one(case):
    rows = case.stream(n=20, missing=0.0)
    for value in (*HUGE, *TINY):
        model = trained(case, rows, constant=False)
        for x in spoilt(rows, value, everywhere=True).values:
            refused(model, partial(model.decide, case.block(x[None, :])))
            assert_finite(model)
        for ticket, label in itertools.product(list(model.open), (1, -1)):
            refused(model, lambda m=model, t=ticket, y=label: t in m.open and m.tell(t, y))
            assert_finite(model)


def test_a_first_row_that_is_huge(case):
    """Before any step w is zero, hence every margin; a step from there must not overflow."""
    rows = case.stream(n=10, missing=0.0)
    for value in HUGE:
        model = case.model(rows.values.shape[1], constant=False)
        values = np.full_like(rows.values, value)
        for y in (1, -1):
            part = rows._replace(values=values, labels=np.full_like(rows.labels, y))
            refused(model, partial(play_learn, case, model, part))
            assert_finite(model)


def test_tiny_rows_are_not_refused_where_rows_are_scaled(case):
    """A row that is brought to unit length, or taken for zero, leads to no large numbers."""
    rows = case.stream(n=20, missing=0.0)
    for value in TINY:
        model = trained(case, rows, constant=False, normalize=True)
        play_run(case, model, spoilt(rows, value, everywhere=True))
        play_run(case, model, rows.part(*AFTER))


def test_the_error_names_the_row_and_the_feature(case):
    rows = case.stream(n=30, missing=0.0)
    model = trained(case, rows)
    with pytest.raises(SelectronError, match=r"^Row 3, feature 1 is NaN"):
        play_run(case, model, spoilt(rows, np.nan, everywhere=False))
    with pytest.raises(SelectronError, match=r"^Row 3, feature 1 is infinite"):
        play_learn(case, model, spoilt(rows, -np.inf, everywhere=False))


def test_what_was_refused_is_as_if_it_had_never_come(case):
    rows = case.stream(n=30, missing=0.0)
    bad = spoilt(rows, np.nan, everywhere=False)
    tried, sound = trained(case, rows), trained(case, rows)
    for play in PLAYS.values():
        refused(tried, lambda play=play: play(case, tried, bad))
    refused(tried, lambda: tried.decide(case.block(bad.values[3:4])))
    found, expected = (play_live(case, model, rows.part(6, 30)) for model in (tried, sound))
    for name in found._fields:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("size", [1e-60, 1e-100, 1e-150])
def test_short_rows_teach_iellip_or_are_refused(size):
    """Its steps do not depend on the length of rows, so that nothing may be passed over."""
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 5))
    y = np.where(X @ random.normal(size=5) > 0, 1, -1)
    plain = OnlineClassifier(IELLIP(), fit_intercept=False).run(X, y)
    short = OnlineClassifier(IELLIP(), fit_intercept=False)
    if size > 1e-70:
        assert short.run(size * X, y).mistakes == plain.mistakes
    else:  # w would be too long to be squared
        with pytest.raises(SelectronError, match="scale the features"):
            short.run(size * X, y)


SLOW = IELLIP(c=0.5, b=0.9995), IELLIP(c=0.5, b=0.9995, p0=1e-40)


@pytest.mark.parametrize("many", ["joint", "rest"])
def test_a_slow_memory_does_not_overflow(many, interpreted):
    """P grows without end in directions that no step goes along, and its scale is of no effect."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 3)), rng.integers(2 if many == "joint" else 3, size=5000)
    first, other = (OnlineClassifier(p, many=many).run(X, y) for p in SLOW)
    assert first.updated.sum() > 2000
    np.testing.assert_array_equal(first.prediction, other.prediction)


@pytest.mark.parametrize("learner", [RLS(), AROW(), BayesianPerceptron(), LASEC()])
@pytest.mark.parametrize("many", [None, "exact"])
def test_rows_too_long_for_least_squares_are_refused(learner, many, interpreted):
    X, y = np.eye(4)[[0, 1, 2, 3, 0, 1]] + 0.1, np.array([0, 1, 2, 0, 1, 2]) % (3 if many else 2)
    clf = OnlineClassifier(learner, fit_intercept=False, many=many or "joint")
    with pytest.raises(SelectronError, match="scale the features"):
        clf.fit(1e20 * X, y)
    assert clf.fit(1e8 * X, y).predict(1e8 * X).shape == (6,)
