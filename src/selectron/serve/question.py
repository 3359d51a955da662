"""Questions (items whose label is asked for), and what a stream counts and estimates."""

import math
from collections import Counter, deque
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np

from ..history.drift import Drifts
from ..model.audit import SUMS, Estimate, Z, estimated, moments, widened
from ..model.metrics import FEWEST
from .event import Event

LABEL, SKIP = "label", "skip"
EXTRA = 2  # people asked in addition, while the others disagree


class Lease(NamedTuple):
    """A question held by one person for a limited time."""

    who: str
    until: float
    since: float


class Vote(NamedTuple):
    """An answer that has not been superseded."""

    seq: int  # of its log entry
    label: str | None  # None: none of the classes
    who: str  # who gave it: an admin, if it is a correction of another's answer


def predicted(body: dict[str, Any]) -> str | None:
    """Return the prediction of an item, None if the model had learned no label.

    The log has a class in that case, too: the one that a margin of 0 gives.
    """
    return body["label"] if body["version"] else None


class Question:
    """The state of an item, derived from its log entries alone."""

    def __init__(self, item: Event, needed: int):
        self.event = item
        self.item, self.key, self.at = item.seq, item.key, item.at
        self.decided = item.body
        self.asked = bool(item.body["asked"])
        self.prediction = predicted(item.body)
        self.proba = item.body.get("proba") if item.body["version"] else None  # as people see it
        self.needed = needed  # people who have to answer
        self.leases: dict[str, Lease] = {}  # by the digests of their tokens
        self.votes: dict[str, Vote] = {}
        self.skipped: dict[str, int] = {}  # by whom, in which entry
        self.times: dict[str, float] = {}  # of the latest answers that have one, by whom
        self.retired = self.damaged = self.erased = False
        self.learned: str | None = None  # the label that was learned last

    @property
    def outcome(self) -> tuple[bool, str | None]:
        """Whether it is settled, and its label: None until then, or for none of the classes.

        It is settled once enough people have answered, and one label has more answers than any
        other; after `EXTRA` answers more than needed, even if people disagree: the first of the
        most frequent labels counts. An admin's latest correction of another's answer decides.
        """
        if corrected := [vote for who, vote in self.votes.items() if vote.who != who]:
            return True, max(corrected).label
        labels = Counter(vote.label for vote in sorted(self.votes.values()))
        most = labels.most_common(2)
        tied = len(most) > 1 and most[0][1] == most[1][1]
        if len(self.votes) < self.needed + EXTRA * tied:
            return False, None
        return True, most[0][0]

    @property
    def settled(self) -> bool:
        """Whether it is settled."""
        return self.outcome[0]

    @property
    def truth(self) -> str | None:
        """Its label."""
        return self.outcome[1]

    @property
    def disputed(self) -> bool:
        """Whether it waits for one more person, as enough have answered and disagree."""
        return self.waiting and len(self.votes) >= self.needed

    @property
    def standing(self) -> set[int]:
        """The entries of the answers and skips that have not been superseded."""
        return {*(vote.seq for vote in self.votes.values()), *self.skipped.values()}

    @property
    def waiting(self) -> bool:
        """Whether answers are still wanted."""
        return self.asked and not self.settled and not self.retired

    def active(self, now: float) -> list[Lease]:
        """Return the leases in force; those that begin in the future are not trusted."""
        return [lease for lease in self.leases.values() if lease.since <= now < lease.until]

    def place(self, who: str, now: float) -> Literal["held", "free", "taken"]:
        """Return whether this person holds a lease, or if not, whether one can be had."""
        holders = [lease.who for lease in self.active(now)]
        if who in holders:
            return "held"
        # one more if people disagree
        places = 0 if self.settled else max(self.needed - len(self.votes), 1)
        return "free" if len(holders) < places else "taken"

    def hides(self, when: str) -> bool:
        """Return whether the prediction is hidden until it is settled, given `hide` as declared."""
        chosen = when == "always" or (when == "audits" and self.decided["reason"] == "audit")
        return chosen and self.asked and not self.settled

    def apply(self, event: Event) -> None:
        """Update the state with a log entry."""
        body = event.body
        match event.kind:
            case "shown":
                active = self.active(event.at)
                kept = {x for x in active if x.who != event.who}  # one is enough
                self.leases = {x: lease for x, lease in self.leases.items() if lease in kept}
                self.leases[body["lease"]] = Lease(event.who, body["until"], event.at)
            case "renewed":
                if held := self.leases.get(body["lease"]):
                    self.leases[body["lease"]] = held._replace(until=body["until"])
            case "released":
                self.leases.pop(body["lease"], None)
            case "answer":
                self.leases = {
                    digest: lease
                    for digest, lease in self.leases.items()
                    if digest != body.get("lease") and lease.who != body["voter"]
                }
                if (time := body.get("time")) is not None:
                    self.times[body["voter"]] = max(time, self.times.get(body["voter"], time))
                if body["verdict"] == SKIP:
                    self.skipped[body["voter"]] = event.seq
                elif body["counts"]:
                    self.votes[body["voter"]] = Vote(event.seq, body["label"], event.who)
            case "undo":
                gone = body["supersedes"]
                self.votes = {who: vote for who, vote in self.votes.items() if vote.seq != gone}
                self.skipped = {who: seq for who, seq in self.skipped.items() if seq != gone}
            case "retired" | "damaged" | "erased":
                self.retired, self.leases = True, {}
                self.damaged |= event.kind == "damaged"
                self.erased |= event.kind == "erased"
        if body.get("learn"):
            self.learned = body["learned"]


