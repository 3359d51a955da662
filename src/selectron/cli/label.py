"""`selectron label`: ask in the terminal for the labels that a kept model wants, and learn them."""

import copy
import csv
from collections import deque
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..errors import SelectronError
from ..specs import BUDGET
from ..streams.classes import plain
from . import ExamplesFirst, Whole, reported
from .files import naming
from .models import Place, Saved, keep, load, uninterrupted
from .options import check_different, check_target, model_and_file, of_a_model, of_text
from .predict import all_columns, features
from .terminal import (
    COLUMNS,
    KEYS,
    WIDEST,
    Command,
    answer,
    confirmed,
    exit_code,
    known,
    records_of,
    typed,
    write_csv,
)

COPIES = 10  # answers and skips that can be undone
MOST = 10_000  # rows decided since an answer or a skip, beyond which it cannot be undone


@click.command(cls=ExamplesFirst)
@of_a_model("MODEL FILE")
@click.option(
    "--from",
    "first",
    type=Whole(1),
    help="Begin at this row. Default: where the last session with this FILE stopped, or else 1.",
)
@click.option(
    "--budget",
    type=BUDGET,
    help="Ask within another budget from now on: 10%, 50/2000 or 20/1d, as in `run`. Default: the "
    "one of MODEL.",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="Write the labels here too: .csv."
)
@of_text
def label(
    paths: tuple[str, ...],
    model: str | None,
    first: int | None,
    budget: Any,
    output: str | None,
    **options: Any,
) -> None:
    """Play the rows of FILE with MODEL, and ask for the labels that are worth it.

    The model decides which rows to ask for, within its budget. It learns every answer, and is saved
    after each; the same command goes on where it stopped.

    \b
        selectron label mail.model new.csv
        selectron label mail.model new.csv -o labels.csv
    """
    model, file = model_and_file(model, paths)
    check_target(model, (), "MODEL")
    check_target(output, (".csv",), "-o", replaced=True)
    check_different("MODEL, FILE and -o", model, file, output)
    with reported():
        if file == "-":
            raise SelectronError("answers are read from standard input: give the path of a file")
        source = all_columns(file, **options)
        session = ModelSession(model, source, first, output)
        session.saved.spend(budget)
        raise SystemExit(session.play())


class Row(NamedTuple):
    """A row of the file."""

    number: int  # from 1 on
    values: dict[str, Any]  # of all columns
    x: dict[str, Any]  # the features
    others: dict[str, Any]  # columns that are no features


class Answered(NamedTuple):
    """What undoing an answer, or a skip, returns to."""

    classifier: Any  # a copy from before the answer
    row: Row
    ticket: int | None
    later: list[Row]  # decided after the answer and before the next one
    learned: bool  # whether there was a label


