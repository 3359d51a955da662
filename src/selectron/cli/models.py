"""A model that `selectron run` keeps: `--save` and `--model`."""

import copy
import os
import shlex
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from .. import storage
from ..askers import Always, Budget
from ..askers.budget import began, record_of
from ..data.cells import canonical, check_unique, time_of
from ..engine.parameters import first_few, no_columns, similar
from ..engine.rows import Dense, Sparse
from ..errors import SelectronError
from ..evaluate.contest import Contest, Contestant
from ..model.audit import ROWS, Audit, estimated, moments
from ..specs import budgeted
from ..streams.classes import LabelNumbers
from ..streams.readers import Chunk
from ..streams.readers.columns import Choice
from . import warn
from .files import as_text, regrouped, warn_of_zones
from .options import needs_times

if TYPE_CHECKING:
    from ..estimator.classifier import OnlineClassifier

WAIT, PAUSE = 10.0, 0.05  # seconds: at most for another process, and between two attempts
STRANGE = "there is no column from which the model has learned"


class Place(NamedTuple):
    """Where `label` or `ask` stopped: rows of a file that are behind, and the open question."""

    file: str  # its name
    content: str  # what `content_of` returns
    row: int
    ticket: int | str | None = None  # of the row after these, if its label was asked for
    ended: bool = False  # whether the file was played to its end
    rows: int = 0  # decided, without those skipped
    unaskable: int = 0  # of these, without a chance to be asked for
    sums: tuple[float, ...] = ()  # of `Audit`
    since: int = 0  # rounds of the model before these rows

    def audited(self, asker: Any, ticket: Any, mistake: bool) -> "Place":
        """Return the place with an answer from which accuracy is estimated, if rows are audited."""
        if ticket.asked_in <= self.since or not getattr(asker, "audits", 0) > 0:
            return self
        sums = moments(np.array([ticket.chance]), np.array([mistake]))[:, 0] + (self.sums or 0.0)
        return self._replace(sums=tuple(sums.tolist()))

    def estimate(self) -> dict[str, Any] | None:
        """Return the accuracy of the proposals for these rows; None if it is not known."""
        sums = np.array(self.sums)
        if self.rows < ROWS or not sums.any():
            return None
        found = estimated(sums, Audit().z, self.rows, self.unaskable)
        return {"file": self.file, "rows": self.rows, **found._asdict()}

    def accuracy(self) -> str:
        """Return the interval of the accuracy in words; empty if it is not known."""
        if (found := self.estimate()) is None:
            return ""
        rows = f"{found['rows']:,} rows of {self.file}, estimated from their labels"
        return f"{found['low']:.3f} to {found['high']:.3f} on {rows}"


