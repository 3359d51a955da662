"""Models that are fitted again see the labels before a row, and no others."""

import numpy as np
import pytest
from benchmarks.refits import at_random, logistic, refitted


class Recorder:
    """A model that predicts the last label it was fitted to, and records how many it had."""

    numbers: list[int] = []  # noqa: RUF012

    def fit(self, X, y):
        self.numbers.append(len(y))
        self.last = y[-1]
        return self

    def predict(self, X):
        return np.full(len(X), self.last)


def test_a_model_is_fitted_again_after_these_numbers_of_labels():
    y = np.array([0, 1, 0, 1, 1, 1])
    asked = np.array([True, True, False, True, False, True])
    Recorder.numbers.clear()
    # 0 is the first label, and so predicted until there are two; 1 is the last of these
    assert refitted(Recorder, np.zeros((6, 1)), y, asked, (1, 2, 9)) == pytest.approx(3 / 6)
    assert Recorder.numbers == [2]


def test_before_the_first_label_the_most_frequent_class_is_predicted():
    y = np.array([0, 1, 1])
    assert refitted(Recorder, np.zeros((3, 1)), y, np.zeros(3, bool)) == pytest.approx(2 / 3)


def test_early_labels_count_before_five_hundred_rows_have_come():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    assert at_random(500, 50, 0).sum() == 50
    assert logistic(X, X[:, 0] > 0, 50, 0) > 0.8
