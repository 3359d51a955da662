"""The outcome of an experiment: tables, figures, and claims with verdicts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from .verdicts import Comparison, every

BEYOND = "LeadingHistory"  # this project's own learner, with no parameters to choose

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


def table(found: Any, *names: str) -> list[dict[str, Any]]:
    """Return a row for each result in nested dicts and lists, with their keys by `names`.

    A name is one word for each part of the key. Of a curve, the row has the end.

    >>> table({("usps", "PA"): [{"ends": [10, 20], "mistakes": [3, 5]}]}, "data learner", "draw")
    [{'data': 'usps', 'learner': 'PA', 'draw': 0, 'ends': 20, 'mistakes': 5}]
    """
    if not names:
        numbers = found if isinstance(found, Mapping) else {"result": found}
        return [{k: v[-1] if isinstance(v, list) else v for k, v in numbers.items()}]
    rows = []
    for key, inner in found.items() if isinstance(found, Mapping) else enumerate(found):
        parts = key if isinstance(key, tuple) else (key,)
        named = dict(zip(names[0].split(), parts, strict=True))
        rows += [named | row for row in table(inner, *names[1:])]
    return rows


def setting(name: str, **values: Any) -> list[str]:
    """Return the paragraphs of an experiment's setting, `templates/settings/NAME.md`."""
    text = TEMPLATES.get_template(f"settings/{name}.md").render(values)
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def all_above(paper: str, gaps: Mapping[Any, Comparison], lead: str) -> Claim:
    """Return the claim that the first is above the second in all comparisons."""
    return Claim(paper, every(gaps.values()), listed(gaps, lead))


def listed(numbers: Mapping[Any, Any], lead: str) -> str:
    """Return named numbers as a sentence.

    >>> listed({"SOP": 1, "PA": 2}, "Against")
    'Against SOP: 1; PA: 2.'
    """
    return f"{lead} " + "; ".join(f"{name}: {value}" for name, value in numbers.items()) + "."


def percents(means: Mapping[str, float]) -> str:
    """Return named shares as text.

    >>> percents({"SOP": 0.5, "PA": 0.25})
    'SOP 50.00%; PA 25.00%'
    """
    return "; ".join(f"{name} {mean:.2%}" for name, mean in means.items())
