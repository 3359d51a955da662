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

First order always has a weight for the constant, so that `width` counts it whether there is one or
not; second order has one only if there is one.
"""
