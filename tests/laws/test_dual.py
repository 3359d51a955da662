"""In dual form, every learner does what it does with weights; room for examples is no matter."""

import copy
import pickle

import numpy as np
import pytest

from selectron.askers import Always, Margin
from selectron.engine.round import ASKED
from selectron.errors import SelectronError
from selectron.estimator.packing import pack_model, unpack_model
from selectron.kernels import RBF, Linear, Polynomial
from selectron.learners import (
    AROW,
    CELLIP,
    LASEC,
    MIRA,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    ShiftingPerceptron,
)

from .dual import COMPILED, held, holdings, name_of, space_of, spread, used
from .grid import Case, plain_loop
from .playing import close, play_learn, play_live, play_look, play_run, same_bits, same_flags


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)


# all kinds but the first are slow to compile
MARKED = [
    pytest.param(kind, marks=pytest.mark.slow if i else pytest.mark.compiles)
    for i, kind in enumerate(COMPILED)
]
SPREAD = [
    pytest.param(cell, marks=pytest.mark.slow if i % 13 else ()) for i, cell in enumerate(spread())
]

# With the linear kernel


def twins(case, width, **options):
    return case.model(width, **options), case.model(width, kernel=Linear(), **options)


@pytest.mark.parametrize("cell", SPREAD, ids=name_of)
def test_the_linear_kernel_is_no_kernel(cell, plain):
    case, options = cell
    rows = case.stream(n=48)
    models = primal, dual = twins(case, 6, **options)
    expected, found = (play_run(case, model, rows) for model in models)
    assert expected.updated.any()
    assert held(dual) > 0
    assert same_flags(found, expected)
    close(found, expected, 1e-8)
    close([dual.weights()], [primal.weights()], 1e-8)
    unseen = case.stream(n=30, seed=1)
    looks = [play_look(case, model, unseen) for model in models]
    close(*looks, 1e-8)


@pytest.mark.parametrize("learner", [PassiveAggressive(), ShiftingPerceptron(), CELLIP(), AROW()])
@pytest.mark.parametrize("sparse", [False, True])
def test_live_rounds_and_given_labels(learner, sparse, plain):
    case = Case(learner, Margin(0.3), sparse, False)
    rows = case.stream(missing=0.0)
    models = primal, dual = twins(case, 6)
    for model in models:
        play_learn(case, model, rows.part(0, 30))
    expected, found = (play_live(case, model, rows.part(30, 60)) for model in models)
    assert same_flags(found, expected)
    close(found, expected, 1e-8)
    close([dual.weights()], [primal.weights()], 1e-8)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("many", ["joint", "rest"])
