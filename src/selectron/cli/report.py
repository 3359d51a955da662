"""What `selectron run` reports: results, columns, the picture, and bounds of theorems."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..data.cells import canonical
from ..data.labels import OF_TWO, SORTED
from ..engine.parameters import counted, first_few
from ..engine.rows import Dense, widened
from ..evaluate import tables
from ..evaluate.contest import Contest, Contestant, Played, drift_text, results_table
from ..evaluate.plot import plot
from ..model.run import Run
from ..storage import writing
from ..streams.classes import LabelNumbers
from ..streams.readers import Chunk
from . import echo, files, warn

SHOWN = 3  # groups of labels that are spelt alike
EVERY = 500  # rows between two switches of the digits' concept


def warn_of_weights(contest: Contest, options: dict[str, Any]) -> None:
    """Warn of weights of classes that no row has had."""
    given = options["class_weight"]
    for name in given if isinstance(given, dict) else ():
        if canonical(name) not in contest.classes.names:
            warn(f"--class-weight names {name!r}, which is no label in {options['file']}")


def warn_of_spellings(classes: LabelNumbers, known: int, file: str) -> None:
    """Warn of new labels that differ from others in capitals or spaces alone."""
    spellings: dict[str, list[str]] = {}
    for name in classes.names:
        spellings.setdefault(" ".join(name.lower().split()), []).append(name)
    new = [] if classes.named else classes.names[known:]
    several = [alike for alike in spellings.values() if len(alike) > 1 and alike[-1] in new]
    if several:
        alike = " and ".join(first_few(names) for names in several[:SHOWN])
        warn(f"{file}: the labels {alike} differ in capitals or spaces alone: are they one class?")


def describe(contest: Any, source: Any, known: int | None, labels: str | None) -> None:
    """Print what the columns of a table were taken for, and classes beyond those `known` before."""
    if contest.encoder is None:
        return
    lines = files.column_lines(contest.encoder)
    column, last = source.choice.label or labels, ", as the last column" if source.guessed else ""
    label = f"{column}: the label{last}, {len(contest.classes.names)} classes"
    if without := contest.rows - int(contest.contestants[0].true.confusion.sum()):
        label += f", {counted(without, 'row')} without a label"
    if known is not None and (new := contest.classes.names[known:]):
        label += f"; new: {', '.join(new)}"
    for line in (*lines, label) if column else lines:
        echo(line, err=True)


def report(contest: Contest, bounds: list[list[dict]] | None, options: dict[str, Any]) -> None:
    """Print the results, and metrics and the theorems' bounds if they are wanted."""
    contestants, names = contest.contestants, contest.classes.names
    results = [contestant.result() for contestant in contestants]
    if options["as_json"]:
        for result, contestant in zip(results, contestants, strict=True):
            both = contestant.metrics(names)._asdict()
            result["metrics"] = {part: one and one._asdict() for part, one in both.items()}
        for result, promised in zip(results, bounds or [], strict=bounds is not None):
            result["bounds"] = promised
        echo(json.dumps(files.json_value(results), indent=2))
        return
    recalls = tables.recalls([contestant.true for contestant in contestants], names)
    paragraphs = [
        results_table(results, recalls),
        "" if options["metrics"] else tables.left_out(contestants[0].true),
        tables.majority(contestants[0].true, names),
        f"{SORTED}." * contest.order.sorted,
        "\n".join(filter(None, map(unaskable_rows, contestants))),
        drift_text(results),
        "\n".join(filter(None, map(late_labels, contestants))),
        few_labels(contestants, options),
    ]
    if options["metrics"]:
        paragraphs += [tables.described(one.metrics(names), one.title) for one in contestants]
    if bounds is not None:
        paragraphs.append(bounds_text(contestants, bounds))
    echo("\n\n".join(filter(None, paragraphs)))


def unaskable_rows(contestant: Contestant) -> str:
    """Return which rows had no chance to be asked for; empty if all had one."""
    if not contestant.unaskable:
        return ""
    rows = counted(contestant.unaskable, "row")
    return (
        f"{contestant.title}: no label could be asked for in {rows}, first in row "
        f"{contestant.unasked:,}: intervals allow for any class there, and all other estimates are "
        "for the remaining rows."
    )


