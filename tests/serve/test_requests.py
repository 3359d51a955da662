"""Bodies, keys and limits: what is refused, and what is done once."""

import json
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx2
import pytest
from starlette.testclient import TestClient

from selectron.serve import server, strict, tokens
from selectron.serve.app import application
from selectron.serve.guard import Rates
from selectron.serve.strict import Problem

from .live import Live
from .mail import declared
from .test_access import TABLE, filled

ITEMS = "/v1/streams/mail/items"
BAD = {
    b'{"data": {"text": "a"}, "data": {}}': "comes twice",
    b'{"data": {"text": NaN}}': "NaN is not a number",
    b'{"data": {"n": -Infinity}}': "-Infinity is not a number",
    b'{"data": {"n": 1e999}}': "1e999 is too large for a number",
    b'{"data": {"n": 18446744073709551616}}': "beyond the whole numbers of 64 bits",
    b'{"data": {"n": 123456789012345678901234567890}}': "beyond the whole numbers of 64 bits",
    b'{"data": {"text": "\\ud800"}}': "half of a surrogate pair",
    b'{"data": {"text": "\xff"}}': "not in UTF-8",
    b'{"data": ' + b"[" * 100_000: "nested deeper than 32",
    b'{"data": {}': "expecting",
    b"": "",
}


