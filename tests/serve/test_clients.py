"""Clients that are slow, half there or too many do not keep others from being served."""

import socket
import time
from contextlib import closing

import httpx2
import pytest

from selectron.serve import requests, routes, server
from selectron.serve.service import Work

from . import hostile
from .live import Live


@pytest.fixture
def hurried(tmp_path, monkeypatch):
    """A server that is out of patience soon."""
    monkeypatch.setattr(requests, "PATIENCE", 0.5)
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    with closing(Live(tmp_path)) as one:
        yield one


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


@pytest.mark.slow
def test_work_that_outlasts_its_connection_is_done_before_the_end(site, capsys, monkeypatch):
    monkeypatch.setattr(server, "FAREWELL", 0.2)
    live = site()
    live.host.submit(Work(lambda service, at: time.sleep(3)))
    body = b'{"data": {"text": "fine"}}'
    one = connected(live, post(live, "ingest", len(body)) + body.decode())
    time.sleep(0.5)  # until it waits for the writer
    live.close()
    one.close()
    assert live.host.views["mail"]["items"] == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_news_end_with_the_token(hurried, how):
    made = {"name": "eva", "role": "read", "days": 1}
    url, admin = hurried.url, hurried.headers()
    token = httpx2.post(f"{url}/v1/tokens", json=made, headers=admin).json()["token"]
    headers, clock = {"authorization": f"Bearer {token}"}, hurried.host.clock
    with httpx2.stream("GET", f"{url}/v1/streams/mail/events", headers=headers, timeout=10) as news:
        lines = (line for line in news.iter_lines() if line.startswith("data: "))
        assert '"items":0,' in next(lines)
        if how == "revoked":
            httpx2.delete(f"{url}/v1/tokens/eva", headers=admin)
        else:
            hurried.host.clock = lambda: clock() + 90_000.0
        body = {"data": {"text": "not for eva"}}
        httpx2.post(f"{url}/v1/streams/mail/items", json=body, headers=admin)
        assert list(lines) == []


def post(live, role, length):
    token = f"Authorization: {live.headers(role)['authorization']}\r\n" if role else ""
    return (
        f"POST /v1/streams/mail/items HTTP/1.1\r\nHost: localhost\r\n{token}"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_line", "patience"),
    [("GET /v1/streams/mail/events", 0), ("POST /v1/streams/mail/items", server.FAREWELL)],
)
def test_open_requests_neither_delay_the_end_nor_fill_the_log(site, capsys, request_line, patience):
    live = site()
    token = live.headers()["authorization"]
    head = f"Host: localhost\r\nAuthorization: {token}\r\nContent-Length: 100\r\n\r\n"
    one = connected(live, f"{request_line} HTTP/1.1\r\n{head}")
    time.sleep(0.5)  # until it is in progress
    start = time.monotonic()
    live.close()
    assert time.monotonic() - start < patience + 2
    one.close()
    assert capsys.readouterr().err == ""


def test_strangers_are_refused_before_they_send_a_body(live):
    for role, wanted in ((None, 401), ("read", 403)):
        one = connected(live, post(live, role, 1 << 20))
        reply = one.recv(2000).decode()
        assert status(reply) == wanted
        assert "connection: close" in reply.lower()
        one.close()


def test_a_refusal_of_a_small_body_keeps_the_connection(live):
    one = connected(
        live, post(live, None, 5) + "12345" + "GET /healthz HTTP/1.1\r\nHost: localhost"
    )
    assert status(one.recv(2000).decode()) == 401
    one.sendall(b"\r\n\r\n")
    assert status(one.recv(2000).decode()) == 200
    one.close()


