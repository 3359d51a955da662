"""Labels that come later: decide and tell."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Margin
from selectron.errors import NotOpen
from selectron.learners import LASEC, Perceptron

from .examples import X, Y, inside, is_one_sentence


def fresh(**given):
    return OnlineClassifier(Perceptron(), **({"classes": [-1, 1], "random_state": 0} | given))


def asked(n, **given):
    """A classifier with n open tickets, 1 to n."""
    clf = fresh(**given)
    assert [clf.decide(x).ticket for x in X[:n]] == list(range(1, n + 1))
    return clf


def refusal(call):
    """What the error says, which is one sentence."""
    with pytest.raises(SelectronError) as caught:
        call()
    assert is_one_sentence(str(caught.value))
    return str(caught.value)


# Decide


@pytest.mark.parametrize("learner", [Perceptron(), LASEC()], ids=["first", "second"])
def test_decide_and_tell_are_a_run(learner):
    one, whole = (
        OnlineClassifier(learner, asker=Margin(0.3), classes=[-1, 1], random_state=2)
        for _ in range(2)
    )
    run = whole.run(X, Y)
    for i, x in enumerate(X):
        decision = one.decide(x)
        assert decision.label == run.prediction[i]
        assert decision.margin == run.margin[i]
        assert decision.ask_probability == run.ask_probability[i]
        assert decision.ask == run.asked[i] == (decision.ticket is not None)
        if decision.ask:
            assert one.tell(decision.ticket, Y[i]) == run.updated[i]
    assert np.array_equal(one.coef_, whole.coef_)
    assert one.n_rounds_ == whole.n_rounds_ == 120


def test_kinds_of_the_decision():
    decision = fresh().decide(X[0])
    kinds = [type(value) for value in decision[1:]]
    assert kinds == [float, float, bool, int, tuple, tuple]
    assert decision.proba == pytest.approx((0.5, 0.5))
    assert decision.label in (-1, 1)
    shown = "Decision(label=1, margin=0.0, ask_probability=1.0, ask=True, ticket=1, proba="
    assert repr(decision) == f"{shown}{decision.proba})"


def test_no_ticket_without_a_question():
    clf = fresh(asker=Margin(1e-300)).fit(X, Y)
    decisions = [clf.decide(x) for x in X]
    assert {(d.ask, d.ticket) for d in decisions} == {(False, None)}
    assert all(0 < d.ask_probability < 1e-290 for d in decisions)
    assert clf.n_rounds_ == 240


# Tell


def test_labels_out_of_order_are_steps_in_the_order_they_come():
    late, given = asked(6), fresh()
    order = [3, 0, 5, 1]
    for i in order:
        late.tell(i + 1, Y[i])
    given.partial_fit(X[order], Y[order])
    assert np.array_equal(late.coef_, given.coef_)
    assert (late.n_rounds_, given.n_rounds_) == (6, 4)
    assert list(late.model_.open) == [3, 5]


def test_a_label_that_never_comes_changes_nothing():
    silent, run = fresh(random_state=1), fresh(random_state=1)
    for x in X[:30]:
        silent.decide(x)
    run.run(X[:30], [None] * 30)
    for clf in (silent, run):
        clf.partial_fit(X[30:], Y[30:])
    assert np.array_equal(silent.coef_, run.coef_)
    assert silent.n_rounds_ == run.n_rounds_


def test_a_label_in_the_middle_of_other_learning():
    clf = asked(3)
    clf.run(X, Y)
    clf.partial_fit(X, Y)
    assert isinstance(clf.tell(2, -clf.predict(X[1:2])[0]), bool)
    assert list(clf.model_.open) == [1, 3]


def test_tell_says_whether_it_stepped():
    clf = asked(2)
    assert clf.tell(1, -1) is True
    assert clf.tell(2, clf.predict(X[1:2])[0]) is False


@pytest.mark.parametrize("ticket", [2, np.int64(2), np.uint8(2)], ids=repr)
def test_tickets_may_be_numpys_numbers(ticket):
    clf = asked(3)
    clf.tell(ticket, 1)
    assert list(clf.model_.open) == [1, 3]
    said = refusal(lambda: clf.tell(ticket, 1))
    assert said.startswith("Ticket 2 is not open")
    assert "unknown" not in said


@pytest.mark.parametrize(
    "ticket",
    [0, -1, 4, 2**70, 2.5, math.nan, None, b"1", (1,), [1], {}, np.array([1, 2])],
    ids=repr,
)
def test_unknown_tickets(ticket):
    clf = asked(3)
    before = inside(clf)
    said = refusal(lambda: clf.tell(ticket, 1))
    assert said.startswith("There is no ticket: " if ticket is None else "Ticket ")
    assert ticket is None or "3" in said
    assert inside(clf) == before


def test_a_ticket_is_answered_once():
    clf = asked(2)
    clf.tell(1, -1)
    before = inside(clf)
    assert "answered" in refusal(lambda: clf.tell(1, -1))
    assert inside(clf) == before


@pytest.mark.parametrize(
    "label", [0, 2, "1", b"1", "", None, math.nan, pd.NA, np.array([1, -1]), {}, 1j], ids=repr
)
def test_unknown_label_leaves_the_ticket_open(label):
    clf = asked(2)
    before = inside(clf)
    said = refusal(lambda: clf.tell(1, label))
    assert said.endswith("is neither -1 nor 1.")
    assert inside(clf) == before
    assert clf.tell(1, -1)


def test_tell_before_anything_was_decided():
    with pytest.raises(ValueError, match="not fitted"):
        OnlineClassifier().tell(1, 1)


def test_step_that_would_overflow_leaves_the_ticket_open():
    clf = fresh(normalize=False, fit_intercept=False)
    ticket = clf.decide(np.full(4, 1e160)).ticket
    before = inside(clf)
    refusal(lambda: clf.tell(ticket, -1))
    assert inside(clf) == before
    assert list(clf.model_.open) == [ticket]


# Expiry


def test_the_oldest_ticket_expires():
    clf = asked(5, max_open=3)
    assert list(clf.model_.open) == [3, 4, 5]
    assert "expired" in refusal(lambda: clf.tell(2, 1))
    clf.tell(4, 1)
    clf.decide(X[5])
    assert list(clf.model_.open) == [3, 5, 6]


def test_the_oldest_expires_whichever_were_answered(tmp_path):
    clf = asked(6, max_open=4)  # 3 to 6 are open
    for ticket in (3, 5):
        clf.tell(ticket, 1)
    clf.save(tmp_path / "model")
    for one in (clf, OnlineClassifier.load(tmp_path / "model")):
        tickets = [one.decide(x).ticket for x in X[:3]]  # 4, 6, 7, 8 are open, and then 6 to 9
        assert tickets == [7, 8, 9]
        assert list(one.model_.open) == [6, 7, 8, 9]
        assert "expired" in refusal(lambda one=one: one.tell(4, 1))


def test_memory_is_bounded():
    clf = fresh(max_open=10)
    sizes = []
    for _ in range(6):
        for x in X:
            clf.decide(x)
        sizes.append(len(pickle.dumps(clf.model_.open)))
        assert len(clf.model_.open) == 10
    assert max(sizes) < 1.2 * min(sizes)


# Names


def test_a_named_ticket_is_learned_as_a_numbered_one(tmp_path):
    named, numbered = fresh(max_open=3), fresh(max_open=3)
    for i, x in enumerate(X[:5]):
        assert named.decide(x, ticket=f"mail-{i}").ticket == f"mail-{i}"
        numbered.decide(x)
    assert named.open_tickets_ == ["mail-2", "mail-3", "mail-4"]
    named.tell("mail-3", 1)
    numbered.tell(4, 1)
    assert np.array_equal(named.coef_, numbered.coef_)
    named.save(tmp_path / "model")
    kept = OnlineClassifier.load(tmp_path / "model")
    for clf in (named, kept, numbered):  # a number after names, which are numbered too
        assert clf.decide(X[5]).ticket == 6
    for clf in (named, kept):
        assert clf.open_tickets_ == ["mail-2", "mail-4", 6]
        clf.tell("mail-4", correct=True)
        clf.expire("mail-2")
        clf.tell(6, -1)
        assert clf.open_tickets_ == []
    numbered.tell(5, numbered.model_.open[5].proposed * 2 - 1)
    numbered.tell(6, -1)
    assert np.array_equal(kept.coef_, named.coef_)
    assert np.array_equal(kept.coef_, numbered.coef_)


def test_a_name_is_given_once_at_a_time():
    clf = fresh(correctable=5)
    clf.decide(X[0], ticket="mail")
    before = inside(clf)
    assert "is open already" in refusal(lambda: clf.decide(X[1], ticket="mail"))
    for name in (7, ""):
        assert "must have a text" in refusal(lambda name=name: clf.decide(X[1], ticket=name))
    assert inside(clf) == before
    clf.tell("mail", 1)
    clf.decide(X[1], ticket="mail")
    assert "is open" in refusal(lambda: clf.correct("mail", -1))
    clf.tell("mail", 1)
    clf.correct("mail", -1)  # the later one
    other = fresh().partial_fit(X[:2], [1, -1])
    assert np.array_equal(clf.coef_, other.coef_)


def test_a_refused_name_teaches_the_encoder_nothing():
    clf = fresh(encoder="auto")
    clf.decide({"a": "x"}, ticket="mail")
    refusal(lambda: clf.decide({"b": "y"}, ticket="mail"))
    assert list(clf.encoder_.columns_) == ["a"]


def test_an_answer_to_a_question_after_the_file_is_not_learned_for_another_row(tmp_path):
    clf = fresh()
    clf.decide(X[0], ticket="mail-0")
    clf.save(tmp_path / "model")
    clf.decide(X[1], ticket="mail-1")
    again = OnlineClassifier.load(tmp_path / "model")
    again.decide(X[2], ticket="mail-2")
    before = inside(again)
    for ticket in "mail-1", 3, "1":
        with pytest.raises(NotOpen) as caught:
            again.tell(ticket, 1)
        assert is_one_sentence(str(caught.value))
    assert inside(again) == before
    assert again.tell("mail-0", -1)


def test_what_is_no_ticket_at_all_is_another_error():
    clf = asked(2)
    for ticket in None, clf.decide(X[3]):
        with pytest.raises(SelectronError) as caught:
            clf.tell(ticket, 1)
        assert type(caught.value) is SelectronError
    assert "and 2 is open: give the number" in refusal(lambda: clf.tell("2", 1))


def test_tickets_are_not_given_out_twice():
    clf = asked(3, max_open=2)
    for ticket in (2, 3):
        clf.tell(ticket, 1)
    assert clf.decide(X[0]).ticket == 4


def test_fit_forgets_tickets():
    clf = asked(3).fit(X, Y)
    refusal(lambda: clf.tell(1, 1))


# Rows that are refused

BAD_ROWS = {
    "NaN": [0, math.nan, 0, 0],
    "None": [0, None, 0, 0],
    "infinite": [0, 0, 0, -math.inf],
    "huge": [0, 1e300, 0, 0],
    "too long": [0] * 5,
    "too short": [0] * 3,
    "empty": [],
    "words": ["a", "b", "c", "d"],
    "complex": [1j] * 4,
    "ragged": [[0, 0, 0, 0], [0]],
    "two rows": [[0] * 4] * 2,
    "no row": np.zeros((0, 4)),
    "3-D": np.zeros((1, 1, 4)),
    "number": 5.0,
    "dict of a word": {"a": "b"},
    "word": "abcd",
    "nothing": None,
    "two sparse rows": scipy.sparse.csr_array(np.ones((2, 4))),
    "sparse NaN": scipy.sparse.csr_array([[0, math.nan, 0, 0]]),
    "frame of two": pd.DataFrame(np.ones((2, 4))),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_refused_row_changes_nothing(kind):
    clf = asked(3)
    before = inside(clf)
    refusal(lambda: clf.decide(BAD_ROWS[kind]))
    assert inside(clf) == before


@pytest.mark.parametrize("kind", [kind for kind in BAD_ROWS if not kind.startswith("too")])
def test_refused_first_row_changes_nothing(kind):
    clf = fresh()
    before = inside(clf)
    refusal(lambda: clf.decide(BAD_ROWS[kind]))
    assert inside(clf) == before
