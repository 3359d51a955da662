"""Recorded logs, without labels: the predictor bears them. See docs/datasets.md for the folder."""

import csv
import lzma
import os
from datetime import datetime
from pathlib import Path

import pytest

from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.windows import Event


def rows(name):
    """Return the rows of a file of the folder that SELECTRON_DATA names."""
    path = Path(os.environ.get("SELECTRON_DATA", "."), "activity", name)
    if "SELECTRON_DATA" not in os.environ or not path.exists():
        pytest.skip(f"{path} is not in the folder that SELECTRON_DATA names")
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_recorded_day_is_borne():
    windows = [row for row in rows("activity_watch_hashed.csv.xz") if row["stream"] == "window"]
    windows.sort(key=lambda row: float(row["t_s"]))
    starts = [float(row["t_s"]) for row in windows]
    predictor, tick, predicted = ActivityPredictor(random_state=0), 0.0, []
    for i, (row, start) in enumerate(zip(windows, starts, strict=True)):
        while tick + 60 <= start:
            predicted.append(predictor.tick(tick := tick + 60))
        if i % 100 == 0:
            predictor.declare(row["app_or_status"], start)
        end = min([start + float(row["duration_s"]), *starts[i + 1 : i + 2]])
        words = tuple(row["title_token_hashes"].split())
        predictor.see(Event(start, end, f"application:{row['app_or_status']}", words))
    there = [prediction for prediction in predicted if prediction]
    assert len(there) > 300
    assert {prediction.activity for prediction in there} <= set(predictor.activities)


@pytest.mark.parametrize(
    ("name", "cases"), [("ui_log1", 100), pytest.param("ui_log4", 100, marks=pytest.mark.slow)]
)
def test_a_simulated_log_is_borne(name, cases):
    found = rows(f"{name}.csv.xz")
    predictor, end = ActivityPredictor(random_state=0), 0.0
    for row in found:
        start = max(end, datetime.fromisoformat(row["timestamp"]).timestamp())
        end = start
        predictor.see(
            Event(start, start, f"application:{row['source']}", (row["event"], row["label"]))
        )
        if len(predictor.activities) < cases:
            activity = f"case {row['case']}"
            if predictor.declared != activity:
                predictor.declare(activity, end)
        predictor.tick(end + 1e-3)
        end += 1e-3
    assert len(predictor.activities) == cases
