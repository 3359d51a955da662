"""LeadingHistory and Budget, as their documentation tells them: posteriors from all their terms.

A member's posterior is the inverse of the prior's precision plus tau x x' for every label, and is
computed anew whenever it is looked at. Wanderers have no terms: their matrix is moved.
"""

import math
from collections import deque

import numpy as np
from scipy.stats import norm

PRIOR, EVERY, DRAWN, HEARD = 3.0, 4, 0.1, 0.02
CHANCE, TURN, FAR, SETTLED = 3.0, 1.5, 5.0, 8
SLOWNESS, NEW, FIRM = 8000.0, 30, 5
PACES = np.array([0.01, 0.03, 0.1, 0.3, 1, 3, 10])
LIKELY = np.array([0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.1])
LENGTHS, REGULAR = 0.1 * 1.2 ** np.arange(26), 0.3
KINDS = np.append((1 - REGULAR) * LIKELY, np.full(len(LENGTHS), REGULAR / len(LENGTHS)))
NOISES = np.array([0.03, 0.1, 0.3, 1, 3, 10])
PLAUSIBLE = np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.1])


def site(m, q, y, wrong, noise):
    """tau and nu of a label: what brings N(m, q) to the moments of N(m, q) times its likelihood."""
    sigma = math.sqrt(noise + q)
    z = y * m / sigma
    likelihood = wrong + (1 - 2 * wrong) * norm.cdf(z)
    slope = (1 - 2 * wrong) * norm.pdf(z) / likelihood  # of log Z in z
    bend = max(0.0, slope * (slope + z))
    mean, variance = m + q * y * slope / sigma, q - q * q * bend / sigma**2
    tau = 1 / variance - 1 / q
    return tau, mean / variance - m / q


class Member:
    """One that was born with label `first`, in round `born`: w = to_w u, u from N(mean, S)."""

    def __init__(self, first, born, to_w, mean, S, plain, noise=None, wanders=False):
        self.noise = noise  # or what the ring has learned of it
        self.first, self.born, self.wanders, self.to_w = first, born, wanders, to_w.copy()
        self.w, self.S, self.plain = to_w @ mean, to_w @ S @ to_w.T, plain
        self.prior = np.linalg.inv(self.S)  # its precision, and that times its mean
        self.drawn = self.prior @ self.w
        self.shares, self.cursor = np.zeros(len(KINDS)), 0  # by when the concept may switch
        self.rows, self.labels, self.tau, self.nu = [], [], [], []
        self.likely = 1.0  # the probability that it gave to the last label

    @property
    def share(self):
        return self.shares.sum()

    def look(self, x):
        return self.w @ x, x @ self.S @ x

    def refresh(self):
        precision, total = self.prior.copy(), self.drawn.copy()
        for x, tau, nu in zip(self.rows, self.tau, self.nu, strict=True):
            precision += tau * np.outer(x, x)
            total += nu * x
        self.S = np.linalg.inv(precision)
        self.w = self.S @ total

    def learn(self, x, y, wrong, noise):
        tau, nu = site(*self.look(x), y, wrong, noise)
        if self.wanders:
            S = np.linalg.inv(np.linalg.inv(self.S) + tau * np.outer(x, x))
            self.w = S @ (np.linalg.inv(self.S) @ self.w + nu * x)
            self.S = S
            return
        self.rows.append(x)
        self.labels.append(y)
        self.tau.append(tau)
        self.nu.append(nu)
        self.refresh()

    def fade(self, by):
        plain = self.to_w @ self.plain @ self.to_w.T
        self.w, self.S = by * self.w, by**2 * self.S + (1 - by**2) * plain

    def set_out(self, other):
        self.w, self.S, self.to_w, self.noise = other.w, other.S, other.to_w.copy(), other.noise

    def rescale(self, to_w, constant):
        """Take features in the units that are the last rows of to_w, where they differ much."""
        for j in range(constant, len(to_w)):
            ratio = self.to_w[j, j] / to_w[j, j]
            if not 1 / TURN <= ratio <= TURN:
                self.to_w[:, j] /= ratio
                self.narrow(j, ratio)

    def narrow(self, j, ratio):
        """Let u_j, which is w_j / by, have the variance v under the prior, not ratio^2 v.

        Its precision rises by tau; it may fall as long as no variance exceeds that of the prior.
        """
        by, v = self.to_w[j, j], np.diag(self.plain)
        of_w = np.linalg.inv(self.to_w)
        P = of_w @ self.S @ of_w.T
        room = np.delete(np.maximum(0, v - np.diag(P)) * P[j, j], j)
        off = np.delete(P[j], j)
        least = max([min(1.0, ratio**2), *(1 / (1 + room[off != 0] / off[off != 0] ** 2))])
        tau = max((1 - 1 / ratio**2) / v[j], (least - 1) / P[j, j])
        more = np.zeros_like(self.S)
        more[j, j] = tau / by**2
        self.prior = self.prior + more
        if not self.wanders:
            return self.refresh()
        precision = np.linalg.inv(self.S)
        self.S = np.linalg.inv(precision + more)
        self.w = self.S @ precision @ self.w

    def reconsider(self, times, wrong, noise):
        known = len(self.rows) - 1
        for _ in range(min(times, known)):
            self.cursor += 1
            j = known - 1 - self.cursor % known
            m, q = self.look(self.rows[j])
            without = 1 / (1 / q - self.tau[j])
            mean = without * (m / q - self.nu[j])
            self.tau[j], self.nu[j] = site(mean, without, self.labels[j], wrong, noise)
            self.refresh()