class Saved(NamedTuple):
    """What a model file holds."""

    classifier: "OnlineClassifier"
    choice: Choice | None = None  # of columns
    place: Place | None = None
    path: str = ""  # where it was read or written last
    stamp: tuple[int, ...] = ()  # what the file was like then
    answers: dict[str, str] | None = None  # the last labels of `learn`, by their tickets
    forms: Any = None  # of numbers in a file, by column: see `regrouped`

    @property
    def encoder(self) -> Any:
        """The encoder of tables; None of a model of svmlight rows."""
        return getattr(self.classifier, "encoder_", None)

    @property
    def columns(self) -> tuple[Any, ...]:
        """The names of all columns that were there."""
        others = self.choice.names() if self.choice else ()
        return (*others, *(self.encoder.columns_ if self.encoder else ()))

    @property
    def time(self) -> str:
        """The name of the column of times, "" if there is none."""
        return str((self.choice and self.choice.time) or "")

    @property
    def since(self) -> float:
        """When the period of the budget began, in seconds since 1970; -inf if there is none."""
        return began(self.classifier.asker, self.classifier.model_.past)

    def audited(self) -> Place | None:
        """Return the place, unless `ask` waits for labels of its rows: some may come sooner."""
        place, model = self.place, self.classifier.model_
        since, own = (place.since, place.ticket) if place else (0, None)
        waiting = (one for name, one in model.open.items() if name != own and not one.delayed)
        return place if all(one.asked_in <= since for one in waiting) else None

    def second(self, row: dict[str, Any]) -> float | None:
        """Return the time of a row in seconds, None if it is not used or the model knows none."""
        used = self.time and needs_times(self.classifier.asker)
        if used and self.time not in row:
            raise SelectronError(f"a row has no {self.time!r}, which the budget needs")
        return time_of(row[self.time], self.time) if used else None

    def spend(self, budget: Any, again: bool = False) -> None:
        """Ask within another budget from now on, if one is given; rows are ranked as before.

        With `again`, the same number of labels may be asked for once more, and a budget begins of
        which nothing could be spent, as no row had a label. Without one, warns if the old one is
        spent. Raises SelectronError if it goes by times that rows do not have.
        """
        if needs_times(budget) and not self.time:
            raise SelectronError(
                "a budget per period needs the times of rows, and the model was saved without a "
                "column of times (--time): give a share of the rows"
            )
        clf = self.classifier
        asker = clf.asker
        unspent = isinstance(asker, Budget) and not record_of(clf.model_.past).asked
        if again and unspent and not clf.model_.labels:
            if asker.timed():  # and the rows, which may be played again, date no period
                clf.model_.past = np.array(asker.past(), float)
            elif budget is None:
                clf.set_asker(asker)
        if budget is None:
            if spent := self.spent():
                warn(spent)
            return
        if isinstance(asker, Budget):
            kept = {"asker": asker.asker, "saved": asker.saved, "audits": asker.audits}
            new = budget._replace(**kept)
        else:
            alone = isinstance(asker, Always) or hasattr(asker, "after")  # it ranks no rows
            new = budgeted(budget, None if alone else asker, clf.model_.learner, True)
        if new != asker or (again and new.horizon):
            clf.set_asker(new)

    def spent(self) -> str:
        """Return that the number of labels of the budget has been asked for; empty if not."""
        asker = self.classifier.asker
        counted = getattr(asker, "horizon", None) is not None
        if not counted or asker.labels - record_of(self.classifier.model_.past).asked >= 1:
            return ""
        return f"the budget of {asker.labels:.0f} labels is spent: --budget gives another one"

    def check(self, rows: Any) -> None:
        """Raise SelectronError unless rows are of the form that the model takes."""
        arrays = ("dense arrays", "svmlight rows")
        given = "tables" if is_table(rows) else arrays[isinstance(rows, Sparse)]
        was = "tables" if self.encoder else arrays[self.classifier.model_.sparse]
        if given != was:
            raise SelectronError(f"the model has learned from {was}, which have other features")

    def flatten(self, chunk: Chunk, file: str) -> Chunk:
        """Return a chunk in which the fields of objects are columns, and numbers as learned.

        Raises SelectronError if rows are of another form than the model takes, or the first rows,
        those of JSON, have none of its columns.
        """
        self.check(chunk.rows)
        if self.encoder is None:
            return chunk
        from ..data.dicts import flattened
        from ..data.tables import arrow

        rows, whole = chunk.rows, self.encoder.whole()
        rows = rows if isinstance(rows, list) else arrow(rows, whole, self.encoder.ignore)
        if not isinstance(rows, pa.Table):  # but dicts, or a table with maps
            rows, known = [flattened(x, whole) for x in rows[:]], self.encoder.columns_.keys()
            if not chunk.first and any(rows) and all(known.isdisjoint(x) for x in rows):
                raise SelectronError(STRANGE)
        else:
            check_unique(rows.column_names)  # also of columns that the model does not use
            rows = regrouped(self.numbered(rows), self.encoder, self.forms, file)
        warn_of_zones(rows, self.encoder, self.forms, file)
        return chunk._replace(rows=rows)

    def numbered(self, table: pa.Table) -> pa.Table:
        """Return a table with the columns that the model knows, if they have numbers for names.

        If a file without a header lacks the labels alone, later columns have moved by one.
        """
        n, label = table.num_columns, str(self.choice and self.choice.label)
        numbers = list(map(str, range(n + 1)))
        known = {*self.encoder.columns_, *self.encoder.ignore}
        if table.column_names != numbers[:n] or known != {*numbers} or label not in numbers[:n]:
            return table
        there = {canonical(x) for x in table.column(label).unique().to_pylist() if x is not None}
        if there <= {*map(canonical, self.classifier.classes_)}:  # another column is missing
            return table
        return table.rename_columns([name for name in numbers if name != label])

    def known_columns(self, chunk: Chunk, file: str) -> tuple[Chunk, list[str]]:
        """Return a chunk without columns of a table that the model has not, and their names."""
        chunk = self.flatten(chunk, file)
        table = chunk.rows
        if not hasattr(table, "column_names"):
            return chunk, []
        names = [name for name in table.column_names if name not in self.encoder.columns_]
        if len(names) == len(table.column_names):  # without columns there would be no rows
            raise SelectronError(STRANGE)
        return chunk._replace(rows=table.drop_columns(names)), names

    def other_columns(self, chunk: Chunk) -> dict[str, Any]:
        """Return the columns that are not features; SelectronError if features are missing."""
        rows, encoder = chunk.rows, self.encoder
        if encoder is None:
            return {}
        listed = isinstance(rows, list)
        # Arrow builds a new list of names at each access
        names = dict.fromkeys(chain.from_iterable(rows) if listed else rows.column_names)
        others = [name for name in names if encoder.kinds_.get(name, "ignored") == "ignored"]
        if listed:
            texts = {name: [as_text(row.get(name)) for row in rows] for name in others}
            return {name: pa.array(column, pa.string()) for name, column in texts.items()}
        first = list(encoder.columns_)[: encoder.n_first_]  # later ones came in rows of JSON
        needed = (name for name in model_columns(encoder) if name in first)
        if missing := [name for name in needed if name not in names]:
            hint = similar(missing[0], names) if len(missing) == 1 else ""
            raise SelectronError(f"there {no_columns(missing, 'the model has learned from')}{hint}")
        return {name: rows.column(name) for name in others}

    def adopt(self, label: str) -> None:
        """Take a column for that of the labels, which the model has not had: it is no feature."""
        if column := self.encoder and self.encoder.columns_.get(label):
            column.choose("ignored")
            column.settled = True

    def contest(self, delay: int | None) -> Contest:
        """Return a contest of the model alone, whose labels are late by `delay` rows."""
        clf = self.classifier
        classes = LabelNumbers(clf.classes_.tolist(), clf.named_, ordered=True)
        contestant = Contestant(clf.model_, delay, weights=weights_by_name(clf.class_weight_))
        return Contest(classes, lambda width, sparse: [contestant], self.encoder)


