"""Labelling in the terminal: `selectron label`, and what `selectron pool` asks."""

import csv
import io
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import pool as own
from ..data.files import replace
from ..errors import SelectronError
from ..pool import PoolRun, SelfDirectedClassifier
from ..streams.classes import plain
from . import INTERRUPTED, ExamplesFirst, reported
from .files import naming, source_of
from .models import Place, Saved, keep, load
from .options import of_text
from .predict import all_columns, features

if TYPE_CHECKING:
    from .pool import Table

CONFIRM = ("\r", "\n", " ", "y")
SHOWN = 12  # columns shown, or features of largest magnitude
WIDEST = 300  # characters of a value that are shown
EARLY = 20  # answers before the first estimate


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


class PoolSession:
    """Label a table in the terminal; save every answer before the next row is shown."""

    keys = "Enter or y confirms · n corrects · s skips · u undoes · q quits"

    def __init__(self, file: str, table: "Table", **options: Any):
        self.file, self.table, self.output = file, table, options["output"]
        self.answers = Path(options["answers"] or f"{'stdin' if file == '-' else file}.answers")
        self.names = options["show"]
        self.pieces = shown_pieces(file, self.names, table, options)
        self.pool = self._pool(options)

    def _pool(self, options: Any) -> SelfDirectedClassifier:
        if self.answers.exists():
            pool = SelfDirectedClassifier.load(self.answers, self.table.X)
            check_classes(self.answers, pool, options["classes"])
            labels, wanted = pool.n_labels_, pool.goal_
            click.echo(f"Resuming from {self.answers}: {labels:,} of {wanted:,} rows labelled.")
            return pool
        return classifier(*(options["learners"] or ("confident",)), **options).start(
            self.table.X, self.table.y
        )

    def ask(self) -> int:
        """Ask until all rows are labelled or the user quits; return the exit code."""
        click.echo(self.keys)
        code = 0
        try:
            while (proposal := self.pool.propose()) is not None:
                if not self._answer(*proposal):
                    break
                self.pool.save(self.answers)
        except (KeyboardInterrupt, EOFError, click.Abort) as end:
            click.echo()
            code = exit_code(end)
        self._report()
        if code:
            click.echo("selectron: interrupted", err=True)
        return code

    def _answer(self, row: int, proposal: Any) -> bool:
        """Show a row and read one answer; return False to quit."""
        click.echo(f"\n{self._state()}\n{self._row(row)}")
        while True:
            if proposal is None:
                label = self._typed()
                return label is not None and self._record(row, label)
            click.echo(f"  {proposal} ? ", nl=False)
            key = pressed()
            if key in CONFIRM:
                click.echo(proposal)
                return self._record(row, proposal)
            if key == "n":
                label = self._other(proposal)
                if label is not None:
                    return self._record(row, label)
            elif key == "s":
                click.echo("skipped")
                return self._record(row, None)
            elif key == "u":
                click.echo("undone" if self.pool.n_labels_ else "nothing to undo")
                if self.pool.n_labels_:
                    self.pool.undo()
                return True
            elif key == "q":
                click.echo("quit")
                return False
            else:
                click.echo(f"\n{self.keys}")

    def _record(self, row: int, label: Any) -> bool:
        self.pool.tell(row, label)
        return True

    def _other(self, proposal: Any) -> Any:
        """Return the correct label: the other one of two named classes, or a typed one."""
        others = [name for name in self.pool.classes_.tolist() if name != proposal]
        if len(others) == 1 and self.pool.classes is not None:
            click.echo(others[0])
            return others[0]
        click.echo()
        return self._typed(others[0] if len(others) == 1 else "")

    def _typed(self, usual: str = "") -> Any:
        """Return a typed label, or None."""
        known = self.pool.classes_.tolist()
        among = f" ({', '.join(map(str, known))})" if known else ""
        text = click.prompt(f"  label{among}", default=usual, show_default=bool(usual)).strip()
        text = text if text in known else plain(text)
        if text and self.pool.classes is not None and text not in known:
            click.echo(f"  there is no class {text!r}")
            return None
        return text or None

    def _state(self) -> str:
        count, goal, wrong = self.pool.n_labels_, self.pool.goal_, self.pool.n_mistakes_
        left = self.pool.mistakes_left()
        more = f", about {left:,.0f} more to come" if count >= EARLY and left == left else ""
        return f"{count + 1:,} of {goal:,} · {wrong:,} corrected{more}"

    def _row(self, row: int) -> str:
        if self.pieces:
            return f"  row {row + 1}: {shown(record_at(self.pieces, row), self.names)}"
        x = self.table.X[[row]]
        x = (x if isinstance(x, np.ndarray) else x.toarray())[0]
        some = np.sort(np.argsort(-np.abs(x), kind="stable")[:SHOWN])
        return f"  row {row + 1}: " + "  ".join(f"{j + 1}:{x[j]:g}" for j in some)

    def _report(self) -> None:
        run = self.pool.labelled()
        count, goal = len(run.order), self.pool.goal_
        skipped = sum(label is None for label in run.labels.tolist())
        more = f", {skipped:,} skipped" if skipped else ""
        done = f"{count - skipped:,} of {goal:,} rows labelled"
        click.echo(f"\n{done}, {run.mistakes:,} corrected{more}.")
        if count:
            click.echo(f"The answers are in {self.answers}: the same command resumes from there.")
        if self.output:
            write_labels(run, self.output)
            click.echo(f"The labels are in {self.output}.")


