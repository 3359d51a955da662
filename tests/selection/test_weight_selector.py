"""The features that an online learner gives weight to."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from selectron import OnlineClassifier, SelectronError
from selectron.learners import LASEC, PassiveAggressive, Perceptron
from selectron.selection import WeightSelector, kept
from selectron.streams import digits

X, Y = (part[:600] for part in digits(passes=1))


@parametrize_with_checks([WeightSelector(), WeightSelector(OnlineClassifier(LASEC()))])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("norm", ["abs", "square"])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_it_keeps_what_the_rule_keeps(norm, form):
    clf = OnlineClassifier(PassiveAggressive(C=0.1))
    selector = WeightSelector(clf, sigma=0.7, norm=norm).fit(form(X), Y)
    expected = kept(clf.fit(form(X), Y).coef_, 0.7, norm)
    assert 0 < expected.sum() < 64
    assert np.array_equal(selector.get_support(), expected)
    out = selector.transform(form(X))
    assert np.array_equal(out.toarray() if scipy.sparse.issparse(out) else out, X[:, expected])


def test_the_default_is_passive_aggressive():
    expected = OnlineClassifier(PassiveAggressive()).fit(X, Y).coef_
    assert np.array_equal(WeightSelector().fit(X, Y).classifier_.coef_, expected)


def test_the_given_classifier_is_left_alone():
    clf = OnlineClassifier(Perceptron())
    WeightSelector(clf).fit(X, Y).partial_fit(X, Y)
    assert not hasattr(clf, "model_")


def test_partial_fit_goes_on_and_fit_forgets():
    selector = WeightSelector(sigma=2.0).partial_fit(X[:99], Y[:99], classes=[-1, 1])
    selector.partial_fit(X[99:], Y[99:])
    whole = WeightSelector(sigma=2.0).fit(X, Y)
    assert np.array_equal(selector.classifier_.coef_, whole.classifier_.coef_)
    assert np.array_equal(selector.get_support(), whole.get_support())
    again = selector.fit(X[:99], Y[:99])
    assert again.classifier_.n_rounds_ == 99


def test_sigma_may_change_after_fit():
    selector = WeightSelector(sigma=0.0).fit(X, Y)
    counts = [selector.set_params(sigma=s).get_support().sum() for s in (0, 1, 5, 20)]
    assert counts[0] == 64
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < counts[1]


def test_one_that_is_fitted_already():
    clf = OnlineClassifier(Perceptron()).fit(X, Y)
    before = clf.coef_
    selector = WeightSelector(FrozenEstimator(clf), sigma=1.0).fit(X[:5], Y[:5])
    assert np.array_equal(clf.coef_, before)
    assert np.array_equal(selector.get_support(), kept(before, 1.0))


def test_any_classifier_with_weights_will_do():
    classes = np.arange(600) % 3
    selector = WeightSelector(SGDClassifier(random_state=0), sigma=3.0).fit(X, classes)
    coef = SGDClassifier(random_state=0).fit(X, classes).coef_
    assert coef.shape == (3, 64)
    assert np.array_equal(selector.get_support(), kept(coef, 3.0))
    assert 0 < selector.get_support().sum() < 64


def test_rows_without_a_label_teach_nothing():
    labels = np.where(np.arange(600) % 4 == 0, np.nan, Y)
    there = ~np.isnan(labels)
    some = WeightSelector(sigma=1.0).fit(X, labels)
    alone = WeightSelector(sigma=1.0).fit(X[there], Y[there])
    assert np.array_equal(some.classifier_.coef_, alone.classifier_.coef_)


def test_names_follow_the_rows():
    names = [f"pixel {j}" for j in range(64)]
    selector = WeightSelector(sigma=20.0).fit(pd.DataFrame(X, columns=names), Y)
    assert selector.get_feature_names_out().tolist() == [
        names[j] for j in selector.get_support(indices=True)
    ]
    assert not hasattr(selector.fit(X, Y), "feature_names_in_")


def test_in_a_pipeline():
    pipe = make_pipeline(WeightSelector(sigma=5.0), OnlineClassifier(Perceptron())).fit(X, Y)
    few = X[:, WeightSelector(sigma=5.0).fit(X, Y).get_support()]
    alone = OnlineClassifier(Perceptron()).fit(few, Y)
    assert pipe[-1].n_features_in_ == pipe[0].get_support().sum() < 64
    assert np.array_equal(pipe[-1].coef_, alone.coef_)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("params", [{"sigma": -1}, {"norm": "l1"}], ids=str)
def test_parameters_are_looked_at_before_anything_is_learned(method, params):
    selector = WeightSelector().fit(X, Y)
    before = selector.classifier_.n_rounds_
    with pytest.raises(SelectronError, match=f"^{next(iter(params))} must be "):
        getattr(selector.set_params(**params), method)(X, Y)
    assert selector.classifier_.n_rounds_ == before


def test_what_is_wrong_changes_nothing():
    selector = WeightSelector(sigma=1.0).fit(X, Y)
    before = selector.classifier_, selector.classifier_.coef_
    for method in (selector.fit, selector.partial_fit):
        with pytest.raises(SelectronError, match="X has 600 rows, and y has 599 labels"):
            method(X, Y[1:])
    assert selector.classifier_ is before[0]
    assert np.array_equal(selector.classifier_.coef_, before[1])
