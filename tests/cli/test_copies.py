"""`selectron predict` copies columns of every type, and faults of files and disks are sentences."""

import csv
import datetime
import decimal
import json
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FAST = ["--learner", "perceptron", "--ask", "fixed:p=0.5"]
OF_TYPES = {
    "vector": pa.array([[1.0, 2.0]] * 60),
    "struct": pa.array([{"a": 1}] * 60),
    "map": pa.array([[("k", 0.5)]] * 60, pa.map_(pa.string(), pa.float64())),
    "bytes": pa.array([b"ham"] * 60),
    "date": pa.array([datetime.date(2026, 11, 25)] * 60),
    "moment": pa.array([datetime.datetime(2026, 11, 25, 8)] * 60, pa.timestamp("ns", "UTC")),
    "decimal": pa.array([decimal.Decimal("1.50")] * 60),
    "duration": pa.array([datetime.timedelta(seconds=3)] * 60),
    "float": pa.array([float("nan")] * 60),
    "view": pa.array(["text"] * 60, pa.string_view()),
}


@pytest.fixture
def table(tmp_path):
    """Return a Parquet file with columns of many types."""
    path = tmp_path / "t.parquet"
    columns = {"x": pa.array(range(60)), "label": pa.array(["ham", "spam"] * 30)}
    pq.write_table(pa.table(columns | OF_TYPES), path)
    return path


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_columns_of_all_types_are_copied(call, table, tmp_path, ending):
    ignore = [each for name in OF_TYPES for each in ("--ignore", name)]
    assert call("run", table, *FAST, *ignore, "--save", "m").exit_code == 0
    found = call("predict", table, "--model", "m", "-o", f"o.{ending}")
    assert found.exit_code == 0, found.output
    path = tmp_path / f"o.{ending}"
    if ending == "parquet":
        for name in ("vector", "struct", "map"):
            assert pq.read_table(path)[name].to_pylist() == OF_TYPES[name].to_pylist()
        return
    rows = (
        list(csv.DictReader(path.read_text().splitlines()))
        if ending == "csv"
        else read_strictly(path)
    )
    assert len(rows) == 60
    assert rows[0]["vector"] == ("[1.0, 2.0]" if ending == "csv" else [1.0, 2.0])
    objects = {"struct": {"a": 1}, "map": {"k": 0.5}}
    for name, value in objects.items():
        assert rows[0][name] == (json.dumps(value) if ending == "csv" else value)
    assert rows[0]["bytes"] == "ham"
    assert rows[0]["date"] == "2026-11-25"
    assert rows[0]["decimal"] == "1.50"
    assert rows[0]["view"] == "text"
    if ending == "jsonl":
        assert rows[0]["float"] is None
        pq.write_table(pq.read_table(table).drop_columns("label"), "new.parquet")
        assert call("ask", "m", "new.parquet", "-o", "q.jsonl").exit_code == 0
        assert read_strictly(tmp_path / "q.jsonl")[0].items() >= objects.items()


def read_strictly(path):
    """Return the rows of JSON lines; NaN is none."""

    def refuse(name):
        raise ValueError(name)

    return [json.loads(line, parse_constant=refuse) for line in path.read_text().splitlines()]


