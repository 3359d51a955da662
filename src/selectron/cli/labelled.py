"""Labels that somebody gave, as a CSV file."""

import csv
import io
from typing import TYPE_CHECKING

from ..data.files import replace

if TYPE_CHECKING:
    from ..pool import PoolRun


def write_labels(run: "PoolRun", path: str) -> None:
    """Write one CSV line per answer: row number from 1 on, label, proposal, corrected (0 or 1)."""
    text = io.StringIO(newline="")
    columns = (run.order + 1).tolist(), run.labels, run.proposals, run.wrong.astype(int).tolist()
    rows = zip(*columns, strict=True)
    csv.writer(text).writerows([("row", "label", "proposal", "corrected"), *rows])
    replace(path, text.getvalue().encode())