@pytest.mark.parametrize(
    "learner", [PassiveAggressive(), MIRA(C=0.3), ShiftingPerceptron(), LASEC()]
)
def test_many_classes(learner, many, sparse, plain):
    case = Case(learner, Margin(0.4), sparse, False)
    rows, codes = case.stream(n=90), np.random.default_rng(3).integers(1, 4, size=90)
    models = primal, dual = twins(case, 6, classes=3, many=many)
    block, codes = case.block(rows.values), codes.astype(np.int32)
    expected, found = (model.run(block, codes) for model in models)
    assert len(np.unique(holdings(dual))) > 1
    assert holdings(dual).max() > 16  # all have grown by then
    np.testing.assert_array_equal(found.flags, expected.flags)
    np.testing.assert_allclose(found.margin, expected.margin, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(dual.weights(), primal.weights(), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("learner", [PassiveAggressive(C=0.5), LASEC()])
def test_classes_that_come_later(learner, sparse, plain):
    case = Case(learner, Always(), sparse, False)
    rows = case.stream(n=60, missing=0.0)
    models = primal, dual = twins(case, 6)
    for model in models:
        play_run(case, model, rows.part(0, 40))
        model.extend(4)
        codes = np.random.default_rng(0).integers(1, 5, size=20).astype(np.int32)
        model.run(case.block(rows.values[40:]), codes)
    np.testing.assert_allclose(dual.weights(), primal.weights(), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("learner", [PassiveAggressive(), LASEC()])
@pytest.mark.parametrize("classes", [2, 3])
def test_features_that_come_later(learner, classes, plain):
    case = Case(learner, Always(), True, False)
    rows = case.stream(n=60, missing=0.0)
    codes = rows.labels if classes == 2 else np.where(rows.labels > 0, 1, 3).astype(np.int32)
    models = primal, dual = twins(case, 4, classes=classes)
    for model in models:
        model.run(case.block(rows.values[:30, :4]), codes[:30])
        model.widen(6)
        model.run(case.block(rows.values[30:]), codes[30:])
    np.testing.assert_allclose(dual.weights(), primal.weights(), rtol=1e-8, atol=1e-8)


# Compiled, with any kernel


@pytest.mark.parametrize("kind", MARKED)
def test_compiled_is_plain(kind):
    learner, sparse, kernel = COMPILED[kind]
    case = Case(learner, Margin(0.3), sparse, True)
    rows = case.stream(n=70, missing=0.0)
    for options in ({}, {"constant": False, "normalize": True}, {"normalize": False}):
        models = compiled, plain = [case.model(37, kernel=kernel, **options) for _ in range(2)]
        plain.loop = plain_loop(type(learner), Margin, space_of(learner, sparse, kernel))
        found, expected = (play_run(case, model, rows) for model in models)
        assert held(compiled) == held(plain) > 0
        assert same_flags(found, expected)
        close(found, expected)
        close(used(compiled), used(plain))
    block = play_run(case, case.model(37, kernel=kernel), rows)
    assert same_bits(block, play_live(case, case.model(37, kernel=kernel), rows))


@pytest.mark.slow
def test_compiled_with_many_classes():
    case = Case(PassiveAggressive(C=0.5), Margin(0.3), False, True)
    rows = case.stream(n=80)
    codes = np.random.default_rng(3).integers(1, 4, size=80).astype(np.int32)
    models = [case.model(37, kernel=RBF(0.1), classes=3) for _ in range(2)]
    space = space_of(case.learner, False, RBF(), "joint")
    models[1].loop = plain_loop(PassiveAggressive, Margin, space)
    found, expected = (model.run(case.block(rows.values), codes) for model in models)
    np.testing.assert_array_equal(found.flags, expected.flags)
    np.testing.assert_allclose(found.margin, expected.margin, rtol=1e-9, atol=1e-9)


# Room


@pytest.mark.parametrize("kind", MARKED)
def test_growth_changes_nothing(kind):
    """Bit by bit, whatever room there was at the start, in blocks and live."""
    learner, sparse, kernel = COMPILED[kind]
    case = Case(learner, Margin(0.3), sparse, True)
    rows = case.stream(n=150, missing=0.0)
    growing, roomy, live = (case.model(37, kernel=kernel) for _ in range(3))
    most = int(min(300, growing.limit + 1))
    roomy.state = roomy.space.grow(roomy.state, most, 64 if sparse else 0)
    found, expected = play_run(case, growing, rows), play_run(case, roomy, rows)
    assert same_bits(found, expected)
    assert same_bits(used(growing), used(roomy))
    assert same_bits(play_live(case, live, rows), expected)
    assert same_bits(used(live), used(roomy))
    assert growing.space.room(growing.state) != roomy.space.room(roomy.state) or most < 20


def test_predictions_take_no_room(plain):
    case = Case(Perceptron(), Always(), True, False)
    model, rows = case.model(6, kernel=RBF()), case.stream(n=60, missing=0.0)
    play_run(case, model, rows)
    model.state = model.space.resized(model.state, 7, held(model), 16)  # not one example more
    room, before = model.space.room(model.state), used(model)
    play_look(case, model, case.stream(n=40, seed=2))
    decided = model.decide(case.block(rows.values[:1]))
    assert decided[3] is not None
    assert model.space.room(model.state) == room
    assert same_bits(used(model), before)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("learner", [PassiveAggressive(), SecondOrderPerceptron()])
def test_what_is_refused_changes_nothing(learner, sparse, plain):
    case = Case(learner, Always(), sparse, False)
    model, rows = case.model(6, kernel=Polynomial(2)), case.stream(n=80, missing=0.0)
    play_run(case, model, rows.part(0, 20))
    before, room = used(model), model.space.room(model.state)
    for bad in (np.nan, np.inf, 1e300):
        values = rows.values[20:].copy()
        values[-1, 2] = bad
        with pytest.raises(SelectronError, match="Row 59"):
            model.run(case.block(values), rows.labels[20:])
        with pytest.raises(SelectronError, match="Row 0"):
            model.decide(case.block(values[-1:]))
        assert same_bits(used(model), before)
        assert model.space.room(model.state) == room
    assert play_run(case, model, rows.part(20, 80)).updated.any()
    assert model.space.room(model.state) != room


@pytest.mark.parametrize("learner", [PassiveAggressive(), LASEC()])
def test_what_does_not_fit_into_memory(learner, plain, monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else 2)
    case = Case(learner, Always(), False, False)
    model, rows = case.model(6, kernel=RBF()), case.stream(n=80, missing=0.0)
    with pytest.raises(SelectronError, match=r"room for \d+ examples .* ask for fewer labels\.$"):
        play_run(case, model, rows)
    assert held(model) == model.rounds == 0


# Kept


@pytest.mark.parametrize(
    "kind", ["first-sparse", "second-dense", "explicit", "random", "shrinking"]
)
@pytest.mark.parametrize("classes", [2, 3])
def test_what_is_packed_goes_on_bit_for_bit(kind, classes, plain):
    learner, sparse, kernel = COMPILED[kind]
    case = Case(learner, Margin(0.3), sparse, False)
    model, rows = case.model(6, kernel=kernel, classes=classes), case.stream(n=80)
    codes = np.random.default_rng(3).integers(1, 4, size=80).astype(np.int32)
    codes = codes if classes == 3 else rows.labels
    model.run(case.block(rows.values[:50]), codes[:50])
    packed = unpack_model(*copy.deepcopy(pack_model(model)), learner, case.asker, kernel)
    kept = [model, packed, pickle.loads(pickle.dumps(model))]
    runs = [one.run(case.block(rows.values[50:]), codes[50:]) for one in kept]
    for run, other in zip(runs, kept, strict=True):
        assert run.margin.tobytes() == runs[0].margin.tobytes()
        assert (run.flags == runs[0].flags).all()
        assert same_bits(other.state[-4:], model.state[-4:])
    assert (runs[0].flags & ASKED).any()


DAMAGE = {
    "count": lambda s: s["state.scalars"].__setitem__(7, 1e6),
    "negative": lambda s: s["state.scalars"].__setitem__(7, -1),
    "broken": lambda s: s["state.scalars"].__setitem__(7, 2.5),
    "limit": lambda s: s["state.scalars"].__setitem__(8, 1),
    "chance": lambda s: s["state.scalars"].__setitem__(9, 0),
    "index": lambda s: s["state.indices"].__setitem__((0, 0), 99),
    "length": lambda s: s["state.lengths"].__setitem__(0, 99),
    "value": lambda s: s["state.values"].__setitem__((0, 0), np.nan),
    "wide": lambda s: s["state.wide"].__setitem__(0, 1.0),
    "weight": lambda s: s["state.coef"].__setitem__(0, np.inf),
    "shape": lambda s: s.__setitem__("state.xx", s["state.xx"][:5].copy()),
    "kind": lambda s: s.__setitem__("state.indices", s["state.indices"].astype(np.int64)),
    "lacking": lambda s: s.pop("state.born"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_unsound_is_refused(damage, plain):
    case = Case(Perceptron(), Always(), True, False)
    model, rows = case.model(6, kernel=RBF()), case.stream(n=40, missing=0.0)
    play_run(case, model, rows)
    header, arrays = copy.deepcopy(pack_model(model))
    unpack_model(header, arrays, model.learner, model.asker, RBF())
    DAMAGE[damage](arrays)
    with pytest.raises((SelectronError, KeyError)):
        unpack_model(header, arrays, model.learner, model.asker, RBF())
