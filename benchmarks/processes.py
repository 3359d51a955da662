"""Whole processes: memory as a stream grows, and the time of a start."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.encoding import strings

BLOCK = 10_000


def memory() -> Iterator[tuple[str, str, str]]:
    """Yield the peak memory of `selectron run -` on 10^5 and 10^6 rows of each text format."""
    formats = {
        "svmlight": svmlight(),
        "CSV": csv(),
        "CSV with 10 mixed columns": mixed(),
        "JSON lines": json_lines(),
    }
    for name, block in formats.items():
        small, large = (peak(block, rows // BLOCK) for rows in (100_000, 1_000_000))
        yield (
            f"Peak memory, {name} from a pipe, 10^6 rows minus 10^5 rows",
            f"{large - small:+.1f} MB",
            f"{small:.0f} MB and {large:.0f} MB",
        )


def starts() -> Iterator[tuple[str, str, str]]:
    """Yield the times of commands, with compiled code in the cache."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.svm")
        file.write_bytes(svmlight())
        for what, command in (
            ("selectron --help", ["-m", "selectron", "--help"]),
            ("import selectron", ["-c", "import selectron"]),
            ("selectron run FILE, 10,000 rows, warm", ["-m", "selectron", "run", str(file)]),
        ):
            times = [wall(command) for _ in range(6)][1:]
            yield what, f"{statistics.median(times):.2f} s", f"{min(times):.2f}-{max(times):.2f} s"


def wall(command: list[str]) -> float:
    """Return the seconds of a Python process that caches bytecode, as is the default."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True, env=kept)
    return time.perf_counter() - start


# A child's ru_maxrss counts its parent, from before the child became another program.
PEAK = """
import os
import re, sys
from selectron.cli import main
try:
    main(["run", "-", "--learner", "perceptron"], standalone_mode=False)
finally:
    print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1], file=sys.stderr)
"""


def peak(block: bytes, times: int) -> float:
    """Return the peak memory in MB of a run on a block that is repeated."""
    child = subprocess.Popen(
        [sys.executable, "-c", PEAK],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    for _ in range(times):
        child.stdin.write(block)
    _, errors = child.communicate()
    if child.returncode:
        raise RuntimeError(f"selectron run ended with {child.returncode}: {errors.decode()}")
    return int(errors.splitlines()[-1]) / 1024  # after a line about each column


def table(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and labels for a block."""
    X = np.random.default_rng(0).standard_normal((BLOCK, d)).round(4)
    return X, np.where(X.sum(axis=1) >= 0, 1, -1)


def svmlight() -> bytes:
    """Return a block of svmlight, 10 features a row."""
    X, y = table(10)
    rows = (
        f"{k} " + " ".join(f"{j}:{v}" for j, v in enumerate(x)) for x, k in zip(X, y, strict=True)
    )
    return ("\n".join(rows) + "\n").encode()


def csv() -> bytes:
    """Return a block of CSV without a header, the label last."""
    X, y = table(10)
    rows = (",".join(map(str, x)) + f",{k}" for x, k in zip(X, y, strict=True))
    return ("\n".join(rows) + "\n").encode()


def mixed() -> bytes:
    """Return a block of CSV without a header: ten columns of all kinds, the label last."""
    rng = np.random.default_rng(0)
    columns = [column.to_numpy(zero_copy_only=False) for column in strings(rng, BLOCK).values()]
    labels = np.where(rng.random(BLOCK) < 0.5, "a", "b")
    rows = (",".join(row) for row in zip(*columns, labels, strict=True))
    return ("\n".join(rows) + "\n").encode()


def json_lines() -> bytes:
    """Return a block of JSON lines."""
    X, y = table(10)
    rows = (f'{{"x": {x.tolist()}, "label": {k}}}' for x, k in zip(X, y, strict=True))
    return ("\n".join(rows) + "\n").encode()
