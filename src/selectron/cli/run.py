"""`selectron run`, which plays a stream and reports how the learners did; `selectron demo`."""

import math
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import click

from ..engine.parameters import counted
from ..errors import SelectronError
from ..evaluate.contest import Contest, Played
from ..learners.leading_history import WIDE
from ..specs import ASKER, BUDGET, KERNEL, LEARNER
from ..storage import writing
from ..streams.classes import MOST_LABELS, settle
from ..streams.readers import Chunk
from . import ExamplesFirst, Whole, echo, files, warn
from .decisions import DecisionFile, decision_table
from .files import naming
from .labels import UnmatchedLabels, read_labels, relabelled, warn_of_labels
from .models import check_classes, is_table, load, save, uninterrupted
from .options import (
    PICTURES,
    check_fixed,
    check_target,
    check_usage,
    class_weight_option,
    contestants,
    file_options,
    needs_times,
    path_option,
)
from .report import (
    check_dense,
    describe,
    draw,
    report,
    theorems,
    warn_of_spellings,
    warn_of_weights,
)

PICTURE, DEMO_PICTURE = "selectron-run.png", "selectron-demo.png"
ABOUT = """\
Handwritten digits arrive one by one. Every 500 rows another half of them becomes the positive
class. Each learner may ask for the labels of a tenth of the rows."""
NEXT = """\

LASEC forgets at a fixed rate. The default, LeadingHistory, finds out when concepts end, and is
right more often; it takes some 20 seconds to compile, once:

    selectron run                                       the same stream, with the default
    selectron run your.csv --budget 10% --save my.model
    selectron serve --demo                              a page that asks you (selectron[serve])"""


