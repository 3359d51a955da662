"""The encoding of a row depends on that row and those before it, however the stream is cut."""

import itertools
import json
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from selectron.data.encoder import TableEncoder
from selectron.engine.rows import Dense, Sparse

WORDS = ["late", "refund", "please", "account", "locked", "payment", "failed", "thanks", "order"]


def table(n: int, seed: int, text: bool, strings: bool = True) -> pa.Table:
    """Return rows of all kinds, with blanks, odd values and categories that appear late."""
    rng = np.random.default_rng(seed)
    blank = lambda values, share=0.05: [  # noqa: E731
        None if rng.random() < share else v for v in values
    ]
    days = rng.integers(0, 900, n)
    columns = {
        "age": blank(rng.integers(18, 90, n).astype(str).tolist()),
        "fee": ["unknown" if rng.random() < 0.02 else f"{x:.2f}" for x in rng.lognormal(size=n)],
        "country": blank([f"c{k}" for k in np.minimum(rng.geometric(0.08, n), 70)]),
        "vip": [str(bool(b)) for b in rng.integers(0, 2, n)],
        "when": blank(
            (np.datetime64("2024-01-01T08:30:00") + days * np.timedelta64(7777, "s"))
            .astype(str)
            .tolist()
        ),
        "empty": [None if i < n * 2 // 3 else str(i % 7) for i in range(n)],
        "code": [f"id{i}x" for i in range(n)],
        "number": blank([str(2 * i % (n + 50)) for i in range(n)]),  # rises, then starts again
        "newest": [str(9 * (n - i)) for i in range(n)],
        "const": ["5"] * n,
    }
    if text:
        columns["note"] = [" ".join(rng.choice(WORDS, rng.integers(0, 9))) for _ in range(n)]
        columns["note"][0] = "please refund my locked account"
    if not strings:
        columns["age"] = [None if x is None else int(x) for x in columns["age"]]
        columns["vip"] = [x == "True" for x in columns["vip"]]
        columns["number"] = [None if x is None else int(x) for x in columns["number"]]
    found = pa.table({name: pa.array(values) for name, values in columns.items()})
    if not strings:
        vectors = pa.array([None if i % 31 == 5 else [i % 3, 0.5, -i / n] for i in range(n)])
        found = found.append_column("vector", vectors)
    return found


def bits(blocks):
    """Return rows as (places, values) without the zeros at the end of dense ones."""
    rows = []
    for block in blocks:
        if isinstance(block, Dense):
            rows += [(len(row), row.tobytes()) for row in block.values]
            continue
        assert isinstance(block, Sparse)
        for a, b in zip(block.indptr[:-1], block.indptr[1:], strict=True):
            rows.append((block.indices[a:b].tobytes(), block.values[a:b].tobytes()))
    return rows


def saved(encoder):
    return TableEncoder.unpack(json.loads(json.dumps(encoder.pack())))


CASES = [(text, strings) for text in (False, True) for strings in (False, True)]


@pytest.mark.parametrize(("text", "strings"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_the_same_however_the_stream_is_cut(text, strings, seed):
    n = 700
    rows = table(n, seed, text, strings)
    whole = TableEncoder()
    expected = bits(whole.learn(rows))
    assert len(expected) == n
    rng = np.random.default_rng(seed)
    cuts = [0, *sorted(rng.integers(1, n, 6).tolist()), n]
    encoder, found = TableEncoder(), []
    for start, stop in itertools.pairwise(cuts):
        found += bits(encoder.learn(rows.slice(start, stop - start)))
        encoder = saved(encoder) if start % 2 else encoder.copy()
    assert found == expected
    assert encoder.pack() == whole.pack()


@pytest.mark.parametrize(("text", "strings"), CASES)
def test_one_row_at_a_time_gives_the_same_bytes(text, strings):
    rows = table(400, 7, text, strings)
    whole, alone = TableEncoder(), TableEncoder()
    kinds = {name: kind for name, kind in known(rows).items() if kind}
    kinds.pop("number", None)  # a declared one is used though it rises with every row
    alone.columns = kinds
    expected = bits(whole.learn(rows))
    found = bits([alone.learn_one(row) for row in rows.to_pylist()])
    assert found == expected


def known(rows):
    from selectron.data.encoder import schema

    return schema(rows)


@pytest.mark.parametrize(("text", "strings"), CASES)
def test_looking_changes_nothing_and_rows_seen_look_alike(text, strings):
    rows = table(400, 3, text, strings)
    encoder = TableEncoder().fit(rows)
    before = encoder.pack()
    together = bits([encoder.look(rows)])
    alone = [bits([encoder.look([row])])[0] for row in rows.to_pylist()]
    assert alone == together
    assert encoder.pack() == before
    assert encoder.transform(rows).shape == (400, len(encoder.get_feature_names_out()))


OBJECTS = {
    "whole numbers": ([1] * 50, ["red", "blue"]),
    "truth values": ([True] * 50, ["some words here now", "and other words here"]),
    "fractions": ([1.5] * 50, ["2", "x"]),
    "dates": ([date(2026, 1, 1)] * 50, ["red", "blue"]),
}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("form", [list, lambda cells: pd.Series(cells, dtype=object)])
def test_objects_that_change_their_type_at_a_cut(kind, form):
    first, later = OBJECTS[kind]
    cells = first + later * 100
    whole, cut, single = TableEncoder(), TableEncoder(), TableEncoder()
    whole.partial_fit({"c": form(cells)})
    cut.partial_fit({"c": form(cells[:50])}).partial_fit({"c": form(cells[50:])})
    single.partial_fit([{"c": cell} for cell in cells])
    assert cut.pack() == whole.pack() == single.pack()


def test_nanoseconds_are_cut_alike():
    days = np.random.default_rng(0).integers(16 * 10**17, 17 * 10**17, 200)
    frame = pd.DataFrame(
        {"t": pd.to_datetime(days), "c": pd.Series(list("ab") * 100, dtype=object)}
    )
    whole, parts = TableEncoder().fit(frame), TableEncoder()
    for start in range(0, 200, 70):
        parts.partial_fit(frame[start : start + 70])
    assert whole.pack() == parts.pack()


LATER = ["E42", "OK", "OK", "E7"] * 60
EMPTY = {  # as the first chunk of a file has them, which pandas reads with types
    "numbers": lambda n: pd.DataFrame({"c": [np.nan] * n}),
    "nothing": lambda n: pa.table({"c": pa.nulls(n)}),
    "whole": lambda n: pa.table({"c": pa.nulls(n, pa.int64())}),
    "dates": lambda n: pd.DataFrame({"c": pd.to_datetime([None] * n)}),
    "durations": lambda n: pa.table({"c": pa.nulls(n, pa.duration("us"))}),
    "vectors": lambda n: pa.table({"c": pa.array([None, []] * (n // 2), pa.list_(pa.float64()))}),
    "codes": lambda n: pd.DataFrame({"c": pd.Categorical([None, "NA"] * (n // 2))}),
    "texts": lambda n: pa.table({"c": pa.array(["", "NA"] * (n // 2))}),
}


@pytest.mark.parametrize("empty", EMPTY)
@pytest.mark.parametrize("n", [2, 100, 300])
def test_a_column_without_values_is_open_whatever_its_type(empty, n):
    cut, alone = TableEncoder().fit(EMPTY[empty](n)), TableEncoder()
    assert cut.report() == ["c: blank so far"]
    cut = saved(cut).partial_fit(pd.DataFrame({"c": LATER}))
    alone.fit([{"c": None}] * n + [{"c": value} for value in LATER])
    assert cut.pack() == alone.pack()
    assert cut.kinds_ == {"c": "category"}


def typed(blank: int, n: int) -> pa.Table:
    """Return columns of all types that have no value in rows before `blank`, and their multiples.

    The vectors before are empty, and the codes are "NA".
    """
    numbers = np.random.default_rng(0).integers(0, 9, n).tolist()
    columns = {
        "n": pa.array(numbers, pa.int64()),
        "f": pa.array(numbers, pa.float64()),
        "b": pa.array([x > 4 for x in numbers]),
        "d": pa.array([date(2026, 1, 1 + x) for x in numbers]),
        "s": pa.array(numbers, pa.duration("s")),
        "v": pa.array([[x, 0.5] for x in numbers], pa.list_(pa.float64())),
        "c": pa.array([f"c{x}" for x in numbers]).dictionary_encode(),
    }
    before = {"v": [], "c": "NA"}
    for j, (name, column) in enumerate(columns.items()):
        first = [before.get(name)] * min(n, blank * (1 + j % 3))
        columns[name] = pa.concat_arrays([pa.array(first, column.type), column[len(first) :]])
        if pa.types.is_dictionary(column.type):
            texts = first + column[len(first) :].to_pylist()
            columns[name] = pa.array(texts).dictionary_encode()
    return pa.table(columns)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("blank", [1, 60, 130])
def test_a_type_settles_a_column_at_its_first_value(words, blank):
    """However the stream is cut; `words`, which are read row by row, are not typed."""
    n = 420
    rows = typed(blank, n)
    if words:
        rows = rows.append_column("w", pa.array(["red", "blue"] * (n // 2)))
    whole = TableEncoder()
    expected = bits(whole.learn(rows))
    assert f"n: number, {blank / n:.1%} blank" in whole.report()
    for cuts in ([0, 5, 200, n], [0, blank, n], [0, 30, 100, 131, 132, 250, n]):
        encoder, found = TableEncoder(), []
        for start, stop in itertools.pairwise(cuts):
            found += bits(encoder.learn(rows.slice(start, stop - start)))
            encoder = saved(encoder)
        assert found == expected
        assert encoder.pack() == whole.pack()


def test_numbers_that_begin_late_are_the_same_as_text_and_typed():
    values = [None] * 150 + [f"{x:.2f}" for x in np.random.default_rng(0).normal(size=300)]
    texts = pa.table({"c": pa.array(values), "d": ["x"] * 450})
    numbers = texts.set_column(0, "c", texts["c"].cast(pa.float64()))
    dicts = numbers.to_pylist()
    packed = [TableEncoder().fit(form).pack() for form in (texts, numbers, dicts)]
    assert packed[0] == packed[1] == packed[2]


def test_a_column_that_was_blank_may_be_missing_from_later_tables():
    encoder = TableEncoder().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan] * 2}))
    assert encoder.partial_fit(pd.DataFrame({"a": [3.0]})).report() == [
        "a: number",
        "b: blank so far",
    ]


def test_lists_as_categories_are_the_same_in_tables_and_rows():
    rows = [{"c": x} for x in [[7, 12], [0.5, 1.0], None, ["a"], [7, 12]] * 40]
    for kind in (pa.list_(pa.int64()), pa.list_(pa.float64()), pa.list_(pa.string())):
        some = [x for x in rows if x["c"] is None or pa.array([x["c"]]).type == kind]
        table = pa.table({"c": pa.array([x["c"] for x in some], kind)})
        alone, encoder = (TableEncoder({"c": "category"}) for _ in "ab")
        assert encoder.fit(table).pack() == alone.fit(some).pack()
        assert bits([encoder.look(table)]) == bits([encoder.look(some)])
