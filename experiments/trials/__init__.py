"""What the papers' experiments compute, piece by piece: a result is stored under its code."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

Play = Callable[..., list[Any]]  # (trial, calls) -> results, as `evaluate.each`
K = TypeVar("K")


def error(result: Mapping) -> float:
    """Return the share of mistakes at the end of a pass."""
    return float(result["mistakes"][-1] / result["ends"][-1])


def crossed(
    play: Play, trial: Callable, ways: Mapping[K, Mapping], draws: Sequence[Mapping], what: str
) -> dict[K, list[Any]]:
    """Compute every way on every draw together, and return the results of each way."""
    results = iter(play(trial, [{**draw, **way} for way in ways.values() for draw in draws], what))
    return {key: [next(results) for _ in draws] for key in ways}


def seeds(n: int) -> list[dict[str, Any]]:
    """Return n draws that differ in their seed alone."""
    return [{"seed": seed} for seed in range(n)]