@click.command(cls=ExamplesFirst, epilog=f"Learners: {LEARNER.forms()}. Askers: {ASKER.forms()}.")
@click.argument("file", required=False)
@click.option(
    "--learner",
    "learners",
    type=LEARNER,
    multiple=True,
    help="May be repeated. Default: leading-history, which needs no tuning; with --kernel or "
    "--sketch lasec; without FILE five of them.",
)
@click.option(
    "--ask",
    "askers",
    type=ASKER,
    multiple=True,
    help="Which rows to ask for. May be repeated. Default: by uncertainty with "
    "leading-history, and margin:b=0.1 with others.",
)
@click.option(
    "--budget",
    type=BUDGET,
    help="How many labels: 10% of the rows, 500/10000 for 500 labels in 10000 rows, or 200/1d for "
    "200 a day (w, d, h, min, s), with --time; days begin at midnight UTC, weeks on Thursdays. A "
    "share holds in the long run, but may be twice as large over the first 1,000 rows, and several "
    "times over the first 100; a number is never exceeded. Default: 10%, but none if --ask or a "
    "--learner other than leading-history is given.",
)
@click.option(
    "--time",
    help="Column with the time of each row, by name or position, for a budget per period; it is no "
    "feature. Seconds since 1970, or dates as 2026-11-22T08:30:00Z. Rows should be in this order, "
    "as a budget uses the latest time so far.",
)
@click.option(
    "--delay",
    type=Whole(),
    help="Number of rows by which labels are late: each is learned that many rows after its "
    "question, and -o leaves the column `updated` empty. Labels that have not come by the end are "
    "open tickets of a saved model, and arrive in a run with --model and --delay. Default: labels "
    "come at once.",
)
@click.option("--seed", type=Whole(), default=0, show_default=True, help="Seed of the draws.")
@path_option(
    "-o",
    "--output",
    help="Write every decision here, and the probability of each class: .csv, .jsonl or .parquet.",
)
@path_option("--plot", "picture", help="Draw a picture here: .png, .svg or .pdf.")
@path_option("--save", help="Save the model in this file, to continue later.")
@click.option(
    "--model",
    type=click.Path(exists=True, dir_okay=False),
    help="Continue with the model in this file: its learner, asker, columns; --budget sets another "
    "budget.",
)
@click.option(
    "--bounds",
    is_flag=True,
    help="Compare the bounds of the papers' theorems with the outcome. Keeps all rows, and is "
    "slow; two classes and dense rows only.",
)
@click.option(
    "--metrics",
    is_flag=True,
    help="Print balanced accuracy, kappa, log loss, recall, precision and F1 of every class, "
    "and the confusion table: true, and as estimated from the labels asked for.",
)
@click.option(
    "--calibration",
    is_flag=True,
    help="With --plot: draw how often predictions of each probability are right.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@file_options
@class_weight_option
@click.option(
    "--kernel", type=KERNEL, help=f"Keep examples instead of weights: {', '.join(KERNEL.kinds)}."
)
@click.option(
    "--max-support",
    type=Whole(1),
    help="How many examples are kept at most; the oldest is evicted. First order, with --kernel.",
)
@click.option(
    "--sketch",
    type=Whole(1),
    help="In how many directions a learner of second order keeps its matrix. Default: in all.",
)
@click.option(
    "--many",
    type=click.Choice(["joint", "exact", "rest"]),
    default="joint",
    show_default=True,
    help="How more than two classes are learned.",
)
@click.option(
    "--intercept/--no-intercept", default=True, show_default=True, help="Add a constant feature 1."
)
@click.option(
    "--normalize/--no-normalize",
    default=None,
    help="Scale rows to unit length. Default: as each learner's paper does.",
)
@click.option(
    "--from",
    "first",
    type=Whole(1),
    help="Begin at this row of FILE, such as after an interrupted run.",
)
def run(**options: Any) -> None:
    """Play a stream of rows: predict each, ask for some of the labels, learn from those.

    FILE is svmlight, CSV, Parquet or JSON lines, or - for standard input; text may be compressed
    (.gz, .bz2, .xz, .zst). Columns may hold numbers, categories, dates, text or vectors, with
    blanks. Without FILE, the handwritten digits are played, with a concept that changes every 500
    rows, and a picture is drawn.

    Labels may be any values, and new ones may appear. A row whose label is empty or ?, NA, nan or
    null has none; it is predicted, and never asked for.

    \b
        selectron run
        selectron run data.csv.gz --budget 10%
        selectron run mail.jsonl --budget 200/1d --time received
        selectron run data.csv.gz --learner lasec:b=1,c=1000 --ask margin:b=0.1
        selectron run mail.svm --learner perceptron --learner arow -o decisions.csv
        selectron run cards.csv --class-weight fraud=10 --metrics
        selectron run today.csv --column zip=category --ignore id --save mail.model
        selectron run tomorrow.csv --model mail.model --save mail.model
    """
    if options["file"] is None:
        options["picture"] = options["picture"] or PICTURE
    check_usage(options)
    session = StreamSession(options)
    fault: BaseException | None = None
    try:
        session.play()
    except (SelectronError, OSError, click.UsageError, KeyboardInterrupt) as error:
        fault = error
    interrupted = isinstance(fault, KeyboardInterrupt)
    rest = ""
    if session.rows:  # the results, also of a stream cut short
        try:
            rest = "" if isinstance(fault, UnmatchedLabels) else session.save()
        except (SelectronError, OSError) as error:  # the results are shown all the same
            fault = fault or error
        contest, bounds = session.contest, None
        if options["bounds"] and not interrupted:
            bounds = theorems(session.kept, contest.contestants, session.file is None)
        with writing("standard output"):
            report(contest, bounds, options)
        draw(contest, options)
        if interrupted or not fault:
            warn_of_weights(contest, options)
            known = session.before and len(session.before.classifier.classes_)
            warn_of_spellings(contest.classes, known or 0, options["file"])
            describe(contest, session.source, known, options["labels"])
            if contest.encoder is not None:
                session.warn_of_odd()
    if interrupted or (fault and rest):
        how = "interrupted" if interrupted else "stopped"
        warn(f"{how} after {counted(session.rows, 'row')}{rest}")
    if fault:
        raise fault
    if session.moved:
        sys.exit(1)


class StreamSession:
    """A stream that is played: its source and its contest."""

    def __init__(self, options: dict[str, Any]):
        self.file, self.options = options["file"], options
        self.before = load(options["model"]) if options["model"] else None
        self.labelless = False  # whether that has learned without a column of labels
        if self.before:
            if choice := self.before.choice:
                self.labelless = choice.label == ""
                check_fixed("ignore", "time", *(() if self.labelless else ("label",)))
            self.before.spend(options["budget"], again=True)
        self.behind = (options["first"] or 1) - 1
        self.kept: list[Played] = []  # all that was played, for --bounds
        self.contest: Any = None
        self.source: Any = None
        self.decisions: Any = None  # the file of -o
        self.moved = False  # whether the model is in another file than --save names

    @property
    def rows(self) -> int:
        """Number of rows played."""
        return self.contest.rows if self.contest else 0

    def play(self) -> None:
        """Play chunk by chunk; Ctrl-C waits for the end of a chunk."""
        with ExitStack() as stack:
            for chunk in self._begin(self._chunks(stack)):
                with uninterrupted(), naming(self.file, chunk.first):
                    self._play(self._checked(chunk), stack)

    def _chunks(self, stack: ExitStack) -> Iterator[Chunk]:
        """Return the chunks of the file, or of the digits without one."""
        if self.file is None:
            return files.digit_chunks(self.options["seed"])
        choice, known = (self.before.choice, self.before.columns) if self.before else (None, ())
        if choice and self.labelless:
            label = self.options["label"] or ""
            ignore = tuple(name for name in choice.ignore if name != label)
            choice = choice._replace(label=label, ignore=ignore)
        self.source = files.source_of(choice=choice, known=known, **self.options)
        if not (self.before or self.options["classes"]):
            self.source.most_classes = MOST_LABELS
        source = stack.enter_context(closing(files.with_progress(self.source)))
        chunks = relabelled(source, self.source, read_labels(self.options["labels"]))
        chunks = files.skip_rows(chunks, self.behind, self.file)
        asker = self.before.classifier.asker if self.before else None
        if needs_times(self.options["budget"], asker, *self.options["askers"]):
            since = self.before.since if self.before else -math.inf
            column = self.source.choice.time
            chunks = files.warn_if_unordered(chunks, self.file, column, since)
        return chunks

    def _begin(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Open the contest; return the chunks, of which some have been read."""
        if self.before:
            self.contest = self.before.contest(self.options["delay"])
            return chunks
        given, label = self.options["classes"], self.options["label"]
        with naming(self.file):
            classes, chunks = settle(chunks, given, label)
            first = next(chunks)
            encoder: Any = None
            if is_table(first.rows):
                if self.source.choice.label == "" and not self.options["labels"]:
                    warn_of_labels(self.file, first.rows, classes.names)
                from ..data.encoder import TableEncoder  # slow to import
                from ..estimator.rows import sparse_if_wide

                encoder = TableEncoder(self.options["columns"] or None)
                if not any(self.options[name] for name in ("learners", "kernel", "sketch")):
                    encoder = sparse_if_wide(encoder, first.rows, WIDE)
            else:
                files.refuse_columns("--column", self.options["columns"])
        self.contest = Contest(classes, partial(contestants, options=self.options), encoder)
        return chain([first], chunks)

    def _checked(self, chunk: Chunk) -> Chunk:
        """Return a chunk without columns that the model of --model has not."""
        if self.before is None:
            return chunk
        if self.source.guessed:
            raise SelectronError("the model does not know the column of labels: give --label")
        self.before.check(chunk.rows)
        if self.labelless and not self.rows:
            self.before.adopt(self.source.choice.label)
            if self.options["label"] is None and self.before.encoder:
                classes = self.contest.classes.names
                warn_of_labels(self.file, chunk.rows, classes, self.before.encoder)
        chunk, names = self.before.known_columns(chunk, self.file)
        if names and not self.rows:
            what = "columns that the model does not know are left out"
            warn(f"{self.file}: {what}: {', '.join(names)}")
        if not self.rows and not self.contest.classes.named:
            check_classes(self.file, chunk.labels, self.contest.classes.names)
        return chunk

    def _play(self, chunk: Chunk, stack: ExitStack) -> None:
        """Play a chunk, and write its decisions to a file, which `stack` closes."""
        given = self.options
        scored = given["metrics"] or given["as_json"] or given["calibration"]
        # the probabilities of a model that is saved learn from full records
        full = bool(given["output"] or given["bounds"] or given["save"])
        check = check_dense if given["bounds"] else None
        with closing(self.contest.play(chunk, full, check, scored)) as parts:
            for part in parts:
                if given["bounds"]:
                    self.kept.append(part)
                if given["output"]:
                    self._write(part, stack)

    def _write(self, part: Played, stack: ExitStack) -> None:
        """Write decisions to a file, which is new from the first ones on: it may exist."""
        path, names = Path(self.options["output"]), self.contest.classes.names
        self.decisions = self.decisions or DecisionFile(path, stack)
        chunk, numbers, outcomes = part
        for contestant, outcome in zip(self.contest.contestants, outcomes, strict=True):
            table = decision_table(names, chunk.first, contestant, outcome, numbers)
            self.decisions.add(table)

    def warn_of_odd(self) -> None:
        """Warn of what is odd in this file, and of columns that may be of another kind."""
        files.warn_of_numbers(self.contest.encoder, self.file)
        if self.before and self.before.encoder:
            from ..estimator.rows import learned_since

            found = learned_since(self.before.encoder, self.contest.encoder)
            files.warn_of_odd(self.before.encoder, found, self.file, self.rows)

    def save(self) -> str:
        """Keep the model if that is wanted; return how to go on after the rows played."""
        path = self.options["save"]
        if not path:
            return ""
        path = save(path, self.contest, self.source.choice, self.before)
        self.moved = path != self.options["save"]
        echo(f"The model is in {path}", err=True)
        kept, row = shlex.quote(path), self.behind + self.rows + 1
        output = Path(self.options["output"] or "")  # another one: decisions are not appended
        later = shlex.quote(str(output.with_stem(f"{output.stem}-{row}"))) if output.name else ""
        more = f" -o {later}" * bool(later)
        return f"; --model {kept} --save {kept} --from {row}{more} continues"


@click.command(cls=ExamplesFirst)
@path_option(
    "--plot", "path", default=DEMO_PICTURE, show_default=True, help="Draw the picture here."
)
def demo(path: str) -> None:
    """Play a stream whose concept changes, print a table, and draw a picture.

    On a terminal, the picture is opened.

    \b
        selectron demo
    """
    check_target(path, PICTURES, "--plot")
    echo(ABOUT + "\n")
    options = "--learner=lasec:c=100", "--learner=perceptron", "--budget=10%", f"--plot={path}"
    run.main(options, "selectron run", standalone_mode=False)
    echo(NEXT)
    if sys.stdout.isatty():
        click.launch(path)
