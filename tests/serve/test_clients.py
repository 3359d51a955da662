"""Clients that are slow, half there or too many do not keep others from being served."""

import socket
import time

import httpx2
import pytest

from selectron.serve import guard, server

from .live import Live


@pytest.fixture
def hurried(tmp_path, monkeypatch):
    """A server that is out of patience soon."""
    monkeypatch.setattr(guard, "PATIENCE", 0.5)
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    one = Live(tmp_path)
    yield one
    one.close()


def connected(live, text):
    found = socket.create_connection(("127.0.0.1", live.port))
    found.settimeout(10)
    found.sendall(text.encode())
    return found


def status(text):
    return int(text.split()[1])


def test_half_open_and_slow_clients(hurried):
    token = hurried.headers("ingest")["authorization"]
    head = (
        "POST /v1/streams/mail/items HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: {token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    )
    silent = [connected(hurried, "") for _ in range(50)]
    halves = [connected(hurried, "POST /v1/str") for _ in range(50)]
    slow = [connected(hurried, head) for _ in range(20)]
    body = {"data": {"text": "fine"}}
    for _ in range(5):
        url = f"{hurried.url}/v1/streams/mail/items"
        reply = httpx2.post(url, json=body, headers=hurried.headers("ingest"), timeout=60)
        assert reply.status_code == 200
    assert all(one.recv(1000) == b"" for one in silent + halves)  # they are hung up on
    assert {status(one.recv(1000).decode()) for one in slow} == {408}
    for one in silent + halves + slow:
        one.close()


def test_a_body_that_is_too_long_is_not_read_to_its_end(hurried):
    token = hurried.headers("ingest")["authorization"]
    head = f"Host: localhost\r\nAuthorization: {token}\r\nTransfer-Encoding: chunked\r\n\r\n"
    one = connected(hurried, f"POST /v1/streams/mail/items HTTP/1.1\r\n{head}")
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    sent = 0
    try:
        while sent < 200:  # 13 MB, where 1 MB is too much
            one.sendall(chunk)
            sent += 1
        reply = one.recv(1000)
    except OSError:
        reply = b"HTTP/1.1 413"
    assert status(reply.decode()) == 413
    one.close()


def test_news_come_when_something_changes(hurried):
    url, headers = f"{hurried.url}/v1/streams/mail", hurried.headers("annotate")
    with httpx2.stream("GET", f"{url}/events", headers=headers, timeout=10) as news:
        lines = (line for line in news.iter_lines() if line.startswith("data: "))
        assert '"items":0,' in next(lines)
        for i in range(3):
            body = {"data": {"text": f"text {i}"}}
            httpx2.post(f"{url}/items", json=body, headers=hurried.headers("ingest"), timeout=60)
        found = ""
        end = time.monotonic() + 10
        while '"items":3,' not in found and time.monotonic() < end:
            found = next(lines)
        assert '"items":3,' in found
