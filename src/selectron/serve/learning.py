"""The model of a stream: what is derived from the log, and nothing else is."""

from pathlib import Path
from typing import Any, NamedTuple

from ..askers import Budget
from ..askers.budget import current_rate, in_window, record_of
from ..engine.rows import Dense, Sparse
from ..estimator.classifier import OnlineClassifier
from ..model.draws import Draws
from .declaration import Declaration
from .features import table, width

ROOM = 1000  # tickets that are kept beyond the questions that may wait
AGE = 4  # where a round's output has the age of what leads the prediction


class Decided(NamedTuple):
    """What was decided about an item."""

    label: str | None
    margin: float
    probability: float
    ticket: int | None
    reason: str | None  # "uncertain", "audit" or "drift", if it is asked for
    age: int | None  # of what leads the prediction, in rounds


class Learning:
    """A classifier that plays the rounds of a log.

    >>> import numpy as np
    >>> from selectron.serve.declaration import Features
    >>> wanted = Features(kind="vector", size=2)
    >>> mail = Declaration(name="m", classes=["ham", "spam"], features=wanted, budget="100%")
    >>> model = Learning(mail)
    >>> model.decide(Dense(np.array([[1.0, 2.0]])), 0.0).ticket
    1
    >>> model.tell(1, "ham")
    True
    """

    def __init__(self, declaration: Declaration):
        learner, asker = declaration.parts()
        self.width, self.asker, self.seed = width(declaration.features), asker, declaration.seed
        self.numbers = Budget(*asker.numbers())
        self.learned = 0
        self.void = 0  # up to this entry of the log, tickets may not be the model's
        self.latest = self.lead = 0.0  # the model's time, and how far it is ahead of the log's
        self.clf = OnlineClassifier(
            learner,
            asker,
            classes=None if declaration.new_classes else declaration.classes,
            many="rest",
            max_open=declaration.queue + ROOM,
            random_state=declaration.seed,
        )

    @property
    def begun(self) -> bool:
        """Has there been an item?"""
        return hasattr(self.clf, "model_")

    @property
    def classes(self) -> list[str]:
        """The classes that it knows."""
        return self.clf.classes_.tolist() if self.begun else []

    def decide(self, row: Dense | Sparse, at: float) -> Decided:
        """Play a round.

        The model's time goes on where the clock of the service was set back.
        """
        self.lead = max(self.lead, self.latest - at)
        self.latest = at = at + self.lead
        model = self.clf.model_ if self.begun else None
        draw = model.draws.first() if model else Draws(self.seed).first()
        floor = self._floor(tuple(model.past) if model else self.asker.past(), at)
        label, margin, probability, ticket, age = self._round(model, row, at)
        reason = None
        if ticket is not None:
            burst = record_of(tuple(self.clf.model_.past)).burst > 0
            reason = "audit" if draw < floor else "drift" if burst else "uncertain"
        return Decided(label, margin, probability, ticket, reason, age)

    def _round(self, model: Any, row: Dense | Sparse, at: float) -> tuple:
        if model is None:
            d = self.clf.decide(table(row, self.width), at)
            label, margin, probability, ticket = d.label, d.margin, d.probability, d.ticket
        else:  # the face of scikit-learn would take ten times as long
            index, margin, probability, ticket = model.decide(row, at)
            known = len(self.clf.classes_)
            label = self.clf.classes_.item(min(index, known - 1)) if known else None
        out = self.clf.model_.room.out
        age = int(out[AGE][0]) if self.clf.model_.aging else None
        return None if label is None else str(label), margin, probability, ticket, age

    def _floor(self, past: tuple, at: float) -> float:
        """Return with which probability an item is asked for whatever it seems worth."""
        now = in_window(self.numbers, record_of(past), at)
        return current_rate(self.numbers, now, at, lasting=0.0)[1]

    def open(self, ticket: int | None) -> bool:
        """Can the label of this ticket still be told?"""
        return ticket is not None and self.begun and ticket in self.clf.model_.open

    def tell(self, ticket: int, label: str) -> bool:
        """Learn a label that was asked for."""
        self.learned += 1
        return bool(self.clf.tell(ticket, label))

    def teach(self, row: Dense | Sparse, label: str) -> None:
        """Learn a label that comes again, or was not asked for."""
        self.learned += 1
        self.clf.partial_fit(table(row, self.width), [label])

    def save(self, path: Path) -> None:
        """Write the model to a file."""
        self.clf.save(path)

    def load(self, path: Path, learned: int, latest: float = 0.0, lead: float = 0.0) -> None:
        """Be the model of a file; SelectronError if it is damaged."""
        self.clf = OnlineClassifier.load(path)
        self.learned, self.latest, self.lead = learned, latest, lead
