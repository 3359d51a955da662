"""LeadingHistory and Budget, as their documentation tells them: posteriors from all their terms.

A member's posterior is the inverse of the prior's precision plus tau x x' for every label, and is
computed anew whenever it is looked at. Wanderers have no terms: their matrix is moved.
"""

import math
from collections import deque

import numpy as np
from scipy.stats import norm

NOISE, PRIOR, EVERY, DRAWN, HEARD, SLOWNESS, NEW = 0.03, 3.0, 4, 0.1, 0.02, 1000.0, 30


def site(m, q, y, wrong):
    """tau and nu of a label: what brings N(m, q) to the moments of N(m, q) times its likelihood."""
    sigma = math.sqrt(NOISE + q)
    z = y * m / sigma
    likelihood = wrong + (1 - 2 * wrong) * norm.cdf(z)
    slope = (1 - 2 * wrong) * norm.pdf(z) / likelihood  # of log Z in z
    bend = max(0.0, slope * (slope + z))
    mean, variance = m + q * y * slope / sigma, q - q * q * bend / sigma**2
    tau = 1 / variance - 1 / q
    return tau, mean / variance - m / q


class Member:
    """One that was born with label `first`, in round `born`."""

    def __init__(self, first, born, prior, wanders=False):
        self.first, self.born, self.prior, self.wanders = first, born, prior, wanders
        self.share, self.cursor = 0.0, 0
        self.rows, self.labels, self.tau, self.nu = [], [], [], []
        self.w, self.S = np.zeros(len(prior)), prior.copy()

    def look(self, x):
        return self.w @ x, x @ self.S @ x

    def refresh(self):
        precision, total = np.linalg.inv(self.prior), np.zeros(len(self.prior))
        for x, tau, nu in zip(self.rows, self.tau, self.nu, strict=True):
            precision += tau * np.outer(x, x)
            total += nu * x
        self.S = np.linalg.inv(precision)
        self.w = self.S @ total

    def learn(self, x, y, wrong):
        tau, nu = site(*self.look(x), y, wrong)
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

    def fade(self, by, prior):
        self.w, self.S = by * self.w, by**2 * self.S + (1 - by**2) * prior

    def reconsider(self, times, wrong):
        known = len(self.rows) - 1
        for _ in range(min(times, known)):
            self.cursor += 1
            j = known - 1 - self.cursor % known
            m, q = self.look(self.rows[j])
            without = 1 / (1 / q - self.tau[j])
            mean = without * (m / q - self.nu[j])
            self.tau[j], self.nu[j] = site(mean, without, self.labels[j], wrong)
            self.refresh()


class Leading:
    """The ring: 1 wanderer, and up to 8 others."""

    def __init__(self, switches, replays):
        self.switches, self.replays = switches, replays
        self.members, self.count, self.last = [], 0, 0
        self.errors, self.weighed, self.squares = 0.5, 50.0, 0.0

    def prior(self, d):
        return PRIOR / (self.squares / self.count) * np.eye(d)

    def predict(self, x):
        """p(+1) - p(-1), and q."""
        if not self.members:
            return 0.0, 0.0
        self.wrong = self.errors / self.weighed
        self.said = [self.belief(*member.look(x)) for member in self.members]
        shares = [member.share for member in self.members]
        p = np.dot(shares, self.said)
        told = entropy(p) - np.dot(shares, [entropy(each) for each in self.said])
        new = [m.share for m in self.members if not m.wanders and 0 < m.first > self.count - NEW]
        return 2 * p - 1, max(0.0, told) + sum(new)

    def belief(self, m, q):
        return self.wrong + (1 - 2 * self.wrong) * norm.cdf(m / math.sqrt(NOISE + q))

    def learn(self, x, y, t):
        self.count += 1
        self.squares += x @ x
        gap, self.last = t - self.last, t
        if self.count == 1:
            self.members = [Member(0, 0, self.prior(len(x)), wanders) for wanders in (True, False)]
            for member in self.members:
                member.share = 0.5
            self.predict(x)
        self.judge(y)
        wrong = self.errors / self.weighed
        for member in self.members:
            member.learn(x, y, wrong)
            if member.wanders:
                member.fade(math.exp(-gap / SLOWNESS), self.prior(len(x)))
            elif member.share >= HEARD:
                member.reconsider(self.replays, wrong)
        self.share(1 - math.exp(-self.switches * gap), len(x), t)

    def judge(self, y):
        likely = np.array([p if y > 0 else 1 - p for p in self.said])
        flipped = self.wrong * (1 - (likely - self.wrong) / (1 - 2 * self.wrong)) / likely
        shares = np.array([member.share for member in self.members]) * likely
        shares /= shares.sum()
        for member, share in zip(self.members, shares, strict=True):
            member.share = share
        self.errors += shares @ flipped
        self.weighed += 1

    def share(self, part, d, t):
        given = 0.0
        for member in self.members:
            given += part * member.share
            member.share *= 1 - part
        settled = [member for member in self.members if not member.wanders]
        self.members[0].share += DRAWN * given
        newest = max(settled, key=lambda member: member.first)
        if self.count % EVERY == 0:
            if len(settled) == 8:
                least = min(settled, key=lambda member: member.share)
                others = [member for member in settled if member is not least]
                near = min(others, key=lambda member: abs(member.first - least.first))
                near.share += least.share
                self.members.remove(least)
            newest = Member(self.count, t, self.prior(d))
            self.members.append(newest)
        newest.share += (1 - DRAWN) * given


def entropy(p):
    return sum(-each * math.log2(each) for each in (p, 1 - p) if each > 0)


class Rate:
    """Budget(rate=...), row by row."""

    def __init__(self, rate, saved=500, audits=0.1):
        self.rate, self.room, self.audits = rate, rate * saved, audits
        self.saved, self.owed, self.burst, self.rows = self.room / 2, 0.0, False, 0
        self.slow, self.fast = 0.0, 0.0

    def chance(self, worth):
        self.rows += 1
        self.slow += (worth - self.slow) / min(self.rows, 200)
        self.fast += (worth - self.fast) / min(self.rows, 10)
        self.put = 0.5 * (1 - self.rate) ** 4 if self.saved < self.room else 0.0
        lag = math.exp(max(-2.0, min(2.0, 0.02 * self.owed)))
        even = self.rate * (1 - self.put) * worth / self.slow * lag
        least = self.rate if self.owed > max(self.room, 50) else self.audits * self.rate
        self.even = min(1.0, max(least, even))
        if self.saved <= 0:
            self.burst = False
        elif self.saved >= 0.1 * self.room and self.fast > 1.4 * self.slow:
            self.burst = True
        self.now = max(self.even, min(1.0, worth)) if self.burst else self.even
        return self.now

    def after(self, asked):
        own = self.even / self.now if asked else 0.0
        self.owed += self.rate * (1 - self.put) - own
        self.saved += self.rate * self.put - (asked - own)


def play(X, y, draws, rate, switches, replays):
    """Return the margins, the probabilities, and which labels were asked for."""
    ring, budget, record = Leading(switches, replays), Rate(rate), deque()
    for t, (x, label, u) in enumerate(zip(X, y, draws, strict=True), 1):
        r, q = ring.predict(x)
        p = budget.chance((1 - abs(r)) ** 1.5 + q)
        asked = bool(u < p)
        if asked:
            ring.learn(x, label, t)
        budget.after(asked)
        record.append((r, p, asked))
    return tuple(map(np.array, zip(*record, strict=True)))
