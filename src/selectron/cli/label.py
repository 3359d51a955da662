"""`selectron label`: ask in the terminal for the labels that a kept model wants."""

from contextlib import closing
from typing import Any

import click

from ..errors import SelectronError
from . import INTERRUPTED, ExamplesFirst, reported
from .files import naming
from .labelling import WIDEST, interrupted, pressed, records_of
from .models import Saved, keep, load
from .options import format_and_header
from .predict import all_columns, features

KEYS = "Enter confirms · 1 to 9 choose a class · n types a label · s skips · q quits"


@click.command(cls=ExamplesFirst)
@click.argument("model")
@click.argument("file")
@click.option("--from", "first", type=click.IntRange(min=1), default=1, help="Begin at this row.")
@format_and_header
def label(model: str, file: str, first: int, **options: Any) -> None:
    """Play the rows of FILE with MODEL, and ask for the labels that are worth it.

    The model decides which rows to ask for, within its budget. It learns every answer, and is saved
    after each.

    \b
        selectron label mail.model new.csv
    """
    with reported():
        code = Session(model, file, first).play(all_columns(file, **options))
    raise SystemExit(code)


class Session:
    """Rows that are decided, and answers that are learned."""

    def __init__(self, path: str, file: str, first: int):
        self.path, self.file, self.row, self.found = path, file, first - 1, 0
        self.saved: Saved = load(path)
        if self.saved.encoder is None:
            raise SelectronError(f"{path} has learned from svmlight rows: there is nothing to show")
        self.classifier = self.saved.classifier
        self.start, self.answers = self.row, 0

    def play(self, source: Any) -> int:
        """Play until the file ends, or somebody quits; return the exit code."""
        click.echo(KEYS)
        code = 0
        try:
            with closing(iter(source)) as chunks:
                going = all(self._play(chunk) for chunk in chunks)
        except (KeyboardInterrupt, EOFError, click.Abort) as end:
            click.echo()
            going, code = False, INTERRUPTED if interrupted(end) else 0
        if going and self.found < self.row:
            raise SelectronError(
                f"{self.file}: --from {self.row + 1} is after its last row, {self.found}"
            )
        keep(self.path, self.classifier, self.saved.choice)
        click.echo(f"\nRows: {self.row - self.start:,}. Labels learned: {self.answers:,}.")
        if not going:
            click.echo(f"Go on with: selectron label {self.path} {self.file} --from {self.row + 1}")
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
                keep(self.path, self.classifier, self.saved.choice)
                return True
            click.echo(f"\n{KEYS}")

    def _label(self, key: str, proposed: Any) -> Any:
        """Return the label that a key stands for, None if there is none."""
        classes = self.classifier.classes_.tolist()
        if key in ("\r", "\n", " ", "y"):
            click.echo(proposed)
            return proposed
        if key.isdigit() and 0 < int(key) <= len(classes):
            click.echo(classes[int(key) - 1])
            return classes[int(key) - 1]
        if key == "n":
            click.echo()
            typed = click.prompt("  label", default="", show_default=False).strip()
            return typed or None
        return None
