"""Bearer tokens and their roles; only hashes are stored."""

import math
import re
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from ..errors import SelectronError
from .event import Log
from .problem import Problem, invalid
from .store import DATABASE, Store, reader

ROLES = ("ingest", "annotate", "read", "admin")
DAY = 86_400.0
DAYS = 36_500.0  # at most
NAME = r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"


class Person(NamedTuple):
    """The owner of a token; `expires` in seconds since 1970, None for never."""

    name: str
    role: str
    expires: float | None

    def expired(self, now: float) -> bool:
        """Return whether the token has expired."""
        return self.expires is not None and self.expires <= now


def known(db: Log) -> dict[str, Person]:
    """Return the owners of tokens by hash."""
    return {digest: Person(name, role, until) for name, role, digest, until in db.tokens()}


def checked_name(name: str) -> None:
    """Raise Problem (422) if a token cannot have this name."""
    if not re.fullmatch(NAME, name):
        raise invalid(
            f"A token's name has 1 to 64 ASCII letters, digits, '.', '_', '@' or '-', and begins "
            f"with a letter or a digit, got {name!r}."
        )


def expiry(days: float | None, now: float) -> float | None:
    """Return when a token created now expires. Raises Problem (422) if `days` is invalid."""
    if days is None:
        return None
    if not (math.isfinite(days) and 0 < days <= DAYS):
        raise invalid(f"A token is good for more than 0 and at most {DAYS:.0f} days, got {days}.")
    return now + days * DAY


def hashed(token: str) -> str:
    """Return the hash of a token: 192 random bits need no salt."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def owner(header: str | None, people: dict[str, Person], now: float) -> Person | None:
    """Return the owner of an Authorization header, None without a valid token."""
    scheme, _, token = (header or "").partition(" ")
    person = people.get(hashed(token.strip())) if scheme.lower() == "bearer" else None
    return None if person is None or person.expired(now) else person


def admitted(person: Person | None, roles: Sequence[str]) -> None:
    """Raise Problem (401 or 403) unless the role is admin or one of `roles`."""
    if person is None:
        raise Problem(401, "unauthorized", "A valid token is needed: Authorization: Bearer TOKEN.")
    if person.role != "admin" and person.role not in roles:
        raise Problem(403, "forbidden", f"A token of the role {person.role} may not do this.")


def listed(folder: Path) -> list[tuple[str, str, str]]:
    """Return name, role and expiry of every token of a folder, even while it is served."""
    with closing(reader(existing(folder))) as db:
        return [(name, role, written(until)) for name, role, _, until in db.tokens()]


def revoke(folder: Path, name: str) -> None:
    """Delete a token of a folder that is not served. Raises SelectronError if there is none."""
    with closing(Store(existing(folder))) as store:  # which rolls back what is not committed
        store.begin()
        store.drop_token(name)
        store.commit()


def existing(folder: Path) -> Path:
    """Return a folder. Raises SelectronError if there is no store in it."""
    if not (folder / DATABASE).exists():
        raise SelectronError(f"{folder} holds no streams yet: give the --data they are kept in.")
    return folder


def written(until: float | None) -> str:
    """Return an expiry as text."""
    return "never" if until is None else f"{datetime.fromtimestamp(until, UTC):%Y-%m-%dT%H:%M:%SZ}"
