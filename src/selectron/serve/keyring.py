"""The tokens of a folder, from the command line: to list and to revoke."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ..errors import SelectronError
from . import tokens
from .opening import DATABASE, reader
from .store import Store
from .store import tokens as kept


def listed(folder: Path) -> list[tuple[str, str, str]]:
    """Return name, role and expiry of every token of a folder, served meanwhile or not.

    Raises SelectronError if there is no store in the folder.
    """
    must_exist(folder)
    with closing(reader(folder)) as db:
        return [(name, role, written(until)) for name, role, _, until in kept(db)]


def revoke(folder: Path, name: str) -> None:
    """Delete a token of a folder that is not served; SelectronError if there is none."""
    must_exist(folder)
    with closing(Store(folder)) as store:
        store.begin()
        try:
            tokens.revoked(store, name)
            store.commit()
        finally:
            store.rollback()


def must_exist(folder: Path) -> None:
    """Raise SelectronError if there is no store in a folder."""
    if not (folder / DATABASE).exists():
        raise SelectronError(f"{folder} holds no streams yet: give the --data they are kept in.")


def written(until: float | None) -> str:
    """Return an expiry as text.

    >>> written(None), written(0.0)
    ('never', '1970-01-01T00:00:00Z')
    """
    if until is None:
        return "never"
    return f"{datetime.fromtimestamp(until, UTC):%Y-%m-%dT%H:%M:%SZ}"
