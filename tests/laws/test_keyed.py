"""A model for each key, from bytes to bytes, equals one model that decides and is told row by row.

Labels come in later steps, out of order, twice, before their rows, for rows that were not asked
for, or never.
"""

import itertools

import numpy as np
import pytest
from tests.draws import generator_of

from selectron.askers import Always, Budget, Fixed, Margin
from selectron.engine.rows import Dense
from selectron.errors import SelectronError
from selectron.learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron
from selectron.model.draws import Draws
from selectron.model.keyed import ASAP, VERSION, Answers, Items, Keyed, Machine
from selectron.model.model import Model
from selectron.streams import switching_gaussian

from .grid import GRID, Case, marked, name_of, plain_loop

KEY = "a key"
UNSKETCHED = [case for case in GRID if not case.sketched]  # keys have no sketches
NOT_KEPT = ("g", "predictions", "entries", "row", "z", "scores", "ranks")


def keyed_of(case, width, **options):
    return Keyed(
        case.learner, case.asker, width=width, sparse=case.sparse, max_open=1000, **options
    )


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)


def single(case, width, random_state=0):
    """Return a model with the draws of the key."""
    model = case.model(width, seed=0)
    model.draws = Draws(generator_of(random_state, KEY))
    return model


def split(rng, n, parts=7):
    return np.split(np.arange(n), np.sort(rng.integers(0, n, parts - 1)))


def answers_of(listed):
    """Return labels as a step takes them: (order or ticket, code, is it a ticket?, time)."""
    order, code, by_ticket, time = (np.array(column) for column in zip(*listed, strict=True))
    return Answers(order.astype(np.int64), code, by_ticket.astype(bool), time.astype(np.int64))


TIMED = Case(Perceptron(), Budget(labels=5, per="1d", asker=Margin(0.3)), False, False)


@pytest.mark.usefixtures("plain")
def test_steps_use_the_times_of_rows():
    test_steps_equal_decisions_and_answers_one_by_one(TIMED)


def last_proba(model):
    """Return the probabilities of the row of the last `decide`."""
    return model.calibration.of_one(model.one_round.out, model.one_round.labels)


def decided_by(model, case, x, time):
    index, _, chance, ticket = model.decide(case.block(x[None, :]), time)
    return index, chance, ticket or 0, *last_proba(model)


@pytest.mark.parametrize("case", marked(UNSKETCHED), ids=name_of, indirect=True)
def test_steps_equal_decisions_and_answers_one_by_one(case):
    rows = case.stream(missing=0.0)
    n, width = rows.values.shape
    rng = np.random.default_rng(5)
    machine, model = Machine(keyed_of(case, width)), single(case, width)
    hours = np.cumsum(rng.exponential(scale=3600, size=n))
    arrives = rng.integers(-1, 4, n)  # steps later; -1: never
    due, state, decided, expected, late = {}, None, [], [], 0
    for step, at in enumerate(split(rng, n)):
        listed = []
        for order, ticket in sorted(due.pop(step, [])):  # those of rows before this step
            code = rows.labels[order]
            listed += [(ticket, code, True, ASAP)] if ticket % 3 else [(order, code, False, ASAP)]
            model.tell(ticket, code)
            late += 1
        listed += listed[:2]  # twice
        for order in at:
            expected.append(decided_by(model, case, rows.values[order], hours[order]))
            ticket = expected[-1][2]
            if arrives[order] == 0:  # if it is asked for or not
                listed.append((order, rows.labels[order], False, ASAP))
                if ticket:
                    model.tell(ticket, rows.labels[order])
            elif ticket and arrives[order] > 0:
                due.setdefault(step + arrives[order], []).append((order, ticket))
        rng.shuffle(listed)
        mixed = rng.permutation(at)
        times = hours[mixed] if model.timed else np.zeros(0)
        items = Items(mixed, case.block(rows.values[mixed]), times)
        state, found = machine.step(KEY, state, items, answers_of(listed) if listed else None)
        columns = found.predicted, found.ask_probability, found.ticket, *found.proba.T
        by_order = sorted(zip(mixed.tolist(), *(c.tolist() for c in columns), strict=True))
        decided += [row[1:] for row in by_order]
    assert decided == expected
    assert late > 3
    known, kept = machine.load(KEY, state), machine.model
    for name in ("rounds", "tickets", "answered"):
        assert getattr(kept, name) == getattr(model, name)
    pool = zip(known.open.ticket, known.open.chance, known.open.asked_in, strict=True)
    assert list(pool) == [(n, one.chance, one.asked_in) for n, one in model.open.items()]
    for name in set(model.state._fields) - set(NOT_KEPT):
        np.testing.assert_array_equal(getattr(kept.state, name), getattr(model.state, name))
    np.testing.assert_array_equal(kept.past, model.past)
    np.testing.assert_array_equal(kept.calibration.s, model.calibration.s)


