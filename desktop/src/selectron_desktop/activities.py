"""The user's activities: names that come, change and go, over numbers that stay."""

from typing import Any

from selectron import SelectronError


class Activities:
    """Names of activities by number, in the order in which they were created.

    A merged activity leaves its number behind, unused.

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
        """Those that are not closed."""
        return [name for name, number in self.numbers.items() if number not in self.shut]

    def name(self, number: int | None) -> Any:
        """Return the name of a number, None if there is none."""
        return None if number is None else self.by_number.get(number)

    def number(self, name: str) -> int:
        """Return the number of a name; SelectronError if there is none."""
        if name not in self.numbers:
            raise SelectronError(f"There is no activity {name!r}: create it first.")
        return self.numbers[name]

    def create(self, name: str) -> int:
        """Return the number of a new activity."""
        self._check_new(name)
        self.numbers[name] = number = self.count
        self.by_number[number] = name
        self.count += 1
        return number

    def taken_up(self, name: str) -> int:
        """Return the number of an activity that is worked on: created or reopened if need be."""
        number = self.numbers[name] if name in self.numbers else self.create(name)
        self.shut.discard(number)
        return number

    def rename(self, old: str, new: str) -> None:
        """Give an activity another name."""
        number = self.number(old)
        if new != old:
            self._check_new(new)
            self.by_number[number] = new
            self.numbers = {name: one for one, name in self.by_number.items()}

    def merge(self, old: str, into: str) -> tuple[int, int]:
        """Let one activity be part of another; return the numbers of both."""
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
                f"An activity's name must be a text that is not empty, got {name!r}."
            )
        if name in self.numbers:
            raise SelectronError(f"There is an activity {name!r} already.")

    def pack(self) -> dict[str, Any]:
        """Return the state as JSON can hold it."""
        return {"numbers": self.numbers, "shut": sorted(self.shut), "count": self.count}

    @classmethod
    def unpack(cls, packed: dict[str, Any]) -> "Activities":
        """Return the activities that were packed."""
        activities = cls()
        activities.numbers, activities.count = packed["numbers"], packed["count"]
        activities.shut = set(packed["shut"])
        activities.by_number = {number: name for name, number in activities.numbers.items()}
        return activities
