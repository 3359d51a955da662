"""The times of rows, in every format that has named columns."""

import json
from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pytest

from selectron.data.cells import time_of
from selectron.errors import SelectronError
from selectron.streams.readers import read

from .reading import cells as cells_of
from .reading import fails, parquet, stored, until_error

DATES = ["2026-11-22T08:30:00Z", "2026-11-22T09:30:01+01:00", "2026-11-22 08:30:02"]
FIRST = datetime(2026, 11, 22, 8, 30, tzinfo=UTC).timestamp()
WANTED = [FIRST, FIRST + 1, FIRST + 2]


def files(cells):
    rows = [{"a": i, "when": cell, "y": i % 2} for i, cell in enumerate(cells)]
    text = "a,when,y\n" + "".join(f"{row['a']},{row['when']},{row['y']}\n" for row in rows)
    columns = {name: [row[name] for row in rows] for name in ("a", "when", "y")}
    return {
        "a.csv": text,
        "a.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
        "a.parquet": parquet(columns),
    }


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize("cells", [DATES, WANTED, [str(second) for second in WANTED]])
def test_times_are_seconds_and_no_feature(tmp_path, name, size, cells):
    chunks = list(read(stored(tmp_path, name, files(cells)[name]), time="when", size=size))
    assert np.concatenate([chunk.times for chunk in chunks]).tolist() == WANTED
    assert all(len(row) == 1 for chunk in chunks for row in cells_of(chunk))
    assert [label for chunk in chunks for label in chunk.labels] == ["0", "1", "0"]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_without_a_column_of_times_there_are_none(tmp_path, name):
    (chunk,) = read(stored(tmp_path, name, files(WANTED)[name]))
    assert len(chunk.times) == 0
    assert len(cells_of(chunk)[0]) == 2


@pytest.mark.parametrize("cell", ["yesterday", "", "nan", "inf", "2026-13-01"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_what_is_no_time_is_named_after_the_rows_before(tmp_path, name, cell):
    path = stored(tmp_path, name, files([DATES[0], DATES[1], cell])[name])
    rows, reason = fails(path, time="when")
    where = {"a.csv": "line 4", "a.jsonl": "line 3", "a.parquet": "row 3"}[name]
    assert (rows, reason) == (
        2,
        f"{where}: 'when': {cell!r} is not a time: seconds since 1970 or a date such as "
        "2026-11-22T08:30:00+01:00 would be one",
    )


def test_quoted_dates_are_read_on_both_paths(tmp_path):
    text = 'when,a,y\r\n"2026-11-22T08:30:00Z",1,0\r\n 5 ,2,1\r\n'
    (careful,) = read(stored(tmp_path, "a.csv", text), time="when")
    (quick,) = read(stored(tmp_path, "b.csv", text.replace("\r", "")), time=0)
    assert careful.times.tolist() == quick.times.tolist() == [FIRST, 5]


@pytest.mark.parametrize(
    ("array", "wanted"),
    [
        (pa.array([datetime(2026, 11, 22, 8, 30)], pa.timestamp("ns")), FIRST),
        (pa.array([datetime(2026, 11, 22, 8, 30, tzinfo=UTC)]), FIRST),
        (pa.array([date(1970, 1, 2)]), 86400),
        (pa.array([7], pa.int32()), 7),
        (pa.array([0.5]), 0.5),
        (pa.array(["7"]).dictionary_encode(), 7),
    ],
)
def test_parquet_times(tmp_path, array, wanted):
    content = parquet({"a": [1], "when": array, "y": [0]})
    (chunk,) = read(stored(tmp_path, "a.parquet", content), time="when")
    assert chunk.times.tolist() == [wanted]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"time": "z"}, "there is no column 'z'; the columns are 'a', 'when', 'y'"),
        ({"time": "a", "ignore": "a"}, "the time column 'a' is also to be ignored"),
        ({"time": "y", "label": "y"}, "the label column 'y' is also the time"),
    ],
)
def test_a_column_of_times_has_one_use(tmp_path, options, reason):
    path = stored(tmp_path, "a.csv", files(WANTED)["a.csv"])
    assert fails(path, **options) == (0, reason)


def test_json_rows_without_the_key(tmp_path):
    path = stored(tmp_path, "a.jsonl", '{"a": 1, "when": 1, "y": 0}\n{"a": 1, "y": 0}\n')
    assert fails(path, time="when") == (
        1,
        "line 2: there is no time 'when'; the keys are 'a', 'y'",
    )
    assert "have no columns to count" in fails(path, time=0)[1]


def test_svmlight_has_no_times(tmp_path):
    path = stored(tmp_path, "a.svm", "+1 1:2\n")
    assert "svmlight has no named columns" in until_error(read(path, time="when"))[1]


@pytest.mark.parametrize("cell", [True, None, 10**400, float("nan"), [1]])
def test_odd_json_values_are_no_times(cell):
    with pytest.raises(SelectronError, match="is not a time"):
        time_of(cell, "when")


@pytest.mark.parametrize("cell", ["1767225600000", "1e300", "-1767225600000", "253402300800"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_times_that_no_date_could_be_are_most_likely_milliseconds(tmp_path, name, cell):
    for cells in ([DATES[0], DATES[1], cell], [1.0, 2.0, float(cell)]):
        rows, reason = fails(stored(tmp_path, name, files(cells)[name]), time="when")
        where = {"a.csv": "line 4", "a.jsonl": "line 3", "a.parquet": "row 3"}[name]
        assert rows == 2
        assert reason.startswith(f"{where}: 'when': ")
        assert "lies outside the years 1 to 9999, as milliseconds do: give seconds" in reason


def test_the_last_second_of_the_last_year_is_a_time(tmp_path):
    assert time_of("253402300799", "when") == time_of("9999-12-31T23:59:59Z", "when")
