"""ActivityWatch by REST: the contract, against the real server; and a fake one that fails."""

import itertools

import pytest
import requests

from selectron import SelectronError
from selectron_desktop import feed as feeds
from selectron_desktop.feed import Feed
from selectron_desktop.naming import Titles
from selectron_desktop.saying import Saying
from selectron_desktop.server import ANSWERS, PREDICTIONS, Absent, Publisher, Server
from selectron_desktop.watching import PUBLISHED, Watch

from .days import at
from .servers import Fake, Real, free_port

PLAIN = Titles("plain")
BUCKETS = {
    "aw-watcher-window_desk": "currentwindow",
    "aw-watcher-afk_desk": "afkstatus",
    "aw-watcher-web-firefox_desk": "web.tab.current",
}
WINDOW, AFK, WEB = BUCKETS


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    pytest.importorskip("aw_server", reason="there is no aw-server here")
    server = Real(tmp_path_factory.mktemp("aw"))
    yield server
    server.close()


@pytest.fixture
def fake():
    made = []

    def make(**faults):
        made.append(Fake(**faults))
        for name, kind in BUCKETS.items():
            with_faults, made[-1].faults = made[-1].faults, {}
            made[-1].bucket(name, kind)
            made[-1].faults = with_faults
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(params=["real", "fake"])
def aw(request):
    """Both servers, in turn: what is asked of one holds for the other."""
    if request.param == "fake":
        return request.getfixturevalue("fake")()
    server = request.getfixturevalue("real")
    for name in server.send("buckets/"):
        server.send_delete(name)
    for name, kind in BUCKETS.items():
        server.bucket(name, kind)
    return server


def fill(aw):
    """Write ten minutes: a text, then a site, then nobody, then a text."""
    aw.put(WINDOW, at(0), at(3), app="gvim", title="thesis.tex")
    aw.put(WINDOW, at(3), at(8), app="firefox", title="Example")
    aw.put(WEB, at(3), at(8), url="http://example.org/", title="Example")
    aw.put(WINDOW, at(8), at(10), app="gvim", title="thesis.tex")
    aw.put(AFK, at(0), at(6), status="not-afk")
    aw.put(AFK, at(6), at(8), status="afk")
    aw.put(AFK, at(8), at(10), status="not-afk")


def resources(events):
    return [name for name, _ in itertools.groupby(event.resource for event in events)]


def test_what_watchers_wrote_is_read(aw):
    fill(aw)
    feed = Feed(Server(aw.url), PLAIN, at(0), "desk")
    events, until = feed.poll(at(60))
    assert until == at(56)  # the one that tells whether anybody is there is silent
    assert resources(events) == [
        "document:thesis.tex",
        "site:example.org",
        "",
        "document:thesis.tex",
    ]
    assert (events[0].start, events[-1].end) == (at(0), at(10))
    assert feed.poll(at(60)) == ([], until)


def test_events_that_grow_are_read_once_they_are_final(aw):
    feed = Feed(Server(aw.url), PLAIN, at(0), "desk")
    stream = []
    for second in range(0, 600, 10):
        now = at(0) + second
        aw.beat(WINDOW, now, app="gvim", title="thesis.tex")
        aw.beat(AFK, now, status="not-afk")
        stream += feed.poll(now)[0]
    assert [event.start for event in stream] == [at(i) for i in range(len(stream))]
    assert all(event.end - event.start == 60 for event in stream)
    assert len(stream) == 9


def test_an_event_of_hours_is_read_from_its_middle_on(aw):
    aw.put(WINDOW, at(0), at(300), app="gvim", title="thesis.tex")
    feed, stream = Feed(Server(aw.url), PLAIN, at(100), "desk"), []
    for minute in range(150, 320, 10):
        stream += feed.poll(at(minute))[0]
        assert len(feed.joiner.ends) < 30
    assert [event.start for event in stream] == [at(i) for i in range(100, 300)]


