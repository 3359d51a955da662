"""A classifier of rows that come one at a time."""

import copy
from typing import Any, NamedTuple

import numpy as np

from ..askers.budget import began
from ..data import times as clock
from ..data.dicts import has_huge, is_dict
from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from ..model.model import Block
from ..model.widths import needed_width
from . import checks, labelling
from .labelling import apply_class_weights, class_weights, sample_weights
from .parameters import all_or_nothing, flag, model_of, one_at_a_time
from .parts import checked
from .rows import FIRST, LIVE, SEVERAL, TakesRows, warn_if_learned_odd, warn_if_strange

__all__ = ["Decision"]


class Decision(NamedTuple):
    """The decision about one row, which `OnlineClassifier.decide` returns.

    >>> from selectron import OnlineClassifier
    >>> OnlineClassifier(classes=["ham", "spam"]).decide([0.5, 2.0]).ask
    True
    """

    label: Any  # the predicted class; None before the first label
    margin: float  # the learner's margin score; for many classes, of the best two
    ask_probability: float  # that of asking for the label; `audited` weights labels by its inverse
    ask: bool  # whether the label is asked for: pass it to `tell`, with the ticket
    ticket: int | str | None  # for `OnlineClassifier.tell`, if the label is asked for
    proba: tuple[float, ...]  # of every class, in the order of `classes_`, before the label
    evidence: tuple[float, ...] = ()  # of drift, for `evaluate.Drifts.add`, if the learner has any

    def __repr__(self) -> str:
        shown = zip(self._fields[:6], self, strict=False)  # without the evidence
        return f"Decision({', '.join(f'{name}={value!r}' for name, value in shown)})"