RECENT = 300  # answers in recent accuracy
POINTS = 400  # of a chart; when exceeded, every other one is dropped
SHARE, PACE = 200, 30  # items in the recent share of queries, and in the recent rate
DRIFTS = 50  # drifts kept
LATEST = 500  # items among which the beginning of drift is marked

COUNTS = ("items", "predicted", "asked", "answered", "skipped", "late", "retired", "damaged")
KEPT = *COUNTS, "unaskable", "step", "overall", "labels", "recall", "precision", "points", "drifts"
WINDOWS = ("times", "flags", "aged")


Sums = list[float]  # how many answers, and the sums of their `moments`
NOTHING: Sums = [0.0] * (1 + SUMS)


def added(sums: Sums, more: Sums, sign: int) -> Sums:
    """Add an answer to sums, or take one away; those of none are exactly 0."""
    total = [a + sign * b for a, b in zip(sums, more, strict=True)]
    return total if total[0] else NOTHING


def estimate(sums: Sums, rows: float = math.inf, unaskable: int = 0) -> Estimate:
    """Return the share of right predictions, estimated from sums that rounding may have shifted."""
    total, wrong, squares, spare, spare_wrong = np.maximum(sums[1:], 0.0)
    found = np.array([total, min(wrong, total), squares, spare, min(spare_wrong, spare)])
    return estimated(found, Z, rows, unaskable)


