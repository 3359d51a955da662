"""What a run leaves: a folder with its report, and the record of its verdicts, `verdicts.json`.

A report is a page in HTML and in Markdown, tables as CSV, and figures as PNG and SVG. The record is
written by full runs with --record, and shown by --list.
"""

import csv
import json
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import matplotlib

from selectron.storage import replace

from . import PAPERS, Paper
from .findings import TEMPLATES, Claim, Findings
from .verdicts import FAILS, HOLDS, UNDECIDED

RECORD = Path(__file__).with_name("verdicts.json")
OWN = "Beyond the "  # paper, or talk: how a claim of this project's own begins

QUICK = "This is a reduced run, to check that the experiment works: do not rely on its verdicts."


def write(findings: Findings, paper: Paper, folder: Path, command: str, quick: bool) -> None:
    """Write everything into a folder: report.html, report.md, and a file per table and figure."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in findings.tables.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    svgs = {}
    with matplotlib.rc_context({"svg.hashsalt": "selectron", "svg.fonttype": "none"}):
        for name, (figure, _) in findings.figures.items():
            figure.savefig(folder / f"{name}.png", dpi=200)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            svg = (folder / f"{name}.svg").read_text("utf-8")
            svgs[name] = svg[svg.index("<svg") :]
    for page in ("report.html", "report.md"):
        text = TEMPLATES.get_template(page).render(
            findings=findings, paper=paper, command=command, quick=quick, QUICK=QUICK, svgs=svgs
        )
        (folder / page).write_text(text, encoding="utf-8")


def recorded() -> dict[str, list[Claim]]:
    """Return the claims of every experiment as the last full runs found them."""
    found = json.loads(RECORD.read_text("utf-8"))
    return {name: [Claim(**claim) for claim in claims] for name, claims in found.items()}


def record(name: str, findings: Findings) -> None:
    """Replace the claims of an experiment."""
    claims = recorded() | {name: list(findings.claims)}
    plain = {name: [claim._asdict() for claim in found] for name, found in claims.items()}
    text = json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    replace(RECORD, text.encode())


def counts(claims: list[Claim]) -> str:
    """Return how many of the paper's own claims have each verdict.

    >>> counts([Claim("A.", "holds", ""), Claim("Beyond the paper: B.", "holds", "")])
    "The paper's claims: 1 hold, 0 do not hold, 0 undecided."
    """
    found = Counter(c.verdict for c in claims if not c.paper.startswith(OWN))
    return (
        f"The paper's claims: {found[HOLDS]} hold, {found[FAILS]} do not hold, "
        f"{found[UNDECIDED]} undecided."
    )


def lines() -> Iterator[str]:
    """Yield what `--list` prints: every paper, and its claims with verdicts and numbers."""
    for name, claims in recorded().items():
        yield f"{name}: {PAPERS[name].source}: {PAPERS[name].about}"
        yield f"  {counts(claims)}"
        for claim in claims:
            yield f"  {claim.verdict:14}{claim.paper}"
            measured = textwrap.fill(claim.measured, 84, break_on_hyphens=False)
            yield textwrap.indent(measured, " " * 16)
