"""Read the committed log: items, histories, and exports as JSON lines, CSV or Parquet."""

import csv
import io
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from . import strict
from .event import Damaged, Event
from .opening import Reader
from .problem import invalid, missing
from .question import NONE, SKIP, Question, derived
from .store import about, content, entries
from .stream import shown

COLUMNS = (
    "entry", "kind", "item", "id", "at", "who", "verdict", "label", "shown_at", "late", "counts",
    "supersedes", "learned", "prediction", "margin", "probability", "asked", "reason", "version",
    "data",
)  # fmt: skip
LAST = 2**63 - 1  # no entry has a higher number
Found = TypeVar("Found")
PAGE = 2000  # entries that are read at a time


def question(db: sqlite3.Connection, stream: int, item: int, needed: int) -> Question:
    """Return the question of an item. Raises Problem (404) if there is no such item."""
    found = derived(about(db, item, LAST), needed)
    if found is None or found.stream != stream:
        raise missing(f"item {item}")
    return found


def by_key(db: sqlite3.Connection, stream: int, key: str) -> int:
    """Return the number of an item by its own id. Raises Problem (404) if there is none."""
    query = "SELECT seq FROM log WHERE stream = ? AND key = ?"
    found = db.execute(query, (stream, key)).fetchone()
    if found is None:
        raise missing(f"item with the id {key!r}")
    return found[0]


def item(db: Reader, stream: int, number: int, needed: int, hide: str = "never") -> dict[str, Any]:
    """Return an item: the decision on it, and the answers that stand."""
    found = question(db, stream, number, needed)
    settled, label = found.outcome()
    hidden = concealed(found, hide)
    (event,) = entries(db, "seq = ?", (number,))
    return {
        **shown(event),
        **({"label": None, "margin": None} if hidden else {}),
        "hidden": hidden,
        "at": event.at,
        "content": raw(db, stream, number),
        "damaged": found.damaged,
        "settled": settled,
        "truth": label,
        "retired": found.retired,
        "answers": [
            {"answer": vote.seq, "who": vote.who, "label": vote.label}
            for vote in sorted(found.votes.values())
        ],
    }


def concealed(question: Question, hide: str) -> bool:
    """Return whether the prediction is hidden until the question is settled."""
    return question.asked and not question.settled and question.hides(hide)


def raw(db: Reader, stream: int, number: int) -> dict[str, Any] | None:
    """Return the data of an item, None if it is not stored or is damaged."""
    try:
        kept = content(db, number)
    except Damaged:
        db.damaged.add((stream, number))
        return None
    return kept[0] if kept else None


def history(
    db: Reader, stream: int, needed: int, before: int, limit: int, hide: str = "never"
) -> list[dict[str, Any]]:
    """Return the last `limit` answers before an entry, latest first."""
    where = "stream = ? AND kind = 'answer' AND seq < ? ORDER BY seq DESC LIMIT ?"
    found = []
    for event in entries(db, where, (stream, before, limit)):
        asked = question(db, stream, event.item, needed)
        standing = {*(v.seq for v in asked.votes.values()), *asked.skipped.values()}
        found.append(
            {
                "answer": event.seq,
                "item": event.item,
                "id": asked.key,
                "at": event.at,
                "who": event.who,
                "voter": event.body["voter"],
                "verdict": event.body["verdict"],
                "label": event.body["label"],
                "late": event.body["late"],
                "counts": event.body["counts"],
                "stands": event.seq in standing,
                "supersedes": event.body["supersedes"],
                "prediction": None if concealed(asked, hide) else asked.prediction,
                "reason": asked.decided["reason"],
                "content": raw(db, stream, event.item),
            }
        )
    return found


