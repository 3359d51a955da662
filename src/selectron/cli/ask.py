"""`selectron ask` and `selectron learn`: the questions of a kept model as a file to fill in."""

import re
import shlex
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ..askers import Always, Budget, Fixed
from ..data.cells import canonical, label_of
from ..engine.parameters import counted, first_few, similar
from ..errors import SelectronError
from ..model.live import Ticket
from ..storage import replace, writing
from ..streams.readers import Chunk
from . import ExamplesFirst, echo, files, reporting_errors, terminal, warn
from .label import ModelSession, session_options
from .labels import write_csv
from .models import Place, Saved, keep, load, uninterrupted
from .options import (
    check_different,
    check_target,
    model_and_file,
    model_arguments,
    path_option,
    text_options,
)

QUESTION, PREDICTION, PROBA = "question", "prediction", "proba"  # columns of our own
LETTERS = "bcdfghjklmnpqrst"  # no word or month has these alone, which spreadsheets might change
KEPT = 10_000  # labels that a model keeps, to notice those that were changed later
SHOWN = 5  # of these in a message
CHECKED = 4  # letters that follow from the row
DIGITS = 20  # of a number of a ticket, fewer
FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # what spreadsheets compute begins so
NUMBER = re.compile(r"[+-]?[0-9][0-9.,']*(?:e[+-]?[0-9]+)?%?|-+", re.IGNORECASE)  # or a blank


@click.command(cls=ExamplesFirst)
@model_arguments("MODEL FILE")
@path_option("-o", "--output", required=True, help="Write the questions here: .csv or .jsonl.")
@session_options
@text_options
def ask(paths: tuple[str, ...], model: str | None, output: str, **options: Any) -> None:
    """Write the rows of FILE whose labels MODEL asks for, for people to fill the labels in.

    Rows that have a label in FILE are not asked about. The labels may come in any order, days
    later, and some may never come: MODEL keeps the rows. The first column has the questions, by
    which `learn` finds them, and the second takes the labels. Once FILE has more rows at its end,
    the same command asks about these, in another file (with another --budget if it is spent).

    \b
        selectron ask mail.model new.csv -o questions.csv
        selectron learn mail.model questions.csv
    """
    model, file = model_and_file(model, paths)
    check_target(model, (), "MODEL")
    check_target(output, (".csv", ".jsonl"), "-o")
    check_different("MODEL, FILE and -o", model, file, output)
    if Path(output).exists():
        raise SelectronError(f"{output} exists, and may hold labels: give another -o, or remove it")
    draft = Path(output).with_stem(f"{Path(output).stem}.draft")
    if draft.exists():
        raise SelectronError(
            f"{draft} is left over from a call that ended early: it holds questions if "
            f"`selectron learn` takes it with {model}; rename or remove it"
        )
    session = ModelSession(model, files.all_columns(file, **options), options["first"], None, ())
    if session.last and session.last.ended:
        raise SelectronError(f"{file} was played to its end: --from 1 begins again")
    session.spend(options["budget"])
    session.announce()
    stopped = f"interrupted: nothing was asked, and {model} is as it was"
    with reporting_errors(stopped), closing(files.with_progress(session.source)) as chunks:
        questions = _questions(session, chunks)
    names = [QUESTION, answers_column(session.saved), PREDICTION, PROBA]
    others = dict.fromkeys(name for _, row in questions for name in row if name != names[1])
    lines = [[*own, *map(row.get, others)] for own, row in questions]
    headings = [f"{name} in the file" if name in names else name for name in others]
    with uninterrupted():
        model_ = session.saved.classifier.model_
        if not model_.labels:  # nothing was predicted
            session.place = Place(*session.identity, session.row, since=model_.rounds)
        save_both(session, output, draft, [*names, *headings], lines)
    rows = counted(session.row - session.start, "row")
    written = f"{output} was not written" if not lines else f"they are in {output}"
    echo(f"{rows}, {counted(len(lines), 'question')}: {written}.")
    session.report_rest()
    if lines:
        echo(f"Fill in the column {names[1]}; selectron learn {session.saved.path} {output}")
    if session.saved.path != model:
        raise SystemExit(1)


def _questions(
    session: ModelSession, chunks: Iterable[Chunk]
) -> list[tuple[list[Any], dict[str, Any]]]:
    """Play the rows of a session; return a line for each question, and the columns of its row."""
    found = []
    if session.ticket is not None:  # of `label`, which has left it open: it is decided again
        session.saved.classifier.expire(session.ticket)
        session.ticket = None
        session.count(-1, False)
    for row in session.rows(chunks):
        if out := session.saved.spent():
            session.out = out
            break
        if len(session.saved.classifier.model_.open) >= (most := session.saved.classifier.max_open):
            session.out = f"{most:,} questions are open, the most that are kept: learn their labels"
            break
        if (decision := session.decide(row)) and decision.ask:
            model = session.saved.classifier.model_
            own: list[Any] = [question_of(decision.ticket, model.open), None, None, None]
            if model.labels:
                own[2:] = decision.label, round(max(decision.proba, default=1.0), 3)
            else:  # without a label learned, there is no prediction
                ticket = model.open[decision.ticket]
                model.open[decision.ticket] = ticket._replace(proposed=-1)
            found.append((own, row.values))
            session.row, session.ticket = row.number, None
    return found


