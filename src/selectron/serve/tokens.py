"""Bearer tokens: who may do what. Only their hashes are kept."""

import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from .problem import Problem
from .store import Store

ROLES = ("ingest", "annotate", "read", "admin")
DAY = 86_400.0


class Person(NamedTuple):
    """Whose a token is; `expires` in seconds since 1970, None for never."""

    name: str
    role: str
    expires: float | None


def known(store: Store) -> dict[str, Person]:
    """Return who has which token, by its hash."""
    return {digest: Person(name, role, until) for name, role, digest, until in store.tokens()}


def made(store: Store, name: str, role: str, expires: float | None) -> str:
    """Make a token within a transaction; it is seen this once."""
    token = "sel_" + secrets.token_urlsafe(24)
    store.put_token(name, role, hashed(token), expires)
    return token


def hashed(token: str) -> str:
    """Return the hash of a token: 192 random bits need no salt."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def owner(header: str | None, people: dict[str, Person], now: float) -> Person | None:
    """Return whose request this is, None without a valid token."""
    scheme, _, token = (header or "").partition(" ")
    person = people.get(hashed(token.strip())) if scheme.lower() == "bearer" else None
    if person is None or (person.expires is not None and person.expires <= now):
        return None
    return person


def admitted(person: Person | None, roles: Sequence[str]) -> None:
    """Let admin do everything, and others what is theirs; else raise Problem (401 or 403)."""
    if person is None:
        message = "A valid token is needed: Authorization: Bearer TOKEN."
        raise Problem(401, "unauthorized", message)
    if person.role != "admin" and person.role not in roles:
        raise Problem(403, "forbidden", f"A token of the role {person.role} may not do this.")