@pytest.mark.parametrize("body", BAD, ids=lambda body: str(body[:30]))
def test_json_that_is_not_strict(shared, body):
    response = shared.post(ITEMS, "ingest", body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    assert set(response.json()["error"]) == {"code", "message"}
    assert BAD[body] in response.json()["error"]["message"]
    batch = shared.post("/v1/streams/mail/batch", "ingest", body).json()
    assert batch["refused"] == bool(body)
    for item in batch["items"]:
        assert item["line"] == 1
        assert BAD[body] in item["error"]["message"]


def test_json_without_its_header_gets_a_sentence(shared):
    body, headers = b'{"data": {"text": "a"}}', {"content-type": "text/plain"}
    response = shared.post(ITEMS, "ingest", body, headers=headers)
    assert response.status_code == 422
    sentence = (
        "The body must be a JSON object, sent with the header Content-Type: application/json."
    )
    assert response.json()["error"]["message"] == sentence


SHAPES = {
    "The body must be JSON, sent with the header": ("items", b""),
    "The body must be a JSON object, sent with the header": ("items", b"[]"),
    "The body must be a JSON list, sent with the header": ("label-studio", b"{}"),
    "body.data: Input should be a JSON object.": ("items", b'{"data": 1}'),
    "body.0: Input should be a JSON object.": ("label-studio", b"[1]"),
    '"message":"Input should be a JSON object."': ("batch", b"[1]"),
}


@pytest.mark.parametrize("sentence", SHAPES)
def test_bodies_of_another_shape(shared, sentence):
    path, body = SHAPES[sentence]
    headers = {"content-type": "application/json"}
    refused = shared.post(f"/v1/streams/mail/{path}", "ingest", body, headers=headers)
    assert sentence in refused.text


UNFIT = {
    "another name": {"data": {"text": "a"}, "label": "ham"},
    "no data": {"id": "a"},
    "no text": {"data": {"body": "a"}},
    "a number for text": {"data": {"text": 5}},
    "an id that is a number": {"id": 5, "data": {"text": "a"}},
    "an empty id": {"id": "", "data": {"text": "a"}},
    "a long id": {"id": "a" * 201, "data": {"text": "a"}},
    "a list": [1],
}


@pytest.mark.parametrize("case", UNFIT)
def test_items_that_will_not_do(shared, case):
    before = shared.get("/v1/streams/mail").json()["items"]
    assert shared.post(ITEMS, "ingest", UNFIT[case]).status_code == 422
    line = json.dumps(UNFIT[case]).encode()
    good = b'{"data": {"text": "fine"}}\n'
    batch = shared.post("/v1/streams/mail/batch", "ingest", good + line).json()
    assert batch["refused"] == 1
    assert batch["items"][0]["known"] is False
    assert set(batch["items"][1]) == {"line", "error"}
    assert shared.get("/v1/streams/mail").json()["items"] == before + 1


def test_a_batch_takes_what_is_good_and_names_other_lines(web):
    one = web()
    one.add("first", "a")
    lines = [
        b'{"data": {"text": "good"}, "id": "b"}',
        b"",
        b'{"data": {"text": 1e999}}',
        b'{"data": {"text": "another"}, "id": "a"}',
        b'{"data": {"text": "first"}, "id": "a"}',
        b'{"data": {"body": "no text"}}',
        b'{"data": {"text": "other"}, "id": "b"}',
        b'{"data": {"text": "last"}}',
    ]
    headers = {"Idempotency-Key": "k"}
    for _ in range(2):
        path = "/v1/streams/mail/batch"
        reply = one.post(path, "ingest", b"\n".join(lines), headers=dict(headers)).json()
        found = reply["items"]
        assert [item.get("known", item.get("line")) for item in found] == [
            False, 3, 4, True, 6, 7, False,
        ]  # fmt: skip
        codes = [item["error"]["code"] for item in found if "error" in item]
        assert codes == ["bad_json", "conflict", "invalid", "conflict"]
        assert reply["refused"] == 4
        assert "1e999 is too large" in found[1]["error"]["message"]
        kept = one.host.read(lambda db: db.execute("SELECT reply FROM replies").fetchall())
        assert "1e999" not in str(kept)
        assert one.get("/v1/streams/mail").json()["items"] == 3


def test_the_same_id_is_the_same_item(web):
    one = web()
    first, second = one.add("win money", "a"), one.add("win money", "a")
    assert (first["known"], second["known"]) == (False, True)
    assert {**first, "known": True} == second
    other = {"id": "a", "data": {"text": "another"}}
    assert one.post(ITEMS, "ingest", other).json()["error"]["code"] == "conflict"
    lines = [{"id": "b", "data": {"text": "x"}}, {"id": "b", "data": {"text": "x"}}, other]
    batch = "\n".join(map(json.dumps, lines[:2])).encode()
    found = one.post("/v1/streams/mail/batch", "ingest", batch).json()["items"]
    assert [item["known"] for item in found] == [False, True]
    assert one.get("/v1/streams/mail").json()["items"] == 2


def test_one_key_one_effect(web):
    one = web()
    body, headers = {"data": {"text": "win money"}}, {"Idempotency-Key": "k"}

    def send(_):
        return one.post(ITEMS, "ingest", body, headers=dict(headers)).text

    with ThreadPoolExecutor(8) as pool:
        replies = set(pool.map(send, range(100)))
    assert len(replies) == 1
    assert one.get("/v1/streams/mail").json()["items"] == 1
    other = one.post(ITEMS, "ingest", {"data": {"text": "b"}}, headers=dict(headers))
    assert other.status_code == 409
    assert other.json()["error"]["code"] == "key_reused"
    one.add("lunch")
    answer = {"label": "spam"}
    for _ in range(2):
        path = f"{ITEMS}/1/answers"
        said = one.post(path, "annotate", answer, headers={"Idempotency-Key": "k"})
        assert said.json()["supersedes"] is None  # another's key, and done once
    assert len(one.get("/v1/streams/mail/answers").json()["answers"]) == 1
    lease = {"lease": one.post("/v1/streams/mail/next").json()["question"]["lease"]["token"]}
    renewed = one.post(f"{ITEMS}/2/renew", "annotate", lease).json()["lease"]
    assert renewed["token"] == lease["lease"]
    for _ in range(2):  # the second would find the lease over
        path = f"{ITEMS}/2/release"
        released = one.post(path, "annotate", lease, headers={"Idempotency-Key": "r"})
        assert released.json().get("released"), released.text


def test_a_key_is_of_one_item_that_the_query_names(web):
    one, headers = web(), {"Idempotency-Key": "k"}
    for name in "ab":
        one.add(f"text {name}", name)
    first, again, other = (
        one.ask("DELETE", f"{ITEMS}?id={name}", headers=dict(headers)) for name in "aab"
    )
    assert first.json() == again.json() == {"item": 1, "id": "a", "erased": True}
    assert other.status_code == 409
    assert not one.get(f"{ITEMS}?id=b").json()["erased"]


def test_what_is_kept_for_a_key_holds_neither_items_nor_leases(web, tmp_path):
    one, mail, key = web(declared(annotators=2)), "/v1/streams/mail", {"Idempotency-Key": "k"}
    nothing = one.post(f"{mail}/next", "annotate", headers={"Idempotency-Key": "none"}).json()
    assert nothing == {"question": None}
    for text in ("secret 1", "secret 2"):
        one.add(text)

    def ask(path="next", body=None):
        return one.post(f"{mail}/{path}", "annotate", body, headers=dict(key))

    first, again = (ask().json()["question"] for _ in range(2))
    assert (again["item"], again["content"]) == (first["item"], {"text": "secret 1"})
    lease = {"lease": again["lease"]["token"]}
    old = one.post(f"{ITEMS}/1/renew", "annotate", {"lease": first["lease"]["token"]})
    assert old.status_code == 409  # one person has one lease of it
    key["Idempotency-Key"] = "r"
    renewed = [ask("items/1/renew", lease).text for _ in range(2)]
    assert renewed[0] == renewed[1]
    assert json.loads(renewed[0])["lease"]["token"] == lease["lease"]
    kept = one.host.read(lambda db: db.execute("SELECT * FROM replies").fetchall())
    assert len(kept) == 3
    for word in ("secret", lease["lease"], first["lease"]["token"]):
        assert word not in str(kept)
    one.post(f"{ITEMS}/1/answers", "annotate", {"label": "ham"})
    key["Idempotency-Key"] = "k"
    assert ask().json()["error"]["code"] == "lease_over"  # it leases no other
    assert (
        nothing == one.post(f"{mail}/next", "annotate", headers={"Idempotency-Key": "none"}).json()
    )


def test_replies_that_earlier_versions_kept_with_leases_are_deleted(desk):
    one = desk()
    store = one.service.store
    leased, nothing = '{"question":{"item":1,"lease":{"token":"x"}}}', '{"question":null}'
    for key, reply in {"a": leased, "b": "{}", "c": nothing}.items():
        store.put_reply(key, "", reply, one.now)
    one.crash()
    kept = desk().service.store.db.execute("SELECT key FROM replies").fetchall()
    assert kept == [("b",)]


def test_limits(web):
    one = web(rates=Rates(1e-9, 60))
    long = json.dumps({"data": {"text": "a" * (1 << 20)}}).encode()
    assert one.post(ITEMS, "ingest", long).status_code == 413
    assert one.post("/v1/streams/mail/batch", "ingest", b"x" * ((8 << 20) + 1)).status_code == 413
    many = b'{"data": {"text": "a"}}\n' * 5001
    assert one.post("/v1/streams/mail/batch", "ingest", many).status_code == 413
    codes = [one.get("/healthz", None).status_code for _ in range(60)]
    assert codes[0] == 200
    assert codes[-1] == 429


def test_hosts_and_origins(shared):
    def status(**headers):
        return shared.get("/healthz", None, headers=headers).status_code

    for good in (
        *("127.0.0.1", "127.0.0.1:8000", "[::1]:8000", "localhost:"),
        *("LOCALHOST", "LocalHost:8000", "localhost.", "localhost.:8000"),
    ):
        assert status(host=good) == 200, good
        assert status(host=good, origin=f"http://{good.lower()}") == 200
        assert status(host=good, origin="http://evil.example") == 403
    for bad in (
        *("evil.example", "evil.example:8000", "localhost.evil.example", "evil.localhost"),
        *("localhost..", "localhost:8000:8000", "localhost:x", "x@localhost", "", ".", ":8000"),
        *("localhost,evil.example", "localhost evil.example", "[::1].evil.example", "[::2]"),
    ):
        assert status(host=bad) == 421, bad
    assert status(origin="https://evil.example") == 403
    assert status(origin="null") == 403
    for scheme, wanted in {"http": 200, "HTTPS": 200, "evil": 403, "": 403}.items():
        assert status(origin=f"{scheme}://localhost") == wanted, scheme
    assert status(host="localhost:8000", origin="http://localhost:8001") == 403
    twice = [("host", "localhost"), ("host", "evil.example")]
    assert shared.client.get("/healthz", headers=twice).status_code == 421


def test_a_proxy_on_the_same_host_names_its_clients(tmp_path):
    with closing(Live(tmp_path, rates=Rates(1e-9, 2))) as one:

        def status(address):
            header = {"X-Forwarded-For": address} if address else {}
            return httpx2.get(f"{one.url}/v1/me", headers=one.headers() | header).status_code

        for last in ("10.0.0.1", "10.0.0.2", None):  # each has its rate; the proxy's is the last
            for first in ("", "6.6.6.6, "):
                assert status(last and first + last) == 200
            assert status(last and f"7.7.7.7, {last}") == 429
    elsewhere = server.server(None, "127.0.0.1", 0, 1).config.forwarded_allow_ips
    assert elsewhere == ["127.0.0.1", "::1"]  # whatever the environment has


@pytest.mark.parametrize(
    ("name", "host"),
    [("Mail.Example.org", "mail.example.ORG:443"), ("fd00::5", "[fd00::5]:8000"), ("a:8000", "a")],
)
def test_names_of_the_server(shared, name, host):
    client = TestClient(application(shared.host, [name]))
    assert client.get("/healthz", headers={"host": host}).status_code == 200
    assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 421


def test_head_is_get_without_the_body(live):
    paths = ("/", "/healthz", "/metrics", "/static/style.css", "/v1/streams/mail", "/none")
    with httpx2.Client(base_url=live.url, headers=live.headers()) as client:
        for path in (*paths, "/v1/streams/mail/items"):
            head, get = client.head(path), client.get(path)
            assert (head.status_code, head.content) == (get.status_code, b""), path
            assert {**head.headers, "date": ""} == {**get.headers, "date": ""}
        assert client.head("/metrics", headers={"authorization": ""}).status_code == 401
        for endless in ("/v1/streams/mail/events", "/v1/streams/mail/export"):
            assert client.head(endless).status_code == 200
        assert client.get("/v1/me").status_code == 200  # on the same connection
        end, tasks = time.monotonic() + 5, live.server.server_state.tasks
        while tasks and time.monotonic() < end:
            time.sleep(0.01)
        assert not tasks


@pytest.mark.parametrize("query", ["", "?format=csv", "?format=parquet"])
def test_the_schema_names_the_kinds_of_replies(live, query):
    with httpx2.Client(base_url=live.url, headers=live.headers()) as client:
        for path, methods in live.app.openapi()["paths"].items():
            if "get" in methods and (query == "" or path.endswith("/export")):
                head = client.head(filled(path) + query)
                kind = head.headers["content-type"].partition(";")[0]
                if head.status_code == 200:
                    assert kind in methods["get"]["responses"]["200"]["content"], path


def test_allow_names_every_method_of_a_path(shared):
    allowed = defaultdict(set)
    for path, method, _ in TABLE:
        allowed[filled(path)] |= {method, "HEAD"} if method == "GET" else {method}
    for path in allowed:
        refused = shared.ask("PUT", path)
        assert refused.status_code == 405
        assert set(refused.headers["allow"].split(", ")) == allowed[path]
    assert shared.ask("PUT", "/label").headers["allow"] == "GET, HEAD"


def test_every_response_has_the_headers_that_protect(shared):
    for response in (shared.get("/", None), shared.get("/v1/me", None), shared.get("/none", None)):
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"


def test_errors_have_one_shape(shared):
    for response in (
        shared.get("/none"),
        shared.ask("DELETE", ITEMS),
        shared.get("/v1/streams/none"),
        shared.get("/v1/streams/mail/items/0"),
        shared.get("/v1/streams/mail/items/99999"),
        shared.get("/v1/streams/mail/answers?limit=x"),
    ):
        assert response.status_code >= 400
        assert set(response.json()) == {"error"}
        assert set(response.json()["error"]) == {"code", "message"}
        assert "Traceback" not in response.text


def test_mistakes_of_ours_show_nothing(web, monkeypatch):
    one = web()
    monkeypatch.setattr("selectron.serve.reading.item", lambda *args: 1 / 0)
    response = one.get("/v1/streams/mail/items/1")
    assert response.status_code == 500
    assert "Zero" not in response.text


SLOW = {
    "names that come twice": (
        b"{%s}" % b",".join(b'"%d":1' % i for i in [*range(60_000), 59_999]),
        "comes twice",
    ),
    "brackets": (b"[%s1]" % (b"[]," * 2_000_000), "more than 200000 brackets"),
    "brackets in brackets": (b"[" * 150_000, "nested deeper than 32"),
    "brackets side by side": (b"[%s1]" % (b"[[]]," * 90_000), None),
}


@pytest.mark.parametrize("case", SLOW)
def test_json_is_read_in_linear_time(case):
    body, message = SLOW[case]
    start = time.process_time()
    if message is None:
        strict.loads(body)
    else:
        with pytest.raises(Problem, match=message):
            strict.loads(body)
    assert time.process_time() - start < 2


def test_the_token_and_the_role_come_before_the_body(shared):
    for body in (b"{", b"\xff", b'{"a": 1, "a": 2}'):
        headers = {"content-type": "application/json"}
        assert shared.post(ITEMS, None, body, headers=headers).status_code == 401
        assert shared.post(ITEMS, "read", body, headers=headers).status_code == 403
        assert shared.post(ITEMS, "ingest", body, headers=headers).status_code == 400


def test_refusals_do_not_pile_up():
    refusals = []
    for _ in range(2):
        with pytest.raises(Problem) as caught:
            tokens.check_role(None, ())
        refusals.append(caught.value)
    assert refusals[0] is not refusals[1]  # one that is raised again keeps the frames of all
