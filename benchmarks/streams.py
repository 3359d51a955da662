"""`python -m benchmarks.streams [--choose] [--quick] [STREAM ...]`: a suite for all learners.

River's generators and a few of ours, 10,000 rows each: no drift, abrupt, gradual and recurring
drift, imbalance, noise, heavy tails, one-hot columns, sparse text, several classes. `--choose`
takes other seeds, and other settings of the generators (rates of drift, noise, numbers of
features), than are reported: constants are chosen on them. `--quick` leaves out the rivals, which
are tuned in hindsight at equal numbers of labels; the adaptive random forest learns the very labels
that `LeadingHistory` asks for. Ablations: `--learner leading-history:fourier=0` takes other
parameters, `--set history.posterior.ARCHIVE_PART=0` another constant of a module.
"""

import argparse
from ast import literal_eval
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np
from river import forest
from river.datasets import synth
from scipy.sparse import csr_matrix

from selectron import OnlineClassifier
from selectron.askers import BBQ, Budget, Margin
from selectron.learners import LASEC, RLS, BayesianPerceptron
from selectron.specs import LEARNER

N, SHARES, SEEDS = 10_000, (0.05, 0.1, 0.2), range(5)
CHOOSING = range(100, 103)  # the seeds of `--choose`
Stream = tuple[Any, np.ndarray]


