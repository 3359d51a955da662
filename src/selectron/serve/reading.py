"""Read the committed log: items, histories, and exports as JSON lines, CSV or Parquet."""

import csv
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..data.dicts import flattened
from ..errors import SelectronError
from . import strict
from .answering import Answer
from .event import Event, Log
from .question import predicted
from .stream import Stream, decision
from .strict import invalid, missing

INT, FLOAT, TEXT, FLAG = pa.int64(), pa.float64(), pa.string(), pa.bool_()
TYPES, LARGEST = {int: INT, float: FLOAT, bool: FLAG}, 2**63 - 1  # the largest of INT
LONG, EXACT = pa.uint64(), 2**53  # whole numbers above EXACT, which FLOAT would round
MERGED = {frozenset([INT, FLOAT]): FLOAT, frozenset([INT, LONG]): LONG}  # others are TEXT
COLUMNS = {  # of an export, with the types that they have in Parquet
    "entry": INT, "kind": TEXT, "item": INT, "id": TEXT, "at": FLOAT, "who": TEXT,
    "verdict": TEXT, "label": TEXT, "shown_at": FLOAT, "late": FLAG, "counts": FLAG,
    "supersedes": INT, "learned": TEXT, "prediction": TEXT, "proba": TEXT, "margin": FLOAT,
    "ask_probability": FLOAT, "asked": FLAG, "reason": TEXT, "version": INT, "disputed": FLAG,
    "data": TEXT,
}  # fmt: skip
ITEM = {"item": INT, "id": TEXT, "label": TEXT, "disputed": FLAG}  # columns before the fields
PAGE = 2000  # entries that are read at a time


def item_number(db: Log, stream: Stream, key: str) -> int:
    """Return the number of an item by its own id. Raises Problem (404) if there is none."""
    event = db.item_of(stream.id, key)
    if event is None:
        raise missing(f"item with the id {key!r}")
    return event.seq


def item(db: Log, stream: Stream, hide: str, number: int) -> dict[str, Any]:
    """Return an item: the decision on it, and the answers that stand."""
    found = stream.derived(db, number)
    hidden = found.hides(hide)
    return {
        **decision(found.event),
        **(dict.fromkeys(("label", "proba", "margin")) if hidden else {}),
        "hidden": hidden,
        "at": found.at,
        "content": db.item_data(stream.id, number),
        "damaged": found.damaged,
        "erased": found.erased,
        "settled": found.settled,
        "disputed": found.disputed,
        "truth": found.truth,
        "retired": found.retired,
        "answers": [
            {"answer": vote.seq, "who": vote.who, "label": vote.label}
            for vote in sorted(found.votes.values())
        ],
    }


def history(db: Log, stream: Stream, hide: str, before: int, limit: int) -> list[dict[str, Any]]:
    """Return the last `limit` answers before an entry, latest first."""
    where = "stream = ? AND kind = 'answer' AND seq < ? ORDER BY seq DESC LIMIT ?"
    found = []
    for event in db.entries(where, stream.id, before, limit):
        asked = stream.derived(db, event.item)
        names = ("voter", "verdict", "label", "late", "counts", "supersedes")
        found.append(
            {
                "answer": event.seq,
                "item": event.item,
                "id": asked.key,
                "at": event.at,
                "who": event.who,
                **{name: event.body[name] for name in names},
                "stands": event.seq in asked.standing,
                "disputed": asked.disputed,
                "prediction": None if asked.hides(hide) else asked.prediction,
                "reason": asked.decided["reason"],
                "content": db.item_data(stream.id, event.item),
            }
        )
    return found


def end(db: Log) -> int:
    """Return the number of the last entry of the log."""
    return db.execute("SELECT coalesce(max(seq), 0) FROM log").fetchone()[0]


def pages(db: Log, after: int = 0, last: int | None = None) -> Iterator[tuple[int, int]]:
    """Return ranges of the log up to an entry, by default its current end.

    Each is a transaction of its own: one of a slow reader would keep SQLite's write-ahead log long.
    """
    last = end(db) if last is None else last
    return ((low, min(low + PAGE, last)) for low in range(after, last, PAGE))


