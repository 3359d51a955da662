"""LeadingHistory and Budget, as their documentation tells them: posteriors from precisions.

What a member has learned is a precision and a vector, the sums of tau z z' and nu z over its
labels; its posterior under the priors of now is computed from them whenever it is looked at.
Wanderers, which forget, have a matrix that is moved. Where z leaves something out, `flat` are the
weights of features and their variances.
"""

import math
from collections import deque

import numpy as np
from scipy.stats import norm

from selectron.history.fourier import directions
from selectron.history.state import coordinates

WIDE = np.array([0.99, 0.9, 0.99, 0.9, 0.001])  # parts of z, by kind, if features have weights, too

PRIOR, EVERY, DRAWN, BACK, ASKED = 3.0, 4, 0.1, 0.2, 1e-3
CONSTANT = PRIOR / 2 / (1 + PRIOR)
CHANCE, FAR, SETTLED, NEGLIGIBLE, MIXED, FITTING = 3.0, 5.0, 8, 0.01, 0.005, 256
SLOWNESS, NEW = 8000.0, 30
PARTS = np.array([0.9, 0.05, 0.05])
PACES = np.array([0.01, 0.03, 0.1, 0.3, 1, 3, 10])
LIKELY = np.array([0.1, 0.1, 0.1, 0.2, 0.3, 0.1, 0.1])
NOISES = np.array([0.03, 0.1, 0.3, 1, 3, 10])
PLAUSIBLE = np.array([0.4, 0.2, 0.1, 0.1, 0.1, 0.1])
POWERS = [("scaled", 1), ("reduced", 3), ("scaled", 3), ("raw", 2), ("scaled", 0)]


def site(m, q, y, drawn, noise):
    """tau and nu of a label: what brings N(m, q) to the moments of N(m, q) times its likelihood."""
    sigma, concept = math.sqrt(noise + q), 1 - drawn.sum()
    z = y * m / sigma
    likelihood = drawn[int(y < 0)] + concept * norm.cdf(z)
    slope = concept * norm.pdf(z) / likelihood  # of log Z in z
    bend = max(0.0, slope * (slope + z))
    mean, variance = m + q * y * slope / sigma, q - q * q * bend / sigma**2
    tau = 1 / variance - 1 / q
    return tau, mean / variance - m / q


class Member:
    """One that was born with label `first`, in round `born`, with what it knew then."""

    def __init__(self, kind, first=0, born=0, knew=(0.0, 0.0)):
        self.kind, self.first, self.born, self.origin = kind, first, born, None
        self.shares, self.knew, self.flat = np.zeros(len(PACES)), knew, None

    @property
    def share(self):
        return self.shares.sum()


