"""The archive of Reuters-21578: SGML that is regular enough to be read by a few patterns."""

import re
import tarfile
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import NamedTuple

STORY = re.compile(r"<REUTERS (?P<head>[^>]*)>(?P<inside>.*?)</REUTERS>", re.DOTALL)
FIELD = re.compile(r"<(DATE|TOPICS|TITLE|BODY)>(.*?)</\1>", re.DOTALL)
TOPIC = re.compile(r"<D>(.*?)</D>")
WHEN = re.compile(r"\s*(\d+-[A-Z]{3}-\d{4})\s+\d*(\d\d:\d\d:\d\d)")  # one hour reads 605
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]


class Story(NamedTuple):
    """A story: its text, topics and time, and its part in the ModApte split."""

    text: str
    topics: list[str]
    time: datetime
    part: str


def stories(path: Path) -> list[Story]:
    """Return the stories in order of time; where equal, as they come."""
    with tarfile.open(path, "r:*") as archive:
        names = sorted(name for name in archive.getnames() if name.endswith(".sgm"))
        texts = [archive.extractfile(name).read().decode("latin-1") for name in names]  # type: ignore[union-attr]
    found = [_story(match) for text in texts for match in STORY.finditer(text)]
    if not found:
        raise ValueError("there are no stories in it")
    return sorted(found, key=lambda story: story.time)


def _story(match: re.Match[str]) -> Story:
    """Return one story."""
    fields = dict(FIELD.findall(match["inside"]))
    text = unescape(f"{fields.get('TITLE', '')}\n{fields.get('BODY', '')}")
    return Story(text, TOPIC.findall(fields["TOPICS"]), _when(fields["DATE"]), _part(match["head"]))


def _part(head: str) -> str:
    """Return the part of the ModApte split, which is made of the stories that have been indexed.

    >>> _part('TOPICS="YES" LEWISSPLIT="TRAIN"'), _part('TOPICS="NO" LEWISSPLIT="TRAIN"')
    ('train', '')
    """
    split = re.search(r'LEWISSPLIT="(TRAIN|TEST)"', head)
    return split[1].lower() if split and 'TOPICS="YES"' in head else ""


def _when(date: str) -> datetime:
    """Return the time of a story.

    >>> _when("26-FEB-1987 15:01:01.79")
    datetime.datetime(1987, 2, 26, 15, 1, 1)
    """
    match = WHEN.match(date)
    if match is None:
        raise ValueError(f"{date!r} is no date")
    day, month, year = match[1].split("-")
    hour, minute, second = map(int, match[2].split(":"))
    return datetime(int(year), MONTHS.index(month) + 1, int(day), hour, minute, second)
