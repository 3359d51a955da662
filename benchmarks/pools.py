"""Whole pools: mistakes in every order, and the time and memory of a million rows.

python -m benchmarks.pools sphere | any | rare | real | texts | step | bound | size
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from experiments import datasets
from scipy.optimize import linprog
from scipy.spatial.distance import pdist
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.svm import SVC

from benchmarks import sets, words
from benchmarks.tables import show
from selectron.pool import Boosted, Confident, Greedy, InOrder, SelfDirectedClassifier, Sphere
from selectron.pool.confident import best, fitted
from selectron.pool.features import featured, kernels
from selectron.pool.session import OPEN, Plan, Pool, State

SEEDS = 20
TEXTS = 1_500
PARTS = 40  # parts, each proposed with all other labels known
Row = tuple[str, ...]


def on_sphere(n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points drawn evenly from the sphere, and their side of a halfspace."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    return X, X @ random.normal(size=d) >= 0


def sphere() -> Iterator[Row]:
    """Yield the mistakes of the default learner on the sphere: 20 seeds of each size."""
    for n in (2_000, 20_000, 200_000):
        for d in (5, 10, 20, 50):
            found = [mistakes(Confident(), *on_sphere(n, d, seed)) for seed in range(SEEDS)]
            middle = f"{np.median(found):.1f} ({min(found)}-{max(found)})"
            yield f"{n:,}", str(d), middle, f"{0.3 * d * np.log(n):.1f}"


def mistakes(learner: object, X: np.ndarray, y: np.ndarray, **more: object) -> int:
    """Return the number of proposals that need a correction."""
    return SelfDirectedClassifier(learner, **more).run(X, y).mistakes


def pools(n: int, d: int = 20) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield pools that are far from uniform, each with a halfspace through 0."""
    random = np.random.default_rng(0)
    even = random.normal(size=(n, d))
    centres = random.normal(size=(30, d))
    yield "clustered", centres[random.integers(30, size=n)] + 0.1 * even, random.normal(size=d)
    yield "skewed", even * 10.0 ** np.linspace(0, 4, d), random.normal(size=d)
    yield "low rank", even[:, :5] @ random.normal(size=(5, d)), random.normal(size=d)
    line = even.copy()
    line[: n // 2] = even[: n // 2, :1] * random.normal(size=d)
    yield "half on a line", line, random.normal(size=d)
    plane = even.copy()
    plane[: n // 2] = even[: n // 2, :2] @ random.normal(size=(2, d))
    yield "half on a plane", plane, random.normal(size=d)


def any_points() -> Iterator[Row]:
    """Yield the mistakes up to a share of 0.99, of the default and of the paper's learner."""
    for n in (10_000, 100_000, 1_000_000):
        for name, X, u in pools(n):
            y = X @ (u / np.abs(X).mean(axis=0)) >= 0
            strong = {"mode": "strong", "features": "raw", "fit_intercept": False}
            ours, theirs = (mistakes(one, X, y, **strong) for one in (Confident(), Boosted()))
            yield name, f"{n:,}", str(ours), str(theirs)


def factors(d: int, few: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 250 rows of 20 hidden factors with noise, and which have the largest sum of two."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(250, 20))
    X = Z @ random.normal(size=(20, d)) + random.normal(size=(250, d))
    return X, (-Z[:, 0] - Z[:, 1]).argsort().argsort() < few


def rare() -> Iterator[Row]:
    """Yield the mistakes without kernel maps if one class is rare; medians of 5 draws."""
    for d in (50, 300, 1_100, 3_000):
        cells = []
        for few in (5, 13, 50, 125):
            draws = [factors(d, few, seed) for seed in range(5)]
            for one in (Confident(), InOrder("random")):
                found = [mistakes(one, *draw, features="standard") for draw in draws]
                cells.append(f"{np.median(found):g}")
        yield f"{d:,}", *(f"{a}, {b}" for a, b in zip(cells[::2], cells[1::2], strict=True))


def compared(pools: Iterable[tuple[str, Any, np.ndarray]]) -> Iterator[Row]:
    """Yield the mistakes on pools in the default's order and at random, with kernel maps and
    without; medians of 3 seeds, of sparse pools one.
    """
    for name, X, y in pools:
        seeds = range(3 if isinstance(X, np.ndarray) else 1)
        cells = []
        for features in ("auto", "standard"):
            for one in (Confident(), InOrder("random")):
                found = [mistakes(one, X, y, features=features, random_state=s) for s in seeds]
                cells.append(f"{np.median(found):g}")
        yield name, f"{X.shape[0]:,} x {X.shape[1]:,}", *cells


class Shuffled(NamedTuple):
    """The update of `Greedy` in random order."""

    def plan(self, pool: Pool, state: State, carry: Any) -> tuple[Any, Plan]:
        """Return the plan after a mistake."""
        w, plan = Greedy().plan(pool, state, carry)
        lot = np.random.default_rng([pool.seed, len(plan.rows)]).permutation(len(plan.rows))
        return w, plan._replace(rows=plan.rows[lot], codes=plan.codes[lot], keys=None)


def step() -> Iterator[Row]:
    """Yield the mistakes of the paper's step in its own order and at random; medians of 5 seeds."""
    for name, X, y in dense_pools():
        cells = []
        for one in (Greedy(), Shuffled()):
            found = [
                mistakes(one, X, y, features="standard", random_state=seed) for seed in range(5)
            ]
            cells.append(float(np.median(found)))
        fits = "yes" if separable(featured(X, "standard", True), y) else "no"
        yield name, fits, *(f"{cell:g}" for cell in cells), f"{cells[0] / cells[1]:.2f}"


def separable(X: np.ndarray, y: np.ndarray) -> bool:
    """Return whether a halfspace fits: some w has y <w, x> >= 1 in every row."""
    signs = np.where(y == np.unique(y)[-1], 1.0, -1.0)[:, None]
    nothing = np.zeros(X.shape[1])
    return linprog(nothing, -signs * X, -np.ones(len(X)), bounds=(None, None)).status == 0


def bound() -> Iterator[Row]:
    """Yield the rows that are wrong with nearly all other labels known, of pools of up to 2,000.

    A result has their number, how many of them are among the mistakes in the default's order and at
    random (means of 3 seeds), how many rows support vector machines get wrong in the same way, and
    in which maps a halfspace fits all rows.
    """
    for name, X, y in (one for one in dense_pools() if len(one[2]) <= 2_000):
        pool = Pool(featured(X, "auto", True), 0, *kernels(X, "auto", True, 0))
        fits = ["yes" if separable(one, y) else "no" for one in pool.maps]
        hard = left_out(pool, (y == np.unique(y)[-1]).astype(np.int32))
        cells = [shared(one, X, y, hard) for one in (Confident(), InOrder("random"))]
        machines = machines_left_out(X, y)
        yield name, str(hard.sum()), *cells, f"{min(machines)} to {max(machines)}", *fits


def shared(learner: object, X: np.ndarray, y: np.ndarray, hard: np.ndarray) -> str:
    """Return the mean number of mistakes of 3 seeds, and how many of them are hard rows."""
    runs = [SelfDirectedClassifier(learner, random_state=seed).run(X, y) for seed in range(3)]
    wrong = np.concatenate([run.order[run.wrong] for run in runs])
    return f"{len(wrong) / 3:.1f}, of them {hard[wrong].sum() / 3:.1f}"


def left_out(pool: Pool, codes: np.ndarray) -> np.ndarray:
    """Return where the default's fits err on each of 40 parts, with all other labels known."""
    wrong = np.zeros(len(codes), bool)
    for part in np.array_split(np.random.default_rng(0).permutation(len(codes)), PARTS):
        known = codes.copy()
        known[part] = OPEN
        carry: Any = None
        for _ in range(4):  # the prior follows the evidence from fit to fit
            carry, ahead = fitted(pool, State(known, 2, len(codes), part[:0]), carry)
        wrong[part] = best(ahead[part])[1] != codes[part]
    return wrong


def machines_left_out(X: np.ndarray, y: np.ndarray) -> list[int]:
    """Return the number of rows that support vector machines get wrong, for several kernels."""
    width = 1 / np.median(pdist(X[:1000], "sqeuclidean"))
    kernels = [{"kernel": "rbf", "gamma": width * 2.0**power} for power in range(-1, 4)]
    common = {"kernel": "poly", "coef0": 1, "gamma": 1 / np.median((X**2).sum(axis=1))}
    kernels += [{**common, "degree": degree} for degree in (3, 5)]
    folds = KFold(PARTS, shuffle=True, random_state=0)
    said = [cross_val_predict(SVC(C=100, **one), X, y, cv=folds) for one in kernels]
    return [int((one != y).sum()) for one in said]


def dense_pools() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the real pools that have kernel maps."""
    return (one for one in real_pools() if isinstance(one[1], np.ndarray))


def real_pools() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield name, rows and labels."""
    X, y = datasets.digits().X, datasets.digits().y
    pair = np.isin(y, (3, 8))
    yield "digits, 3 against 8", X[pair], y[pair]
    yield "digits, 8 against the rest", X, y == 8
    usps = datasets.usps()
    pair = np.isin(usps.y, (3, 8))
    yield "USPS, 3 against 8", usps.X[pair], usps.y[pair]
    letter = datasets.letter()
    yield "Letter, A against the rest", letter.X, letter.y == "A"
    spam = sets.spam()
    yield "spam", spam.X, spam.y
    a9a = sets.a9a()
    yield "a9a", a9a.X, a9a.y


def text_pools() -> Iterator[tuple[str, Any, np.ndarray]]:
    """Yield name, tf-idf weights and labels of TEXTS texts."""
    for name in words.STREAMS:
        _, X, y = words.collection(name)
        rows = np.random.default_rng(0).permutation(len(y))[:TEXTS]
        if len(np.unique(y)) <= words.TOPICS:  # there is a fit for each pair of classes
            yield name, X[rows], y[rows]
    rcv1 = datasets.rcv1()
    topics = rcv1.y.toarray()
    for topic in np.argsort(-topics.sum(axis=0), kind="stable")[:3].tolist():
        yield f"RCV1, topic {topic}", rcv1.X[:TEXTS], topics[:TEXTS, topic]


def size() -> Iterator[Row]:
    """Yield time and memory of a million rows of 50 features."""
    import resource

    X, y = on_sphere(1_000_000, 50, 0)
    start = time.perf_counter()
    run = SelfDirectedClassifier().run(X, y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield (
        "1,000,000 x 50",
        f"{time.perf_counter() - start:.0f} s",
        f"{peak:.2f} GiB",
        str(run.mistakes),
    )


def picture(path: str = "docs/explanation/pool.png") -> None:
    """Draw the mistakes of every order on 20,000 points of the sphere, d = 20."""
    from selectron.evaluate.plot import plot_pool

    X, y = on_sphere(20_000, 20, 0)
    learners = {
        "confident": Confident(),
        "greedy": Greedy(),
        "random": InOrder("random"),
        "boosted": Boosted(),
        "sphere": Sphere(),
        "worst": InOrder("worst"),
    }
    runs = {name: SelfDirectedClassifier(one).run(X, y) for name, one in learners.items()}
    plot_pool(runs, "20,000 points of the sphere, d = 20, a halfspace through 0", path)


COMPARED = "pool", "size", "confident", "random", "linear", "linear, random"
TABLES: dict[str, tuple[tuple[str, ...], Callable[[], Iterator[Row]]]] = {
    "sphere": (("rows", "d", "mistakes, median (range)", "0.3 d log n"), sphere),
    "any": (("pool, d = 20", "rows", "Confident", "Boosted"), any_points),
    "rare": (("features", "5 rows of 250", *(f"{few} of 250" for few in (13, 50, 125))), rare),
    "real": (COMPARED, lambda: compared(real_pools())),
    "texts": (COMPARED, lambda: compared(text_pools())),
    "step": (("pool", "a halfspace fits", "Greedy", "random", "ratio"), step),
    "bound": (
        (
            *("pool", "wrong", "in order", "random", "machines"),
            *("plain", "Gaussian", "standardised", "neighbours"),
        ),
        bound,
    ),
    "size": (("pool on the sphere", "time", "peak memory", "mistakes"), size),
}

if __name__ == "__main__":
    for which in sys.argv[1:] or TABLES:
        if which == "picture":
            picture()
            continue
        head, rows = TABLES[which]
        show(head, rows())