class Leading:
    """The ring: 1 wanderer, and up to 8 others."""

    def __init__(self, switches, replays, constant):
        self.switches, self.replays, self.constant = switches, replays, int(constant)
        self.members, self.rows, self.last, self.far = [], [], 0, 0
        self.errors, self.weighed, self.noises = 0.5, 50.0, PLAUSIBLE
        self.led, self.left, self.former = None, 0, []

    def sizes(self):
        """Means of features, means of their squares about them, and sizes, as labelled rows go."""
        rows = np.array(self.rows)[:, self.constant :]
        n, d = rows.shape
        mean = rows.mean(axis=0) if self.constant else np.zeros(d)
        means = rows.cumsum(axis=0) / np.arange(1, n + 1)[:, None] if self.constant else 0.0
        squares, apart = ((rows - mean) ** 2).mean(axis=0), abs(rows - means).mean(axis=0)
        return mean, squares, np.divide(squares, apart, np.zeros(d), where=apart > 0)

    def take(self, x):
        """Remember which features are far off, and return the row with them brought nearer."""
        self.off = np.zeros(len(x))
        if len(self.rows) < SETTLED:
            return x
        mean, _, own = self.sizes()
        reach, values = np.where(own > 0, FAR * own, np.inf), x[self.constant :]
        self.off[self.constant :] = abs(values - mean) > reach
        reach = reach * 2.0 ** (self.far * np.ones(len(x)))[self.constant :]
        return np.append(x[: self.constant], np.clip(values, mean - reach, mean + reach))

    def units(self):
        """What takes u to w: features over their sizes, beside a constant if any.

        f = b + sum u_j (x_j - mean_j) / size_j = <w, (1, x)>, or f = sum u_j x_j / size_j, where
        sizes are such that z_j = (x_j - mean_j) / size_j has 1 for the mean of all E z_j^2.
        """
        (mean, squares, own), n, d = self.sizes(), len(self.rows), len(self.rows[0]) - self.constant
        sizes = np.full(d, math.sqrt((np.array(self.rows)[:, self.constant :] ** 2).mean()))
        if squares.any():
            own = np.log(own)
            a = max(0.0, 1 - CHANCE / n / own.var(ddof=1))
            sizes = np.exp(a * own + (1 - a) * own.mean())
            sizes *= math.sqrt((squares / sizes**2).mean())
        to_w = np.diag(1 / sizes)
        if self.constant:
            to_w = np.block([[np.ones((1, 1)), -(mean @ to_w)[None]], [np.zeros((d, 1)), to_w]])
        return to_w

    def prior(self):
        """Mean and covariance of u, and what they are without former leaders."""
        c, n, width = self.constant, len(self.former), self.rows[0].size
        d = width - c
        S = np.diag([PRIOR / 2] * c + [PRIOR / d] * d)
        if n < 3:
            return np.zeros(width), S, S
        w = np.mean([u for u, _ in self.former], axis=0)
        seconds = np.array([P + np.outer(u, u) for u, P in self.former])
        second = seconds.mean(axis=0)
        usual = np.trace(second) / d * np.eye(d)
        chance = ((seconds**2).sum(axis=(1, 2)).mean() - (second**2).sum()) / (n - 1)
        a = max(0.0, 1 - chance / ((second - usual) ** 2).sum())
        b = max(0.0, 1 - (np.trace(second) - w @ w) / (n - 1) / (w @ w))
        m, mean, P = n / (n + FIRM), np.zeros(width), S.copy()
        mean[c:] = m * a * b * w
        P[c:, c:] = (1 - m) * S[c:, c:] + m * ((1 - a) * usual + a * second)
        return mean, P - np.outer(mean, mean), S

    def succeed(self, t):
        leader = max(self.members, key=lambda member: member.share)
        if leader.wanders:
            return
        old, self.led = self.led, leader
        if old not in self.members or len(self.rows) - old.first < NEW:
            return
        if leader.born > self.left and t - leader.born < (t - old.born) / 2:
            of_w = np.linalg.inv(old.to_w)
            u, P = of_w @ old.w, of_w @ old.S @ of_w.T
            self.former.append((u[self.constant :], P[self.constant :, self.constant :]))
            self.left = t

    def predict(self, x):
        """p(+1) - p(-1), and q."""
        x = self.take(x)
        if not self.members:
            return 0.0, 0.0
        self.wrong = self.errors / self.weighed
        self.looks = [member.look(x) for member in self.members]
        self.chances = [
            self.belief(*look, self.noise(member))
            for member, look in zip(self.members, self.looks, strict=True)
        ]
        shares = [member.share for member in self.members]
        p = np.dot(shares, self.chances)
        gain = entropy(p) - np.dot(shares, [entropy(each) for each in self.chances])
        new = [
            m.share for m in self.members if not m.wanders and 0 < m.first > len(self.rows) - NEW
        ]
        return 2 * p - 1, max(0.0, gain) + sum(new)

    def life(self, t):
        """How much of its life the concept has ahead of it, by its kind and age."""
        ages = [(member.shares, t - member.born) for member in self.members if not member.wanders]
        behind = 0.0
        for shares, age in ages or [(0.75 * KINDS, t)]:  # of the three to come, at first
            lengths = self.switches * age / LENGTHS
            rising, falling = np.minimum(lengths, 1), np.clip(lengths - 1, 0, 1)
            behind += shares[len(PACES) :] @ (rising - falling)
        return 1 - behind

    def lasting(self, t, remaining):
        """Over what part of the rounds to come the concept lasts."""
        ages = [(member.shares, t - member.born) for member in self.members if not member.wanders]
        total = 0.0
        for shares, age in ages or [(0.75 * KINDS, t)]:
            switches = self.switches * PACES * remaining
            left = np.clip(LENGTHS / self.switches - age, 0, remaining)
            total += shares @ np.append((1 - np.exp(-switches)) / switches, left / remaining)
        return total

    def noise(self, member):
        return member.noise or math.exp(self.noises @ np.log(NOISES))

    def belief(self, m, q, noise):
        return self.wrong + (1 - 2 * self.wrong) * norm.cdf(m / math.sqrt(noise + q))

    def learn(self, x, y, t):
        x = self.take(x)
        self.rows.append(x)
        self.far = self.off * (self.far + 1)
        gap, self.last = t - self.last, t
        if len(self.rows) == 1:
            birth = 0, 0, self.units(), *self.prior()
            self.members = [Member(*birth, wanders=True)]
            self.members += [Member(*birth, noise) for noise in (0.03, 0.3, 3.0)]
            for member in self.members:
                member.shares = KINDS / 4
            self.predict(x)
        self.listen(y)
        self.judge(y)
        self.succeed(t)
        wrong = self.errors / self.weighed
        for member in self.members:
            member.learn(x, y, wrong, self.noise(member))
            if member.wanders:
                member.fade(math.exp(-gap / SLOWNESS))
            elif member.share >= HEARD:
                member.reconsider(self.replays, wrong, self.noise(member))
        for member in self.members:
            member.rescale(self.units(), self.constant)
        self.inherit(self.switches * gap, t)

    def listen(self, y):
        shares = np.array([member.share for member in self.members])
        m, q = np.array(self.looks).T
        right = norm.cdf(y * m / np.sqrt(NOISES[:, None] + q))
        weights = self.noises * ((self.wrong + (1 - 2 * self.wrong) * right) @ shares)
        self.noises = 0.999 * weights / weights.sum() + 0.001 * PLAUSIBLE

    def judge(self, y):
        likely = np.array([p if y > 0 else 1 - p for p in self.chances])
        flipped = self.wrong * (1 - (likely - self.wrong) / (1 - 2 * self.wrong)) / likely
        shares = np.array([member.shares for member in self.members]) * likely[:, None]
        shares /= shares.sum()
        for member, own, p in zip(self.members, shares, likely, strict=True):
            member.shares, member.likely = own, p
        shares = shares.sum(axis=1)
        self.errors += shares @ flipped
        self.weighed += 1

    def inherit(self, expected, t):
        settled = [member for member in self.members if not member.wanders]
        newest = max(settled, key=lambda member: member.first)
        if len(self.rows) % EVERY == 0:
            if len(settled) == 8:
                least = min(settled, key=lambda member: member.share)
                others = [member for member in settled if member is not least]
                near = min(others, key=lambda member: abs(member.first - least.first))
                near.shares = near.shares + least.shares
                self.members.remove(least)
            newest = Member(len(self.rows), t, self.units(), *self.prior())
            self.members.append(newest)
        given = 0.0
        for member in self.members:
            age = self.switches * (t - member.born)
            part = 1 - np.append(np.exp(-expected * PACES), survived(age, expected, member.wanders))
            given += part * member.shares * 0.5 / member.likely
            member.shares = (1 - part) * member.shares
        self.members[0].shares += DRAWN * given
        newest.shares += (1 - DRAWN) * given
        total = sum(member.share for member in self.members)
        for member in self.members:
            member.shares = member.shares / total
        if len(self.rows) in (4, 16, 64, 256):
            self.members[0].set_out(max(self.members, key=lambda member: member.share))


