"""Columns of text: their words, hashed, and pairs of characters of scripts without spaces.

A term that comes n times in a text, and in f of N texts so far, has the weight

    (1 + log n) (1 + log((1 + N) / (1 + f))),

as in scikit-learn's `TfidfVectorizer(sublinear_tf=True)`; then the text is brought to norm 1. Pairs
of words are left out: with few labels, they take from words what they give."""

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np
import pyarrow as pa
from sklearn.utils import murmurhash3_32

from .kinds import Cells, Event, Kind, Layout
from .values import BLANKS, log, logs, text_of, texts_of

# characters of scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han
SCRIPTS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
UNSPACED = re.compile(f"[{SCRIPTS}]")
# marks within words: accents, points of Hebrew and Arabic, vowels of Indian scripts, joiners
MARKS = (
    r"\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u200c\u200d"
)
LETTER = rf"[^\W{SCRIPTS}]"
WORD = re.compile(f"{LETTER}(?:{LETTER}+|[{MARKS}]+)+|[{SCRIPTS}]")
TEXT_PLACES = 64  # of a text column in dense rows
CACHED = 50_000  # words whose hashes are kept
SEPARATOR = "\0"  # of texts, which many are searched for words together
SEPARATED = re.compile(WORD.pattern + "|" + SEPARATOR)
SPACED = {i: " " for i in range(1, 128) if not (chr(i).isalnum() or chr(i) == "_")}
SHORT = -2
UNSPACED_BIT = 1 << 32  # in the hash of a character of a script without spaces


class Hashes(dict):
    """Hashes of words, -1 for the separator of texts, SHORT for letters; CACHED are kept."""

    def __missing__(self, word: str) -> int:
        if len(self) >= CACHED:
            self.clear()
        found = -1 if word == SEPARATOR else SHORT
        if WORD.match(word):
            found = murmurhash3_32(word, positive=True)
            found |= UNSPACED_BIT if UNSPACED.match(word) else 0
        self[word] = found
        return found


HASHES, LOW = Hashes(), 0xFFFFFFFF


def hashes_of(texts: list[str]) -> np.ndarray:
    """Return the hashes of the words of all texts, with -1 between texts.

    >>> hashes_of(["a word", "", "word"]).tolist()
    [3326792864, -1, -1, 3326792864]
    """
    joint = f" {SEPARATOR} ".join(texts)
    if joint.count(SEPARATOR) >= len(texts) > 0:
        joint = f" {SEPARATOR} ".join(text.replace(SEPARATOR, " ") for text in texts)
    joint = normalize("NFC", joint.lower())
    words = joint.translate(SPACED).split() if joint.isascii() else SEPARATED.findall(joint)
    found = np.fromiter(map(HASHES.__getitem__, words), np.int64, len(words))
    return found[found != SHORT]


class Terms(NamedTuple):
    """Terms of an array of texts: rows, places, and values without the document frequency."""

    rows: np.ndarray
    places: np.ndarray
    values: np.ndarray


