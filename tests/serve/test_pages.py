"""The pages, in a real browser: skipped where there is no Chromium."""

import re
import time

import pytest

from .mail import declared

EVIL = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>'

COMPILED = 60  # seconds in which what learns is compiled, if it never was


def send(site, *items, stream="mail"):
    """Send items, as the feed does."""
    import httpx2

    for i, data in enumerate(items):
        data = {"text": data} if isinstance(data, str) else data
        path, headers = f"{site.url}/v1/streams/{stream}/items", site.headers("ingest")
        body = {"id": f"k{time.monotonic_ns()}-{i}", "data": data}
        assert httpx2.post(path, json=body, headers=headers, timeout=COMPILED).status_code == 200


def answers(site):
    import httpx2

    url = f"{site.url}/v1/streams/mail/answers"
    found = httpx2.get(url, headers=site.headers(), timeout=COMPILED).json()
    return [(row["content"]["text"], row["verdict"], row["label"]) for row in found["answers"]]


def wait(condition, what):
    """Wait until something holds: what a first answer needs may still have to be compiled."""
    late = time.monotonic() + COMPILED
    while time.monotonic() < late:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(what)


def item(page, text):
    """Wait until the page shows an item."""
    wait(lambda: text in page.text_content("#item"), text)


def test_keys_label_skip_undo(site, visit):
    one = site()
    send(one, "first", "second", "third", "fourth")
    page = visit(one)
    item(page, "first")
    page.keyboard.press("2")
    item(page, "second")
    page.keyboard.press("Space")
    item(page, "third")
    page.keyboard.press("n")
    item(page, "fourth")
    wait(lambda: len(answers(one)) == 3, "three answers")
    assert answers(one) == [
        ("third", "none", None),
        ("second", "skip", None),
        ("first", "label", "spam"),
    ]
    page.wait_for_timeout(150)
    page.keyboard.press("u")
    item(page, "third")
    page.keyboard.press("1")
    wait(lambda: answers(one)[0] == ("third", "label", "ham"), "answered again")
    item(page, "fourth")


def test_keys_are_silent_while_typing_and_a_new_class_can_be_added(site, visit):
    one = site(declared(classes=["ham", "spam"], new_classes=True))
    send(one, "first", "second")
    page = visit(one)
    item(page, "first")
    page.fill("#fresh", "")
    page.type("#fresh", "n1 u?")
    assert answers(one) == []
    page.keyboard.press("Enter")
    item(page, "second")
    wait(lambda: answers(one) == [("first", "label", "n1 u?")], "a new class")


def test_help_and_labels_of_buttons(site, visit):
    one = site()
    send(one, "first")
    page = visit(one)
    item(page, "first")
    texts = page.locator("#answers button").all_inner_texts()
    assert [re.sub(r"\s+", " ", text) for text in texts] == ["1 ham", "2 spam"]
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("1")  # silent while the help is open
    page.keyboard.press("Escape")
    assert answers(one) == []


def test_offline_answers_wait_and_are_sent_once(site, visit):
    one = site()
    send(one, "first", "second", "third")
    page = visit(one)
    item(page, "first")
    page.wait_for_timeout(300)  # until the next one is there
    page.context.set_offline(True)
    page.keyboard.press("1")
    item(page, "second")
    page.keyboard.press("2")
    wait(lambda: page.text_content("#unsent") == "2 unsent", "two unsent")
    assert answers(one) == []
    page.context.set_offline(False)
    wait(lambda: len(answers(one)) == 2, "both answers arrive")
    page.wait_for_selector("#unsent", state="hidden")
    item(page, "third")
    assert sorted(answers(one)) == [("first", "label", "ham"), ("second", "label", "spam")]


