"""Write today.csv, tomorrow.csv and new.csv: artificial tickets of a help desk.

`python tickets.py [FOLDER [SEED]]`; the downloads have seed 0.
"""

import csv
import sys
from pathlib import Path

import numpy as np

PRODUCTS = ["mail", "calendar", "storage", "billing", "search", "video", "mobile", "office"]
CHANNELS = ["web", "phone", "chat"]
HEADER = ["id", "received", "product", "channel", "waiting", "team"]


def tickets(n, first, day, broken, random):
    """Return n tickets: the team depends on product, channel, and what is broken that day."""
    rows = []
    for i in range(n):
        product, channel = random.choice(PRODUCTS), random.choice(CHANNELS, p=[0.5, 0.2, 0.3])
        waiting = random.exponential(20.0)
        team = "finance" if product == "billing" else "support"
        if product in broken or (channel == "phone" and waiting > 30):
            team = "engineering"
        clock = f"{day}T{8 + 10 * i // n:02}:{random.integers(60):02}"
        blank = random.random() < 0.1
        rows.append([first + i, clock, product, channel, "" if blank else f"{waiting:.1f}", team])
    return rows


def main(folder, seed=0):
    """Write the three files into a folder; new.csv has no column with the team."""
    random = np.random.default_rng(seed)
    today = tickets(2_000, 1, "2026-11-23", {"video", "search"}, random)
    tomorrow = tickets(2_000, 2_001, "2026-11-24", {"storage", "search"}, random)
    for name, rows in ("today", today), ("tomorrow", tomorrow):
        write(folder / f"{name}.csv", [HEADER, *rows])
    rows = tickets(200, 4_001, "2026-11-25", {"storage", "search"}, random)
    write(folder / "new.csv", [HEADER[:-1], *(row[:-1] for row in rows)])


def write(path, rows):
    """Write the rows of a CSV file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    main(Path(folder), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
