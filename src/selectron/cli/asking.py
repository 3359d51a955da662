"""What `selectron pool` asks in the terminal, row by row."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import pool as own
from ..errors import SelectronError
from ..pool import SelfDirectedClassifier
from ..pool.classifier import OtherRows
from ..streams.classes import plain
from .files import naming, refuse_columns, source_of
from .models import uninterrupted
from .terminal import (
    FIRST,
    KEYS,
    LETTERS,
    SHOWN,
    Command,
    answer,
    exit_code,
    known,
    records_of,
    shown,
    typed,
    write_labels,
)

if TYPE_CHECKING:
    from .pool import Table

EARLY = 20  # answers before the first estimate


class PoolSession:
    """Label a table in the terminal; save every answer before the next row is shown."""

    def __init__(self, file: str, table: "Table", answers: str, options: dict[str, Any]):
        self.file, self.table, self.answers = file, table, Path(answers)
        self.names, self.output = options["show"], options["output"]
        self.pieces = shown_pieces(file, self.names, table, options)
        self.pool = self._pool(options)

    def _pool(self, options: Any) -> SelfDirectedClassifier:
        if not self.answers.exists():
            learner, *_ = options["learners"] or ("confident",)
            return classifier(learner, **options).start(self.table.X, self.table.y)
        try:
            pool = SelfDirectedClassifier.load(self.answers, self.table.X)
        except OtherRows:
            raise SelectronError(
                f"{self.answers} holds the answers for other rows or columns: give the same "
                "--ignore and --column, or another --answers"
            ) from None
        check_resumed(self.answers, pool, options["classes"])
        click.echo(f"Resuming from {self.answers}: {progress(pool)}{skipped(pool)}.")
        if finished(pool) and (count := pool.reopen()):
            click.echo(f"Rows that were skipped are proposed again: {count:,}.")
        return pool

    def ask(self) -> int:
        """Ask until all rows are labelled or the user quits; return the exit code."""
        code = 0
        try:
            if not finished(self.pool):
                click.echo(KEYS if len(self.pool.classes_) else f"{KEYS}\n{FIRST}")
            while (proposal := self.pool.propose()) is not None:
                self._answer(*proposal)
        except (KeyboardInterrupt, EOFError, click.Abort) as end:
            click.echo()
            code = exit_code(end)
        self._report()
        if code:
            click.echo("selectron: interrupted", err=True)
        return code

    def _answer(self, row: int, proposal: Any) -> None:
        """Show a row, and save the answer; raise EOFError to quit."""
        click.echo(f"\n{self._state()}\n{self._row(row)}")
        found = answer(proposal, self.pool.classes_.tolist(), lambda: self._other(proposal))
        with uninterrupted():
            if found is not Command.UNDO:
                self.pool.tell(row, None if found is Command.SKIP else found)
            else:
                click.echo("undone" if self.pool.n_labels_ else "nothing to undo")
                if not self.pool.n_labels_:
                    return
                self.pool.undo()
            self.pool.save(self.answers)

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
        classes = self.pool.classes_.tolist()
        text = typed(f"label ({', '.join(map(str, classes))})", usual)
        if not text or (label := known(text, classes)) is not None:
            return label if text else None
        if self.pool.classes is not None:
            click.echo(f"  there is no class {text!r}")
        elif text in LETTERS:
            click.echo(f"  {text!r} is a key: --classes makes it possible as a label")
        else:
            return plain(text)
        return None

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
        more = skipped(self.pool)
        click.echo(f"\n{progress(self.pool)}, {run.mistakes:,} corrected{more}.")
        if len(run.order):
            again = "resumes from there"
            if finished(self.pool):
                again = "proposes the skipped rows again" if more else ""
            again = again and f": the same command {again}"
            click.echo(f"The answers are in {self.answers}{again}.")
        if self.output:
            write_labels(run, self.output)
            click.echo(f"The labels are in {self.output}.")


def finished(pool: SelfDirectedClassifier) -> bool:
    """Return whether nothing will be proposed any more."""
    return pool.n_labels_ >= pool.goal_


def progress(pool: SelfDirectedClassifier) -> str:
    """Return how many rows are labelled, in words."""
    return f"{pool.n_labels_ - _skips(pool):,} of {pool.goal_:,} rows labelled"


def skipped(pool: SelfDirectedClassifier) -> str:
    """Return how many rows were skipped, as the rest of a sentence."""
    count = _skips(pool)
    return f", {count:,} skipped" if count else ""


def _skips(pool: SelfDirectedClassifier) -> int:
    return sum(label is None for label in pool.labelled().labels.tolist())


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


def check_resumed(path: Path, pool: SelfDirectedClassifier, wanted: str | None) -> None:
    """Raise SelectronError if --classes differs from the classes of the answers."""
    given = named(wanted)
    if given is None or (pool.classes is not None and {*given} == {*map(plain, pool.classes)}):
        return
    known = ", ".join(map(str, pool.classes_.tolist())) or "none"
    how = "with --classes" if pool.classes is not None else "without --classes; labels so far"
    raise SelectronError(
        f"{path} was started {how}: {known}; leave out --classes to resume, or start another file "
        "with --answers"
    )


def shown_pieces(file: str, names: tuple[str, ...], table: "Table", options: Any) -> list[Any]:
    """Return the pieces of a table whose rows are shown: all columns if --show names any.

    There are none of svmlight rows.
    """
    from ..streams.readers.columns import Choice

    if not names:
        return table.pieces
    if not table.pieces:
        with naming(file):
            refuse_columns("--show", names)
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
