"""A program: hostile connections by the hundred, next to one honest labeller.

    python -m tests.serve.hostile [SECONDS] [CONNECTIONS]

The server, the attackers and the labeller are processes of their own, on loopback. The attackers
come from five addresses, fewer of each than the server lets one address have; the last attacks
come from the labeller's own. All loops end after SECONDS.
"""

import asyncio
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

STREAM = 'classes = ["ham", "spam"]\nbudget = "100%"\n[features]\nsize = 256\n'
HOST, PATH = b"Host: localhost\r\n", b"/v1/streams/mail"


class Served:
    """A server in a process of its own, and the tokens that it printed."""

    def __init__(self, folder):
        (folder / "mail.toml").write_text(STREAM)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "selectron", "serve", str(folder / "mail.toml")]
        command += ["--data", str(folder / "data"), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        text = ""
        while "Ctrl-C" not in text and self.process.poll() is None:
            text += self.process.stdout.readline()
        self.tokens = dict(re.findall(r"(\w+) token: (\S+)", text))

    def peak(self):
        """Return the most memory that the process has had, in MB; NaN where that is not known."""
        with suppress(OSError):
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
        return float("nan")

    def end(self, number=signal.SIGTERM):
        """Send a signal; return the exit status."""
        self.process.send_signal(number)
        self.process.communicate(timeout=60)
        return self.process.returncode


class Labeller:
    """Sends an item, takes the question and answers it, again and again, on one connection."""

    def __init__(self, served):
        self.served, self.connection, self.times, self.lost = served, None, [], 0

    def post(self, role, path, body):
        """Send a request, again if the connection was closed meanwhile; note how long it took."""
        start = time.perf_counter()
        headers = {"authorization": f"Bearer {self.served.tokens[role]}"}
        headers["content-type"] = "application/json"
        for _ in range(50):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(
                        "127.0.0.1", self.served.port, timeout=30
                    )
                url = f"{PATH.decode()}{path}"
                self.connection.request("POST", url, json.dumps(body), headers)
                reply = self.connection.getresponse()
                found = reply.read()
            except (OSError, http.client.HTTPException):
                self.lost += 1
                self.close()
                continue
            if reply.status == 429:  # the attack shares the rate of its address
                time.sleep(0.02)
                continue
            assert reply.status == 200, (reply.status, found)
            self.times.append(time.perf_counter() - start)
            return json.loads(found)
        raise AssertionError("the labeller cannot reach the server")

    def close(self):
        """Close the connection."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def work(self, seconds, pause=0.01):
        """Label for a time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.post("ingest", "/items", {"data": {"text": f"win {len(self.times)}"}})
            question = self.post("annotate", "/next", {})["question"]
            answer = {"label": "spam", "lease": question["lease"]["token"]}
            self.post("annotate", f"/items/{question['item']}/answers", answer)
            time.sleep(pause)

    def quantile(self, share):
        """Return a quantile of the times, in milliseconds."""
        return 1000 * sorted(self.times)[int(share * (len(self.times) - 1))]


def post(path, token, length):
    """Return the head of a request."""
    length = b"Transfer-Encoding: chunked" if length is None else b"Content-Length: %d" % length
    authorization = b"Authorization: Bearer %s\r\n" % token.encode() if token else b""
    kind = b"Content-Type: application/json\r\n"
    return (
        b"POST %s%s HTTP/1.1\r\n%s%s" % (PATH, path, HOST, kind)
        + authorization
        + length
        + (b"\r\n\r\n")
    )


async def drip(reader, writer, token):
    """Send half of a request, and then a byte now and then."""
    writer.write(b"POST /v1/str")
    while not reader.at_eof():
        writer.write(b"x")
        await writer.drain()
        with suppress(TimeoutError):
            await asyncio.wait_for(reader.read(1), 1)


async def drip_second(reader, writer, token):
    """Send a request that is fine, and then as above."""
    writer.write(b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
    await reader.readuntil(b"}")
    await drip(reader, writer, token)


async def fat_head(reader, writer, token):
    """Send a head that does not end."""
    writer.write(b"GET / HTTP/1.1\r\n" + HOST)
    for i in range(64):
        writer.write(b"X-%d: " % i + b"x" * 65_000 + b"\r\n")
        await writer.drain()


async def many_fields(reader, writer, token):
    """Send a head with very many fields."""
    writer.write(b"GET / HTTP/1.1\r\n" + HOST + b"a:\r\n" * 7_000)
    await reader.read()


async def fat_body(reader, writer, token):
    """Send 8 MB."""
    writer.write(post(b"/batch", token, 8 << 20))
    for _ in range(128):
        writer.write(b"x" * 65_536)
        await writer.drain()
    await reader.read(1000)


async def send(reader, writer, token, path, body):
    """Send a body as far as the server takes it, and read the reply."""
    writer.write(post(path, token, len(body)) + body)
    await writer.drain()
    await reader.read(1000)


TWICE = b"{%s,%s}" % (b",".join(b'"%d":1' % i for i in range(30_000)), b'"29999":1')
DEEP = b"[%s1]" % (b"[]," * 340_000)


async def twice(reader, writer, token):
    """Send an object whose last name comes twice."""
    await send(reader, writer, token, b"/items", TWICE)


async def deep(reader, writer, token):
    """Send very many brackets."""
    await send(reader, writer, token, b"/items", DEEP)


async def tiny_chunks(reader, writer, token):
    """Send a body of chunks of one byte."""
    writer.write(post(b"/items", token, None) + b"1\r\nx\r\n" * 40_000)
    await writer.drain()
    await reader.read(1000)


async def unread(reader, writer, token):
    """Ask for much, and read none of it."""
    request = b"GET /static/uPlot.iife.min.js HTTP/1.1\r\n" + HOST + b"\r\n"
    writer.write(request * 12)
    await writer.drain()
    await asyncio.sleep(30)


ATTACKS = {
    one.__name__: one
    for one in (
        drip, drip_second, fat_head, many_fields, fat_body, twice, deep, tiny_chunks, unread,
    )
}  # fmt: skip
ROWS = [  # attack, role of the token, from the labeller's address
    *((name, "", False) for name in ATTACKS),
    ("drip", "", True),
    ("drip_second", "", True),
    ("twice", "", True),
    ("fat_body", "ingest", False),
    ("twice", "ingest", False),
    ("deep", "ingest", False),
]


async def attacker(attack, port, token, address, end):
    """Attack from an address, again and again until the end."""
    while (left := end - time.monotonic()) > 0:
        writer = None
        try:
            async with asyncio.timeout(left):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=(address, 0), limit=1 << 16
                )
                await attack(reader, writer, token)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.01)
        finally:
            if writer is not None:
                writer.transport.abort()


