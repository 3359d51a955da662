"""A budget of labels: how many may be asked for, and when to spend them.

Another asker gives the worth of each row, which the budget turns into a probability:

    even     rate * weight / mean weight * exp(lag), the rate being what the budget gives now
    burst    worth, while labels are saved and surprise jumps to JUMP times its mean

The weight is exp(1.5 z) for a row whose log worth is z standard deviations above the mean, up to 3.
So labels go to the rows worth most however close together worths are: all rows may seem unlikely to
be of a rare class, even the likeliest. Multiples and powers of worth change nothing.

A part of the rate is saved, up to a limit, for bursts; the savings are full at first, as every row
is a surprise then. The lag counts the labels by which even spending is behind the rate. The mean
weight starts small, so that labels are asked for in advance: early ones stay useful for longest.
With a horizon, the number has to be met only at its end, and more labels are asked for early if
the learner expects the concept to last. Labels that audits of the remaining rows need are reserved.
"""

import math
from typing import Any, NamedTuple

from ..engine.loop import wrapped
from ..engine.parameters import NOT_NEGATIVE, SHARE, Range, number, shown
from ..engine.round import Situation
from ..errors import SelectronError
from .uncertainty import Uncertainty

LAG = 500.0  # rows whose labels are a lag of 1, or a horizon if longer: e times the probability
MOST_PULL = 3.0  # the largest lag that counts, either way
BEHIND = 0.5  # the lag beyond which rows are asked for whatever their worth
SHARPNESS, HIGHEST = 1.5, 3.0  # weight = exp(SHARPNESS z), with z at most HIGHEST
LEAST_WORTH = 1e-9  # whose logarithm is finite
ROUNDING = 1e-12  # of the variance, so that rows alike but for rounding have z = 0
START, HORIZON_START = 0.2, 0.03  # mean weight at first; that of the first row is 1
LONG, SLOW, FAST = 1000, 200, 10  # rows that worth, surprise and recent surprise average over
JUMP = 1.4  # times the mean surprise
READY = 0.1  # part of the limit that must be saved for a burst to begin
STALE = 40.0  # labels on their way, with which worth would count no more
MOST_STALE = 0.75  # part of the rate for random rows at most: they hold few of a rare class
SAVED_PART, HORIZON_SAVED_PART = 0.3, 0.1  # of the rate, where labels are rare

FIRST_RATE = 0.1  # the rate before the pace of rows is known
FURTHER = 4.0  # in the first window, the most rows to come, as a multiple of those seen


class Record(NamedTuple):
    """What the budget stores between rounds."""

    rows: float  # rows seen
    asked: float  # labels asked for, in this window if there are windows
    seen: float  # rows seen, in this window if there are windows
    owed: float  # labels by which even spending is behind the rate
    saved: float  # labels saved
    burst: float  # 1 while in a burst
    window: float  # number of the window, counted from 1970; -1 before the first
    pace: float  # rows a second, of earlier windows
    since: float  # when the first row of this window came
    mean_log: float  # of worth, over many rows
    variance: float  # of the logarithm of worth
    mean_weight: float  # over many rows
    mean_surprise: float  # over many rows
    recent_surprise: float  # over a few rows


class Averages(NamedTuple):
    """The weight of a row, and averages of the record with this row."""

    weight: float
    mean_log: float
    variance: float
    mean_weight: float
    mean_surprise: float
    recent_surprise: float


def record_of(past: Any) -> Any:
    """Return the record, by name, of what is stored between rounds."""
    first = past[0], past[1], past[2], past[3], past[4], past[5], past[6]
    return Record(*first, past[7], past[8], past[9], past[10], past[11], past[12], past[13])


def began(asker: Any, past: Any) -> float:
    """Return when the period of a budget began, in seconds since 1970; -inf if there is none."""
    if getattr(asker, "per", None) is None or (window := record_of(past).window) < 0:
        return -math.inf
    return window * seconds(asker.per)