def of_perceptron(**options):
    return Machine(Keyed(Perceptron(), Always(), width=2, **options))


def rows_at(*orders):
    order = np.array(orders)
    return Items(order, Dense(np.column_stack([np.cos(order), np.sin(order)])))


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("many", ["joint", "rest"])
def test_steps_of_many_classes(many):
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=(60, 3)), rng.integers(1, 4, 60)
    machine = Machine(Keyed(LASEC(), Margin(0.5), width=3, classes=3, many=many))
    model = Model(LASEC(), Margin(0.5), width=3, classes=3, many=many)
    model.draws = Draws(generator_of(0, KEY))
    state, found, told = None, [], []
    for at in split(rng, 60):
        state, decided = machine.step(
            KEY,
            state,
            Items(at, Dense(values[at])),
            answers_of([(i, codes[i], 0, ASAP) for i in at]),
        )
        found += zip(decided.predicted.tolist(), decided.proba.tolist(), strict=True)
    for x, code in zip(values, codes, strict=True):
        index, _, _, ticket = model.decide(Dense(x[None, :]))
        told.append((index, list(last_proba(model))))
        if ticket:
            model.tell(ticket, code)
    assert found == told
    assert {index for index, _ in found} == {0, 1, 2}
    machine.load(KEY, state)
    assert (machine.model.weights() == model.weights()).all()


@pytest.mark.usefixtures("plain")
def test_a_label_with_a_time_is_learned_after_the_rows_up_to_it():
    machine, ways = of_perceptron(), []
    given = [(2, 1, 0, 5), (6, -1, 0, 6), (7, 1, 0, 30), (3, 1, 0, 0)]
    for cuts in ([0, 20], [0, 3, 20], [0, 1, 2, 4, 6, 11, 20], range(21)):
        state, found = None, []
        for i, (start, stop) in enumerate(itertools.pairwise(cuts)):
            listed = answers_of(given) if i == 0 else None  # before their rows come
            items = rows_at(*range(start, stop))
            state, decided = machine.step(KEY, state, items, listed)
            found += decided.proba[:, 1].tolist()
        ways.append(found)
    assert ways[0] == ways[1] == ways[2] == ways[3]
    assert len(set(ways[0])) > 3


@pytest.mark.usefixtures("plain")
def test_tickets_have_a_time_to_live_and_a_number():
    of_time, of_number = of_perceptron(ttl=10), of_perceptron(max_open=3)
    for machine, kept in ((of_time, [8, 15]), (of_number, [5, 8, 15])):
        state, _ = machine.step(KEY, None, rows_at(0, 5, 8, 15, 2), None)
        known = machine.load(KEY, state)
        assert known.open.ticket.tolist() == ([4, 5] if machine is of_time else [3, 4, 5])
        assert known.open.order.tolist() == kept
        learned, _ = machine.step(KEY, state, None, answers_of([(2, 1, 1, ASAP), (0, 1, 0, ASAP)]))
        assert learned == state  # those have expired


@pytest.mark.usefixtures("plain")
def test_of_contradicting_labels_the_first_counts_whatever_their_order():
    machine = of_perceptron()
    state, _ = machine.step(KEY, None, rows_at(1, 2), None)
    both = [(1, 1, 0, ASAP), (1, -1, 1, ASAP)]
    one, other = (machine.step(KEY, state, None, answers_of(b))[0] for b in (both, both[::-1]))
    assert one == other == machine.step(KEY, state, None, answers_of(both[1:]))[0] != state
    assert machine.step(KEY, one, None, answers_of(both[:1]))[0] == one


@pytest.mark.usefixtures("plain")
def test_keys_have_draws_of_their_own():
    machine = Machine(Keyed(Perceptron(), Fixed(0.5), width=2))
    asked = {key: machine.step(key, None, rows_at(*range(64)), None)[1].ask for key in "abc"}
    assert len({tuple(ask) for ask in asked.values()}) == 3
    again = machine.step(("a",), None, rows_at(*range(64)), None)[1].ask
    assert (again == asked["a"]).all()
    assert (generator_of(1, "a").random(64) >= 0.5).any()


