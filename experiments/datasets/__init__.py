"""Data sets of the papers' experiments, and of streams that drift.

Each function looks for its files in the folder that `SELECTRON_DATA` names, then in the cache
folder, `selectron` in scikit-learn's data folder (`SCIKIT_LEARN_DATA`, or `~/scikit_learn_data`).
What is in neither is downloaded into the cache, and its checksum compared; docs/datasets.md tells
from where, and for which sets that cannot be done. Files may be packed with xz.
"""

from .characters import digits, isolet, letter, usps
from .dataset import Dataset
from .drifting import chess, electricity, luxembourg, weather
from .mail import sms, spam
from .medical import ohsumed
from .news import newsgroups, rcv1, reuters
from .tables import a9a, shuttle

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
    "ohsumed",
    "rcv1",
    "reuters",
    "shuttle",
    "sms",
    "spam",
    "usps",
    "weather",
]
