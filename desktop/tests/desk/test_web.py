"""The page that asks: who may talk to it, and what it looks like to whoever answers."""

import re
import time

import pytest

from selectron import SelectronError
from selectron_desktop.home import token_of
from selectron_desktop.web import Page
from selectron_desktop.windows import Event

httpx2 = pytest.importorskip("httpx2", reason="there is no HTTP client here")
BEGUN = time.time() // 60 * 60 - 3600
EVIL = '<img src=x onerror="window.hurt=1">'


def seen(minute, name):
    start = BEGUN + 60 * minute
    return Event(start, start + 60, f"site:{name}", ())


def declared(session, minute, activity):
    session.said("declare", activity, BEGUN + 60 * minute, BEGUN + 60 * minute)


@pytest.fixture
def page(began, tmp_path):
    """A page with a question: is it the thesis again, and mail no more?"""
    session = began(clock=time.time)
    declared(session, 0, "thesis")
    session.advance([seen(0, "a"), seen(1, "a")], BEGUN + 120)
    declared(session, 2, "mail")
    session.advance([seen(2, "b"), seen(3, "a")], BEGUN + 240)
    session.said("create", "garden", BEGUN)
    one = Page(session, token_of(tmp_path))
    one.session = session
    yield one
    one.close()


def client(page, token=None, **headers):
    token = page.url.partition("token=")[2] if token is None else token
    headers = {"authorization": f"Bearer {token}", **headers}
    return httpx2.Client(base_url=f"http://127.0.0.1:{page.port}", headers=headers)


def answers(page):
    with page.session.thread:
        return [entry.body["activity"] for entry in page.session.journal.of("answer")]


def test_a_question_is_shown_and_answered(page):
    with client(page) as http:
        state = http.get("/v1/activity").json()
        assert (state["declared"], state["waiting"]) == ("mail", 1)
        assert state["activities"] == ["thesis", "mail", "garden"]
        question = state["question"]
        assert (question["id"], question["activity"], question["declared"]) == (1, "thesis", "mail")
        body = {"alarm": 1, "activity": "thesis"}
        for _ in range(2):  # the reply to the first may have been lost
            state = http.post("/v1/activity/answers", json=body).json()
            assert (state["question"], state["waiting"]) == (None, 0)
            assert state["declared"] == "thesis"
        assert answers(page) == ["thesis"]
        state = http.post("/v1/activity/declarations", json={"activity": "garden"}).json()
        assert state["declared"] == "garden"
        state = http.post("/v1/activity/activities", json={"activity": "tax"}).json()
        assert state["activities"][-1] == "tax"


def test_what_will_not_do_is_refused_and_changes_nothing(page):
    before = page.session.journal.head
    bad = [
        ("answers", {"alarm": 9, "activity": "a"}, 422),
        ("answers", {"alarm": 2**63, "activity": "a"}, 422),
        ("answers", {"alarm": -(2**70), "activity": "a"}, 422),
        ("answers", {"alarm": "1", "activity": "a"}, 422),
        ("answers", {"alarm": 1, "activity": ""}, 422),
        ("answers", {"alarm": 1}, 422),
        ("answers", [1], 422),
        ("activities", {"activity": "mail"}, 422),
        ("declarations", {"activity": "x" * 200}, 422),
        ("nothing", {}, 404),
    ]
    with client(page) as http:
        for path, body, status in bad:
            reply = http.post(f"/v1/activity/{path}", json=body)
            assert reply.status_code == status, (path, body)
        assert http.post("/v1/activity/answers", content=b"{").status_code == 400
        assert http.post("/v1/activity/answers", content=b"1" * (1 << 21)).status_code == 413
        assert http.post("/v1/activity").status_code == 405
    assert page.session.journal.head == before


def test_only_this_page_of_this_computer_with_the_token_is_heard(page):
    before = page.session.journal.head
    body = {"activity": "garden"}
    strangers = [
        ({"token": "x"}, 401),
        ({"token": "x" * 43}, 401),
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
    ]
    for how, status in strangers:
        with client(page, **how) as http:
            assert http.post("/v1/activity/declarations", json=body).status_code == status
            assert http.get("/v1/activity").status_code == status
    assert page.session.journal.head == before
    with client(page, token="none") as http:
        reply = http.get("/")
        assert reply.status_code == 200  # the page itself holds no data
        assert "script-src 'self'" in reply.headers["content-security-policy"]
    addresses = {one.getsockname()[0] for s in page.server.servers for one in s.sockets}
    assert addresses == {"127.0.0.1"}


