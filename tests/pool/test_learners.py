"""The learners: against a literal Algorithm 1, and where each of them has to do well."""

import itertools
import math

import numpy as np
import pytest

from selectron.pool import Boosted, Confident, Greedy, InOrder, SelfDirectedClassifier, Sphere
from selectron.pool.confident import weighed
from selectron.pool.features import Nearest, by_class, nearest, neighbourly
from selectron.pool.session import OPEN

from .pools import line_and_rest, sphere

RAW = {"features": "raw", "fit_intercept": False}


def literal_greedy(X, y, w):
    """Predict by decreasing margin over all that is left; on a mistake w <- w - <w, x> x."""
    left, order, mistakes = list(range(len(X))), [], 0
    while left:
        for i in sorted(left, key=lambda i: -abs(w @ X[i])):
            left.remove(i)
            order.append(i)
            if (w @ X[i] >= 0) != y[i]:
                w = w - (w @ X[i]) * X[i]
                mistakes += 1
                break
    return order, mistakes


def literal_sphere(X, y, vectors, halves, buckets):
    """Algorithm 1: one mistake a bucket, and each half's vector for the rest of the other."""
    order, mistakes, vectors = [], 0, list(vectors)
    for k, half in enumerate(halves):
        for bucket in np.array_split(half, buckets):
            for i in sorted(bucket, key=lambda i: -abs(vectors[k] @ X[i])):
                order.append(i)
                if (vectors[k] @ X[i] >= 0) != y[i]:
                    vectors[k] = vectors[k] - (vectors[k] @ X[i]) * X[i]
                    mistakes += 1
                    break
    for k, half in enumerate(halves):
        w, done = vectors[1 - k], set(order)
        rest = sorted((i for i in half if i not in done), key=lambda i: -abs(w @ X[i]))
        order += rest
        mistakes += sum((w @ X[i] >= 0) != y[i] for i in rest)
    return order, mistakes


def direction(seed, which, d):
    w = np.random.default_rng([seed, 1, which]).normal(size=d)
    return w / np.linalg.norm(w)


@pytest.mark.parametrize("seed", range(3))
def test_greedy_is_its_literal_form(seed):
    X, y = sphere(300, 6, seed)
    run = SelfDirectedClassifier(Greedy(), random_state=seed, **RAW).run(X, y)
    order, mistakes = literal_greedy(X, y, direction(seed, 0, 6))
    assert (run.order.tolist(), run.mistakes) == (order, mistakes)


@pytest.mark.parametrize("seed", range(3))
def test_sphere_is_algorithm_1(seed):
    n, d = 2000, 5
    X, y = sphere(n, d, seed)
    run = SelfDirectedClassifier(Sphere(c=1.6), random_state=seed, **RAW).run(X, y)
    halves = np.array_split(np.random.default_rng([seed, 2]).permutation(n), 2)
    buckets = round(1.6 * d * math.log(math.log(n)))
    vectors = direction(seed, 0, d), direction(seed, 1, d)
    order, mistakes = literal_sphere(X, y, vectors, halves, buckets)
    assert (run.order.tolist(), run.mistakes) == (order, mistakes)


@pytest.mark.slow
@pytest.mark.parametrize("d", [5, 20])
def test_on_the_sphere_the_default_needs_few_corrections(d):
    counts = [
        SelfDirectedClassifier(random_state=s).run(*sphere(1000, d, s)).mistakes for s in range(3)
    ]
    assert np.median(counts) < 0.3 * d * math.log(1000)
    assert max(counts) <= 2 * np.median(counts)


@pytest.mark.slow
def test_the_order_is_what_makes_it_few():
    X, y = sphere(1500, 10)
    ours = SelfDirectedClassifier().run(X, y).mistakes
    random = SelfDirectedClassifier(InOrder("random")).run(X, y).mistakes
    worst = SelfDirectedClassifier(InOrder("worst")).run(X, y).mistakes
    assert 1.7 * ours < random < worst


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_noise_is_borne(noise):
    X, y = sphere(2000, 5)
    flipped = np.random.default_rng(1).random(2000) < noise
    mistakes = SelfDirectedClassifier().run(X, y ^ flipped).mistakes
    assert mistakes < 1.25 * flipped.sum() + 50


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Confident(), Boosted()], ids=repr)
def test_rows_that_are_hard_to_bring_into_position(learner):
    rng = np.random.default_rng(0)
    base = rng.normal(size=(3000, 8))
    pools = {
        "a line": line_and_rest(3000, 8),
        "low rank": base[:, :3] @ rng.normal(size=(3, 8)),
        "copies": np.repeat(base[:30], 100, axis=0),
        "skewed": base * 10.0 ** np.arange(8),
        "zeros": np.where(np.arange(3000)[:, None] % 3 == 0, 0.0, base),
    }
    for name, X in pools.items():
        y = (X @ (rng.normal(size=8) / np.abs(X).max(axis=0)) >= 0).astype(int)
        run = SelfDirectedClassifier(learner, mode="strong", **RAW).run(X, y)
        assert len(run.order) == 2970
        assert run.mistakes < 8 * 8 * math.log(100), name


