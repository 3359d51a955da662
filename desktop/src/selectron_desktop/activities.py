"""The user's activities: names may change, numbers do not."""

from selectron import SelectronError


class Activities:
    """Activities in the order in which they were created.

    The number of an activity that was merged into another is not used again.
    """

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # by number
        self.shut: set[int] = set()  # closed, or merged into another
        self.count = 0

    @property
    def open(self) -> list[str]:
        """The names of the activities that are not closed."""
        return [name for number, name in self.names.items() if number not in self.shut]

    def number(self, name: str) -> int:
        """Return the number of an activity; raises SelectronError if there is none."""
        for number, known in self.names.items():
            if known == name:
                return number
        raise SelectronError(f"There is no activity {name!r}: create it first.")

    def create(self, name: str) -> int:
        """Create an activity and return its number."""
        self._check_new(name)
        self.names[self.count] = name
        self.count += 1
        return self.count - 1

    def taken_up(self, name: str) -> int:
        """Return the number of an activity, which is created or reopened if necessary."""
        number = self.number(name) if name in self.names.values() else self.create(name)
        self.shut.discard(number)
        return number

    def rename(self, old: str, new: str) -> None:
        """Rename an activity."""
        number = self.number(old)
        if new != old:
            self._check_new(new)
            self.names[number] = new

    def merge(self, old: str, into: str) -> tuple[int, int]:
        """Merge an activity into another one; return the numbers of both."""
        gone, stays = self.number(old), self.number(into)
        if gone == stays:
            raise SelectronError(f"{old!r} cannot be merged into itself.")
        del self.names[gone]
        self.shut.add(gone)
        return gone, stays

    def close(self, name: str) -> None:
        """Close an activity: it is not predicted until it is declared again."""
        self.shut.add(self.number(name))

    def _check_new(self, name: str) -> None:
        if not isinstance(name, str) or not name.strip():
            raise SelectronError(f"An activity's name must not be empty, got {name!r}.")
        if name in self.names.values():
            raise SelectronError(f"There is an activity {name!r} already.")