def taken(generator: Any, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Return n rows of a generator of River, and its targets."""
    pairs = list(islice(generator, n))
    X = np.array([[float(value) for value in x.values()] for x, _ in pairs])
    return X, np.array([float(y) for _, y in pairs])


def signs(y: np.ndarray) -> np.ndarray:
    """Return +1 where y is above 0, or else -1."""
    return np.where(y > 0, 1, -1)


def pieces(make: Callable[[int], Any], order: Iterator[int] | list[int]) -> Stream:
    """Return a stream of concepts, each for an equal share of the rows."""
    order = list(order)
    parts = [taken(make(concept), N // len(order)) for concept in order]
    return np.concatenate([X for X, _ in parts]), signs(np.concatenate([y for _, y in parts]))


def one_hot(X: np.ndarray) -> np.ndarray:
    """Return a column for every value of every column."""
    return np.hstack([(column[:, None] == np.unique(column)).astype(float) for column in X.T])


def bananas(seed: int, choose: bool) -> Stream:
    """A crescent between two others: 45% of the rows, which no line separates."""
    random = np.random.default_rng([seed, 1])
    y, angle = np.where(random.random(N) < 0.448, 1, -1), np.pi * random.random(N)
    radius = np.where((y > 0) | (random.random(N) < 0.5), 1.0, 2.2)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    inner = (y < 0) & (radius == 1)
    X[inner] = [1.0, 0.5] - X[inner]
    return X + (0.2 if choose else 0.25) * random.standard_normal((N, 2)), y


def rbf(seed: int, choose: bool, change: float = 1e-3) -> Stream:
    """Fifty Gaussian balls of two classes, which move by `change` with each row.

    The speeds usual in the literature are 1e-3 (RBF_f) and 1e-4 (RBF_m).
    """
    change = change / 2 if choose else change
    return pieces(
        lambda _: synth.RandomRBFDrift(
            seed, seed, change_speed=change, n_features=8 if choose else 10
        ),
        [0],
    )


def sine(seed: int, choose: bool) -> Stream:
    """Curves of two features that change places: four concepts."""
    return pieces(
        lambda k: synth.Sine(k, seed + k, has_noise=choose),
        [1, 3, 0, 2] if choose else [0, 1, 2, 3],
    )


def mixed(seed: int, choose: bool) -> Stream:
    """Two binary and two numerical features; the classes change places."""
    return pieces(lambda k: synth.Mixed(k % 2, seed + k), range(3 if choose else 4))


def friedman(seed: int, choose: bool) -> Stream:
    """Friedman's function, drifting, above or below its median."""
    kind, at = ("gra", (3000, 7000)) if choose else ("lea", (2500, 5000, 7500))
    X, y = taken(synth.FriedmanDrift(kind, at, seed=seed))
    return X, signs(y - np.median(y))


def stagger(seed: int, choose: bool) -> Stream:
    """Three categorical features, one-hot; three concepts in turn."""
    X, y = pieces(lambda k: synth.STAGGER(k % 3, seed + k), range(8 if choose else 10))
    return one_hot(X), y


def sea(seed: int, choose: bool) -> Stream:
    """A sum of two of three features against a threshold that changes, with wrong labels."""
    return pieces(
        lambda k: synth.SEA(k, noise=0.05 if choose else 0.1, seed=seed + k), [0, 1, 2, 3]
    )


def lasting(random: np.random.Generator, choose: bool) -> np.ndarray:
    """Return the number of every row's concept; concepts last 800 rows on average."""
    return np.cumsum(random.random(N) < 1 / (600 if choose else 800))


def gaussian(seed: int, choose: bool, kind: str) -> Stream:
    """A hyperplane in 20 features, at rest, drifting, switching, or coming back: three concepts."""
    random, d = np.random.default_rng(seed), 15 if choose else 20
    X, t = random.standard_normal((N, d)), np.arange(N)
    concept = lasting(random, choose)
    targets = random.standard_normal((concept[-1] + 2, d))
    if kind == "recurring":
        moves = np.cumsum(random.integers(1, 3, len(targets))) % 3  # never the same again at once
        w = targets[:3][moves[concept]] if len(targets) > 3 else targets[concept]
    elif kind == "gradual":
        mix = np.clip((t[:, None] - N / 2) / 3000 + 0.5, 0, 1)
        w = (1 - mix) * targets[0] + mix * targets[1]
    else:
        w = targets[concept] if kind == "abrupt" else np.tile(targets[0], (N, 1))
    m = np.einsum("td,td->t", X, w)
    if kind == "noisy":
        m = m * np.where(random.random(N) < 0.2, -1, 1)
    if kind == "rare":
        m = m - np.quantile(m, 0.99)
    if kind == "tails":
        X = X * random.standard_t(2, (N, d)) * 10.0 ** random.uniform(-1, 1, d)
        m = np.sign(X) @ np.abs(targets[0]) + random.standard_normal(N)
    return X, signs(m)


def hyperplane(seed: int, choose: bool) -> Stream:
    """River's rotating hyperplane."""
    change = 0.001 if choose else 0.002
    return pieces(lambda _: synth.Hyperplane(seed, n_drift_features=5, mag_change=change), [0])


def agrawal(seed: int, choose: bool) -> Stream:
    """Loans: rules on six numbers and three categories, that change."""
    order = [3, 5, 7] if choose else [0, 2, 4, 8]
    X, y = pieces(lambda k: synth.Agrawal(k, seed + k), order)
    return np.hstack([np.delete(X, [3, 4, 5], axis=1), *(one_hot(X[:, [j]]) for j in (3, 4, 5))]), y


def led(seed: int, choose: bool, digits: bool = False) -> Stream:
    """A display of seven segments, some of them wrong, and 17 useless ones: odd, or which digit."""
    X, y = taken(synth.LEDDrift(seed, 0.15 if choose else 0.1, True, n_drift_features=4))
    return X, y.astype(int) if digits else signs(y % 2)


def waveform(seed: int, choose: bool, kinds: bool = False) -> Stream:
    """Waves of 21 numbers: the first kind against two others, or all three kinds."""
    X, y = taken(synth.Waveform(seed, has_noise=choose))
    return X, y.astype(int) if kinds else signs(0.5 - y)


def text(seed: int, choose: bool) -> Stream:
    """Sparse rows of 5,000 words; the topic that is wanted changes."""
    random, words = np.random.default_rng(seed), 5000
    topics = random.dirichlet(np.full(words, 0.02), 8)
    common = random.dirichlet(np.full(words, 0.05))
    of, rows = random.integers(8, size=N), []
    for k in of:
        p = 0.7 * common + 0.3 * topics[k]
        rows.append(np.unique(np.searchsorted(np.cumsum(p), random.random(40)).clip(0, words - 1)))
    lengths = np.array(list(map(len, rows)))
    values = np.repeat(1 / np.sqrt(lengths), lengths)
    wanted = random.permuted(np.tile(np.arange(8), (5, 1)), axis=1)[:, : 3 if choose else 4]
    y = np.where((wanted[np.arange(N) * 5 // N] == of[:, None]).any(axis=1), 1, -1)
    indptr = np.concatenate([[0], lengths.cumsum()])
    return csr_matrix((values, np.concatenate(rows), indptr), (N, words)), y


def isotropic(seed: int, choose: bool) -> Stream:
    """Many independent features of equal size."""
    random, d = np.random.default_rng(seed), 400 if choose else 300
    X = random.normal(size=(N, d))
    return X, signs(X @ random.normal(size=d))


def correlated(seed: int, choose: bool) -> Stream:
    """Five features that are nearly equal; their differences decide."""
    random = np.random.default_rng(seed)
    apart, w = random.normal(size=(N, 5)), random.normal(size=5)
    X = random.normal(size=(N, 1)) + (0.1 if choose else 0.03) * apart
    return X, signs(apart @ (w - w.mean()))


STREAMS: dict[str, Callable[[int, bool], Stream]] = {
    "bananas": bananas,
    "rbf_drift": rbf,
    "rbf_drift, slow": partial(rbf, change=1e-4),
    "rbf at rest": partial(rbf, change=0.0),
    "sine": sine,
    "mixed": mixed,
    "Friedman": friedman,
    "STAGGER": stagger,
    "SEA": sea,
    "hyperplane": hyperplane,
    "Agrawal": agrawal,
    "LED": led,
    "waveform": waveform,
    **{
        f"Gaussian, {kind}": partial(gaussian, kind=kind)
        for kind in ("at rest", "abrupt", "gradual", "recurring", "noisy", "rare", "tails")
    },
    "text": text,
    "LED, 10 digits": partial(led, digits=True),
    "waveform, 3 kinds": partial(waveform, kinds=True),
}
NAMED = {"isotropic": isotropic, "correlated": correlated}  # played if named
RIVALS = [
    *((BayesianPerceptron(s0), Margin) for s0 in (0.1, 0.5, 2.0)),
    *((LASEC(1.0, c), Margin) for c in (100.0, 1000.0, 10_000.0)),
    (RLS(1.0), BBQ),
]


def leading(learner: Any, X: Any, y: np.ndarray, share: float, seed: int) -> Any:
    """Return the run of a `LeadingHistory` with a share of the labels."""
    clf = OnlineClassifier(learner, asker=Budget(rate=share), random_state=seed)
    return clf.run(X, y)


def set_constant(text: str) -> None:
    """Set a constant, given as module.NAME=value."""
    name, value = text.split("=")
    module, _, constant = name.rpartition(".")
    found = import_module(f"selectron.{module}")
    getattr(found, constant)
    setattr(found, constant, literal_eval(value))


def rival(X: Any, y: np.ndarray, labels: int, seed: int) -> float:
    """Return the best accuracy of a linear rival, its asker fitted to ask for as many labels."""
    best = 0.0
    for learner, asker in RIVALS:
        low, high = (1e-6, 1e4) if asker is Margin else (0.005, 1.0)
        for _ in range(10):
            middle = (low * high) ** 0.5
            run = OnlineClassifier(learner, asker=asker(middle), random_state=seed).run(X, y)
            more = (run.asked.sum() < labels) == (asker is Margin)
            low, high = (middle, high) if more else (low, middle)
            if abs(run.asked.sum() - labels) < 0.05 * labels:
                best = max(best, run.accuracy)
                break
    return best


def forested(X: np.ndarray, y: np.ndarray, asked: np.ndarray, seed: int) -> float:
    """Return the accuracy of an adaptive random forest that learns these labels."""
    model, right = forest.ARFClassifier(seed=seed), 0
    for row, label, learned in zip(X.tolist(), y.tolist(), asked.tolist(), strict=True):
        x = dict(enumerate(row))
        right += model.predict_one(x) == label
        if learned:
            model.learn_one(x, label)
    return right / len(y)


def figures(
    learner: Any, name: str, share: float, seed: int, choose: bool, quick: bool
) -> list[float]:
    """Return accuracies: LeadingHistory, the majority, the best linear rival, and the forest."""
    X, y = (STREAMS | NAMED)[name](seed, choose)
    run = leading(learner, X, y, share, seed)
    found = [run.accuracy, np.unique(y, return_counts=True)[1].max() / len(y)]
    if quick:
        return found
    trees = forested(X, y, run.asked, seed) if isinstance(X, np.ndarray) else np.nan
    return [*found, rival(X, y, int(run.asked.sum()), seed), trees]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("streams", nargs="*", metavar="STREAM")
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    parser.add_argument("--learner", default="leading-history", metavar="SPEC")
    parser.add_argument("--set", nargs="+", default=[], metavar="MODULE.NAME=VALUE")
    given = parser.parse_args()
    for text in given.set:
        set_constant(text)
    own = (given.choose, given.quick)
    learner, found = LEARNER.convert(given.learner, None, None), []
    print("| stream | labels | LeadingHistory | majority | linear rival | forest |")
    print("|---|---|---|---|---|---|")
    for name in given.streams or STREAMS:
        for share in given.shares:
            seeds = CHOOSING if given.choose else SEEDS
            cells = [figures(learner, name, share, seed, *own) for seed in seeds]
            found.append(np.mean(cells, axis=0))
            means = " | ".join(f"{mean:.3f}" for mean in np.mean(cells, axis=0))
            print(f"| {name} | {share:.0%} | {means} |", flush=True)
    means = " | ".join(f"{mean:.4f}" for mean in np.mean(found, axis=0))
    print(f"| mean | | {means} |")


if __name__ == "__main__":
    main()
