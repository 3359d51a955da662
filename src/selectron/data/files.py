"""Writing: what cannot be written is told of by the name that the user gave it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import SelectronError, Unwritten


@contextmanager
def writing(target: str | os.PathLike) -> Iterator[None]:
    """Raise Unwritten, which names the target, for what the system says while this is written.

    >>> with writing("a.csv"):
    ...     raise OSError(28, "Error writing bytes")
    Traceback (most recent call last):
    selectron.errors.Unwritten: a.csv cannot be written (No space left on device): choose a place \
that exists, has room and may be written to.
    """
    try:
        yield
    except (SelectronError, BrokenPipeError):  # of a pipe, nothing can be done about it
        raise
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise Unwritten(
            f"{os.fspath(target)} cannot be written ({why}): choose a place that exists, has room "
            "and may be written to."
        ) from error
