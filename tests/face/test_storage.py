"""Files: what is saved goes on bit for bit, and what is not a model is refused."""

import stat
from collections import namedtuple
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse

from selectron import OnlineClassifier, SelectronError, learners, storage
from selectron.askers import Budget, Margin
from selectron.engine.round import Step
from selectron.learners import LASEC, LeadingHistory, Perceptron

from .examples import NEEDED, X, Y, begun, inside, is_one_sentence

THIN = scipy.sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))


def goes_on(clf, tickets, rows):
    """What a classifier does with the rest of a stream."""
    first = clf.run(rows[70:90], Y[70:90])
    stepped = [clf.tell(ticket, 1) for ticket in reversed(tickets[1:])]
    clf.partial_fit(rows[90:100], Y[90:100])
    decisions = [clf.decide(rows[[i]]) for i in range(100, 110)]
    second = clf.run(rows[110:], Y[110:])
    arrays = [getattr(run, name) for run in (first, second) for name in ("margin", "asked")]
    return stepped, decisions, [array.tolist() for array in arrays], clf.coef_.tolist()


# What is saved goes on


@pytest.mark.parametrize("learner", [Perceptron(), LASEC(b=2.0)], ids=["first", "second"])
@pytest.mark.parametrize("rows", [X, THIN], ids=["dense", "sparse"])
def test_the_stream_goes_on_bit_for_bit(learner, rows, tmp_path):
    clf, tickets = begun(learner, rows)
    assert len(tickets) > 3
    clf.save(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model")
    assert goes_on(clf, tickets, rows) == goes_on(loaded, tickets, rows)


@pytest.mark.parametrize("classes", [10, pytest.param(11, marks=pytest.mark.slow)])
def test_a_stream_with_a_late_class_goes_on_bit_for_bit(classes, tmp_path):
    y = np.arange(len(X)) % classes
    clf = OnlineClassifier(LeadingHistory(fourier=10), asker=Budget(rate=0.5), random_state=0)
    clf.run(X[:50], y[:50])
    clf.run(X[50:60], [classes] * 10)
    clf.save(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model")
    runs = [each.run(X[60:], y[60:]) for each in (clf, loaded)]
    assert len(loaded.model_.state.phases) == (10 if classes == 10 else 6)
    assert np.array_equal(*(run.margin for run in runs))


def test_saving_changes_nothing_and_a_saved_file_says_the_same(tmp_path):
    clf, _ = begun(Perceptron(), X)
    before = inside(clf)
    clf.save(str(tmp_path / "one"))
    assert inside(clf) == before
    OnlineClassifier.load(str(tmp_path / "one")).save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_parameters_are_kept(tmp_path):
    parameters = {"fit_intercept": False, "normalize": True, "max_open": 3, "random_state": 7}
    parameters["classes"] = [-1, 1]
    clf = OnlineClassifier(LASEC(0.5, np.inf), asker=Margin(np.float32(0.5)), **parameters)
    clf.fit(X, Y).save(tmp_path / "model")
    params = OnlineClassifier.load(tmp_path / "model").get_params(deep=False)
    assert params["learner"] == LASEC(0.5, np.inf)
    assert params["asker"] == Margin(0.5)
    assert {name: params[name] for name in parameters} == parameters


def test_names_of_features_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c", "ü"])
    OnlineClassifier(Perceptron()).fit(frame, Y).save(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c", "ü"]
    assert loaded.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["b", "a", "c", "ü"]])


@pytest.mark.parametrize(
    "pair",
    [
        [0, 1],
        [2**60, 2**60 + 1],
        [-0.1, 0.1],
        [False, True],
        ["häm", "späm"],
        [" ", "\ud800"],
        np.array([1, 2], np.uint8),
        np.array([0.1, 0.3], np.float32),
        np.array(["ham", "spam"], object),
        np.array([0, 1], object),
        np.array([np.int64(0), np.int64(1)], object),
    ],
    ids=repr,
)
def test_kinds_of_labels(pair, tmp_path):
    y = np.asarray(pair)[(Y > 0).astype(int)]
    clf = OnlineClassifier(Perceptron()).fit(X, y)
    clf.save(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model")
    assert loaded.classes_.dtype == clf.classes_.dtype
    assert loaded.classes_.tolist() == clf.classes_.tolist()
    assert np.array_equal(loaded.predict(X), clf.predict(X))
    assert loaded.run(X, y).mistakes == clf.run(X, y).mistakes


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({(1, 2): 3}, {}),
        ({"a": Decimal("0.1")}, {}),
        ({}, {"a": np.array([None])}),
        ({}, {"a": [[1], [1, 2]]}),
        ({}, {"header": X}),
        ({}, {3: X}),
    ],
)
def test_what_a_file_of_ones_own_cannot_hold(header, arrays, tmp_path):
    with pytest.raises(SelectronError, match=r"cannot be written to a file: \D") as caught:
        storage.write(tmp_path / "mine", header, arrays)
    assert is_one_sentence(str(caught.value))
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_save(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        OnlineClassifier().save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# Learners that are not Selectron's own


class Careful(NamedTuple):
    """A learner of a user."""

    rate: float = 0.5

    def numbers(self):
        return (self.rate,)

    def normalize(self):
        return False

    def score(self, m, q):
        return m

    def steps(self, m, y):
        return (m >= 0) != (y > 0)

    def step(self, r):
        return Step(keep=1.0, eta=self.rate * r.y)


@pytest.mark.usefixtures("interpreted")
def test_learner_of_a_user(tmp_path):
    clf = OnlineClassifier(Careful(0.25)).fit(X, Y)
    clf.save(tmp_path / "model")
    with pytest.raises(SelectronError, match=r"Careful.*parts=") as caught:
        OnlineClassifier.load(tmp_path / "model")
    assert is_one_sentence(str(caught.value))
    for wrong in (Careful, "Careful", [Careful(0.25)], [None]):
        with pytest.raises(SelectronError, match=r"^parts must be a list of classes"):
            OnlineClassifier.load(tmp_path / "model", parts=wrong)
    loaded = OnlineClassifier.load(tmp_path / "model", parts=(Careful,))
    assert loaded.learner == Careful(0.25)
    assert np.array_equal(loaded.coef_, clf.coef_)


@pytest.mark.usefixtures("interpreted")
def test_parameters_of_a_user_are_kept_by_name(tmp_path):
    def mine(*names):
        numbers = {"numbers": lambda self: tuple(self), "step": Careful.step}
        return type("Mine", (namedtuple("Mine", names),), {"__slots__": (), **numbers})

    OnlineClassifier(mine("rate", "floor")(0.25, 0.5)).fit(X, Y).save(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model", parts=[mine("floor", "rate")])
    assert loaded.learner == (0.5, 0.25)
    with pytest.raises(
        SelectronError, match=r"^Mine .* has the parameters rate, floor, .* rate\.$"
    ):
        OnlineClassifier.load(tmp_path / "model", parts=[mine("rate")])


@pytest.mark.usefixtures("interpreted")
def test_a_parameter_that_no_file_can_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(Careful, "numbers", lambda self: (0.25,))
    clf = OnlineClassifier(Careful((0.25, 0.5))).fit(X, Y)
    with pytest.raises(SelectronError, match=r"^\(0.25, 0.5\) cannot be written to a file"):
        clf.save(tmp_path / "model")


@pytest.mark.usefixtures("interpreted")
def test_learner_of_a_user_with_the_name_of_one_of_ours(tmp_path):
    theirs = type("Perceptron", (Careful,), {"__slots__": ()})
    OnlineClassifier(theirs()).fit(X, Y).save(tmp_path / "model")
    assert type(OnlineClassifier.load(tmp_path / "model", parts=(theirs,)).learner) is theirs
    with pytest.raises(SelectronError, match="parts="):
        OnlineClassifier.load(tmp_path / "model")


# Writing


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interruption_leaves_the_old_file(step, tmp_path, monkeypatch):
    clf, _ = begun(Perceptron(), X)
    clf.save(tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    clf.partial_fit(X, Y)

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"selectron.storage.os.{step}", fail)
    with pytest.raises(KeyboardInterrupt):
        clf.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_paths_that_cannot_be_written(tmp_path):
    clf, _ = begun(Perceptron(), X)
    with pytest.raises(SelectronError, match="not a file"):
        clf.save(tmp_path)
    path = tmp_path / "missing" / "model"
    with pytest.raises(OSError, match="No such file or directory") as caught:
        clf.save(path)
    assert isinstance(caught.value, SelectronError)
    assert str(caught.value).startswith(f"{path} cannot be written (")
    assert "draft" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_has_the_permissions_of_any_other(tmp_path):
    begun(Perceptron(), X)[0].save(tmp_path / "model")
    (tmp_path / "other").write_bytes(b"")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("model", "other")]
    assert modes[0] == modes[1]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "model")
    begun(Perceptron(), X)[0].save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert OnlineClassifier.load(tmp_path / "model").n_rounds_ == 70


@pytest.mark.usefixtures("interpreted")
@pytest.mark.slow
def test_all_own_parts_can_be_loaded(tmp_path):
    for name in learners.__all__:
        learner = getattr(learners, name)(**NEEDED.get(name, {}))
        OnlineClassifier(learner).fit(X, Y).save(tmp_path / name)
        assert OnlineClassifier.load(tmp_path / name).learner == learner
