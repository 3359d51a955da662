"""The activities that there are, as the entries of the journal tell, one after the other."""

import unicodedata
from collections.abc import Iterable

from ...errors import SelectronError
from .journal import Entry

KINDS = ("declare", "switch", "answer", "create", "rename", "merge", "close")
LONGEST = 100  # characters of a name


class Names:
    """Activities by their names, open or closed; and what was declared and waits for its time.

    >>> names = Names([Entry(1, "create", 0, 0, {"activity": "thesis"})])
    >>> names.open
    {'thesis': True}
    """

    def __init__(self, entries: Iterable[Entry] = ()):
        self.open: dict[str, bool] = {}
        self.waiting: dict[int, tuple[float, str]] = {}  # declarations, by their entries
        self.declared: tuple[float, str] | None = None  # or answered, for the latest time
        self.changes: list[tuple[int, str, str]] = []  # entry, old name, new one
        for entry in entries:
            self.take(entry)

    def take(self, entry: Entry) -> None:
        """Take an entry."""
        kind, body = entry.kind, entry.body
        if kind == "switch":
            self.waiting.pop(body["of"], None)
        elif kind in ("rename", "merge"):
            self._change(entry, body["old"], body["new"])
        elif kind in ("declare", "answer", "create", "close"):
            self.open[body["activity"]] = kind != "close"
        if kind == "declare":
            self.waiting[entry.seq] = entry.time, body["activity"]
        if kind in ("declare", "answer"):
            time = entry.time if body.get("time") is None else body["time"]
            if self.declared is None or time >= self.declared[0]:
                self.declared = time, body["activity"]

    def _change(self, entry: Entry, old: str, new: str) -> None:
        state = self.open.pop(old, True)
        self.open.setdefault(new, state)
        self.changes.append((entry.seq, old, new))
        for key, (time, name) in self.waiting.items():
            self.waiting[key] = time, new if name == old else name
        if self.declared and self.declared[1] == old:
            self.declared = self.declared[0], new

    def now(self, name: str | None, seq: int) -> str | None:
        """Return what an activity is called now that was called so at an entry."""
        for changed, old, new in self.changes:
            if changed > seq and name == old:
                name = new
        return name

    def known(self, name: str) -> str:
        """Return a name; raises SelectronError if there is no such activity."""
        if name not in self.open:
            among = ", ".join(sorted(self.open)) or "none yet"
            raise SelectronError(f"There is no activity {name!r}; there are: {among:.200}.")
        return name

    def fresh(self, name: str) -> str:
        """Return a name; raises SelectronError if an activity has it already, or it cannot be."""
        if (name := sound(name)) in self.open:
            raise SelectronError(f"There is an activity {name!r} already: merge joins two.")
        return name


def sound(name: str) -> str:
    """Return a name as it is kept; raises SelectronError if an activity cannot be called so.

    >>> sound("  Write   the thesis ")
    'Write the thesis'
    """
    found = unicodedata.normalize("NFC", " ".join(name.split()))
    if not found or len(found) > LONGEST or not found.isprintable():
        raise SelectronError(
            f"{name!r:.120} cannot be an activity's name: 1 to {LONGEST} printable characters can."
        )
    return found
