"""Files that hold a model: a header in JSON and plain arrays, with a version and a checksum.

    b"selectron\\n"  version (1 byte)  SHA-256 of the rest (32 bytes)  a NumPy .npz archive

Nothing in a file is ever executed, and a file whose checksum does not fit is not even parsed.
"""

import hashlib
import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from . import askers, learners
from .errors import SelectronError

MAGIC = b"selectron\n"
VERSION = 1
HEADER = "header"


def write(path: str | os.PathLike, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a model file; one that is there is replaced only once the new one is complete."""
    payload = io.BytesIO()
    text = np.frombuffer(json.dumps(header, default=float).encode(), np.uint8)
    np.savez(payload, allow_pickle=False, **{HEADER: text}, **arrays)
    content = payload.getbuffer()
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + bytes([VERSION]) + hashlib.sha256(content).digest())
            file.write(content)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def read(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays of a model file.

    Raises SelectronError if it is no model file, of another version, or damaged.
    """
    content = Path(path).read_bytes()
    start = len(MAGIC)
    if not content.startswith(MAGIC):
        raise SelectronError(f"{path} is not a Selectron model file.")
    version, digest, payload = (
        content[start : start + 1],
        content[start + 1 : start + 33],
        content[start + 33 :],
    )
    if version != bytes([VERSION]):
        found = version[0] if version else "none"
        raise SelectronError(
            f"{path} is a model file of version {found}, and this Selectron reads {VERSION}."
        )
    if hashlib.sha256(payload).digest() != digest:
        raise SelectronError(f"{path} is damaged: its checksum does not fit.")
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as archive:
            arrays = dict(archive)
        return json.loads(arrays.pop(HEADER).tobytes()), arrays
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise SelectronError(f"{path} is not a Selectron model file.") from error


def part(packed: list, others: tuple[type, ...]) -> Any:
    """Return the learner or asker of [name, parameters], Selectron's own or one of `others`."""
    name, parameters = packed
    found = {kind.__name__: kind for kind in others}
    for kind in (learners, askers):
        found |= {own: getattr(kind, own) for own in kind.__all__}
    if name not in found:
        raise SelectronError(f"The file needs {name}, which is not Selectron's: pass it in parts=.")
    return found[name](*parameters)