def test_a_port_that_is_taken(page, tmp_path):
    with pytest.raises(SelectronError, match=f"port {page.port}: choose another"):
        Page(page.session, token_of(tmp_path), page.port)


def test_the_token_stays_and_is_the_owners(tmp_path):
    assert token_of(tmp_path) == token_of(tmp_path)
    assert (tmp_path / "token").stat().st_mode & 0o77 == 0


@pytest.fixture
def visit(browser):
    """Open the page; what the browser complains of fails the test."""
    contexts, complaints = [], []

    def go(page, **options):
        contexts.append(browser.new_context(**options))
        tab = contexts[-1].new_page()
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        tab.goto(page.url)
        tab.wait_for_selector("#declared:not(:empty)")
        return tab

    yield go
    for context in contexts:
        context.close()
    assert [one for one in complaints if "status of 4" not in one] == []


def test_one_key_answers(page, visit):
    tab = visit(page)
    assert tab.text_content("#asked") == "Are you working on “thesis”?"
    texts = [re.sub(r"\s+", " ", text) for text in tab.locator("#answers button").all_inner_texts()]
    assert texts == ["1 Yes, thesis", "2 No, still mail", "3 garden"]
    tab.keyboard.press("1")
    tab.wait_for_selector("#quiet", state="visible")
    assert not tab.is_visible("#question")
    assert answers(page) == ["thesis"]


def test_one_click_corrects_and_typing_is_no_answer(page, visit):
    tab = visit(page)
    tab.focus("#other")
    tab.keyboard.type("1")
    assert answers(page) == []
    tab.click("#answers >> text=garden")
    tab.wait_for_selector("#question", state="hidden")
    assert answers(page) == ["garden"]


def test_an_answer_is_corrected_by_one_key(page, visit):
    tab = visit(page)
    assert not tab.is_visible("#back")
    tab.keyboard.press("2")
    tab.wait_for_selector("#quiet", state="visible")
    tab.wait_for_selector("#back", state="visible")
    tab.keyboard.press("u")
    assert tab.text_content("#asked") == "Are you working on “thesis”?"
    tab.wait_for_timeout(2500)  # it stays, though the server has nothing to ask
    assert tab.is_visible("#question")
    tab.keyboard.press("3")
    tab.wait_for_selector("#quiet", state="visible")
    said = [(e.body["alarm"], e.body["activity"]) for e in page.session.journal.of("answer")]
    assert said == [(1, "mail"), (1, "garden")]
    assert page.session.predictor.owner["site:a"] == "garden"


def test_names_are_text_and_another_activity_can_be_typed(page, visit):
    tab = visit(page)
    tab.fill("#other", EVIL)
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#question", state="hidden")
    assert tab.text_content("#declared").startswith(EVIL)
    assert tab.evaluate("window.hurt") is None


def test_switching_creating_and_what_cannot_be(page, visit):
    tab = visit(page)
    tab.fill("#next", "garden")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#declared >> text=garden, since")
    tab.fill("#fresh", "mail")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#said.wrong")
    assert "already" in tab.text_content("#said")
    tab.fill("#fresh", "tax")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#activities >> text=tax")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling_and_everything_has_a_name(page, visit, scheme):
    tab = visit(page, viewport={"width": 360, "height": 700}, color_scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    named = "e => (e.labels?.[0]?.textContent || e.ariaLabel || e.textContent).trim()"
    for element in tab.query_selector_all("button, input"):
        assert element.evaluate(named)
    back = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == ("rgb(246, 247, 249)" if scheme == "light" else "rgb(18, 22, 28)")


def test_a_question_comes_by_itself(page, visit):
    page.session.said("answer", 1, "mail", BEGUN)
    tab = visit(page)
    assert not tab.is_visible("#question")
    declared(page.session, 5, "thesis")
    page.session.advance([seen(5, "c"), seen(6, "b")], BEGUN + 420)
    tab.wait_for_selector("#question", state="visible", timeout=5000)
    assert tab.text_content("#asked") == "Are you working on “mail”?"
