"""Reports: tables as CSV, figures as PNG and SVG, and a page in Markdown and in HTML."""

import csv
from pathlib import Path

import matplotlib
from jinja2 import Environment, FileSystemLoader, select_autoescape

from .findings import Findings

QUICK = "This is a reduced run, to check that the experiment works: do not rely on its verdicts."
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(),
    trim_blocks=True,
    keep_trailing_newline=True,
)


def write(findings: Findings, folder: Path, command: str, quick: bool) -> None:
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
            findings=findings, command=command, quick=quick, QUICK=QUICK, svgs=svgs
        )
        (folder / page).write_text(text, encoding="utf-8")
