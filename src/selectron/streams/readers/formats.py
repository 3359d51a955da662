"""Formats: which one a file has, by the ending of its name or by its first line."""

import re
from pathlib import PurePath

FORMATS = ("svmlight", "csv", "parquet", "jsonl")
PACKED = (".gz", ".bz2", ".xz")
ENDINGS = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}
PAIRS = re.compile(rb"\s*(?:[^\s:,;]+\s+)?(?:qid:\S+\s+)?\d+:[^\s:,;]+(?:\s|$)")
COMMENT = re.compile(rb"\s*#[^,;\t]*$")  # with a comma it is rather the header of a table


def by_name(path: str) -> str | None:
    """The format that the name of a file tells, None if it tells nothing.

    >>> by_name("mail.CSV.gz"), by_name("a9a.txt"), by_name("-")
    ('csv', None, None)
    """
    endings = [ending.lower() for ending in PurePath(path).suffixes]
    if endings and endings[-1] in PACKED:
        endings.pop()
    return ENDINGS.get(endings[-1]) if endings else None


def by_content(line: bytes) -> str:
    """The format that the first line which is not empty tells.

    >>> by_content(b"+1 3:0.5 7:1"), by_content(b'{"x": 1}'), by_content(b"1,2,3")
    ('svmlight', 'jsonl', 'csv')
    """
    if line.startswith(b"PAR1"):
        return "parquet"
    if line.lstrip().startswith(b"{"):
        return "jsonl"
    return "svmlight" if PAIRS.match(line) or COMMENT.match(line) else "csv"
