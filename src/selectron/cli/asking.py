"""What `selectron pool` asks in the terminal, row by row."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .. import pool as own
from ..errors import SelectronError
from ..pool import SelfDirectedClassifier
from ..pool.classifier import OtherRows
from ..streams.classes import plain
from . import terminal, warn
from .files import all_columns, naming, records_of, refuse_columns
from .models import uninterrupted

if TYPE_CHECKING:
    from .pool import Table

EARLY = 20  # answers before the first estimate


class PoolSession:
    """Label a table in the terminal; save every answer before the next row is shown."""

    def __init__(self, file: str, table: "Table", answers: str, options: dict[str, Any]):
        self.file, self.table, self.answers = file, table, Path(answers)
        self.names, self.output = options["show"], options["output"]
        self.rows = shown_rows(file, self.names, table, options)
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
        click.echo(f"Resuming from {self.answers}: {progress(pool)}")
        if finished(pool) and (count := pool.reopen()):
            click.echo(f"Rows that were skipped are proposed again: {count:,}.")
        return pool

    def ask(self) -> int:
        """Ask until all rows are labelled or the user quits; return the exit code."""
        code = terminal.until_quit(self._ask)
        self._report()
        if code:
            warn("interrupted")
        return code or 0

    def _ask(self) -> None:
        if not finished(self.pool):
            click.echo(terminal.KEYS)
            if not len(self.pool.classes_):
                click.echo(terminal.FIRST)
        while (proposal := self.pool.propose()) is not None:
            self._answer(*proposal)

    def _answer(self, row: int, proposal: Any) -> None:
        """Show a row, and save the answer; raise EOFError to quit."""
        click.echo(f"\n{self._state()}\n{self._row(row)}")
        classes = self.pool.classes_.tolist()
        found = terminal.answer(proposal, classes, lambda: self._other(proposal))
        if found is terminal.Command.UNDO and not self.pool.n_labels_:
            click.echo("nothing to undo")
            return
        with uninterrupted():
            if found is terminal.Command.UNDO:
                self.pool.undo()
                click.echo("undone")
            else:
                self.pool.tell(row, None if found is terminal.Command.SKIP else found)
            self.pool.save(self.answers)

    def _other(self, proposal: Any) -> Any:
        """Return the correct label: the other one of two named classes, or a typed one."""
        classes, named = self.pool.classes_.tolist(), self.pool.classes is not None
        others = [name for name in classes if name != proposal]
        if len(others) == 1 and named:
            click.echo(others[0])
            return others[0]
        click.echo()
        prompt = f"label ({', '.join(map(str, classes))})"
        usual = others[0] if len(others) == 1 else ""
        return terminal.corrected(prompt, classes, named, no_key, usual)

    def _state(self) -> str:
        count, goal, wrong = self.pool.n_labels_, self.pool.goal_, self.pool.n_mistakes_
        left = self.pool.mistakes_left()
        more = f", about {left:,.0f} more to come" if count >= EARLY and left == left else ""
        return f"{count + 1:,} of {goal:,} · {wrong:,} corrected{more}"

    def _row(self, row: int) -> str:
        if self.rows is not None:
            (record,) = records_of(self.rows[row : row + 1])
            text = terminal.shown(record, self.names)
        else:
            x = self.table.X[[row]]
            x = (x if isinstance(x, np.ndarray) else x.toarray())[0]
            some = np.sort(np.argsort(-np.abs(x), kind="stable")[: terminal.SHOWN])
            text = "  ".join(f"{j + 1}:{x[j]:g}" for j in some)
        return f"  row {row + 1}: {text}"

    def _report(self) -> None:
        run = self.pool.labelled()
        click.echo(f"\n{progress(self.pool, f', {run.mistakes:,} corrected')}")
        if len(run.order):
            again = ": the same command resumes from there"
            if finished(self.pool):
                proposed = ": the same command proposes the skipped rows again"
                again = proposed if run.skipped else ""
            click.echo(f"The answers are in {self.answers}{again}.")
        if self.output:
            terminal.write_labels(run, self.output)
            click.echo(f"The labels are in {self.output}.")


def no_key(label: str) -> bool:
    """Return whether a new label is no key."""
    if label in terminal.LETTERS:
        click.echo(f"  {label!r} is a key: --classes makes it possible as a label")
    return label not in terminal.LETTERS


def finished(pool: SelfDirectedClassifier) -> bool:
    """Return whether nothing will be proposed any more."""
    return pool.n_labels_ >= pool.goal_


def progress(pool: SelfDirectedClassifier, corrections: str = "") -> str:
    """Return how many rows are labelled, and how many were skipped, as a sentence."""
    skips = pool.n_skipped_
    skipped = f", {skips:,} skipped" if skips else ""
    done = f"{pool.n_labels_ - skips:,} of {pool.goal_:,} rows labelled"
    return f"{done}{corrections}{skipped}."


def named(classes: str | None) -> list[str] | None:
    """Return the classes that were named, as labels of a file are written."""
    return [plain(name) for name in classes.split(",")] if classes else None


def classifier(learner: str, **options: Any) -> Any:
    """Return the classifier for a learner by its name."""
    kinds = (own.Confident(), own.Greedy(), own.Sphere(), own.Boosted())
    named_so = {type(kind).__name__.lower(): kind for kind in kinds}
    return own.SelfDirectedClassifier(
        named_so[learner] if learner in named_so else own.InOrder(learner),
        classes=named(options["classes"]),
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


def shown_rows(file: str, names: tuple[str, ...], table: "Table", options: Any) -> Any:
    """Return the rows that are shown: with all columns if --show names any; None of svmlight."""
    if not names:
        return table.rows
    if table.rows is None:
        with naming(file):
            refuse_columns("--show", names)
    rows = together([chunk.rows for chunk in all_columns(file, **options)])
    known = {*chain.from_iterable(rows)} if isinstance(rows, list) else rows.column_names
    if missing := [name for name in names if name not in known]:
        raise SelectronError(f"{file}: --show finds no column {missing[0]!r}")
    if len(rows) != len(table.y):
        found = f"finds {len(rows)} rows, and the table has {len(table.y)}"
        raise SelectronError(f"{file}: --show {found}")
    return rows


def together(pieces: list[Any]) -> Any:
    """Return the pieces of a table, or of a list, as one."""
    import pyarrow as pa

    listed = isinstance(pieces[0], list)
    return [*chain.from_iterable(pieces)] if listed else pa.concat_tables(pieces)
