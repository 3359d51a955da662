"""Exported files, of both servers: what they hold, and what of it is kept."""

import json
import stat

import pytest

from selectron import SelectronError
from selectron_desktop import naming
from selectron_desktop.feed import read
from selectron_desktop.joining import moment, raw
from selectron_desktop.naming import Titles, secret

PLAIN = Titles("plain")


def event(time, duration, **data):
    return {"timestamp": f"2024-05-01T{time}", "duration": duration, "data": data}


def bucket(kind, *events, host="desk", **more):
    return {"type": kind, "client": "test", "hostname": host, "events": list(events), **more}


WINDOWS = (
    event("10:02:00.500000+00:00", 60, app="Word", title="Report.docx - Word"),
    event("10:00:00+00:00", 120.5, app="firefox", title="Example - Mozilla Firefox"),
)
TABS = (
    event("10:00:00+00:00", 60.0, url="https://www.example.org/a?secret=1", title="Example",
          audible=False, incognito=False, tabCount=3),
    event("10:01:20+00:00", 30, url="https://bank.example", title="Bank", incognito=True),
)  # fmt: skip
AFK = (event("10:02:30+00:00", 20, status="afk"), event("10:00:00+00:00", 150, status="not-afk"))
PYTHON = {
    "buckets": {
        "aw-watcher-window_desk": bucket("currentwindow", *WINDOWS),
        "aw-watcher-afk_desk": bucket("afkstatus", *AFK),
        "aw-watcher-web-firefox": bucket("web.tab.current", *TABS, host="unknown"),
        "selectron-predictions_desk": bucket("selectron.activity.predictions"),
    }
}


def rust(export):
    """Return an export as aw-server-rust writes it: numbers, oldest first, Z, nanoseconds."""
    made = json.loads(json.dumps(export))
    for name, one in made["buckets"].items():
        one |= {"id": name, "created": "2024-04-30T08:00:00.123456789Z", "data": {}}
        one["metadata"] = {"start": None, "end": None}
        for number, found in enumerate(reversed(one["events"])):
            date, _, fraction = found["timestamp"].removesuffix("+00:00").partition(".")
            found["timestamp"] = f"{date}.{fraction:0<9}Z" if fraction else f"{date}Z"
            found |= {"id": number, "duration": float(found["duration"])}
        one["events"].reverse()
    return made


def written(tmp_path, content):
    path = tmp_path / "export.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("dialect", [lambda export: export, rust])
def test_an_export_of_either_server(tmp_path, dialect):
    ten = moment("2024-05-01T10:00:00Z")
    found = read(written(tmp_path, dialect(PYTHON)), PLAIN)
    told = [(e.start - ten, round(e.end - ten, 3), e.resource) for e in found]
    assert told == [
        (0.0, 60.0, "site:example.org"),
        (60.0, 80.0, "site:example.org"),  # it is not told of more than once a minute
        (120.5, 150.0, "document:report.docx"),
        (150.0, 170.0, ""),
        (170.0, 180.0, "document:report.docx"),
        (180.0, 180.5, "document:report.docx"),
    ]
    assert found[0].words == ("example",)
    assert not any("bank" in word for event in found for word in event.words)


def test_one_bucket_alone_and_several_computers(tmp_path):
    one = {"id": "aw-watcher-window_desk", **bucket("currentwindow", *WINDOWS)}
    assert len(read(written(tmp_path, one), PLAIN)) == 5
    lap = bucket("currentwindow", event("11:00:00Z", 5, app="vim", title=""), host="lap")
    both = {"buckets": {**PYTHON["buckets"], "aw-watcher-window_lap": lap}}
    path = written(tmp_path, both)
    assert [e.resource for e in read(path, PLAIN, "lap")] == ["application:vim"]
    assert read(path, PLAIN) == read(written(tmp_path, PYTHON), PLAIN)
    with pytest.raises(SelectronError, match="no windows of 'phone', but of desk, lap"):
        read(written(tmp_path, both), PLAIN, "phone")


BAD = {
    "not JSON": "{",
    "no buckets": "[1, 2]",
    "buckets": '{"buckets": 5}',
    "no bucket of windows": '{"buckets": {}}',
    "no valid event": json.dumps({"buckets": {"a": bucket("currentwindow", 5, {}, None)}}),
}


@pytest.mark.parametrize("what", BAD)
def test_files_that_are_no_exports(tmp_path, what):
    with pytest.raises(SelectronError, match=what) as caught:
        read(written(tmp_path, BAD[what]), PLAIN)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"timestamp": "soon"},
        {"timestamp": None},
        {"timestamp": 5},
        {"duration": "long"},
        {"duration": -1},
        {"duration": float("nan")},
        {"duration": 1e300},
        {"timestamp": "0001-01-01T00:00:00"},
        {"data": None},
        {"data": []},
        {"data": {"app": 5, "title": None}},
    ],
)
def test_events_that_are_none_are_passed_over(broken):
    found = raw("window", {**event("10:00:00Z", 1, app="a", title="b"), **broken}, PLAIN)
    assert (found is None) == (broken not in ({}, {"data": {"app": 5, "title": None}}))


