"""A sketch that leaves something out obeys the laws; one that leaves out nothing is all of P."""

import numpy as np
import pytest

from selectron.askers import Always, Margin
from selectron.engine.rows import Dense
from selectron.errors import SelectronError
from selectron.learners import LASEC, LeadingHistory, Perceptron
from selectron.model.model import Model
from selectron.spaces import sketched_sparse
from selectron.spaces.state import COUNT, EPOCH, HELD

from .grid import LEARNERS, Case, chunks, named, plain_loop, stream
from .playing import (
    close,
    in_parts,
    learned,
    matrix,
    play_learn,
    play_live,
    play_run,
    refused,
    same_bits,
    same_flags,
    snapshot,
)

SECOND = [learner for learner in LEARNERS.values() if hasattr(learner, "shape")]
SMALL = {"sketch": 3}  # of seven weights
SPACES = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])


def each(learners):
    return pytest.mark.parametrize("learner", learners, ids=lambda one: named(LEARNERS, one))


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    monkeypatch.setattr(sketched_sparse, "EPOCHS", 64)


def case_of(learner, sparse=False):
    return Case(learner, Margin(0.3), sparse, False)


def rows_of(case, n=150):
    return case.stream(n=n, missing=0.0)


@SPACES
@each(SECOND)
@pytest.mark.parametrize("size", [7, 30])
def test_as_many_directions_as_weights_are_the_whole_matrix(learner, sparse, size):
    case = case_of(learner, sparse)
    whole, sketch = case.model(6), case.model(6, sketch=size)
    rows = rows_of(case)
    expected, found = (play_run(case, model, rows) for model in (whole, sketch))
    assert expected.updated.sum() > 2 * 7  # it has been compressed
    assert same_flags(found, expected)
    close(found, expected)
    close([sketch.weights(), matrix(sketch)], [whole.weights(), matrix(whole)])


@each(SECOND)
def test_sparse_rows_do_what_dense_ones_do(learner):
    cases = case_of(learner), case_of(learner, sparse=True)
    models = dense, sparse = [case.model(6, **SMALL) for case in cases]
    rows = rows_of(cases[0])
    found = [play_run(*pair, rows) for pair in zip(cases, models, strict=True)]
    assert same_flags(*found)
    close(*found)
    close([dense.weights(), matrix(dense)], [sparse.weights(), matrix(sparse)])


@SPACES
def test_all_epochs_are_left_behind(sparse):
    """Sparse rows settle every 63 compressions: with one direction, after as many steps."""
    case, whole = case_of(LEARNERS["rls"], sparse), case_of(LEARNERS["rls"])
    rows = rows_of(case)
    found, expected = (each.model(6, sketch=1) for each in (case, whole))
    close(play_run(case, found, rows), play_run(whole, expected, rows))
    close([found.weights(), matrix(found)], [expected.weights(), matrix(expected)])
    if sparse:
        assert 1 < found.state.scalars[EPOCH] < sketched_sparse.EPOCHS
        assert found.state.scalars[COUNT] > sketched_sparse.EPOCHS


@SPACES
@each(SECOND)
def test_however_a_stream_is_cut(learner, sparse):
    case = case_of(learner, sparse)
    rows, models = rows_of(case), [case_of(learner, sparse).model(6, **SMALL) for _ in range(4)]
    expected = play_run(case, models[0], rows)
    for model, sizes in zip(models[1:3], ([1], [7, 1, 13]), strict=True):
        assert same_bits(in_parts(play_run, case, model, rows, chunks(150, sizes)), expected)
    assert same_bits(play_live(case, models[3], rows), expected)
    assert all(same_bits(learned(model), learned(models[0])) for model in models)


@SPACES
@each(SECOND)
def test_wider_from_the_start_or_later(learner, sparse):
    case = case_of(learner, sparse)
    rows, narrow, wide = rows_of(case), case.model(4, **SMALL), case.model(6, **SMALL)
    rows.values[:80, 4:] = 0.0
    first, second = rows.part(0, 80), rows.part(80, 150)
    early = first if sparse else first._replace(values=first.values[:, :4])
    found, expected = play_run(case, narrow, early), play_run(case, wide, first)
    narrow.widen(6)
    later = [play_run(case, model, second) for model in (narrow, wide)]
    close([*found, *later[0]], [*expected, *later[1]], 1e-10)
    close([narrow.weights(), matrix(narrow)], [wide.weights(), matrix(wide)], 1e-10)


