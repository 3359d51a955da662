"""Data sets of the papers' experiments, and of streams that drift.

Each function looks for its files in the folder that `SELECTRON_DATA` names, then in the cache
folder, `selectron` in scikit-learn's data folder (`SCIKIT_LEARN_DATA`, or `~/scikit_learn_data`).
Otherwise it downloads them into the cache and compares their checksums with registry.txt;
docs/datasets.md lists the sets, and those that cannot be downloaded. Files may be packed with xz.
Every function raises SelectronError if its files cannot be found, downloaded or read.
"""

from .news import newsgroups, rcv1, reuters
from .tables import (
    Dataset,
    a9a,
    chess,
    digits,
    electricity,
    isolet,
    letter,
    luxembourg,
    shuttle,
    spam,
    usps,
    weather,
)

__all__ = [
    "Dataset",
    "a9a",
    "chess",
    "digits",
    "electricity",
    "isolet",
    "letter",
    "luxembourg",
    "newsgroups",
    "rcv1",
    "reuters",
    "shuttle",
    "spam",
    "usps",
    "weather",
]
