"""What is compiled in which tests, and which loops play as plain Python."""

import numpy as np
import pytest
from tests.spark.needs import NOISE, missing

from selectron.engine.bind import bind
from selectron.engine.loop import play
from selectron.model import compose, model

# Compiling a composition takes 2 to 20 s, and most tests play a few rows of many compositions: the
# quick ones compile these alone, and play all others as plain Python, which the laws hold equal.
COMMON = {
    ("Perceptron", "Always", "dense_first"),
    ("Perceptron", "Margin", "dense_first"),
    ("PassiveAggressive", "SecondOrderMargin", "sparse_first"),
    ("LASEC", "Margin", "dense_second"),
    ("LASEC", "SecondOrderMargin", "sparse_second"),
    ("LeadingHistory", "Budget_Uncertainty", "dense"),
}


# examples in docstrings that take 5 to 15 s
LONG = {
    "selectron.askers.budget.Budget",
    "selectron.bounds.lasec.corollary_9",
    "selectron.bounds.lasec.theorem_4",
    "selectron.estimator.classifier.OnlineClassifier.predict_proba",
    "selectron.estimator.live.DecidesAndTells.set_asker",
    "selectron.learners.gaussian.AROW",
    "selectron.learners.gaussian.BayesianPerceptron",
    "selectron.learners.large_margin.L1Constrained",
    "selectron.learners.least_squares.RLS",
    "selectron.learners.perceptron.BudgetPerceptron",
    "selectron.learners.perceptron.Forgetron",
    "selectron.pool.classifier.SelfDirectedClassifier",
    "selectron.selection.lean.lean_run",
}


def name_of(part):
    if isinstance(part, tuple):
        return "_".join(each.__name__ for each in part)
    return part.__name__.rpartition(".")[2]


def few(*kinds):
    """Return a compiled loop where the composition is a common one, else plain Python."""
    if tuple(map(name_of, kinds)) in COMMON:
        return compose.loop(*kinds)
    return np.errstate(all="ignore")(bind(play, compose.parts(*kinds)))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what takes long: some examples, Spark's, and tests of pages, which start a browser."""
    items.sort(key=lambda item: "spark" not in item.nodeid)  # the longest ones come first
    for item in items:
        spark = item.name.startswith("selectron.spark.")
        if item.name in LONG or spark or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
        if spark:
            item.add_marker(pytest.mark.skipif(bool(missing()), reason=missing()))
            for warning in NOISE:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Compile everything in tests that are slow anyway, or about machine code."""
    everything = any(map(item.get_closest_marker, ("slow", "compiles")))
    model.loop = compose.loop if everything else few
