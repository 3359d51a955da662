"""Bearer tokens and their roles; only hashes are stored."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from ..errors import SelectronError
from .event import Log
from .store import DATABASE, reader
from .strict import Body, Problem

ROLES = ("ingest", "annotate", "read", "admin")
DAY = 86_400.0


class NewToken(Body):
    """The name, role and days of a new token."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$")]
    role: Literal["ingest", "annotate", "read", "admin"]
    days: Annotated[float | None, Field(gt=0, le=36_500)] = None


class Person(NamedTuple):
    """The owner of a token; `expires` in seconds since 1970, None for never.

    `digest` is that of the token: another one may have the same name.
    """

    name: str
    role: str
    expires: float | None
    digest: str

    def expired(self, now: float) -> bool:
        """Return whether the token has expired."""
        return self.expires is not None and self.expires <= now


def owners(db: Log) -> dict[str, Person]:
    """Return the owners of tokens by hash."""
    return {digest: Person(name, role, until, digest) for name, role, digest, until in db.tokens()}


def token_hash(token: str) -> str:
    """Return the hash of a token: 192 random bits need no salt."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def owner(header: str | None, people: dict[str, Person], now: float) -> Person | None:
    """Return the owner of an Authorization header, None without a valid token."""
    scheme, _, token = (header or "").partition(" ")
    person = people.get(token_hash(token.strip())) if scheme.lower() == "bearer" else None
    return None if person is None or person.expired(now) else person


def check_role(person: Person | None, roles: Sequence[str]) -> None:
    """Raise Problem (401 or 403) unless the role is admin or one of `roles`."""
    if person is None:
        raise Problem(401, "unauthorized", "A valid token is needed: Authorization: Bearer TOKEN.")
    if person.role != "admin" and person.role not in roles:
        able = " or ".join([*roles, "admin"])
        why = f"This takes a token of the role {able}, got one of {person.role}."
        raise Problem(403, "forbidden", why)


def list_tokens(folder: Path) -> list[tuple[str, str, str]]:
    """Return name, role and expiry of every token of a folder, even while it is served."""
    with closing(reader(existing(folder))) as db:
        return [(name, role, expiry_text(until)) for name, role, _, until in db.tokens()]


def existing(folder: Path) -> Path:
    """Return a folder. Raises SelectronError if there is no store in it."""
    if not (folder / DATABASE).exists():
        raise SelectronError(f"{folder} holds no streams yet: give the --data folder that does.")
    return folder


def expiry_text(until: float | None) -> str:
    """Return an expiry as text."""
    return "never" if until is None else f"{datetime.fromtimestamp(until, UTC):%Y-%m-%dT%H:%M:%SZ}"
