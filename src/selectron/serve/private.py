"""Files that nobody but their owner reads."""

import os
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
OURS = ("lock", "head", "snapshots", "snapshots/**/*")


def closed_to_others(folder: Path, database: str) -> None:
    """Make a folder for its owner alone; where it holds a database, close it and what we keep.

    Another folder that is there already keeps its mode.
    """
    if not folder.exists():
        folder.mkdir(parents=True, mode=FOLDER)
    elif (folder / database).exists():
        close(folder)
        for pattern in (f"{database}*", *OURS):
            for path in folder.glob(pattern):
                close(path)


def close(path: Path) -> None:
    """Let nobody but its owner read a file or a folder, where it is ours to decide."""
    wanted = FOLDER if path.is_dir() else FILE
    with suppress(PermissionError, FileNotFoundError):
        if path.stat().st_mode & 0o777 != wanted and not path.is_symlink():
            path.chmod(wanted)


def opener(path: str, flags: int) -> int:
    """Open a file for `open`, one that is new for its owner alone."""
    return os.open(path, flags, FILE)
