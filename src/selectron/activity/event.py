"""What the desktop says: stretches of time in which one resource was in front."""

from typing import NamedTuple

KINDS = ("document", "folder", "site", "application", "project")


class Event(NamedTuple):
    """A stretch in which one window was in front, or in which nobody was there.

    Events come in order of their starts and do not overlap; between them nothing is known.
    """

    start: float  # seconds since 1970, UTC
    end: float
    resource: str  # its kind, a colon, and what names it: "site:example.org"; "" if nobody is there
    words: tuple[str, ...]  # of the window's title, in lower case, or hashed

    @property
    def away(self) -> bool:
        """Was nobody there?"""
        return not self.resource
