"""Rows of items: those of scikit-learn, one by one."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import HashingVectorizer

from selectron.engine.rows import as_matrix
from selectron.serve.declaration import Features
from selectron.serve.event import packed, unpacked
from selectron.serve.learning import extractor
from selectron.serve.strict import Problem


@pytest.mark.slow
@given(
    texts=st.lists(st.text(), min_size=1, max_size=5),
    size=st.sampled_from([1, 7, 64, 4096]),
    ngrams=st.integers(1, 3),
)
def test_words_are_those_of_scikit_learn(texts, size, ngrams):
    row_of = extractor(Features(kind="text", size=size, ngrams=ngrams))
    rows = [row_of({"text": text}) for text in texts]
    plain = HashingVectorizer(n_features=size, alternate_sign=False, ngram_range=(1, ngrams))
    wanted = plain.transform(texts).toarray()
    assert np.array_equal(np.vstack([as_matrix(row, size).toarray() for row in rows]), wanted)
    assert all(
        np.array_equal(a, b) for r in rows for a, b in zip(r, unpacked(packed(r)), strict=True)
    )


def dense(features, *items):
    rows, width = map(extractor(features), items), features.size + 2 * len(features.numeric)
    return np.vstack([as_matrix(row, width).toarray() for row in rows])


def test_fields():
    wanted = Features(kind="fields", size=32, numeric={"age": (40, 20)}, categorical=["city", "on"])
    rows = dense(wanted, {"age": 50, "city": "Ulm", "on": True}, {"age": 40, "city": None})
    hasher = FeatureHasher(32, input_type="string", alternate_sign=False)
    assert np.array_equal(rows[0][:32], hasher.transform([["city=Ulm", "on=True"]]).toarray()[0])
    assert rows[0][32:].tolist() == [0.5, 0.0]
    assert not rows[1].any()


def test_the_words_of_fields_count():
    wanted = Features(kind="fields", size=64, text=["note"], categorical=["city"])
    rows = dense(wanted, {"city": "Ulm", "note": "win money"}, {"city": "Ulm", "note": "lunch"})
    assert not np.array_equal(*rows)
    plain = HashingVectorizer(n_features=64, alternate_sign=False).transform(["win money"])
    (alone,) = dense(wanted, {"city": "Ulm"})
    assert np.array_equal(rows[0], alone + plain.toarray()[0])
    with pytest.raises(Problem, match="'note'"):
        extractor(wanted)({"note": 5})


@pytest.mark.parametrize("item", [{}, {"amount": None}, {"amount": ""}])
def test_a_missing_number_has_a_column(item):
    wanted = Features(kind="fields", size=4, numeric={"amount": (0, 1), "age": (40, 20)})
    (row,) = dense(wanted, {"age": 60, **item})
    assert row.tolist() == [0, 0, 0, 0, 0, 1, 1, 0]


def test_the_limit_is_that_of_the_scaled_number():
    wanted = Features(kind="fields", size=1, numeric={"amount": (0, 1e6)})
    assert dense(wanted, {"amount": 2_000_000})[0, 1] == 2.0
    for value in (2e12, True, "5", [1]):
        with pytest.raises(Problem, match="'amount'"):
            extractor(wanted)({"amount": value})


def test_vectors_are_taken_as_they_are():
    row = extractor(Features(kind="vector", size=3))({"vector": [1, 2.5, -3]})
    assert row.values.tolist() == [[1.0, 2.5, -3.0]]
    assert unpacked(packed(row)).values.tolist() == row.values.tolist()
    assert not scipy.sparse.issparse(as_matrix(row, 3))


@pytest.mark.parametrize("value", [[1, 2], "abc", [1, 2, True], [1, 2, "3"], None, [1, 2, 1e300]])
def test_vectors_that_will_not_do(value):
    with pytest.raises(Problem):
        extractor(Features(kind="vector", size=3))({"vector": value})


@pytest.mark.parametrize("item", [{}, {"text": None}, {"text": 5}, {"text": ["a"]}])
def test_texts_that_will_not_do(item):
    with pytest.raises(Problem, match="must have text in 'text'"):
        extractor(Features(kind="text"))(item)