def test_nobody_there_is_told_of_afterwards(aw):
    """The watcher waits for three minutes before it says so: until then nothing is final."""
    feed = Feed(Server(aw.url), PLAIN, at(0), "desk")
    aw.put(WINDOW, at(0), at(4), app="gvim", title="thesis.tex")
    aw.put(AFK, at(0), at(1.5), status="not-afk")
    assert feed.poll(at(4))[1] == at(1)
    aw.put(AFK, at(1.5), at(4), status="afk")
    events, until = feed.poll(at(4.5))
    assert (resources(events), until) == (["document:thesis.tex", ""], at(4))
    assert events[0].end == at(1.5)
    assert feed.poll(at(4) + feeds.QUIET + 120)[1] == at(6)  # it may have gone silent for good


def test_predictions_merge_and_answers_come_once(aw):
    publisher = Publisher(Server(aw.url), "desk")
    for minute, name in enumerate(["mail", "mail", "mail", "thesis"]):
        publisher.send(PREDICTIONS, at(minute), at(minute + 1), name)
    for _ in range(2):
        publisher.send(ANSWERS, at(2), at(4), "thesis")
    predictions = aw.events("selectron-predictions_desk")
    assert sorted((e["data"]["activity"], e["duration"]) for e in predictions) == [
        ("mail", 180.0),
        ("thesis", 60.0),
    ]
    (answer,) = aw.events("selectron-answers_desk")
    assert (answer["data"], answer["duration"]) == ({"activity": "thesis"}, 120.0)
    Publisher(Server(aw.url), "desk").send(
        PREDICTIONS, at(4), at(5), "thesis"
    )  # the bucket is there
    assert len(aw.events("selectron-predictions_desk")) == 2


def test_of_several_computers_one_is_read(aw):
    aw.bucket("aw-watcher-window_lap", "currentwindow", "lap")
    aw.put("aw-watcher-window_lap", at(0), at(9), app="vlc", title="Film")
    aw.put(WINDOW, at(0), at(1), app="gvim", title="thesis.tex")
    events, _ = Feed(Server(aw.url), PLAIN, at(0), "lap").poll(at(20))
    assert resources(events) == ["application:vlc"]
    with pytest.raises(Absent, match="no windows of 'phone'"):
        Feed(Server(aw.url), PLAIN, at(0), "phone").poll(at(20))


def test_a_server_that_fails_in_every_way_tells_the_same_in_the_end(fake, began):
    plain = fake()
    fill(plain)
    whole, _ = Feed(Server(plain.url), PLAIN, at(0), "desk").poll(at(30))
    bad = fake(**{"500": 0.2, "garbage": 0.1, "cut": 0.1, "doubled": 0.5, "shuffled": 0.5})
    bad.buckets.update(plain.buckets)
    session, said = began(), []
    publisher = Publisher(Server(bad.url), "desk")
    watch = Watch(
        session, Feed(Server(bad.url), PLAIN, at(0), "desk"), (), publisher, said.append,
        lambda: at(30),
    )  # fmt: skip
    for minute, name in ((0, "thesis"), (2, "mail"), (5, "garden")):
        session.said("declare", name, at(minute), at(9))
    for _ in range(400):
        watch.step()
        if session.journal.setting(PUBLISHED) == session.seq:
            break
    found = [event for entry in session.journal.of("cell") for event in entry.body["events"]]
    assert [tuple(e[:3]) for e in found] == [
        (e.start, e.end, e.resource) for e in whole if not e.away
    ]
    told = bad.buckets["selectron-predictions_desk"]["events"]
    assert [(e["data"]["activity"], e["start"], e["end"]) for e in told] == [
        ("thesis", at(0), at(3)), ("mail", at(3), at(6)), ("thesis", at(8), at(10)),
    ]  # fmt: skip
    assert said  # it said what was wrong, and that it was over
    assert all("\n" not in one for one in said)