def model_columns(encoder: Any) -> list[str]:
    """Return the columns that the model has learned from."""
    return [name for name, kind in encoder.kinds_.items() if kind not in (None, "ignored")]


def is_table(rows: Any) -> bool:
    """Return whether rows are those of a table, to be encoded."""
    return not isinstance(rows, Dense | Sparse)


def weights_by_name(weights: dict[Any, float]) -> dict[str, float]:
    """Return the weights of classes by the names that the classes have in files."""
    return {canonical(label): float(weight) for label, weight in weights.items()}


def save(path: str, contest: Contest, choice: Choice, before: Saved | None) -> str:
    """Write the only contestant, the encoder and the choice of columns; return the path: `keep`."""
    from ..estimator.classifier import OnlineClassifier
    from ..estimator.packing import SHARED

    (contestant,) = contest.contestants
    model = contestant.model
    if before:
        clf = copy.copy(before.classifier)
    else:
        shared = {name: getattr(model, name) for name in SHARED}
        clf = OnlineClassifier(fit_intercept=model.constant, **shared)
        clf.model_, clf.named_ = model, contest.classes.named
        clf.classes_, clf.class_weight_ = np.empty(0), dict(contestant.weights or {})
    if len(clf.classes_) < model.classes:
        clf.classes_ = np.array(contest.classes.names[: model.classes])
        clf.class_weight_ = weights_by_name(clf.class_weight_)
    first = before.choice if before and before.choice else choice
    choice = Choice(first.label or choice.label, first.ignore, choice.time)
    kept = before._replace(classifier=clf) if before else Saved(clf)
    if (encoder := contest.encoder) is not None:
        left = filter(None, (*encoder.ignore, choice.label, *choice.ignore, choice.time))
        encoder.ignore = tuple(dict.fromkeys(left))
        clf.encoder_, clf.feature_names_in_ = encoder, encoder.feature_names_in_
    return keep(path, kept._replace(choice=choice)).path


