"""Texts as rows."""

from typing import Any

from scipy.sparse import csr_matrix


def hashed(texts: list[str], vectorizer: Any = None) -> csr_matrix:
    """Return rows of texts, by a vectorizer of scikit-learn.

    By default a word's column is a hash of it, 2^18 columns in all, so that no vocabulary is
    learned from texts of the future: a row counts the words that are no stop words, and is scaled
    to unit length.

    >>> hashed(["the cat sat", "a dog"]).shape, hashed(["the cat sat"]).nnz
    ((2, 262144), 2)
    """
    if vectorizer is None:
        from sklearn.feature_extraction.text import HashingVectorizer

        vectorizer = HashingVectorizer(n_features=2**18, alternate_sign=False, stop_words="english")
    return csr_matrix(vectorizer.fit_transform(texts), dtype=float)
