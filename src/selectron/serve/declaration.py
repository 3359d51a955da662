"""Declarations of streams: tables in a TOML file."""

import tomllib
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import click
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.types import StringConstraints

from ..askers import Budget
from ..errors import SelectronError
from ..specs import LEARNER, budgeted

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Class = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Fields = Annotated[list[str], Field(max_length=1000)]
Weight = Annotated[float, Field(ge=0, le=1000)]

USED = {  # the options each kind of features uses
    "auto": ("size", "columns", "ignore"),
    "text": ("size", "text", "ngrams"),
    "fields": ("size", "text", "ngrams", "numeric", "categorical"),
    "vector": ("size", "vector"),
}


class Section(BaseModel):
    """A table of a declaration; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Features(Section):
    """How items become feature rows.

    `auto`: every field as `TableEncoder` encodes it, words hashed to `size` columns; `columns`
    gives some fields a kind, and `ignore` leaves some out.
    `text`: words (and, with `ngrams`, runs of them) of these fields, hashed to `size` columns.
    `fields`: `categorical` fields, and the words of `text`, hashed to `size` columns; `numeric`
    ones as (x - centre) / scale, each with a column that is 1 where the number is missing.
    `vector`: a field that is a list of `size` numbers.

    A declaration with `text` or `ngrams` and without a kind is of kind `text`.
    """

    kind: Literal["auto", "text", "fields", "vector"] = "auto"
    size: Annotated[int, Field(ge=1, le=2**20)] = 4096
    text: Fields = ["text"]
    ngrams: Annotated[int, Field(ge=1, le=3)] = 1
    numeric: dict[str, tuple[float, Annotated[float, Field(gt=0)]]] = {}
    categorical: Fields = []
    vector: str = "vector"
    columns: dict[str, Literal["number", "category", "date", "text", "vector", "ignored"]] = {}
    ignore: Fields = []

    @model_validator(mode="before")
    @classmethod
    def _kind_of_before(cls, values: Any) -> Any:
        old = isinstance(values, dict) and "kind" not in values and {"text", "ngrams"} & {*values}
        return {**values, "kind": "text"} if old else values

    @model_validator(mode="after")
    def _nothing_is_dropped(self) -> "Features":
        given = self.model_fields_set - {"kind", *USED[self.kind]}
        if given:
            raise ValueError(
                f"kind = {self.kind!r} would drop {min(given)!r}: leave one of them out"
            )
        if both := sorted({*self.columns} & {*self.ignore}):
            raise ValueError(f"{both[0]!r} is named in columns and in ignore: leave one out")
        parts = [set(self.text), set(self.numeric), set(self.categorical)]
        named = {"text", "numeric", "categorical"} & self.model_fields_set or self.kind == "text"
        if self.kind in ("text", "fields") and not (named and any(parts)):
            raise ValueError("name a field in text, numeric or categorical")
        if twice := sorted(a for a in set.union(*parts) if sum(a in p for p in parts) > 1):
            raise ValueError(
                f"{twice[0]!r} is named twice in text (by default ['text']), numeric and "
                "categorical: leave one out"
            )
        return self


class Privacy(Section):
    """How much of each item is stored.

    `raw`: the whole item, for `retention_days` (0: without limit). `hash`: features and a hash; the
    item itself is deleted once its question is settled. Features of kind `auto` need `raw`.
    """

    keep: Literal["raw", "hash"] = "raw"
    retention_days: Annotated[float, Field(ge=0)] = 0


class Kafka(Section):
    """Topics of Kafka: one to read items from, one to write decisions and answers to.

    `brokers` are addresses, as "a:9092,b:9092"; `items` the topic with one JSON object in each
    message, from its beginning on, and `id` its field with the item's own id (by default topic,
    partition and offset); `decisions` the topic to write to; `settings` what else librdkafka takes.
    """

    brokers: Annotated[str, Field(min_length=1)]
    items: str = ""
    decisions: str = ""
    id: str = ""
    settings: dict[str, str | int | float | bool] = {}

    @model_validator(mode="after")
    def _topics(self) -> "Kafka":
        if not (self.items or self.decisions):
            raise ValueError("name a topic in items or in decisions")
        if self.items == self.decisions:
            raise ValueError("items and decisions must be two topics")
        return self


class Declaration(Section):
    """The declaration of a stream.

    `budget` is a share of the items, as "10%", or a number of labels: "20/1d" in every period, or
    "500/10000" for a number of items; `audit` the share of it for items picked at random;
    `annotators` the number of people who answer each question; `lease` the seconds for which one
    person holds a question; `queue` the number of questions that may wait; `hide` when the page
    does not show the prediction; `kafka` the topics to read items from and to write decisions to.
    `class_weight` is that of `OnlineClassifier`: weights of classes, or "balanced".
    """

    name: Name
    title: Annotated[str, Field(max_length=200)] = ""
    classes: Annotated[list[Class], Field(max_length=100)] = []
    new_classes: bool = False
    features: Features = Features()
    learner: str = "leading-history"
    budget: str = "10%"
    audit: Annotated[float, Field(ge=0, le=1)] = 0.1
    class_weight: dict[str, Weight] | Literal["balanced"] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    annotators: Annotated[int, Field(ge=1, le=20)] = 1
    lease: Annotated[float, Field(ge=1, le=86_400)] = 120
    queue: Annotated[int, Field(ge=1, le=100_000)] = 1000
    hide: Literal["audits", "always", "never"] = "audits"
    privacy: Privacy = Privacy()
    kafka: Kafka | None = None

    @model_validator(mode="after")
    def _sound(self) -> "Declaration":
        if len(set(self.classes)) < len(self.classes):
            raise ValueError("classes must differ")
        if not self.new_classes and len(self.classes) < 2:
            raise ValueError("give at least two classes, or new_classes = true")
        weighed = self.class_weight if isinstance(self.class_weight, dict) else {}
        if not self.new_classes and (odd := sorted({*weighed} - {*self.classes})):
            raise ValueError(f"class_weight has {odd[0]!r}, which is none of the classes")
        if weighed and not any(weighed.get(name, 1) for name in (*self.classes, *weighed)):
            raise ValueError("class_weight is 0 for every class")
        if self.features.kind == "auto" and self.privacy.keep == "hash":
            raise ValueError(
                "features of kind 'auto' are learned from whole items, and keep the values of "
                "categories: with keep = 'hash', give the kind 'text', 'fields' or 'vector'"
            )
        self.parts()
        return self

    @property
    def changeable(self) -> dict[str, Any]:
        """The settings of the model that may change; of classes, none may go."""
        return {"budget": self.budget, "audit": self.audit, "classes": self.classes}

    def parts(self) -> tuple[Any, Budget]:
        """Return the learner and its budget."""
        try:
            learner = LEARNER.convert(self.learner, None, None)
            budget = Budget.parse(self.budget)._replace(audits=self.audit)
            budget = budgeted(budget, None, learner, True)
            budget.numbers()
        except click.UsageError as error:
            raise ValueError(error.format_message()) from None
        return learner, budget


def validated(values: dict[str, Any], where: str) -> Declaration:
    """Return a declaration from its table. Raises SelectronError if it is invalid."""
    try:
        return Declaration.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ").rstrip(".")
        if first["type"] == "extra_forbidden":
            settings = f"; there are {', '.join(Declaration.model_fields)}" * (at in values)
            message = f"there is no such setting{settings}"
        raise SelectronError(f"{where}: {at + ': ' if at else ''}{message}.") from None


def read(path: str | Path) -> list[Declaration]:
    """Return the streams of a TOML file: one, or those of its [[stream]] tables.

    Raises SelectronError if the file is not TOML, or a declaration is invalid.
    """
    try:
        with open(path, "rb") as file:
            values = tomllib.loads(file.read().decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SelectronError(f"{path} is not TOML: {error}.") from None
    several = values.pop("stream", None)
    if several is None:
        return [validated({"name": Path(path).stem, **values}, str(path))]
    if values or not isinstance(several, list):
        raise SelectronError(f"{path}: there must be nothing except [[stream]] tables.")
    found = [validated(table, f"{path}, stream {i + 1}") for i, table in enumerate(several)]
    check_names((stream.name for stream in found), f"{path}: ")
    return found


def check_names(names: Iterable[str], where: str = "") -> None:
    """Raise SelectronError if two names are the same on a disk that ignores capitals."""
    for one, other in pairwise(sorted(names, key=str.lower)):
        if one.lower() == other.lower():
            raise SelectronError(
                f"{where}two streams have the same name, or differ in capitals alone, which some "
                f"disks ignore: give {one!r} or {other!r} another name."
            )
