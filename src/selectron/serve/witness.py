"""Files beside the database: who has it open, and how far the log had gone."""

import fcntl
import os
import struct
import zlib
from pathlib import Path

from ..errors import SelectronError
from .private import opener

FORM = struct.Struct("<QII")  # the last entry, its seal, and the seal of these two


class Lock:
    """A file that one process at a time holds."""

    def __init__(self, path: Path):
        self.file = open(path, "ab", opener=opener)  # noqa: SIM115 (it is held as long as the store is)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.file.close()
            raise SelectronError(
                f"{path.parent} is in use by another server: stop it, or give another --data."
            ) from None

    def release(self) -> None:
        """Let others have it."""
        self.file.close()


class Witness:
    """The last entry that was committed, written after it and before anybody is told.

    It outlives the end of the process. It is not synced: after a power cut it may be behind the
    log, never ahead of it, unless the log has lost something.
    """

    def __init__(self, path: Path):
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.path = path

    def read(self) -> tuple[int, int] | None:
        """Return number and seal of the last entry; None if it was never written."""
        found = os.pread(self.fd, FORM.size, 0)
        if not found:
            return None
        try:
            seq, seal, own = FORM.unpack(found)
        except struct.error:
            own = None
        if own != zlib.crc32(found[:12]):
            raise SelectronError(f"{self.path} is damaged: start with --accept-loss to do without.")
        return seq, seal

    def write(self, head: tuple[int, int]) -> None:
        """Write number and seal of the last entry."""
        start = FORM.pack(*head, 0)[:12]
        os.pwrite(self.fd, start + zlib.crc32(start).to_bytes(4, "little"), 0)

    def close(self) -> None:
        """Close the file."""
        os.close(self.fd)
