"""Second order on text, in dual form: time and memory of one pass, each in a separate process."""

import json
import lzma
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse

ROWS, TOPIC = 10_000, "CCAT"
KERNELS = ("linear", "rbf")


def text() -> Iterator[tuple[str, str, str]]:
    """Yield one pass of the second-order Perceptron over RCV1, asking for every label."""
    if not (home := os.environ.get("SELECTRON_DATA")):
        yield ("RCV1", "-", "not measured: SELECTRON_DATA does not say where the data are")
        return
    for kernel in KERNELS:
        command = [sys.executable, "-m", "benchmarks.text", home, kernel]
        found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        name = f"SOP, {kernel}, {ROWS:,} rows of RCV1, {TOPIC}"
        kept = f"{found['kept']:,} examples kept, {found['right']:.1%} right"
        yield (name, f"{found['seconds']:.2f} s", f"peak {found['peak']:.0f} MB; {kept}")


def rcv1(home: str) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return the first rows, and whether each is of the topic."""
    with lzma.open(Path(home) / "rcv1" / "rcv1.npz.xz") as file:
        found = np.load(file)
        table = found["data"] / 1e6, found["indices"].astype(np.int32), found["indptr"]
        X = scipy.sparse.csr_array(table, shape=found["shape"])[:ROWS]
        topics = np.unpackbits(found["topics_packed"][:ROWS], axis=1, count=103)
        return X, topics[:, found["topic_names"].tolist().index(TOPIC)]


def measure(home: str, kernel: str) -> None:
    """Play the pass and print its result."""
    from selectron import OnlineClassifier
    from selectron.learners import SecondOrderPerceptron

    X, y = rcv1(home)
    OnlineClassifier(SecondOrderPerceptron(), kernel=kernel).run(X[:50], y[:50])  # compiled by now
    clf = OnlineClassifier(SecondOrderPerceptron(), kernel=kernel)
    start = time.perf_counter()
    run = clf.run(X, y)
    seconds = time.perf_counter() - start
    # ru_maxrss would count the parent too, from before the child became another program
    status = Path("/proc/self/status").read_text()
    found = {
        "seconds": seconds,
        "peak": int(status.partition("VmHWM:")[2].split()[0]) / 1024,
        "kept": clf.n_support_,
        "right": run.accuracy,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    measure(*sys.argv[1:])
