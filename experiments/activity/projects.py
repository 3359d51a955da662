"""The projects of a simulated person: their days, words, files and sites."""

from random import Random
from typing import NamedTuple

SYLLABLES = "ba bel cor da den fa gal hin ja kel lor ma nis or pa quin ra sol ta ur vel win xa zim"
NOUNS = "draft notes plan budget report final minutes review summary data figures letter"
KINDS = ("writing", "coding", "browsing", "administration")
VOCABULARY = 700  # words from which projects draw theirs: many share some
FAMILY = 6  # projects about similar subjects


class Size(NamedTuple):
    """The numbers of activities, days, minutes of presence and switches."""

    activities: int
    days: int
    minutes: int
    switches: int

    @property
    def spell(self) -> float:
        """Return the average minutes of work on an activity without a switch."""
        return self.minutes / (self.switches + 1)


MONTH = Size(activities=40, days=31, minutes=10_000, switches=600)
PAPER = Size(activities=299, days=123, minutes=61_400, switches=3_650)  # as in section 5.4


class Project(NamedTuple):
    """The words, files and sites of a project, and its first and last day."""

    name: str
    kind: str
    first: int
    last: int
    weight: float
    words: tuple[str, ...]
    files: tuple[str, ...]
    sites: tuple[str, ...]  # hosts


def projects(size: Size, random: Random) -> list[Project]:
    """Return the projects of a log."""
    vocabulary = [word(random) for _ in range(VOCABULARY)]
    matters = [random.sample(vocabulary, 9) for _ in range(max(1, size.activities // FAMILY))]
    hosts = [[f"{random.choice(matter)}.example.org" for _ in range(3)] for matter in matters]
    return [
        _project(i, size, matters[i % len(matters)], hosts[i % len(matters)], vocabulary, random)
        for i in range(size.activities)
    ]


def word(random: Random) -> str:
    """Return a word of two or three syllables."""
    return "".join(random.choices(SYLLABLES.split(), k=random.choice((2, 2, 3))))


def _project(
    i: int, size: Size, matter: list[str], hosts: list[str], vocabulary: list[str], random: Random
) -> Project:
    words = tuple(random.sample(matter, 3) + random.sample(vocabulary, 2))
    first, last = _life(i, size, random)
    kind = random.choices(KINDS, (4, 3, 2, 2))[0]
    name = f"{words[0]} {words[3]} {i + 1}".title()
    files = tuple(_file(kind, words, n, random) for n in range(random.randint(3, 24)))
    sites = (*random.sample(hosts, random.randint(0, 2)), f"{words[4]}{i}.example.org")
    weight = random.paretovariate(1.2)
    return Project(name, kind, first, last, min(weight, 12.0), words, files, sites)


def _life(i: int, size: Size, random: Random) -> tuple[int, int]:
    """Return the first and the last day: one project in ten goes on throughout."""
    if i % 10 == 0:
        return 0, size.days
    first = int(random.uniform(-0.1, 0.97) * size.days)
    return max(0, first), first + 2 + int(random.lognormvariate(2.4, 0.8))


def _file(kind: str, words: tuple[str, ...], n: int, random: Random) -> str:
    if kind == "coding":
        return f"/home/user/code/{words[0]}-{words[3]}/{random.choice(words)}_{n}.py"
    topic, noun = random.choice(words), random.choice(NOUNS.split())
    ending = random.choice(("odt", "ods", "pdf")) if kind == "administration" else "odt"
    return f"/home/user/{words[0]}/{topic} {noun} {n}.{ending}"