@SPACES
@pytest.mark.parametrize("many", ["joint", "rest"])
def test_many_classes(many, sparse):
    case = case_of(LASEC(), sparse)
    rows, codes = rows_of(case), np.random.default_rng(3).integers(1, 4, size=150).astype(np.int32)
    options = {"classes": 3, "many": many}
    whole, exact, small, cut = (case.model(6, sketch=size, **options) for size in (None, 7, 3, 3))
    block = case.block(rows.values)
    expected, found = whole.run(block, codes), exact.run(block, codes)
    np.testing.assert_array_equal(found.flags, expected.flags)
    close([found.margin, exact.weights()], [expected.margin, whole.weights()])
    out, flags = small.run(block, codes), []
    for x, code in zip(rows.values, codes, strict=True):
        ticket = cut.decide(case.block(x[None]))[3]
        flags.append(ticket is not None and cut.tell(ticket, int(code)))
    np.testing.assert_array_equal(flags, out.updated)
    assert same_bits([cut.weights()], [small.weights()])


@SPACES
@each(SECOND)
def test_p_stays_positive_definite_and_loses_the_least(learner, sparse):
    case = case_of(learner, sparse)
    rows, model = rows_of(case, 300), case.model(6, **SMALL)
    for cut in chunks(300, [20]):
        play_run(case, model, rows.part(*cut))
        eigenvalues = np.linalg.eigvalsh(matrix(model))
        assert 0 < eigenvalues[0] <= eigenvalues[-1]
    if model.state.scalars[HELD] == 3:
        np.testing.assert_allclose(eigenvalues[3:], eigenvalues[-1])


@SPACES
def test_the_trace_of_the_precision_stays(sparse, monkeypatch):
    """What is known along directions that are dropped is shared by those that are not kept."""
    case = case_of(LASEC(), sparse)
    model = case.model(6, **SMALL)
    compress, compared = model.space.compress, []

    def compared_with_before(s):
        if not model.space.full(s):
            return False
        before = np.linalg.inv(matrix(model))
        compress(s)
        after = np.linalg.inv(matrix(model))
        kept = (np.linalg.eigvalsh(p)[-3:] for p in (before, after))
        compared.append((np.trace(after) / np.trace(before), *kept))
        return True

    monkeypatch.setattr(model.space, "compress", compared_with_before)
    play_run(case, model, rows_of(case))
    assert len(compared) > 3
    for traces, before, after in compared:
        assert traces == pytest.approx(1, rel=1e-9)
        np.testing.assert_allclose(after, before, rtol=1e-9)


@SPACES
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_what_is_refused_changes_nothing(bad, sparse):
    case = Case(LASEC(), Always(), sparse, False)
    rows, model = rows_of(case), case.model(6, normalize=False, **SMALL)
    play_run(case, model, rows)
    worse = rows.part(0, 1)._replace(values=np.full((1, 6), bad))
    before = snapshot(model)
    assert refused(model, lambda: play_learn(case, model, worse)) or not np.isinf(bad)
    if not np.isfinite(bad):
        assert same_bits(snapshot(model), before)
    assert np.isfinite(model.weights()).all()


@SPACES
def test_powers_of_two_scale_through(sparse):
    """CELLIP and IELLIP take rows of any length alike, bit by bit for powers of two."""
    case = case_of(LEARNERS["lasec"], sparse)
    rows, one, other = (
        rows_of(case),
        *(case.model(6, constant=False, normalize=True, **SMALL) for _ in "ab"),
    )
    found = play_run(case, one, rows)
    scaled = rows._replace(values=rows.values * 2.0**40)
    close(play_run(case, other, scaled), found)


@pytest.mark.parametrize(
    ("learner", "options", "what"),
    [
        (Perceptron(), {}, "has no sketch"),
        (LeadingHistory(), {}, "has no sketch"),
        (LASEC(), {"kernel": "linear"}, "kernel"),
        (LASEC(), {"classes": 3, "many": "exact"}, "takes no sketch"),
    ],
)
def test_where_there_is_no_sketch(learner, options, what):
    from selectron.kernels import Linear

    if "kernel" in options:
        options = {"kernel": Linear()}
    with pytest.raises(SelectronError, match=what):
        Model(learner, Always(), width=6, sketch=3, **options)


@pytest.mark.slow
@SPACES
def test_compiled(sparse, monkeypatch):
    monkeypatch.undo()
    case = Case(LASEC(b=0.8, c=30.0), Margin(0.3), sparse, True)
    rows = rows_of(case, 600)
    compiled, plain = case.model(37, sketch=4), case.model(37, sketch=4)
    plain.loop = plain_loop(type(case.learner), Margin, plain.space)
    found, expected = (play_run(case, model, rows) for model in (compiled, plain))
    assert same_flags(found, expected)
    close(found, expected)
    close([compiled.weights(), matrix(compiled)], [plain.weights(), matrix(plain)])
    whole = in_parts(play_run, case, case.model(37, sketch=4), rows, chunks(600, [1, 50]))
    assert same_bits(whole, found)


def test_blocks_of_dense_rows_without_room_recurse_nowhere():
    """One direction is compressed at every other step: thousands of times in a block."""
    rows = stream(3_000, 2, missing=0.0)
    model = Model(LEARNERS["rls"], Always(), width=2, sketch=1, constant=False)
    assert model.run(Dense(rows.values), rows.labels).updated.all()
