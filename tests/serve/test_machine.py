"""Answers late, out of order, doubled, conflicting, never: all are legal; a simple model knows."""

import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from selectron.serve import answering
from selectron.serve.stream import Stream
from selectron.serve.strict import Problem

from .mail import Desk, declared, texts

pytestmark = pytest.mark.slow

PEOPLE = st.sampled_from(["anna", "bob", "carl", "emma"])
LABELS = st.sampled_from(["ham", "spam", "(none)", "(skip)"])
LEASE = 100.0


class Simple:
    """A question, as one would write it down on paper."""

    def __init__(self):
        self.votes, self.skips, self.leases = {}, {}, {}  # by whom, by whom, by token
        self.learned = None  # the label that the model learned last
        self.erased = False


class Labelling(RuleBasedStateMachine):
    """A stream, and what it should be."""

    @initialize(needed=st.sampled_from([1, 2]))
    def begin(self, needed):
        self.folder = Path(tempfile.mkdtemp())
        self.needed = needed
        self.declaration = declared(annotators=needed, lease=LEASE)
        self.desk = Desk(self.folder, self.declaration, every=15)
        self.items, self.tokens, self.standing, self.gone = {}, [], {}, []
        self.authors = {}  # who gave which answer
        self.add(2)

    def teardown(self):
        if hasattr(self, "desk"):
            self.desk.crash()
            shutil.rmtree(self.folder)

    def decided(self, item):
        """Return the labels by which admins have corrected others, in their order."""
        votes = self.items[item].votes.items()
        return [
            label
            for who, (x, label) in sorted(votes, key=lambda v: v[1][0])
            if self.authors[x] != who
        ]

    def settled(self, item):
        votes = Counter(label for _, label in self.items[item].votes.values())
        second, first = sorted((0, 0, *votes.values()))[-2:]
        tied = first == second and votes.total() < self.needed + 2
        return bool(self.decided(item)) or (votes.total() >= self.needed and not tied)

    def places(self, item):
        return 0 if self.settled(item) else max(self.needed - len(self.items[item].votes), 1)

    def truth(self, item):
        votes = sorted(self.items[item].votes.values(), key=lambda vote: vote[0])
        labels = self.decided(item)[-1:] or [label for _, label in votes]
        return Counter(labels).most_common(1)[0][0] if self.settled(item) else None

    def learns(self, item, reply):
        """Whether the model learns the label that an answer settles, unless it has already."""
        q, truth = self.items[item], self.truth(item)
        assert reply["learned"] == (truth not in (None, q.learned) and not q.erased)
        q.learned = q.learned if q.erased else truth or q.learned

    def waits(self, item):
        return not self.settled(item) and not self.items[item].erased

    def active(self, item):
        return [t for t, (_, until) in self.items[item].leases.items() if until > self.desk.now]

    @rule(n=st.integers(1, 3))
    def more_items(self, n):
        self.add(n)

    def add(self, n):
        start = len(self.items)
        for found in self.desk.add(texts(n, start), start=start):
            self.items[found["item"]] = Simple()

    @rule(seconds=st.sampled_from([1.0, 60.0, 150.0]))
    def time_passes(self, seconds):
        self.desk.now += seconds

    def free(self, item, who):
        q, active = self.items[item], self.active(item)
        done = q.votes.keys() | q.skips.keys() | {q.leases[token][0] for token in active}
        return not q.erased and who not in done and len(active) < self.places(item)

    def holds(self, item, who):
        leases = self.items[item].leases
        return any(leases[token][0] == who for token in self.active(item))

    @rule(who=PEOPLE)
    def ask(self, who):
        free = [item for item in self.items if self.free(item, who)]
        held = [item for item in self.items if self.holds(item, who)]
        if free and len(held) >= answering.HELD:
            with pytest.raises(Problem, match="You hold 5 questions"):
                self.desk.ask(who)
            return
        found = self.desk.ask(who)
        assert (found["item"] if found else None) == min(free, default=None)
        if found:
            token = found["lease"]["token"]
            self.items[found["item"]].leases[token] = (who, self.desk.now + LEASE)
            self.tokens.append((found["item"], token))

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), renews=st.booleans())
    def renew_or_release(self, data, renews):
        item, token = data.draw(st.sampled_from(self.tokens))
        holds = token in self.active(item) and self.waits(item)
        function = answering.renew if renews else answering.release
        if not holds:
            with pytest.raises(Problem, match="is over"):
                self.desk.do(function, item, token, "anna")
            return
        self.desk.do(function, item, token, "anna")
        leases = self.items[item].leases
        if renews:
            leases[token] = (leases[token][0], self.desk.now + LEASE)
        else:
            del leases[token]

    @rule(data=st.data(), who=PEOPLE, label=LABELS)
    def answer_with_a_lease(self, data, who, label):
        if not self.tokens:
            self.ask(who)
        if self.tokens:
            self.answer(*data.draw(st.sampled_from(self.tokens)), who, label)

    @rule(data=st.data(), who=PEOPLE, label=LABELS)
    def answer_without(self, data, who, label):
        self.answer(data.draw(st.sampled_from(list(self.items))), None, who, label)

    @rule(data=st.data(), labels=st.permutations(["ham", "ham", "spam", "spam"]))
    def everybody_answers(self, data, labels):
        item = data.draw(st.sampled_from(list(self.items)))
        for who, label in zip(("anna", "bob", "carl", "emma"), labels, strict=True):
            self.answer(item, None, who, label)

    def answer(self, item, token, who, label):
        q = self.items[item]
        active = self.active(item)
        over = token is not None and token not in active
        again, enough = who in q.votes, self.settled(item)
        corrected = again and self.authors[q.votes[who][0]] != who
        full = len(active) >= self.places(item)
        taken = over and full and all(q.leases[t][0] != who for t in active)
        unfit = corrected if again else enough or taken
        reply = self.desk.say(item, label, who, token)
        self.authors[reply["answer"]] = who
        q.leases = {t: x for t, x in q.leases.items() if t != token and x[0] != who}
        assert reply["late"] == (over or unfit or q.erased)
        if label == "(skip)":
            assert reply["supersedes"] == q.skips.get(who)
            if who in q.skips:
                self.gone.append(q.skips[who])
                del self.standing[q.skips[who]]
            q.skips[who] = reply["answer"]
            self.standing[reply["answer"]] = (item, who)
            return
        assert reply["counts"] == (not unfit)
        if again and not corrected:
            assert reply["supersedes"] == q.votes[who][0]
        if reply["counts"]:
            self.put(q, item, who, reply["answer"], label)
        self.learns(item, reply)

    def put(self, q, item, who, answer, label):
        if who in q.votes:
            self.gone.append(q.votes[who][0])
            del self.standing[q.votes[who][0]]
        q.votes[who] = (answer, None if label == "(none)" else label)
        self.standing[answer] = (item, who)

    @precondition(lambda self: self.standing)
    @rule(data=st.data(), label=st.sampled_from(["ham", "spam", "(none)"]), own=st.booleans())
    def correct(self, data, label, own):
        answer = data.draw(st.sampled_from(sorted(self.standing)))
        item, who = self.standing[answer]
        q = self.items[item]
        if q.skips.get(who) == answer:
            return
        reply = self.desk.correct(answer, label, by := who if own else "dora")
        assert reply["supersedes"] == answer
        self.authors[reply["answer"]] = by
        self.put(q, item, who, reply["answer"], label)
        self.learns(item, reply)

    @precondition(lambda self: self.standing)
    @rule(data=st.data())
    def undo(self, data):
        answer = data.draw(st.sampled_from(sorted(self.standing)))
        item, who = self.standing.pop(answer)
        q = self.items[item]
        reply = self.desk.undo(answer, "dora")
        self.gone.append(answer)
        for kind in (q.votes, q.skips):
            said = kind.get(who)
            if said == answer or (isinstance(said, tuple) and said[0] == answer):
                del kind[who]
        self.learns(item, reply)

    @precondition(lambda self: self.gone)
    @rule(data=st.data())
    def what_does_not_stand_cannot_be_corrected(self, data):
        answer = data.draw(st.sampled_from(self.gone))
        for act in (lambda: self.desk.correct(answer, "ham"), lambda: self.desk.undo(answer)):
            with pytest.raises(Problem, match="does not stand"):
                act()

    @rule(data=st.data())
    def erase(self, data):
        item = data.draw(st.sampled_from(list(self.items)))
        self.desk.do(Stream.erase, item, "dora")
        self.items[item].erased, self.items[item].leases = True, {}

    @rule(audit=st.sampled_from([0.1, 0.2]))
    def crash(self, audit):
        """A crash, and a start with another part of the budget for audits, or the same."""
        view, now = self.desk.view(), self.desk.now
        model = self.desk.model() if self.items else None
        self.desk.crash()
        self.desk = Desk(self.folder, self.declaration, every=15)
        if self.items:
            assert self.desk.model() == model
        assert self.desk.view() == view
        self.desk.crash()
        self.declaration = self.declaration.model_copy(update={"audit": audit})
        self.desk = Desk(self.folder, self.declaration, every=15)
        self.desk.now = now

    @invariant()
    def it_is_as_on_paper(self):
        if not hasattr(self, "desk"):
            return
        stream, view = self.desk.stream, self.desk.view()
        assert list(stream.open) == [item for item in self.items if self.waits(item)]
        assert view["items"] == view["asked"] == len(self.items)
        assert view["answered"] == sum(map(self.settled, self.items))
        tied = [x for x in stream.open if len(self.items[x].votes) >= self.needed]
        assert view["disputed"] == len(tied)
        for item in self.items:
            question = stream.question(item)
            assert question.settled == self.settled(item)
            assert question.truth == self.truth(item)
            erased = question.erased
            assert erased == self.items[item].erased
            assert (stream.db.content(item) == (None, None)) == erased


Labelling.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestLabelling = Labelling.TestCase