def pages(db: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Return ranges of the log up to its current end.

    Each is read in a separate transaction: one kept open by a slow reader would prevent SQLite from
    shortening its write-ahead log.
    """
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM log").fetchone()
    return ((low, min(low + PAGE, last)) for low in range(0, last, PAGE))


def audit(db: Reader, stream: int) -> Iterator[dict[str, Any]]:
    """Yield the whole log of a stream, one row with the same columns per entry."""
    query = (
        "SELECT log.seq, i.key, i.body FROM log JOIN log AS i ON i.seq = log.item"
        " WHERE log.stream = ? AND log.seq > ? AND log.seq <= ? ORDER BY log.seq"
    )
    where = "stream = ? AND seq > ? AND seq <= ? ORDER BY seq"
    for low, high in pages(db):
        items = db.execute(query, (stream, low, high)).fetchall()
        for event, (_, key, body) in zip(
            list(entries(db, where, (stream, low, high))), items, strict=True
        ):
            yield _row(event, key, json.loads(body), raw(db, stream, event.item))


def _row(
    event: Event, key: str, decided: dict[str, Any], data: dict[str, Any] | None
) -> dict[str, Any]:
    seq, _, kind, number, _, at, who, body = event
    values = (
        seq, kind, number, key, at, who, body.get("verdict"),
        body.get("label") if kind == "answer" else None, body.get("shown"), body.get("late"),
        body.get("counts"), body.get("supersedes"), body.get("learned"), decided["label"],
        decided["margin"], decided["probability"], decided["asked"], decided["reason"],
        decided["version"], data,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def tasks(db: Reader, stream: int, needed: int) -> Iterator[dict[str, Any]]:
    """Yield the items that were queried or answered, as tasks of Label Studio."""
    query = (
        "SELECT seq FROM log WHERE stream = ? AND seq > ? AND seq <= ? AND kind = 'item'"
        " AND (json_extract(body, '$.asked')"
        " OR EXISTS (SELECT 1 FROM log AS a WHERE a.item = log.seq AND a.kind = 'answer'))"
    )
    for low, high in pages(db):
        for (number,) in db.execute(query, (stream, low, high)).fetchall():
            asked = question(db, stream, number, needed)
            yield {
                "id": number,
                "data": raw(db, stream, number) or {},
                "meta": {"id": asked.key},
                "annotations": [_annotation(vote) for vote in sorted(asked.votes.values())],
                "predictions": [_choices(asked.prediction)] if asked.prediction else [],
            }


def _annotation(vote: Any) -> dict[str, Any]:
    found = _choices(vote.label) if vote.label is not None else {"result": []}
    return {**found, "id": vote.seq, "completed_by": vote.who, "was_cancelled": False}


def _choices(label: str) -> dict[str, Any]:
    value = {"choices": [label]}
    return {
        "result": [{"from_name": "label", "to_name": "text", "type": "choices", "value": value}]
    }


def chosen(annotations: Any) -> tuple[str, str | None] | None:
    """Return verdict and label of the last annotation of a task of Label Studio, None without one.

    An empty result means none of the classes. Raises Problem (422) for anything other than one
    choice, such as spans.

    >>> chosen([{"result": [{"type": "choices", "value": {"choices": ["spam"]}}]}])
    ('label', 'spam')
    >>> chosen([{"result": []}])
    ('none', None)
    """
    if not isinstance(annotations, list) or not annotations:
        return None
    last = annotations[-1]
    if not isinstance(last, dict) or last.get("was_cancelled"):
        return (SKIP, None) if isinstance(last, dict) else None
    results = last.get("result")
    if not isinstance(results, list):
        raise invalid("Its annotation has no list 'result'.")
    labels = [_choice(result) for result in results]
    if len(labels) > 1:
        raise invalid(f"Its annotation has {len(labels)} results; a stream takes one choice.")
    return ("label", labels[0]) if labels else (NONE, None)


def _choice(result: Any) -> str:
    """Return the one choice of a result."""
    kind = result.get("type", "choices") if isinstance(result, dict) else None
    value = result.get("value") if isinstance(result, dict) else None
    if kind != "choices" or not isinstance(value, dict):
        raise invalid(f"Its annotation has a result of type {kind!r}; a stream takes one choice.")
    choices = value.get("choices")
    if set(value) - {"choices"}:
        raise invalid("Its annotation is a choice for a part of the item (a span or region).")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], str):
        count = len(choices) if isinstance(choices, list) else 0
        raise invalid(f"Its annotation has {count} choices; a stream takes one.")
    return choices[0]


PIECE = 1 << 16  # bytes that are sent at a time
TOGETHER, LONG = 2000, 8 << 20  # rows, and characters, of a group in Parquet
NUMBERS = dict.fromkeys(("at", "shown_at", "margin", "probability"), pa.float64())
COUNTS = dict.fromkeys(("entry", "item", "supersedes", "version"), pa.int64())
FLAGS = dict.fromkeys(("late", "counts", "asked"), pa.bool_())
TYPES = {**NUMBERS, **COUNTS, **FLAGS}
SCHEMA = pa.schema([(name, TYPES.get(name, pa.string())) for name in COLUMNS])
MEDIA = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


def exported(rows: Iterable[dict[str, Any]], kind: str) -> Iterator[bytes]:
    """Yield an exported file in pieces, in bounded memory."""
    return {"jsonl": json_lines, "csv": table, "parquet": parquet}[kind](rows)


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for a table, with the item's data as JSON in one column."""
    data = None if row["data"] is None else strict.dumps(row["data"], sort=False)
    return {**row, "data": data}


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield a line of JSON for each row."""
    return joined(strict.dumps(row, sort=False) + "\n" for row in rows)


def table(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield CSV, in which missing values are empty."""
    return joined(chain([",".join(COLUMNS) + "\n"], map(comma_separated, rows)))


def comma_separated(row: dict[str, Any]) -> str:
    """Return a row as a line of CSV."""
    text = io.StringIO()
    csv.DictWriter(text, COLUMNS, lineterminator="\n").writerow(flat(row))
    return text.getvalue()


def joined(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield lines joined into pieces of about `PIECE` bytes."""
    for part in parts(lines, len, PIECE):
        yield "".join(part).encode()


def parquet(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield a Parquet file, written to a temporary file first because its index is at its end."""
    with tempfile.TemporaryFile() as file:
        with pq.ParquetWriter(file, SCHEMA) as writer:
            for part in parts(map(flat, rows), lambda row: len(row["data"] or ""), LONG, TOGETHER):
                writer.write_table(pa.Table.from_pylist(part, schema=SCHEMA))
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def parts(
    rows: Iterable[Found], size: Callable[[Found], int], most: int, count: int | None = None
) -> Iterator[list[Found]]:
    """Yield lists of rows, each of up to `count` rows and until their sizes reach `most`."""
    part: list[Found] = []
    total = 0
    for row in rows:
        part.append(row)
        total += size(row)
        if len(part) == count or total >= most:
            yield part
            part, total = [], 0
    if part:
        yield part
