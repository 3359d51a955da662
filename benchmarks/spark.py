"""`python -m benchmarks.spark`: what a model for each key costs on Spark.

Compared is the same job whose step only counts rows: it reads, shuffles, keeps a state of 8 bytes
and returns the same columns. Rates are rows in a second of processor time, of Spark's JVM and its
Python workers together, on `local[2]`, in two passes each, of which the first starts the workers.

`--growth` plays 4 rows of each key, in 2 batches, for more and more keys, until a pass takes more
than 10 minutes. `--full` plays 20 rows of each of 100,000 keys on `local-cluster[2,1,1024]`, kills
an executor and the driver in mid-batch, and compares 1,000 keys with single processes.
"""

import argparse
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.draws import generator_of
from tests.spark.job import SETTINGS
from tests.spark.stream import BATCHES, CLASSES, alone, parts, write, written

from benchmarks.tables import show
from selectron import spark
from selectron.spark import handler

PICTURE = "docs/spark.png"
WIDTH, LIMIT = 10, 600.0  # features; seconds
LEARNERS = "passive-aggressive", "lasec", "leading-history:fourier=0"
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Counting(handler.KeyStep):
    """A step that only counts rows."""

    def advance(self, key: tuple, state: bytes | None, frame: Any) -> tuple[bytes, pd.DataFrame]:
        """Return the number of rows so far, and columns of the same kinds as decisions."""
        n = len(frame)
        count = int.from_bytes(state or b"", "little") + n
        position = frame.iloc[:, self.names.index("position")].to_numpy()
        found = {
            "k0": frame.iloc[:, 0].to_numpy(),
            "position": position,
            "label": np.full(n, CLASSES[0], object),
            "proba": list(np.zeros((n, 2))),
            "ask": np.zeros(n, bool),
            "ask_probability": np.zeros(n),
            "ticket": np.zeros(n, np.int64),
        }
        return count.to_bytes(8, "little"), pd.DataFrame(found, copy=False)


def items(keys: int, rows: int, batch: int) -> pd.DataFrame:
    """Return some rows of every key, mixed."""
    rng = np.random.default_rng(batch)
    table = pd.DataFrame({"user": np.tile(np.arange(keys), rows)})
    table["n"] = batch * rows + np.repeat(np.arange(rows), keys)
    table[[f"x{j}" for j in range(WIDTH)]] = rng.normal(size=(keys * rows, WIDTH))
    return table.sample(frac=1, random_state=batch)


def lay(folder: Path, keys: int, rows: int, batches: int) -> None:
    """Write the rows and the labels of generated batches: all labels come with their rows."""
    tables = []
    for batch in range(batches):
        table = items(keys, rows, batch)
        label = np.where(table.x0 + table.x1 > 0, *CLASSES)
        tables.append((table, table[["user", "n"]].assign(label=label)))
    write(folder, tables)


def play(session: Any, folder: Path, learner: str, counting: bool) -> tuple[float, float, Any]:
    """Return the seconds and the processor seconds of a query, and its last progress."""
    name = f"{learner}-{counting}-{time.monotonic()}"

    def stream(kind: str) -> Any:
        schema = session.read.parquet(f"{folder}/{kind}").schema
        reader = session.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(f"{folder}/{kind}")

    own = handler.KeyStep
    if counting:
        handler.KeyStep = Counting  # type: ignore[misc]
    try:
        found, asker = parts(learner, "10%")
        decided = spark.decide(
            stream("items"),
            key="user",
            order="n",
            classes=CLASSES,
            columns=[f"x{j}" for j in range(WIDTH)],
            learner=found,
            asker=asker,
            keep=[],
        )
    finally:
        handler.KeyStep = own  # type: ignore[misc]
    writer = decided.writeStream.format("noop").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", f"{folder}/{name}")
    start, before = time.perf_counter(), processor_seconds()
    query = writer.start()
    query.awaitTermination()
    return time.perf_counter() - start, processor_seconds() - before, query.lastProgress


