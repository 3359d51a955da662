"""Where a worker finds the columns of rows, labels and states, and which it returns.

Columns go by their places: Spark hands rows to Python as named tuples, which lose the names.
"""

ITEM, STATE = 0, -(2**31)  # in place of a label's code
CODE, POSITION, BY_TICKET, TIME, X, BYTES, PASSED = range(7)  # columns after those of the key
DECIDED = {
    "proba": "array<double>",
    "ask": "boolean",
    "ask_probability": "double",
    "ticket": "bigint",
}