class ModelSession:
    """Rows that are decided, and answers that are learned.

    `row` rows are behind. `ticket` is that of the row after them, if its label was asked for.
    """

    def __init__(self, path: str, source: Any, first: int | None, output: str | None):
        self.path, self.source, self.file = path, source, source.path
        self.saved: Saved = load(path)
        if self.saved.encoder is None:
            raise SelectronError(f"{path} has learned from svmlight rows: there is nothing to show")
        last = self._last()
        self.ended = first is None and last is not None and last.ended
        self.row = first - 1 if first else last.row if last else 0
        self.ticket = last.ticket if last and last.row == self.row else None
        open_tickets = self.saved.classifier.open_tickets_
        if self.ticket not in open_tickets:
            self.ticket = None
        if (place := self.saved.place) and place.ticket in {*open_tickets} - {self.ticket}:
            self.saved.classifier.expire(place.ticket)  # its row is left behind
        self.labels = LabelFile(output, f"{path} has no place in {self.file}", first or last)
        self.resumed = first is None and last is not None
        self.start, self.found, self.answers = self.row, 0, 0
        self.ahead = deque[Row]()  # rows to play before the next ones of the file
        self.copies = deque[Answered](maxlen=COPIES)

    def _last(self) -> Place | None:
        """Return where the last session with the file stopped, if the model was saved there."""
        last = self.saved.place
        alike = last and (last.file, last.size) == (Path(self.file).name, self.source.size_in_bytes)
        return last if alike else None

    def _keep(self, ended: bool = False) -> None:
        """Save the model, and the place in the file."""
        size = self.source.size_in_bytes
        place = Place(Path(self.file).name, size, self.row, self.ticket, ended)
        keep(self.path, self.saved.classifier, place)

    def play(self) -> int:
        """Play until the file ends, or somebody quits; return the exit code."""
        if self.ended:
            click.echo(f"{self.file} was labelled to its end; --from 1 begins again.")
            return 0
        if self.resumed:
            click.echo(f"Going on at row {self.row + 1:,}; --from 1 begins again.")
        click.echo(KEYS)
        ended, code = False, 0
        try:
            with closing(self._rows()) as coming:
                while row := self.ahead.popleft() if self.ahead else next(coming, None):
                    self._play(row)
            ended = True
        except (KeyboardInterrupt, EOFError, click.Abort) as end:
            click.echo()
            code = exit_code(end)
        if ended and self.found < self.row:
            raise SelectronError(
                f"{self.file}: --from {self.row + 1} is after its last row, {self.found}"
            )
        self._keep(ended)
        self._report(ended)
        return code

    def _report(self, ended: bool) -> None:
        click.echo(f"\nRows: {self.row - self.start:,}. Labels learned: {self.answers:,}.")
        if self.labels.written:
            click.echo(f"The labels are in {self.labels.path}.")
        elif self.labels.path:
            click.echo(f"No label was learned: {self.labels.path} was not written.")
        if not ended:
            click.echo(f"The same command goes on at row {self.row + 1:,}.")
        else:
            click.echo(f"{self.file} is labelled to its end.")

    def _rows(self) -> Generator[Row, None, None]:
        """Yield the rows of the file that are not behind."""
        with closing(iter(self.source)) as chunks:
            for chunk in chunks:
                self.found = chunk.first + len(chunk.labels)
                if self.found > self.start:
                    yield from self._rows_of(
                        chunk.part(max(0, self.start - chunk.first), len(chunk.labels))
                    )

    def _rows_of(self, chunk: Any) -> Generator[Row, None, None]:
        import pyarrow as pa

        with naming(self.file, chunk.first):
            rows, others = features(self.saved, chunk)
        values, kept = records_of(chunk.rows), [self._hidden, *COLUMNS]
        others = {name: column for name, column in others.items() if name not in kept}
        more = pa.table(others).to_pylist() if others else [{}] * len(values)
        every = zip(values, records_of(rows), more, strict=True)
        for number, row in enumerate(every, chunk.first + 1):
            yield Row(number, *row)

    @property
    def _hidden(self) -> Any:
        """The column that held the labels the model has learned from, if there was one."""
        return self.saved.choice and self.saved.choice.label

    def _play(self, row: Row) -> None:
        """Decide on a row, unless its question is open already, and ask if that is wanted."""
        if self.ticket is not None:
            self._ask(row, self.saved.classifier.predict([row.x]).tolist()[0])
        elif (decision := self._decide(row)).ask:
            self._ask(row, decision.label)

    def _decide(self, row: Row) -> Any:
        with uninterrupted(), naming(self.file, row.number - 1):
            decision = self.saved.classifier.decide(row.x)
            self.ticket = decision.ticket
            if not decision.ask:
                self.row = row.number
            if self.copies:
                self.copies[-1].later.append(row)
                if len(self.copies[-1].later) > MOST:
                    self.copies.clear()
        return decision

    def _ask(self, row: Row, proposal: Any) -> None:
        """Show a row, and learn the answer; raise EOFError to quit."""
        click.echo(f"\nrow {row.number:,}")
        for name, value in row.values.items():
            if value is not None and name != self._hidden:
                click.echo(f"  {name}: {str(value)[:WIDEST]}")
        found = answer(proposal, self.saved.classifier.classes_.tolist(), self._typed)
        with uninterrupted():
            if found is Command.UNDO:
                self._undo(row)
            elif found is Command.SKIP:
                self._skip(row)
            else:
                self._learn(row, found, proposal)

    def _skip(self, row: Row) -> None:
        """Leave a row behind; its label is not on its way any more."""
        classifier = self._copied(row, False)
        classifier.expire(self.ticket)
        self.row, self.ticket = row.number, None

    def _copied(self, row: Row, learned: bool) -> Any:
        """Return the classifier, of which a copy is kept to undo what follows."""
        classifier: Any = self.saved.classifier
        self.copies.append(Answered(copy.deepcopy(classifier), row, self.ticket, [], learned))
        return classifier

    def _learn(self, row: Row, found: Any, proposal: Any) -> None:
        classifier = self._copied(row, True)
        classifier.tell(self.ticket, found)
        self.row, self.ticket = row.number, None
        self.answers += 1
        self.labels.put(row.number, row.others, found, proposal)
        self._keep()

    def _undo(self, row: Row) -> None:
        """Return to the last answer or skip; all rows since will be decided again."""
        if not self.copies:
            click.echo("nothing to undo")
            self.ahead.appendleft(row)
            return
        classifier, row, self.ticket, later, learned = self.copies.pop()
        click.echo(f"row {row.number:,} undone")
        self.ahead.extendleft(reversed([row, *later]))
        self.saved = self.saved._replace(classifier=classifier, encoder=classifier.encoder_)
        self.row = row.number - 1
        if learned:
            self.answers -= 1
            self.labels.drop(row.number)
        self._keep()

    def _typed(self) -> Any:
        """Return a typed label, None if there is none; a new class has to be confirmed."""
        click.echo()
        classifier = self.saved.classifier
        text = plain(typed("label (Enter goes back)"))
        if not text or (label := known(text, classifier.classes_.tolist())) is not None:
            return label if text else None
        if classifier.named_:
            click.echo(f"  there is no class {text!r}")
            return None
        return text if confirmed(f"{text!r} is a new class: add it?") else None