class Parameters(NamedTuple):
    """The parameters of a `Budget`, and its functions: compiled code holds them as numbers."""

    rate: float | None = None
    labels: float | None = None
    horizon: float | None = None
    per: str | float | None = None
    asker: Any = Uncertainty()
    saved: float = 400
    audits: float = 0.1

    def numbers(self) -> tuple[Any, ...]:
        """Return the parameters as numbers: NaN for those not given, and `per` in seconds."""
        if isinstance(self.rate, str):
            raise SelectronError(f"Budget: rate is text, which Budget.parse({self.rate!r}) reads.")
        given = dict.fromkeys(self._fields[:4], math.nan)
        kinds = [name for name in given if getattr(self, name) is not None]
        if kinds not in (["rate"], ["labels", "horizon"], ["labels", "per"]):
            raise SelectronError(
                "Budget takes rate, or labels and horizon, or labels and per, got "
                f"{', '.join(kinds) or 'none of them'}."
            )
        inner = self.asker
        if not hasattr(inner, "probability") or isinstance(inner, type):
            raise SelectronError(
                f"Budget: asker must be one that remembers nothing, such as Margin(b=0.1), "
                f"got {inner!r}."
            )
        for name in kinds:
            given[name] = seconds(self.per) if name == "per" else number(self, name, RANGES[name])
        if given["labels"] > given["horizon"]:
            raise SelectronError(
                f"Budget: labels must not be above horizon, got {self.labels} for {self.horizon} "
                "rows."
            )
        limit, floor = number(self, "saved", NOT_NEGATIVE), number(self, "audits", SHARE)
        return (*given.values(), inner.numbers(), limit, floor)

    def past(self) -> Any:
        """Return the record before the first round, with full savings."""
        rate, labels, horizon, *_, limit, _ = self.numbers()
        share = rate if rate == rate else labels / horizon if horizon == horizon else 0.0
        return Record(0, 0, 0, 0, share * limit, 0, -1.0, 0, 0, 0, 0, 0, 0, 0)

    def past_after(self, earlier: Any, past: Any) -> Any:
        """Return the record with which to go on after another asker, and its record."""
        if not isinstance(earlier, Parameters):
            return self.past()
        inner, others = self.asker, earlier.asker  # as tuples, those of two classes may be equal
        if type(inner) is not type(others) or inner != others:
            return self.past()
        kept = ["rows", "mean_weight", "mean_surprise", "recent_surprise", "mean_log", "variance"]
        if self.timed() and earlier.timed() and seconds(earlier.per) == seconds(self.per):
            kept += ["asked", "seen", "window", "pace", "since"]
        start, known = self.past(), record_of(past)
        start = start._replace(**{name: getattr(known, name) for name in kept})
        return start._replace(saved=min(start.saved, known.saved))

    @staticmethod
    def trains(p: Any, m: float, y: float) -> bool:
        """Return whether the learner steps on a label, by the wrapped asker's rule."""
        return wrapped.trains(p, m, y)

    def timed(self) -> bool:
        """Return whether there is a budget for every period."""
        return self.per is not None

    def remaining(self, past: Any) -> float:
        """Return the number of rows before the horizon; 0 if there is none."""
        return rows_left(self, record_of(past))

    def chance(
        self, past: Any, r: float, q: float, t: int, now: float, situation: Situation
    ) -> float:
        """Return the probability of asking in round t, at time `now`."""
        b = in_window(self, record_of(past), now)
        rate = current_rate(self, b, now, situation.lasting)
        worth, surprised = value_of(self, r, q, t)
        found = averages(self, b, worth, surprised)
        return probabilities(self, b, worth, found, rate, situation.waiting)[1]

    def after(
        self, past: Any, r: float, q: float, t: int, now: float, situation: Situation, asked: bool
    ) -> Any:
        """Return the record after round t."""
        b = in_window(self, record_of(past), now)
        worth, surprised = value_of(self, r, q, t)
        rate = current_rate(self, b, now, situation.lasting)
        found = averages(self, b, worth, surprised)
        even, chance, burst = probabilities(self, b, worth, found, rate, situation.waiting)
        share = rate[0]
        spent = even / chance if asked else 0.0  # of a label, the rest being saved
        put = saved_part(self, b, share)
        owed, saved = b.owed + share * (1 - put) - spent, b.saved + share * put - (asked - spent)
        counts = b.rows + 1, b.asked + asked, b.seen + 1
        return (*counts, limited(self, owed), saved, burst, b.window, b.pace, b.since, *found[1:])


