"""Every route x every token: the table is that of the application, so that none can be missed."""

import sqlite3
import threading
import time

import pytest

from selectron.serve import app, host, tokens
from selectron.serve.app import application
from selectron.serve.strict import Problem

ROLES = ("ingest", "annotate", "read")


def routes():
    """Return path, method and roles of every route; roles None for one that needs no token."""

    class Nothing:
        views, people = {}, {}

    found = []
    paths = application(Nothing()).openapi()["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            found.append((path, method.upper(), operation.get("x-roles")))
    return found


TABLE = routes()


def filled(path):
    return path.format(stream="mail", item=1, answer=2, name="nobody")


def test_the_table_has_every_route():
    class Nothing:
        views, people = {}, {}

    made = application(Nothing())
    known = {path for path, _, _ in TABLE}
    plain = {*app.PAGES, "/static/{name}", "/v1/openapi.json"}
    assert paths(made.routes) == known | plain


def paths(routes):
    """Return the paths of routes, and of those within them."""
    found = set()
    for route in routes:
        if hasattr(route, "original_router"):
            found |= paths(route.original_router.routes)
        else:
            found.add(route.path)
    return found


def test_only_these_are_open_to_all():
    assert {path for path, _, roles in TABLE if roles is None} == {"/healthz"}


@pytest.mark.parametrize(("path", "method", "roles"), TABLE)
def test_tokens(shared, path, method, roles):
    if roles is None:
        assert shared.ask(method, filled(path), None).status_code == 200
        return
    expired = shared.host.make_token("old", "admin", 1)
    digest = tokens.token_hash(expired)
    shared.host.people[digest] = tokens.Person("old", "admin", time.time() - 1, digest)
    for token in (None, "sel_wrong", "", expired):
        response = shared.ask(method, filled(path), token)
        assert response.status_code == 401, response.text
        assert response.json()["error"]["code"] == "unauthorized"
    if "events" in path:
        return  # it would go on for good: another test reads it
    for role in ROLES:
        response = shared.ask(method, filled(path), role)
        assert (response.status_code == 403) == (role not in roles), response.text
    assert shared.ask(method, filled(path), "admin").status_code not in (401, 403)


def test_the_news_are_for_readers(shared):
    assert shared.get("/v1/streams/mail/events", "ingest").status_code == 403


def test_tokens_are_kept_as_hashes_and_made_by_admins(web):
    one = web()
    body = {"name": "eva", "role": "annotate", "days": 1}
    made = one.post("/v1/tokens", "admin", body).json()
    assert one.get("/v1/me", made["token"]).json() == {"name": "eva", "role": "annotate"}
    stored = one.host.read(lambda db: db.execute("SELECT * FROM tokens").fetchall())
    assert made["token"] not in str(stored)
    again = one.post("/v1/tokens", "admin", body)  # names are unique: answers are kept under them
    assert again.status_code == 409
    assert one.get("/v1/me", made["token"]).status_code == 200
    listed = one.get("/v1/tokens", "admin")
    assert {"eva", "admin", *ROLES} == {row["name"] for row in listed.json()["tokens"]}
    assert made["token"] not in listed.text
    assert {*listed.json()["tokens"][0]} == {"name", "role", "expires"}
    assert one.ask("DELETE", "/v1/tokens/eva", "admin").status_code == 200
    assert one.get("/v1/me", made["token"]).status_code == 401
    assert one.ask("DELETE", "/v1/tokens/eva", "admin").status_code == 404
    again = one.post("/v1/tokens", "admin", body).json()["token"]
    assert one.get("/v1/me", again).status_code == 200


def test_a_new_token_of_the_same_name_does_not_take_up_the_streams_of_events_of_the_old(web):
    host = web().host
    before = next(person for person in host.people.values() if person.name == "read")
    assert host.knows(before)
    host.revoke_token("read")
    host.make_token("read", "read", None, new=True)
    assert not host.knows(before)


def test_a_token_that_is_made_while_another_is_revoked(web, monkeypatch):
    host, made = web().host, []
    accepted = host._accepted
    making = threading.Thread(target=lambda: made.append(host.make_token("new", "read", None)))

    def slow(people):
        if not making.ident:
            making.start()
            making.join(0.5)
        return accepted(people)

    monkeypatch.setattr(host, "_accepted", slow)
    with pytest.raises(Problem):
        host.revoke_token("nobody")
    making.join()
    assert tokens.token_hash(made[0]) in host.people


def test_a_token_is_revoked_on_a_full_disk(web, monkeypatch):
    one = web()

    def full():
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(one.host.service.store, "commit", full)
        refused = one.ask("DELETE", "/v1/tokens/annotate")
        assert refused.status_code == 507
        assert "'annotate' is revoked until the server ends" in refused.json()["error"]["message"]
        assert one.get("/v1/me", "annotate").status_code == 401
    monkeypatch.setattr("selectron.serve.host.RETRY", 0.05)
    body = {"name": "eva", "role": "read"}
    while one.post("/v1/tokens", "admin", body).status_code == 507:
        time.sleep(0.05)
    assert one.get("/v1/me", "annotate").status_code == 401  # though the store has it
    assert one.ask("DELETE", "/v1/tokens/annotate").status_code == 200
    assert one.ask("DELETE", "/v1/tokens/annotate").status_code == 404
    assert one.get("/v1/me", "read").status_code == 200


def test_a_token_expires(tmp_path):
    now = [1000.0]
    from .mail import declared

    one = host.Host(tmp_path, [declared()], clock=lambda: now[0])
    token = one.make_token("eva", "read", 2)
    assert tokens.owner(f"Bearer {token}", one.people, now[0]).name == "eva"
    now[0] += 2 * tokens.DAY
    assert tokens.owner(f"Bearer {token}", one.people, now[0]) is None
    one.stop()
