"""`selectron pool`: label a whole table with as few corrections as possible."""

import json
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..data.cells import canonical
from ..engine.parameters import counted
from ..errors import SelectronError
from ..evaluate.plot import plot_pool
from . import ExamplesFirst, Whole, echo, files, reporting_errors, terminal, warn
from .labels import LoadedTable, check_labels, copied_columns, load_table, whole_rows, write_labels
from .models import uninterrupted
from .options import (
    PICTURES,
    check_different,
    check_target,
    file_options,
    given_option,
    path_option,
    show_option,
)

if TYPE_CHECKING:  # slow to import
    from ..pool import PoolRun, SelfDirectedClassifier

EARLY = 20  # answers before the first estimate
PAPERS = 50_000  # rows up to which `Boosted` is among the default orders
LEARNERS = ("confident", "random", "given", "worst", "greedy", "sphere", "boosted")


@click.command(cls=ExamplesFirst)
@click.argument("file")
@click.option(
    "--learner",
    "learners",
    type=click.Choice(LEARNERS),
    multiple=True,
    help="Default: confident, or if all rows have labels, all orders; then it may be repeated.",
)
@click.option(
    "--mode",
    type=click.Choice(["perfect", "strong", "weak"]),
    default="perfect",
    show_default=True,
    help="Label all rows, all but a share delta, or half.",
)
@click.option(
    "--delta",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.01,
    show_default=True,
    help="The share of rows that mode strong may leave unlabelled.",
)
@click.option(
    "--features",
    type=click.Choice(["auto", "standard", "raw"]),
    default="auto",
    show_default=True,
    help="How the columns are transformed first; auto: standard, and kernel maps.",
)
@click.option(
    "--intercept/--no-intercept", default=True, show_default=True, help="Add a constant feature."
)
@click.option("--seed", type=Whole(), default=0, show_default=True)
@file_options
@show_option
@path_option("--answers", help="File of the answers, to resume from. Default: FILE.answers")
@path_option("-o", "--output", help="Write the labels here, by the number of the row: .csv.")
@path_option("--plot", "picture", help="Plot mistakes against rows: .png, .svg, .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def pool(file: str, **options: Any) -> None:
    """Label a whole table in an order that needs few corrections.

    FILE is svmlight, CSV, Parquet or JSON lines. If every row has a label, the person is simulated,
    and the output lists the corrections in each order. If labels are missing (empty, ?, NA, nan,
    null), these rows are proposed one at a time: one key confirms, another corrects; from a pipe,
    each line is one answer. Every answer is saved at once; the same command resumes later.

    \b
        selectron pool digits.csv --plot mistakes.png
        selectron pool mail.csv --ignore subject --show subject --classes ham,spam -o labels.csv
    """
    check_target(options["picture"], PICTURES, "--plot")
    check_target(options["output"], (".csv",), "-o", replaced=True)
    answers = options["answers"] or f"{file}.answers"
    paths = file, options["labels"], answers, options["output"], options["picture"]
    check_different("FILE, --labels, --answers, -o and --plot", *paths)
    with reporting_errors("interrupted"), files.numbering(file):
        check_labels(options["output"])
        table = load_table(file, **options)
        if all(label is not None for label in table.y):
            person = "rows without a label, and here every row has one"
            refuse(file, person, show=options["show"], answers=options["answers"])
            simulate(file, table, **options)
            return
        refuse(file, "a label in every row", plot=options["picture"], json=options["as_json"])
        if file == "-":
            raise SelectronError("answers are read from standard input: give the path of a file")
        if len(options["learners"]) > 1:
            one = "rows without labels are proposed by one learner"
            raise SelectronError(f"{one}: give one --learner")
        check_target(answers, (), "--answers")
        code = PoolSession(file, table, answers, options).ask()
    sys.exit(code)


def refuse(file: str, needed: str, **given: Any) -> None:
    """Refuse options that need other rows."""
    for name, value in given.items():
        if value:
            raise SelectronError(f"{file}: --{name} needs {needed}: leave it out")


def simulate(file: str, table: LoadedTable, **options: Any) -> None:
    """Simulate every order on the labels; print the results, also of the first few if stopped."""
    from tqdm import tqdm

    runs: dict[str, PoolRun] = {}
    X, y, *_ = table
    try:
        for learner in options["learners"] or default_orders(table):
            played = classifier(learner, **options)
            with tqdm(total=len(y), desc=learner, unit=" rows", disable=None, leave=False) as bar:
                runs[learner] = played.run(X, y, lambda count, bar=bar: bar.update(count - bar.n))
    finally:
        if runs:
            report(runs, file, table, **options)


def default_orders(table: LoadedTable) -> list[str]:
    """Return the orders that apply: the paper's learners take two classes and few features."""
    from ..pool.perceptron import WIDEST

    orders = ["confident", "random", "given", "worst"]
    if len(set(table.y)) > 2:
        return orders
    if not isinstance(table.X, np.ndarray) or table.X.shape[1] >= WIDEST:
        return [*orders, "greedy"]
    return [*orders, "greedy", "sphere", *(["boosted"] if len(table.y) <= PAPERS else [])]


def report(runs: dict[str, "PoolRun"], file: str, table: LoadedTable, **options: Any) -> None:
    """Print the mistakes of every order; draw them, and write the labels, if that is wanted."""
    rows = len(table.y)
    if options["as_json"]:
        results = [
            {"order": name, "rows": rows, "labelled": len(run.order), "mistakes": run.mistakes}
            for name, run in runs.items()
        ]
        echo(json.dumps(results, indent=2))
    else:
        header = f"{'order':<12}{'labelled':>12}{'corrected':>12}{'share':>9}"
        echo(f"{counted(rows, 'row')}\n{header}")
        for name, run in runs.items():
            labelled, share = len(run.order), run.mistakes / max(len(run.order), 1)
            echo(f"{name:<12}{labelled:>12,}{run.mistakes:>12,}{share:>9.2%}")
    if options["picture"]:
        plot_pool(runs, Path(file).name, options["picture"])
        echo(f"The plot is in {options['picture']}", err=True)
    if options["output"]:
        others = copied_columns(file, table, options)
        write_labels(next(iter(runs.values())), options["output"], {}, others)


class PoolSession:
    """Label a table in the terminal; save every answer before the next row is shown."""

    def __init__(self, file: str, table: LoadedTable, answers: str, options: dict[str, Any]):
        self.file, self.table, self.answers = file, table, Path(answers)
        self.names, self.output = options["show"], options["output"]
        self.rows = shown_rows(file, self.names, table, options)
        self.others = copied_columns(file, table, options) if self.output else {}
        self.pool = self._pool(options)
        self.known = self._known()
        self.first = len(self.pool.classes_)  # classes that undoing does not take away

    def _pool(self, options: Any) -> "SelfDirectedClassifier":
        from tqdm import tqdm

        from ..pool.classifier import OtherRows, SelfDirectedClassifier

        wanted = classifier((options["learners"] or ("confident",))[0], **options)
        if not self.answers.exists():
            return wanted.start(self.table.X, self.table.y)
        try:
            with tqdm(desc="resuming", unit=" answers", disable=None, leave=False, delay=1) as bar:
                pool = SelfDirectedClassifier.load(
                    self.answers, self.table.X, look=lambda count: bar.update(count - bar.n)
                )
        except OtherRows:
            raise SelectronError(
                f"{self.answers} holds the answers for other rows or columns: give the same "
                f"--ignore and --column, or if {self.file} has changed, another --answers, and "
                "with --labels the labels that -o has written"
            ) from None
        check_resumed(self.answers, pool, wanted)
        echo(f"Resuming from {self.answers}: {progress(pool)}")
        if finished(pool) and (count := pool.reopen()):
            echo(f"Rows that were skipped are proposed again: {count:,}.")
        return pool

    def _known(self) -> dict[int, Any]:
        """Return the labels that came from --labels, by the number of the row."""
        given, classes = self.pool.session_.given.tolist(), self.pool.classes_.tolist()
        found = {row: classes[code] for row, code in enumerate(given, 1) if code >= 0}
        answered = {*(self.pool.labelled().order + 1).tolist()}
        for row, label in self.table.given.items():
            settled = label is None or row in answered
            if not settled and canonical(found.get(row)) != label:
                raise SelectronError(
                    f"{self.answers} was started with other --labels, as of row {row:,}: leave "
                    "--labels out, or start another file with --answers"
                )
        listed, own = self.table.given, self.table.y.tolist()
        return {row: known for row, known in found.items() if row in listed or own[row - 1] is None}

    def ask(self) -> int:
        """Ask until all rows are labelled or the user quits; return the exit code."""
        code = terminal.until_quit(self._ask)
        self._report()
        if code:
            warn("interrupted")
        return code or 0

    def _ask(self) -> None:
        if not self.answers.exists():
            echo("\n".join(self.table.columns), err=True, nl=bool(self.table.columns))
        if not finished(self.pool):
            echo(terminal.KEYS)
            if not len(self.pool.classes_):
                echo(terminal.FIRST)
        while (proposal := self.pool.propose()) is not None:
            self._answer(*proposal)

    def _answer(self, row: int, proposal: Any) -> None:
        """Show a row, and save the answer; raise EOFError to quit."""
        echo(f"\n{self._state()}\n{self._row(row)}")
        classes = self.pool.classes_.tolist()
        found = terminal.read_answer(proposal, classes, lambda: self._other(proposal))
        if found is terminal.Command.UNDO and not self.pool.n_labels_:
            echo("nothing to undo")
            return
        with uninterrupted():
            if found is terminal.Command.UNDO:
                self.pool.undo()
                if self.pool.named_:
                    self._forget()
                echo("undone")
            else:
                skipped = found is terminal.Command.SKIP
                self.pool.tell(row, None if skipped else terminal.add_class(self.pool, found))
            self.pool.save(self.answers)

    def _forget(self) -> None:
        """Forget classes that only the answer just undone had."""
        used = int(self.pool.session_.codes.max(initial=-1)) + 1
        self.pool.classes_ = self.pool.classes_[: max(self.first, used)]
        self.pool.set_params(classes=self.pool.classes_.tolist())

    def _other(self, proposal: Any) -> Any:
        """Return the correct label: the other one of two named classes, or a typed one."""
        classes, named = self.pool.classes_.tolist(), self.pool.classes is not None
        others = [name for name in classes if name != proposal]
        if len(others) == 1 and named:
            echo(others[0])
            return others[0]
        echo()
        prompt = f"label ({', '.join(map(str, classes))})"
        usual = others[0] if len(others) == 1 else ""
        return terminal.read_label(prompt, classes, named, usual)

    def _state(self) -> str:
        count, goal, wrong = self.pool.n_labels_, self.pool.goal_, self.pool.n_mistakes_
        left = self.pool.mistakes_left()
        known = count >= EARLY and left == left
        more = f", at most about {left:,.0f} more to come" if known else ""
        return f"{count + 1:,} of {goal:,} · {wrong:,} corrected{more}"

    def _row(self, row: int) -> str:
        if self.rows is not None:
            (record,) = files.records_of(self.rows[row : row + 1])
            texts = terminal.row_texts(record, self.names)
            text = "  ".join(texts if self.names else texts[: terminal.SHOWN])
        else:
            x = self.table.X[[row]]
            x = (x if isinstance(x, np.ndarray) else x.toarray())[0]
            some = np.sort(np.argsort(-np.abs(x), kind="stable")[: terminal.SHOWN])
            text = "  ".join(f"{j + 1}:{x[j]:g}" for j in some)
        return f"  row {row + 1}: {text}"

    def _report(self) -> None:
        run = self.pool.labelled()
        echo(f"\n{progress(self.pool, f', {run.mistakes:,} corrected')}")
        if len(run.order):
            again = ": the same command resumes from there"
            if finished(self.pool):
                again = ": the same command proposes the skipped rows again" * bool(run.skipped)
            echo(f"The answers are in {self.answers}{again}.")
        if self.output:
            write_labels(run, self.output, self.known, self.others)
            echo(f"The labels are in {self.output}.")


def finished(pool: "SelfDirectedClassifier") -> bool:
    """Return whether nothing will be proposed any more."""
    return pool.n_labels_ >= pool.goal_


def progress(pool: "SelfDirectedClassifier", corrections: str = "") -> str:
    """Return how many rows are labelled, and how many were skipped, as a sentence."""
    skips = pool.n_skipped_
    skipped = f", {skips:,} skipped" if skips else ""
    done = f"{pool.n_labels_ - skips:,} of {pool.goal_:,} rows labelled"
    return f"{done}{corrections}{skipped}."


def classifier(learner: str, **options: Any) -> Any:
    """Return the classifier for a learner by its name."""
    from ..pool.classifier import LEARNERS, InOrder, SelfDirectedClassifier

    kind = LEARNERS.get(learner.title())
    return SelfDirectedClassifier(
        kind() if kind else InOrder(learner),
        classes=options["classes"],
        mode=options["mode"],
        delta=options["delta"],
        features=options["features"],
        fit_intercept=options["intercept"],
        random_state=options["seed"],
    )


def check_resumed(path: Path, pool: "SelfDirectedClassifier", wanted: Any) -> None:
    """Raise SelectronError if options are given that differ from those of the answers.

    More classes may be named than those of the answers; or fewer, where answers have added some.
    """
    from ..data.labels import appended, given_classes

    options = {"learner": "learners", "fit_intercept": "intercept", "random_state": "seed"}
    for name in ("learner", "mode", "delta", "features", "fit_intercept", "random_state"):
        option, old = given_option(options.get(name, name)), getattr(pool, name)
        if option and repr(old) != repr(getattr(wanted, name)):
            how = f"leave out {option} to resume, or start another file with --answers"
            raise SelectronError(f"{path} was started with {name} {old!r}: {how}")
    given = wanted.classes
    if given is None:
        return
    known = [*map(canonical, pool.classes or ())]
    if not ({*known} <= {*given} or {*given} <= {*known}) or pool.classes is None:
        labels = ", ".join(map(str, pool.classes_.tolist())) or "none"
        raise SelectronError(
            f"{path} was started with other --classes, or without, and has the labels {labels}: "
            "leave out --classes to resume, or start another file with --answers"
        )
    fresh = [name for name in given if name not in known]
    pool.classes_ = appended(pool.classes_, given_classes(fresh)) if fresh else pool.classes_
    pool.set_params(classes=pool.classes_.tolist())


def shown_rows(file: str, names: tuple[str, ...], table: LoadedTable, options: Any) -> Any:
    """Return the rows that are shown: with all columns if --show names any; None of svmlight."""
    if not names:
        return table.rows
    if table.rows is None:
        with files.naming(file):
            files.refuse_columns("--show", names)
    rows = whole_rows(file, options)
    known = {*chain.from_iterable(rows)} if isinstance(rows, list) else rows.column_names
    files.check_shown(file, names, known)
    if len(rows) != len(table.y):
        found = f"finds {len(rows)} rows, and the table has {len(table.y)}"
        raise SelectronError(f"{file}: --show {found}")
    return rows
