"""`python -m benchmarks.clusters`: a sweep on Dask compared with one in local processes.

Both have two workers of one thread, and times include starting them and sending the data. Then a
worker of a shorter sweep on Dask is killed in the middle, and the two tables are compared.
"""

import argparse
import os
import signal
import threading
import time
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from benchmarks.tables import show
from selectron import OnlineClassifier
from selectron.askers import Always
from selectron.evaluate.sweep import sweep
from selectron.learners import LASEC
from selectron.streams import switching_gaussian

WIDTH, SECONDS = 256, 2.0  # features; seconds of a pass


def stream() -> tuple[np.ndarray, np.ndarray]:
    """Return rows of which a pass takes one to two seconds."""
    X, y = switching_gaussian(4_000, WIDTH)
    OnlineClassifier(LASEC()).run(X[:10], y[:10])  # compiles
    start = time.perf_counter()
    OnlineClassifier(LASEC()).run(X, y)
    rows = round(len(X) * SECONDS / (time.perf_counter() - start))
    return switching_gaussian(rows, WIDTH)


def local(X: np.ndarray, y: np.ndarray, passes: int) -> tuple[Any, float]:
    """Return the table and the seconds of a sweep in two processes."""
    start = time.perf_counter()
    found = sweep(X, y, [LASEC()], [Always()], range(passes), workers=2)
    return found, time.perf_counter() - start


def on_dask(X: np.ndarray, y: np.ndarray, passes: int, kill: float = 0) -> tuple[Any, float]:
    """Return the same on a cluster of two workers, one of which is killed after some seconds."""
    start = time.perf_counter()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        if kill:
            pid = next(iter(client.run(os.getpid).values()))
            threading.Timer(kill, os.kill, (pid, signal.SIGKILL)).start()
        found = sweep(X, y, [LASEC()], [Always()], range(passes), executor=client)
    return found, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passes", type=int, default=400)
    passes = parser.parse_args().passes
    X, y = stream()
    expected, alone = local(X, y, passes)
    found, both = on_dask(X, y, passes)
    part = max(passes // 5, 4)
    killed, longer = on_dask(X, y, part, kill=part * SECONDS / 4)
    same = found.equals(expected), killed.equals(expected.slice(0, part))
    show(
        ("sweep", "passes", "seconds", "ratio", "same table"),
        [
            ("two local processes", str(passes), f"{alone:.0f}", "1.00", ""),
            ("Dask, two workers", str(passes), f"{both:.0f}", f"{both / alone:.2f}", str(same[0])),
            ("Dask, one worker killed", str(part), f"{longer:.0f}", "", str(same[1])),
        ],
    )


if __name__ == "__main__":
    main()
