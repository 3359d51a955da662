"""The model of a stream: rows of features, and the classifier that plays the rounds."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import murmurhash3_32

from .. import storage
from ..askers import Budget
from ..askers.budget import Record, current_rate, in_window, record_of
from ..data.dicts import flattened
from ..data.encoder import TableEncoder
from ..data.values import HUGE
from ..engine.rows import Dense, Sparse, as_matrix, narrowed
from ..errors import SelectronError
from ..estimator import packing
from ..estimator.classifier import OnlineClassifier
from ..model.draws import Draws
from .declaration import Declaration, Features
from .strict import Problem, invalid

FIELDS, NUMBERS = 256, 1000  # most fields of a stream of kind "auto", most numbers in lists
LONG = 200  # letters of a category that count
LEAST = 1024  # features that are not hashed, which a stream of kind "auto" may have at least

Row = Dense | Sparse | dict[str, Any]  # a dict is encoded when it is decided on
Extractor = Callable[[dict[str, Any]], Row]


def extractor(features: Features) -> Extractor:
    """Return the function that extracts the row of an item, or its fields to be encoded.

    It raises Problem (422) if an item lacks a field, is too large, or a field has the wrong type.

    >>> row = extractor(Features(kind="text", size=8))
    >>> row({"text": "win money money"}).values.round(2)
    array([0.89, 0.45])
    """
    kinds = {"auto": mixed_extractor, "vector": vector_extractor}
    return kinds.get(features.kind, fields_extractor)(features)


def mixed_extractor(features: Features) -> Extractor:
    """Return the function that takes the fields that are encoded; those of objects are columns."""
    whole = {*features.columns, *features.ignore}
    ignored = {*features.ignore, *(n for n, kind in features.columns.items() if kind == "ignored")}

    def row(item: dict[str, Any]) -> Row:
        item = {name: x for name, x in item.items() if name not in ignored}
        if (count := count_fields(item)) > FIELDS:
            raise invalid(f"An item must have at most {FIELDS} fields, got {count}.")
        try:
            columns = flattened(item, whole)
        except SelectronError as error:
            raise invalid(str(error)) from None
        found = {name: x for name, x in columns.items() if name not in ignored}
        lists = [value for value in found.values() if isinstance(value, list)]
        numbers = [x for value in lists for x in value if isinstance(x, int | float)]
        if len(numbers) > NUMBERS or any(abs(x) > HUGE for x in numbers):
            raise invalid(
                f"The lists of an item must hold at most {NUMBERS} numbers, up to {HUGE:.0f}."
            )
        return found

    return row


def count_fields(item: dict[str, Any]) -> int:
    """Return the number of fields, those of objects included."""
    return sum(count_fields(x) if isinstance(x, dict) else 1 for x in item.values())


def hashes(names: Iterable[str], size: int) -> Counter[int]:
    """Return how often each column occurs when words or categories are hashed to `size` columns."""
    return Counter(abs(murmurhash3_32(name)) % size for name in names)


def fields_extractor(features: Features) -> Extractor:
    """Return the extractor of named fields: hashed columns, numbers, marks of missing numbers.

    Words count as in HashingVectorizer without signs, whose `transform` takes ten times as long.
    """
    words_of = HashingVectorizer(ngram_range=(1, features.ngrams)).build_analyzer()
    scales = list(features.numeric.items())
    needed = features.kind == "text"

    def row(item: dict[str, Any]) -> Row:
        values = dict[int, float](hashes(categories(item, features.categorical), features.size))
        if text := joined_text(item, features.text, needed):
            counts = hashes(words_of(text), features.size)
            length = math.sqrt(sum(count * count for count in counts.values()))
            for place, count in counts.items():
                values[place] = values.get(place, 0) + count / length
        for place, (name, (centre, scale)) in enumerate(scales, features.size):
            value = scaled_number(item, name, centre, scale)
            values[place + len(scales) * (value is None)] = 1.0 if value is None else value
        columns = sorted(place for place, value in values.items() if value)
        data = np.array([values[place] for place in columns], float)
        return Sparse(np.array([0, len(columns)]), np.array(columns, np.int32), data)

    return row


def vector_extractor(features: Features) -> Extractor:
    """Return the extractor of vectors: dense rows, unchanged."""
    name = features.vector

    def row(item: dict[str, Any]) -> Row:
        value = item.get(name)
        if not isinstance(value, list) or len(value) != features.size:
            raise invalid(f"{name!r} must be a list of {features.size} numbers.")
        numbers = [as_float(name, x) for x in value]
        if any(abs(x) > HUGE for x in numbers):
            raise invalid(f"{name!r} must hold numbers up to {HUGE:.0f}.")
        return Dense(np.array([numbers]))

    return row


def joined_text(item: dict[str, Any], names: Sequence[str], needed: bool) -> str:
    """Return the joined text of these fields. Raises Problem if one is `needed` and none exists."""
    found = [item[name] for name in names if item.get(name) is not None]
    if (needed and not found) or not all(isinstance(text, str) for text in found):
        must = "must have text in" if needed else "has text, or nothing, in"
        raise invalid(f"An item {must} {' or '.join(map(repr, names))}.")
    return "\n".join(found)


def categories(item: dict[str, Any], names: Sequence[str]) -> list[str]:
    """Return name=value for each categorical field present."""
    found = {name: item[name] for name in names if item.get(name) is not None}
    for name, value in found.items():
        if not isinstance(value, str | int | bool):
            raise invalid(f"{name!r} must be a string, a whole number or a boolean.")
    return [f"{name}={value}" for name, value in found.items()]


def scaled_number(item: dict[str, Any], name: str, centre: float, scale: float) -> float | None:
    """Return a numeric field after scaling, None if it is missing."""
    value = item.get(name)
    if value is None or value == "":
        return None
    scaled = (as_float(name, value) - centre) / scale
    if abs(scaled) > HUGE:
        raise invalid(
            f"{name!r} is {value:g}, and as (x - {centre:g}) / {scale:g} it is beyond "
            f"{HUGE:.0f}: send it in another unit, or declare another scale."
        )
    return scaled


def as_float(name: str, value: Any) -> float:
    """Return a value as float. Raises Problem if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid(f"{name!r} must hold numbers, got {json.dumps(value)[:40]}.")
    return float(value)