class Budget(Parameters):
    """Ask within a budget, for the rows whose labels are worth most.

    Give one of: `rate`, the share of labels to ask for in the long run; `labels` and `horizon`, a
    number of labels for a number of rows; `labels` and `per`, a number of labels in every period,
    such as "1d", "12h", "30min" or a number of seconds (days begin at midnight UTC; if rows have
    dates without times of day, many labels of a day stay unspent). A number of labels
    is never exceeded. A rate holds in the long run, but of rows without labels, those of 1,500 rows
    at most are made up for later. Early on, labels are asked for in advance, many more with a
    horizon, or in the first period, whose number of rows is not known.

    Parameters: `asker` ranks the rows by its probability (or worth); it must have no memory.
    `saved` >= 0 is the limit on labels saved for bursts, when predictions suddenly fail, as a
    number of rows at the current rate.
    `audits`, from 0 to 1, is the part of the budget that is spent regardless of worth: it bounds
    the probability of asking from below, so that accuracy can be estimated from the labels asked
    for (`selectron.evaluate.audited`). If the budget is a number of labels, this part is reserved,
    but draws may spend it before the end.

    Raises SelectronError if it is given no budget, or more than one.

    >>> from selectron import OnlineClassifier, askers, learners, streams
    >>> asker = Budget(rate=0.1, asker=askers.Margin(0.1))
    >>> clf = OnlineClassifier(learners.LASEC(), asker=asker, random_state=0)
    >>> int(clf.run(*streams.switching_gaussian(10_000)).asked.sum())
    1002
    """

    __slots__ = ()
    Parameters = Parameters

    def __new__(cls, *args: Any, **kwargs: Any) -> "Budget":
        """Return a budget whose parameters have been checked."""
        made = super().__new__(cls, *args, **kwargs)
        made.numbers()
        return made

    @staticmethod
    def parse(text: str) -> "Budget":
        """Return the budget that a text names, its parameters checked.

        "10%" and "0.1" are a share of the rows, "500/10000" is 500 labels for 10,000 rows, and
        "200/1d" is 200 labels a day. Raises SelectronError if the text names no budget.

        >>> Budget.parse("10%").rate, Budget.parse("500/10000").horizon, Budget.parse("200/1d").per
        (0.1, 10000.0, '1d')
        """
        labels, slash, whole = map(str.strip, str(text).partition("/"))
        try:
            if not slash:
                percent = labels.endswith("%")
                return Budget(rate=float(labels.removesuffix("%")) / (100 if percent else 1))
            if whole[-1:].isalpha():
                return Budget(labels=float(labels), per=whole)
            return Budget(labels=float(labels), horizon=float(whole))
        except ValueError:
            raise SelectronError(
                f"{shown(text)} is not a budget; give a share of rows up to 100%, such as '10%', "
                "labels for a larger number of rows such as '500/10000', or labels per period such "
                "as '200/1d'."
            ) from None

    @classmethod
    def _make(cls, iterable: Any) -> "Budget":  # type: ignore[override]
        return cls(*iterable)


def value_of(a: Any, r: float, q: float, t: int) -> tuple[float, float]:
    """Return the worth and the surprise of a row."""
    inner = wrapped.Parameters(*a.asker)
    return wrapped.worth(inner, r, q, t), wrapped.surprise(inner, r, q, t)


def in_window(a: Any, b: Any, now: float) -> Any:
    """Return the record at time `now`, with new counts if a new window has begun."""
    if not a.per > 0 or math.floor(now / a.per) <= b.window:  # nor if clocks are set back
        return b
    window = float(math.floor(now / a.per))
    pace = b.seen / a.per if b.window >= 0 else 0.0
    return Record(b.rows, 0.0, 0.0, *b[3:6], window, pace, now, *b[9:])  # type: ignore[call-arg]


def current_rate(a: Any, b: Any, now: float, lasting: float) -> tuple[float, float, bool]:
    """Return the target rate, the rate of audits, and whether labels remain beyond theirs.

    A label is useful until the concept switches, in L rows, or the horizon ends. Spending labels in
    proportion to that gives left / (rows - min(L, rows) / 2) now.
    """
    if a.rate > 0:
        return a.rate, a.audits * a.rate, True
    left, rows = a.labels - b.asked, expected_rows(a, b, now)
    if left < 1:
        return 0.0, 0.0, False
    even = min(1.0, left / rows)
    audits = min(even, a.audits * a.labels / (b.seen + rows))
    # the small mean weight at first already brings the labels of the first rows forward
    early = lasting * b.rows / (b.rows + LONG) if a.horizon > 0 else 0.0
    return min(1.0, even / (1 - early / 2)), audits, left - 1 >= audits * (rows - 1)


def rows_left(a: Any, b: Any) -> float:
    """Return the number of rows before the horizon, with this one; 0 if there is none."""
    return max(1.0, a.horizon - b.seen) if a.horizon > 0 else 0.0


