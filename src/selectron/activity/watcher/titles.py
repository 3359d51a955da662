"""What of a window's title is kept: its words, their keyed hashes, or nothing."""

import os
import re
import secrets
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from ...errors import SelectronError

WAYS = ("hashed", "plain", "dropped")
WORD = re.compile(r"[^\W\d_]\w+")
MOST = 64  # words of a title
BYTES = 32


class Titles:
    """Words of titles, in one of three ways: "hashed" under a key, "plain", "dropped".

    Equal words have equal hashes under one key; without the key a word cannot be tried out.

    >>> Titles("plain").words("Chapter 2 - thesis.tex")
    ('chapter', 'thesis', 'tex')
    >>> Titles("hashed", b"key").words("Thesis")
    ('333a86ed6d1e',)
    >>> Titles("dropped").words("Thesis")
    ()
    """

    def __init__(self, way: str, key: bytes = b""):
        if way not in WAYS:
            raise SelectronError(f"titles={way!r}: must be one of {', '.join(WAYS)}.")
        if way == "hashed" and not key:
            raise SelectronError("titles='hashed' needs a key.")
        self.way, self.key = way, key
        self.hidden = lru_cache(100_000)(self._hidden)

    def words(self, title: str) -> tuple[str, ...]:
        """Return the words of a title, as they are kept."""
        if self.way == "dropped":
            return ()
        found = WORD.findall(title.casefold())[:MOST]
        return tuple(found) if self.way == "plain" else tuple(map(self.hidden, found))

    def name(self, name: str) -> str | None:
        """Return what a name that was taken out of a title is kept as; None: not at all."""
        if self.way == "dropped":
            return None
        return name if self.way == "plain" else self.hidden(name)

    def _hidden(self, text: str) -> str:
        found = text.encode("utf-8", "surrogatepass")
        return blake2b(found, key=self.key, digest_size=6).hexdigest()


def secret(path: Path) -> bytes:
    """Return the random bytes of a file; they are made, for its owner alone, where there are none.

    Raises SelectronError if the file holds something else.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with open(file, "wb") as draft:
            draft.write(secrets.token_bytes(BYTES))
    found = path.read_bytes()
    if len(found) != BYTES:
        raise SelectronError(f"{path} holds no {BYTES} random bytes: delete it for new ones.")
    return found