class DecidesAndTells(TakesRows):
    """A classifier that decides on single rows, and learns their labels later."""

    class_weight: Any
    classes_: np.ndarray
    class_weight_: dict

    @one_at_a_time
    def decide(self, x: Any, time: Any = None, *, ticket: str | None = None) -> Decision:
        """Predict one row and decide whether to ask; pass the label to `tell`, now or later.

        `x` is a 1-D array, a list, a dict, or one row of a matrix. If the label is asked for, the
        decision has a ticket, valid until it is answered or `max_open` newer ones are open;
        `partial_fit` learns others. It is the next number, or the name that `ticket` gives it, such
        as the id of the item: a classifier from an older file gives numbers out again. `time`, a
        date or seconds since 1970, by default now, is for a `Budget(per=...)` only. Raises
        SelectronError as `run` does, or if an open ticket has that name, and then counts no round.

        >>> from selectron import OnlineClassifier
        >>> clf = OnlineClassifier(classes=["ham", "spam"])
        >>> d = clf.decide([0.5, 2.0])
        >>> d.label, d.ask_probability, d.ask, d.ticket, [round(p, 2) for p in d.proba]
        ('spam', 1.0, True, 1, [0.5, 0.5])
        >>> clf.decide([1.5, 0.0], ticket="mail-17").ticket
        'mail-17'
        """
        model = self.__dict__.get("model_")
        if ticket is not None:
            checks.ticket_name(ticket, model.open if model else ())
        if model is not None:
            now = clock.moment(time, model.timed)
            if time is not None and model.timed:
                clock.warn_if_earlier(now, began(model.asker, model.past))
            block = self._plain_row(x)
            if block is not None:
                return self._decision(*model.decide(block, now, ticket))
        with all_or_nothing(self):
            block, _ = self._rows(self._single(x))
            self._ready(block, *self._known_classes())
            now = clock.moment(time, self.model_.timed)
            if isinstance(block, list):  # the row, after narrower blocks without rows
                block = block[-1]
                self._widen(block.values.shape[1])
            return self._decision(*self.model_.decide(block, now, ticket))

    @one_at_a_time
    def tell(
        self,
        ticket: int | str,
        label: Any = None,
        sample_weight: float = 1.0,
        *,
        correct: bool | None = None,
    ) -> bool:
        """Learn a label that was asked for; return whether the learner took a step.

        Labels may come in any order, and be of new classes. The step starts from the current model.
        A label of weight w is learned w times, as in `run`.

        Instead of a label, `correct` states whether the predicted label was right. With two
        classes, False means the other one. With more, False is learned only for the class that was
        wrong, and class weights do not apply; it needs `many="rest"`, or LeadingHistory.

        Raises `errors.NotOpen` if the ticket is not open, and SelectronError if the label is none
        of the named classes, or `correct` comes with a label or a weight: the ticket stays open.

        >>> from selectron import OnlineClassifier
        >>> clf = OnlineClassifier(classes=["ham", "spam"])
        >>> clf.tell(clf.decide([0.5, 2.0]).ticket, "ham")
        True
        """
        self._check_fitted()
        if correct is not None:
            return self._learn_judged(ticket, label, sample_weight, correct)
        if type(sample_weight) is not float or sample_weight != 1:
            sample_weight = sample_weights(sample_weight, None).item()
        code = labelling.code(label, self.classes_, self.model_.stacked)
        if code:
            return self.model_.tell(ticket, code, sample_weight)
        with all_or_nothing(self):
            code = self._new_code(label)
            return self.model_.tell(ticket, code, sample_weight)

    @one_at_a_time
    def correct(self, ticket: int | str, label: Any) -> None:
        """Learn that the label of an answered ticket was wrong, as if `label` had been given.

        The ticket must be one of the last `correctable` that were answered, after the last `run` or
        `partial_fit`, and in this process: `save` does not keep answers. Learning is replayed from
        a copy: all weights, probabilities and counts are those of a classifier that learned `label`
        at once, in the same rounds and with the same weight. Decisions are not replayed: rounds,
        draws, open tickets and the asker's memory stay. A new class is appended,
        and one that only the wrong label had stays.

        Raises SelectronError if the ticket cannot be corrected, or the label is no named class.

        >>> from selectron import OnlineClassifier
        >>> clf = OnlineClassifier(classes=["ham", "spam"], correctable=10)
        >>> ticket = clf.decide([0.5, 2.0]).ticket
        >>> clf.tell(ticket, "ham")
        True
        >>> clf.correct(ticket, "spam")
        >>> clf.predict([[0.5, 2.0]]).item()
        'spam'
        """
        self._check_fitted()
        with all_or_nothing(self):
            code = labelling.code(label, self.classes_, self.model_.stacked)
            code = code or self._new_code(label)
            self.model_ = self.model_.corrected(ticket, code)

    @one_at_a_time
    def set_asker(self, asker: Any) -> None:
        """Use another asker, or another budget, from the next round on.

        What has been learned and the open tickets stay. A `Budget` keeps what an earlier one around
        the same asker knows about the stream, but counts labels from 0; if both have the same
        period, labels of the current period still count. Raises SelectronError if `asker` does not
        fit the learner, and NotFittedError before the first row: use `set_params(asker=...)` then.

        >>> from selectron import Budget, OnlineClassifier
        >>> clf = OnlineClassifier(asker=Budget(rate=0.1)).fit([[1.0], [-1.0]], ["up", "down"])
        >>> clf.set_asker(Budget(rate=0.05))
        >>> clf.asker.rate
        0.05
        """
        self._check_fitted()
        self.model_.set_asker(checked(asker, "asker"))
        self.asker = asker

    @one_at_a_time
    def expire(self, ticket: int | str) -> None:
        """Close the ticket of a label that will not come; nothing is learned.

        Raises `errors.NotOpen` if the ticket is not open.

        >>> from selectron import OnlineClassifier
        >>> clf = OnlineClassifier(classes=["ham", "spam"])
        >>> clf.expire(clf.decide([0.5, 2.0]).ticket)
        >>> clf.open_tickets_
        []
        """
        self._check_fitted()
        self.model_.expire(ticket)

    @property
    def open_tickets_(self) -> list[int | str]:
        """The tickets that wait for an answer, oldest first."""
        self._check_fitted()
        return list(self.model_.open)

    # Internals

    def _known_classes(self) -> tuple[np.ndarray, bool]:
        """Return the classes before a label has come, and whether they are named."""
        return labelling.classes(self, np.empty(0, object), None, least=0)

    def _ready(self, block: Block, classes: np.ndarray, named: bool) -> None:
        """Make the model if there is none, or else extend it to new classes."""
        self.named_ = named
        if hasattr(self, "model_"):
            self._extend(classes)
            return
        self.classes_ = classes
        self.model_ = model_of(self, self._width(block), isinstance(block, Sparse), len(classes))
        self.class_weight_ = class_weights(self.class_weight, classes if named else None)
        apply_class_weights(self)

    def _learn_judged(self, ticket: int | str, label: Any, weight: float, correct: Any) -> bool:
        if label is not None or weight != 1:
            raise SelectronError(
                "correct takes the place of label and sample_weight: leave them out."
            )
        if len(self.classes_) < 2:
            raise SelectronError(
                "correct needs two known classes: name them, as in OnlineClassifier(classes=[...])."
            )
        return self.model_.tell(ticket, self.model_.answer(ticket, flag("correct", correct)))

    def _new_code(self, label: Any) -> int:
        """Return the code of a label of a new class, to which the model is extended."""
        self._extend(labelling.with_label(self, label))
        return labelling.code(label, self.classes_, self.model_.stacked)

    def _extend(self, classes: np.ndarray) -> None:
        """Extend a copy of the model to new classes, so that the old one can be restored."""
        if len(classes) > len(self.classes_):
            self.model_, self.classes_ = copy.copy(self.model_), classes
            self.model_.extend(len(classes))
            apply_class_weights(self)

    def _plain_row(self, x: Any) -> Any:
        """Return x as a block if that needs no slow checks, else None.

        The encoder learns from a dict at once, without a copy: no such row is refused.
        """
        if isinstance(x, (Dense, Sparse)):  # the service encodes rows itself
            return x
        encoder = self.__dict__.get("encoder_")
        if encoder is None:
            return checks.plain_row(x, self.model_, self.__dict__.get("names_"))
        if not is_dict(x):
            return None
        if encoder.columns_.keys().isdisjoint(x):
            warn_if_strange(encoder, x, least=SEVERAL)
        if has_huge(x):
            return None
        block = encoder.learn_one(x)
        self.model_.widen(needed_width(self.model_, block, encoder.width_))
        if encoder.n_rows_ > FIRST and encoder.n_rows_ % LIVE == 0:
            warn_if_learned_odd(encoder)
        return block

    def _decision(self, index: int, margin: float, chance: float, ticket: Any) -> Decision:
        known, model = len(self.classes_), self.model_
        if index >= known:  # of two classes, or one, that have no name yet
            index = known - 1
            if ticket is not None:
                model.open[ticket] = model.open[ticket]._replace(proposed=index)
        label = self.classes_.item(index) if known else None
        out = model.one_round.out
        proba = model.last_proba() if known > 1 else (1.0,) * known
        evidence = tuple(out[5][0].tolist()) if model.aging else ()
        return Decision(label, margin, chance, ticket is not None, ticket, proba, evidence)
