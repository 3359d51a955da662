"""Where data files are: the data home, the cache folder, and what is downloaded into it."""

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

from selectron.errors import SelectronError

from .sources import SOURCES, Source

DAMAGE = (  # what readers raise over a file that is not what it should be
    OSError,
    ValueError,
    LookupError,
    EOFError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
TIMEOUT = 30  # seconds without a byte after which a server counts as out of reach


def cache() -> Path:
    """Return the folder that downloads go to, which need not be there yet."""
    home = os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data"
    return Path(home).expanduser() / "selectron"


def folders() -> list[Path]:
    """Return the folders that are looked into, in this order."""
    home = os.environ.get("SELECTRON_DATA")
    return [*([Path(home).expanduser()] if home else []), cache()]


def found(*names: str) -> Path | None:
    """Return the first of these files that is there, packed with xz or not; None if none is."""
    for folder in folders():
        for name in names:
            for path in (folder / name, folder / f"{name}.xz"):
                if path.is_file():
                    return path
    return None


def file(name: str, *others: str) -> Path:
    """Return a data file, or one of the `others` that may stand for it, or else download it.

    Raises SelectronError if it is not there and cannot be downloaded.
    """
    return found(name, *others) or _download(name, SOURCES.get(name))


def missing(name: str, reason: str) -> SelectronError:
    """Return the error for a file that is not there."""
    places = " and ".join(str(folder / name) for folder in folders())
    return SelectronError(
        f"{places}: no such file, and {reason}; put it there, or name the folder that has it in "
        "the environment variable SELECTRON_DATA."
    )


def contents(path: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


@contextmanager
def reading(path: Path) -> Iterator[Path]:
    """Turn what goes wrong while a file is read into one sentence."""
    try:
        yield path
    except SelectronError:
        raise
    except ImportError as error:
        raise needs(error) from None
    except DAMAGE as error:
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(". ")
        raise SelectronError(f"{path}: is not the data file it should be ({reason}).") from None


def needs(error: ImportError) -> SelectronError:
    """Return the error for a library that is not installed."""
    return SelectronError(
        f"{error.name} is needed for this data set: pip install 'selectron[data]'."
    )


def _download(name: str, source: Source | None) -> Path:
    """Download a file into the cache, under its checksum."""
    if source is None:
        raise missing(name, "it has no public home with a known checksum")
    try:
        import pooch
        import requests
    except ImportError as error:
        raise needs(error) from None
    pooch.get_logger().setLevel("WARNING")
    target = cache() / name
    fetch: Any = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)
    try:
        pooch.retrieve(
            source.url, f"sha256:{source.sha256}", target.name, target.parent, downloader=fetch
        )
    except ValueError as error:
        what = "has another checksum than it should" if "hash" in str(error) else str(error)
        raise missing(name, f"what {source.url} sends {what}") from None
    except (OSError, requests.RequestException):
        raise missing(name, f"{source.url} cannot be reached") from None
    return target