def test_an_event_of_the_future_blocks_nothing(fake, began):
    """A watcher's clock was years ahead, or the computer's, and was set right."""
    aw = fake()
    aw.put(WINDOW, at(5e4), at(5e4 + 1), app="vlc", title="Film")
    aw.put(WEB, at(0), at(6e6), url="http://example.org/", title="Example")
    fill(aw)
    session, said = began(), []
    feed = Feed(Server(aw.url), PLAIN, at(0))
    watch = Watch(session, feed, (), None, said.append, lambda: at(60))
    while watch.step():
        pass
    cells = list(session.journal.of("cell"))
    assert (cells[0].time, cells[-1].time) == (at(1), at(10))
    assert len(feed.joiner.ends) < 5
    watch.clock = lambda: at(5e4 + 5)
    while watch.step():
        pass
    assert session.until > at(5e4)
    watch.clock = lambda: at(100)
    aw.put(WINDOW, at(101), at(104), app="gvim", title="thesis.tex")
    aw.put(AFK, at(101), at(104), status="not-afk")
    watch.step()
    assert said == ["The clock was ahead: continuing from now."]
    watch.clock = lambda: at(110)
    watch.step()
    assert session.until >= at(104)
    assert list(session.journal.of("cell"))[-1].time == at(104)


@pytest.mark.slow
def test_jitter_and_doubles_do_no_harm(fake, began):
    aw = fake(jittered=1.0, doubled=1.0, shuffled=1.0)
    session = began()
    feed = Feed(Server(aw.url), PLAIN, at(0), "desk")
    watch = Watch(session, feed, clock=lambda: now)
    for second in range(0, 900, 5):
        now = at(0) + second
        aw.beat(WINDOW, now, app=f"app{second // 90}", title="")
        aw.beat(AFK, now, status="not-afk")
        watch.step()
    events = [event for entry in session.journal.of("cell") for event in entry.body["events"]]
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(events))
    assert sum(e[1] - e[0] for e in events) > 0.9 * (session.until - at(0))
    assert session.until >= at(13)


def test_a_server_that_is_not_there_slow_or_another(fake):
    with pytest.raises(Absent, match="no ActivityWatch server at http:"):
        Server(f"http://127.0.0.1:{free_port()}").buckets()
    slow = fake(slow=1.0)
    with pytest.raises(Absent, match="does not answer in time"):
        Server(slow.url, patience=0.2).buckets()
    with pytest.raises(Absent, match="fails: 500"):
        Server(fake(**{"500": 1.0}).url).buckets()
    for fault in ("garbage", "cut"):
        with pytest.raises(Absent, match="sends invalid data") as caught:
            Server(fake(**{fault: 1.0}).url).buckets()
        assert "\n" not in str(caught.value)
    assert Server().address == "http://127.0.0.1:5600"
    for wrong in ("nowhere", "ftp://127.0.0.1", "http://", "http://a:b"):
        with pytest.raises(SelectronError, match="is not an address"):
            Server(wrong)


def test_no_proxy_and_no_password_of_the_environment_is_used(fake, monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")  # nobody is there
    aw, sent = fake(), []
    monkeypatch.setattr(requests.Session, "get_adapter", _recorded(sent))
    assert WINDOW in Server(aw.url).buckets()
    assert ["authorization" in one.headers for one in sent] == [False]


def _recorded(sent):
    """Return a `get_adapter` that records the requests."""
    plain = requests.Session.get_adapter

    def get(session, url):
        adapter = plain(session, url)
        send = adapter.send
        adapter.send = lambda request, **options: sent.append(request) or send(request, **options)
        return adapter

    return get


def test_a_watch_outlives_its_server(fake, began):
    """It says once that the server is gone, and goes on when it is back."""
    aw = fake()
    fill(aw)
    session, said = began(), []
    session.said("declare", "thesis", at(0), at(0))
    feed = Feed(Server(aw.url), PLAIN, at(0), "desk")
    watch = Watch(session, feed, (), Publisher(Server(aw.url), "desk"), said.append, lambda: at(5))
    watch.step()
    assert session.until == at(4)
    aw.close()
    for _ in range(3):
        watch.step()
    assert len(said) == 1
    Saying(session.journal).declare("mail", at(4.5), at(5))
    watch.step()
    assert session.names.declared == (at(4.5), "mail")
    buckets = {name: one for name, one in aw.buckets.items() if not name.startswith("selectron")}
    back = Fake(port=aw.port, buckets=buckets)  # without the bucket of predictions
    try:
        watch.clock = lambda: at(30)
        watch.step()
        assert said[1:] == ["ActivityWatch is back."]
        assert session.predictor.heard[-1] == ["declare", "mail", at(4.5)]
        watch.step()
        assert "selectron-predictions_desk" in back.buckets
    finally:
        back.close()
    aw.close = lambda: None
