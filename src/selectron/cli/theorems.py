"""`selectron run --bounds`: the bounds of the theorems and the outcomes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

if TYPE_CHECKING:
    from ..evaluate.contest import Contestant
    from ..model.run import Outcome
    from ..streams.readers import Chunk

EVERY = 500  # rows between two switches of the digits' concept


class Kept:
    """All rows, labels and outcomes of a stream."""

    def __init__(self) -> None:
        self.rows: list[np.ndarray] = []
        self.codes: list[np.ndarray] = []
        self.outcomes: list[Sequence[Outcome]] = []

    def add(self, chunk: "Chunk", codes: np.ndarray, outcomes: "Sequence[Outcome]") -> None:
        """Keep a chunk."""
        self.rows.append(np.asarray(chunk.rows.values, float))
        self.codes.append(codes)
        self.outcomes.append(outcomes)

    @staticmethod
    def check(chunk: "Chunk", codes: np.ndarray) -> None:
        """Raise UsageError unless the rows of a chunk are dense and of two classes."""
        from ..engine.rows import Dense

        if not isinstance(chunk.rows, Dense) or codes.dtype != np.int8:
            raise click.UsageError("--bounds is for dense rows of two classes.")

    def theorems(self, contestants: "Sequence[Contestant]", demo: bool) -> list[list[dict]]:
        """Return the bounds of each contestant, as rows of the JSON output.

        The comparators are found in hindsight: one for each concept of the digits, whose switches
        are known, and one for the whole of a file.
        """
        from ..bounds.hindsight import report, seen

        width = self.rows[-1].shape[1]  # of an encoder's rows, it grows
        X = np.vstack([np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in self.rows])
        codes = np.concatenate(self.codes)
        switches = range(EVERY, len(X), EVERY) if demo else ()
        found = []
        for i, contestant in enumerate(contestants):
            model = contestant.model
            run = whole([outcomes[i] for outcomes in self.outcomes], codes)
            rows = seen(X, model.constant, model.normalize)
            claims = [] if model.dual else report(run, rows, model.learner, model.asker, switches)
            found.append([plain(claim) for claim in claims])
        return found


def plain(claim: Any) -> dict:
    """Return a row for JSON, an infinite bound as None."""
    row = claim._asdict()
    return row | {"bound": row["bound"] if np.isfinite(row["bound"]) else None}


def whole(outcomes: "Sequence[Outcome]", codes: np.ndarray) -> Any:
    """Return the outcomes of all chunks as one run."""
    from ..model.run import Run

    arrays = zip(*(outcome.arrays()[:3] for outcome in outcomes), strict=True)
    margin, probability, flags = (np.concatenate(parts) for parts in arrays)
    labels: dict[str, Any] = {"label": codes, "code": codes, "classes": np.array([-1, 1])}
    return Run(margin=margin, ask_probability=probability, flags=flags, **labels)


def promises(contestants: "Sequence[Contestant]", theorems: list[list[dict]]) -> str:
    """Return a table of outcomes and bounds as text."""
    lines = ["what the papers promise, with the best comparator found in hindsight:"]
    for contestant, claims in zip(contestants, theorems, strict=True):
        lines.append(f"  {contestant.name} under {contestant.asker}")
        for claim in claims:
            bound = "no bound" if claim["bound"] is None else f"<= {claim['bound']:,.0f}"
            numbers = f"{claim['outcome']:,.0f} {bound}"
            lines.append(f"    {numbers}  {claim['what']}: {claim['theorem']}")
        if not claims:
            lines.append("    no theorem is about this learner under this asker")
    return "\n".join(lines)
