"""The one loop that plays rounds, and the contracts of the parts that it asks in each of them.

An asker decides whether a label is wanted, and classes hold what is learned: see `parts`.
"""

import math
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from .bind import StandIn
from .parts import Space, declared, learner, space
from .round import ASKED, CLASS, REFUSED, Situation, shaped, unit

# The label of a row in the loop: -1 or +1, or the number of its class, from 1, or
NONE = 0  # no label: predict, and never ask
LATER = -2  # may be asked for, and comes after the round
# less than LATER: any class but number LATER - y; for classes that learn one against the rest

# In place of a draw: every probability is above the first, and none above the second.
GIVEN = -1.0  # the label is given: learn from it, without regard to the asker
NEVER = 2.0  # predict only
AGAIN = -2.0  # a copy of the row before, in its round: the label is given if it was asked for there

# A product P x is skipped only if the relative distance of the draw from both bounds on the
# probability exceeds this; rounding errors of the bounds are about 1e-15.
SLACK = 1e-9

# What an asker reads:
READS_MARGIN = "margin"  # any margin
READS_FORM = "quadratic form"  # q = x' P x too
READS_VARIANCE = "variance"  # q as a variance
READS_SQUARED_NORM = "squared norm"  # q as <x, x>
READS_BELIEF = "belief"  # r and q as probability and bits
READS = READS_MARGIN, READS_FORM, READS_VARIANCE, READS_SQUARED_NORM, READS_BELIEF


class Asker(Protocol):
    """The probability of asking for a label."""

    Parameters: ClassVar[Callable[..., Any]]  # the type of a

    def numbers(self) -> tuple[Any, ...]:
        """Return the parameters as numbers; raise SelectronError if one is out of range."""

    def past(self) -> tuple[float, ...]:
        """Return what is remembered before the first round; nothing by default."""
        return ()

    def past_after(self, earlier: Any, past: Any) -> Any:
        """Return what is remembered when this asker replaces `earlier`, which remembered `past`."""
        return declared(self, Asker, "past")(self)

    def timed(self) -> bool:
        """Return whether the times of rows matter."""
        return False

    def reads(self) -> str:
        """Return what r and q must be, one of the constants READS_MARGIN to READS_BELIEF."""
        return READS_MARGIN

    def probability(self, r: float, q: float, t: int) -> float:
        """Return the probability of asking, for an asker that remembers nothing."""

    def chance(
        self, past: Any, r: float, q: float, t: int, now: float, situation: Situation
    ) -> float:
        """Return the probability in round t, at time `now`; `situation` needs a `past`."""
        return asker.probability(self, r, q, t)

    def after(
        self, past: Any, r: float, q: float, t: int, now: float, situation: Situation, asked: bool
    ) -> Any:
        """Return what to remember after the round."""
        return past

    def remaining(self, past: Any) -> float:
        """Return the number of remaining rounds, 0 if no end is known."""
        return 0.0

    def passes(self, m: float, y: float) -> bool:
        """Return whether the learner gets this label."""
        return True

    @staticmethod
    def trains(p: Any, m: float, y: float) -> bool:
        """Return whether the learner steps on a label that it gets."""
        return learner.steps(p, m, y)


class Worth(Asker, Protocol):
    """An asker inside a budget, which turns the worth of a row into a probability."""

    def worth(self, r: float, q: float, t: int) -> float:
        """Return the worth of a row, relative to others."""
        return wrapped.probability(self, r, q, t)

    def surprise(self, r: float, q: float, t: int) -> float:
        """Return the surprise of a row; bursts begin where it jumps."""
        return wrapped.worth(self, r, q, t)


class Classes(Space, Protocol):
    """How labels become margins and steps: two classes share a vector, more of them have a stack.

    The defaults are for two classes. With more, z takes the place of x: the direction of a step on
    two of them; and the margin, `inner`, is the gap between the two best scores.
    """

    @staticmethod
    def predicted(s: Any, m: float) -> int:
        """Return the index of the predicted class: sign(0) = +1."""
        return 1 if m >= 0 else 0

    @staticmethod
    def record_scores(s: Any, m: float, scale: float, scores: Any, i: int) -> None:
        """Write the scores of all classes, or the margin of two, into scores[i]."""
        scores[i, 0] = m

    @staticmethod
    def learn_label(
        p: Any, a: Any, s: Any, rows: Any, i: int, scale: float, m: float, q: float, y: int, t: int
    ) -> int:
        """Step on label y if it passes the asker and trains the learner.

        Return flags, or REFUSED if there is too little room, or the step was not finite.
        """
        if not (asker.passes(a, m, y) and asker.trains(p, m, y)):
            return 0
        if space.needs_growth(s, rows, i):
            return REFUSED
        return space.learn(p, s, rows, i, scale, m, q, y, t)

    @staticmethod
    def age_and_evidence(s: Any, t: float) -> tuple[float, float, float]:
        """Return the leader's age, the evidence of a switch, and the age of the leader with it."""
        found, age = space.evidence(s, t)
        return age, found, age

    @staticmethod
    def coupling(classes: int) -> tuple[Any, ...]:
        """Return the state of coupled classes, as arrays; of others, they are empty."""
        return (*(np.zeros((0, 0)) for _ in range(3)), np.zeros(0))

    @staticmethod
    def rivals(scores: Any, ranks: Any, relevant: Any, y: int) -> tuple[int, int, float]:
        """Return the two classes that label y separates, and +1 if the first is right, or else -1.

        The second class is -1 if there is none.
        """

    @staticmethod
    def step(
        p: Any, s: Any, rows: Any, i: int, scale: float, hi: int, lo: int, m: float, y: float
    ) -> int:
        """Step along z of classes hi and lo, whose margin is m; return flags, or REFUSED."""


