"""News: the three text collections that most papers use."""

from typing import Any

import numpy as np

from . import newsgroup_archive, reuters_archive
from .blocks import arrays, indicator, sparse
from .dataset import Dataset
from .home import cache, file, found, missing, reading
from .words import hashed


def newsgroups(vectorizer: Any = None) -> Dataset:
    """Return 20 Newsgroups: messages to 20 groups, without their headers.

    From the original collection (newsgroups20/20_newsgroup.tar in the data home) there are 19,997
    messages in order of their `time`; `part` says to which part of the "bydate" version a message
    belongs, "train", "test" or, for duplicates, "". What is downloaded is that version itself:
    18,846 messages whose dates are gone, so that `time` is None and the order that of the parts.
    `vectorizer` makes rows of texts; None is that of `words.hashed`. Raises SelectronError where
    the file is not to be had.

    Source: Lang, "NewsWeeder: Learning to Filter Netnews" (ICML 1995).
    """
    path = file("newsgroups20/20news-bydate.tar.gz", "newsgroups20/20_newsgroup.tar")
    with reading(path):
        if "bydate" in path.name:
            messages = newsgroup_archive.by_part(path)
            time = None
        else:
            messages = newsgroup_archive.by_time(path, found("newsgroups20/bydate_split.txt"))
            time = np.array([message.time for message in messages], "datetime64[s]")
    y = np.array([message.group for message in messages])
    part = np.array([message.part for message in messages])
    X = hashed([message.body for message in messages], vectorizer)
    return Dataset(X, y, np.unique(y), part=part, time=time)


def reuters(vectorizer: Any = None) -> Dataset:
    """Return Reuters-21578: 21,578 stories of 1987 in order of `time`, 120 topics.

    A story may be of several topics or of none. Title and body are read; 2,535 stories have a title
    alone. `part` is "train" or "test" in the ModApte split, "" outside of it. `vectorizer` makes
    rows of texts; None is that of `words.hashed`. Raises SelectronError where the file is not to be
    had.

    Source: Lewis, "Reuters-21578 Text Categorization Test Collection" (1997).
    """
    path = file("reuters21578/reuters21578.tar.gz", "reuters21578/reuters21578.tar")
    with reading(path):
        stories = reuters_archive.stories(path)
    topics = np.unique([topic for story in stories for topic in story.topics])
    relevant = np.array([np.isin(topics, story.topics) for story in stories])
    part = np.array([story.part for story in stories])
    time = np.array([story.time for story in stories], "datetime64[s]")
    X = hashed([story.text for story in stories], vectorizer)
    return Dataset(X, indicator(relevant), topics, part=part, time=time)


def rcv1() -> Dataset:
    """Return RCV1-v2: 47,236 terms (tf-idf, rows of unit length), 103 topics.

    From the data home: five samples of 6,000 stories, 30,000 in all, `part` 1 to 5; their order is
    not that of time, 2,387 rows repeat another one, and M143 has no story. What scikit-learn
    downloads is the whole, 804,414 stories in the order of their numbers, which is that of time,
    `part` being "train" (the first 23,149) or "test". Raises SelectronError where neither is to be
    had.

    Source: Lewis, Yang, Rose & Li, "RCV1: A New Benchmark Collection for Text Categorization
    Research" (JMLR, 2004).
    """
    path = found("rcv1/rcv1.npz")
    if path is None:
        return _whole_rcv1()
    with reading(path):
        packed = arrays(path)
        names = packed["topic_names"]
        relevant = np.unpackbits(packed["topics_packed"], axis=1, count=len(names))
        X = sparse(packed, packed["data"] / 1e6)
    return Dataset(X, indicator(relevant), names, part=packed["subset"].astype(int))


def _whole_rcv1() -> Dataset:
    """Return RCV1 as scikit-learn fetches it, in the order of the stories' numbers."""
    from sklearn.datasets import fetch_rcv1

    try:
        fetched = fetch_rcv1(data_home=str(cache()))
    except OSError as error:
        what = "checksum" if "checksum" in str(error).lower() else "connection"
        raise missing(
            "rcv1/rcv1.npz", f"scikit-learn cannot download it (its {what} fails)"
        ) from None
    order = np.argsort(fetched.sample_id, kind="stable")
    part = np.where(order < 23_149, "train", "test")
    X, y = fetched.data[order].astype(float), fetched.target[order].astype(bool)
    return Dataset(X, y, np.asarray(fetched.target_names), part=part)
