"""Reports: tables as CSV, figures as PNG and SVG, and a page in Markdown and in HTML."""

import csv
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .findings import Claim, Findings

QUICK = (
    "This is a reduced run, made to see that the experiment works: what it says of the claims is "
    "not to be relied on."
)
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto;
padding: 0 1rem }}
figure {{ margin: 2rem 0 }} svg {{ max-width: 100%; height: auto }}
figcaption, .source {{ color: #444 }}
table {{ border-collapse: collapse }} th, td {{ text-align: left; vertical-align: top;
padding: .4rem .8rem; border-bottom: 1px solid #ccc }}
.yes {{ color: #00664a; font-weight: 600 }} .no {{ color: #a33c00; font-weight: 600 }}
</style>
{body}
</html>
"""


def write(findings: Findings, folder: Path, command: str, quick: bool) -> None:
    """Write everything into a folder: report.html, report.md, and a file each table and figure."""
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in findings.tables.items():
        write_csv(rows, folder / f"{name}.csv")
    with matplotlib.rc_context({"svg.hashsalt": "selectron", "svg.fonttype": "none"}):
        for name, (figure, _) in findings.figures.items():
            figure.savefig(folder / f"{name}.png", dpi=200)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    notes = [QUICK] if quick else []
    (folder / "report.md").write_text(markdown(findings, command, notes), encoding="utf-8")
    svgs = {name: (folder / f"{name}.svg").read_text("utf-8") for name in findings.figures}
    (folder / "report.html").write_text(page(findings, command, notes, svgs), encoding="utf-8")


def write_csv(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write a table: numbers in as many digits as they have."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def verdict(claim: Claim) -> str:
    """Return what the report says of a claim."""
    return "holds" if claim.holds else "does not hold"


def markdown(findings: Findings, command: str, notes: Sequence[str]) -> str:
    """Return the report as Markdown."""
    lines = [f"# {findings.title}", findings.source + ".", *notes, *findings.setting]
    lines.append("## What the paper claims, and what comes of it here")
    claims = ["| the paper | here | numbers |", "|---|---|---|"]
    claims += [
        f"| {claim.paper} | **{verdict(claim)}** | {claim.measured} |" for claim in findings.claims
    ]
    lines.append("\n".join(claims))
    for name, (_, caption) in findings.figures.items():
        lines += [f"![{caption}]({name}.png)", caption]
    tables = ", ".join(f"[{name}.csv]({name}.csv)" for name in findings.tables)
    lines += [f"Tables: {tables}.", f"Made by `{command}`."]
    return "\n\n".join(lines) + "\n"


def page(findings: Findings, command: str, notes: Sequence[str], svgs: Mapping[str, str]) -> str:
    """Return the report as one page of HTML that needs no other file."""
    text = html.escape
    body = [f"<h1>{text(findings.title)}</h1>", f'<p class="source">{text(findings.source)}.</p>']
    body += [f"<p><strong>{text(note)}</strong></p>" for note in notes]
    body += [f"<p>{text(paragraph)}</p>" for paragraph in findings.setting]
    for name, (_, caption) in findings.figures.items():
        svg = svgs[name][svgs[name].index("<svg") :]
        body.append(f"<figure>{svg}<figcaption>{text(caption)}</figcaption></figure>")
    body.append("<h2>What the paper claims, and what comes of it here</h2><table>")
    body.append("<tr><th>the paper</th><th>here</th><th>numbers</th></tr>")
    for claim in findings.claims:
        kind = "yes" if claim.holds else "no"
        body.append(
            f'<tr><td>{text(claim.paper)}</td><td class="{kind}">{verdict(claim)}</td>'
            f"<td>{text(claim.measured)}</td></tr>"
        )
    body.append(f"</table><p>Made by <code>{text(command)}</code>.</p>")
    return PAGE.format(title=text(findings.title), body="\n".join(body))
