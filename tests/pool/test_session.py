"""Labelling a pool row by row: every row once, the way back, and going on from a file."""

import math

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError
from selectron.pool import Boosted, Confident, Greedy, InOrder, SelfDirectedClassifier, Sphere
from selectron.storage import read

from .pools import sphere

LEARNERS = [
    Confident(),
    pytest.param(InOrder("given"), marks=pytest.mark.slow),
    pytest.param(InOrder("random"), marks=pytest.mark.slow),
    pytest.param(InOrder("worst"), marks=pytest.mark.slow),
    Greedy(),
    Sphere(),
    Boosted(),
]
X, Y = sphere(300, 4)
NAMES = np.array(["ham", "spam"])


def answered(pool, count, y=Y):
    """Answer so many proposals truly."""
    for _ in range(count):
        row, _ = pool.propose()
        pool.tell(row, NAMES[y[row]])
    return pool


def started(learner, **more):
    return SelfDirectedClassifier(learner, classes=list(NAMES), random_state=3, **more).start(X)


def test_a_class_that_only_an_undone_answer_had_is_forgotten():
    pool = answered(SelfDirectedClassifier(Greedy(), features="raw").start(X), 6)
    row, _ = pool.propose()
    pool.tell(row, "hamm")
    assert pool.undo() == row
    assert len(pool.classes_) == 2
    answered(pool, 294)  # which takes no third class
    with pytest.raises(SelectronError, match="cannot be labelled now"):
        pool.tell(np.array([1, 2]), "ham")


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
class TestEveryLearner:
    def test_every_row_is_proposed_once(self, learner):
        run = SelfDirectedClassifier(learner).run(X, Y)
        assert sorted(run.order.tolist()) == list(range(300))
        assert (run.labels == Y[run.order]).all()
        assert run.mistakes == (run.proposals != run.labels).sum() == run.curve[-1]

    @pytest.mark.slow
    def test_row_by_row_is_as_simulated(self, learner):
        simulated = SelfDirectedClassifier(learner, random_state=3).run(X, NAMES[Y])
        record = answered(started(learner), 300).labelled()
        for one, other in zip(simulated, record, strict=True):
            assert (one == other).all()

    def test_taking_back_and_answering_again_changes_nothing(self, learner):
        plain = answered(started(learner), 120).labelled()
        pool = answered(started(learner), 90)
        for _ in range(60):
            pool.undo()
        assert pool.n_labels_ == 30
        there = answered(pool, 90).labelled()
        for one, other in zip(plain, there, strict=True):
            assert (one == other).all()
        assert pool.n_mistakes_ == plain.mistakes

    def test_another_answer_is_learned_instead(self, learner):
        other = np.where(np.arange(300) % 7 == 0, 1 - Y, Y)
        pool = answered(started(learner), 40)
        while pool.n_labels_:
            pool.undo()
        again, fresh = answered(pool, 100, other), answered(started(learner), 100, other)
        for one, two in zip(again.labelled(), fresh.labelled(), strict=True):
            assert (one == two).all()

    def test_a_file_goes_on_where_it_was(self, learner, tmp_path):
        pool = answered(started(learner), 77)
        pool.save(tmp_path / "answers")
        back = SelfDirectedClassifier.load(tmp_path / "answers", X)
        assert back.propose() == pool.propose()
        for one, other in zip(
            answered(back, 100).labelled(), answered(pool, 100).labelled(), strict=True
        ):
            assert (one == other).all()
        back.undo()
        assert back.n_labels_ == 176

    def test_skipped_rows_are_proposed_again(self, learner, tmp_path):
        pool = started(learner)
        skipped = []
        for count in range(300):
            row, _ = pool.propose()
            pool.tell(row, None if count % 50 == 9 else NAMES[Y[row]])
            skipped += [row] if count % 50 == 9 else []
        assert pool.propose() is None
        assert pool.reopen() == len(skipped) == 6
        assert (pool.n_labels_, pool.labels()[skipped].tolist()) == (294, [None] * 6)
        pool.save(tmp_path / "answers")
        assert SelfDirectedClassifier.load(tmp_path / "answers", X).propose() == pool.propose()
        order = answered(pool, 6).labelled().order
        assert {*order[294:].tolist()} == {*skipped}
        assert (pool.propose(), pool.reopen()) == (None, 0)
        pool.undo()
        assert pool.propose()[0] == order[-1]

    @pytest.mark.parametrize(("mode", "count"), [("weak", 150), ("strong", 297), ("perfect", 300)])
    def test_modes_end_where_they_should(self, learner, mode, count):
        run = SelfDirectedClassifier(learner, mode=mode).run(X, Y)
        assert len(run.order) == len(set(run.order.tolist())) == count


