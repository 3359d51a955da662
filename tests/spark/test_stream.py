"""Streams equal single processes byte for byte, whatever is killed in mid-batch."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

from .needs import missing
from .stream import alone, of_key, tables, write, written

pytestmark = [
    pytest.mark.slow,  # Spark takes seconds to start
    pytest.mark.compiles,  # as in the workers
    pytest.mark.skipif(bool(missing()), reason=missing() or "Spark is here"),
]
KEYS, ROWS, BATCHES = 30, 120, 4
PATIENCE = 600  # seconds
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"


@pytest.fixture(scope="module")
def batches():
    return tables(KEYS, ROWS, batches=BATCHES)


@pytest.fixture
def folder(tmp_path, batches):
    write(tmp_path, batches)
    return tmp_path


def start(folder, master, *more):
    import pyspark

    env = {
        **os.environ,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONWARNINGS": "ignore",
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # that start sooner
    }
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path.cwd()), env.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "tests.spark.job", master, str(folder), *more]
    log = (folder / "log.txt").open("a")
    with log:
        return subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)


def wait_for(condition, process):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def executors_of(parent):
    """Return the executors below a process."""
    found = []
    for process in psutil.Process(parent).children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has ended
            found += [process] if EXECUTOR in process.cmdline() else []
    return found


def in_batch(folder, number):
    """Return whether a batch has begun and has not ended."""
    begun, ended = (folder / "checkpoint" / name for name in ("offsets", "commits"))
    return (begun / str(number)).exists() and not (ended / str(number)).exists()


def check(folder, batches):
    """Compare decisions and states with those of single processes, for keys drawn at random."""
    decided = written(folder / "decided")
    assert len(decided) == BATCHES * ROWS
    assert not decided.duplicated(["user", "n"]).any()
    states = pd.read_parquet(folder / "states.parquet").set_index("user").state
    asked = 0
    for key in np.random.default_rng().choice(KEYS, 20, replace=False):
        state, expected = alone(of_key(batches, f"u{key}"), f"u{key}")
        found = decided[decided.user == f"u{key}"].sort_values("n", ignore_index=True)
        found["spam"] = found.proba.str[1]
        assert states[f"u{key}"] == state
        same = {"check_exact": True, "check_dtype": False}
        pd.testing.assert_frame_equal(found[expected.columns], expected, **same)
        asked += expected.ask.sum()
    assert 0.2 < asked / (ROWS * BATCHES * 20 / KEYS) < 0.9


def finish(folder, process):
    assert process.wait(PATIENCE) == 0, (folder / "log.txt").read_text()[-3000:]


def test_kills_in_mid_batch_change_nothing(folder, batches):
    """An executor is replaced, and another driver goes on from the checkpoint."""
    process = start(folder, "local-cluster[2,1,1024]")
    try:
        wait_for(lambda: in_batch(folder, 1), process)
        executors_of(process.pid)[0].kill()
        wait_for(lambda: in_batch(folder, 2), process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # Python, Spark's JVM and its workers
        process.wait()
    assert "Lost executor" in (folder / "log.txt").read_text()
    assert len(list((folder / "checkpoint" / "commits").glob("[0-9]*"))) < BATCHES
    finish(folder, start(folder, "local[2]"))
    check(folder, batches)