def test_the_second_request_has_to_come_in_time_too(hurried):
    slow = [
        connected(hurried, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(9)
    ]
    for one in slow:
        assert status(one.recv(2000).decode()) == 200
        one.sendall(b"GET /heal")
    assert all(ended(one) for one in slow)


def ended(one):
    """Return whether the other side closes a connection, within its patience."""
    with one:
        try:
            while one.recv(2000):  # the rest of a reply
                pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True


@pytest.mark.parametrize("field", ["x" * 60_000, "a: b\r\n" * 200], ids=["long", "many"])
def test_heads_have_an_end(live, field):
    one = connected(live, f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{field}")
    assert status(one.recv(2000).decode()) == 400
    one.close()


@pytest.mark.slow
def test_replies_that_nobody_reads(hurried):
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.connect(("127.0.0.1", hurried.port))
    one.settimeout(10)
    request = b"GET /static/uPlot.iife.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    closed, end = False, time.monotonic() + 20
    while not closed and time.monotonic() < end:
        try:
            one.sendall(request)
        except ConnectionError:
            closed = True
        time.sleep(0.05)
    one.close()
    assert closed


def test_the_connections_of_an_address(tmp_path):
    one = Live(tmp_path, each=5)
    busy = connected(one, post(one, "ingest", 29))
    while not any(not c.waiting for c in list(one.server.server_state.connections)):
        time.sleep(0.01)
    halves = [connected(one, "GET /heal") for _ in range(8)]
    assert all(ended(half) for half in halves[:4])  # those that have waited longest
    halves[-1].sendall(b"thz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status(halves[-1].recv(2000).decode()) == 200
    busy.sendall(b'{"data": {"text": "no spam"}}')
    assert status(busy.recv(2000).decode()) == 200
    for half in halves[4:]:
        half.close()
    busy.close()
    one.close()


def test_nobody_keeps_all_others_out_with_one_token(tmp_path):
    with closing(Live(tmp_path, each=5)) as one:
        busy = [connected(one, post(one, "ingest", 29)) for _ in range(5)]
        while sum(not c.waiting for c in list(one.server.server_state.connections)) < 5:
            time.sleep(0.01)
        me = connected(one, f"GET /v1/me HTTP/1.1\r\nHost: localhost\r\n{authorized(one)}\r\n")
        assert status(me.recv(2000).decode()) == 200
        assert ended(busy.pop(0))
        for each in busy:  # which go on
            each.sendall(b'{"data": {"text": "no spam"}}')
            assert status(each.recv(2000).decode()) == 200
            each.close()
        me.close()


def authorized(live, role="admin"):
    return f"Authorization: {live.headers(role)['authorization']}\r\n"


def test_the_oldest_of_many_event_streams_of_one_person_ends(live):
    head = f"GET /v1/streams/mail/events HTTP/1.1\r\nHost: localhost\r\n{authorized(live)}\r\n"
    other = connected(live, head.replace(authorized(live), authorized(live, "read")))
    streams = [other] + [connected(live, head) for _ in range(routes.FOLLOWED)]
    for each in streams:
        assert status(each.recv(100).decode()) == 200
    more = [connected(live, head) for _ in range(2)]
    ends = b"\r\n0\r\n\r\n"  # that of chunks
    for each in streams[1:3]:
        text = b""
        while not text.endswith(ends):
            text += each.recv(1 << 16)
    wanted = b'"items":%d,' % (live.host.view("mail")["items"] + 1)
    url, body = f"{live.url}/v1/streams/mail/items", {"data": {"text": "a"}}
    httpx2.post(url, json=body, headers=live.headers())
    for each in (other, streams[3], *more):
        text = b""
        while wanted not in text:
            text += each.recv(1 << 16)
    for each in (*streams, *more):
        each.close()


def test_large_bodies_take_turns(live, monkeypatch):
    monkeypatch.setattr(requests, "PATIENCE", 0.5)
    slow = [connected(live, post(live, "ingest", 1 << 20)) for _ in range(requests.AT_ONCE)]
    body = {"data": {"text": "fine"}}
    url, headers = f"{live.url}/v1/streams/mail/items", live.headers("ingest")
    assert httpx2.post(url, json=body, headers=headers, timeout=60).status_code == 200
    assert {status(one.recv(2000).decode()) for one in slow} == {408}
    for one in slow:
        one.close()


def test_only_items_may_be_large(live):
    head = f"Host: localhost\r\n{authorized(live)}Content-Length: 16385\r\n\r\n"
    mail = "/v1/streams/mail"
    paths = ["answers", "next", "items/1/answers", "items/1/renew", "items/1/release"]
    paths += ["answers/1/correct", "answers/1/undo"]
    requests = [f"POST {mail}/{path}" for path in paths]
    for request in [*requests, "POST /v1/tokens", f"DELETE {mail}/items/1"]:
        one = connected(live, f"{request} HTTP/1.1\r\n{head}")
        assert status(one.recv(2000).decode()) == 413, request
        one.close()
    label = {"id": "\U0001f600" * 200, "label": "\U0001f600" * 100}  # 12 bytes each in JSON
    reply = httpx2.post(f"{live.url}{mail}/answers", json=label, headers=live.headers())
    assert reply.status_code == 404


@pytest.mark.slow
def test_a_large_batch_arrives(live):
    lines = "\n".join(f'{{"data": {{"text": "spam {"x" * 900}", "n": {i}}}}}' for i in range(4000))
    url, headers = f"{live.url}/v1/streams/mail/batch", live.headers("ingest")
    reply = httpx2.post(url, content=lines.encode(), headers=headers, timeout=120)
    assert len(reply.json()["items"]) == 4000


@pytest.mark.slow
def test_hostile_connections_next_to_a_labeller(tmp_path):
    served = hostile.Served(tmp_path)
    try:
        for name in ("drip_second", "fat_head", "fat_body", "twice"):
            labeller = hostile.measured(served, name, "", False, 3, 100)
            assert len(labeller.times) >= 3
            assert labeller.quantile(0.5) < 2000
        assert not served.peak() > 600  # MB
    finally:
        assert served.end() == 0
