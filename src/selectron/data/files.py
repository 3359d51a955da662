"""Writing files: atomically, with errors that name the file as the user did."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import SelectronError, Unwritten


@contextmanager
def writing(target: str | os.PathLike) -> Iterator[None]:
    """Turn errors of the operating system into `Unwritten`, which names the target.

    >>> with writing("a.csv"):
    ...     raise OSError(28, "Error writing bytes")
    Traceback (most recent call last):
    selectron.errors.Unwritten: a.csv cannot be written (No space left on device): choose a place \
that exists, has room and may be written to.
    """
    name = os.fsdecode(target)
    if "\0" in name:
        raise Unwritten(f"{name!r} cannot be written: names of files have no null character.")
    try:
        yield
    except (SelectronError, BrokenPipeError):  # of a pipe whose reader has closed it
        raise
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise Unwritten(
            f"{name} cannot be written ({why}): choose a place that exists, has room "
            "and may be written to."
        ) from error


def replace(path: str | os.PathLike, *parts: Any) -> None:
    """Write bytes to a file atomically: readers find the old content or all of the new one.

    The content and the new name are synced to the disk, so this also holds after a power cut. A
    link stays a link, permissions stay as they are, and pipes and devices are written to directly.
    """
    with writing(path):
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            with open(target, "wb") as device:
                device.writelines(parts)
        else:
            _replace(target, parts)


def _replace(target: Path, parts: Iterable[Any]) -> None:
    draft = target.with_name(f".{secrets.token_hex(8)}.draft")
    try:
        with open(draft, "xb") as file:
            if target.exists():
                shutil.copymode(target, draft)
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
