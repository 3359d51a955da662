"""`tell(ticket, correct=...)`: being told only whether the proposed label was right."""

import numpy as np
import pytest

from selectron import OnlineClassifier, SelectronError
from selectron.learners import LASEC, LeadingHistory, PassiveAggressive, Perceptron

K, D = 4, 6
RNG = np.random.default_rng(5)
CENTRES = RNG.normal(size=(K, D)) * 2
LABELS = RNG.integers(0, K, 300)
ROWS = CENTRES[LABELS] + RNG.normal(size=(300, D))


def classifier(learner, classes=range(K), **options):
    options = {"many": "rest", "random_state": 0, **options}
    return OnlineClassifier(learner, classes=list(classes), **options)


def weights(clf):
    return np.c_[clf.intercept_, clf.coef_]


@pytest.mark.parametrize("learner", [Perceptron(), LASEC(), LeadingHistory(fourier=6)], ids=repr)
def test_of_two_classes_false_is_the_other_one(learner):
    one, other = (classifier(learner, ["no", "yes"], many=None) for _ in range(2))
    for x, label in zip(ROWS[:60], LABELS[:60] % 2, strict=True):
        first, second = one.decide(x), other.decide(x)
        assert first == second
        name = ["no", "yes"][label]
        assert one.tell(first.ticket, name) == other.tell(
            second.ticket, correct=first.label == name
        )
    assert np.array_equal(weights(one), weights(other))


def test_a_class_that_was_wrong_is_all_that_steps():
    """One against the rest: +1 and -1 for all if the label is known, else -1 for the wrong one."""
    clf = classifier(PassiveAggressive(C=0.5), normalize=False)
    w = np.zeros((K, D + 1))
    for x, label in zip(ROWS, LABELS, strict=True):
        decision, z = clf.decide(x), np.array([1.0, *x])
        scores = w @ z
        assert decision.label == max(range(K), key=lambda k: (scores[k], k))
        clf.tell(decision.ticket, correct=bool(decision.label == label))
        for k in range(K) if decision.label == label else [decision.label]:
            y = 1.0 if k == label else -1.0
            w[k] += min(0.5, max(0.0, 1 - y * scores[k]) / (z @ z)) * y * z
        assert np.allclose(weights(clf), w, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [LASEC(), LeadingHistory(fourier=6), Perceptron()], ids=repr)
def test_much_is_learned_from_it(learner):
    clf, right = classifier(learner), []
    for x, label in zip(ROWS, LABELS, strict=True):
        decision = clf.decide(x)
        right.append(decision.label == label)
        clf.tell(decision.ticket, correct=bool(right[-1]))
    assert np.mean(right[150:]) > 0.75
    assert clf.model_.labels == len(ROWS)


def test_later_answers_are_about_the_label_that_was_proposed(tmp_path):
    clf = classifier(PassiveAggressive())
    decision = clf.decide(ROWS[0])
    clf.partial_fit(ROWS[1:], LABELS[1:])
    clf.save(tmp_path / "model")
    again = OnlineClassifier.load(tmp_path / "model")
    before = weights(clf)
    for one in (clf, again):
        one.tell(decision.ticket, correct=False)
        moved = np.flatnonzero((weights(one) != before).any(axis=1))
        assert moved.tolist() in ([], [decision.label])
    assert np.array_equal(weights(clf), weights(again))


def test_probabilities_learn_what_an_answer_says():
    clf = classifier(PassiveAggressive()).partial_fit(ROWS[:100], LABELS[:100])
    decision = clf.decide(ROWS[200])
    before = clf.model_.calibration.s.copy()
    clf.tell(decision.ticket, correct=False)
    after = clf.model_.calibration.s
    assert not np.array_equal(before[1:], after[1:])
    x = np.array(ROWS[200:201])
    assert clf.predict_proba(x).max() < decision.proba[decision.label]


def test_an_answer_about_another_class_than_the_best_leaves_probabilities():
    clf = classifier(PassiveAggressive())
    decision = clf.decide(ROWS[0])
    clf.partial_fit([ROWS[0]] * 3, [(decision.label + 1) % K] * 3)
    assert clf.predict([ROWS[0]])[0] != decision.label
    before = clf.model_.calibration.s.copy()
    clf.tell(decision.ticket, correct=False)
    assert np.array_equal(before[1:], clf.model_.calibration.s[1:])


def test_it_can_be_corrected():
    one, other = (classifier(PassiveAggressive(), correctable=5) for _ in range(2))
    first, second = one.decide(ROWS[0]), other.decide(ROWS[0])
    one.tell(first.ticket, correct=False)
    one.correct(first.ticket, (first.label + 1) % K)
    other.tell(second.ticket, (first.label + 1) % K)
    assert np.array_equal(weights(one), weights(other))


def test_bad_calls_get_one_sentence_and_leave_the_ticket_open():
    clf = classifier(Perceptron(), many="joint")
    decision = clf.decide(ROWS[0])
    ticket = decision.ticket
    for message, call in {
        'to learn several classes jointly: take many="rest"': {"correct": False},
        "correct takes the place of label and sample_weight": {"label": 1, "correct": True},
        "correct must be True or False, got 'no'": {"correct": "no"},
    }.items():
        with pytest.raises(SelectronError, match=message):
            clf.tell(ticket, **call)
    with pytest.raises(SelectronError, match="correct takes the place"):
        clf.tell(ticket, sample_weight=2, correct=True)
    with pytest.raises(SelectronError, match="Ticket 9 is unknown: tickets are numbers from 1 to"):
        clf.tell(9, correct=True)
    with pytest.raises(SelectronError, match="There is no ticket: the label was not asked for"):
        clf.tell(None, 1)
    with pytest.raises(SelectronError, match="A decision is not a ticket: pass"):
        clf.tell(decision, 1)
    assert clf.tell(ticket, correct=True) in (True, False)
    assert clf.open_tickets_ == []


def test_classes_must_be_known():
    clf = OnlineClassifier(Perceptron())
    ticket = clf.decide(ROWS[0]).ticket
    with pytest.raises(SelectronError, match="correct needs two known classes"):
        clf.tell(ticket, correct=False)
    clf.partial_fit(ROWS[:2], ["a", "b"])
    with pytest.raises(SelectronError, match="No class was known when ticket 1 was given"):
        clf.tell(ticket, correct=False)
    assert clf.open_tickets_ == [ticket]