asker = cast(type[Asker], StandIn("asker", Asker))
wrapped = cast(type[Worth], StandIn("wrapped", Worth))
classes = cast(type[Classes], StandIn("classes", Classes))


def play(
    parameters: Any,
    asking: Any,
    past: Any,
    state: Any,
    block: Any,
    labels: Any,
    draws: Any,
    times: Any,
    before: int,
    waiting: int,
    normalize: bool,
    full: bool,
    out: Any,
) -> int:
    """Play one round for each row and return the number of rounds played.

    It is less than the number of rows if the next row, or the step on it, is not finite, if that
    step may need more room than there is, or if the last step has filled a sketch. Round i asks iff
    draws[i] < probability and labels[i] is not NONE. `past` is what the asker remembers; `times`
    are the times of the rounds, or empty if the asker ignores them; `before` is the number of
    rounds before this block, and `waiting` that of labels on their way, -1 if every label comes in
    its round. With `full`, every margin score and probability is recorded; without, none is, and
    those that no decision needs are not computed. Scores (of two classes the margin), ages and
    evidence of drift are recorded if there are arrays.
    """
    p, a = learner.Parameters(*parameters), asker.Parameters(*asking)
    s, rows = classes.State(*state), classes.Rows(*block)
    margins, probabilities, flags, scores, ages, evidence = out
    asked = True  # of the row before: a block begins with AGAIN only after it was asked for
    for i in range(len(labels)):
        m, scale = classes.inner(s, rows, i), 1.0
        if normalize:
            scale = unit(classes.squared_norm(rows, i))
            m /= scale
        if not math.isfinite(m):  # true of any row with NaN or infinity
            return i
        if len(scores) > 0:
            classes.record_scores(s, m, scale, scores, i)

        y, u = labels[i], draws[i]
        if u == AGAIN:
            u = GIVEN if asked else NEVER
            before -= 1
        t = before + i + 1
        now = times[i] if len(times) > 0 else 0.0
        lasting, steps = 0.0, 0.0
        if len(past) > 0:
            lasting, steps = classes.lasting_and_steps(p, s, t, asker.remaining(a, past))
        situation = Situation(lasting, steps, 1.0 * max(waiting, 0))
        q, noted = math.nan, len(past) > 0 and GIVEN < u < NEVER
        most = classes.upper_bound(s, classes.squared_norm(rows, i)) / (scale * scale)
        low = r, chance = ask(p, a, past, m, 0.0, t, now, situation)
        if noted or needs_form(u, low, ask(p, a, past, m, most, t, now, situation), full):
            q = shaped(scale, classes.quadratic_form(s, rows, i))
            if not math.isfinite(q):
                return i
            r, chance = ask(p, a, past, m, q, t, now, situation)
        asked = y != NONE and u < chance

        index, step = classes.predicted(s, m), 0
        if u != NEVER:
            classes.observe(s, rows, i, t)
        if asked and y != LATER:
            step = classes.learn_label(p, a, s, rows, i, scale, m, q, y, t)
            if step == REFUSED:
                return i
        if full:
            margins[i], probabilities[i] = r, chance
        if len(ages) > 0:
            ages[i], evidence[i, 0], evidence[i, 1] = classes.age_and_evidence(s, t)
        if noted:
            found = asker.after(a, past, r, q, t, now, situation, asked)
            for j in range(len(past)):
                past[j] = found[j]
        waiting += 1 if asked and waiting >= 0 else 0
        flags[i] = index << CLASS | ASKED * asked | step
        if step > 0 and classes.full(s):
            return i + 1
    return len(labels)


def ask(
    p: Any, a: Any, past: Any, m: float, q: float, t: int, now: float, situation: Situation
) -> tuple[float, float]:
    """Return the margin score and the probability of asking, for a given q."""
    r = learner.score(p, m, q)
    return r, asker.chance(a, past, r, q, t, now, situation)


def needs_form(u: float, low: tuple[float, float], high: tuple[float, float], full: bool) -> bool:
    """Return whether q is needed, given what `ask` returns at its bounds; it costs P x.

    The probability is monotone in q, so that its values at the bounds enclose it. The record needs
    q if they differ, and the decision needs q if they do not settle it. They are NaN if the upper
    bound overflows.
    """
    if full or math.isnan(low[1] + high[1]):
        return low != high
    least, most = min(low[1], high[1]), max(low[1], high[1])
    settled = u < least * (1 - SLACK) or u >= most * (1 + SLACK)
    return low != high and not settled
