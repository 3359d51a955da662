"""What an ensemble expects of the vectors of its experts, on dense or on sparse rows."""

from typing import Any, Protocol, cast

from ..engine.bind import Part


class Vectors(Protocol):
    """Where w and P of every expert k live."""

    @staticmethod
    def taken(s: Any, rows: Any, i: int) -> Any:
        """Return row i as experts take it: rows, and its place among them."""
        ...

    @staticmethod
    def inspect(s: Any, k: int, rows: Any, i: int) -> tuple[float, float]:
        """Return m and q of expert k; g is left in it."""
        ...

    @staticmethod
    def replayed(s: Any, k: int, slot: int) -> tuple[float, float]:
        """Return the same for a row that is kept."""
        ...

    @staticmethod
    def shift(s: Any, k: int, rows: Any, i: int, eta: float, nu: float) -> bool:
        """w <- w + eta g, P <- P - nu g g'; return whether all is finite."""
        ...

    @staticmethod
    def reshift(s: Any, k: int, slot: int, eta: float, nu: float) -> bool:
        """Return the same for a row that is kept."""
        ...

    @staticmethod
    def renew(s: Any, k: int) -> None:
        """Put expert k back to the prior."""

    @staticmethod
    def fade(s: Any, k: int, by: float) -> None:
        """w <- by w, P <- by^2 P + (1 - by^2) prior."""

    @staticmethod
    def imitate(s: Any, k: int, other: int) -> None:
        """Let expert k know what the other one does."""

    @staticmethod
    def hold(s: Any, rows: Any, i: int, slot: int) -> bool:
        """Keep the row, and count it; return whether all is finite."""
        ...

    @staticmethod
    def rescale(s: Any) -> None:
        """Let experts take features in the present scales."""

    @staticmethod
    def remember(s: Any, k: int) -> None:
        """Keep what expert k knows for new experts."""


vectors = cast(type[Vectors], Part("space", Vectors))
