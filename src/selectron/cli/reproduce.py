"""`selectron reproduce`: a paper's experiment, its figure, and whether its claims hold here."""

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SelectronError
from ..papers import PAPERS
from . import INTERRUPTED

if TYPE_CHECKING:
    from ..papers.findings import Findings


@click.command()
@click.argument("name", required=False, type=click.Choice(list(PAPERS)), metavar="NAME")
@click.option("--list", "listed", is_flag=True, help="List the experiments.")
@click.option("--quick", is_flag=True, help="A reduced run, to see that it works.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="Number of processes. The numbers do not depend on it.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    help="Folder for the report. Default: reproduction/NAME, or NAME-quick.",
)
def reproduce(
    name: str | None, listed: bool, quick: bool, workers: int, output: str | None
) -> None:
    """Run a paper's experiment: its figure, its table, and whether its claims hold here.

    The report is one page, report.html, with the figure, the claims and their numbers; beside it
    are the same as Markdown, figures as PNG and SVG, and tables as CSV. Every part of the
    computation is kept in the folder as soon as it is done: an interrupted run goes on from there.

    Data are looked for in the folder that SELECTRON_DATA names, then in a cache, and else
    downloaded.
    """
    if listed or name is None:
        for each, paper in PAPERS.items():
            click.echo(f"{each}: {paper.source}: {paper.about}")
        return
    folder = Path(output or f"reproduction/{name}{'-quick' if quick else ''}")
    try:
        findings = played(name, quick, workers, folder)
    except KeyboardInterrupt:
        click.echo(f"selectron: interrupted; what is done is kept in {folder}", err=True)
        sys.exit(INTERRUPTED)
    except (SelectronError, OSError) as error:
        click.echo(f"selectron: {error}", err=True)
        sys.exit(1)
    tell(findings, folder)


def played(name: str, quick: bool, workers: int, folder: Path) -> "Findings":
    """Run the experiment and write its report."""
    from ..evaluate.each import each, processes
    from ..papers import report

    start = time.perf_counter()
    with processes(workers) if workers > 1 else nullcontext() as executor:

        def play(trial: Callable, calls: list[dict[str, Any]], what: str) -> list[Any]:
            return each(trial, calls, executor=executor, store=folder / "trials", progress=what)

        findings = import_module(f"..papers.{name}", __package__).run(play, quick)
    command = f"selectron reproduce {name}{' --quick' if quick else ''}"
    report.write(findings, folder, command, quick)
    click.echo(f"{time.perf_counter() - start:,.0f} seconds", err=True)
    return findings


def tell(findings: "Findings", folder: Path) -> None:
    """Print what holds and what does not."""
    for claim in findings.claims:
        click.echo(f"{'holds         ' if claim.holds else 'does not hold '} {claim.paper}")
    click.echo(f"The report is in {folder / 'report.html'}")