class Text(Kind):
    """Text: its words, hashed; each text has norm 1.

    Characters of a script without spaces, such as Chinese, are words, and so are pairs of them.
    Accents may be composed.
    """

    kind = "text"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.words = self.texts = 0
        self.seen = np.zeros(0, int)  # the number of texts with a term at each place

    def details(self) -> list[str]:
        """Return the mean number of words."""
        return [f"{self.words / max(1, self.texts):.1f} words on average"]

    def begin(self, layout: Layout) -> None:
        """Give places to the hashed features."""
        names = (f"{self.name}: hashed {j}" for j in range(TEXT_PLACES))
        self.place = layout.hashed_place() if layout.hashed else layout.add(names)
        self.seen = self.seen if len(self.seen) else np.zeros(layout.hashed or TEXT_PLACES, int)

    def read(self, x: Any) -> str:
        """Return a value as text in lower case, "" if it is blank."""
        text = normalize("NFC", (x if type(x) is str else text_of(x)).strip().lower())
        return "" if text in BLANKS else text

    def encode_one(self, x: Any, layout: Layout, learn: bool, out: dict[int, float]) -> None:
        """Put the features of a text into a row."""
        text = self.read(x)
        if learn:
            self.blanks += not text
            self.texts += bool(text)
            if self.place < 0:
                self.begin(layout)
        words = [HASHES[word] for word in WORD.findall(text)]
        if self.place < 0 or not words:
            return
        self.words += len(words) if learn else 0
        size = layout.hashed or TEXT_PLACES
        pairs = [pair_hash(a, b) for a, b in pairwise(words) if a & b & UNSPACED_BIT]
        counts: dict[int, int] = {}
        for h in words + pairs:
            counts[h % size] = counts.get(h % size, 0) + 1
        places = sorted(counts)
        at = np.array(places)  # as an index, a list is converted each time
        if learn:
            self.seen[at] += 1
        square, values, texts = 0.0, list[float](), 1 + self.texts
        for place, having in zip(places, self.seen[at].tolist(), strict=True):
            values.append((1 + log(counts[place])) * (1 + log(texts / (1 + having))))
            square += values[-1] * values[-1]
        norm = math.sqrt(square)
        for place, value in zip(places, values, strict=True):
            out[self.place + place] = out.get(self.place + place, 0.0) + value / norm

    def terms(self, x: Any, layout: Layout) -> Iterator[tuple[int, str]]:
        """Yield the terms of a text, each with its place before."""
        words = WORD.findall(self.read(x))
        hashes, size = [HASHES[word] for word in words], layout.hashed or TEXT_PLACES
        for h, word in zip(hashes, words, strict=True):
            yield self.place + h % size, word
        for (a, v), (b, w) in pairwise(zip(hashes, words, strict=True)):
            if a & b & UNSPACED_BIT:
                yield self.place + pair_hash(a, b) % size, v + w

    def prepare(self, array: pa.Array, layout: Layout, learn: bool) -> tuple[Any, list[Event]]:
        """Return the features of texts, and whether the column is new."""
        texts = texts_of(array)
        hashes, size = hashes_of(texts), layout.hashed or TEXT_PLACES
        found = terms_of(hashes, size)
        if not learn:
            seen = self.seen[found.places] if self.place >= 0 else 0
            return self.weighted(found, seen, self.texts, len(texts)), []
        if self.place < 0:
            self.seen = np.zeros(size, int)
        filled = np.fromiter(map(bool, texts), int, len(texts))
        count = self.texts + np.cumsum(filled)[found.rows]
        seen = self.seen[found.places] + ranks(found.places)
        ready = self.weighted(found, seen, count, len(texts))
        np.add.at(self.seen, found.places, 1)
        self.blanks += len(texts) - int(filled.sum())
        self.texts += int(filled.sum())
        self.words += int((hashes >= 0).sum())
        return ready, [(0, self.begin)] if self.place < 0 else []

    def weighted(self, found: Terms, seen: Any, texts: Any, n: int) -> Terms:
        """Return the terms of n texts, weighted by the numbers of texts, and brought to norm 1."""
        values = found.values * (1 + logs((1 + texts) / (1 + seen)))
        norms = np.sqrt(np.bincount(found.rows, values * values, minlength=n))
        return found._replace(values=values / norms[found.rows])

    def emit(self, ready: Any, layout: Layout) -> list[Cells]:
        """Return the features of the texts that were prepared."""
        if self.place < 0:
            return []
        return [Cells(ready.rows, self.place + ready.places, ready.values)]


def terms_of(hashes: np.ndarray, size: int) -> Terms:
    """Return the terms of texts, given the hashes of words; what shares a place is one term."""
    rows, word = np.cumsum(hashes < 0), hashes >= 0
    rows, words = rows[word], hashes[word]
    a, b = words[:-1], words[1:]
    paired = (rows[1:] == rows[:-1]) & (a & b & UNSPACED_BIT > 0)
    pairs = pair_hash(a[paired].astype(np.uint64), b[paired].astype(np.uint64)).astype(np.int64)
    words, rows = np.concatenate([words, pairs]), np.concatenate([rows, rows[1:][paired]])
    keys, counts = np.unique(rows * size + words % size, return_counts=True)
    return Terms(keys // size, keys % size, 1 + logs(counts))


def ranks(places: np.ndarray) -> np.ndarray:
    """Return how often each place has come, this time included.

    >>> ranks(np.array([3, 5, 3, 3])).tolist()
    [1, 1, 2, 3]
    """
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    lengths = np.diff(starts, append=len(places))
    found = np.empty(len(places), int)
    found[order] = np.arange(len(places)) - np.repeat(starts, lengths) + 1
    return found


def pair_hash(a: Any, b: Any) -> Any:
    """Return the hash of a pair from the hashes of its words.

    >>> pair_hash(1, 2), pair_hash(np.array([1], np.uint64), np.array([2], np.uint64)).tolist()
    (2675938558, [2675938558])
    """
    h = (a * 0x9E3779B1 + b * 0x85EBCA6B) & LOW
    h = ((h ^ (h >> 15)) * 0x2C1B3C6D) & LOW
    return h ^ (h >> 13)