def survived(age, gap, wanders):
    """The part of concepts of every length, of this age now, that did not end in the gap before."""
    if wanders:
        return np.full(len(LENGTHS), math.exp(-gap))
    ages = np.array([[max(0.0, age - gap)], [age]])
    before, now = 0.05 + 0.95 / (1 + (ages / LENGTHS) ** 16)
    return math.exp(-0.1 * gap) * now / before


def entropy(p):
    return sum(-each * math.log2(each) for each in (p, 1 - p) if each > 0)


class Rate:
    """Budget(rate=...), row by row."""

    lag, eager, thrift = 500.0, 0.1, 0.3

    def __init__(self, rate, saved=400, audits=0.1):
        self.rate, self.room, self.floor, self.free = rate, rate * saved, audits * rate, True
        self.saved, self.owed, self.burst, self.rows = self.room, 0.0, False, 0
        self.slow, self.calm, self.fast = 0.0, 0.0, 0.0

    def chance(self, worth, doubt, ring, t):
        self.rows += 1
        self.slow = self.slow if self.rows > 1 else self.eager * worth
        self.slow += (worth - self.slow) / 1000
        self.calm += (doubt - self.calm) / min(self.rows, 200)
        self.fast += (doubt - self.fast) / min(self.rows, 10)
        self.put = self.thrift * (1 - self.rate) ** 2 if self.saved < self.room else 0.0
        lag = self.owed / (self.lag * self.rate)
        even = self.rate * (1 - self.put) * worth / self.slow * math.exp(max(-3.0, min(3.0, lag)))
        least = self.rate if lag > 0.5 else self.floor
        self.even = min(1.0 if self.free else self.rate, max(least, even))
        if self.saved <= 0:
            self.burst = False
        elif self.saved >= 0.1 * self.room and self.fast > 1.4 * self.calm:
            self.burst = True
        self.now = max(self.even, min(1.0, worth)) if self.burst and self.free else self.even
        return self.now

    def after(self, asked):
        own = self.even / self.now if asked else 0.0
        self.owed += self.rate * (1 - self.put) - own
        self.saved += self.rate * self.put - (asked - own)


