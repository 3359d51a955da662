"""Logs of made-up desktops, with the truth: to try the predictor on, and to measure it.

A person has projects that begin and end, with files, sites and words, some of which several share;
works on them in spells, of which they forget to declare some; has breaks, holidays and a computer
that sleeps, and looks at mail, chats and news in between. Clocks go back in October.
"""

from random import Random
from typing import NamedTuple

from ..event import Event
from .days import Block, Spell, blocks, spells, works
from .export import export
from .looks import Look, looks
from .projects import projects
from .size import MONTH, PAPER, Size

__all__ = ["MONTH", "PAPER", "Desk", "Look", "Size", "Spell", "export", "generate"]


class Desk(NamedTuple):
    """A log and its truth."""

    looks: list[Look]
    present: list[Block]
    truth: list[Spell]

    @property
    def events(self) -> list[Event]:
        """The log as the predictor sees it."""
        return [look.event() for look in self.looks]


def generate(size: Size = MONTH, seed: int = 0) -> Desk:
    """Return a log of this size, always the same one for a seed.

    >>> desk = generate(Size(activities=5, days=3, minutes=600, switches=30), seed=0)
    >>> len(desk.looks), len(desk.truth)
    (914, 39)
    """
    random = Random(seed)
    all_of = projects(size, random)
    there = blocks(size, random)
    done = works(size, there, all_of, random)
    truth = spells(done, random)
    return Desk(list(looks(done, random)), [one for day in there for one in day], truth)