@pytest.mark.slow
def test_rows_known_beforehand_are_learned_and_not_proposed():
    y = np.where(np.arange(300) < 200, NAMES[Y], None)
    pool = SelfDirectedClassifier().start(X, y)
    assert pool.goal_ == 100
    record = answered(pool, 100).labelled()
    assert sorted(record.order.tolist()) == list(range(200, 300))
    assert record.mistakes < SelfDirectedClassifier().run(X, Y).mistakes + 3
    assert pool.propose() is None
    assert (pool.labels() == NAMES[Y]).all()


def test_a_row_that_nobody_can_label_is_no_mistake_and_not_learned():
    pool = started(Confident())
    first, _ = pool.propose()
    pool.tell(first, None)
    assert (pool.n_labels_, pool.n_skipped_, pool.n_mistakes_) == (1, 1, 0)
    assert repr(pool.labelled()) == "<PoolRun: 0 rows labelled, 1 skipped, 0 mistakes>"
    assert pool.labels()[first] is None
    assert pool.propose()[0] != first


def test_classes_that_come_one_by_one():
    pool = SelfDirectedClassifier().start(X)
    row, label = pool.propose()
    assert label is None
    pool.tell(row, "b")
    row, label = pool.propose()
    assert label == "b"
    pool.tell(row, "a")
    assert pool.classes_.tolist() == ["b", "a"]
    row, label = pool.propose()
    pool.tell(row, "c")
    assert pool.classes_.tolist() == ["b", "a", "c"]
    for _ in range(50):
        row, label = pool.propose()
        pool.tell(row, "abc"[row % 3])
    assert pool.n_labels_ == 53


@pytest.mark.parametrize("learner", [Confident(), InOrder("given")], ids=repr)
def test_a_class_that_is_new_was_not_proposed(learner):
    pool = SelfDirectedClassifier(learner).start(X)
    proposed = []
    for label in ("b", "a", "c", "d", "a"):
        row, proposal = pool.propose()
        proposed.append(proposal or label)
        pool.tell(row, label)
    record = pool.labelled()
    assert record.proposals.tolist() == proposed
    assert record.mistakes == sum(np.array(proposed) != ["b", "a", "c", "d", "a"]) >= 3


@pytest.mark.slow
def test_three_classes():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(3, 6))
    rows = rng.normal(size=(700, 6))
    y = (rows @ W.T).argmax(axis=1)
    ours = SelfDirectedClassifier().run(rows, y).mistakes
    theirs = SelfDirectedClassifier(InOrder("random")).run(rows, y).mistakes
    assert ours < 0.6 * theirs


def test_sparse_rows_give_what_dense_ones_give():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(400, 30)) * (rng.random((400, 30)) < 0.2)
    y = (dense @ rng.normal(size=30) > 0).astype(int)
    one = SelfDirectedClassifier(features="raw").run(dense, y)
    two = SelfDirectedClassifier(features="raw").run(scipy.sparse.csr_array(dense), y)
    assert abs(one.mistakes - two.mistakes) <= 3
    assert (one.order[:20] == two.order[:20]).all()


