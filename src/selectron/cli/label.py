"""`selectron label`: ask in the terminal for the labels that a kept model wants, and learn them."""

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ..errors import SelectronError
from ..streams.classes import plain
from . import ExamplesFirst, reported
from .files import naming
from .models import Place, Saved, keep, load
from .options import of_text
from .predict import all_columns, features
from .terminal import CONFIRM, WIDEST, exit_code, pressed, records_of


@click.command(cls=ExamplesFirst)
@click.argument("model")
@click.argument("file")
@click.option(
    "--from",
    "first",
    type=click.IntRange(min=1),
    help="Begin at this row. Default: where the last session with this FILE stopped, or else 1.",
)
@of_text
def label(model: str, file: str, first: int | None, **options: Any) -> None:
    """Play the rows of FILE with MODEL, and ask for the labels that are worth it.

    The model decides which rows to ask for, within its budget. It learns every answer, and is saved
    after each; the same command goes on where it stopped.

    \b
        selectron label mail.model new.csv
    """
    with reported():
        raise SystemExit(ModelSession(model, all_columns(file, **options), first).play())


class ModelSession:
    """Rows that are decided, and answers that are learned."""

    keys = "Enter confirms · 1 to 9 choose a class · n types a label · s skips · q quits"

    def __init__(self, path: str, source: Any, first: int | None):
        self.path, self.source, self.file, self.found = path, source, source.path, 0
        self.saved: Saved = load(path)
        self.row = self._behind() if first is None else first - 1
        if self.saved.encoder is None:
            raise SelectronError(f"{path} has learned from svmlight rows: there is nothing to show")
        self.classifier = self.saved.classifier
        self.start, self.answers = self.row, 0

    def _behind(self) -> int:
        """Return how many rows the last session with the file has left behind."""
        last = self.saved.place
        if last is None or last != self._place(last.row):
            return 0
        click.echo(f"Going on at row {last.row + 1:,}; --from 1 begins again.")
        return last.row

    def _place(self, row: int) -> Place:
        return Place(Path(self.file).name, self.source.size_in_bytes, row)

    def _keep(self, place: Place | None) -> None:
        keep(self.path, self.classifier, self.saved.choice, place)

    def play(self) -> int:
        """Play until the file ends, or somebody quits; return the exit code."""
        click.echo(self.keys)
        code = 0
        try:
            with closing(iter(self.source)) as chunks:
                going = all(self._play(chunk) for chunk in chunks)
        except (KeyboardInterrupt, EOFError, click.Abort) as end:
            click.echo()
            going, code = False, exit_code(end)
        if going and self.found < self.row:
            raise SelectronError(
                f"{self.file}: --from {self.row + 1} is after its last row, {self.found}"
            )
        self._keep(None if going else self._place(self.row))
        click.echo(f"\nRows: {self.row - self.start:,}. Labels learned: {self.answers:,}.")
        if not going:
            click.echo(f"The same command goes on at row {self.row + 1:,}.")
        return code

    def _play(self, chunk: Any) -> bool:
        """Play the rows of a chunk; return False to quit."""
        self.found = chunk.first + len(chunk.labels)
        if self.found <= self.row:
            return True
        chunk = chunk.part(max(0, self.row - chunk.first), len(chunk.labels))
        with naming(self.file, chunk.first):
            rows, _ = features(self.saved, chunk)
        for row, x in zip(records_of(chunk.rows), records_of(rows), strict=True):
            decision = self.classifier.decide(x)
            self.row += 1
            if decision.ask and not self._ask(row, decision):
                self.row -= 1
                return False
        return True

    def _ask(self, row: dict[str, Any], decision: Any) -> bool:
        """Show a row and learn the answer; return False to quit."""
        click.echo(f"\nrow {self.row:,}")
        hidden = self.saved.choice and self.saved.choice.label
        for name, value in row.items():
            if value is not None and name != hidden:
                click.echo(f"  {name}: {str(value)[:WIDEST]}")
        names = [str(name) for name in self.classifier.classes_.tolist()]
        click.echo("  " + "  ".join(f"[{k}] {name}" for k, name in enumerate(names[:9], 1)))
        while True:
            click.echo(f"  {decision.label}? ", nl=False)
            key = pressed()
            if key in ("q", "s"):
                click.echo("quit" if key == "q" else "skipped")
                return key == "s"
            if (answer := self._label(key, decision.label)) is not None:
                self.classifier.tell(decision.ticket, answer)
                self.answers += 1
                self._keep(self._place(self.row))
                return True
            click.echo(f"\n{self.keys}")

    def _label(self, key: str, proposed: Any) -> Any:
        """Return the label that a key stands for, None if there is none."""
        classes = self.classifier.classes_.tolist()
        if key in CONFIRM:
            click.echo(proposed)
            return proposed
        if key.isdigit() and 0 < int(key) <= len(classes):
            click.echo(classes[int(key) - 1])
            return classes[int(key) - 1]
        if key == "n":
            click.echo()
            return self._typed(classes)
        return None

    def _typed(self, classes: list[Any]) -> Any:
        """Return a typed label, None if there is none; a new class has to be confirmed."""
        label = plain(click.prompt("  label", default="", show_default=False))
        if not label or label in classes:
            return label or None
        if self.classifier.named_:
            click.echo(f"  there is no class {label!r}")
            return None
        return label if click.confirm(f"  {label!r} is a new class: add it?") else None
