"""The record of the verdicts: `verdicts.json`, written by full runs with --record."""

import json
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from selectron.data.files import replace

from . import PAPERS
from .findings import Claim, Findings
from .verdicts import FAILS, HOLDS, UNDECIDED

RECORD = Path(__file__).with_name("verdicts.json")
BEYOND = "Beyond the "  # paper, or talk: a claim of this project's own


def read() -> dict[str, list[Claim]]:
    """Return the claims of every experiment that has been recorded."""
    if not RECORD.exists():
        return {}
    found = json.loads(RECORD.read_text("utf-8"))
    return {name: [Claim(**claim) for claim in claims] for name, claims in found.items()}


def write(name: str, findings: Findings) -> None:
    """Replace the claims of an experiment."""
    claims = read() | {name: list(findings.claims)}
    ordered = {name: [c._asdict() for c in claims[name]] for name in PAPERS if name in claims}
    text = json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"
    replace(RECORD, text.encode())


def counts(claims: list[Claim]) -> str:
    """Return how many of the paper's own claims have each verdict.

    >>> counts([Claim("A.", "holds", ""), Claim("Beyond the paper: B.", "holds", "")])
    "The paper's claims: 1 hold, 0 do not hold, 0 undecided."
    """
    found = Counter(c.verdict for c in claims if not c.paper.startswith(BEYOND))
    return (
        f"The paper's claims: {found[HOLDS]} hold, {found[FAILS]} do not hold, "
        f"{found[UNDECIDED]} undecided."
    )


def lines() -> Iterator[str]:
    """Yield what `--list` prints: every paper, and its claims with verdicts and numbers."""
    known = read()
    for name, paper in PAPERS.items():
        yield f"{name}: {paper.source}: {paper.about}"
        if name not in known:
            yield f"  not recorded yet: python -m experiments {name} --record"
            continue
        yield f"  {counts(known[name])}"
        for claim in known[name]:
            yield f"  {claim.verdict:14}{claim.paper}"
            yield textwrap.fill(
                claim.measured, 100, initial_indent=" " * 16, subsequent_indent=" " * 16
            )
