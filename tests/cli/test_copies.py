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
        assert pq.read_table(path)["vector"].to_pylist() == OF_TYPES["vector"].to_pylist()
        return
    rows = (
        list(csv.DictReader(path.read_text().splitlines()))
        if ending == "csv"
        else read_strictly(path)
    )
    assert len(rows) == 60
    assert rows[0]["vector"] == ("[1.0, 2.0]" if ending == "csv" else [1.0, 2.0])
    assert rows[0]["bytes"] == "ham"
    assert rows[0]["date"] == "2026-11-25"
    assert rows[0]["decimal"] == "1.50"
    assert rows[0]["view"] == "text"
    if ending == "jsonl":
        assert rows[0]["float"] is None


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