def family() -> list[list[str]]:
    """Return the fields of /proc/*/stat of this process and all below it."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = path.read_text().rpartition(")")
        except OSError:  # it has ended
            continue
        stats[int(head.split()[0])] = rest.split()
    found, mine = [], {os.getpid()}
    for pid in sorted(stats):
        if pid in mine or int(stats[pid][1]) in mine:
            mine.add(pid)
            found.append(stats[pid])
    return found


def processor_seconds() -> float:
    """Return the processor time of this process and all below it, ended ones too."""
    return sum(sum(map(int, stat[11:15])) for stat in family()) / TICKS


def resident() -> float:
    """Return the resident memory of all these processes, in MB."""
    return sum(int(stat[21]) for stat in family()) * os.sysconf("SC_PAGE_SIZE") / 1e6


def ratios(session: Any, keys: int, rows: int, batches: int = 2) -> Iterator[list[str]]:
    """Yield rows in a second of processor time: counting, and of each learner."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay(folder, keys, rows, batches)
        total, rate = keys * rows * batches, dict[str, float]()
        for learner in ("count", *LEARNERS):
            given = LEARNERS[0] if learner == "count" else learner
            times = [play(session, folder, given, learner == "count")[1] for _ in range(2)]
            rate[learner] = total / times[-1]
            ratio = rate[learner] / rate["count"]
            yield [f"{keys:,}", str(rows), learner, f"{rate[learner]:,.0f}", f"{ratio:.2f}"]


def growth(session: Any, learner: str = LEARNERS[0]) -> Iterator[list[str]]:
    """Yield the cost of more and more keys, and draw it."""
    found = []
    for keys in (1_000, 10_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as name:
            lay(Path(name), keys, 2, 2)
            wall, used, progress = play(session, Path(name), learner, counting=False)
        state = progress.stateOperators[0]
        size = state.customMetrics.get("rocksdbSstFileSize", 0) / 1e6
        found.append((keys, 4 * keys / used, resident(), size))
        rate, memory, disk = (f"{value:,.0f}" for value in found[-1][1:])
        yield [f"{keys:,}", f"{wall:.0f}", f"{used:.0f}", rate, memory, disk]
        if wall > LIMIT:
            break
    draw(found)


def draw(found: list[tuple[float, ...]]) -> None:
    """Draw rates and memory over the number of keys."""
    import matplotlib.pyplot as plt

    keys, rate, memory, size = zip(*found, strict=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), constrained_layout=True)
    left.loglog(keys, rate, "o-")
    left.set(xlabel="keys", ylabel="rows a second of processor time", ylim=(1, None))
    right.loglog(keys, memory, "o-", label="resident: JVM and workers")
    right.loglog(keys, np.maximum(size, 0.01), "s--", label="RocksDB's files")
    right.set(xlabel="keys", ylabel="MB")
    right.legend()
    figure.savefig(PICTURE, dpi=120)


def bursts(keys: int, asker: str) -> tuple[list[tuple[pd.DataFrame, pd.DataFrame]], pd.DataFrame]:
    """Return 20 rows of each key in two bursts, and labels of those asked for, up to 10 late."""
    rng = np.random.default_rng(0)
    first = rng.integers(BATCHES - 1, size=keys)
    second = first + 1 + rng.integers(BATCHES, size=keys) % (BATCHES - 1 - first)
    n = np.arange(20)
    batch = np.where(n < 10, first[:, None], second[:, None])
    share = float(asker.removeprefix("fixed:p="))
    asked = np.array([generator_of(0, f"u{k}").random(20) < share for k in range(keys)])
    late = rng.integers(1, 11, size=batch.shape)
    x = rng.normal(size=(keys * 20, WIDTH))
    w = rng.normal(size=(keys, WIDTH))
    table = pd.DataFrame({"user": np.repeat([f"u{k}" for k in range(keys)], 20)})
    table["n"], table["batch"] = np.tile(n, keys), batch.ravel()
    label = np.where(np.einsum("kij,kj->ki", x.reshape(keys, 20, -1), w).ravel() > 0, *CLASSES)
    labels = table[["user", "n"]].assign(label=label, due=(batch + late).ravel())[asked.ravel()]
    table[[f"x{j}" for j in range(WIDTH)]] = x
    tables = []
    for b in range(BATCHES):
        rows = table[table.batch == b].drop(columns="batch").sample(frac=1, random_state=b)
        tables.append((rows, labels[labels.due == b].drop(columns="due")))
    return tables, table