@pytest.mark.slow
def test_wide_rows_are_learned_without_a_matrix():
    rng = np.random.default_rng(0)
    wide = scipy.sparse.random(600, 3000, 0.01, random_state=0, format="csr")
    y = (wide @ rng.normal(size=3000) > 0).astype(int)
    assert SelfDirectedClassifier().run(wide, y).mistakes < 300


def test_refusals_change_nothing(tmp_path):
    pool = answered(started(Confident()), 10)
    row, _ = pool.propose()
    for call, message in (
        (
            lambda: pool.tell(row + 1, "ham"),
            f"Row {row + 1} cannot be labelled now: row {row} is next",
        ),
        (lambda: pool.tell(row, "news"), "no class 'news': it is neither 'ham' nor 'spam'"),
        (lambda: pool.run(X, [None] * 300), "Row 0 has no label"),
        (lambda: pool.run(X, Y[:5]), "X has 300 rows, and y has 5 labels"),
        (lambda: pool.start([[1.0, np.nan]]), "^Row 0, feature 1 is NaN: every value must"),
        (lambda: pool.start([["red"]]), r"float: 'red'; TableEncoder\(\).fit_transform\(X\)"),
        (lambda: pool.start(X, Y[:5]), "X has 300 rows, and y has 5 labels"),
    ):
        with pytest.raises(SelectronError, match=message):
            call()
        assert (pool.n_labels_, pool.propose()[0]) == (10, row)
    pool.save(tmp_path / "answers")
    with pytest.raises(SelectronError, match="other rows"):
        SelfDirectedClassifier.load(tmp_path / "answers", X + 1)


def test_a_file_knows_sparse_rows_whatever_the_type_of_their_indices(tmp_path):
    rows = scipy.sparse.csr_array(np.eye(2))
    SelfDirectedClassifier().start(rows).save(tmp_path / "answers")
    assert read(tmp_path / "answers")[0]["rows"] == "4904aad372913670867bd095fbb8005c"
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    assert SelfDirectedClassifier.load(tmp_path / "answers", rows).goal_ == 2


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("value", [1e160, -1e300], ids=repr)
def test_rows_too_large_for_floating_point_change_nothing(kind, value):
    huge = X[:9].copy()
    huge[[4, 7], 1] = value
    pool = answered(started(Confident()), 3)
    for call in (lambda: pool.start(kind(huge)), lambda: pool.run(kind(huge), NAMES[Y[:9]])):
        with pytest.raises(SelectronError, match="Row 4 is too large for floating point"):
            call()
        assert pool.n_labels_ == 3


@pytest.mark.parametrize("features", ["auto", "standard", "raw"])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_rows_just_not_too_large_are_labelled(learner, features):
    huge = X[:40].copy()
    huge[4, 1], huge[7] = 5e153, -2e153
    assert len(SelfDirectedClassifier(learner, features=features).run(huge, Y[:40]).order) == 40


@pytest.mark.parametrize("by", [2.0**-700, 2.0**-520, 2.0**450])
def test_the_scale_of_all_features_changes_nothing(by):
    order = SelfDirectedClassifier().run(X, Y).order
    assert (SelfDirectedClassifier().run(by * X, Y).order == order).all()


