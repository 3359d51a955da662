"""A simulated person: their projects, when they are there, and on what they work.

Projects have words, files and sites. Days have breaks, and spells of work on one project.
"""

from random import Random
from typing import NamedTuple

SYLLABLES = "ba bel cor da den fa gal hin ja kel lor ma nis or pa quin ra sol ta ur vel win xa zim"
NOUNS = "draft notes plan budget report final minutes review summary data figures letter"
KINDS = ("writing", "coding", "browsing", "administration")
VOCABULARY = 700  # words from which projects draw theirs: many share some
FAMILY = 6  # projects about similar subjects
FIRST_DAY = 1_785_708_000.0  # Monday, 3 August 2026, midnight in Central Europe, which is UTC + 2 h
WINTER = 1_792_890_000.0  # 25 October 2026, 1:00 UTC: clocks go back by an hour
DAY, HOUR = 86_400.0, 3600.0
AGENDA = 9  # projects that a day is about


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
    return Project(name, first, last, min(weight, 12.0), words, files, sites)


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


class Block(NamedTuple):
    """A time of presence, up to a break; in some breaks the computer sleeps."""

    start: float
    end: float
    asleep: bool


class Spell(NamedTuple):
    """A stretch of work on one project; it may go on over breaks."""

    start: float
    end: float
    activity: str
    declared: bool  # whether the person declared it; one switch in four is forgotten


class Work(NamedTuple):
    """A part of a spell without a break."""

    start: float
    end: float
    project: Project
    day: int


def blocks(size: Size, random: Random) -> list[list[Block]]:
    """Return the times of presence day by day; none on holidays and on some weekends."""
    off = range(size.days // 2, size.days // 2 + size.days // 18)  # a holiday, a week in 4 months
    shares = [_share(day, off, random) for day in range(size.days)]
    minutes = [size.minutes * share / sum(shares) for share in shares]
    return [_day(day, minutes[day], random) for day in range(size.days)]


def _share(day: int, off: range, random: Random) -> float:
    """Return the part of a full day's work on a day."""
    chance, share = (0.98, 1.0) if day % 7 < 5 else (0.6, 0.5)
    there = random.random() < chance and day not in off
    return share * random.uniform(0.8, 1.2) if there else 0.0


def _day(day: int, minutes: float, random: Random) -> list[Block]:
    start = FIRST_DAY + day * DAY + random.gauss(8.0, 0.4) * HOUR
    start += HOUR * (start > WINTER)  # by local time
    found = []
    while minutes > 0:
        length = min(minutes, random.uniform(20, 110))
        lunch = 11.5 < (start - FIRST_DAY) % DAY / HOUR < 13
        found.append(Block(start, start + 60 * length, lunch or random.random() < 0.3))
        pause = random.uniform(35, 55) if lunch else random.lognormvariate(2.0, 0.6)
        start += 60 * (length + pause)
        minutes -= length
    return found


def works(
    size: Size, there: list[list[Block]], all_of: list[Project], random: Random
) -> list[Work]:
    """Return the work in all times of presence."""
    found: list[Work] = []
    recent: list[Project] = []
    for day, of_day in enumerate(there):
        agenda, left = _agenda(day, all_of, {one.name for one in recent}, random), 0.0
        for block in of_day:
            now = block.start
            while now < block.end:
                if left < 1:
                    recent.append(_next(agenda, recent[-6:], random))
                    left = max(60.0, random.lognormvariate(-0.4, 0.9) * 60 * size.spell)
                stop = min(block.end, now + left)
                found.append(Work(now, stop, recent[-1], day))
                left, now = left - (stop - now), stop
    return found


def _agenda(day: int, all_of: list[Project], begun: set[str], random: Random) -> list[Project]:
    """Return the projects of a day; including those that are due to begin."""
    live = [one for one in all_of if one.first <= day <= one.last]
    due = [one for one in all_of if one.first <= day and one.name not in begun]
    picked = random.choices(live or all_of, [one.weight for one in live or all_of], k=AGENDA)
    return list(dict.fromkeys(picked + due))


def _next(agenda: list[Project], recent: list[Project], random: Random) -> Project:
    """Return another project than the last: one of the last few, or one of the day's."""
    last = recent[-1] if recent else None
    before, others = ([one for one in some if one is not last] for some in (recent, agenda))
    if before and random.random() < 0.35:
        return random.choice(before)
    return random.choice(others or agenda)


def spells(found: list[Work], random: Random) -> list[Spell]:
    """Return the truth: the activity of each stretch, with start and end."""
    made: list[Spell] = []
    for work in found:
        if made and made[-1].activity == work.project.name:
            made[-1] = made[-1]._replace(end=work.end)
        else:
            declared = not made or random.random() < 0.75
            made.append(Spell(work.start, work.end, work.project.name, declared))
    return made