def test_an_answer_whose_reply_is_lost_counts_once(site, visit):
    one = site()
    send(one, "first", "second")
    lost = []

    def lose(route):
        if lost:
            return route.continue_()
        try:
            lost.append(route.fetch())  # it arrives, and the reply does not
        finally:
            route.abort()

    page = visit(one, routes={"**/answers": lose})
    item(page, "first")
    page.keyboard.press("1")
    item(page, "second")
    page.wait_for_selector("#unsent", state="hidden", timeout=COMPILED * 1000)
    # Handlers run while a page is waited for, not while the test sleeps.
    wait(lambda: page.wait_for_timeout(20) or lost, "the first attempt")
    wait(lambda: len(answers(one)) == 1, "one answer")
    page.wait_for_timeout(3500)
    assert answers(one) == [("first", "label", "ham")]


def test_two_people_never_have_the_same_item(site, visit):
    one = site()
    one.tokens["bob"] = one.host.make_token("bob", "annotate", None)
    send(one, *(f"text {i}" for i in range(8)))
    first, second = visit(one), visit(one, role="bob")
    for page in (first, second):
        item(page, "text")
    for _ in range(3):
        shown = [page.text_content("#item") for page in (first, second)]
        assert shown[0] != shown[1]
        for page, text in zip((first, second), shown, strict=True):
            page.keyboard.press("1")
            wait(lambda page=page, text=text: page.text_content("#item") != text, "the next item")
    wait(lambda: len(answers(one)) == 6, "six answers")
    assert len({text for text, _, _ in answers(one)}) == 6


def test_a_lease_that_has_run_out(site, visit):
    one = site(declared(lease=1))
    send(one, "first")
    page = visit(one)
    item(page, "first")
    wait(lambda: "late" in page.text_content("#seconds"), "late")
    page.keyboard.press("2")
    wait(lambda: "late" in page.text_content("#said"), "late")
    assert answers(one) == [("first", "label", "spam")]
    assert one.host.views["mail"]["late"] == 1


def test_what_is_hostile_stays_text(site, visit):
    one = site(declared(classes=["ham", EVIL]))
    send(one, EVIL, {"text": EVIL, EVIL: {"deep": [EVIL, 1]}}, {"text": "x", "p": "javascript:1"})
    page = visit(one)
    item(page, "onerror")
    assert page.locator("#item img").count() == 0
    page.keyboard.press("2")
    item(page, "deep")
    assert page.locator("#item details").count() == 2
    page.keyboard.press("1")
    wait(lambda: len(answers(one)) == 2, "two answers")
    page.goto(f"{one.url}/history?stream=mail")
    page.wait_for_selector("tbody tr")
    assert EVIL in page.text_content("tbody")
    page.goto(f"{one.url}/history?stream={EVIL}")
    page.wait_for_timeout(200)
    assert page.evaluate("window.hurt") is None


def test_an_image_is_shown_and_read_out_by_its_name(site, visit):
    one = site()
    dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    send(one, {"text": "a photo", "photo": dot}, "second")
    page = visit(one)
    page.wait_for_selector("#item img")
    assert page.get_attribute("#item img", "alt") == "photo"
    assert page.evaluate("document.querySelector('#item img').naturalWidth") == 1
    page.click("#answers button >> nth=0")
    item(page, "second")
    assert page.evaluate("document.activeElement.id") == "item"


def test_a_question_that_comes_late_is_read_out_too(site, visit):
    one = site()
    send(one, "first")
    page = visit(one)
    item(page, "first")
    page.click("#answers button >> nth=0")
    page.wait_for_selector("#empty:not([hidden])")
    assert page.evaluate("document.activeElement.id") == ""
    send(one, "second")
    item(page, "second")
    assert page.evaluate("document.activeElement.id") == "item"


