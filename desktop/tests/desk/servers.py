"""Servers of ActivityWatch for tests: the real one, and a fake that fails in many ways."""

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def stamp(seconds):
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class Web:
    """Requests to a server as watchers send them."""

    url: str

    def send(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/0/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.loads(reply.read() or b"null")

    def bucket(self, name, kind, host="desk"):
        with suppress(urllib.error.HTTPError):  # 304: it is there
            self.send(f"buckets/{name}", {"client": "test", "type": kind, "hostname": host})

    def put(self, bucket, start, end, **data):
        event = {"timestamp": stamp(start), "duration": end - start, "data": data}
        self.send(f"buckets/{bucket}/events", [event])

    def beat(self, bucket, time, pulse=30, **data):
        event = {"timestamp": stamp(time), "duration": 0, "data": data}
        self.send(f"buckets/{bucket}/heartbeat?pulsetime={pulse}", event)

    def send_delete(self, bucket):
        request = urllib.request.Request(f"{self.url}/api/0/buckets/{bucket}", method="DELETE")
        urllib.request.urlopen(request, timeout=20).close()

    def events(self, bucket):
        return self.send(f"buckets/{bucket}/events")


class Real(Web):
    """aw-server in a process of its own; what it keeps is gone when it ends."""

    def __init__(self, folder, port=None):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        names = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
        env = {**os.environ, **{name: str(folder / name) for name in names}}
        command = [sys.executable, "-m", "aw_server", "--testing", "--storage", "memory"]
        command += ["--host", "127.0.0.1", "--port", str(self.port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=env, **quiet)
        for _ in range(600):
            with suppress(OSError):
                self.send("info")
                return
            time.sleep(0.05)
        raise AssertionError("aw-server does not start")

    def close(self):
        self.process.kill()
        self.process.wait()


class Fake(Web):
    """A server in a thread, with the dialect of aw-server-rust, and faults: a name and how often.

    "500", "slow", "garbage", "cut": a reply that is none. "doubled", "shuffled", "jittered": events
    that are not as they were sent.
    """

    def __init__(self, port=0, buckets=None, seed=0, **faults):
        self.buckets, self.rng, self.faults = buckets if buckets is not None else {}, None, faults
        self.rng = random.Random(seed)
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def fails(self, fault):
        with self.lock:
            return self.rng.random() < self.faults.get(fault, 0.0)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def _handler(fake):
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *values):
                pass

            def do_GET(self):
                self.replied(None)

            def do_POST(self):
                self.replied(json.loads(self.rfile.read(int(self.headers["content-length"]))))

            def replied(self, body):
                if fake.fails("slow"):
                    time.sleep(1.0)
                if fake.fails("500"):
                    return self.out(500, b"{}")
                if fake.fails("garbage"):
                    return self.out(200, b"<html>")
                url = urlsplit(self.path)
                parts = url.path.strip("/").split("/")[2:]
                query = {key: value[0] for key, value in parse_qs(url.query).items()}
                with fake.lock:
                    status, reply = fake.answer(parts, query, body)
                content = json.dumps(reply).encode() if status != 304 else b""
                if fake.fails("cut"):
                    content = content[: len(content) // 2]
                self.out(status, content)

            def out(self, status, content):
                with suppress(OSError):
                    self.send_response(status)
                    self.send_header("content-length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

        return Handler

    def answer(self, parts, query, body):
        if parts[0] == "info":
            return 200, {}
        name = parts[1] if len(parts) > 1 else None
        if name is None:
            plain = {k: {**v, "events": None, "id": k} for k, v in self.buckets.items()}
            return 200, plain
        if len(parts) == 2:
            if name in self.buckets:
                return 304, None
            self.buckets[name] = {**body, "events": [], "created": stamp(0), "metadata": {}}
            return 200, {}
        if name not in self.buckets:
            return 404, {"message": f"There's no bucket named {name}"}
        return self.of_bucket(self.buckets[name]["events"], parts[2], query, body)

    def of_bucket(self, events, what, query, body):
        if what == "heartbeat":
            last = events[-1] if events else None
            begun = datetime.fromisoformat(body["timestamp"]).timestamp()
            end = begun + body["duration"]
            if last and last["data"] == body["data"] and (
                last["start"] <= begun <= last["end"] + float(query["pulsetime"])
            ):  # fmt: skip
                last["end"] = max(last["end"], end)
            else:
                events.append({"start": begun, "end": end, "data": body["data"]})
            return 200, None
        if body is not None:
            for event in body:
                begun = datetime.fromisoformat(event["timestamp"]).timestamp()
                events.append(
                    {"start": begun, "end": begun + event["duration"], "data": event["data"]}
                )
            return 200, None
        start, end = (
            datetime.fromisoformat(query[key]).timestamp() if key in query else default
            for key, default in (("start", 0.0), ("end", 4e9))
        )
        found = [
            {**e, "start": max(e["start"], start), "end": min(e["end"], end)}  # as it cuts them
            for e in events
            if e["end"] >= start and e["start"] <= end
        ]
        return 200, self.spoilt([self.as_rust(i, e) for i, e in enumerate(found)][::-1])

    def as_rust(self, number, event):
        shift = self.rng.uniform(-0.4, 0.4) if "jittered" in self.faults else 0.0
        text = datetime.fromtimestamp(event["start"] + shift, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
        duration = event["end"] - event["start"]
        return {
            "id": number,
            "timestamp": f"{text}000Z",
            "duration": duration,
            "data": event["data"],
        }

    def spoilt(self, events):
        if self.rng.random() < self.faults.get("doubled", 0.0):
            events = [*events, *events]
        if self.rng.random() < self.faults.get("shuffled", 0.0):
            self.rng.shuffle(events)
        return events