class Ring:
    """A wanderer, eight others, and up to four from the archive, on features of rows."""

    def __init__(self, switches, kinds=4, constant=0, wide=False):
        self.switches, self.kinds, self.constant, self.wide = switches, kinds, constant, wide
        self.members, self.archive = [Member(kind) for kind in (0, *range(kinds))], []
        for member in self.members:
            member.shares = LIKELY / (1 + kinds)
        self.rows, self.last, self.noises = [], 0, PLAUSIBLE  # rows: those with labels
        self.random, self.positive, self.weighed, self.led, self.left = 1.0, 25.0, 50.0, 0, 0

    def take_on(self, to_z, A, priors):
        """Take other coordinates, A z, and priors; what has been learned is carried over."""
        if self.rows:
            self.members[0].knew = self.learned(self.members[0])
            for member in self.members + self.archive:
                information, total = member.knew
                member.knew = A @ (information + 0 * A.T @ A) @ A.T, A @ (total + 0 * A[0])
        self.to_z, self.priors = to_z, priors
        self.wander = self.posterior(self.members[0].kind, *self.members[0].knew)

    def take_scales(self, by, mean, variances):
        """Standardise whole rows in other units; what has been learned of features is carried."""
        for member in self.members + self.archive if self.wide else []:
            if not self.rows:
                member.flat = 0 * by, variances[member.kind]
                continue
            (w, v), ratio = member.flat, self.by / by
            member.flat = w * ratio, v * ratio**2
            moved = member.flat[0] @ ((mean - self.mean) * by) / math.sqrt(1 + PRIOR)
            self.shift(member, moved * np.eye(len(self.to_z))[0])
        self.by, self.mean, self.flat_priors = by, mean, variances

    def shift(self, member, by):
        """Add to the weights of z."""
        if member is self.members[0]:
            self.wander = self.wander[0] + by, self.wander[1]
        else:
            information, total = member.knew
            precision = np.linalg.inv(self.priors[member.kind]) + information
            member.knew = information, total + precision @ by

    def is_flat(self, kind):
        return False

    def fresh(self, kind):
        return 0 * self.by, self.flat_priors[kind]

    def learned(self, member):
        """What a member has learned: a precision and a vector."""
        if member is not self.members[0]:
            return member.knew
        w, P = self.wander
        return np.linalg.inv(P) - np.linalg.inv(self.priors[member.kind]), np.linalg.inv(P) @ w

    def posterior(self, kind, information, total):
        P = np.linalg.inv(np.linalg.inv(self.priors[kind]) + information)
        return P @ (total + np.zeros(len(P))), P

    def look(self, member, x):
        own = member is self.members[0]
        w, P = self.wander if own else self.posterior(member.kind, *self.learned(member))
        z, c, member.rest = self.to_z @ x, self.constant, (0.0, 0.0)
        if member.flat is not None:
            member.x = (x - self.mean) * self.by
            member.x[:c] = 0.0
            member.rest = member.flat[0] @ member.x, member.flat[1] @ member.x**2
        if c:  # raised by how uncertain the rest of the margin is
            z[0] = math.sqrt(1 + z[1:] @ P[1:, 1:] @ z[1:] + member.rest[1])
        member.z = z
        return w @ z + member.rest[0], z @ P @ z + member.rest[1]

    def drawn(self):
        """The probabilities of +1 and -1 that are drawn at random."""
        positive = self.positive / self.weighed
        return min(0.6, self.random / self.weighed) * np.array([positive, 1 - positive])

    def predict(self, x, least):
        """p(+1) - p(-1), and q, by members whose share is this at least."""
        self.noise = math.exp(self.noises @ np.log(NOISES))
        heard = [each for each in self.members + self.archive if each.share >= least]
        for member in heard:
            member.m, member.q = self.look(member, x)
            sigma = math.sqrt(self.noise + member.q)
            drawn = self.drawn()
            member.chance = drawn[0] + (1 - drawn.sum()) * norm.cdf(member.m / sigma)
        shares = np.array([each.share for each in heard])
        chances = [each.chance for each in heard]
        p = shares @ chances / shares.sum()
        gain = entropy(p) - shares @ [entropy(each) for each in chances] / shares.sum()
        return 2 * p - 1, max(0.0, gain)

    def learn(self, x, y, t):
        """Learn from a label, after all have predicted."""
        everyone, gap, self.last = self.members + self.archive, t - self.last, t
        m, q, shares = (
            np.array([getattr(e, name) for e in everyone]) for name in ("m", "q", "share")
        )
        right = norm.cdf(y * m / np.sqrt(NOISES[:, None] + q))
        drawn, own = self.drawn(), int(y < 0)
        weights = self.noises * ((drawn[own] + (1 - drawn.sum()) * right) @ shares)
        self.noises = 0.999 * weights / weights.sum() + 0.001 * PLAUSIBLE
        likely = np.array([each.chance if y > 0 else 1 - each.chance for each in everyone])
        shares = shares * likely / (shares @ likely)
        for member, p in zip(everyone, likely, strict=True):
            member.likely = p
        total = sum((each.shares * each.likely).sum() for each in everyone)
        for member in everyone:
            member.shares = member.shares * member.likely / total
        self.random, self.weighed = self.random + shares @ (drawn[own] / likely), self.weighed + 1
        self.positive += float(y > 0)
        self.rows.append(x)
        self.succeed(t)
        noise = math.exp(self.noises @ np.log(NOISES))
        drawn, n = self.drawn(), len(self.rows)
        for member in self.members:
            (tau, nu), z = site(member.m, member.q, y, drawn, noise), member.z
            if self.is_flat(member.kind):
                self.flattened(member, tau, nu, math.exp(-gap / SLOWNESS))
                continue
            by = math.exp(-gap / SLOWNESS)
            if member.flat is not None:
                tau, nu = self.divided(member, tau, nu, by)
            member.knew = member.knew[0] + tau * np.outer(z, z), member.knew[1] + nu * z
            if member is self.members[0]:
                self.wandered(z, tau, nu, by)
        if n % EVERY == 0:
            self.bear(t)
        self.inherit(self.switches * gap)
        if n in (4, 16, 64, 256):
            leader = max(self.members, key=lambda each: each.share)
            self.members[0].flat = leader.flat
            if not self.is_flat(leader.kind):
                self.wander = self.posterior(leader.kind, *self.learned(leader))
            self.members[0].kind = leader.kind

    def divided(self, member, tau, nu, by):
        """Update the weights of features; return the tau and nu that z has of a label.

        The two parts of a margin stay independent: with tau and nu alone, z would move as without.
        """
        (w, v), (m, q), part = member.flat, member.rest, 1 / (1 + tau * member.q)
        g, move = v * member.x, (nu - tau * member.m) * part
        w, v = w + g * move, v - g**2 * tau * part
        if member is self.members[0]:
            w, v = by * w, by**2 * v + (1 - by**2) * self.flat_priors[member.kind]
        member.flat, own = (w, v), tau / (1 + tau * q)
        return own, move * (1 + own * (member.q - q)) + own * (member.m - m)

    def wandered(self, z, tau, nu, by):
        (w, P), prior = self.wander, self.priors[self.members[0].kind]
        now = np.linalg.inv(np.linalg.inv(P) + tau * np.outer(z, z))
        self.wander = by * now @ (np.linalg.inv(P) @ w + nu * z), by**2 * now + (1 - by**2) * prior

    def succeed(self, t):
        lead = max(range(len(self.members)), key=lambda k: self.members[k].share)
        if lead == 0:
            return
        old, self.led = self.members[self.led], lead
        leader = self.members[lead]
        if leader.born <= self.left or 2 * (t - leader.born) >= t - old.born:
            return
        self.members[0].born = leader.born
        if old is not self.members[0] and len(self.rows) - old.first >= NEW:
            origin = old.origin
            knew = None if self.is_flat(old.kind) else self.learned(old)
            kept, self.left = Member(old.kind, born=t, knew=knew or (0.0, 0.0)), t
            kept.flat = old.flat
            kept.likely = old.likely
            place = len(self.archive)
            if origin is not None or place == 4:
                oldest = min(range(place), key=lambda k: self.archive[k].born)
                place = oldest if origin is None else origin
                kept.shares = self.archive[place].shares
            self.archive[place : place + 1] = [kept]
            for member in self.members:
                if member is not old and member.origin == place:
                    member.origin = None

    def bear(self, t):
        place = len(self.members)
        if place == 9:
            settled, began = self.members[1:], self.members[0].born
            current = [each for each in settled if each.born >= began]
            kept = min(current, key=lambda each: (each.first, -each.share), default=None)
            least = min((e for e in settled if e is not kept), key=lambda each: each.share)
            near = min(
                (each for each in settled if each is not least),
                key=lambda each: (abs(each.first - least.first), each.first),
            )
            near.shares = near.shares + least.shares
            least.shares, place = 0 * least.shares, self.members.index(least)
        leader = max(self.members, key=lambda each: each.share)
        n, births = len(self.rows), len(self.rows) // EVERY
        back = max(self.archive, key=lambda each: each.share, default=None)
        new = Member(births // 2 % self.kinds if births % 2 == 0 else leader.kind, n, t)
        if self.wide or self.is_flat(new.kind):
            new.flat = self.fresh(new.kind)
        new.likely = self.members[place].likely if place < len(self.members) else 0.5
        if back is not None and back.share >= 0.1:
            new.kind, new.knew, new.flat = back.kind, back.knew, back.flat
            new.origin, new.likely = self.archive.index(back), back.likely
            new.shares, back.shares = back.shares, 0 * back.shares
        self.members[place : place + 1] = [new]

    def inherit(self, expected):
        newest = max(self.members[1:], key=lambda each: each.first)
        ended, moved = 1 - np.exp(-expected * PACES), 0.0
        for member in self.members + self.archive:
            moved = moved + ended * member.shares / member.likely
            member.shares = (1 - ended) * member.shares
        self.members[0].shares = self.members[0].shares + DRAWN * moved / 2
        for member in self.archive:
            member.shares = member.shares + BACK / len(self.archive) * moved * member.likely
        left = 1 - DRAWN - (BACK if self.archive else 0.0)
        newest.shares = newest.shares + left * moved / 2
        total = sum(member.share for member in self.members + self.archive)
        for member in self.members + self.archive:
            member.shares = member.shares / total

    def lasting(self, remaining):
        ends = self.switches * PACES * remaining
        return sum(each.shares for each in self.members + self.archive) @ (
            (1 - np.exp(-ends)) / ends
        )


class Words(Ring):
    """A ring on sparse rows: `flat` is w, its variances, weights a of directions, their P, and the
    variance under the prior of a weight of a feature that is new.
    """

    parts = np.array([0.001, 0.6, 0.9, 0.001])

    def __init__(self, switches, constant, chosen, leading):
        super().__init__(switches, 4, int(constant))
        self.most, self.leading, self.seen, self.chosen = chosen, leading, [], []
        self.rings, self.V, self.trust, self.start, self.choices = [self], None, 0.0, 0, []
        self.about = np.zeros(2)  # squares of all rows about the means, those of the last renewal

    def is_flat(self, kind):
        return True

    def prior(self, kind):
        """The variance of the weight of a new feature, those of w, and those of a.

        The first of a is that of the constant.
        """
        along = self.parts[kind] * self.trust * self.along if self.trust else np.ones(self.leading)
        rest = PRIOR * (1 - self.parts[kind] * self.trust) * len(self.seen)
        rest /= self.about[int(kind in (1, 2))]
        return rest, rest * self.ratios[kind], np.append(CONSTANT, along)

    def own(self, kind):
        """Whether features are in their own units."""
        return kind == 3

    def fresh(self, kind):
        rest, v, along = self.prior(kind)
        return np.zeros(len(v)), v, np.zeros(len(along)), np.diag(along), rest

    def look(self, member, x):
        w, v, a, P, _ = member.flat
        x, z = self.centered, np.append(0.0, self.V.T @ self.centered - self.offset)
        z[0] = self.constant * math.sqrt(1 + v @ x**2 + z @ P @ z)
        member.z = x, z
        return w @ x + a @ z, v @ x**2 + z @ P @ z

    def flattened(self, member, tau, nu, by):
        (w, v, a, P, rest), (x, z), kind = member.flat, member.z, member.kind
        g, h, part = v * x, P @ z, 1 / (1 + tau * member.q)
        move = (nu - tau * member.m) * part
        w, v = w + g * move, v - g**2 * tau * part
        a, P = a + h * move, P - np.outer(h, h) * tau * part
        if member is self.members[0]:
            now, prior, own = self.prior(kind)
            w, v, a = by * w, by**2 * v + (1 - by**2) * prior, by * a
            P, rest = by**2 * P + (1 - by**2) * np.diag(own), by**2 * rest + (1 - by**2) * now
        member.flat = w, v, a, P, rest

    def take_units(self, X):
        """Take means and units from all rows; return the means and ratios before."""
        before, n, counts = (self.means, self.ratios), len(X), (X != 0).sum(axis=0)
        usual = (2 * counts > n) & (self.constant > 0)
        self.means = np.where(usual, X.mean(axis=0), 0.0)
        squares, counts = ((X - self.means) ** 2 * (usual | (X != 0))).sum(axis=0), 1.0 * counts
        counts[usual] = n
        used = squares > 0
        N, S = counts[used], squares[used]
        least = 1e-3 * np.exp(np.average(np.log(S / N), weights=S))
        some = least < S / N
        limits = [4 * np.exp(np.average(np.log(of[some]), weights=N[some])) for of in (S / N, S)]
        self.ratios = np.ones((4, len(counts)))
        self.ratios[1:3, used] = np.where(limits[0] < S / N, np.minimum(1, limits[1] / S), 1)
        self.ratios[3, used] = S.sum() / N.sum() * N / S
        self.about = np.array([squares.sum(), self.ratios[1] @ squares])
        self.part = np.ones(len(counts))
        moved = n * (self.means - before[0]) ** 2
        self.part[used] = squares[used] / (squares + moved)[used]
        return before

    def renew(self, d):
        """Take directions from the rows since the last time, after 32, 64 and so on."""
        n, c, old = len(self.seen), self.constant, (self.V, self.trust)
        before = [np.diag(self.prior(kind)[2]) for kind in range(4)]
        X, offset, V = np.array(self.seen), self.offset, np.zeros((d, self.leading))
        X[:, :c] = 0.0
        means, ratios = self.take_units(X)
        if self.chosen:
            now = X[self.start :, self.chosen]
            mean = (now.mean(axis=0) - means[self.chosen]) * c
            now, D = now - means[self.chosen], np.diag(self.ratios[1, self.chosen] ** 0.5)
            C = now.T @ now / len(now) - np.outer(mean, mean)
            values, vectors = np.linalg.eigh(D @ C @ D)
            values, V[self.chosen] = values[-self.leading :], D @ vectors[:, -self.leading :]
            self.along, self.trust = PRIOR * values / (values @ values), n / (n + 100)
            self.offset = (mean + (means - self.means)[self.chosen]) @ V[self.chosen]
        usual, noise = self.means != 0, np.random.default_rng(0).standard_exponential(d)
        squares = ((X - self.means) ** 2 * (usual | (X != 0))).sum(axis=0)
        drawn = squares / np.where(usual, noise, 1)
        wanted = [j for j in np.argsort(-drawn[c:], kind="stable") + c if squares[j] > 0]
        self.chosen, self.start = wanted[: self.most], n
        self.choices.append(set(self.chosen))
        V[[j for j in range(d) if j not in self.chosen]] = 0.0
        A, self.V, moved = np.eye(1 + self.leading), V, self.means - means
        A[1:, 1:] = V.T @ np.diag(1 / ratios[1]) @ old[0]
        A[1:, 0] = A[1:, 1:] @ offset - V.T @ moved - self.offset
        for member in self.members + self.archive if self.rows else []:
            (w, v, a, P, rest), S = member.flat, before[member.kind]
            J = np.linalg.inv(P) - np.linalg.inv(S)
            now, prior, along = self.prior(member.kind)
            new = np.linalg.inv(np.linalg.inv(np.diag(along)) + A @ J @ A.T)
            b = new @ A @ np.linalg.inv(P) @ a
            if c:
                b[0] = a[0] - offset @ a[1:] + self.offset @ b[1:]
                b[0] += (w + old[0] @ a[1:]) @ moved / math.sqrt(1 + PRIOR)
            w = w + old[0] @ a[1:] - V @ b[1:]
            if not self.own(member.kind) and rest > now:  # it does not shrink
                now, prior = rest, prior * rest / now
            learned = np.maximum(0.0, 1 / v - 1 / (rest * ratios[member.kind]))
            after = 1 / (1 / prior + self.part * learned)
            member.flat = self.part * after * w / v, after, b, new, now

    def predict(self, x):
        """p(+1) - p(-1), and q."""
        if self.V is None:
            self.V, self.offset = np.zeros((len(x), self.leading)), np.zeros(self.leading)
            self.means, self.ratios = np.zeros(len(x)), np.ones((4, len(x)))
        n = len(self.seen)
        if n >= 32 and n & (n - 1) == 0:
            self.renew(len(x))
        self.x, self.centered = x, x - self.means
        self.centered[: self.constant] = 0.0
        return super().predict(x, ASKED) if self.rows else (0.0, 0.0)

    def observe(self):
        self.seen.append(self.x)
        self.about += [self.centered @ self.centered, self.ratios[1] @ self.centered**2]

    def lasting(self, t, remaining):
        return super().lasting(remaining)

    def learn(self, x, y, t):
        if not self.rows:
            for member in self.members:
                member.flat = self.fresh(member.kind)
        super().predict(x, 0.0)
        super().learn(x, y, t)


class Leading:
    """A ring on features, one on Fourier features, and base rates, mixed by what each foretold."""

    def __init__(self, switches, constant, features, many=False):
        self.rings = Ring(switches, 5, int(constant), many), Ring(switches)
        lone, half, part = int(0.3 * features), features // 2, np.ones((4, features))
        part[1, lone:half] = part[2, :lone] = part[2, half:] = part[3, :half] = 0.3
        priors = [np.diag(2 * PRIOR * row / row.sum()) for row in part]
        self.rings[1].take_on(np.eye(features), None, priors)
        self.constant, self.features, self.shares = int(constant), features, PARTS
        self.rows, self.renewed, self.total, self.counted = [], 0, 0.0, 0.0
        self.last, self.odd, self.far = None, 0.0, 0.0
        self.reach, self.begun, self.deviations, self.to_x = None, False, 0.0, None
        self.nonzero, self.many = 0.0, 32

    def take(self, x):
        """The row with values that are far off brought nearer; remember which these are.

        The last row comes out as it did when it was observed.
        """
        again = self.last is not None and (x == self.last).all()
        self.came, self.before = x, self.far if again else self.odd * (self.far + 1)
        if self.reach is None:
            self.off = np.zeros(len(x))
            return x
        mean, reach = self.reach
        self.off = ((reach > 0) & (abs(x - mean) > reach)).astype(float)
        limit = reach * 2.0 ** (self.before * np.ones(len(x)))
        return np.where(self.off > 0, np.clip(x, mean - limit, mean + limit), x)

    def renew(self):
        """Take scales, priors and Fourier features from all rows, after 1, 2, 4 and so on."""
        n = len(self.rows)
        if n == 0 or n & (n - 1) or n == self.renewed:
            return
        self.renewed, c = n, self.constant
        X = np.array(self.rows)
        low, high = X.min(axis=0), X.max(axis=0)
        margin = (high - low) * SETTLED / n if n > 1 else np.inf
        self.seen, X = (low - margin, high + margin), X[:, c:]
        self.spread, self.filled = X.var(axis=0) if c else (X**2).mean(axis=0), self.nonzero[c:] / n
        d, mean = X.shape[1], X.mean(axis=0) if c else np.zeros(X.shape[1])
        C = (X - mean).T @ (X - mean) / n
        apart = self.deviations[c:] / n
        own = np.divide(np.diag(C), apart, np.zeros(d), where=apart > 0)
        square, by = (X.mean(axis=0) ** 2).mean(), np.ones(d)
        if (own > 0).any():
            logs = np.log(own[own > 0])
            squares = ((logs - logs.mean()) ** 2).sum()
            part = max(0.0, 1 - CHANCE / n * (len(logs) - 1) / squares) if squares > 0 else 0.0
            by = np.full(d, math.exp(-logs.mean()))
            by[own > 0] = np.exp(-part * logs - (1 - part) * logs.mean())
            by *= math.sqrt(d / (np.diag(C) * by**2).sum())
        else:
            by = by / math.sqrt(square) if square > 0 else by
        if n >= SETTLED:
            self.reach = np.append(np.zeros(c), mean), np.append(np.zeros(c), FAR * own)
        middle = np.zeros(d) if c else X.mean(axis=0)
        L, back, own = self.brought(C, by)
        ratio, large = by / math.exp(np.log(by).mean()), self.usual(by)
        u = np.where(ratio > 4, ratio / 4, np.where(ratio < 1 / 4, ratio * 4, 1.0))
        self.large, self.reduced = large < 1, by / large
        if len(L) < d:
            self.reduced = np.linalg.norm(L / np.where(large < 1, large, u), axis=1)
        C, middle = L @ C @ L.T / np.outer(own, own), L @ middle / own
        centred = C - np.outer(middle, middle)
        priors = [self.prior(centred, middle, own, *kind) for kind in POWERS]
        priors = self.parted(priors)
        self.take_on(L, back, by, mean, priors)

    def parted(self, priors):
        """The priors of z, if features have a part of the variance."""
        c = self.constant
        if not self.rings[0].wide:
            return priors
        for prior, part in zip(priors, WIDE, strict=True):
            prior[c:, c:] *= part
        return priors

    def brought(self, C, by):
        """What brings rows without the constant to coordinates, the way back, and their units."""
        e, d, n = coordinates(len(by) + self.constant) - self.constant, len(by), len(self.rows)
        ratio = by / math.exp(np.log(by).mean())
        u = np.where(ratio > 4, ratio / 4, np.where(ratio < 1 / 4, ratio * 4, 1.0))
        C = C * np.outer(u, u)
        if e == d or np.trace(C) == 0:
            return np.eye(e, d) * by, np.eye(d, e) / by[:, None], by[:e]
        D, least = np.diag(np.diag(C)), 1e-3 * np.trace(C) / d
        trust = self.trust(C, n)
        kept = max(trust, n / (n + d))
        values, vectors = np.linalg.eigh(kept * C + (1 - kept) * D)
        values, V = np.maximum(values, least)[d - e :], vectors[:, d - e :]
        alone = np.diag(V.T @ np.maximum(D, least * np.eye(d)) @ V)
        deviations = (values / alone) ** (trust / 4)  # of coordinates, but for their mean variance
        by = deviations / np.sqrt(values) * math.sqrt(e / (deviations**2).sum())
        return (V * by).T * u, V / by / u[:, None], by

    def usual(self, by):
        """What brings features of far larger scales than the median to that one."""
        if len(by) < self.many:
            return np.ones(len(by))
        logs = np.log(by / np.median(by))
        typical = np.median(abs(logs - np.median(logs)))
        return np.where(logs < -max(math.log(6), 6 * typical), np.exp(logs), 1.0)

    def trust(self, C, n):
        """One minus the shrinkage that Chen et al. give for correlations of n Gaussian rows."""
        varies = np.diag(C) > 0
        C, d = C[varies][:, varies], varies.sum()
        R = C / np.sqrt(np.outer(np.diag(C), np.diag(C)))
        if d < 2 or np.trace(R @ R) - d < 1e-12:
            return 0.0
        shrinkage = ((1 - 2 / d) * np.trace(R @ R) + np.trace(R) ** 2) / (
            (n + 1 - 2 / d) * (np.trace(R @ R) - np.trace(R) ** 2 / d)
        )
        return 1 - min(1.0, shrinkage)

    def prior(self, C, mean, by, units, power):
        d, c = len(by), self.constant
        S = np.eye(d) * PRIOR / d
        if (units, power) != ("scaled", 1) and np.trace(C) > 1e-9 * np.trace(
            C + np.outer(mean, mean)
        ):
            to = {"scaled": by, "raw": np.ones(d), "reduced": by / self.reduced}[units]
            to = to / (to / by).max()
            squares = (np.diag(C) + mean**2) * by**2
            met = squares > 1e-9 * squares.sum()
            C, mean, to, by = C[met][:, met], mean[met], to[met], by[met]
            C, mean = C * np.outer(to, to), mean * to
            usual, part = np.trace(C) / len(C), 0.1 * d / (len(self.rows) + d)
            M = (1 - part) * C / usual + part * np.eye(len(C))
            values, vectors = np.linalg.eigh(M)
            values = values ** (power - 1)
            P = vectors @ np.diag(np.maximum(values, 1e-3 * values.max())) @ vectors.T
            P = PRIOR * P / np.trace(P @ M) / usual
            if mean.any():
                P += PRIOR / 2 * np.outer(mean, mean) / (mean @ mean) / max(mean @ mean, usual)
            P = P * np.outer(to / by, to / by)
            S[np.ix_(met, met)] = P + 1e-3 * np.trace(P) / len(P) * np.eye(len(P))
        return np.block([[np.eye(c) * CONSTANT, np.zeros((c, d))], [np.zeros((d, c)), S]])

    def take_on(self, L, back, by, mean, priors):
        (linear, _), c = self.rings, self.constant
        to_z = np.eye(len(L) + c, len(by) + c)
        to_x = np.eye(len(by) + c, len(L) + c)
        to_z[c:, c:], to_x[c:, c:] = L, back
        if c:
            to_z[1:, 0], to_x[1:, 0] = -L @ mean, mean
        linear.take_on(to_z, to_z @ self.to_x if self.to_x is not None else None, priors)
        self.to_x, d = to_x, len(by)
        by, mean = np.append(np.ones(c), by), np.append(np.zeros(c), mean)
        linear.take_scales(by, mean, np.outer(1 - WIDE, [0.0] * c + [PRIOR / d] * d))
        if len(linear.rows) > FITTING:
            return
        features, d = self.features, len(by) - self.constant
        lone, half = int(0.3 * features), features // 2
        part = np.where(self.filled > 0, np.minimum(1, 2 * self.filled) ** 2, 1)
        to = by * np.append(np.ones(self.constant), part)
        total = (self.spread * to[self.constant :] ** 2).sum()
        total = max(total, d / 10) if total > 1e-9 * d else d
        width = math.sqrt(2 * total) * np.where(np.arange(features) < half, 0.4, 1.0)
        width[:lone] = 0.5 * math.sqrt(2)
        largest = sorted(range(self.constant, len(by)), key=lambda j: -abs(self.rows[0][j]))
        self.F = np.zeros((features, len(by)))
        self.F[:, largest] = directions(features, d) * to[largest] / width[:, None]
        self.phase = np.arange(features) % 2 * np.pi / 2 - self.F @ mean

    def lift(self, x):
        return np.cos(self.F @ np.clip(x, *self.seen) + self.phase)

    def predict(self, x):
        """p(+1) - p(-1), and q."""
        self.renew()
        self.x = self.take(x)
        if self.renewed == 0 and not self.begun:
            return 0.0, 0.0
        return self.mix(ASKED, self.shares[1] >= NEGLIGIBLE)

    def mix(self, least, lifted):
        linear, curved = self.rings
        r, q = linear.predict(self.x, min(0.05, least / self.shares[0]))
        found, bits = [r, r, self.total / (max(1.0, self.counted) + 2)], self.shares[0] * q
        if lifted:
            least = min(0.05, least / self.shares[1])
            found[1], q = curved.predict(self.lift(self.x), least)
            bits += self.shares[1] * q
        self.found = np.array(found)
        shares = np.where(np.array(self.shares) >= NEGLIGIBLE, self.shares, 0.0)
        return shares @ self.found / shares.sum(), bits

    def observe(self):
        """Remember the row that was predicted."""
        self.rows.append(self.x)
        self.last, self.odd, self.far = self.came, self.off, self.before
        mean = np.mean(self.rows, axis=0) if self.constant else 0.0
        self.deviations = self.deviations + abs(self.x - mean)
        self.nonzero = self.nonzero + (self.came != 0)

    def lasting(self, t, remaining):
        return self.rings[0].lasting(remaining)

    def learn(self, x, y, t):
        self.x = self.take(x)
        if self.renewed == 0:
            self.begun, c = True, self.constant
            rms, d = math.sqrt((self.x[c:] ** 2).mean()), len(self.x) - c
            e = coordinates(d + c) - c
            own = np.diag([CONSTANT] * c + [PRIOR / e] * e)
            self.to_x = np.eye(d + c, e + c)
            self.to_x[c:, c:] *= rms
            priors = self.parted([own.copy() for _ in WIDE])
            self.rings[0].take_on(np.linalg.pinv(self.to_x), None, priors)
            by = np.array([1.0] * c + [1 / rms] * d)
            variances = np.outer(1 - WIDE, [0.0] * c + [PRIOR / d] * d)
            self.rings[0].take_scales(by, np.zeros(c + d), variances)
        linear, curved = self.rings
        n = len(linear.rows)
        lifted = self.shares[1] >= NEGLIGIBLE or n < FITTING or n % 4 == 0
        lifted = lifted and self.renewed > 0
        self.mix(0.0, lifted)
        shares = self.shares * np.maximum((1 + y * self.found) / 2, 0.005)
        self.shares = (1 - MIXED) * shares / shares.sum() + MIXED * PARTS
        self.total += y - self.total / 500
        self.counted += 1 - self.counted / 500
        linear.learn(self.x, y, t)
        if lifted:
            curved.learn(self.lift(self.x), y, t)


def entropy(p):
    return sum(-each * math.log2(each) for each in (p, 1 - p) if each > 0)


class Rate:
    """Budget(rate=...), row by row."""

    lag, eager, thrift = 500.0, 0.2, 0.3

    def __init__(self, rate, saved=400, audits=0.1):
        self.rate, self.room, self.floor, self.free = rate, rate * saved, audits * rate, True
        self.saved, self.owed, self.burst, self.rows = self.room, 0.0, False, 0
        self.slow, self.calm, self.fast, self.log, self.spread = self.eager, 0.0, 0.0, 0.0, 0.0

    def chance(self, worth, doubt, ring, t):
        self.rows += 1
        by, part = math.log(max(worth, 1e-9)) - self.log, 1 / min(self.rows, 1000)
        self.log += part * by
        self.spread = (1 - part) * self.spread + part * (1 - part) * by**2
        z = (1 - part) * by / math.sqrt(self.spread + 1e-12)
        weight = math.exp(1.5 * min(z, 3.0))
        self.slow += (weight - self.slow) / 1000
        self.calm += (doubt - self.calm) / min(self.rows, 200)
        self.fast += (doubt - self.fast) / min(self.rows, 10)
        self.put = self.thrift * (1 - self.rate) ** 2 if self.saved < self.room else 0.0
        lag = self.owed / (self.lag * self.rate)
        even = self.rate * (1 - self.put) * weight / self.slow * math.exp(max(-3.0, min(3.0, lag)))
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

    eager, thrift = 0.03, 0.1

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
        p = budget.chance((1 - abs(r)) ** 1.5 + q / 2, q, ring, t)
        asked = bool(u < p)
        ring.observe()
        if asked:
            ring.learn(x, label, t)
        budget.after(asked)
        record.append((r, p, asked))
    return tuple(map(np.array, zip(*record, strict=True)))