def test_questions_are_shown_whatever_happens_while_the_next_is_fetched(site, visit):
    one, running = site(), set()
    held = [None]  # the next request is held while this is empty
    send(one, "first", "second", "third", "fourth", "fifth")

    def hold(route):
        if held:
            route.continue_()
        else:
            held.append(route)

    page = visit(one, routes={"**/next": hold})
    page.on("request", lambda request: request.url.endswith("/next") and running.add(request))
    page.on("requestfinished", lambda request: running.discard(request))
    item(page, "first")

    def settle():
        """Wait until nothing is being fetched."""
        wait(lambda: page.wait_for_timeout(300) or not running, "all requests")

    def fetching():
        held.clear()
        page.keyboard.press("1")
        wait(lambda: page.wait_for_timeout(20) or held, "a request")

    settle()
    fetching()
    item(page, "second")
    page.keyboard.press("1")  # the last one that is ready
    held[0].continue_()
    item(page, "third")
    settle()
    fetching()
    item(page, "fourth")
    wait(lambda: len(answers(one)) == 3, "three answers")
    page.wait_for_timeout(300)
    page.keyboard.press("u")
    item(page, "third")
    held[0].continue_()
    settle()
    for text in ("third", "fourth", "fifth"):
        item(page, text)
        page.keyboard.press("1")
    wait(lambda: len([verdict for _, verdict, _ in answers(one) if verdict == "label"]) >= 5, "all")


def test_a_page_that_is_loaded_again_gives_back_its_questions(site, visit):
    one = site()
    send(one, "first", "second", "third")
    page = visit(one)
    item(page, "first")
    page.keyboard.press("1")
    item(page, "second")
    page.wait_for_timeout(1000)  # what is on its way while a page closes is lost until it runs out
    page.reload()
    item(page, "second")
    page.wait_for_timeout(1000)
    page.goto(f"{one.url}/history?stream=mail")
    page.go_back()
    item(page, "second")
    page.keyboard.press("2")
    item(page, "third")
    page.goto("about:blank")
    item(visit(one), "third")
    assert answers(one) == [("second", "label", "spam"), ("first", "label", "ham")]


def test_tabs_share_what_is_unsent(site, visit):
    one = site()
    send(one, *(f"text {i}" for i in range(6)))
    first = visit(one)
    item(first, "text")
    second = first.context.new_page()
    second.goto(first.url)
    item(second, "text")
    for page in (first, second):
        page.wait_for_timeout(300)
    first.context.set_offline(True)
    for page in (first, second):
        page.keyboard.press("1")
        wait(lambda page=page: page.text_content("#unsent") == "1 unsent", "one unsent")
    first.close()
    first = second.context.new_page()
    second.close()
    first.context.set_offline(False)
    first.goto(f"{one.url}/label?stream=mail")
    wait(lambda: first.wait_for_timeout(20) or len(answers(one)) == 2, "both answers")


def test_what_is_unsent_is_sent_as_the_person_who_answered(site, visit):
    one = site()
    one.tokens["bob"] = one.host.make_token("bob", "annotate", None)
    send(one, *(f"text {i}" for i in range(6)))
    page = visit(one, routes={"**/answers": lambda route: route.abort()})
    item(page, "text")
    page.keyboard.press("1")
    wait(lambda: page.text_content("#unsent") == "1 unsent", "one unsent")
    kept = page.evaluate("Object.entries(localStorage).filter(([name]) => /outbox/.test(name))")

    def withdrawn():
        """Take the answer back, as a page that is left may be online again, and send it."""
        page.keyboard.press("u")  # refused while the answer is on its way
        page.wait_for_timeout(100)
        return page.locator("#unsent").is_hidden()

    wait(withdrawn, "none unsent")
    tab = page.context.new_page()
    page.close()
    for who, found in (("bob", []), ("annotate", ["annotate"])):
        tab.goto(f"{one.url}/#token={one.tokens[who]}")
        tab.wait_for_selector("text=Honest accuracy")
        tab.evaluate("(kept) => kept.forEach((entry) => localStorage.setItem(...entry))", kept)
        tab.goto(f"{one.url}/label?stream=mail")
        item(tab, "text")
        tab.wait_for_timeout(1000)
        assert tab.locator("#unsent").is_hidden()
        rows = one.host.read(lambda db: [e.who for e in db.entries("kind = 'answer'")])
        assert rows == found


def test_an_empty_queue_says_so(site, visit):
    one = site()
    page = visit(one)
    page.wait_for_selector("#empty:not([hidden])")
    assert "Nothing waits" in page.text_content("#empty")
    wait(lambda: "Budget 100%" in page.text_content("#empty"), "Budget 100%")
    send(one, "at last")
    item(page, "at last")


