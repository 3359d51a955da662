"""Data files: where they are found, how they are read, and how they are downloaded."""

import io
import lzma
import os
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pooch
import requests

from selectron.errors import SelectronError

STORE = pooch.create("", base_url="")
STORE.load_registry(Path(__file__).with_name("registry.txt"))  # name, SHA-256, address
# errors of readers for a file that is truncated or is another one
DAMAGE = (
    *(OSError, ValueError, LookupError, EOFError),
    *(lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, zlib.error),
)
TIMEOUT = 30  # seconds without a byte after which a server counts as unreachable


def cache() -> Path:
    """Return the folder for downloads, which need not exist yet."""
    home = os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data"
    return Path(home).expanduser() / "selectron"


def folders() -> list[Path]:
    """Return the folders to look into, in this order."""
    home = os.environ.get("SELECTRON_DATA")
    return [*([Path(home).expanduser()] if home else []), cache()]


def found(*names: str) -> Path | None:
    """Return the first of these files that exists, compressed with xz or not; None if none does."""
    files = [file for name in names for file in (name, f"{name}.xz")]
    paths = (folder / file for folder in folders() for file in files)
    return next(filter(Path.is_file, paths), None)


@contextmanager
def reading(name: str, *others: str) -> Iterator[Path]:
    """Yield a data file, or one of the `others` that may replace it; download it if none exists.

    Errors while it is read become one sentence.
    """
    path = found(name, *others) or _download(name)
    try:
        yield path
    except DAMAGE as error:
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(". ")
        raise SelectronError(f"{path}: is not the data file it should be ({reason}).") from None


def contents(path: Path) -> bytes:
    """Return the bytes of a file, decompressed."""
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file that NumPy saved."""
    with np.load(io.BytesIO(contents(path)), allow_pickle=False) as packed:
        return dict(packed)


def missing(name: str, reason: str) -> SelectronError:
    """Return the error for a file that does not exist."""
    places = " and ".join(str(folder / name) for folder in folders())
    return SelectronError(
        f"{places}: no such file, and {reason}; put it there, or name the folder that has it in "
        "the environment variable SELECTRON_DATA."
    )


def _download(name: str) -> Path:
    """Download a file into the cache and compare its checksum."""
    if name not in STORE.registry:
        raise missing(name, "there is no public address with a known checksum")
    STORE.path, url = cache(), STORE.get_url(name)
    pooch.get_logger().setLevel("WARNING")
    fetch: Any = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)
    try:
        return Path(STORE.fetch(name, downloader=fetch))
    except ValueError as error:
        what = "has another checksum than it should" if "hash" in str(error) else str(error)
        raise missing(name, f"what {url} sends {what}") from None
    except (OSError, requests.RequestException):
        raise missing(name, f"{url} cannot be reached") from None
