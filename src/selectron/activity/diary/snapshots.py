"""The predictor as it was at an entry of the journal: what a start need not play again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import SelectronError
from . import points
from .journal import Journal

KEPT = 2


def save(predictor: Any, journal: Journal, seq: int) -> int:
    """Save the predictor as of an entry; older ones but the last are deleted.

    Returns the entry of the oldest one that is kept.
    """
    folder = _folder(journal)
    folder.mkdir(exist_ok=True, mode=0o700)
    points.reached("before snapshot")
    predictor.save(folder / f"{journal.setting('identity')}-{seq:012}.model")
    points.reached("after snapshot")
    kept = _all(journal)
    for path in kept[KEPT:]:
        path.unlink(missing_ok=True)
    return _entry(kept[:KEPT][-1])


def newest(
    journal: Journal, load: Callable[[Path], Any], make: Callable[[], Any]
) -> tuple[Any, int]:
    """Return the predictor of the newest snapshot that can be read, and its entry, or a new one."""
    for path in _all(journal):
        seq = _entry(path)
        if seq <= journal.head:
            try:
                return load(path), seq
            except (SelectronError, OSError):
                continue  # the journal has it all
    return make(), 0


def _all(journal: Journal) -> list[Path]:
    pattern = f"{journal.setting('identity')}-*.model"
    return sorted(_folder(journal).glob(pattern), reverse=True)


def _entry(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _folder(journal: Journal) -> Path:
    return journal.path.parent / "snapshots"