def save_both(
    session: ModelSession, output: str, draft: Path, names: list[str], lines: list[list[Any]]
) -> None:
    """Save a model, and its questions in a new file if there are any.

    The questions are drafted first: if that fails, as on a full disk, or if the model cannot be
    saved, the draft is removed, and the model is as it was, with its budget. After a crash before
    the model is saved, the draft has questions that no model knows; after it, the draft has all
    questions, as it has if it cannot be renamed. `ask` names a draft that it finds.
    """
    if lines:
        write_questions(str(draft), names, lines)
    try:
        session.keep(ended=not session.out)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if lines:
        with writing(f"{output} (its questions are in {draft})"):
            draft.replace(output)


def write_questions(path: str, names: list[str], lines: list[list[Any]]) -> None:
    """Write lines of questions as a table, or as JSON lines."""
    if not path.lower().endswith(".jsonl"):
        cells = ([as_cell(files.as_text(value)) for value in line] for line in lines)
        write_csv(path, list(map(as_cell, names)), cells)
        return
    rows = (files.as_json(dict(zip(names, line, strict=True))) + "\n" for line in lines)
    replace(path, "".join(rows).encode())


def as_cell(text: Any) -> Any:
    """Return text for a spreadsheet: with an apostrophe before what would be a formula.

    >>> as_cell("=1+1"), as_cell("-0,5"), as_cell("a=b")
    ("'=1+1", '-0,5', 'a=b')
    """
    plain = not text or not text.startswith(FORMULA) or NUMBER.fullmatch(text)
    return text if plain else f"'{text}"


def answers_column(saved: Saved) -> str:
    """Return the name of the column of answers: that of the labels that the model has learned."""
    label = saved.choice.label if saved.choice else None
    return label if isinstance(label, str) and label else "label"


def question_of(number: int, tickets: dict[int, Ticket]) -> str:
    """Return an open ticket as text: its number, and letters that follow from its row.

    So a question of another model is noticed.
    """
    values = tickets[number].block.values
    found = zlib.crc32(values[values != 0].tobytes())
    return f"{number}-{''.join(LETTERS[found >> 4 * j & 15] for j in range(CHECKED))}"


def first_number(question: str) -> int:
    """Return the number of the ticket of a question, 0 if the text is no question.

    >>> first_number("301-ftcj"), first_number("")
    (301, 0)
    """
    first = question.partition("-")[0]
    return int(first) if first.isdecimal() and len(first) < DIGITS else 0


@click.command(cls=ExamplesFirst)
@model_arguments("MODEL QUESTIONS")
@click.option("--new-classes", is_flag=True, help="Learn labels of classes that are new to MODEL.")
@text_options
def learn(paths: tuple[str, ...], model: str | None, new_classes: bool, **options: Any) -> None:
    """Learn the labels that were filled in in a file of `selectron ask`, and save MODEL.

    Rows may be in any order, and may be left out: labels are learned in the order of the questions.
    Those without a label stay open: learn the file again once more labels are there.

    \b
        selectron learn mail.model questions.csv
    """
    model, file = model_and_file(model, paths)
    check_target(model, (), "MODEL")
    check_different("MODEL and QUESTIONS", model, file)
    saved = load(model)
    answers = Answers(saved, new_classes)
    source = files.all_columns(file, **options)
    stopped = f"interrupted: nothing was learned, and {model} is as it was"
    with (
        reporting_errors(stopped),
        closing(files.with_progress(source)) as chunks,
        files.naming(file),
    ):
        for chunk in chunks:
            answers.read(chunk)
        answers.learn()
    if not answers.found:
        what = f"no row has a label in the column {answers.column!r}: write the labels there"
        raise SelectronError(f"{file}: {what}")
    with uninterrupted():  # up to the report of what is saved
        if answers.learned:
            known = dict([*answers.before.items(), *answers.new.items()][-KEPT:])
            saved = keep(model, saved._replace(answers=known, place=answers.place))
        answers.report(file, saved)
    if saved.path != model:
        raise SystemExit(1)


