"""The user's activities: names may change, numbers do not."""

from typing import Any

from selectron import SelectronError


class Activities:
    """Activities in the order in which they were created.

    The number of an activity that was merged into another is not used again.

    >>> activities = Activities()
    >>> activities.create("Taxes"), activities.create("Garden")
    (0, 1)
    >>> activities.close("Taxes")
    >>> activities.names
    ['Garden']
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.by_number: dict[int, str] = {}
        self.shut: set[int] = set()  # closed, or merged into another
        self.count = 0

    @property
    def names(self) -> list[str]:
        """The names of the activities that are not closed."""
        return [name for name, number in self.numbers.items() if number not in self.shut]

    def name(self, number: int | None) -> Any:
        """Return the name of an activity, None for None and for unknown numbers."""
        return None if number is None else self.by_number.get(number)

    def number(self, name: str) -> int:
        """Return the number of an activity; raises SelectronError if there is none."""
        if name not in self.numbers:
            raise SelectronError(f"There is no activity {name!r}: create it first.")
        return self.numbers[name]

    def create(self, name: str) -> int:
        """Create an activity and return its number."""
        self._check_new(name)
        self.numbers[name] = number = self.count
        self.by_number[number] = name
        self.count += 1
        return number

    def taken_up(self, name: str) -> int:
        """Return the number of an activity, which is created or reopened if necessary."""
        number = self.numbers[name] if name in self.numbers else self.create(name)
        self.shut.discard(number)
        return number

    def rename(self, old: str, new: str) -> None:
        """Rename an activity."""
        number = self.number(old)
        if new != old:
            self._check_new(new)
            self.by_number[number] = new
            self.numbers = {name: one for one, name in self.by_number.items()}

    def merge(self, old: str, into: str) -> tuple[int, int]:
        """Merge an activity into another one; return the numbers of both."""
        gone, stays = self.number(old), self.number(into)
        if gone == stays:
            raise SelectronError(f"{old!r} cannot be merged into itself.")
        del self.numbers[old], self.by_number[gone]
        self.shut.add(gone)
        return gone, stays

    def close(self, name: str) -> None:
        """Close an activity: it is not predicted until it is declared again."""
        self.shut.add(self.number(name))

    def _check_new(self, name: str) -> None:
        if not isinstance(name, str) or not name.strip():
            raise SelectronError(
                f"An activity's name must be a string that is not empty, got {name!r}."
            )
        if name in self.numbers:
            raise SelectronError(f"There is an activity {name!r} already.")
