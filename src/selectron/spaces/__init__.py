"""Where w and P live: the only code that touches vectors.

Every space offers the loop the same functions (`engine/loop.py` names them), and the model

    order                    1 or 2: which learners run in it
    atomic                   does a refused step leave the state as it was?
    State                    NamedTuple of arrays: all that is learned
    Rows                     NamedTuple: a block of rows as the loop takes it
    rows(block, constant)    make one; `constant` puts a feature 1 in front of every row
    start(width, shape)      the state before the first round, for so many features
    weights(state)           w, written out, the constant's weight first
    size(width)              bytes that the state takes
    widen(state, width)      the state after features have been added at the end (sparse rows)
    scaled(state, by)        a copy of the state in which w is multiplied
    at(stack, k)             the state of class k in a stack of them (`reductions/stack.py`)
    ceiling_all(stack, xx)   an upper bound of q for every class
    sound(state)             only where a state holds indices: do they fit? (asked of files)

In dual form (`dual.py`) w and P are expansions over stored examples, for a kernel or for none. Such
a space is joined from how examples are stored (`support_dense`, `support_sparse`), what is kept of
them (`dual_first`, `dual_second`; `dual_explicit` with w written out beside P) and a kernel, whose
parameters are a third argument of `rows`. It has beside these

    full(s, rows, i)             is there no room for what a step on row i may bring?
    trim(p, s, rows)             after a step: drop an example, if there are too many
    room(state)                  for how many examples there is room, and for how many non-zeros
    wanted(state, rows, i)       the room that a step on row i should have
    grow(state, capacity, slot)  the state with that room: nothing else changes, to the bit

First order in primal form always has a weight for the constant, so that `width` counts it whether
there is one or not; the other spaces have one only if there is one.
"""
