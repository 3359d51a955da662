"""How large a generated log is."""

from typing import NamedTuple


class Size(NamedTuple):
    """So many activities in so many days, minutes of presence and switches in all."""

    activities: int
    days: int
    minutes: int
    switches: int

    @property
    def spell(self) -> float:
        """Minutes for which an activity is worked on without a switch, on average."""
        return self.minutes / (self.switches + 1)


MONTH = Size(activities=40, days=31, minutes=10_000, switches=600)
PAPER = Size(
    activities=299, days=123, minutes=61_400, switches=3_650
)  # 65,000 vectors, section 5.4