def test_an_audit_hides_the_prediction(site, visit):
    one = site(declared(audit=1.0))
    send(one, "first")
    page = visit(one)
    item(page, "first")
    assert page.text_content("#prediction") == "Prediction hidden."
    assert "at random" in page.text_content("#why")


def test_an_answer_is_corrected(site, visit):
    one = site()
    send(one, "first")
    page = visit(one)
    item(page, "first")
    page.keyboard.press("1")
    wait(lambda: len(answers(one)) == 1, "an answer")
    page.click("text=History")
    page.wait_for_selector("tbody select")
    page.select_option("tbody select", label="spam")
    wait(lambda: page.locator("tbody tr").count() == 2, "the correction")
    assert answers(one)[0] == ("first", "label", "spam")
    assert one.host.views["mail"]["answered"] == 1


def test_a_token_is_asked_for(site, visit, browser):
    one = site()
    page = visit(one, "/")
    page.wait_for_selector("text=Honest accuracy")
    other = browser.new_context()
    bare = other.new_page()
    bare.goto(f"{one.url}/label?stream=mail")
    bare.fill("#token", "sel_wrong")
    bare.click("text=Enter")
    wait(lambda: "token" in bare.text_content("#refused"), "token")
    bare.fill("#token", one.tokens["annotate"])
    bare.click("text=Enter")
    bare.wait_for_selector("text=Honest accuracy")
    other.close()


def test_a_model_that_has_learned_nothing_predicts_nothing(site, visit):
    one = site(declared(classes=[f"c{i}" for i in range(60)], hide="never"))
    send(one, "first", "second", "third")
    page = visit(one)
    item(page, "first")
    assert page.text_content("#prediction") == "No prediction yet."
    page.keyboard.press("1")
    item(page, "second")
    page.keyboard.press("1")
    wait(lambda: len(answers(one)) == 2, "two answers")
    item(page, "third")  # a key pressed before it is shown would be lost
    send(one, "fourth")
    page.keyboard.press("1")
    item(page, "fourth")
    assert re.fullmatch(r"Predicted: c.* \(\d+\.\d%\)", page.text_content("#prediction"))
    page.goto(f"{one.url}/history?stream=mail")
    page.wait_for_selector("tbody tr")
    assert "\N{EN DASH}" in page.locator("tbody tr").last.locator("td").nth(1).text_content()


def test_fields_are_shown_in_their_order(site, visit):
    one = site()
    send(one, {"subject": "x", "text": "first", "body": "z", "age": 1})
    page = visit(one)
    item(page, "first")
    names = page.locator("#item .name").all_inner_texts()
    assert names == ["subject", "text", "body", "age"]


