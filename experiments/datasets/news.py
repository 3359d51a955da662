"""News: the three text collections that most papers use."""

import re
import tarfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import fetch_rcv1
from sklearn.feature_extraction.text import HashingVectorizer

from .files import arrays, cache, contents, found, missing, reading
from .tables import Dataset, sparse

SENT = re.compile(r"^Date:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
STORY = re.compile(r"<REUTERS (?P<head>[^>]*)>(?P<inside>.*?)</REUTERS>", re.DOTALL)
FIELD = re.compile(r"<(DATE|TOPICS|TITLE|BODY)>(.*?)</\1>", re.DOTALL)
WHEN = re.compile(r"\s*(\d+-[A-Z]{3}-\d{4})\s+\d*(\d\d:\d\d:\d\d)")  # one hour reads 605


def newsgroups(vectorizer: Any = None) -> Dataset:
    """Return 20 Newsgroups: messages to 20 groups, without their headers.

    The original collection has 19,997 messages, in order of their `time`; `part` is their part in
    the "bydate" version, "train", "test" or "" for duplicates. The download is that version: 18,846
    messages in the order of the parts, with `time` None. `vectorizer` as in `hashed`. Source: Lang
    (ICML 1995).
    """
    with reading("newsgroups20/20news-bydate.tar.gz", "newsgroups20/20_newsgroup.tar") as path:
        dated, split = "bydate" not in path.name, found("newsgroups20/bydate_split.txt")
        lines = contents(split).decode().splitlines() if dated and split else []
        parts = {name: part for part, name in map(str.split, lines)}
        messages = []
        for name, text in _texts(path):
            folder, group, number = name.split("/")
            head, _, body = text.replace("\r\n", "\n").partition("\n\n")
            part = parts.get(f"{group}/{number}", "") if dated else folder.rpartition("-")[2]
            messages.append((_sent(head), body, group, part))
    if dated:
        messages.sort(key=lambda message: message[0] or datetime.max)
    else:
        messages.sort(key=lambda message: message[3] != "train")
    times, bodies, groups, kinds = zip(*messages, strict=True)
    X, time = hashed(bodies, vectorizer), np.array(times, "datetime64[s]") if dated else None
    return Dataset(X, np.array(groups), np.unique(groups), part=np.array(kinds), time=time)


def reuters(vectorizer: Any = None) -> Dataset:
    """Return Reuters-21578: 21,578 stories of 1987 in order of `time`, 120 topics.

    A story may be of several topics or of none. Title and body are read; 2,535 stories have a title
    alone. `part` is "train" or "test" in the ModApte split, "" outside of it. Source: Lewis,
    "Reuters-21578 Text Categorization Test Collection" (1997).
    """
    with reading("reuters21578/reuters21578.tar.gz", "reuters21578/reuters21578.tar") as path:
        files = sorted(file for file in _texts(path) if file[0].endswith(".sgm"))
        stories = [_story(match) for _, text in files for match in STORY.finditer(text)]
        stories.sort(key=lambda story: story[0])  # of equal times, as they come
        times, texts, topics, parts = zip(*stories, strict=True)
    names = np.unique([name for some in topics for name in some])
    relevant = csr_matrix(np.array([np.isin(names, some) for some in topics]))
    time = np.array(times, "datetime64[s]")
    return Dataset(hashed(texts, vectorizer), relevant, names, part=np.array(parts), time=time)


def rcv1() -> Dataset:
    """Return RCV1-v2: 47,236 terms (tf-idf, rows of unit length), 103 topics.

    The packed copy has five samples of 6,000 stories, 30,000 in all, `part` 1 to 5; they are not in
    order of time, 2,387 rows repeat another one, and M143 has no story. scikit-learn downloads all
    804,414 stories, in order of time, `part` "train" for the first 23,149. Source: Lewis, Yang,
    Rose & Li, "RCV1: A New Benchmark Collection for Text Categorization Research" (JMLR, 2004).
    """
    name = "rcv1/rcv1.npz"
    if found(name):
        with reading(name) as path:
            packed = arrays(path)
            names = packed["topic_names"]
            relevant = np.unpackbits(packed["topics_packed"], axis=1, count=len(names))
            X = sparse(packed, packed["data"] / 1e6)
        y, part = csr_matrix(relevant.astype(bool)), packed["subset"].astype(int)
        return Dataset(X, y, names, part=part)
    try:
        fetched = fetch_rcv1(data_home=str(cache()))
    except OSError as error:
        what = "checksum" if "checksum" in str(error).lower() else "connection"
        raise missing(name, f"scikit-learn cannot download it (its {what} fails)") from None
    order = np.argsort(fetched.sample_id, kind="stable")
    X, y = fetched.data[order].astype(float), fetched.target[order].astype(bool)
    part = np.where(order < 23_149, "train", "test")
    return Dataset(X, y, np.asarray(fetched.target_names), part=part)


def ohsumed() -> Dataset:
    """Return OHSUMED: 13,929 medical abstracts, 1,002 words (0 or 1), 23 topics.

    The abstracts on cardiovascular and other diseases of 1991, each of one topic at least, in an
    order that is not known. Source: Joachims (ECML, 1998), after Hersh, Buckley, Leone & Hickam,
    "OHSUMED: An Interactive Retrieval Evaluation" (SIGIR, 1994).
    """
    with reading("ohsumed/ohsumed.npz") as path:
        packed = arrays(path)
        names = packed["labels"]
        relevant = np.unpackbits(packed["Y"], axis=1, count=len(names)).astype(bool)
        return Dataset(sparse(packed), csr_matrix(relevant), names)


def hashed(texts: Sequence[str], vectorizer: Any = None) -> csr_matrix:
    """Return texts as rows, by a vectorizer of scikit-learn.

    By default a word's column is a hash of it, 2^18 columns in all, so that no vocabulary is
    learned from later texts: a row has the counts of the words that are not stop words, and is
    scaled to unit length.

    >>> hashed(["the cat sat", "a dog"]).shape, hashed(["the cat sat"]).nnz
    ((2, 262144), 2)
    """
    if vectorizer is None:
        vectorizer = HashingVectorizer(n_features=2**18, alternate_sign=False, stop_words="english")
    return csr_matrix(vectorizer.fit_transform(texts), dtype=float)


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and the texts of an archive's files."""
    with tarfile.open(path, "r:*") as archive:
        for member in archive:
            if file := archive.extractfile(member) if member.isfile() else None:
                yield member.name, file.read().decode("latin-1")


def _sent(head: str) -> datetime | None:
    """Return when a message was sent, in UTC; an impossible time zone is ignored.

    >>> _sent("Date: 19 Apr 93 16:15:19 +0300")
    datetime.datetime(1993, 4, 19, 13, 15, 19)
    """
    dates = SENT.search(head)
    parsed = parsedate_tz(dates[1]) if dates else None
    if parsed is None:
        return None
    zone = parsed[9] if parsed[9] is not None and abs(parsed[9]) < 86_400 else 0
    seconds = mktime_tz((*parsed[:9], zone))
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def _story(match: re.Match[str]) -> tuple[datetime, str, list[str], str]:
    """Return the time, the text and the topics of a story, and its part in the ModApte split.

    >>> text = '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN"><DATE>26-FEB-1987 15:01:01.79</DATE>'
    >>> _story(STORY.search(text + "<TOPICS><D>tea</D></TOPICS><TITLE>TEA</TITLE></REUTERS>"))
    (datetime.datetime(1987, 2, 26, 15, 1, 1), 'TEA\\n', ['tea'], 'train')
    """
    fields = dict(FIELD.findall(match["inside"]))
    when = WHEN.match(fields["DATE"])
    if when is None:
        raise ValueError(f"{fields['DATE']!r} is not a date")
    time = datetime.strptime(f"{when[1]} {when[2]}", "%d-%b-%Y %H:%M:%S")
    text = unescape(f"{fields.get('TITLE', '')}\n{fields.get('BODY', '')}")
    split = re.search(r'LEWISSPLIT="(TRAIN|TEST)"', match["head"])
    part = split[1].lower() if split and 'TOPICS="YES"' in match["head"] else ""
    return time, text, re.findall(r"<D>(.*?)</D>", fields["TOPICS"]), part