def test_times_agree_to_the_millisecond_whatever_they_look_like():
    texts = ("10:00:00.123Z", "10:00:00.123999+00:00", "12:00:00.123456789+02:00", "10:00:00.123")
    assert len({moment(f"2024-05-01T{text}") for text in texts}) == 1


def test_names_of_resources():
    def name(app, title):
        return naming.window({"app": app, "title": title}, PLAIN).resource

    assert name("gvim", "thesis.tex (~/thesis) - GVIM1") == "document:thesis.tex"
    assert name("soffice", "Budget 2024.ods \u2014 LibreOffice Calc") == "document:budget 2024.ods"
    assert name("Code.exe", "\u25cf main.py - selectron") == "document:main.py"
    assert name("org.gnome.Nautilus", "Holidays") == "folder:holidays"
    assert name("Slack", "general | Slack") == "application:slack"
    assert name("firefox", "paper.pdf - Mozilla Firefox") == "application:firefox"
    assert name("", "") == "application:unknown"


@pytest.mark.parametrize(
    ("app", "title"),
    [
        ("firefox", "Bank \u2014 Mozilla Firefox Private Browsing"),
        ("firefox", "Bank \u2014 Mozilla Firefox (Privater Modus)"),
        ("firefox", "Banque \u2014 Navigation prive\u0301e de Mozilla Firefox"),
        ("chrome.exe", "\u9280\u884c - Google Chrome (\u65e0\u75d5\u6a21\u5f0f)"),
        ("chrome.exe", "Bank - Google Chrome (Inkognito)"),
        ("Tor Browser", "Bank"),
        ("firefox", "Bank \u2014 Tor Browser"),
        ("floorp", "Bank \u2014 Floorp Private Browsing"),
        ("Pale moon", "Bank - Pale Moon (Private Browsing)"),
        ("palemoon.exe", "Bank - Pale Moon (Private Browsing)"),
        ("SeaMonkey", "Bank - SeaMonkey (Private Browsing)"),
        ("org.kde.falkon", "Bank - Falkon (Private Browsing)"),
    ],
)
def test_private_windows_are_hidden_title_and_all(app, title):
    seen = naming.window({"app": app, "title": title}, PLAIN)
    assert seen == naming.Seen("", (), naming.HIDDEN)


def test_half_a_surrogate_pair_is_replaced(tmp_path):
    """A title that was cut off may end with one: it could not be written as UTF-8."""
    for app in ("foo\ud83d", "foo \ud83d\ude00"):
        cut = bucket("currentwindow", event("10:00:00Z", 9, app=app, title="\ud83d.tex\ude00"))
        (found,) = read(written(tmp_path, {"buckets": {"w": cut}}), PLAIN)
        assert found.resource.startswith("application:foo")
        found.resource.encode()
        assert found.words == ("tex",)


def test_what_never_got_an_end_is_passed_over():
    data = {"app": "Word", "title": ""}
    one = {"timestamp": "2024-05-01T10:00:00Z", "duration": 86_400.0, "data": data}
    assert raw("window", one, PLAIN) is not None
    assert raw("window", one | {"duration": 2e7}, PLAIN) is None


@pytest.mark.parametrize("url", ["", "about:config", "http://[bad", "file:///etc/passwd"])
def test_tabs_without_a_host(url):
    assert naming.tab({"url": url, "title": "t"}, PLAIN) is None


def test_what_is_kept_of_titles(tmp_path):
    key = secret(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert secret(tmp_path / "key") == key
    assert secret(tmp_path / "other") != key
    hashed = Titles("hashed", key)
    (found,) = {event.resource for event in read(written(tmp_path, {"buckets": {
        "w": bucket("currentwindow", event("10:00:00Z", 9, app="Word", title="Report.docx"))
    }}), hashed)}  # fmt: skip
    assert found.startswith("document:")
    assert "report" not in found
    assert hashed.words("The report") == hashed.words("THE  Report!") != ("the", "report")
    assert hashed.words("report") != Titles("hashed", b"other").words("report")
    assert naming.window({"app": "Word", "title": "Report.docx"}, Titles("dropped")) == naming.Seen(
        "application:word"
    )
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(SelectronError, match="must have 32 random bytes"):
        secret(tmp_path / "key")
    with pytest.raises(SelectronError, match="must be one of"):
        Titles("shouted")