@pytest.mark.slow
def test_the_papers_learner_takes_over_where_there_is_no_progress(monkeypatch):
    taken = []
    plan = Boosted.plan

    def watched(self, pool, state, carry):
        taken.append(state.mistakes)
        return plan(self, pool, state, carry)

    monkeypatch.setattr(Boosted, "plan", watched)
    X, y = sphere(1000, 5)
    SelfDirectedClassifier().run(X, y)
    SelfDirectedClassifier().run(X, np.random.default_rng(0).integers(2, size=1000))
    assert not taken  # where nothing fits, it would not help
    monkeypatch.setattr("selectron.pool.confident.STUCK", 0)
    run = SelfDirectedClassifier().run(X, y)
    assert taken
    assert sorted(run.order.tolist()) == list(range(1000))


@pytest.mark.slow
def test_all_of_one_class():
    assert (
        SelfDirectedClassifier(classes=[0, 1]).run(sphere(500, 4)[0], np.ones(500, int)).mistakes
        < 20
    )


@pytest.mark.slow
def test_kernel_maps_save_corrections_where_no_halfspace_fits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 2))
    y = ((X**2).sum(axis=1) < 1.4).astype(int)
    linear = SelfDirectedClassifier(features="standard").run(X, y).mistakes
    assert 3 * SelfDirectedClassifier().run(X, y).mistakes < linear


@pytest.mark.slow
def test_kernel_maps_cost_little_where_a_halfspace_fits_or_labels_are_noise():
    X, y = sphere(2000, 5)
    flipped = np.random.default_rng(1).random(2000) < 0.1
    for labels in (y, y ^ flipped):
        linear = SelfDirectedClassifier(features="standard").run(X, labels).mistakes
        assert SelfDirectedClassifier().run(X, labels).mistakes < 1.05 * linear + 5


@pytest.mark.slow
def test_rows_of_one_cluster_follow_from_the_first_of_them():
    rng = np.random.default_rng(0)
    turn = np.linspace(0, 6 * np.pi, 500)
    spiral = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)])
    X = np.concatenate([spiral, -spiral]) + 0.1 * rng.normal(size=(1000, 2))
    y = np.arange(1000) < 500
    linear = SelfDirectedClassifier(features="standard").run(X, y).mistakes
    assert 10 * SelfDirectedClassifier().run(X, y).mistakes < linear


def test_a_graph_of_neighbours_bears_copies_and_few_rows():
    for X in (np.repeat(np.eye(3), 20, axis=0), np.ones((40, 2)), sphere(12, 2)[0]):
        found = neighbourly(nearest(X), 0)
        assert found.shape == (len(X), min(len(X) - 1, 200))
        assert np.isfinite(found).all()
        assert (found**2).sum(axis=1).mean() == pytest.approx(1)


def literal_graph_kernel(X):
    """(L + 0.01 I)^-2, L of the five nearest, weighing exp(-|x - x'|^2 / r r'); trace n."""
    n = len(X)
    far = np.array([[math.dist(a, b) for b in X] for a in X])
    by = [sorted((j for j in range(n) if j != i), key=far[i].__getitem__)[:5] for i in range(n)]
    W = np.zeros((n, n))
    for i in range(n):
        for j in by[i]:
            reach = far[i, by[i][4]] * far[j, by[j][4]]
            W[i, j] = W[j, i] = math.exp(-(far[i, j] ** 2) / reach) + 1e-9
    root = np.diag(W.sum(axis=1) ** -0.5)
    K = np.linalg.matrix_power(np.linalg.inv(1.01 * np.eye(n) - root @ W @ root), 2)
    return K * n / np.trace(K)


def test_the_map_of_the_graph_is_that_of_its_kernel():
    X = sphere(60, 3)[0]
    found = neighbourly(nearest(X), 0)
    np.testing.assert_allclose(found @ found.T, literal_graph_kernel(X), atol=1e-3)


def test_the_nearest_of_each_class_are_found_and_a_row_is_not_its_own():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    codes = np.array([0, OPEN, 1, OPEN], np.int32)
    found = np.exp(by_class(nearest(X), codes, 2))
    np.testing.assert_allclose(found[0], [49, 1, 9, 49])  # a class without others is at the last
    np.testing.assert_allclose(found[1], [9, 4, 16, 16])
    copies = Nearest(np.array([[1], [0]]), np.zeros((2, 1)))
    assert (by_class(copies, codes[:2], 2) == 2 * np.log(1e-150)).all()


def test_maps_weigh_what_they_predict_of_rows_left_out():
    right = np.full((3, 60), 0.99)
    right[1, :20] = 0.4
    right[2, :20] = 1e-9
    right[1:, 20:] = 0.91  # sure enough to have no influence
    weights = weighed(right)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.8 > weights[1] > weights[2] > 0
    np.testing.assert_allclose(weighed(right[:, 20:]), 1 / 3)  # nobody is in doubt


@pytest.mark.slow
def test_with_kernel_maps_a_plan_ends_with_a_tenth_of_what_is_left():
    X, y = sphere(300, 3)
    pool = SelfDirectedClassifier(random_state=0)
    pool.run(X, y)
    starts = [begun.answered for begun in pool.session_.begun]
    assert all(b - a <= -(-(300 - a) // 10) for a, b in itertools.pairwise(starts))
    pool = SelfDirectedClassifier(features="standard")
    pool.run(X, y)
    assert len(pool.session_.begun) <= pool.n_mistakes_ + 1


@pytest.mark.slow
def test_the_widest_table_that_has_kernel_maps_is_fitted():
    X = sphere(1100, 1000)[0]
    known = np.where(np.arange(1100) < 1090, np.random.default_rng(0).integers(2, size=1100), None)
    pool = SelfDirectedClassifier().start(X, known)
    assert pool.propose() is not None
    assert np.isfinite(pool.session_.plan.keys).all()
