"""`selectron label`: ask in the terminal for the labels that a kept model wants, and learn them."""

import copy
import shlex
import time
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import click
import pyarrow as pa

from ..data.cells import canonical, label_of
from ..engine.parameters import counted
from ..errors import SelectronError
from ..specs import BUDGET
from ..streams.readers import Chunk
from . import ExamplesFirst, Whole, echo, files, terminal
from .labels import COLUMNS, LabelFile
from .models import Place, Saved, keep, load, uninterrupted
from .options import (
    check_different,
    check_target,
    model_and_file,
    model_arguments,
    path_option,
    show_option,
    text_options,
    with_options,
)

COPIES, BYTES = 10, 1 << 30  # answers and skips that can be undone, and the memory for that
SLOW, PAUSE = 0.5, 20  # seconds; a model that takes longer to save waits that many times as long
MOST = 10_000  # rows decided since an answer or a skip, beyond which it cannot be undone

session_options = with_options(
    click.option(
        "--from",
        "first",
        type=Whole(1),
        help="Begin at this row. Default: where the last session with this FILE stopped, or else "
        "1.",
    ),
    click.option(
        "--budget",
        type=BUDGET,
        help="Ask within another budget from now on: 10%, 50/2000 or 20/1d, as in `run`. Default: "
        "the one of MODEL.",
    ),
)


@click.command(cls=ExamplesFirst)
@model_arguments("MODEL FILE")
@session_options
@show_option
@path_option("-o", "--output", help="Write the labels here too: .csv.")
@text_options
def label(
    paths: tuple[str, ...],
    model: str | None,
    show: tuple[str, ...],
    output: str | None,
    **options: Any,
) -> None:
    """Play the rows of FILE with MODEL, and ask for the most useful labels.

    The model decides which rows to ask for, within its budget, of those whose label FILE does not
    have. It learns every answer, and is saved after each, or less often if saving takes over half a
    second; the same command resumes where it stopped.

    \b
        selectron label mail.model new.csv
        selectron label mail.model new.csv -o labels.csv
    """
    model, file = model_and_file(model, paths)
    check_target(model, (), "MODEL")
    check_target(output, (".csv",), "-o", replaced=True)
    check_different("MODEL, FILE and -o", model, file, output)
    if file == "-":
        raise SelectronError("answers are read from standard input: give the path of a file")
    source = files.all_columns(file, **options)
    session = ModelSession(model, source, options["first"], output, show)
    session.spend(options["budget"])
    with files.reporting_damage(source):
        code = session.play()
    raise SystemExit(code)


class FileRow(NamedTuple):
    """A row of the file."""

    number: int  # from 1 on
    values: dict[str, Any]  # of all columns
    x: dict[str, Any]  # the features
    others: dict[str, Any]  # columns that are not features


class Answered(NamedTuple):
    """What undoing an answer, or a skip, returns to."""

    classifier: Any  # a copy from before the answer
    row: FileRow
    ticket: int | str | None
    later: list[FileRow]  # decided after the answer and before the next one
    label: str | None  # None: it was skipped
    place: Place  # with what was known of the accuracy


