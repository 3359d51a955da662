"""One table of fields gives a state, its size, its copies, and its classes out of a stack."""

from types import SimpleNamespace

import numpy as np
import pytest

from selectron.engine.machine import compiled
from selectron.engine.parts import space
from selectron.engine.round import Shape
from selectron.spaces.state import Field, Room, Table, triangle


def diagonal(array, shape):
    np.fill_diagonal(array, shape.scale)


TABLE = Table(
    {
        "w": Field(lambda r: (r.width,), power=1),
        "matrix": Field(lambda r: (r.width, r.width), fill=diagonal),
        "terms": Field(lambda r: (2, 3), power=np.array([[1], [2]])),
        "triangle": Field(lambda r: (triangle(r.capacity),)),
        "indices": Field(lambda r: (r.capacity, r.slot), dtype=np.uint32),
    }
)


def counted(table, room):
    """Return a state of this room with another number in every entry."""
    state = table.zeros(room)
    for j, array in enumerate(state):
        array[...] = np.arange(array.size).reshape(array.shape) + 100 * j + 1
    return state


def test_a_state_starts_as_its_fields_do_and_is_as_large_as_their_arrays():
    state = TABLE.start(3, Shape(0.5), 4, 2)
    assert np.array_equal(state.matrix, np.eye(3) / 2)
    assert [a.shape for a in state] == [(3,), (3, 3), (2, 3), (10,), (4, 2)]
    assert state.indices.dtype == np.uint32
    assert TABLE.size(3, 4, 2) == sum(array.nbytes for array in state)
    assert TABLE.size(10**15) > 2**64  # no overflow


def test_a_scaled_state_is_a_copy():
    state = counted(TABLE, Room(3, 4, 2))
    scaled = TABLE.scaled(state, -0.5)
    assert np.array_equal(scaled.w, -0.5 * state.w)
    assert np.array_equal(scaled.terms, np.array([[-0.5], [0.25]]) * state.terms)
    assert all(
        a.dtype == b.dtype and not np.shares_memory(a, b)
        for a, b in zip(state, scaled, strict=True)
    )
    assert np.array_equal(scaled.matrix, state.matrix)


def test_a_resized_state_keeps_what_has_been_used():
    state = counted(TABLE, Room(3, 4, 2))
    resized = TABLE.resized(state, Room(5, 6, 3), used=Room(3, 2, 2))
    assert np.array_equal(resized.w, [*state.w, 0, 0])
    assert np.array_equal(resized.matrix[:3, :3], state.matrix)
    assert resized.matrix.sum() == state.matrix.sum()
    assert np.array_equal(resized.triangle, [*state.triangle[:3], *np.zeros(18)])
    assert np.array_equal(resized.indices[:2, :2], state.indices[:2])
    assert resized.indices.sum() == state.indices[:2].sum()


@pytest.mark.parametrize("every", [1, 3, 100])
@pytest.mark.parametrize("n", range(1, 11))
def test_a_class_is_taken_out_of_a_stack_by_every_field(n, every):
    """Of every third field, or of all, the classes share one array."""
    fields = {f"field_{j}": Field(lambda r: (r.width,), shared=j % every == 0) for j in range(n)}
    table = Table(fields)
    states = [table.scaled(counted(table, Room(2)), 1.0) for _ in range(3)]
    for k, state in enumerate(states):
        for name, array in state._asdict().items():
            array += 0 if name in table.shared else 1000 * k
    arrays = {n: getattr(states[0], n) for n in table.shared}
    arrays = {
        n: arrays[n] if n in arrays else np.stack([getattr(s, n) for s in states]) for n in fields
    }
    stack = (*arrays.values(), "what a stack has of its own")
    for k in range(3):
        one = table.at(stack, k)
        assert type(one) is table.State
        assert all(map(np.array_equal, one, states[k]))
        assert all(getattr(one, name) is arrays[name] for name in table.shared)
    assert table.size(2, classes=3) == sum(array.nbytes for array in arrays.values())


def test_taking_a_class_out_of_a_stack_compiles():
    def second(arrays, k):
        one = space.at(State(*arrays), k)
        return one.w[0] + 100 * one.matrix[1, 0] + 10000 * one.indices[0, 0]

    State, state = TABLE.State, counted(TABLE, Room(2, 1, 1))
    stack = tuple(np.stack([array, array + 7]) for array in state)
    run = compiled(second, {"space": SimpleNamespace(at=TABLE.at)}, "second")
    assert run(stack, 1) == state.w[0] + 7 + 100 * (state.matrix[1, 0] + 7) + 10000 * (401 + 7)
