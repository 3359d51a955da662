"""Columns of numbers."""

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..engine.arithmetic import limit_outliers
from ..engine.machine import compiled
from .kinds import Cells, Event, Kind, Layout
from .values import LARGEST, blanks_of, is_blank, log, logs, number_of, numbers_of

STYLES = {",": "decimal comma", "time": "times of day"}
STYLES |= {"dmy": "the day first", "mdy": "the month first"}
OTHER = {"": ",", ",": "", "dmy": "mdy"}  # styles that may fit as well, until a value shows which
CLIP = 8.0  # standard deviations from the mean at which numbers are clipped
WAYS = "", "rises", "falls"  # in the order of 0, 1 and -1
FEW = 8  # numbers whose deviation is not relied upon yet
TRIED, VARIED, SKEWED = 100, 12, 2.0  # numbers, different ones, skewness for a logarithm
NORMAL = 1.4826  # standard deviations in a median absolute one, of normal numbers


class Number(Kind):
    """Numbers, standardised by the mean and deviation so far; a blank is the mean, with a mark.

    Deviations are taken from the first number, so that sums lose few digits. If the first TRIED
    numbers are skewed, as amounts and counts are, a further feature is log(1 + |x| / unit), with
    the sign of x, standardised by the mean and deviation of these numbers. The unit is the power of
    two below the 5% quantile of their sizes.

    Whole numbers that rise with every row, as ids and clocks do, are all about as far above the
    mean so far: a weight would be like that of a constant, and mislead where numbers start again.
    So after TRIED of them they count as the mean, until one does not rise. So do those that fall.
    """

    kind = "number"
    circles: ClassVar[Sequence[str]] = ()  # the names of further features
    always: ClassVar[bool] = False  # whether whole numbers may show the style
    plain: ClassVar[bool] = True  # whether there may be a logarithm, or numbers like ids

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.mark = self.log = -1  # the places of the mark of blanks, and of the logarithm
        self.style = ""  # of text: "," if that is the decimal mark
        self.open = False  # whether the other style fits all values so far
        self.unit = ""  # with which text may end
        self.start()

    def start(self) -> None:
        """Start the mean and the deviation."""
        self.count, self.first, self.total, self.squares = 0, math.nan, 0.0, 0.0
        self.way: int | None = 0  # 1 if whole numbers rise with every row, -1 if they fall
        self.last = 0.0  # number, of those
        self.whole = True  # whether no number has a fraction
        self.early: list[float] = []  # the numbers until there are FEW
        self.tried: list[float] = []  # the numbers until there are TRIED
        self.log_unit, self.log_mean, self.log_deviation = 1.0, 0.0, 0.0  # 0 where there is none

    def details(self) -> list[str]:
        """Return how text is read, if not as Python writes numbers, and whether logs are taken."""
        notes = f"in {self.unit}" * bool(self.unit), STYLES.get(self.style)
        unused = f"not used, as it {WAYS[self.way or 0]} with every row" * self.is_unused()
        return [*filter(None, (*notes, "with its logarithm" * (self.log_deviation > 0), unused))]

    def is_unused(self) -> bool:
        """Return whether numbers count as the mean, as they rise or fall with every row."""
        rises = self.way is not None and self.count >= TRIED
        return rises and self.plain and not self.given

    def follow(self, value: float) -> None:
        """Learn whether whole numbers rise, or fall, with every row."""
        way = (value > self.last) - (value < self.last) if self.count else 0
        goes_on = value % 1 == 0 and (self.count == 0 or way * (self.way or way) > 0)
        self.way, self.last = (way, value) if goes_on else (None, 0.0)

    def parse(self, x: Any) -> float:
        """Return a value as a number, NaN if it is none."""
        return number_of(x, self.style or ".", self.unit)

    def parse_all(self, array: pa.Array) -> np.ndarray:
        """Return values as numbers, NaN where there is none."""
        return numbers_of(array, self.style or ".", self.unit)

    def read(self, x: Any, learn: bool) -> float:
        """Return a value as a number, NaN if it is none; it may show the style."""
        value = self.parse(x)
        if learn and self.open and (self.always or value % 1 != 0) and not is_blank(x):
            values = np.array([value])
            if self.decide(values, np.arange(1), lambda other, at: np.array([other.parse(x)])) == 0:
                self.start()
            return float(values[0])
        return value

    def decide(
        self, values: np.ndarray, at: np.ndarray, read: Callable[["Number", np.ndarray], np.ndarray]
    ) -> int:
        """Take the other style from the first value on that only it fits, and return its row.

        It is the number of rows if there is none, or the first decisive value fits this style. `at`
        are the rows that may be decisive, and `read` reads some of them in another style.
        """
        other = copy(self)
        other.style = OTHER[self.style]
        fit = ~np.isnan(values[at])
        decisive = np.flatnonzero(fit == np.isnan(read(other, at)))
        self.open = not len(decisive)
        if self.open or fit[decisive[0]]:
            return len(values)
        first = int(at[decisive[0]])
        self.style, values[first:] = other.style, read(other, np.arange(first, len(values)))
        return first

    def encode_one(self, x: Any, layout: Layout, learn: bool, out: dict[int, float]) -> None:
        """Put the features of a value into a row, and learn from it."""
        value = x if type(x) is float and -LARGEST < x < LARGEST else self.read(x, learn)
        if value != value:
            self.mark_blank(x, layout, learn, out)
            return
        if self.count == 0:
            if not learn:
                return
            self.first = value
            if self.place < 0:
                self.begin(layout)
        off = value - self.first
        count, total, squares = sums = self.count, self.total, self.squares
        if learn:
            count, total, squares = count + 1, total + off, squares + off * off
        mean, square = total / count, squares / count  # as `score` does: calls would take as long
        variance = square - mean * mean
        z = (off - mean) / math.sqrt(variance) if variance > 1e-12 * square else 0.0
        out[self.place] = z if -CLIP < z < CLIP else math.copysign(CLIP, z)
        if self.way is not None:
            if learn:
                self.follow(value)
            if self.is_unused():
                out[self.place] = 0.0
        if learn:
            if not -2 < z < 2 and is_outlier(z, count):
                _, count, total, squares = learn_value(off, *sums)
            self.count, self.total, self.squares = count, total, squares
            if self.whole and value % 1:
                self.whole = False
            if count <= FEW:
                self.keep_early(value)
            if count <= TRIED and self.plain and self.try_log([value]):
                self.begin_log(layout)
        if self.log_deviation > 0:
            off = math.copysign(log(1 + abs(value) / self.log_unit), value) - self.log_mean
            out[self.log] = min(max(off / self.log_deviation, -CLIP), CLIP)

    def keep_early(self, value: float) -> None:
        """Keep a number; of FEW, clip outliers: they would hide others for thousands of rows."""
        self.early = [*self.early, value]
        if len(self.early) < FEW:
            return
        values, self.early = np.array(self.early), []
        found = limit_outliers(values, CLIP * NORMAL)
        if (found != values).any():
            self.first = float(np.median(found))
            off = found - self.first
            self.total, self.squares = float(off.sum()), float(off @ off)

    def try_log(self, values: list[float]) -> bool:
        """Keep numbers until there are TRIED; return whether these are skewed."""
        self.tried = [*self.tried, *values]
        if len(self.tried) < TRIED:
            return False
        found, self.tried = np.array(self.tried), []
        off = found - found.mean()
        off /= abs(off).max() or 1.0  # or cubes may be too large
        ways, skewed = np.sign(np.diff(found)), abs((off**3).mean()) >= SKEWED * off.std() ** 3
        moves = (ways == ways[0]).all() and ways[0] != 0 and (found % 1 == 0).all()
        if moves or not skewed or len(np.unique(found)) < VARIED:
            return False
        sizes = np.sort(abs(found[found != 0]))
        small = max(sizes[len(sizes) // 20], 1 / LARGEST)  # so that quotients are finite
        self.log_unit = 2.0 ** (math.frexp(small)[1] - 1)
        found = np.copysign(logs(1 + abs(found) / self.log_unit), found)
        self.log_mean, self.log_deviation = float(found.mean()), float(found.std())
        return self.log_deviation > 0

    def logarithm(self, values: np.ndarray) -> np.ndarray:
        """Return logarithms, standardised."""
        found = np.copysign(logs(1 + abs(values) / self.log_unit), values) - self.log_mean
        clipped: np.ndarray = (found / self.log_deviation).clip(-CLIP, CLIP)
        return clipped

    def learned_log(self, values: np.ndarray, missing: np.ndarray, before: int) -> np.ndarray:
        """Return logarithms, NaN where there are none, after `before` numbers."""
        found, since = np.full(len(values), math.nan), 0
        if not self.log_deviation > 0:
            at = np.flatnonzero(~missing)[: max(0, TRIED - before)]
            if not (self.plain and len(at) and self.try_log(values[at].tolist())):
                return found
            since = int(at[-1])
        found[since:] = self.logarithm(values[since:])
        return found

    def begin_log(self, layout: Layout) -> None:
        """Give a place to the logarithm."""
        if self.log < 0:
            self.log = layout.add([f"log of {self.name}"])

    def mark_blank(self, x: Any, layout: Layout, learn: bool, out: dict[int, float]) -> None:
        """Mark a blank in a row."""
        if learn:
            self.count_missing(x)
            if self.mark < 0:
                self.begin_mark(layout)
        if self.mark >= 0:
            out[self.mark] = 1.0

    def begin(self, layout: Layout) -> None:
        """Give places to the features of a number."""
        self.place = layout.add([self.name, *(f"{self.name}: {name}" for name in self.circles)])

    def begin_mark(self, layout: Layout) -> None:
        """Give a place to the mark of blanks."""
        self.mark = layout.add([f"{self.name} is blank"])

    def prepare(self, array: pa.Array, layout: Layout, learn: bool) -> tuple[Any, list[Event]]:
        """Learn from values; return what `emit` takes, and the new features."""
        values, start = self.parse_all(array), len(array)
        if learn and self.open:
            at = np.flatnonzero(self.always | (values % 1 != 0))
            at = at[~blanks_of(array.take(at))]
            if len(at):
                start = self.decide(values, at, lambda other, at: other.parse_all(array.take(at)))
        missing = np.isnan(values)
        if not learn:
            sums = max(self.count, 1), self.total, self.squares
            scores = score(self.in_range(values) - self.first, *sums).clip(-CLIP, CLIP)
            scores = np.zeros(len(values)) if self.is_unused() else scores
            logarithms = self.logarithm(values) if self.log_deviation > 0 else None
            return (self.on_circles(values, learn), missing, scores, logarithms), []
        if self.count == 0 and not missing.all():
            self.first = float(values[missing.argmin()])
        events: list[Event] = []
        if self.place < 0 and not missing.all():
            events.append((int(missing.argmin()), self.begin))
        if missing.any():
            blank = int(blanks_of(array).sum())
            self.blanks += blank
            self.odd += int(missing.sum()) - blank
            if self.mark < 0:
                events.append((int(missing.argmax()), self.begin_mark))
        scores, logarithms = self.learned_both(values[:start], missing[:start])
        if start < len(values):  # what was read in another style is forgotten
            self.start()
            self.first = float(values[start])
            later = self.learned_both(values[start:], missing[start:])
            scores = np.concatenate((scores, later[0]))
            logarithms = np.concatenate((logarithms, later[1]))
        some = ~np.isnan(logarithms)
        if self.log < 0 and some.any():
            events.append((int(some.argmax()), self.begin_log))
        return (self.on_circles(values, learn), missing, scores, logarithms), events

    def learned_both(self, values: np.ndarray, missing: np.ndarray) -> tuple[Any, Any]:
        """Return standardised values, and logarithms, NaN where there are none."""
        before = self.count
        return self.learned_scores(values, missing), self.learned_log(values, missing, before)

    def in_range(self, values: np.ndarray) -> np.ndarray:
        """Return what values count as if nothing is learned from them."""
        return values

    def on_circles(self, values: np.ndarray, learn: bool) -> np.ndarray:
        """Return what `entries` takes besides the scores."""
        return values

    def odd_in(self, array: pa.Array, layout: Layout) -> tuple[int, int, int]:
        """Return the number of values of another kind, of numbers that are clipped, and of all."""
        values = self.parse_all(array)
        missing, far = int(np.isnan(values).sum()), 0
        if self.count >= TRIED and not self.is_unused():
            mean, deviation = mean_and_deviation(self.count, self.total, self.squares)
            off = abs(self.in_range(values) - (self.first + mean))
            far = int((off > CLIP * deviation).sum()) * (deviation > 0)
        return missing - int(blanks_of(array).sum()), far, len(values) - missing

    def learned_scores(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """Return standardised values, each by the sums up to and with its row."""
        scores, start = np.zeros(len(values)), 0
        for i in np.flatnonzero(~missing)[: max(0, FEW - self.count)].tolist():
            value, sums, start = values[i].item(), (self.count, self.total, self.squares), i + 1
            if self.way is not None:
                self.follow(value)
            scores[i], self.count, self.total, self.squares = learn_value(value - self.first, *sums)
            self.keep_early(value)
        later = np.array([self.count, self.total, self.squares], float)
        scores[start:] = values[start:] - self.first
        STANDARDISE(scores[start:], missing[start:], later)
        self.whole = self.whole and not (values % 1 > 0).any()
        if self.way is not None and not missing[start:].all():
            scores[self.follow_all(values, start + np.flatnonzero(~missing[start:]))] = 0.0
        self.count, (self.total, self.squares) = int(later[0]), later[1:].tolist()
        return scores

    def follow_all(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Learn from the numbers in these rows as `follow` does; return those that are not used."""
        found, late = values[rows], np.arange(len(rows)) >= TRIED - self.count
        steps = np.diff(found, prepend=self.last)
        goes_on = np.logical_and.accumulate((steps * (self.way or 0) > 0) & (found % 1 == 0))
        self.way, self.last = (self.way, found[-1].item()) if goes_on[-1] else (None, 0.0)
        return rows[goes_on & late & (self.plain and not self.given)]

    def emit(self, ready: Any, layout: Layout) -> list[Cells]:
        """Return the features of the values that were prepared."""
        values, missing, scores, logarithms = ready
        cells, some = [], missing.any()
        if self.place >= 0:
            rows = np.flatnonzero(~missing) if some else slice(None)
            cells = self.entries(rows, values[rows], scores[rows])
        if self.mark >= 0 and some:
            rows = np.flatnonzero(missing)
            cells.append(Cells(rows, self.mark, np.ones(len(rows))))
        if self.log >= 0 and logarithms is not None:
            rows = np.flatnonzero(~np.isnan(logarithms))
            cells.append(Cells(rows, self.log, logarithms[rows]))
        return cells

    def entries(self, rows: Any, values: np.ndarray, scores: np.ndarray) -> list[Cells]:
        """Return the features of the numbers in these rows."""
        return [Cells(rows, self.place, scores)]


def mean_and_deviation(count: float, total: float, squares: float) -> tuple[float, float]:
    """Return the mean, and the standard deviation; 0 if it is only rounding."""
    mean, square = total / count, squares / count
    variance = square - mean * mean
    return mean, math.sqrt(variance) if variance > 1e-12 * square else 0.0


def score(off: Any, count: float, total: float, squares: float) -> Any:
    """Return (off - mean) / deviation; 0 where nothing varies."""
    mean, deviation = mean_and_deviation(count, total, squares)
    return (off - mean) / deviation if deviation > 0 else 0.0 * off


def is_outlier(z: float, count: float) -> bool:
    """Return whether a value lies more than `CLIP` deviations off the values before it.

    z is its distance in deviations of all `count` values, itself included: below sqrt(count), and
    2.6 or more of an outlier.
    """
    return count > FEW and z * z * (count + CLIP * CLIP) > CLIP * CLIP * (count - 1)


def learn_value(
    off: float, count: Any, total: float, squares: float
) -> tuple[float, Any, float, float]:
    """Return a value, standardised by the sums up to and with it, and these sums.

    In the sums, an outlier counts as `CLIP` deviations off, so that it does not hide the others;
    after values that are all equal, it counts as it is.
    """
    z = score(off, count + 1, total + off, squares + off * off)
    if is_outlier(z, count + 1):
        mean, deviation = mean_and_deviation(count, total, squares)
        if deviation > 0:
            off = mean + math.copysign(CLIP * deviation, z)
    return z, count + 1, total + off, squares + off * off


def standardise(scores: np.ndarray, missing: np.ndarray, sums: np.ndarray) -> None:
    """Standardise values in place, one after another, as `learn_value` does; clip them."""
    for i in range(len(scores)):
        if not missing[i]:
            z, sums[0], sums[1], sums[2] = learn_value(scores[i], sums[0], sums[1], sums[2])
            scores[i] = min(max(z, -CLIP), CLIP)


STANDARDISE = compiled(standardise, {}, "standardise")