class Answers:
    """Labels of a file of questions, which a classifier learns."""

    def __init__(self, saved: Saved, new_classes: bool) -> None:
        self.classifier: Any = saved.classifier
        self.column, self.new_classes = answers_column(saved), new_classes
        self.learned, self.right, self.predicted = Counter[str](), 0, 0
        self.place, self.chances = saved.place, set[float]()  # with which labels were asked for
        self.found: list[tuple[int, int, str, str]] = []  # ticket, row, question and label
        self.before, self.new = saved.answers or {}, dict[str, str]()
        self.again, self.closed, self.changed = 0, 0, list[str]()
        self.blank = set[int]()  # open tickets of rows without a label
        self.path = shlex.quote(saved.path)

    def report(self, file: str, saved: Saved) -> None:
        """Print what was learned, what was not, and which questions are open."""
        total = self.learned.total()
        some = f" of {self.predicted:,}" if self.predicted < total else ""
        alike = isinstance(self.classifier.asker, Always | Fixed | Budget) and len(self.chances) < 2
        some += "" if alike else ", of rows that are mostly uncertain ones"
        right = f" Predicted right: {self.right:,}{some}." if self.predicted or not total else ""
        echo(f"Labels learned: {total:,}.{right}")
        if self.learned:
            echo(terminal.class_counts(self.learned, self.classifier.classes_))
            if (place := saved.audited()) and (accuracy := place.accuracy()):
                echo(f"Accuracy: {accuracy}.")
        if self.again:
            echo(f"Learned before: {self.again:,}.")
        if self.closed:
            echo(f"Not open, as they expired, or were learned long ago: {self.closed:,}.")
        if number := len(self.changed):
            have, were = ("have", "were") if number > 1 else ("has", "was")
            more = f"; {number - SHOWN:,} more" if number > SHOWN else ""
            named = f"{'; '.join(self.changed[:SHOWN])}{more}"
            warn(f"{number:,} {have} another label now ({named}), and {were} not changed")
        opened = {*self.classifier.open_tickets_}
        here = len(opened & self.blank)
        if rest := len(opened) - here:
            found = f"{here:,} in {file}, {rest:,} that it does not have"
            echo(f"Questions without a label: {found}.")
        elif here:
            echo(f"Questions without a label: {here:,} in {file}.")

    def read(self, chunk: Chunk) -> None:
        """Read the labels of some rows; raise SelectronError if a question is unknown."""
        for at, row in enumerate(files.records_of(chunk.rows), chunk.first + 1):
            column = self.column if self.column in row else as_cell(self.column)
            for name in (QUESTION, column):
                if name not in row:
                    raise SelectronError(
                        f"there is no column {name!r}, as `selectron ask` writes it: rename it "
                        f"back, or to learn labels of a table: selectron run FILE --model "
                        f"{self.path} --save {self.path}"
                    )
            question = str(row[QUESTION] or "").strip()
            if (text := label_of(row[column])) is None:
                self.blank.add(first_number(question))
            else:
                self.found.append((self._number(question, at), at, question, canonical(text)))

    def learn(self) -> None:
        """Learn the labels in the order of their questions, as a file may be sorted by the labels.

        Raises SelectronError if a label is unknown, or a question has two.
        """
        rows: dict[int, tuple[int, Any]] = {}  # and labels, by the tickets that they answer
        for number, at, question, text in sorted(self.found):
            label = self._class(text, at)
            ticket = self.classifier.model_.open.get(number)
            row_before, before = rows.setdefault(number, (at, label))
            if before != label:
                raise SelectronError(
                    f"row {at}: the question has the label {label!r}, and {before!r} in row "
                    f"{row_before}: leave one of them"
                )
            if ticket is None:
                self._compare(question, number, canonical(label))
                continue
            known = self.classifier.classes_.tolist()
            self.predicted += ticket.proposed >= 0
            right = label in known and known.index(label) == ticket.proposed
            self.right += right
            self.chances.add(ticket.chance)
            if self.place and ticket.proposed >= 0:
                self.place = self.place.audited(self.classifier.asker, ticket, not right)
            self.classifier.tell(number, terminal.add_class(self.classifier, label))
            self.learned[canonical(label)] += 1
            self.new[str(number)] = canonical(label)

    def _compare(self, question: str, number: int, label: str) -> None:
        """Compare a label with the one that was learned for its question, if that is known."""
        before = self.before.get(str(number), self.new.get(str(number)))
        if before is None:
            self.closed += 1
        elif before == label:
            self.again += 1
        else:
            self.changed.append(f"question {question}: {label}, was {before}")

    def _number(self, text: str, at: int) -> int:
        """Return the number of a ticket; SelectronError if the model has not given it out."""
        model, number = self.classifier.model_, first_number(text)
        same = number not in model.open or question_of(number, model.open) == text
        if not (0 < number <= model.tickets and same):
            raise SelectronError(
                f"row {at}: {text!r} is no open or answered question of this model: give the model "
                f"that has asked, and leave the column {QUESTION!r} as it was"
            )
        return number

    def _class(self, text: str, at: int) -> Any:
        """Return the class of this name; SelectronError if it is new, and none may be."""
        classes = self.classifier.classes_.tolist()
        known, texts = {canonical(x): x for x in classes}, all(isinstance(x, str) for x in classes)
        if text not in known:  # it may be a copied prediction
            text = {as_cell(name): name for name in known}.get(text, text)
        if text in known or (texts and (self.new_classes or len(known) < 2)):
            return known.get(text, text)
        how = "; --new-classes learns others" * texts
        labels = {label for *_, label in self.found}
        if len(known) == 2 >= len(labels) and labels.isdisjoint(known):
            how = "; the labels look like other spellings of these: rewrite them"
        raise SelectronError(
            f"row {at}: there is no class {text!r}: the classes are {first_few([*known])}{how}"
            f"{similar(text, known)}"
        )