def test_keys_can_be_switched_off_for_good(site, visit):
    one = site()
    send(one, *(f"text {i}" for i in range(6)))
    page = visit(one)
    item(page, "text")
    page.keyboard.press("?")
    page.uncheck("#shortcuts")
    page.keyboard.press("Escape")
    page.reload()
    item(page, "text")
    shown = page.text_content("#item")
    for key in ("1", "n", "Space", "?"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert page.text_content("#item") == shown
    assert not page.locator("dialog").is_visible()
    assert page.locator("#answers kbd").first.is_hidden()
    page.click("#help")
    page.check("#shortcuts")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    wait(lambda: answers(one) == [(shown, "label", "ham")], "one answer")


def test_charts_have_a_legend_and_a_text(site, visit):
    one = site()
    send(one, *(f"text {i}" for i in range(3)))
    page = visit(one)
    item(page, "text 0")
    for i in (1, 2):
        page.keyboard.press("1")
        item(page, f"text {i}")
    page.wait_for_selector("#accuracy canvas")
    wait(lambda: "answered 2" in page.get_attribute("#labels", "aria-label"), "two answered")
    for name, words in {
        "accuracy": ["estimate", "95% interval", "drift"],
        "labels": ["asked for", "answered", "drift"],
        "queue": ["waiting", "drift"],
    }.items():
        figure = page.locator(f"figure:has(#{name})")
        assert figure.locator(".legend li").all_inner_texts() == words
        assert page.get_attribute(f"#{name}", "role") == "img"
        assert "3 items" in page.get_attribute(f"#{name}", "aria-label")
        figure.locator("summary").click()
        assert figure.locator("tbody tr").last.locator("td").first.inner_text() == "3"


def test_a_table_of_the_classes(site, visit):
    import httpx2

    one = site()
    page = visit(one)
    assert page.locator("#classes").is_hidden()
    for i in range(8):
        send(one, f"text {i}")
        number, url = one.host.views["mail"]["entry"], f"{one.url}/v1/streams/mail/items"
        body = {"label": "ham"}
        httpx2.post(f"{url}/{number}/answers", json=body, headers=one.headers(), timeout=COMPILED)
    wait(lambda: page.locator("#each-class tr").count() == 2, "two classes")
    wait(lambda: "8" in page.locator("#each-class td").first.inner_text(), "eight labels")
    rows = page.locator("#each-class tr").all_inner_texts()
    assert re.fullmatch(r"ham\s8\s100% \(\d+ to 100\)\s100% \(\d+ to 100\)", rows[0])
    assert rows[1].split() == ["spam", "0", "\N{EN DASH}", "\N{EN DASH}"]
    assert page.locator("#classes th[scope=col]").count() == 4
    assert page.locator("#each-class th[scope=row]").all_inner_texts() == ["ham", "spam"]
    assert "100.0%" in page.locator("dt:text('Always the most') + dd").inner_text()


@pytest.mark.parametrize("path", ["/label", "/history"])
def test_an_unknown_stream_says_so(site, visit, path):
    page = visit(site(), f"{path}?stream=nope")
    page.wait_for_selector("h2:has-text('There is no stream')")
    page.wait_for_timeout(300)
    assert page.text_content("#link") == ""
    assert "'nope'" in page.text_content("main")
    page.click("text=All streams")
    page.wait_for_selector("text=Honest accuracy")


def test_a_server_that_is_away_is_no_blank_page(site, visit):
    one = site()
    send(one, "first")
    page = visit(one)
    item(page, "first")
    page.wait_for_timeout(300)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.wait_for_selector("#empty:has-text('The server does not answer.')")
    page.context.set_offline(False)
    send(one, "second")
    item(page, "second")
    page.route("**/v1/streams**", lambda route: route.abort())
    for path in ("/", "/history?stream=mail"):
        page.goto(one.url + path)
        page.wait_for_selector("text=The server does not answer.")


def luminance(colour):
    digits = colour.strip().lstrip("#")
    digits = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_borders_and_texts_can_be_seen(site, visit, scheme):
    page = visit(site(), "/", color_scheme=scheme)
    style = "getComputedStyle(document.documentElement).getPropertyValue"
    names = ("line", "back", "card", "text", "quiet", "main", "warn", "good")
    light = {name: luminance(page.evaluate(f"{style}('--{name}')")) for name in names}
    for name, least in ({"line": 3.0, "good": 3.0} | dict.fromkeys(names[3:7], 4.5)).items():
        for ground in ("back", "card"):
            low, high = sorted((light[name], light[ground]))
            assert (high + 0.05) / (low + 0.05) >= least, (name, ground)


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 360, "height": 640}}])
def test_nothing_is_wider_than_the_screen(site, visit, options):
    one = site()
    send(one, "word " * 200 + "x" * 300, *(f"text {i}" for i in range(3)))
    page = visit(one, **options)
    item(page, "word")
    page.keyboard.press("1")
    item(page, "text 0")
    for path in ("/", "/label?stream=mail", "/history?stream=mail"):
        page.goto(one.url + path)
        page.wait_for_timeout(300)
        for summary in page.locator("figure summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_pages_are_small():
    from selectron.serve.app import FILES

    assert sum(map(len, FILES.values())) < 100_000