ROOM = 1000  # open tickets beyond the size of the queue


class Learning:
    """A classifier that plays the rounds of the log."""

    def __init__(self, declaration: Declaration):
        learner, budget = declaration.parts()
        features = declaration.features
        self.width = features.size + 2 * len(features.numeric)  # columns of a row
        self.learned = 0
        self.void = 0  # tickets up to this log entry may not be the model's
        self.latest = self.lead = 0.0  # the model's time, and how far it is ahead of the log's
        encoder = None
        if features.kind == "auto":  # sparse, so that new features are cheap
            columns, ignore = features.columns, features.ignore
            encoder = TableEncoder(columns, ignore=ignore, form="sparse", text_size=features.size)
        self.clf = OnlineClassifier(
            learner,
            budget,
            classes=None if declaration.new_classes else declaration.classes,
            many="rest",
            class_weight=declaration.class_weight,
            max_open=declaration.queue + ROOM,
            random_state=declaration.seed,
            encoder=encoder,
        )

    @property
    def begun(self) -> bool:
        """Whether the model has seen an item."""
        return hasattr(self.clf, "model_")

    @property
    def record(self) -> Record:
        """What the budget stores between rounds."""
        return record_of(tuple(self.clf.model_.past) if self.begun else self.budget.past())

    @property
    def budget(self) -> Budget:
        """The budget of labels."""
        return self.clf.asker

    def change(self, declaration: Declaration) -> None:
        """Apply the budget and the classes of a declaration from now on."""
        _, budget = declaration.parts()
        if not declaration.new_classes:
            self.clf.set_params(classes=declaration.classes)
        if not self.begun:
            self.clf.set_params(asker=budget)
        elif budget != self.budget:
            self.clf.set_asker(budget)

    @property
    def columns(self) -> list[str]:
        """What every field is taken for, in a line each, if the encoder learns that."""
        return self.clf.encoder_.report() if hasattr(self.clf, "encoder_") else []

    def decide(self, row: Row, at: float) -> dict[str, Any]:
        """Play a round: predict an item, and decide whether to query its label.

        Returns what the log stores of the decision; `evidence` is that of drift. The model's time
        never decreases, even if the clock of the service was set back.
        """
        self.lead = max(self.lead, self.latest - at)
        self.latest = at = at + self.lead
        draw = (self.clf.model_.draws if self.begun else Draws(self.clf.random_state)).first()
        before = self.record
        d = self.clf.decide(self._given(row), at)
        return {
            "label": None if d.label is None else str(d.label),
            "margin": d.margin,
            "probability": d.ask_probability,  # of asking
            # with six digits, however small
            "proba": {
                str(c): float(f"{p:.6g}") for c, p in zip(self.clf.classes_, d.proba, strict=True)
            },
            "ticket": d.ticket,
            "asked": d.ticket is not None,
            "reason": self._reason(draw, before, at) if d.ask else None,
            "evidence": list(d.evidence) or None,
            "version": self.learned,
        }

    def _reason(self, draw: float, before: Record, at: float) -> str:
        """Return why a label is asked for, given the draw and the record before the round."""
        numbers = Budget.Parameters(*self.budget.numbers())
        _, audits, _ = current_rate(numbers, in_window(numbers, before, at), at, lasting=0.0)
        if draw < audits:
            return "audit"
        return "drift" if self.record.burst else "uncertain"

    def _given(self, row: Row, deciding: bool = True) -> Any:
        """Return a row as OnlineClassifier takes it; the encoder learns from dicts to decide on.

        Memory is bounded: once there are as many features as words are hashed to, or LEAST, apart
        from those, the encoder learns no more.
        """
        if not isinstance(row, dict):
            return row if self.begun and deciding else as_matrix(row, self.width)
        if not self.begun:
            return row
        row, encoder = self._bounded(row), self.clf.encoder_
        full = len(encoder.layout_.names) >= max(encoder.text_size, LEAST)
        seen = encoder.look([row]) if full or not deciding else row
        return seen if isinstance(seen, dict) else narrowed(seen, self.clf.model_.width)

    def _bounded(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return an item without fields beyond the first of the stream, its categories cut."""
        columns = self.clf.encoder_.columns_
        if len(columns) + len(item) > FIELDS:
            names = [*columns, *(name for name in item if name not in columns)][:FIELDS]
            item = {name: item[name] for name in names if name in item}
        long = [name for name, x in item.items() if type(x) is str and len(x) > LONG]
        short = (name for name in long if name in columns and columns[name].kind == "category")
        return {**item, **{name: item[name][:LONG] for name in short}} if long else item

    def file(self) -> bytes:
        """Return the content of a model file. Raises Problem (409) before the first item."""
        if not self.begun:
            raise Problem(409, "conflict", "There is no model before the first item: send some.")
        return b"".join(storage.content(*packing.pack(self.clf)))

    def tell(self, ticket: int, label: str) -> None:
        """Learn a queried label."""
        self.learned += 1
        self.clf.tell(ticket, label)

    def teach(self, row: Row, label: str) -> None:
        """Learn a label that is corrected, or was not queried."""
        self.learned += 1
        given = self._given(row, deciding=False)
        self.clf.partial_fit([given] if isinstance(given, dict) else given, [label])
