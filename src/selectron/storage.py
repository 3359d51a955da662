"""Files that hold a model: a header in JSON and plain arrays, with a version and a checksum.

    b"selectron\\n"  version (1 byte)  SHA-256 of the rest (32 bytes)  a NumPy .npz archive, in Zstd

Nothing in a file is ever executed, and a file whose checksum does not fit is not even parsed.
`write` and `read` work for your own programs, too, with any header and arrays; `replace` writes any
file atomically.
"""

import hashlib
import io
import json
import numbers
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from . import askers, kernels, learners
from .errors import SelectronError, Unwritten

__all__ = ["read", "write"]

MAGIC = b"selectron\n"
VERSION, CODEC = 37, "zstd"
# An archive is at most ROOM + RATIO times as large as its compressed form: no small file takes much
# memory. Where a model of zeros would be larger, empty bytes follow, which the codec skips
ROOM, RATIO = 2**30, 1000
PIECE = 2**24  # bytes that are read at a time
FILLER = b"\x50\x2a\x4d\x18"  # of a frame that is skipped, before its length in four bytes
HEADER = "header"
OWN = {name: getattr(kind, name) for kind in (learners, askers, kernels) for name in kind.__all__}


def write(path: str | os.PathLike, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a model file atomically: a header that JSON can hold, and arrays by name.

    Raises SelectronError if one cannot be written, or an array is named "header".

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder, "mine"), {"kind": "mine"}, {"w": np.zeros(3)})
    ...     read(Path(folder, "mine"))
    ({'kind': 'mine'}, {'w': array([0., 0., 0.])})
    """
    found = content(header, arrays)
    with writing(path):
        odd = Path(path).exists() and not Path(path).is_file()
    if odd:
        raise SelectronError(f"{path} is not a file: a model can be written to a file only.")
    replace(path, *found)


def content(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> tuple[bytes, Any]:
    """Return what `write` writes, in two parts."""
    payload = pa.BufferOutputStream()
    try:
        text = np.frombuffer(json.dumps(header, default=_plain).encode(), np.uint8)
        with pa.CompressedOutputStream(payload, CODEC) as archive:
            np.savez(archive, allow_pickle=False, **{HEADER: text}, **arrays)
            size = archive.tell()
    except SelectronError:
        raise
    except (TypeError, ValueError) as error:
        why = str(error).partition(". ")[0]
        raise SelectronError(f"A header or an array cannot be written to a file: {why}.") from error
    archived = payload.getvalue().to_pybytes()
    if (lacking := (size - ROOM) // RATIO + 1 - len(archived)) > 0:
        archived += FILLER + lacking.to_bytes(4, "little") + bytes(lacking)
    return MAGIC + bytes([VERSION]) + hashlib.sha256(archived).digest(), archived


def _plain(value: Any) -> Any:
    """Return what JSON can hold, for a label or a parameter that it cannot hold as it is."""
    if isinstance(value, np.generic) and not isinstance(value.item(), np.generic):
        return value.item()
    if isinstance(value, numbers.Real):
        return float(value)
    raise SelectronError(
        f"{value!r} cannot be written to a file: labels and parameters must be numbers, strings "
        "or booleans."
    )


def read(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays of a model file.

    Raises SelectronError if it is not a model file, of another version, or damaged, and OSError if
    it cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Path(folder, "mine"), {"kind": "mine"}, {"w": np.zeros(3)})
    ...     header, arrays = read(Path(folder, "mine"))
    >>> header["kind"]
    'mine'
    """
    if "\0" in os.fsdecode(path) or os.path.isdir(path):
        raise SelectronError(f"{os.fsdecode(path)!r} is not a file: give a model file.")
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise SelectronError(f"{path} is not a Selectron model file.")
        version, digest, payload = file.read(1), file.read(32), file.read()
    if version and version[0] != VERSION:
        raise SelectronError(
            f"{path} is a model file of version {version[0]}, and this Selectron reads {VERSION}: "
            "train it again."
        )
    if hashlib.sha256(payload).digest() != digest:
        raise SelectronError(f"{path} is damaged: its checksum does not fit.")
    try:
        with np.load(_unpacked(payload), allow_pickle=False) as archive:
            arrays = dict(archive)
        header = json.loads(arrays.pop(HEADER).tobytes())
    except Exception as error:  # whatever it is, Selectron has not written this
        raise SelectronError(f"{path} is not a Selectron model file.") from error
    return header, arrays


def _unpacked(payload: bytes) -> io.BytesIO:
    """Return the archive in a file; raise ValueError if it, or what is in it, is too large."""
    found, most = io.BytesIO(), ROOM + RATIO * len(payload)
    with pa.CompressedInputStream(pa.BufferReader(payload), CODEC) as stream:
        while found.tell() <= most and (piece := stream.read(PIECE)):
            found.write(piece)
    members = zipfile.ZipFile(found).infolist()
    plain = all(member.compress_type == zipfile.ZIP_STORED for member in members)
    if not plain or sum(member.file_size for member in members) > min(found.tell(), most):
        raise ValueError
    found.seek(0)
    return found


def packed(part: Any) -> list:
    """Return a learner, an asker or a kernel as [name, parameters, is it Selectron's own?].

    A kernel may be a function: it has its own name and no parameters, and is never Selectron's.
    """
    if not isinstance(part, tuple):
        return [part.__name__, None, False]
    values: dict[str, Any] = part._asdict()  # type: ignore[attr-defined]
    for name, value in values.items():
        if hasattr(value, "_fields"):
            values[name] = packed(value)
        elif isinstance(value, tuple | list):  # would be read as a part
            _plain(value)
    name = type(part).__name__
    return [name, values, OWN.get(name) is type(part)]


def part(packed: list, others: tuple[Any, ...]) -> Any:
    """Return the part of what `packed` gave: Selectron's own, or one of `others`."""
    name, parameters, own = packed
    found = OWN if own else {kind.__name__: kind for kind in others}
    if name not in found:
        raise SelectronError(
            f"The file needs {name}, which is not Selectron's: load it in Python, and pass it in "
            "parts=."
        )
    if parameters is None:
        return found[name]
    fields = getattr(found[name], "_fields", ())
    if {*fields} != parameters.keys():
        had, has = (", ".join(names) or "none" for names in (parameters, fields))
        raise SelectronError(
            f"{name} in the file has the parameters {had}, and the class in parts= has {has}."
        )
    values = {k: part(v, others) if isinstance(v, list) else v for k, v in parameters.items()}
    return found[name](**values)


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


@contextmanager
def drafted(path: str | os.PathLike) -> Iterator[Path]:
    """Yield the path at which to write a file, which gets its name once the block has ended.

    Until then, and if that fails, readers find the old content. The content and the new name are
    synced to the disk, so this also holds after a power cut. A link stays a link, permissions stay
    as they are, and pipes and devices are written to directly.
    """
    with writing(path):
        target = Path(path).resolve()
        direct = target.exists() and not target.is_file()
    if direct:
        yield target
        return
    draft = target.with_name(f".{secrets.token_hex(8)}.draft{target.suffix}")
    try:
        with writing(path):
            draft.touch()
            if target.exists():
                shutil.copymode(target, draft)
        yield draft
        with writing(path):
            with open(draft, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(draft, target)
            _sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def replace(path: str | os.PathLike, *parts: Any) -> None:
    """Write bytes to a file atomically, as `drafted` does."""
    with drafted(path) as draft, writing(path), open(draft, "wb") as file:
        file.writelines(parts)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