def keep(path: str, saved: Saved) -> Saved:
    """Write what a model file holds, atomically; return it with the path.

    What another process has written to that path in the meantime is kept: the path is another then.
    """
    from ..estimator import packing

    header, arrays = packing.pack(saved.classifier)
    own = {"choice": saved.choice, "place": saved.place, "answers": saved.answers}
    with locked(os.path.dirname(os.path.realpath(path))):
        found, there = stamp(path), os.path.exists(saved.path)
        same = found and there and os.path.samefile(path, saved.path)  # names may differ by case
        if same and found != saved.stamp:
            others = (f"{path}-{number}" for number in count(2))
            path = next(other for other in others if not os.path.lexists(other))
            warn(f"{saved.path} has changed since it was read: this model is in {path}")
        storage.write(path, header | {name: one for name, one in own.items() if one}, arrays)
        return saved._replace(path=path, stamp=stamp(path))


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Wait until no other process compares and replaces models in a folder, or for `WAIT` seconds.

    The folder itself is locked, so that no file is left over. Windows, and some network drives,
    have no such locks; others may hold one for another purpose.
    """
    with ExitStack() as stack:
        with suppress(ImportError, OSError):
            import fcntl

            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            end = time.monotonic() + WAIT
            while time.monotonic() < end:
                with suppress(BlockingIOError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                time.sleep(PAUSE)
        yield


def stamp(path: str) -> tuple[int, ...]:
    """Return what changes whenever a file is replaced; empty if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size


def load(path: str) -> Saved:
    """Return what a model file holds; one of `OnlineClassifier.save` has no choice of columns.

    Raises SelectronError if there is no such file, or it is not a sound model file.
    """
    from ..estimator import packing
    from ..estimator.classifier import OnlineClassifier

    before = stamp(path)  # should it change while it is read
    if not before and not os.path.lexists(path):
        raise SelectronError(
            f"{path}: no such file; `selectron run FILE --save {shlex.quote(path)}` makes a model, "
            "with --label '' --classes NAME,NAME if no row has a label yet"
        )
    header, arrays = storage.read(path)
    clf = packing.unpack(OnlineClassifier, path, header, arrays, ())
    choice = Choice(*header["choice"]) if "choice" in header else None
    place = Place(*header["place"]) if "place" in header else None
    choice = choice and choice._replace(ignore=tuple(choice.ignore))
    return Saved(clf, choice, place, path, before, header.get("answers"), {})


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the block has ended; a second one does not wait."""
    usual, caught = signal.getsignal(signal.SIGINT), list[int]()

    def note(number: int, frame: Any) -> None:
        caught.append(number)
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if caught:
        raise KeyboardInterrupt


def check_classes(file: str, labels: Iterable[Any], known: list[str]) -> None:
    """Warn of first labels that are new to a model; raise SelectronError if it knows none of two.

    These are likely to be other spellings, whereas one may be a new class.
    """
    given = {canonical(label) for label in labels if label is not None}
    new, same = sorted(given - {*known}), "rename those that mean the same"
    if len(new) == len(given) > 1 and len(known) > 1:
        raise SelectronError(
            f"no label of the first rows is a class of the model, {first_few(known)}, but "
            f"{first_few(new)}: {same}, or put rows of a known class first"
        )
    if new:
        what = f"labels that are new to the model, which knows {first_few(known)}"
        warn(f"{file}: {what}: {first_few(new)}; {same}")