def test_labels_that_are_ids_or_measurements_are_refused_unless_they_are_named():
    some = np.where(np.arange(300) < 100, np.arange(300), None)
    for call, message in (
        (lambda: SelfDirectedClassifier().run(X, X[:, 0]), "continuous"),
        (lambda: SelfDirectedClassifier().run(X, np.arange(300) // 2), "300 labels have 150"),
        (lambda: SelfDirectedClassifier().start(X, some), "100 labels have 100 classes"),
    ):
        with pytest.raises(SelectronError, match=message):
            call()
    named = SelfDirectedClassifier(classes=list(range(100))).start(X, some)
    assert (named.goal_, len(named.classes_)) == (200, 100)


def test_squares_that_are_finite_row_by_row_only():
    huge = np.full((200, 2), 1e153)
    huge[5] = -1.2e153
    with pytest.raises(SelectronError, match="Row 5 is too large for floating point"):
        SelfDirectedClassifier().start(huge)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"learner": "confident"}, "Confident()"),
        ({"learner": InOrder("best")}, '"random", "given" or "worst"'),
        ({"learner": Sphere(0)}, "Sphere: c must be a number above 0, got 0"),
        ({"learner": Boosted(share=2)}, "Boosted: share must be a number above 0 and up to 1"),
        ({"learner": Boosted(eps="a")}, "Boosted: eps must be a number between 0 and 1, got 'a'"),
        ({"learner": Boosted(most=0)}, "most must be a whole number from 1 on, got 0"),
        ({"mode": "good"}, '"perfect", "strong" or "weak"'),
        ({"mode": "strong", "delta": 1.0}, "delta"),
        ({"features": "cubic"}, '"standard"'),
        ({"random_state": -1}, "random_state"),
        ({"classes": ["a"]}, "two or more"),
        ({"classes": ["a", "a"]}, "two or more"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(SelectronError) as caught:
        SelfDirectedClassifier(**parameters).start(X).propose()
    assert message in str(caught.value)


def test_a_run_that_is_interrupted_leaves_nothing_behind():
    def interrupted(count):
        raise KeyboardInterrupt

    pool = SelfDirectedClassifier()
    with pytest.raises(KeyboardInterrupt):
        pool.run(X, Y, interrupted)
    with pytest.raises(SelectronError, match="start"):
        pool.propose()


def test_before_the_start():
    for call in (lambda p: p.propose(), lambda p: p.undo(), lambda p: p.labelled()):
        with pytest.raises(SelectronError, match="start"):
            call(SelfDirectedClassifier())
    with pytest.raises(SelectronError, match="no answer"):
        started(Confident()).undo()


def test_more_classes_than_the_papers_learners_take():
    for learner in (Greedy(), Sphere(), Boosted()):
        with pytest.raises(SelectronError, match="is for two"):
            SelfDirectedClassifier(learner).run(X, np.arange(300) % 3)


def test_an_intercept_that_is_neither_there_nor_not():
    with pytest.raises(SelectronError, match="fit_intercept must be True or False, got 'no'"):
        SelfDirectedClassifier(fit_intercept="no").start(X)


def test_a_file_of_answers_is_no_model(tmp_path):
    answered(started(Confident()), 3).save(tmp_path / "p")
    with pytest.raises(SelectronError, match="holds the answers for a pool: load it with Self"):
        OnlineClassifier.load(tmp_path / "p")


def test_classes_that_are_dates_are_proposed_as_dates():
    days = np.array(["2026-01-01", "2026-01-02"], "M8[ns]")
    pool = SelfDirectedClassifier(classes=days).start(X)
    row, label = pool.propose()
    assert label in days
    with pytest.raises(SelectronError, match=r"neither np\.datetime64"):
        pool.tell(row, 3)
    pool.tell(row, label)
    assert pool.propose()[0] != row


def test_a_learner_must_be_an_object():
    with pytest.raises(SelectronError, match=r"such as Confident\(\), got <class"):
        SelfDirectedClassifier(Confident, classes=list(NAMES)).start(X)


def test_the_progress_of_a_resumed_session(tmp_path):
    pool = answered(started(None), 40)
    pool.save(tmp_path / "answers")
    seen = []
    SelfDirectedClassifier.load(tmp_path / "answers", X, look=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 40


def test_the_mistakes_that_are_left_are_no_more_than_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(2, size=300)
    pool = SelfDirectedClassifier(classes=[0, 1]).start(X)
    assert math.isnan(pool.mistakes_left())
    for count in range(200):
        row, _ = pool.propose()
        assert 0 <= pool.mistakes_left() <= 300 - count
        pool.tell(row, y[row])
    assert abs(pool.mistakes_left() - 50) < 20  # labels are drawn at random
