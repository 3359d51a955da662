"""Memory and file size of the activity predictor as activities, resources and the log grow."""

import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from selectron_desktop import ActivityPredictor, Event
from selectron_desktop.session import Session

START = 1_800_000_000.0
WORK = (  # what grows; activities, resources, minutes, resources in a minute
    ("activities", [(30, 10_000, 3_000, 5), (300, 10_000, 3_000, 5), (3_000, 10_000, 3_000, 5)]),
    ("resources", [(300, 1_000, 1_000, 10), (300, 10_000, 1_000, 10), (300, 100_000, 1_000, 100)]),
    ("resources, 30 activities", [(30, 50_000, 500, 100), (30, 200_000, 2_000, 100)]),
    ("minutes", [(300, 9_000, 900, 10), (300, 9_000, 1_800, 10), (300, 9_000, 3_600, 10)]),
)


def activity_memory() -> Iterator[tuple[str, str, str]]:
    """Yield bytes in memory and in a file as one number grows after another, and for a journal."""
    sized(*WORK[0][1][0])  # so that imports and compiled code are not counted
    for name, sizes in WORK:
        found = [sized(*size) for size in sizes]
        at = {"activities": 0, "minutes": 2}.get(name, 1)
        yield (
            f"{name}: {', '.join(f'{size[at]:,}' for size in sizes)}",
            f"{', '.join(f'{held / 1e6:.1f}' for held, _ in found)} MB",
            f"{', '.join(f'{kept / 1e6:.1f}' for _, kept in found)} MB",
        )
    yield from journals((1_000, 2_000, 4_000))


def sized(*size: int) -> tuple[int, int]:
    """Return the bytes of a predictor of this size in memory, and those of its file."""
    tracemalloc.start()
    try:
        predictor = ActivityPredictor(random_state=0)
        work(predictor, *size)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    return held, written(predictor.save)


def work(predictor: Any, activities: int, resources: int, minutes: int, at_once: int) -> None:
    """Go through all activities and all resources, again and again; each has its own word."""
    length = 60.0 / at_once
    for minute in range(minutes):
        now = START + 60.0 * minute
        predictor.declare(f"activity {minute % activities}", now)
        for i in range(at_once):
            one, begun = (minute * at_once + i) % resources, now + length * i
            predictor.see(Event(begun, begun + length, f"site:{one}.example", (f"word{one}",)))
        predictor.tick(now + 60.0)


def journals(lengths: tuple[int, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield the size of a folder after each number of minutes; it keeps the last thousand."""
    found = []
    for minutes in lengths:
        with tempfile.TemporaryDirectory() as home:
            session = Session(
                Path(home), lambda: ActivityPredictor(random_state=0), ActivityPredictor.load
            )
            session.every, session.minutes = 500, 1_000
            for minute in range(minutes):
                now = START + 60.0 * minute
                look = Event(now, now + 60.0, f"site:{minute % 50}.example", ("a", "word"))
                session.advance([look], now + 60.0)
            session.close()
            sizes = {path.name: path.stat().st_size for path in Path(home).iterdir()}
        found.append(sizes["journal.sqlite3"])
    yield (
        f"a journal that keeps 1,000 minutes, after {', '.join(f'{n:,}' for n in lengths)}",
        "-",
        f"{', '.join(f'{size / 1e6:.2f}' for size in found)} MB",
    )


def written(save: Callable[[Path], object]) -> int:
    """Return the size of the file that is written."""
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / "predictor")
        return (Path(folder) / "predictor").stat().st_size