class ModelSession:
    """Rows that are decided, and answers that are learned.

    `row` rows are behind. `ticket` is that of the row after them, if its label was asked for.
    """

    def __init__(
        self, path: str, source: Any, first: int | None, output: str | None, show: tuple[str, ...]
    ):
        self.path, self.source, self.file, self.show = path, source, source.path, show
        self.identity = Path(self.file).name, files.content_of(self.file)
        self.saved: Saved = load(path)
        source.choice = source.choice._replace(known=self.saved.columns)
        if self.saved.encoder is None:
            why = "has learned from rows without names: there is nothing to show"
            raise SelectronError(f"{path} {why}")
        place, waiting = self.saved.place, self.saved.classifier.open_tickets_
        last = place if place and (place.file, place.content) == self.identity else None
        if place and place.file == self.identity[0] and files.grown_from(self.file, place.content):
            last = place._replace(content=self.identity[1], ended=False)
        self.last = last if first is None else None  # where this session goes on
        self.start = self.row = first - 1 if first else last.row if last else 0
        changed = place and not first and not last and place.file == self.identity[0]
        self.behind = place.row if place and changed else 0  # rows of a file that has changed
        self.ticket: int | str | None = None
        if last and last.row == self.row and last.ticket in waiting:
            self.ticket = last.ticket
        if place and place.ticket in waiting and place.ticket != self.ticket:
            self.saved.classifier.expire(place.ticket)  # its row is left behind
        why = f"{path} holds no position in {self.file}"
        if self.behind:
            why = f"{self.file} has changed since row {self.behind:,}"
        self.labels = LabelFile(output, why, self.behind + 1, first or last)
        choice = self.saved.choice
        self.hidden: Any = (choice and choice.label) or None  # the column of labels
        self.answers, self.doubted = Counter[str](), False  # labels learned, by class
        self.labelled = set[int]()  # rows whose labels the file has
        self.out = ""  # that the budget is spent, once it is
        rounds = self.saved.classifier.model_.rounds
        self.place = self.last or Place(*self.identity, self.row, since=rounds)
        self.ahead = deque[FileRow]()  # rows to play before the next ones of the file
        size = sum(array.nbytes for array in self.saved.classifier.model_.state)
        self.copies = deque[Answered](maxlen=max(1, min(COPIES, BYTES // size)))
        self.due = 0.0  # when the model is saved again after an answer
        self.unsaved = False  # whether there has been an answer since

    def spend(self, budget: Any) -> None:
        """Ask within a budget, if one is given; SelectronError if no label would be asked for."""
        done = self.ticket is not None or (self.last and self.last.ended)
        if budget is None and not done and (spent := self.saved.spent()):
            raise SelectronError(f"{self.path} would ask for no label, as {spent}")
        self.saved.spend(budget, again=self.last is None)
        if budget is not None and not done and (spent := self.saved.spent()):
            why = f"{spent.partition(':')[0]}, and the same one is given again"
            how = f"give another one, or --from {self.row + 1} to spend it once more"
            raise SelectronError(f"{self.path} would ask for no label, as {why}: {how}")

    def keep(self, ended: bool = False) -> None:
        """Save the model, and the place in the file."""
        begin = time.monotonic()
        self.place = self.place._replace(row=self.row, ticket=self.ticket, ended=ended)
        self.saved = keep(self.saved.path, self.saved._replace(place=self.place))
        took = time.monotonic() - begin
        self.due, self.unsaved = begin + PAUSE * took if took > SLOW else 0.0, False

    def play(self) -> int:
        """Play until the file ends, or somebody quits; return the exit code."""
        if self.last and self.last.ended:
            echo(f"{self.file} was labelled to its end; --from 1 begins again.")
            return 0
        self.announce()
        echo(terminal.KEYS)
        try:
            code = terminal.until_quit(self._play)
        except BaseException:
            if self.unsaved:
                self.keep()
            raise
        ended = code is None and not self.out
        self.keep(ended)
        self._report(ended)
        return code or int(self.saved.path != self.path)

    def announce(self) -> None:
        """Print where the session begins, if the model has a place in the file."""
        if self.last:
            echo(f"Continuing at row {self.row + 1:,}; --from 1 begins again.")
        elif self.behind:
            changed = f"{self.file} has changed since row {self.behind:,}"
            echo(f"{changed}: beginning at row 1; --from {self.behind + 1} continues.")

    def _report(self, ended: bool) -> None:
        echo(f"\nRows: {self.row - self.start:,}. Labels learned: {self.answers.total():,}.")
        if self.answers:
            echo(terminal.class_counts(self.answers, self.saved.classifier.classes_))
        if accuracy := self.place.accuracy():
            echo(f"Accuracy: {accuracy}.")
        if (path := self.labels.path) and Path(path).exists():
            echo(f"The labels are in {path}.")
        elif path:
            echo(f"No label was learned: {path} was not written.")
        same = "The same command" if self.saved.path == self.path else f"With {self.saved.path}, it"
        done = "labelled" if self.answers or self.last else "read, without an answer,"
        goes_on = f"{same} continues at row {self.row + 1:,}."
        echo(f"{self.file} is {done} to its end." if ended else goes_on)
        self.report_rest()

    def report_rest(self) -> None:
        """Print how many rows have a label already, and that the budget is spent."""
        if n := sum(number <= self.row for number in self.labelled):
            have = "have" if n > 1 else "has"
            file, path = map(shlex.quote, (self.file, self.saved.path))
            how = f"selectron run {file} --model {path} --save {path} --budget 100%"
            echo(f"{counted(n, 'row')} {have} a label already. If that is not learned yet: {how}")
            echo("After that, give --budget again.")
        if self.out:
            echo(f"{self.out.capitalize()}.")

    def rows(self, chunks: Iterable[Chunk]) -> Iterator[FileRow]:
        """Yield the rows that are ahead; where there are none, that is the next one of `chunks`."""
        known, kept = self.saved.encoder.columns_, [self.hidden, *COLUMNS]
        for chunk in files.skip_rows(chunks, self.start, self.file, least=0):
            with files.naming(self.file, chunk.first):
                chunk = self.saved.flatten(chunk, self.file)
                columns = self.saved.other_columns(chunk)
            columns = {name: column for name, column in columns.items() if name not in kept}
            values = files.records_of(chunk.rows)
            files.check_shown(self.file, self.show, {*known, *chain.from_iterable(values)})
            more = files.records_of(pa.table(columns)) if columns else [{}] * len(values)
            for number, (row, rest) in enumerate(zip(values, more, strict=True), chunk.first + 1):
                features = {name: row.get(name) for name in known}
                self.ahead.append(FileRow(number, row, features, rest))
                while self.ahead:
                    yield self.ahead.popleft()

    def _play(self) -> None:
        """Decide on every row, unless its question is open already, and ask if that is wanted."""
        for row in self.rows(self.source):
            if self.ticket is None and (out := self.saved.spent()):
                self.out = out
                return
            if self.ticket is not None:
                self._ask(row, self.saved.classifier.predict([row.x]).tolist()[0])
            elif (decision := self.decide(row)) and decision.ask:
                self._ask(row, decision.label)

    def decide(self, row: FileRow) -> Any:
        """Return the decision on a row; if its label is asked for, leave the ticket.

        Returns None for a row whose label the file has, which is no round.
        """
        naming = files.naming(self.file, row.number - 1)
        with uninterrupted(), naming, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "time: ")  # the one below names the row
            at = self.saved.second(row.values)
            if at is not None and not self.doubted and at < self.saved.since:
                self.doubted = True
                files.warn_of_period(self.file, row.number, self.saved.since)
            if label_of(row.values.get(self.hidden)) is None:
                decision = self.saved.classifier.decide(row.x, at)
                self.ticket = decision.ticket
                self.count(1, decision.ask_probability == 0)
            else:
                decision = None
                self.labelled.add(row.number)
            if self.ticket is None:
                self.row = row.number
            if self.copies:
                self.copies[-1].later.append(row)
                if len(self.copies[-1].later) > MOST:
                    self.copies.clear()
        return decision

    def _ask(self, row: FileRow, proposal: Any) -> None:
        """Show a row, and learn the answer; raise EOFError to quit."""
        echo(f"\nrow {row.number:,}")
        shown = terminal.row_texts(row.values, self.show, self.hidden)
        few = len(shown) if self.show else terminal.SHOWN
        for text in shown[:few]:
            echo(f"  {text}")
        if more := len(shown[few:]):
            echo(f"  and {counted(more, 'more column')}: --show COLUMN shows others")
        found = terminal.read_answer(proposal, self.saved.classifier.classes_.tolist(), self._other)
        with uninterrupted():
            if found is terminal.Command.UNDO:
                self._undo(row)
            else:
                self._learn(row, found, proposal)
            self.unsaved = True
            if time.monotonic() >= self.due:
                self.keep()

    def _learn(self, row: FileRow, found: Any, proposal: Any) -> None:
        """Learn an answer; a row that is skipped is left behind. Keep a copy to undo it."""
        classifier: Any = self.saved.classifier
        label = None if found is terminal.Command.SKIP else canonical(found)
        before, ticket = copy.deepcopy(classifier), classifier.model_.open[self.ticket]
        self.copies.append(Answered(before, row, self.ticket, [], label, self.place))
        if label is not None:
            classifier.tell(self.ticket, terminal.add_class(classifier, found))
            self.place = self.place.audited(classifier.asker, ticket, found != proposal)
        else:
            classifier.expire(self.ticket)
            self.count(-1, False)
        self.row, self.ticket = row.number, None
        if label is not None:
            self.answers[label] += 1
            self.labels.put(row.number, row.others, found, proposal)

    def count(self, rows: int, unaskable: bool) -> None:
        """Count rows that were decided."""
        rows, never = self.place.rows + rows, self.place.unaskable + unaskable
        self.place = self.place._replace(rows=rows, unaskable=never)

    def _undo(self, row: FileRow) -> None:
        """Return to the last answer or skip; all rows since will be decided again."""
        if not self.copies:
            echo("nothing to undo")
            self.ahead.appendleft(row)
            return
        classifier, row, self.ticket, later, label, self.place = self.copies.pop()
        echo(f"row {row.number:,} undone")
        self.ahead.extendleft(reversed([row, *later]))
        self.saved = self.saved._replace(classifier=classifier)
        self.row = row.number - 1
        if label is not None:
            self.answers -= Counter([label])
            self.labels.drop(row.number)

    def _other(self) -> Any:
        """Return a typed label, None if there is none; a new class has to be confirmed."""
        echo()
        clf, prompt = self.saved.classifier, "label (Enter goes back)"
        how = "`selectron run --classes`, as the model is made,"
        return terminal.read_label(prompt, clf.classes_.tolist(), clf.named_, how=how)