class Labels(Rate):
    """Budget(labels=..., horizon=...), row by row."""

    eager, thrift = 0.015, 0.1

    def __init__(self, labels, horizon):
        super().__init__(labels / horizon)
        self.audits = self.floor
        self.left, self.rest, self.lag = labels, horizon, max(500.0, horizon)

    def chance(self, worth, doubt, ring, t):
        even = self.left / self.rest
        early = ring.lasting(t, self.rest) * (t - 1) / (t - 1 + 1000)
        self.rate = min(1.0, even / (1 - early / 2))
        self.room = 400 * self.rate
        self.floor = min(even, self.audits)
        self.free = self.left - 1 >= self.floor * (self.rest - 1)
        return super().chance(worth, doubt, ring, t)

    def after(self, asked):
        super().after(asked)
        self.left, self.rest = self.left - asked, self.rest - 1


def play(X, y, draws, ring, budget):
    """Return the margins, the probabilities, and which labels were asked for."""
    record = deque()
    X = np.column_stack([np.ones(len(X)), X]) if ring.constant else X
    for t, (x, label, u) in enumerate(zip(X, y, draws, strict=True), 1):
        r, q = ring.predict(x)
        news = q * max(0.0, 1 - budget.calm)
        p = budget.chance(ring.life(t) * ((1 - abs(r)) ** 1.5 + news / 2), q, ring, t)
        asked = bool(u < p)
        if asked:
            ring.learn(x, label, t)
        budget.after(asked)
        record.append((r, p, asked))
    return tuple(map(np.array, zip(*record, strict=True)))
