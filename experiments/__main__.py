"""`python -m experiments`: a paper's experiment, its figures, and whether its claims hold here."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from selectron.errors import SelectronError
from selectron.evaluate.each import each, processes

from . import PAPERS, report
from .findings import Findings


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False, type=click.Choice(list(PAPERS)), metavar="NAME")
@click.option("--list", "listed", is_flag=True, help="List the experiments and their verdicts.")
@click.option("--quick", is_flag=True, help="A reduced run, to check that it works.")
@click.option("--record", is_flag=True, help="Put the verdicts of a full run into verdicts.json.")
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
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the report. Default: reproduction/NAME, or NAME-quick.",
)
def main(
    name: str | None, listed: bool, quick: bool, record: bool, workers: int, output: Path | None
) -> None:
    """Run a paper's experiment: its figures, its tables, and whether its claims hold here.

    The report is one page, report.html, with the figures, the claims and their numbers. The folder
    also has the report as Markdown, the figures as PNG and SVG, and the tables as CSV. Each result
    is stored in the folder as soon as it is computed: an interrupted run continues from there.

    Data sets are read from the folder that SELECTRON_DATA names, or from the cache, or downloaded.
    """
    if listed or name is None:
        click.echo("\n".join(report.lines()))
        return
    if record and quick:
        raise click.UsageError("--record takes a full run: leave --quick out.")
    folder = output or Path("reproduction", f"{name}{'-quick' if quick else ''}")
    try:
        findings = run(name, quick, workers, folder)
    except ImportError as error:
        raise click.ClickException(f"{error.name} is needed: pip install -e '.[dev]'") from None
    except (SelectronError, OSError) as error:
        raise click.ClickException(str(error)) from None
    if record:
        report.record(name, findings)
    for claim in findings.claims:
        click.echo(f"{claim.verdict:14} {claim.paper}")
    click.echo(f"The report is in {folder / 'report.html'}")


def run(name: str, quick: bool, workers: int, folder: Path) -> Findings:
    """Run the experiment and write its report."""
    start = time.perf_counter()
    with processes(workers) if workers > 1 else nullcontext() as executor:

        def play(trial: Callable, calls: list[dict], what: str) -> list:
            return each(trial, calls, executor=executor, store=folder / "trials", progress=what)

        paper: Any = import_module(f"experiments.{name}")
        findings = paper.run(play, paper.QUICK if quick else paper.FULL)
    command = f"python -m experiments {name}{' --quick' if quick else ''}"
    report.write(findings, PAPERS[name], folder, command, quick)
    click.echo(f"{time.perf_counter() - start:,.0f} seconds", err=True)
    return findings


if __name__ == "__main__":
    main(prog_name="python -m experiments")
