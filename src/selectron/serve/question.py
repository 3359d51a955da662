"""A question: an item whose label is asked for, who has it, and what has been said of it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from .event import Event

LABEL, NONE, SKIP = "label", "none", "skip"


class Lease(NamedTuple):
    """An item is one person's for a while."""

    digest: str  # of its token
    who: str
    until: float
    since: float


class Vote(NamedTuple):
    """What somebody said, as it stands."""

    seq: int  # the entry that said it
    label: str | None  # None: none of the classes
    voter: str  # whose place it takes among those who answer
    who: str  # who said it: another, if an admin has corrected it


class Question:
    """What the entries about an item amount to: nothing else changes it.

    `needed` is how many people have to answer.
    """

    def __init__(self, item: Event, needed: int):
        self.item, self.stream, self.key, self.at = item.seq, item.stream, item.key, item.at
        self.decided = item.body
        self.needed = needed
        self.leases: dict[str, Lease] = {}
        self.votes: dict[str, Vote] = {}
        self.skipped: dict[str, int] = {}  # by whom, in which entry
        self.late: list[int] = []  # answers that came when enough had been said
        self.retired = self.damaged = False
        self.taught: str | None = None  # the label that was learned last
        self.touched = False  # has the model's ticket been used?

    @property
    def asked(self) -> bool:
        """Is its label asked for?"""
        return bool(self.decided["asked"])

    @property
    def prediction(self) -> str | None:
        """The prediction, as people see it: None from a model that had learned nothing."""
        label: str | None = self.decided["label"] if self.decided["version"] else None
        return label

    @property
    def settled(self) -> bool:
        """Have enough people answered?"""
        return len(self.votes) >= self.needed

    @property
    def waiting(self) -> bool:
        """Is somebody still to answer?"""
        return self.asked and not self.settled and not self.retired

    def outcome(self) -> tuple[bool, str | None]:
        """Return whether it is settled, and the label: the most frequent, of those the first."""
        if not self.settled:
            return False, None
        votes = sorted(self.votes.values())
        return True, Counter(vote.label for vote in votes).most_common(1)[0][0]

    def mistake(self) -> bool | None:
        """Was the prediction wrong? None as long as that is not known."""
        settled, label = self.outcome()
        return label is None or label != self.decided["label"] if settled else None

    def active(self, now: float) -> list[Lease]:
        """Return the leases that have not run out; one from the future is not trusted."""
        return [lease for lease in self.leases.values() if lease.since <= now < lease.until]

    def free_for(self, who: str, now: float) -> bool:
        """May this person have it now?"""
        if who in self.votes or who in self.skipped or not self.waiting:
            return False
        return len(self.active(now)) < self.needed - len(self.votes)

    def taken_from(self, who: str, now: float) -> bool:
        """Do others hold every place that is left, and this person none?"""
        holders = self.active(now)
        mine = any(lease.who == who for lease in holders)
        return not mine and self.waiting and len(holders) >= self.needed - len(self.votes)

    def hides(self, when: str) -> bool:
        """Is the prediction hidden from those who answer? `when` as in a stream's declaration."""
        return when == "always" or (when == "audits" and self.decided["reason"] == "audit")

    def apply(self, event: Event) -> None:
        """Take up an entry."""
        getattr(self, f"_{event.kind}")(event, event.body)

    def _shown(self, event: Event, body: dict[str, Any]) -> None:
        lease = Lease(body["lease"], event.who, body["until"], event.at)
        self.leases = {x.digest: x for x in self.active(event.at)} | {lease.digest: lease}

    def _renewed(self, event: Event, body: dict[str, Any]) -> None:
        if lease := self.leases.get(body["lease"]):
            self.leases[lease.digest] = lease._replace(until=body["until"])

    def _released(self, event: Event, body: dict[str, Any]) -> None:
        self.leases.pop(body["lease"], None)

    def _answer(self, event: Event, body: dict[str, Any]) -> None:
        self.leases.pop(body.get("lease", ""), None)
        voter = body["voter"]
        if body["verdict"] == SKIP:
            self.skipped[voter] = event.seq
            return
        if body["counts"]:
            self.votes[voter] = Vote(event.seq, body["label"], voter, event.who)
        else:
            self.late.append(event.seq)
        self._learn(body)

    def _undo(self, event: Event, body: dict[str, Any]) -> None:
        gone = body["supersedes"]
        self.votes = {who: vote for who, vote in self.votes.items() if vote.seq != gone}
        self.skipped = {who: seq for who, seq in self.skipped.items() if seq != gone}
        self._learn(body)

    def _retired(self, event: Event, body: dict[str, Any]) -> None:
        self.retired, self.leases = True, {}

    def _damaged(self, event: Event, body: dict[str, Any]) -> None:
        self.damaged, self.retired, self.leases = True, True, {}

    def _learn(self, body: dict[str, Any]) -> None:
        if body.get("learn"):
            self.taught, self.touched = body["learned"], True


def told(events: Iterable[Event], needed: int) -> Question | None:
    """Return the question that entries about an item amount to; None if there are none."""
    question = None
    for event in events:
        if question is None:
            question = Question(event, needed)
        else:
            question.apply(event)
    return question
