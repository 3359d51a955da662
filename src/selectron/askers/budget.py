"""A budget of labels: how many may be asked for, and when they are best spent.

What a row is worth is what another asker says of it; the budget turns worth into a probability.

    due         the share of rows to ask for, that the budget gives now
    even        due * worth / mean worth * exp(owed / (due * lag)): what is spent on any day
    burst       worth, while there is something saved and rows surprise JUMP times as much as usual

A label is of use until the concept switches: worth is what the other asker says, times how much of
its life the concept has ahead of it, if the learner expects an end. The other asker may have what q
tells count the less, the more of it is usual.

A part of what is due is saved, up to a limit; a burst takes from what is saved alone. At first as
much is there as may be saved, since every row is a surprise then. `owed` is how many labels the
even spending lags behind, so that the share comes out as it should. The mean worth is taken over
many rows, and is thought to be small at first: early labels are of use for longest, so that what is
worth much at the beginning is asked for in advance, and owed then. More so with a horizon, where
the share must come out at its end alone: a label that comes late is of use for few rows, so that
more is due early if the learner expects the concept to last. Of a number of labels, those that
audits of the rows to come will take are kept. How far a row surprises is what the other asker says,
or else what the row is worth.
"""

import math
from typing import Any, NamedTuple

from ..engine.parameters import number, shown
from ..engine.parts import wrapped
from ..engine.round import Life
from ..errors import SelectronError
from .uncertainty import Uncertainty

LAG = 500.0  # to lag so many rows' labels behind, or a horizon's, makes asking e times as likely
SWAY = 3.0  # at most e^3 times, either way
BEHIND = 0.5  # of such a lag, and rows are asked for evenly, too
EAGER, HASTE = 0.1, 0.015  # the mean worth at first, in the first row's; with a horizon
LONG, SLOW, FAST = 1000, 200, 10  # rows that worth, surprise, and a jump of it are taken over
JUMP = 1.4  # times the mean surprise
READY = 0.1  # of what may be saved must be there for a burst
THRIFT, SPARING = 0.3, 0.1  # of what is due is saved where labels are rare; with a horizon

BLIND = 0.1  # the share of rows to ask for before their pace is known


class Past(NamedTuple):
    """What the budget remembers of the rounds so far."""

    rows: float  # rows seen
    asked: float  # labels asked for, within the window if the budget has one
    seen: float  # rows, likewise
    owed: float  # labels that the even spending lags behind
    saved: float  # labels put aside
    mean: float  # worth of a row, over many rows
    calm: float  # surprise of a row, over many rows
    fast: float  # the same over a few rows
    burst: float  # 1 while in a burst
    window: float  # number of the window, counted from 1970; -1 before the first
    pace: float  # rows a second, of earlier windows
    since: float  # when the first row of this window came


def recalled(past: Any) -> Any:
    """Return the record as it is kept between rounds, by name."""
    return Past(
        past[0],
        past[1],
        past[2],
        past[3],
        past[4],
        past[5],
        past[6],
        past[7],
        past[8],
        past[9],
        past[10],
        past[11],
    )