def expected_rows(a: Any, b: Any, now: float) -> float:
    """Return the expected number of rows before the horizon or the window ends, with this one."""
    if a.horizon > 0:
        return rows_left(a, b)
    now = max(now, b.since)  # clocks may be set back, and rows be older than the window
    rest, time = (b.window + 1) * a.per - now, now - b.since
    if b.pace > 0:
        return max(1.0, (b.seen + b.pace * a.per) / (time + a.per) * rest)
    # of the first window: rows that come in a burst do not show how many come all day
    most = max((a.labels - b.asked) / FIRST_RATE, FURTHER * b.seen)
    return max(1.0, min(most, b.seen * rest / time if time > 0 else most))


def limited(a: Any, owed: float) -> float:
    """Return labels owed, at most those that count: others would be of rows without labels."""
    return min(owed, MOST_PULL * a.rate * LAG) if a.rate > 0 else owed


def saved_part(a: Any, b: Any, share: float) -> float:
    """Return the part of the rate that is saved: none once the savings are full.

    Audits are spent in any case.
    """
    thrift, rest = HORIZON_SAVED_PART if a.horizon > 0 else SAVED_PART, 1 - share
    return min(thrift * (rest * rest), 1 - a.audits) if b.saved < share * a.saved else 0.0


def averages(a: Any, b: Any, worth: float, surprised: float) -> Averages:
    """Return the weight of a row, and the averages with it."""
    n, by = b.rows + 1, math.log(max(worth, LEAST_WORTH)) - b.mean_log
    part = 1 / min(n, LONG)
    variance = (1 - part) * (b.variance + part * by * by)
    z = (1 - part) * by / math.sqrt(variance + ROUNDING)
    weight = math.exp(SHARPNESS * min(HIGHEST, z))
    mean = b.mean_weight if n > 1 else (HORIZON_START if a.horizon > 0 else START)
    mean += (weight - mean) / LONG
    usual = b.mean_surprise + (surprised - b.mean_surprise) / min(n, SLOW)
    recent = b.recent_surprise + (surprised - b.recent_surprise) / min(n, FAST)
    return Averages(weight, b.mean_log + part * by, variance, mean, usual, recent)


def probabilities(
    a: Any, b: Any, worth: float, found: Any, rate: tuple[float, float, bool], waiting: float
) -> tuple[float, float, float]:
    """Return the probabilities of even spending and of asking, and 1.0 in a burst, else 0.0.

    Where spending by worth lags far behind, or only the labels of audits remain, worth is ignored.
    There is no burst while labels are on their way: what they will show is not known yet. The more
    of them, the less worth counts, as it is that of a model that will have changed.
    """
    share, audits, spare = rate
    room, ratio = share * a.saved, found.weight / found.mean_weight
    rows = max(LAG, a.horizon) if a.horizon > 0 else LAG
    stale = min(MOST_STALE, (waiting / STALE) * (waiting / STALE))
    ratio = stale + (1 - stale) * ratio
    lag = b.owed / (share * rows) if share > 0 else 0.0
    pull = math.exp(min(MOST_PULL, max(-MOST_PULL, lag)))
    even = share * (1 - saved_part(a, b, share)) * ratio * pull
    least = share if lag > BEHIND or share >= 1 else audits
    even = min(1.0 if spare else share, max(least, even))
    burst = b.burst
    if b.saved <= 0 or waiting > 0:
        burst = 0.0
    elif b.saved >= READY * room and found.recent_surprise > JUMP * found.mean_surprise:
        burst = 1.0
    chance = max(even, min(1.0, worth)) if burst > 0 and spare else even
    return even, chance, burst


RANGES = {
    "rate": Range(lambda rate: 0 < rate <= 1, "above 0 and not above 1"),
    "labels": Range(lambda labels: labels >= 1, "from 1 on", whole=True),
    "horizon": Range(lambda rows: 1 <= rows < math.inf, "from 1 on and finite"),
}
UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds(period: Any) -> Any:
    """Return a period of time in seconds.

    >>> seconds("1d"), seconds("90min"), seconds(30)
    (86400.0, 5400.0, 30.0)
    """
    text = str(period).strip()
    unit = text.lstrip("0123456789.")
    try:
        number = text[: len(text) - len(unit)]
        value = float(number or 1) * UNITS[unit.strip() or "s"] if text else math.nan
    except (KeyError, ValueError):
        value = math.nan
    if not 0 < value < math.inf:
        raise SelectronError(
            "Budget: per must be a number of seconds, or of s, min, h, d or w, such as '1d' or "
            f"'30min', got {shown(period)}."
        )
    return value
