"""An answer that was wrong is taken back."""

import copy

import numpy as np
import pytest

from selectron import OnlineClassifier, SelectronError
from selectron.askers import Fixed
from selectron.history import state
from selectron.learners import LASEC, LeadingHistory, PassiveAggressive

from .examples import X, Y

LEARNERS = [PassiveAggressive(C=0.1), LASEC(), LeadingHistory(fourier=6)]
LABELS = np.where(Y > 0, "spam", "ham")
OPTIONS = {"classes": ["ham", "spam"], "correctable": 40, "random_state": 0}


def told(learner, wrong=(), **options):
    """A classifier that was told labels one by one, some of them wrong, and its tickets."""
    clf = OnlineClassifier(learner, **OPTIONS | options)
    tickets = []
    for i, (x, label) in enumerate(zip(X, LABELS, strict=True)):
        tickets.append(clf.decide(x).ticket)
        clf.tell(tickets[-1], {"ham": "spam", "spam": "ham"}[label] if i in wrong else label)
    return clf, tickets


def assert_alike(one, other):
    assert one.decision_function(X).tolist() == other.decision_function(X).tolist()
    assert one.predict_proba(X).tolist() == other.predict_proba(X).tolist()
    assert one.model_.labels == other.model_.labels
    assert one.n_rounds_ == other.n_rounds_


def test_copies_that_memory_has_no_room_for_are_refused_at_first():
    clf = OnlineClassifier(LASEC(), correctable=10**11)
    with pytest.raises(SelectronError, match=r"GiB: .* or less correctable\.$"):
        clf.fit(X, LABELS)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("wrong", [(119,), (80,), (95, 96, 112)])
def test_corrected_is_as_told_right(learner, wrong):
    clf, tickets = told(learner, wrong)
    for i in wrong:
        clf.correct(tickets[i], LABELS[i])
    assert_alike(clf, told(learner)[0])


def answered(labels, late=0, asker=None, weight=1.0):
    """A classifier that was given labels of which few were asked for, and their tickets."""
    clf = OnlineClassifier(LEARNERS[-1], asker, **OPTIONS | {"classes": None, "correctable": 120})
    tickets, waiting = {}, []
    rows = X * np.where(np.arange(120) % 40 == 30, 1e3, 1)[:, None]  # some of them outliers
    for i, x in enumerate(rows):
        decision = clf.decide(x)
        waiting += [i] if decision.ask else []
        tickets[i] = decision.ticket
        while waiting and waiting[0] <= i - late:
            at = waiting.pop(0)
            clf.tell(tickets[at], labels[at], sample_weight=weight if at % 3 else 1.0)
    return clf, tickets


@pytest.mark.parametrize("late", [0, 5])
@pytest.mark.parametrize("weight", [0.0, pytest.param(2.0, marks=pytest.mark.slow)])
def test_rows_without_an_answer_count_in_the_same_rounds(late, weight):
    wrong, asker = LABELS.copy(), Fixed(0.4)  # which asks for the same rows, whatever was learned
    right, tickets = answered(LABELS, late, asker, weight)
    asked = [i for i in range(70) if tickets[i] is not None]
    wrong[asked] = np.where(LABELS[asked] == "ham", "spam", "ham")
    wrong[asked[0]] = LABELS[asked[0]]
    clf, _ = answered(wrong, late, asker, weight)
    for i in asked[1::3]:
        clf.correct(tickets[i], "spam")
    for i in asked[1:]:
        clf.correct(tickets[i], LABELS[i])
    assert_alike(clf, right)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_class_that_came_later_is_not_there_before(learner):
    labels = np.where(np.arange(120) == 100, "news", LABELS)
    right, tickets = OnlineClassifier(learner, **OPTIONS | {"classes": None}), []
    for x, label in zip(X, labels, strict=True):
        tickets.append(right.decide(x).ticket)
        right.tell(tickets[-1], label)
    clf = copy.deepcopy(right)
    clf.correct(tickets[90], labels[90])
    assert_alike(clf, right)


def test_an_answer_may_be_corrected_again():
    clf, tickets = told(LASEC())
    clf.correct(tickets[100], {"ham": "spam", "spam": "ham"}[LABELS[100]])
    assert_alike(clf, told(LASEC(), [100])[0])
    clf.correct(tickets[100], LABELS[100])
    assert_alike(clf, told(LASEC())[0])


