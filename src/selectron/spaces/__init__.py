"""Where w and P live: the only code that touches vectors.

`engine.parts.Space` lists what the loop calls. Every space also offers the model

    order                    1 or 2: which learners run in it
    refuses                  whether a step may be refused, True by default; a refused step leaves
                             the state as it was
    State, at                from its table of fields: see `state.py`
    rows(block, constant)    a block as the loop takes it; `constant` puts a 1 before every row
    start(width, shape)      the state before the first round
    size(width)              its bytes
    scaled(state, by)        a copy in which w is multiplied
    widen(state, width)      a copy with new features at the end
    weights(state)           w, the constant's weight first
    sound(state)             whether a state from a file has finite numbers, and counts and indices
                             in range: those that compiled code does not check

A sketch also has `compress(state)`, for when it is `full(state)`: see `sketched_dense.py`.

Spaces in dual form, where w and P are expansions over stored examples, also have `room`, `wanted`
and `grow`, and take a kernel's parameters as a third argument of `rows`: see `dual.py`. First order
in primal form always has a weight for the constant, which `width` counts, others if there is one.
"""