class LabelFile:
    """The labels that `selectron label` has learned, in a file that is written after each.

    `rows` holds its lines by the number of the row. Without a path, nothing is written.
    """

    def __init__(self, path: str | None, why_not: str, continued: Any):
        self.path, self.names = path, list[str]()
        self.rows = dict[int, list[Any]]()
        if path is not None:
            self._read(path)
        if self.rows and not continued:
            raise SelectronError(
                f"{path} holds labels already, and {why_not}: give another -o, or the row to go on "
                "at with --from"
            )

    def _read(self, path: str) -> None:
        """Read the lines of an earlier session; SelectronError if the file is another one."""
        try:
            with open(path, newline="", encoding="utf-8-sig") as file:
                names, *lines = [line for line in csv.reader(file) if line] or [[]]
            ours = not names or (names[0], *names[-3:]) == COLUMNS
            if not ours or any(len(line) != len(names) for line in lines):
                raise ValueError
            self.names, self.rows = names, {int(line[0]): line for line in lines}
        except FileNotFoundError:
            return
        except (ValueError, csv.Error):
            raise SelectronError(
                f"{path} is no file of labels that `selectron label` has written: give another -o"
            ) from None

    @property
    def written(self) -> bool:
        """Whether there is a file of labels."""
        return self.path is not None and Path(self.path).exists()

    def put(self, row: int, others: dict[str, Any], label: Any, proposal: Any) -> None:
        """Add the label of a row, in the place of an earlier one."""
        self.names = self.names or [COLUMNS[0], *others, *COLUMNS[1:]]
        copied = [others.get(name) for name in self.names[1:-3]]
        self.rows[row] = [row, *copied, label, proposal, int(label != proposal)]
        self._update()

    def drop(self, row: int) -> None:
        """Remove the label of a row."""
        self.rows.pop(row, None)
        self._update()

    def _update(self) -> None:
        if self.path is not None:
            write_csv(self.path, self.names, [self.rows[row] for row in sorted(self.rows)])