class Budget(NamedTuple):
    """Ask within a budget, and where it tells most.

    Give one of: `rate`, the share of rows to ask for in the long run; `labels` and `horizon`, so
    many labels over so many rows; `labels` and `per`, so many in every period of time, such as
    "1d", "12h", "30min" or a number of seconds (days begin at midnight UTC). A number of labels is
    never exceeded. A rate is met up to what is saved, and in the long run: early on, while all is
    new, labels are asked for in advance, and many more of them where there is a horizon.

    Parameters: `asker` says what a row is worth: more likely rows first (an asker that remembers
    nothing; its own probabilities count relative to each other). `saved` is how many rows' worth of
    the budget may be put aside for a burst, >= 0. `audits`, from 0 to 1, is the share of the budget
    that is spent whatever a row seems worth: it bounds the probability of asking from below, so
    that accuracy can be estimated from the labels that were asked for
    (`selectron.evaluate.audited`). Of a number of labels so much is kept for the rows to come.

    Raises SelectronError if there is no budget in it, or more than one.

    >>> from selectron import OnlineClassifier
    >>> from selectron.learners import LASEC
    >>> from selectron.askers import Margin
    >>> from selectron.streams import switching_gaussian
    >>> X, y = switching_gaussian(10_000, seed=0)
    >>> asker = Budget(rate=0.1, asker=Margin(0.1))
    >>> run = OnlineClassifier(LASEC(), asker=asker, random_state=0).run(X, y)
    >>> int(run.asked.sum())
    1005
    """

    rate: float | None = None
    labels: float | None = None
    horizon: float | None = None
    per: str | float | None = None
    asker: Any = Uncertainty()
    saved: float = 400
    audits: float = 0.1

    def numbers(self) -> Any:
        """Return the parameters as numbers: what is not given is NaN, and per in seconds."""
        kinds = [
            name for name in ("rate", "labels", "horizon", "per") if getattr(self, name) is not None
        ]
        if kinds not in (["rate"], ["labels", "horizon"], ["labels", "per"]):
            raise SelectronError(
                "Budget takes rate, or labels and horizon, or labels and per, got "
                f"{', '.join(kinds) or 'none of them'}."
            )
        inner = self.asker
        if not hasattr(inner, "probability") or isinstance(inner, type):
            raise SelectronError(
                f"Budget: asker must be one that remembers nothing, as Margin(b=0.1) is, "
                f"got {inner!r}."
            )
        given = dict.fromkeys(("rate", "labels", "horizon", "per"), math.nan)
        for name in kinds:
            given[name] = seconds(self.per) if name == "per" else number(self, name, *FITS[name])
        limit = number(self, "saved", lambda saved: 0 <= saved < math.inf, "from 0 on")
        floor = number(self, "audits", lambda audits: 0 <= audits <= 1, "from 0 to 1")
        return (*given.values(), inner.numbers(), limit, floor)

    def past(self) -> Any:
        """Return what is remembered before the first round: all that may be saved is there."""
        rate, labels, horizon, *_, limit, _ = self.numbers()
        share = rate if rate == rate else labels / horizon if horizon == horizon else 0.0
        return Past(0, 0, 0, 0, share * limit, 0, 0, 0, 0, -1.0, 0, 0)

    @staticmethod
    def trains(p: Any, m: float, y: float) -> bool:
        """Return whether the learner steps on a label, as the other asker has it."""
        return wrapped.trains(p, m, y)

    def timed(self) -> bool:
        """Return whether there is a budget for every period."""
        return self.per is not None

    def remaining(self, past: Any) -> float:
        """How many rows are to come before the horizon; 0 where there is none."""
        return until(self, recalled(past))

    def chance(self, past: Any, r: float, q: float, t: int, now: float, life: Life) -> float:
        """Probability of asking in round t, at time `now`."""
        b = opened(self, recalled(past), now)
        worth, surprised = told(self, b, r, q, t, life)
        return spending(self, b, worth, surprised, *due(self, b, now, life.lasting))[1]

    def after(
        self, past: Any, r: float, q: float, t: int, now: float, life: Life, asked: bool
    ) -> Any:
        """What is remembered after round t."""
        b = opened(self, recalled(past), now)
        worth, surprised = told(self, b, r, q, t, life)
        share, audits, spare = due(self, b, now, life.lasting)
        even, chance, burst = spending(self, b, worth, surprised, share, audits, spare)
        spent = even / chance if asked else 0.0  # of a label; the rest comes from what is saved
        put = put_aside(self, b, share)
        usual = means(self, b, worth, surprised)
        owed, saved = b.owed + share * (1 - put) - spent, b.saved + share * put - (asked - spent)
        counts = b.rows + 1, b.asked + asked, b.seen + 1
        return (*counts, owed, saved, *usual, burst, b.window, b.pace, b.since)


def told(a: Any, b: Any, r: float, q: float, t: int, life: Life) -> tuple[float, float]:
    """What a row is worth, and how far it surprises."""
    inner = wrapped.Parameters(*a.asker)
    worth = life.ahead * wrapped.worth(inner, r, wrapped.news(inner, q, b.calm), t)
    return worth, wrapped.surprise(inner, r, q, t)


def opened(a: Any, b: Any, now: float) -> Any:
    """The record as it is at time `now`: in a new window, with a new count."""
    if not a.per > 0 or math.floor(now / a.per) <= b.window:  # times that step back open none
        return b
    window = float(math.floor(now / a.per))
    pace = b.seen / a.per if b.window >= 0 else 0.0
    return Past(
        b.rows, 0.0, 0.0, b.owed, b.saved, b.mean, b.calm, b.fast, b.burst, window, pace, now
    )


def due(a: Any, b: Any, now: float, lasting: float) -> tuple[float, float, bool]:
    """The share of rows to ask for now, and that of audits in it; is there more than they take?

    Audits of the rows to come, that is: where only their labels are left, these are kept. A label
    is of use until the concept switches, in L rows, say, or the horizon ends: where labels are
    spent in proportion to how long they are of use, it is left / (rows - min(L, rows) / 2) now.
    """
    if a.rate > 0:
        return a.rate, a.audits * a.rate, True
    left, rows = a.labels - b.asked, ahead(a, b, now)
    if left < 1:
        return 0.0, 0.0, False
    even = min(1.0, left / rows)
    audits = min(even, a.audits * a.labels / (b.seen + rows))
    # the first rows' labels are asked for in advance as it is: see `means`
    early = lasting * b.rows / (b.rows + LONG) if a.horizon > 0 else 0.0
    return min(1.0, even / (1 - early / 2)), audits, left - 1 >= audits * (rows - 1)


