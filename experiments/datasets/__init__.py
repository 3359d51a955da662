"""Data sets of the papers' experiments: see docs/datasets.md.

Every function raises SelectronError if its files cannot be found, downloaded or read.
"""

from .news import newsgroups, ohsumed, rcv1, reuters
from .tables import Dataset, digits, isolet, letter, shuttle, usps
