"""`selectron run --bounds`: the bounds of the theorems and the outcomes."""

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from ..data.labels import OF_TWO
from ..engine.rows import Dense, widened
from ..evaluate.contest import Contestant, Played
from ..model.run import Run
from ..streams.readers import Chunk

EVERY = 500  # rows between two switches of the digits' concept


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