def audit(db: Log, stream: Stream, after: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the log of a stream after an entry, one row with the same columns per entry."""
    where = "stream = ? AND seq > ? AND seq <= ? ORDER BY seq"
    for low, high in pages(db, after):
        for event in list(db.entries(where, stream.id, low, high)):
            (item,) = [event] if event.kind == "item" else db.entries("seq = ?", event.item)
            yield _row(event, item, db.item_data(stream.id, event.item))


def _row(event: Event, item: Event, data: dict[str, Any] | None) -> dict[str, Any]:
    seq, _, kind, number, _, at, who, body = event
    if kind == "settings":
        shown = {"entry": seq, "kind": kind, "at": at, "who": who, "data": body}
        return dict.fromkeys(COLUMNS) | shown
    decided = item.body
    values = (
        seq, kind, number, item.key, at, who, body.get("verdict"),
        body.get("label") if kind == "answer" else None, body.get("shown"), body.get("late"),
        body.get("counts"), body.get("supersedes"), body.get("learned"), predicted(decided),
        decided.get("proba"), decided["margin"], decided["probability"], decided["asked"],
        decided["reason"], decided["version"], body.get("disputed"), data,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def fields(db: Log, stream: Stream, last: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield items up to an entry: their numbers and fields, those of objects as the model has them.

    Fields that are named like a column before them are named `data.label`, for instance.
    """
    features = stream.declaration.features
    whole = {*features.columns, *features.ignore}
    where = "stream = ? AND seq > ? AND seq <= ? AND kind = 'item' ORDER BY seq"
    for low, high in pages(db, last=last):
        query = f"SELECT seq FROM log WHERE {where}"
        for (number,) in db.execute(query, (stream.id, low, high)).fetchall():
            found = db.item_data(stream.id, number) or {}
            if features.kind == "auto":
                with suppress(SelectronError):  # fields that are ignored may have one name
                    found = flattened(found, whole)
            row = dict[str, Any]()
            for name, value in found.items():
                while name in ITEM or name in row:
                    name = f"data.{name}"
                row[name] = value
            yield number, row


def columns_of(db: Log, stream: Stream, last: int) -> dict[str, pa.DataType]:
    """Return the columns of the items up to an entry, with their types in Parquet."""
    columns: dict[str, pa.DataType | None] = dict(ITEM)  # None: without a value yet
    for _, row in fields(db, stream, last):
        for name, value in row.items():
            known = columns.setdefault(name, None)
            if value is not None:
                kind = TYPES.get(type(value), TEXT)
                if kind is INT and abs(value) > EXACT:
                    kind = LONG if abs(value) <= LARGEST else TEXT
                both = MERGED.get(frozenset([known, kind]), TEXT)
                columns[name] = kind if known in (None, kind) else both
    return {name: INT if kind is LONG else kind or TEXT for name, kind in columns.items()}


def labelled(db: Log, stream: Stream, last: int) -> Iterator[dict[str, Any]]:
    """Yield one row for each item up to an entry, with its label if that is settled."""
    for number, row in fields(db, stream, last):
        question = stream.derived(db, number, last)
        shown = (number, question.key, question.truth, question.disputed)
        yield {**dict(zip(ITEM, shown, strict=True)), **row}


def tasks(db: Log, stream: Stream) -> Iterator[dict[str, Any]]:
    """Yield the items that were queried or answered, as tasks of Label Studio.

    Items whose content is not stored any more are left out: no import would take them.
    Label Studio gives tasks other ids, but keeps `meta`: its `item` is the number of the item.
    """
    query = (
        "SELECT seq FROM log WHERE stream = ? AND seq > ? AND seq <= ? AND kind = 'item'"
        " AND (json_extract(body, '$.asked')"
        " OR EXISTS (SELECT 1 FROM log AS a WHERE a.item = log.seq AND a.kind = 'answer'))"
    )
    for low, high in pages(db):
        for (number,) in db.execute(query, (stream.id, low, high)).fetchall():
            if (data := db.item_data(stream.id, number)) is None:
                continue
            asked = stream.derived(db, number)
            yield {
                "id": number,
                "data": data,
                "meta": {"id": asked.key, "item": number},
                "annotations": [
                    {**_choices(vote.label), "id": vote.seq, "completed_by": vote.who}
                    | {"was_cancelled": False}
                    for vote in sorted(asked.votes.values())
                ],
                "predictions": [_choices(asked.prediction)] if asked.prediction else [],
            }


def _choices(label: str | None) -> dict[str, Any]:
    """Return an annotation with a label, or with none of the classes."""
    choice = {"type": "choices", "value": {"choices": [label]}}
    found = {"from_name": "label", "to_name": "text", **choice}
    return {"result": [] if label is None else [found]}


def answer_of(annotations: list[dict[str, Any]]) -> Answer | None:
    """Return the answer of the last annotation of a task of Label Studio, None without one.

    An empty result means none of the classes. Raises Problem (422) for anything other than one
    choice for the whole item.

    >>> answer_of([{"result": [{"type": "choices", "value": {"choices": ["spam"]}}]}]).label
    'spam'
    >>> answer_of([{"result": []}]).verdict
    'none'
    """
    if not annotations:
        return None
    match annotations[-1]:
        case {"was_cancelled": True}:
            return Answer(verdict="skip")
        case {"result": []}:
            return Answer(verdict="none")
        case {"result": [{"type": "choices", "value": {"choices": [label], **rest}}]} if not rest:
            return Answer.of({"label": label})
    found = strict.dumps(annotations[-1].get("result"))[:100]
    raise invalid(f"Its result must be one choice for the whole item, or empty, got {found}.")


PIECE = 1 << 16  # bytes that are sent at a time, about
TOGETHER, LONG = 2000, 8 << 20  # rows, and characters, of a group in Parquet
MEDIA = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


def exported(db: Log, stream: Stream, of: str, kind: str) -> Iterator[bytes]:
    """Yield a file of the log, or of the items, in pieces and in bounded memory."""
    if of == "log":
        return export_file(audit(db, stream), kind, COLUMNS)
    last = end(db)
    columns = {} if kind == "jsonl" else columns_of(db, stream, last)
    return export_file(labelled(db, stream, last), kind, columns)


def export_file(
    rows: Iterable[dict[str, Any]], kind: str, columns: dict[str, pa.DataType]
) -> Iterator[bytes]:
    """Yield an exported file in pieces; missing values are empty in CSV."""
    if kind != "jsonl":
        rows = ({name: cell(row.get(name), columns[name]) for name in columns} for row in rows)
    if kind == "parquet":
        yield from parquet(rows, pa.schema(columns))
        return
    lines: Iterable[str] = (strict.dumps(row, sort=False) + "\n" for row in rows)
    if kind == "csv":
        # Python 3.11 quotes what has a character of the terminator: a lone "\r", too
        writer = csv.writer(SimpleNamespace(write=lambda line: line[:-2] + "\n"))
        lines = map(writer.writerow, chain([columns], (row.values() for row in rows)))
    for part in strict.grouped(lines, len, PIECE):
        yield "".join(part).encode()


def cell(value: Any, kind: pa.DataType) -> Any:
    """Return a value of a column; in one of text, anything but text is JSON.

    >>> cell({"a": 1}, TEXT), cell(0.5, TEXT), cell("a", TEXT), cell(0.5, FLOAT)
    ('{"a":1}', '0.5', 'a', 0.5)
    """
    if kind == FLOAT and value is not None:
        return float(value)  # Arrow takes no large whole number for one
    plain = value is None or isinstance(value, str) or kind != TEXT
    return value if plain else strict.dumps(value, sort=False)


def parquet(rows: Iterable[dict[str, Any]], schema: pa.Schema) -> Iterator[bytes]:
    """Yield a Parquet file, written to a temporary file first because its index is at its end."""

    def length(row: dict[str, Any]) -> int:
        return sum(len(value) for value in row.values() if isinstance(value, str))

    with tempfile.TemporaryFile() as file:
        with pq.ParquetWriter(file, schema) as writer:
            for part in strict.grouped(rows, length, LONG, TOGETHER):
                writer.write_table(pa.Table.from_pylist(part, schema=schema))
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece
