"""The archives of 20 Newsgroups: the original one, with dates, and the one split by date."""

import lzma
import re
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz
from pathlib import Path
from typing import NamedTuple

DATE = re.compile(r"^Date:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)


class Message(NamedTuple):
    """A message: its group, its text, when it was sent, and the part that it belongs to."""

    group: str
    body: str
    time: datetime | None
    part: str


def by_time(path: Path, split: Path | None) -> list[Message]:
    """Return the messages of the original archive in order of time; where equal, as they come."""
    parts = _parts(split) if split else {}
    messages = []
    for name, text in _files(path):
        group, _, number = name.removeprefix("20_newsgroup/").partition("/")
        head, _, body = text.partition("\n\n")
        messages.append(Message(group, body, _sent(head), parts.get(f"{group}/{number}", "")))
    return sorted(messages, key=lambda message: message.time or datetime.max)


def by_part(path: Path) -> list[Message]:
    """Return the messages of the archive split by date: those of "train", then those of "test"."""
    messages = []
    for name, text in _files(path):
        part, group, _ = name.split("/")
        messages.append(Message(group, text.partition("\n\n")[2], None, part.rpartition("-")[2]))
    return sorted(messages, key=lambda message: message.part != "train")


def _files(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and the texts of an archive's files."""
    with tarfile.open(path, "r:*") as archive:
        for member in archive:
            if file := archive.extractfile(member) if member.isfile() else None:
                yield member.name, file.read().decode("latin-1").replace("\r\n", "\n")


def _parts(split: Path) -> dict[str, str]:
    """Return the part of each message that is in the version split by date."""
    with lzma.open(split, "rt") if split.suffix == ".xz" else split.open() as lines:
        return {name: part for part, name in map(str.split, lines)}


def _sent(head: str) -> datetime | None:
    """Return when a message was sent, in UTC; a time zone that cannot be is left out.

    >>> _sent("Date: 19 Apr 93 16:15:19 +0300")
    datetime.datetime(1993, 4, 19, 13, 15, 19)
    """
    dates = DATE.search(head)
    parsed = parsedate_tz(dates[1]) if dates else None
    if parsed is None:
        return None
    zone = parsed[9] if parsed[9] is not None and abs(parsed[9]) < 86_400 else 0
    seconds = mktime_tz((*parsed[:9], zone))
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