def test_with_weights_and_a_kernel():
    for options in (
        {"class_weight": "balanced"},
        {"class_weight": {"ham": 1.5}},
        {"kernel": "rbf"},
    ):
        clf, tickets = told(LASEC(), [100], **options)
        clf.correct(tickets[100], LABELS[100])
        assert_alike(clf, told(LASEC(), **options)[0])


def test_a_new_class_can_be_the_right_one():
    clf, tickets = told(LASEC(), classes=None)
    clf.correct(tickets[110], "news")
    assert clf.classes_.tolist() == [*dict.fromkeys(LABELS.tolist()), "news"]
    assert clf.predict(X).shape == (120,)
    clf.tell(clf.decide(X[0]).ticket, "news")


def test_open_tickets_stay_open():
    clf, tickets = told(LASEC(), [118])
    waiting = clf.decide(X[0]).ticket
    with pytest.raises(SelectronError, match=r"is open: answer it first"):
        clf.correct(waiting, "ham")
    clf.correct(tickets[118], LABELS[118])
    assert clf.open_tickets_ == [waiting]
    clf.tell(waiting, "ham")


def test_what_cannot_be_corrected():
    clf, tickets = told(LASEC())
    before = clf.decision_function(X).tolist()
    with pytest.raises(SelectronError, match="none of the last 40"):
        clf.correct(tickets[79], "ham")
    with pytest.raises(SelectronError, match="no class"):
        clf.correct(tickets[119], "news")
    assert clf.decision_function(X).tolist() == before
    clf.partial_fit(X[:1], LABELS[:1])
    with pytest.raises(SelectronError, match="none of the last 40"):
        clf.correct(tickets[119], "ham")
    clf, tickets = told(LASEC(), correctable=0)
    with pytest.raises(SelectronError, match="set correctable"):
        clf.correct(tickets[119], "ham")


def test_after_loading(tmp_path):
    told(LASEC())[0].save(tmp_path / "model")
    clf = OnlineClassifier.load(tmp_path / "model")
    ticket = clf.decide(X[0]).ticket
    clf.tell(ticket, "ham")
    clf.correct(ticket, "spam")
    assert clf.correctable == 40


@pytest.mark.compiles
@pytest.mark.parametrize("learner", [LASEC(), LeadingHistory()])
@pytest.mark.parametrize("weights", [{"spam": 10}, {"ham": 10}, "balanced"], ids=str)
def test_the_weight_of_the_wrong_class_is_taken_back(weights, learner):
    wrong = (3, 90, 101, 118)
    clf, tickets = told(learner, wrong, class_weight=weights, correctable=200)
    for i in wrong:
        clf.correct(tickets[i], LABELS[i])
    assert_alike(clf, told(learner, class_weight=weights)[0])


def test_what_is_no_ticket_cannot_be_corrected():
    clf, _ = told(LASEC())
    with pytest.raises(SelectronError, match=r"pass decision\.ticket"):
        clf.correct(clf.decide(X[0]), "ham")
    with pytest.raises(SelectronError, match="cannot be corrected"):
        clf.correct(np.array([1, 2]), "ham")


def test_rows_that_became_too_many_for_a_whole_matrix(monkeypatch):
    """A correction finds the same leading directions, from the rows at that time."""
    monkeypatch.setattr(state, "WHOLE", 9)
    monkeypatch.setattr(state, "LEADING", 3)
    random = np.random.default_rng(0)
    rows = [
        {"a": x, "b": z, "kind": "uv"[i % 2] if i < 21 else "abcdefghijkl"[i % 12]}
        for i, (x, z) in enumerate(random.normal(size=(40, 2)).tolist())
    ]
    labels = ["up" if row["a"] > 0 else "down" for row in rows]

    def answered(labels):
        clf = OnlineClassifier(
            LeadingHistory(fourier=6),
            encoder="auto",
            classes=["up", "down"],
            correctable=60,
            random_state=0,
        )
        tickets = []
        for row, label in zip(rows, labels, strict=True):
            tickets.append(clf.decide(row).ticket)
            clf.tell(tickets[-1], label)
        return clf, tickets

    wrong = [*labels[:3], {"up": "down", "down": "up"}[labels[3]], *labels[4:]]
    (expected, _), (clf, tickets) = answered(labels), answered(wrong)
    assert not clf.model_.sparse
    assert len(clf.model_.state.basis) == 3
    clf.correct(tickets[3], labels[3])
    assert np.array_equal(clf.predict_proba(rows), expected.predict_proba(rows))
