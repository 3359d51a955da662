"""`python -m benchmarks.serve [ITEMS]`: the labelling service under load, client included."""

import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random

from benchmarks.tables import show

STREAM = """
name = "load"
classes = ["a", "b"]
budget = "10%"
queue = 2000
features.kind = "text"
"""
TOGETHER, CONNECTIONS = 500, 8
PATH = "/v1/streams/load"
WORDS = [f"word{i}" for i in range(3000)]


class Served:
    """A server in a separate process."""

    def __init__(self, folder: Path, port: int = 8765):
        self.folder, self.port = folder, port
        file = folder / "load.toml"
        file.write_text(STREAM)
        command = [sys.executable, "-m", "selectron", "serve", str(file), "--port", str(port)]
        start = time.perf_counter()
        self.process = subprocess.Popen(
            [*command, "--data", str(folder / "data")], stdout=subprocess.PIPE, text=True
        )
        self.tokens = {}
        assert self.process.stdout is not None
        for line in self.process.stdout:
            role, _, token = line.strip().partition(" token: ")
            self.tokens[role] = token
            if "Ctrl-C" in line:
                break
        self.wait()
        self.started = time.perf_counter() - start

    def wait(self) -> None:
        """Wait until the server answers."""
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port)
                connection.request("GET", "/healthz")
                connection.getresponse().read()
                connection.close()
                return
            except ConnectionError:
                time.sleep(0.02)

    def memory(self) -> float:
        """Return the server's memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def end(self, how: int) -> None:
        """Stop the server."""
        self.process.send_signal(how)
        self.process.wait()


class Client:
    """A connection that is kept open."""

    def __init__(self, served: Served, role: str, tokens: dict[str, str]):
        self.connection = http.client.HTTPConnection("127.0.0.1", served.port)
        self.headers = {"authorization": f"Bearer {tokens[role]}"}

    def post(self, path: str, body: bytes, kind: str = "application/json") -> dict:
        """Send a request; return the reply."""
        headers = {**self.headers, "content-type": kind}
        self.connection.request("POST", PATH + path, body, headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(content.decode())
        return json.loads(content)


def item(rng: Random) -> bytes:
    """Return an item of 30 words."""
    return json.dumps({"data": {"text": " ".join(rng.choices(WORDS, k=30))}}).encode()


def batches(client: Client, items: int, rng: Random) -> float:
    """Send items in batches; return items per second."""
    start = time.perf_counter()
    for _ in range(items // TOGETHER):
        client.post(
            "/batch", b"\n".join(item(rng) for _ in range(TOGETHER)), "application/x-ndjson"
        )
    return items / (time.perf_counter() - start)


def together(work: list) -> list[list[float]]:
    """Run functions in threads; return the time of each of their parts."""
    found: list[list[float]] = [[] for _ in work]

    def run(i: int) -> None:
        for part in work[i]:
            start = time.perf_counter()
            part()
            found[i].append(time.perf_counter() - start)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def spread(work: list, count: int) -> tuple[float, str]:
    """Return the number per second, and median and 99th percentile of their times."""
    start = time.perf_counter()
    times = sorted(chain.from_iterable(together(work)))
    rate = count / (time.perf_counter() - start)
    p99 = times[int(0.99 * len(times))]
    return rate, f"median {1e3 * statistics.median(times):.1f} ms, p99 {1e3 * p99:.1f} ms"


def posts(served: Served, tokens: dict[str, str], count: int, rate: float) -> tuple[float, str]:
    """Post items one by one over a few connections, at a given rate."""
    begin = time.perf_counter()

    def one(number: int) -> Iterator:
        client, rng = Client(served, "ingest", tokens), Random(number)
        for i in range(number, count, CONNECTIONS):
            time.sleep(max(0.0, begin + i / rate - time.perf_counter()))
            body = item(rng)
            yield lambda body=body: client.post("/items", body)

    return spread([one(i) for i in range(CONNECTIONS)], count)


def labels(served: Served, tokens: dict[str, str], count: int) -> tuple[float, str]:
    """Take and answer questions over a few connections, as two people: one holds five at most."""

    def one(number: int) -> Iterator:
        client = Client(served, ("annotate", "admin")[number % 2], tokens)
        for _ in range(count // CONNECTIONS):
            question = client.post("/next", b"")["question"]
            body = {"label": "a", "lease": question["lease"]["token"]}
            path, said = f"/items/{question['item']}/answers", json.dumps(body).encode()
            yield lambda path=path, said=said: client.post(path, said)

    return spread([one(i) for i in range(CONNECTIONS)], count)


def rows(items: int) -> Iterator[tuple[str, str, str]]:
    """Yield figures, as they are measured."""
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder))
        tokens, rng = served.tokens, Random(0)
        client = Client(served, "ingest", tokens)
        batches(client, 20_000, rng)  # compile
        early = served.memory()
        rate = batches(client, items - 20_000, rng)
        yield f"Items in batches of {TOGETHER}", f"{rate:,.0f}/s", f"{items:,} items"
        late = served.memory()
        yield (
            "Memory after all of them minus that after 20,000",
            f"{late - early:+.0f} MB",
            (f"{early:.0f} MB and {late:.0f} MB"),
        )
        for rate in (400.0, 1e9):
            found, times = posts(served, tokens, 4000, rate)
            what = f"at {rate:.0f}/s" if rate < 1e9 else "as fast as they go"
            yield f"Posts of one item, {what}", f"{found:,.0f}/s", times
        found, times = labels(served, tokens, 1500)
        yield "Questions taken and labels acknowledged", f"{found:,.0f}/s", times
        client.connection.close()
        for how, what in ((signal.SIGKILL, "a kill"), (signal.SIGINT, "an orderly end")):
            served.end(how)
            served = Served(Path(folder))
            yield f"Start after {what}", f"{served.started:.1f} s", f"{items:,} items in the log"
        served.end(signal.SIGINT)


def main() -> None:
    """Print the table."""
    print(f"{os.cpu_count()} processors, client included.\n")
    show(("The service", "figure", "more"), rows(int(sys.argv[1]) if sys.argv[1:] else 100_000))


if __name__ == "__main__":
    main()
