"""Pickled, packed or saved in mid-stream, a model goes on bit for bit: draws and tickets too."""

import copy
import json
import pickle

import pytest
import scipy.sparse

from selectron import OnlineClassifier
from selectron.estimator.packing import pack_model, unpack_model

from .grid import marked, name_of, plain_loop, spread_out
from .playing import learned, play_live, play_run, same_bits, snapshot, upcoming

DECIDED, HALF = 15, 40  # rows decided one by one, before the model is kept


def repacked(model):
    """Return the model of a header that has been through JSON, and of arrays of their own."""
    header, arrays = pack_model(model)
    arrays = {name: array.copy() for name, array in arrays.items()}
    return unpack_model(json.loads(json.dumps(header)), arrays, model.learner, model.asker)


WAYS = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "copy": copy.deepcopy,
    "pack": repacked,
}


def interrupted(case, rows):
    """Return a model in mid-stream, with open tickets, an answered one among them."""
    model = case.model(rows.values.shape[1])
    play_run(case, model, rows.part(0, DECIDED))
    tickets = [model.decide(case.block(x[None, :]))[3] for x in rows.values[DECIDED:HALF]]
    asked = [ticket for ticket in tickets if ticket is not None]
    model.tell(asked[1], 1)
    return model


def rest(case, model, rows):
    """Play on: answer what is open, the youngest first, then run, then live."""
    told = [model.tell(ticket, -1) for ticket in sorted(model.open, reverse=True)]
    records = (
        play_run(case, model, rows.part(HALF, HALF + 10)),
        play_live(case, model, rows.part(HALF + 10, len(rows.labels))),
    )
    return told, [array for record in records for array in record]


@pytest.mark.parametrize("way", WAYS)
def test_a_kept_model_goes_on_as_if_nothing_had_happened(case, way):
    rows = case.stream(missing=0.0)
    model = interrupted(case, rows)
    kept = WAYS[way](model)
    assert same_bits(snapshot(kept), snapshot(model))
    assert len(model.open) > 1
    (told, found), (expected_told, expected) = (rest(case, m, rows) for m in (kept, model))
    assert told == expected_told
    assert same_bits(found, expected)
    assert same_bits(kept.state, model.state)
    assert same_bits([upcoming(kept)], [upcoming(model)])


@pytest.mark.parametrize("way", ["pickle", "copy"])
def test_a_kept_model_is_a_model_of_its_own(case, way):
    rows = case.stream(missing=0.0)
    model = interrupted(case, rows)
    kept = WAYS[way](model)
    before = snapshot(model)
    rest(case, kept, rows)
    assert same_bits(snapshot(model), before)


PLAIN = spread_out()


@pytest.mark.parametrize("case", marked(PLAIN), ids=name_of)
def test_a_saved_classifier_goes_on_as_if_nothing_had_happened(case, tmp_path, monkeypatch):
    monkeypatch.setattr("selectron.model.model.loop", plain_loop)
    rows = case.stream(missing=0.0)
    table = scipy.sparse.csr_array(rows.values) if case.sparse else rows.values
    clf = OnlineClassifier(case.learner, case.asker, classes=["ham", "spam"], random_state=5)
    names = [["ham", "spam"][int(label > 0)] for label in rows.labels]
    clf.run(table[:20], names[:20])
    decisions = [clf.decide(table[[i]]) for i in range(20, 30)]
    tickets = [decision.ticket for decision in decisions if decision.ask]
    clf.save(tmp_path / "model")
    loaded = OnlineClassifier.load(tmp_path / "model", parts=(type(case.learner), type(case.asker)))
    for ticket in reversed(tickets):
        assert loaded.tell(ticket, "spam") == clf.tell(ticket, "spam")
    runs = [each.run(table[30:], names[30:]) for each in (loaded, clf)]
    for name in ("margin", "ask_probability", "asked", "updated"):
        assert same_bits(*([getattr(run, name)] for run in runs))
    assert loaded.decide(table[[0]]) == clf.decide(table[[0]])
    assert loaded.n_rounds_ == clf.n_rounds_ == len(names) + 1
    assert same_bits(learned(loaded.model_), learned(clf.model_))