def until(a: Any, b: Any) -> float:
    """How many rows are to come before the horizon, with this one; 0 where there is none."""
    return max(1.0, a.horizon - b.seen) if a.horizon > 0 else 0.0


def ahead(a: Any, b: Any, now: float) -> float:
    """How many rows are to come before the horizon or the window ends, with this one."""
    if a.horizon > 0:
        return until(a, b)
    elapsed = max(0.0, now - b.since)
    time = elapsed + (a.per if b.pace > 0 else 0.0)
    if not time > 0:
        return max(1.0, (a.labels - b.asked) / BLIND)
    pace = (b.seen + b.pace * a.per) / time
    return max(1.0, pace * ((b.window + 1) * a.per - now))


def put_aside(a: Any, b: Any, share: float) -> float:
    """The part of what is due that is saved: none once as much is there as may be."""
    thrift = SPARING if a.horizon > 0 else THRIFT  # early labels are of use for longest
    return thrift * (1 - share) ** 2 if b.saved < share * a.saved else 0.0


def means(a: Any, b: Any, worth: float, surprised: float) -> tuple[float, float, float]:
    """Mean worth and surprise over many rows, and surprise over a few, with this one."""
    n = b.rows + 1
    mean = b.mean if n > 1 else (HASTE if a.horizon > 0 else EAGER) * worth
    calm = b.calm + (surprised - b.calm) / min(n, SLOW)
    return mean + (worth - mean) / LONG, calm, b.fast + (surprised - b.fast) / min(n, FAST)


def leeway(a: Any) -> float:
    """Rows whose labels may be lagged behind, or be in advance, by a factor of e in asking."""
    return max(LAG, a.horizon) if a.horizon > 0 else LAG


def spending(
    a: Any, b: Any, worth: float, surprised: float, share: float, audits: float, spare: bool
) -> tuple[float, float, float]:
    """Probability of asking as on any day, as it is now, and whether this is a burst, 1.0 or 0.0.

    Where labels are owed that worth does not bring, rows are asked for evenly; so they are where
    only those of audits are left.
    """
    mean, calm, fast = means(a, b, worth, surprised)
    room, ratio = share * a.saved, worth / mean if mean > 0 else 1.0
    lag = b.owed / (share * leeway(a)) if share > 0 else 0.0
    pull = math.exp(min(SWAY, max(-SWAY, lag)))
    even = share * (1 - put_aside(a, b, share)) * ratio * pull
    least = share if lag > BEHIND or share >= 1 else audits
    even = min(1.0 if spare else share, max(least, even))
    burst = b.burst
    if b.saved <= 0:
        burst = 0.0
    elif b.saved >= READY * room and fast > JUMP * calm:
        burst = 1.0
    chance = max(even, min(1.0, worth)) if burst > 0 and spare else even
    return even, chance, burst


FITS = {
    "rate": (lambda rate: 0 < rate <= 1, "above 0 and not above 1"),
    "labels": (lambda labels: labels >= 1 and labels == int(labels), "of labels, 1 at least"),
    "horizon": (lambda rows: 1 <= rows < math.inf, "of rows, 1 at least"),
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
        value = float(text[: len(text) - len(unit)] or 1) * UNITS[unit.strip() or "s"]
    except (KeyError, ValueError):
        value = math.nan
    if not 0 < value < math.inf:
        raise SelectronError(
            "Budget: per must be a period of time such as '1d', '12h', '30min' or a number of "
            f"seconds, got {shown(period)}."
        )
    return value


def budget_of(text: str) -> Budget:
    """Return the budget that a text names, its parameters checked.

    "10%" and "0.1" are a share of the rows, "500/10000" is 500 labels for 10,000 rows, and "200/1d"
    is 200 labels a day. "200 per 1d", which older declarations have, is the same as "200/1d".

    Raises SelectronError if the text names no budget.

    >>> budget_of("10%").rate, budget_of("500/10000").horizon, budget_of("200/1d").per
    (0.1, 10000.0, '1d')
    """
    labels, per, whole = map(str.strip, text.partition(" per "))
    if not per:
        labels, slash, whole = map(str.strip, text.partition("/"))
        per = slash if whole[-1:].isalpha() else ""
    try:
        if per:
            budget = Budget(labels=float(labels), per=whole or 0)
        elif whole or slash:
            budget = Budget(labels=float(labels), horizon=float(whole))
        else:
            percent = labels.endswith("%")
            budget = Budget(rate=float(labels.removesuffix("%")) / (100 if percent else 1))
        budget.numbers()
    except ValueError:
        raise SelectronError(
            f"{shown(text)} is not a budget; give a share of rows such as '10%', labels per number "
            "of rows such as '500/10000', or labels per period such as '200/1d'."
        ) from None
    return budget