def full(folder: Path, keys: int, learner: str, asker: str = "fixed:p=0.1") -> None:
    """Play many keys, kill an executor and the driver, restart, and compare 1,000 keys."""
    from tests.spark.test_stream import executors_of, in_batch, start

    tables, _ = bursts(keys, asker)
    write(folder, tables)
    begun, master, more = time.perf_counter(), "local-cluster[2,1,1024]", (learner, asker)
    process = start(folder, master, *more)
    try:
        for batch, kill in ((3, "executor"), (6, "driver")):
            while not in_batch(folder, batch):
                assert process.poll() is None, "the job has ended before it was killed"
                time.sleep(0.02)
            time.sleep(2.0)  # rows are being played
            if kill == "executor":
                os.kill(executors_of(process.pid)[0], signal.SIGKILL)
            else:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            print(f"killed the {kill} in batch {batch}: {in_batch(folder, batch)}", flush=True)
        process = start(folder, master, *more)
        assert process.wait() == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    print(f"{time.perf_counter() - begun:.0f} s", flush=True)
    compare(folder, tables, keys, *more)


def compare(folder: Path, tables: list, keys: int, learner: str, asker: str) -> None:
    """Print how many of 1,000 keys have the decisions and the state of single processes."""
    decided = written(folder / "decided")
    states = pd.read_parquet(folder / "states.parquet").set_index("user").state
    unique = len(decided) == len(decided.drop_duplicates(["user", "n"])) == 20 * keys
    print(f"{len(decided):,} rows, each once: {unique}; asked {decided.ask.mean():.4f}")
    chosen = [f"u{k}" for k in np.random.default_rng().choice(keys, min(keys, 1000), replace=False)]
    own: dict[str, list] = {key: [] for key in chosen}
    for pair in tables:
        groups = [dict(list(t[t.user.isin(chosen)].groupby("user"))) for t in pair]
        for key in chosen:
            found = [group.get(key, t.iloc[:0]) for group, t in zip(groups, pair, strict=True)]
            own[key].append(tuple(found))
    parts_of = dict(list(decided[decided.user.isin(chosen)].groupby("user")))
    same_states = same_decisions = labels = 0
    for key in chosen:
        state, expected = alone(own[key], key, learner, asker)
        labels += sum(len(pair[1]) for pair in own[key])
        found = parts_of[key].sort_values("n", ignore_index=True)
        found["spam"] = found.proba.str[1]
        names = ["n", "label", "spam", "ask", "ask_probability", "ticket"]
        same_decisions += all((found[name] == expected[name]).all() for name in names)
        same_states += states[key] == state
    print(f"of {len(chosen)} keys with {labels} labels: {same_decisions} equal in all decisions, ")
    print(f"{same_states} in their states; a state has {states.map(len).mean():.0f} bytes")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--full", type=Path, help="a folder for the files")
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--learner", default="lasec")
    given = parser.parse_args()
    if given.full:
        return full(given.full, given.keys, given.learner)
    session = spark.session("local[2]", **SETTINGS)
    session.sparkContext.setLogLevel("ERROR")
    if given.growth:
        head = "keys", "s", "processor s", "rows / processor s", "resident MB", "RocksDB MB"
        return show(head, growth(session))
    keys = min(given.keys, 2000)
    show(
        ("keys", "rows a batch", "step", "rows / processor s", "ratio"),
        ratios(session, keys, given.rows),
    )
    return None


if __name__ == "__main__":
    main()