class Statistics:
    """The statistics of a stream, as sums over its log entries."""

    def __init__(self) -> None:
        self.items = self.asked = self.answered = self.skipped = 0
        self.predicted = 0  # items that came after the first learned label
        self.unaskable: dict[str, int] = {}  # those of them never to be asked for, by prediction
        self.late = self.retired = self.damaged = 0
        self.labels: dict[str, int] = {}  # settled ones of each class, asked for or not
        self.overall = NOTHING  # of all answered predictions
        self.recall: dict[str, Sums] = {}  # of those whose label is this class
        self.precision: dict[str, Sums] = {}  # of those whose prediction is this class
        self.recent: dict[int, Sums] = {}  # of the last answered predictions, in their order
        self.times: deque[float] = deque(maxlen=PACE)
        self.flags: deque[int] = deque(maxlen=SHARE)  # asked or not
        self.points: list[list[float | None]] = []
        self.step = 1
        self.detector = Drifts()
        self.aged: deque[list[float]] = deque(maxlen=LATEST)  # times and entries of items
        self.drifts: list[list[float]] = []

    def add_item(self, event: Event) -> None:
        """Count an item."""
        asked, evidence = int(event.body["asked"]), event.body.get("evidence")
        prediction = predicted(event.body)
        self.items += 1
        self.predicted += prediction is not None
        if prediction is not None and not event.body["probability"] > 0:
            self.unaskable[prediction] = self.unaskable.get(prediction, 0) + 1
        self.asked += asked
        self.times.append(event.at)
        self.flags.append(asked)
        if evidence is not None:
            self.aged.append([event.at, event.seq])
            starts = self.detector.add(np.array([evidence]))
            behind = [min(self.detector.seen - start, len(self.aged)) for start in starts]
            began = [self.aged[-rounds] for rounds in behind]
            self.drifts = [*self.drifts, *began][-DRIFTS:]

    def add(self, event: Event, before: tuple[bool, str | None], question: Question) -> None:
        """Count an entry about a question; `before` is its `outcome` before the entry."""
        self.retired += event.kind == "retired"
        self.damaged += event.kind == "damaged"
        if event.kind == "answer":
            self.skipped += event.body["verdict"] == SKIP
            self.late += bool(event.body["late"])
        after = question.outcome
        if before != after:
            for (settled, label), sign in ((before, -1), (after, 1)):
                if settled:
                    self._count(question, label, sign)

    def _count(self, question: Question, label: str | None, sign: int) -> None:
        """Count a settled label, None for none of the classes, or take it away."""
        if label is not None:
            self.labels[label] = self.labels.get(label, 0) + sign
        self.answered += sign * question.asked
        if not question.asked or (prediction := question.prediction) is None:
            return
        mistake = np.array([float(label != prediction)])
        found = moments(np.array([question.decided["probability"]]), mistake)
        sums = [1.0, *found[:, 0].tolist()]
        self.overall = added(self.overall, sums, sign)
        if label is not None:
            self.recall[label] = added(self.recall.get(label, NOTHING), sums, sign)
        self.precision[prediction] = added(self.precision.get(prediction, NOTHING), sums, sign)
        self.recent.pop(question.item, None)
        if sign > 0:
            self.recent[question.item] = sums
        if len(self.recent) > RECENT:
            del self.recent[next(iter(self.recent))]

    def draw(self, at: float, waiting: int) -> None:
        """Add a point to the chart if one is due."""
        due = self.items + self.answered
        last = self.points[-1][1] + self.points[-1][2] if self.points else -self.step  # type: ignore[operator]
        if due - last < self.step:
            return
        accuracy, low, high = self.accuracy(recent=True)
        known = accuracy if self.recent else None
        self.points.append([at, self.items, self.answered, self.asked, waiting, known, low, high])
        if len(self.points) > POINTS:
            self.points, self.step = self.points[::2], 2 * self.step

    def accuracy(self, recent: bool = False) -> Estimate:
        """Return the honest accuracy of all predictions, or of recently answered ones.

        See `Audit`; items that came before the first learned label have no prediction. The recent
        one is of items that could be asked for.
        """
        rows: Iterable = self.recent.values() if recent else [self.overall]
        found = np.array([*rows, NOTHING]).sum(axis=0).tolist()
        never = 0 if recent else sum(self.unaskable.values())
        return estimate(found, self.predicted, never)

    def majority(self) -> float | None:
        """Return the estimated accuracy of predicting the most frequent class for all items."""
        total, most = self.overall[1], max((sums[1] for sums in self.recall.values()), default=0.0)
        return min(1.0, most / total) if total > 0 else None

    def recall_and_precision(self, name: str) -> tuple[Estimate, Estimate]:
        """Return recall and precision of a class; NaN with too few labels, or predictions, of it.

        Recall is the accuracy on the items whose label is this class, and precision that on the
        items that are predicted as it.
        """
        never = sum(self.unaskable.values()), self.unaskable.get(name, 0)
        both = (each.get(name, NOTHING) for each in (self.recall, self.precision))
        recall, precision = (
            widened(
                estimate(sums if sums[1] ** 2 >= FEWEST * sums[3] else NOTHING),
                unknown / max(1.0, unknown + sums[1]),
            )
            for sums, unknown in zip(both, never, strict=True)
        )
        return recall, precision

    def pace(self) -> float | None:
        """Return the recent rate of items per second, None if it is unknown."""
        if len(self.times) < 2 or self.times[-1] <= self.times[0]:
            return None
        return (len(self.times) - 1) / (self.times[-1] - self.times[0])

    def share(self) -> float:
        """Return the share of recent items that were queried."""
        return sum(self.flags) / max(1, len(self.flags))

    def pack(self) -> dict[str, Any]:
        """Return the statistics as values for JSON."""
        kept = {name: getattr(self, name) for name in KEPT}
        windows = {name: list(getattr(self, name)) for name in WINDOWS}
        recent = [[item, *sums] for item, sums in self.recent.items()]
        return {**kept, **windows, "recent": recent, "alarms": self.detector.pack()}

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> "Statistics":
        """Return the statistics that were packed."""
        statistics = cls()
        for name in KEPT:
            setattr(statistics, name, packed[name])
        for name in WINDOWS:
            getattr(statistics, name).extend(packed[name])
        statistics.recent = {int(item): sums for item, *sums in packed["recent"]}
        statistics.detector = Drifts.unpack(packed["alarms"])
        return statistics
