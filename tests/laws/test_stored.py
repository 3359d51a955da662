"""However a row is stored when it comes to `decide`, it is the row that `run` would have seen."""

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier

from .grid import ASKERS, GRID, marked, name_of, plain_loop
from .playing import learned, same_bits

DENSE = {
    "list": lambda x: x.tolist(),
    "float32": lambda x: x.astype(np.float32),
    "strided": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "table": lambda x: x[None, :],
}
SPARSE = {
    "float32": lambda x: scipy.sparse.csr_array(x.astype(np.float32)[None, :]),
    "columns": lambda x: scipy.sparse.csc_array(x[None, :]),
    "one-dimensional": scipy.sparse.coo_array,
}
CASES = [case for case in GRID if case.asker is ASKERS["margin-2"] and not case.compiled]
STORED = [
    pytest.param(case, form, marks=each.marks, id=f"{name_of(case)}-{name}")
    for each in marked(CASES)
    for case in each.values
    for name, form in (SPARSE if case.sparse else DENSE).items()
]


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)


def two_alike(case):
    """Return two fresh classifiers."""
    return [
        OnlineClassifier(case.learner, case.asker, classes=[-1, 1], random_state=3)
        for _ in range(2)
    ]


@pytest.mark.parametrize(("case", "form"), STORED)
def test_a_decision_is_that_of_a_run(case, form):
    rows = case.stream(n=25, missing=0.0)
    values = rows.values.astype(np.float32).astype(float)
    block, live = two_alike(case)
    run = block.run(scipy.sparse.csr_array(values) if case.sparse else values, rows.labels)
    for i, (x, label) in enumerate(zip(values, rows.labels, strict=True)):
        decision = live.decide(form(x))
        assert decision[1:4] == (run.margin[i], run.ask_probability[i], run.asked[i])
        if decision.ask:
            assert live.tell(decision.ticket, label) == run.updated[i]
    assert same_bits(learned(live.model_), learned(block.model_))


@pytest.mark.parametrize("case", marked(CASES), ids=name_of)
def test_a_ticket_keeps_the_row_as_it_was(case):
    """A row that waits for its label does not change with the array that it came in."""
    rows = case.stream(n=20)
    kept, reused = two_alike(case)
    buffer = np.zeros((1, rows.values.shape[1]))
    row = over(buffer) if case.sparse else buffer
    for x in rows.values:
        decision = kept.decide(over(x[None, :].copy()) if case.sparse else x[None, :].copy())
        buffer[:] = x
        assert reused.decide(row) == decision
    buffer[:] = 0.0
    assert kept.model_.open
    for ticket, label in zip(list(kept.model_.open), [-1, 1] * 10, strict=False):
        assert kept.tell(ticket, label) == reused.tell(ticket, label)
    assert same_bits(learned(kept.model_), learned(reused.model_))


def over(values):
    """Return a sparse row with every entry stored, over the memory of this one."""
    width = values.shape[1]
    ends = np.array([0, width], dtype=np.int32)
    return scipy.sparse.csr_array((values[0], np.arange(width, dtype=np.int32), ends), (1, width))