async def attacked(name, port, token, own, seconds, n):
    """Let many attack at once."""
    end = time.monotonic() + seconds
    addresses = ["127.0.0.1"] if own else [f"127.0.0.{i}" for i in range(2, 7)]
    await asyncio.gather(
        *(
            attacker(ATTACKS[name], port, token, addresses[i % len(addresses)], end)
            for i in range(n)
        )
    )


def measured(served, name, role, own, seconds, n):
    """Return the labeller's times during an attack."""
    command = [sys.executable, "-m", "tests.serve.hostile", "attack", name, str(served.port)]
    command += [served.tokens.get(role, ""), str(int(own)), str(seconds), str(n)]
    attackers, labeller = subprocess.Popen(command), Labeller(served)
    try:
        time.sleep(1)  # until most are connected
        labeller.work(seconds - 1)
    finally:
        labeller.close()
        attackers.wait(seconds + 30)
    assert served.process.poll() is None, "the server ended"
    return labeller


def main(seconds=10.0, n=500):
    """Print what the labeller notices of each attack, and how much memory the server takes."""
    print("| attack | token | requests | lost | p50 | p99 | longest | peak memory |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder))
        try:
            calm = Labeller(served)
            calm.work(2)
            calm.close()
            row("none", calm, served)
            for name, role, own in ROWS:
                title = f"{name.replace('_', ' ')}{', own address' if own else ''} | {role}"
                row(title, measured(served, name, role, own, seconds, n), served)
        finally:
            served.end()


def row(title, labeller, served):
    """Print a row."""
    title = title if "|" in title else f"{title} |"
    p50, p99, most = (labeller.quantile(share) for share in (0.5, 0.99, 1))
    count = f"{len(labeller.times)} | {labeller.lost}"
    figures = f"{p50:.1f} ms | {p99:.1f} ms | {most:.1f} ms | {served.peak():.0f} MB"
    print(f"| {title} | {count} | {figures} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["attack"]:
        name, port, token, own, seconds, n = sys.argv[2:]
        asyncio.run(attacked(name, int(port), token, own == "1", float(seconds), int(n)))
    else:
        main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3]))