def test_values_of_json_rows_are_copied_as_json(call, tmp_path):
    rows = [{"x": i, "id": i, "ok": True, "of": {"b": 1}, "label": "ab"[i % 2]} for i in range(40)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    ignore = ["--ignore", "id", "--ignore", "ok", "--ignore", "of"]
    assert call("run", path, *FAST, *ignore, "--save", "m").exit_code == 0
    out = csv.DictReader(call("predict", "m", path).stdout.splitlines())
    assert next(out).items() >= {"id": "0", "ok": "true", "of": '{"b": 1}'}.items()
    assert call("predict", "m", path, "-o", "o.jsonl").exit_code == 0
    assert read_strictly(tmp_path / "o.jsonl")[0].items() >= {"id": 0, "ok": True}.items()


def test_two_columns_of_one_name(call, tmp_path):
    x = pa.array([1, 2])
    pq.write_table(pa.table([x, x, x], names=["x", "x", "label"]), tmp_path / "a.parquet")
    found = call("run", "a.parquet")
    assert found.exit_code == 1
    assert found.stderr == (
        "selectron: a.parquet: Two columns are named 'x': rename one of them.\n"
    )


@pytest.mark.parametrize("row", ['{"x": "\\ud800", "label": 1}', '{"\\uDC00": 1, "label": 1}'])
def test_half_of_a_surrogate_pair(call, tmp_path, row):
    whole = '{"x": "\\ud83d\\ude00", "label": 0}\n'
    (tmp_path / "a.jsonl").write_text(whole + row)
    found = call("run", "a.jsonl", *FAST)
    assert found.exit_code == 1
    assert "a.jsonl: line 2: a text holds half of a surrogate pair" in found.stderr


def test_a_full_disk_does_not_hide_the_results(call, stream, monkeypatch):
    full = OSError(28, "No space left on device", "a.model")
    monkeypatch.setattr("selectron.cli.run.save", Mock(side_effect=full))
    found = call("run", stream[0], *FAST, "--save", "a.model")
    assert found.exit_code == 1
    assert "perceptron" in found.stdout
    assert "a.model: no space left on device" in found.stderr


@pytest.mark.parametrize(
    "to", ["", "ftp://x/v1/streams/a", "http://x/v1/streams/a?b=1", "http://x#a"]
)
def test_an_address_that_is_none(call, stream, to):
    found = call("send", stream[0], "--to", to, "--token", "t")
    assert found.exit_code == 2
    assert "is not http://HOST:PORT/v1/streams/NAME" in found.stderr
    found = call("send", stream[0], "--to", "http://x/v1/streams/a", "--token", "é")
    assert "a token is printable ASCII" in found.stderr


def test_columns_that_come_late_are_left_out_with_a_word(call, tmp_path):
    rows = [{"a": i % 2, "label": "xy"[i % 2]} for i in range(5000)]
    (tmp_path / "early.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows[4500] |= {"note": "late", "more": 1}
    (tmp_path / "late.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert call("run", "early.jsonl", *FAST, "--save", "a.model").exit_code == 0
    found = call("predict", "late.jsonl", "--model", "a.model", "-o", "out.jsonl")
    assert found.exit_code == 0
    what = "columns that the first rows do not have are left out: note, more"
    assert found.stderr == f"selectron: late.jsonl: {what}\n"
    assert not call("predict", "early.jsonl", "--model", "a.model", "-o", "out.jsonl").stderr


OUT_OF_RANGE = {
    "moment": pa.array([1_700_000_000_000] * 20, pa.timestamp("s")),  # these are milliseconds
    "day": pa.array([10**7] * 20, pa.date32()),
    "duration": pa.array([10**15] * 20, pa.duration("s")),
}


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_dates_that_python_cannot_hold(call, tmp_path, name):
    columns = {"x": pa.array([1.0, 2.0] * 10), "label": pa.array(["a", "b"] * 10)}
    pq.write_table(pa.table(columns | {name: OUT_OF_RANGE[name]}), tmp_path / "d.parquet")
    assert call("run", "d.parquet", *FAST).exit_code == 0
    assert call("run", "d.parquet", *FAST, "--ignore", name, "--save", "m").exit_code == 0
    for ending in ("csv", "jsonl"):
        assert call("predict", "m", "d.parquet", "-o", f"o.{ending}").exit_code == 0
    assert call("label", "m", "d.parquet", input="q\n").exit_code == 0
    timed = call("run", "d.parquet", *FAST, "--time", name)
    assert timed.exit_code == 1
    assert timed.stderr.startswith("selectron: d.parquet: row 1: ")


def test_times_of_an_unknown_zone(call, tmp_path):
    moments = pa.array([0] * 20, pa.timestamp("us", "Nowhere/Land"))
    table = pa.table({"x": [1.0, 2.0] * 10, "when": moments, "label": ["a", "b"] * 10})
    pq.write_table(table, tmp_path / "z.parquet")
    found = call("run", "z.parquet", *FAST)
    assert found.exit_code == 1
    assert "has values that Python cannot hold: convert them to text" in found.stderr


def test_nan_within_lists_is_null_in_json(call, tmp_path):
    columns = {"x": [1.0, 2.0] * 10, "v": [[float("nan"), 1.0]] * 20, "label": ["a", "b"] * 10}
    pq.write_table(pa.table(columns), tmp_path / "v.parquet")
    assert call("run", "v.parquet", *FAST, "--ignore", "v", "--save", "m").exit_code == 0
    assert call("predict", "m", "v.parquet", "-o", "o.jsonl").exit_code == 0
    assert read_strictly(tmp_path / "o.jsonl")[0]["v"] == [None, 1.0]


def test_columns_of_one_name_beside_those_of_the_model(call, tmp_path):
    (tmp_path / "a.csv").write_text("x,label\n" + "1,ham\n2,spam\n" * 5)
    (tmp_path / "twice.csv").write_text("id,id,x,label\n7,8,1,ham\n7,9,2,spam\n")
    assert call("run", "a.csv", *FAST, "--save", "m").exit_code == 0
    for command in (
        ("predict", "m", "twice.csv"),
        ("run", "twice.csv", "--model", "m"),
        ("label", "m", "twice.csv"),
    ):
        found = call(*command, input="q\n")
        assert found.exit_code == 1
        assert "Two columns are named 'id': rename one of them" in found.stderr