def faults(state):
    newer = bytes([VERSION + 1]) + state[1:]
    middle = bytearray(state)
    middle[40] ^= 1
    return {
        f"version {VERSION + 1}, and this Selectron reads {VERSION}": newer,
        "damaged": bytes(middle),
        "damaged: its": state[:-8],
        "is damaged": state[:3],
    }


@pytest.mark.usefixtures("plain")
def test_unsound_states_are_refused_in_a_sentence():
    machine = of_perceptron()
    state, _ = machine.step(KEY, None, rows_at(1, 2), None)
    for text, unsound in faults(state).items():
        with pytest.raises(SelectronError, match=rf"^The state of key 'a key' .*{text}[^.]*\.$"):
            machine.step(KEY, unsound, rows_at(3), None)
    with pytest.raises(SelectronError, match="of another learner"):
        of_perceptron(constant=False).step(KEY, state, rows_at(3), None)
    with pytest.raises(SelectronError, match=r"^A row of key 'a key', feature 1 is NaN: .*\.$"):
        machine.step(KEY, state, Items(np.array([3]), Dense(np.array([[0.0, np.nan]]))), None)
    assert machine.step(KEY, state, None, None)[0] == state


# learner: bytes after so many rows, of which one in ten is asked for
SIZES = {
    Perceptron(): {10: 1000, 4000: 1000},
    PassiveAggressive(): {10: 1000, 4000: 1000},
    LeadingHistory(fourier=0): {10: 12_000, 4000: 16_000},
}


@pytest.mark.slow
@pytest.mark.parametrize("learner", SIZES, ids=str)
def test_states_are_small(learner):
    X, y = switching_gaussian(4000, d=10, seed=0)
    keyed = Keyed(learner, Budget(rate=0.1, saved=0), width=10)
    for n, size in SIZES[learner].items():
        codes = answers_of([(i, int(y[i]), 0, ASAP) for i in range(n - 3)])  # three may be open
        state, _ = keyed.step(KEY, None, Items(np.arange(n), Dense(X[:n])), codes)
        assert len(state) <= size


def test_an_ensemble_does_not_depend_on_cuts_nor_on_the_keys_before():
    """Experts that are archived in a step have predicted the row that they are weighed by."""
    random = np.random.default_rng(5)
    rows, codes = Dense(random.normal(size=(40, 1))), 1 + random.integers(0, 4, 40)
    keyed = Keyed(LeadingHistory(fourier=0), Always(), width=1, classes=4)

    def step(state, start, end):
        at = np.arange(start, end)
        given = Answers(at, codes[at].astype(np.int64), np.zeros(len(at), bool), at)
        return keyed.step("key", state, Items(at, Dense(rows.values[at])), given)[0]

    whole, state = step(None, 0, 40), None
    for start in range(0, 40, 4):
        state = step(state, start, start + 4)
    assert state == whole == step(None, 0, 40)


@pytest.mark.usefixtures("plain")
def test_parts_that_are_equal_as_tuples_are_told_apart():
    items = rows_at(*range(200))
    asked = [
        Keyed(learner, asker, width=2).step(KEY, None, items, None)[1].ask.sum()
        for learner, asker in (
            (PassiveAggressive(1.0), Margin(1e-9)),
            (PassiveAggressive(1.0), Fixed(1e-9)),
            (PassiveAggressive(1.0), Fixed(1.0)),
            (PassiveAggressive(1.0), Margin(1.0)),
        )
    ]
    assert asked == [200, 0, 200, 200]


@pytest.mark.usefixtures("plain")
def test_labels_of_rows_that_were_not_asked_for_take_no_room():
    n = 120
    machine = Machine(Keyed(Perceptron(), Fixed(0.1), width=2, max_open=4))
    labels, states = answers_of([(i, 1 - i % 2 * 2, 0, i + 15) for i in range(n)]), []
    for size in (1, 40):
        state = None
        for start in range(0, n, size):
            some = Answers(*(column[start : start + size] for column in labels))
            state, _ = machine.step(KEY, state, rows_at(*range(start, start + size)), some)
        states.append(state)
    assert states[0] == states[1]