def named(classes: str | None, **_: Any) -> list[str] | None:
    """Return the classes that were named, as labels of a file are written."""
    return [plain(name) for name in classes.split(",")] if classes else None


def classifier(learner: str, **options: Any) -> Any:
    """Return the classifier for a learner by its name."""
    kinds = (own.Confident(), own.Greedy(), own.Sphere(), own.Boosted())
    named_so = {type(kind).__name__.lower(): kind for kind in kinds}
    return own.SelfDirectedClassifier(
        named_so[learner] if learner in named_so else own.InOrder(learner),
        classes=named(**options),
        mode=options["mode"],
        delta=options["delta"],
        features=options["features"],
        fit_intercept=options["intercept"],
        random_state=options["seed"],
    )


def check_classes(path: Path, pool: SelfDirectedClassifier, wanted: str | None) -> None:
    """Raise SelectronError if --classes differs from the classes of the answers."""
    given = named(wanted)
    if given is None or (pool.classes is not None and {*given} == {*map(plain, pool.classes)}):
        return
    known = ", ".join(map(str, pool.classes_.tolist())) or "none"
    what = f"classes that were not named (so far {known})" if pool.classes is None else known
    raise SelectronError(
        f"{path} holds answers for {what}: leave out --classes to resume, or start another file "
        "with --answers"
    )


def exit_code(end: BaseException) -> int:
    """Return the code for Ctrl-C, or for the end of the input; a prompt raises Abort for both."""
    cause = end.__context__ if isinstance(end, click.Abort) else end
    return INTERRUPTED if isinstance(cause, KeyboardInterrupt) else 0


def pressed() -> str:
    """Return the next key, or the next line of a pipe; raise EOFError at its end."""
    if sys.stdin.isatty():
        key = click.getchar()
    else:
        line = sys.stdin.readline()
        key = line.strip() or line[-1:]  # an empty line is Enter
    if key == "\x03":
        raise KeyboardInterrupt
    if key in ("\x04", ""):
        raise EOFError
    return key


def write_labels(run: PoolRun, path: str) -> None:
    """Write one CSV line per answer: row number from 1 on, label, proposal, corrected (0 or 1)."""
    text = io.StringIO(newline="")
    columns = (run.order + 1).tolist(), run.labels, run.proposals, run.wrong.astype(int).tolist()
    rows = zip(*columns, strict=True)
    csv.writer(text).writerows([("row", "label", "proposal", "corrected"), *rows])
    replace(path, text.getvalue().encode())


def shown_pieces(file: str, names: tuple[str, ...], table: "Table", options: Any) -> list[Any]:
    """Return the pieces of a table whose rows are shown: all columns if --show names any.

    There are none of svmlight rows.
    """
    from ..streams.readers.columns import Choice

    if not names:
        return table.pieces
    pieces = [chunk.rows for chunk in source_of(file, Choice(label=""), **options)]
    for name in names:
        if not any(name in record for piece in pieces for record in records_of(piece)):
            raise SelectronError(f"{file}: --show finds no column {name!r}")
    if (found := sum(map(len, pieces))) != (rows := len(table.y)):
        raise SelectronError(f"{file}: --show finds {found} rows, and the table has {rows}")
    return pieces


def record_at(pieces: list[Any], row: int) -> dict[str, Any]:
    """Return a row of the pieces of a table.

    >>> record_at([[{"hue": 0.5}], [{"hue": 0.7}]], 1)
    {'hue': 0.7}
    """
    for piece in pieces:
        if row < len(piece):
            return records_of(piece[row : row + 1])[0]
        row -= len(piece)
    raise IndexError(row)


def records_of(piece: Any) -> list[dict[str, Any]]:
    """Return the rows of a piece of a table as dicts.

    >>> records_of([{"hue": 0.5}])
    [{'hue': 0.5}]
    """
    return piece if isinstance(piece, list) else piece.to_pylist()


def shown(row: dict[str, Any], names: Sequence[str] = ()) -> str:
    """Return the values of a row as text: of these columns, by default the first that have one.

    >>> shown({"alcohol": 13.2, "hue": None, "name": "Ida"})
    'alcohol: 13.2  name: Ida'
    """
    columns = [name for name in names or row if row.get(name) is not None]
    some = columns if names else columns[:SHOWN]
    return "  ".join(f"{name}: {str(row[name])[:WIDEST]}" for name in some)
