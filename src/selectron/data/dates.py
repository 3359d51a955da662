"""Columns of dates and times."""

import math
from typing import Any

import numpy as np
import pyarrow as pa

from .kinds import Cells, Event, Layout
from .numbers import Number
from .times import CIRCLES, END, TABLES, parts, seconds, zone_of
from .times import FIRST as EARLIEST
from .values import dates_of, is_blank, number_of, values_of

SERIAL = 10_000, 100_000  # numbers of days, as spreadsheets write dates; EPOCH is 1970-01-01
EPOCH, DAY, MILLI = 25_569, 86_400.0, (1e12, 2_556_144e6)  # days; seconds; 1/1000 s, to 2050


class Date(Number):
    """Dates and times: the trend as a number, and the hour, the weekday and the day of the year.

    The last three lie on circles: a sine and a cosine each. `style` is the order of day, month and
    year in text that is not in ISO 8601. Where dates rise with the rows, trends are all about as
    far above the mean so far, so that labels show no slope: without learning, the trend of a later
    date is that of the latest so far. So are its weekday, until dates span a week, and its day of
    the year: if all were of one day, nothing is known of any other.
    """

    kind = "date"
    always, plain = True, False
    circles = tuple(f"{of} {side}" for of, *_ in CIRCLES for side in ("sin", "cos"))

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.zone: str | None = None  # `zone_of` the first date

    def start(self) -> None:
        """Start the mean, the deviation and the ranges: of dates, and of their parts."""
        super().start()
        self.least, self.most = [math.inf] * (1 + len(TABLES)), [-math.inf] * (1 + len(TABLES))

    def parse(self, x: Any) -> float:
        """Return a date in seconds since 1970, NaN if it is none."""
        found = math.nan if is_blank(x) else seconds(x, self.style)
        if SERIAL[0] <= found < SERIAL[1] and number_of(x) == found:
            found = (found - EPOCH) * DAY
        found = found / 1000 if MILLI[0] <= found < MILLI[1] else found
        return found if EARLIEST <= found < END else math.nan

    def parse_all(self, array: pa.Array) -> np.ndarray:
        """Return dates in seconds since 1970, NaN where there is none."""
        return dates_of(array, self.parse)

    def encode_one(self, x: Any, layout: Layout, learn: bool, out: dict[int, float]) -> None:
        """Put the features of a date into a row, and learn from it."""
        value = self.read(x, learn)
        if value != value:
            self.mark_blank(x, layout, learn, out)
            return
        if learn:
            self.zone = zone_of(x) if self.zone is None else self.zone
            found = parts(value)
            self.least, self.most = [*map(min, self.least, found)], [*map(max, self.most, found)]
        trend = min(max(value, self.least[0]), self.most[0]) if self.count else value
        super().encode_one(trend, layout, learn, out)
        if self.place >= 0:
            for place, unit, period, sines, cosines in TABLES:
                at = int((value if self.knows_all(unit, period) else trend) // unit % period)
                out[self.place + place], out[self.place + place + 1] = sines[at], cosines[at]

    def prepare(self, array: pa.Array, layout: Layout, learn: bool) -> tuple[Any, list[Event]]:
        """Learn from values; return what `emit` takes, and the new features."""
        ready, events = super().prepare(array, layout, learn)
        if learn and self.zone is None and not (missing := ready[1]).all():
            self.zone = zone_of(values_of(array[missing.argmin() :][:1])[0])
        return ready, events

    def in_range(self, values: np.ndarray) -> np.ndarray:
        """Return dates within the range so far."""
        return np.clip(values, self.least[0], self.most[0])

    def knows_all(self, unit: float, period: float) -> bool:
        """Return whether dates so far have been all around a circle, or it is that of the hour."""
        return unit < DAY or self.most[0] - self.least[0] >= DAY * period

    def on_circles(self, values: np.ndarray, learn: bool) -> np.ndarray:
        """Return what dates count as on each circle, a column each."""
        known = [learn or self.knows_all(unit, period) for _, unit, period, *_ in TABLES]
        return np.column_stack([values if one else self.in_range(values) for one in known])

    def learned_scores(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """Return standardised dates, each by the sums up to and with its row."""
        if not missing.all():
            found = np.array(parts(values[~missing]))
            self.least = [*map(min, self.least, found.min(axis=1).tolist())]
            self.most = [*map(max, self.most, found.max(axis=1).tolist())]
        return super().learned_scores(values, missing)

    def entries(self, rows: Any, values: np.ndarray, scores: np.ndarray) -> list[Cells]:
        """Return the features of the dates in these rows."""
        columns = [scores]
        for dates, (_, unit, period, *sides) in zip(values.T, TABLES, strict=True):
            columns += [np.array(side)[(dates // unit % period).astype(int)] for side in sides]
        return [Cells(rows, place, column) for place, column in enumerate(columns, self.place)]

    def constant(self, before: int) -> list[int]:
        """Return the places of the parts that all dates so far have in common."""
        alike = zip(TABLES, self.least[1:], self.most[1:], strict=True)
        return [self.place + of[0] + side for of, a, b in alike if a == b for side in (0, 1)]