def late_labels(contestant: Contestant) -> str:
    """Return how many labels have not come by the end of the stream; empty if all have."""
    late = sum(ticket.delayed is not None for ticket in contestant.model.open.values())
    were = "was" if late == 1 else "were"
    what = f"{counted(late, 'label')} had not come by the end, and {were} not learned"
    return f"{contestant.title}: {what} (a saved model learns them with --delay)" * bool(late)


def few_labels(contestants: Sequence[Contestant], options: dict[str, Any]) -> str:
    """Return how many rows have a label, and how many were learned; empty unless most have none.

    Then the labels may be all that there are, of which a budget leaves some out.
    """
    contestant, *others = contestants
    labelled, asked = map(int, contestant.curve.sums[1:3].sum(axis=1))
    if not 0 < labelled < contestant.rows / 2:
        return ""
    have, these = ("has", "it") if labelled == 1 else ("have", "these")
    found = f"{counted(labelled, 'row')} {have} a label: accuracy is for {these}."
    if asked == labelled or others or contestant.delay:
        return found
    more = "--budget 100%" if options["model"] else "--ask always, without --budget,"
    return f"{found} {counted(asked, 'label')} learned: {more} learns all of them."


def draw(contest: Contest, options: dict[str, Any]) -> None:
    """Draw the picture if a path is given."""
    file, path = options["file"], options["picture"]
    if path:
        title = Path(file).name if file else "Handwritten digits, another concept every 500 rows"
        with writing(path):
            plot(contest.contestants, title, path, options["calibration"])
        echo(f"The picture is in {path}", err=True)


def check_dense(chunk: Chunk, numbers: np.ndarray) -> None:
    """Raise UsageError unless the rows of a chunk are dense and of two classes."""
    if not isinstance(chunk.rows, Dense) or numbers.max(initial=0) > 2:
        raise click.UsageError("--bounds is for dense rows of two classes.")


def theorems(played: list[Played], contestants: list[Contestant], demo: bool) -> list[list[dict]]:
    """Return the bounds of each contestant, as rows of the JSON output.

    `played` is the whole stream, as `Contest.play` yields it. The comparators are found in
    hindsight: one for each concept of the digits, whose switches are known, and one for a file.
    """
    from ..bounds.hindsight import report, seen

    chunks, numbers, outcomes = zip(*played, strict=True)
    width = chunks[-1].width  # of an encoder's rows, it grows
    X = np.vstack([widened(chunk.rows, width).values for chunk in chunks])
    y = OF_TWO[np.concatenate(numbers)]
    labels: dict[str, Any] = {"label": y, "code": y, "classes": np.array([-1, 1])}
    switches = range(EVERY, len(X), EVERY) if demo else ()
    found = []
    for contestant, parts in zip(contestants, zip(*outcomes, strict=True), strict=True):
        model = contestant.model
        arrays = zip(*(outcome.arrays()[:3] for outcome in parts), strict=True)
        margin, probability, flags = map(np.concatenate, arrays)
        run: Any = Run(margin=margin, ask_probability=probability, flags=flags, **labels)
        rows = seen(X, model.constant, model.normalize)
        claims = [] if model.dual else report(run, rows, model.learner, model.asker, switches)
        found.append([claim._asdict() for claim in claims])
    return found


def bounds_text(contestants: Sequence[Contestant], theorems: list[list[dict]]) -> str:
    """Return a table of outcomes and bounds as text."""
    lines = ["what the papers promise, with the best comparator found in hindsight:"]
    for contestant, claims in zip(contestants, theorems, strict=True):
        lines.append(f"  {contestant.name} under {contestant.asker}")
        for claim in claims:
            bound = f"<= {claim['bound']:,.0f}" if np.isfinite(claim["bound"]) else "no bound"
            numbers = f"{claim['outcome']:,.0f} {bound}"
            lines.append(f"    {numbers}  {claim['what']}: {claim['theorem']}")
        if not claims:
            lines.append("    no theorem is about this learner under this asker")
    return "\n".join(lines)
