"""The outcome of an experiment: tables, figures, and claims with verdicts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from .verdicts import Comparison, every

Play = Callable[..., list[Any]]  # (trial, calls) -> results, as `evaluate.each`
BEYOND = "LeadingHistory"  # this project's own learner, with no parameters to choose
K = TypeVar("K")

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    undefined=StrictUndefined,
    autoescape=select_autoescape(),
    trim_blocks=True,
    keep_trailing_newline=True,
)
TEMPLATES.filters["number"] = "{:,}".format


class Claim(NamedTuple):
    """A paper's claim, the verdict here, and the numbers behind it."""

    paper: str
    verdict: str  # one of `verdicts`
    measured: str


class Findings(NamedTuple):
    """An experiment's outcome: `setting` is paragraphs of text, tables are lists of equal rows."""

    setting: Sequence[str]
    claims: Sequence[Claim]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    figures: Mapping[str, tuple[Any, str]]  # matplotlib's figure, and its caption


def setting(name: str, **values: Any) -> list[str]:
    """Return the paragraphs of an experiment's setting, `templates/settings/NAME.md`."""
    text = TEMPLATES.get_template(f"settings/{name}.md").render(values)
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def all_above(paper: str, gaps: Mapping[Any, Comparison], lead: str) -> Claim:
    """Return the claim that the first is above the second in all comparisons."""
    return Claim(paper, every(list(gaps.values())), listed(gaps, lead))


def listed(numbers: Mapping[Any, Any], lead: str) -> str:
    """Return named numbers as a sentence.

    >>> listed({"SOP": 1, "PA": 2}, "Against")
    'Against SOP: 1; PA: 2.'
    """
    return f"{lead} " + "; ".join(f"{name}: {value}" for name, value in numbers.items()) + "."


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


def tidy(
    results: Mapping[tuple, Sequence], names: Sequence[str], columns: Callable[[Any], dict]
) -> list[dict]:
    """Return a row per result: its key and its place in the group under `names`, and `columns`."""
    return [
        dict(zip(names, (*key, i), strict=True)) | columns(result)
        for key, group in results.items()
        for i, result in enumerate(group)
    ]
