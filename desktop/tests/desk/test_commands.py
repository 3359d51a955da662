"""`selectron-desktop` as it is typed; and a whole watch, with ActivityWatch and a kill."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import date, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from selectron import SelectronError
from selectron_desktop.cli import main
from selectron_desktop.journal import Journal

from .servers import Real, free_port

EXPORT = {
    "buckets": {
        "w": {
            "type": "currentwindow",
            "hostname": "desk",
            "events": [
                {"timestamp": f"2024-05-01T{10 + m // 60}:{m % 60:02}:00Z", "duration": 60,
                 "data": {"app": "gvim", "title": f"{'thesis' if m % 20 < 10 else 'mail'}.tex"}}
                for m in range(120)
            ],
        }
    }
}  # fmt: skip


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.setenv("SELECTRON_ACTIVITY", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return lambda *args: CliRunner().invoke(main, [*map(str, args)])


def kinds(tmp_path):
    journal = Journal(tmp_path / "home")
    found = [entry.kind for entry in journal.after(0)]
    journal.close()
    return found


def test_declaring_and_listing(call, tmp_path):
    assert call("declare", "Write the thesis").output.startswith("Write the thesis, since ")
    late = call("declare", "mail", "--since", "20min")
    assert (late.exit_code, ", until " in late.output) == (0, True)  # the thesis began later
    assert call("create", "garden").exit_code == 0
    assert call("close", "garden").exit_code == 0
    assert call("rename", "mail", "post").exit_code == 0
    assert call("associate", "site:example.org", "post").exit_code == 0
    lines = ["* Write the thesis", "  garden  (closed)", "  post"]
    assert sorted(call("list").output.splitlines()) == sorted(lines)
    assert call("merge", "post", "Write the thesis").exit_code == 0
    assert call("list").output.splitlines()[-1] == "  garden  (closed)"
    assert call("answer").output == "0 waiting, 0 older\n"


def test_what_will_not_do_is_told_in_a_sentence(call, tmp_path):
    (tmp_path / "no.json").write_text("{")
    (tmp_path / "said.csv").write_text("when,what\n")
    (tmp_path / "unsaid.csv").write_text("time,activity\n2024-05-01,mail\n2024-05-02,\n")
    (tmp_path / "short.csv").write_text("time,activity\n2024-05-01\n")
    (tmp_path / "latin.csv").write_bytes("time,activity\n2024-05-01,Ü\n".encode("latin-1"))
    (tmp_path / "long.csv").write_text(f"time,activity\n2024-05-01,mail\n{'x' * 200_000},mail\n")
    (tmp_path / "export.json").write_text(json.dumps(EXPORT))
    call("declare", "mail")
    bad = {
        1: [
            ("declare", ""),
            ("rename", "nobody", "a"),
            ("answer", "mail"),
            ("answer", "mail", "--alarm", "5"),
            ("import", "no.json"),
            ("import", "export.json", "--declarations", "said.csv"),
            ("import", "export.json", "--declarations", "unsaid.csv"),
            ("import", "export.json", "--declarations", "short.csv"),
            ("import", "export.json", "--declarations", "latin.csv"),
            ("import", "export.json", "--declarations", "long.csv"),
            ("report", "--home", tmp_path / "typo"),
            ("list", "--home", tmp_path / "typo"),
            ("associate", "thesis.tex", "mail"),
            ("import", "export.json", "--host", "elsewhere"),
            ("import", "export.json", "--budget", "much"),
            ("watch", "--server", "nowhere"),
            ("list", "--home", tmp_path / "no.json" / "a"),
        ],
        2: [
            ("declare",),
            ("declare", "a", "--since", "soon"),
            ("report", "--day", "someday"),
            ("report", "--day", "9999-12-31"),
            ("report", "--html", "day.pdf"),
            ("import", "nowhere.json"),
            ("watch", "--port", "100000"),
            ("watch", "--poll", "nan"),
            ("import", "export.json", "--titles", "shouted"),
            ("dance",),
        ],
    }
    for code, calls in bad.items():
        for one in calls:
            done = call(*one)
            assert done.exit_code == code, (one, done.output)
            assert "Traceback" not in done.output
            if code == 1:
                assert done.stderr.startswith("selectron: ")
                assert done.stderr.count("\n") == 1
    assert kinds(tmp_path) == ["declare"]
    assert not (tmp_path / "typo").exists()


def test_a_file_is_taken_up_once_and_reported(call, tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    (tmp_path / "export.json").write_text(json.dumps(EXPORT))
    said = ["time,activity"]
    said += [
        f"2024-05-01T{10 + m // 60}:{m % 60:02}:00Z,{'mail' if m % 20 else 'thesis'}"
        for m in range(0, 110, 10)  # but for the last one
    ]
    (tmp_path / "said.csv").write_text("\n".join(said))
    first = call("import", "export.json", "--declarations", "said.csv", "--budget", "none")
    assert first.exit_code == 0, first.output
    assert first.output.startswith("120 new events, 2.0 hours of work, ")
    alarms = kinds(tmp_path).count("alarm")
    assert alarms  # mail came back, and nobody said so
    assert call("import", "export.json").output == "0 new events, 0.0 hours of work, 0 alarms\n"
    refused = call("import", "export.json", "--budget", "9/1d")
    assert "was created with budget 'none', not '9/1d'" in refused.stderr
    assert call("answer", "mail", "--alarm", "1").output == "Alarm 1: mail\n"
    shown = call("report", "--day", "2024-05-01").output
    assert f"{alarms} asked, 1 answered" in shown
    assert "2:00        in all" in shown
    assert call("report", "--html", "day.HTML").exit_code == 0
    written = call("report", "--day", "2024-05-01", "--html", "day.html")
    assert (written.exit_code, written.stdout) == (0, "")
    assert "thesis" in (tmp_path / "day.html").read_text()
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def said(tmp_path):
    """Write the export, and what was declared but for the last switch, which is forgotten."""
    (tmp_path / "export.json").write_text(json.dumps(EXPORT))
    rows = [
        f"2024-05-01T{10 + m // 60}:{m % 60:02}:00Z,{'mail' if m % 20 else 'thesis'}"
        for m in range(0, 110, 10)
    ]
    (tmp_path / "said.csv").write_text("\n".join(["time,activity", *rows]))


def test_declarations_may_come_after_the_events(call, said, tmp_path):
    first = call("import", "export.json", "--budget", "none")
    assert "these events are not predicted later" in first.stderr
    assert "a new --home with --declarations" in " ".join(first.stderr.split())
    later = call("import", "export.json", "--declarations", "said.csv")
    assert later.exit_code == 0, later.output
    assert later.stdout.endswith(", 11 new declarations\n")
    assert kinds(tmp_path).count("switch") == 11
    shown = call("report", "--day", "2024-05-01").output
    assert "not declared" not in shown
    assert "mail" in shown
    again = call("import", "export.json", "--declarations", "said.csv")
    assert again.stdout.endswith(", 0 new declarations\n")
    assert kinds(tmp_path).count("declare") == 11


def test_a_declaration_of_the_future_changes_nothing(call, said, tmp_path):
    (tmp_path / "said.csv").write_text("time,activity\n2024-05-01,mail\n2500-05-02,mail\n")
    done = call("import", "export.json", "--declarations", "said.csv")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert kinds(tmp_path) == []


def test_alarms_of_an_import_are_listed_and_answered(call, said):
    done = call("import", "export.json", "--declarations", "said.csv", "--budget", "none")
    assert "answer --all" in done.stderr
    shown = call("answer").stdout
    count = int(shown.split("0 waiting, ")[1].split()[0])
    assert count > 0
    lines = call("answer", "--all").stdout.splitlines()
    assert len(lines) == count + 1
    number, day, question = lines[0].split(maxsplit=2)
    assert day.startswith("2024-05-0")
    assert question.startswith("Are you now working on ")
    assert call("answer", "mail", "--alarm", number).stdout == f"Alarm {number}: mail\n"
    assert call("answer").stdout == f"0 waiting, {count - 1} older\n"


def test_a_day_without_declarations_says_what_would_help(call, said):
    call("import", "export.json")
    shown = " ".join(call("report", "--day", "2024-05-01").output.split())
    assert "Nothing was declared on this day: selectron-desktop declare NAME --since 2024" in shown
    call("report", "--day", "2024-05-01", "--html", "day.html")
    assert "Nothing was declared on this day" in Path("day.html").read_text()
    call("import", "export.json", "--declarations", "said.csv")
    assert "Nothing was declared" not in call("report", "--day", "2024-05-01").output


def test_of_several_computers_the_one_that_is_taken_is_named(call, tmp_path):
    export = json.loads(json.dumps(EXPORT))
    other = {**export["buckets"]["w"], "hostname": "laptop"}
    export["buckets"]["v"] = {**other, "events": other["events"][:5]}
    (tmp_path / "export.json").write_text(json.dumps(export))
    done = call("import", "export.json")
    assert "export.json has windows of desk, laptop: using desk; --host selects" in done.stderr
    assert call("import", "export.json", "--host", "desk").stderr.count("--host") == 0


def test_what_is_of_the_future_is_not_taken_up(call, tmp_path):
    """One such event, and all that comes until then would be late."""
    export = json.loads(json.dumps(EXPORT))
    export["buckets"]["w"]["events"][9]["timestamp"] = "2500-05-01T10:00:00Z"
    (tmp_path / "export.json").write_text(json.dumps(export))
    assert call("import", "export.json").output.startswith("119 new events, ")
    assert call("import", "export.json").output.startswith("0 new events, ")


def test_events_that_are_skipped_are_counted(call, tmp_path):
    """Those that the journal has are not, and nobody's presence is no news."""
    export = json.loads(json.dumps(EXPORT))
    afk = [{"timestamp": "2024-05-01T11:30:00Z", "duration": 7200, "data": {"status": "afk"}}]
    export["buckets"]["a"] = {"type": "afkstatus", "hostname": "desk", "events": afk}
    (tmp_path / "export.json").write_text(json.dumps(export))
    for count in (90, 0):
        done = call("import", "export.json")
        assert done.output.startswith(f"{count} new events, ")
        assert "were skipped" not in done.stderr
    for one in export["buckets"]["w"]["events"]:
        one["timestamp"] = one["timestamp"].replace("05-01", "04-30")
    (tmp_path / "export.json").write_text(json.dumps(export))
    done = call("import", "export.json")
    assert "Events before 2024-05-01 " in done.stderr
    assert "were skipped (120): the journal has later ones; use a new --home." in done.stderr


def test_output_that_cannot_be_written_ends_no_command_with_a_traceback(tmp_path):
    env = {**os.environ, "PYTHONIOENCODING": "cp1252", "SELECTRON_ACTIVITY": str(tmp_path / "h")}
    command = [sys.executable, "-m", "selectron_desktop"]
    given = {"env": env, "capture_output": True}
    done = subprocess.run([*command, "declare", "\u03a0test"], **given)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"?test, since ")
    read, write = os.pipe()
    os.close(read)  # nobody reads any more, as after `| head -1`
    done = subprocess.run([*command, "report"], stdout=write, stderr=subprocess.PIPE, env=env)
    os.close(write)
    assert done.stderr == b""


@pytest.mark.slow
def test_no_module_of_one_system_alone_is_needed(tmp_path):
    program = (
        "import sys; sys.modules |= dict.fromkeys(['fcntl', 'termios', 'resource', 'pwd'])\n"
        "from selectron_desktop.cli import main\n"
        "main(['import', 'nothing.json', '--home', 'h'])"
    )
    (tmp_path / "nothing.json").write_text(json.dumps(EXPORT))
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout[:15]) == (0, b"120 new events,"), done.stderr


def test_nothing_heavy_is_imported_for_a_declaration(tmp_path):
    program = (
        "import sys; from selectron_desktop.cli import main\n"
        "try: main(['declare', 'mail', '--home', sys.argv[1]])\n"
        "except SystemExit: pass\n"
        "print({'numpy', 'numba', 'sklearn', 'fastapi', 'requests'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "h"], capture_output=True)
    assert done.stdout.decode().splitlines()[-1] == "set()", done.stderr


class Watch:
    """A watch in a process of its own, whose lines are kept."""

    def __init__(self, folder, *args):
        names = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
        env = {**os.environ, **{name: str(folder / name) for name in names}}
        env["SELECTRON_ACTIVITY"] = str(folder / "home")
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "selectron_desktop", "watch", *args],
            env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.lines = []
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()

    def _read(self):
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def wait(self, condition, what):
        limit = time.monotonic() + 90
        while not condition():
            assert self.process.poll() is None, self.lines
            assert time.monotonic() < limit, (what, self.lines)
            time.sleep(0.05)

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(60)
        self.reading.join(10)
        self.process.stdout.close()
        return self.process.returncode


@pytest.mark.slow
def test_a_watch_from_start_to_end(tmp_path):
    """The server is absent, comes, is read and told; the watch is killed, and goes on."""
    pytest.importorskip("aw_server", reason="there is no aw-server here")
    port = free_port()
    minute = time.time() // 60 * 60
    journal = Journal(tmp_path / "home")
    with journal.writing():  # as if it had watched until an hour ago
        journal.append("cell", minute - 3600, minute, {"events": [[minute - 3660, minute - 3600,
                       "site:a", []]]})  # fmt: skip
        journal.append("declare", minute - 3600, minute, {"activity": "thesis"})
    options = ("--server", f"http://127.0.0.1:{port}", "--web", "--port", "0", "--ask", "none")
    options += ("--poll", "1")
    watch = Watch(tmp_path, *options)
    watch.wait(lambda: any("no ActivityWatch server" in line for line in watch.lines), "absent")
    server = Real(tmp_path, port)
    try:
        server.bucket("aw-watcher-window_desk", "currentwindow")
        window = "aw-watcher-window_desk"
        server.put(window, minute - 3600, minute - 1800, app="gvim", title="thesis.tex")
        count = lambda: sum(1 for _ in journal.of("cell"))  # noqa: E731
        watch.wait(lambda: count() == 31, "half an hour is read")
        assert "ActivityWatch is back.\n" in watch.lines
        assert watch.end(signal.SIGKILL) == -signal.SIGKILL
        server.put(window, minute - 1800, minute - 600, app="gvim", title="thesis.tex")
        again = Watch(tmp_path, *options)
        again.wait(lambda: count() == 51, "the rest is read")
        bucket = f"selectron-predictions_{os.uname().nodename}"
        told = lambda: sum(e["duration"] for e in server.events(bucket))  # noqa: E731
        again.wait(lambda: bucket in server.send("buckets/") and told() == 3000.0, "it is told")
        assert {e["data"]["activity"] for e in server.events(bucket)} == {"thesis"}
        assert len(server.events(bucket)) == 1  # heartbeats have merged
        assert any(line.startswith("Open http://127.0.0.1:") for line in again.lines)
        assert again.end(signal.SIGTERM) == 0
        third = Watch(tmp_path, *options)
        third.wait(lambda: any("Watching" in line for line in third.lines), "it starts")
        # a shell reports 130 for both: if a signal falls into the `exec` of text that dataclasses
        # are made with, Python ends by that signal, though the interruption is handled
        assert third.end(signal.SIGINT) in (130, -signal.SIGINT), third.lines
        assert third.lines[-1] == "selectron: interrupted\n"
        assert "Traceback" not in "".join(watch.lines + again.lines + third.lines)
        assert count() == 51
        assert len({entry.time for entry in journal.of("cell")}) == 51
    finally:
        server.close()
        journal.close()


@pytest.mark.slow
def test_a_watch_in_a_new_folder_takes_up_what_the_server_has(tmp_path):
    pytest.importorskip("aw_server", reason="there is no aw-server here")
    minute = time.time() // 60 * 60
    server = Real(tmp_path, free_port())
    watch = None
    try:
        server.bucket("aw-watcher-window_desk", "currentwindow")
        for start in (minute - 10 * 86_400, minute - 2 * 86_400, minute - 3600):
            window = "aw-watcher-window_desk"
            server.put(window, start, start + 600, app="gvim", title="thesis.tex")
        journal = Journal(tmp_path / "home")
        watch = Watch(tmp_path, "--server", server.url, "--ask", "none", "--poll", "1")
        count = lambda: sum(1 for _ in journal.of("cell"))  # noqa: E731
        watch.wait(lambda: count() == 20, "a week is read")
        assert "using the server's events since" in "".join(watch.lines)
    finally:
        if watch is not None:
            watch.end(signal.SIGTERM)
        server.close()
        journal.close()


def test_declarations_in_a_file_are_local_unless_they_have_an_offset(tmp_path, monkeypatch):
    from selectron_desktop.times import stated

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    path = tmp_path / "said.csv"
    path.write_text("time,activity\n2024-05-01 10:00,a\n2024-05-01T10:00Z,b\n", "utf-8-sig")
    (first, _), (second, _) = stated(path)
    monkeypatch.undo()
    time.tzset()
    assert first - second == 4 * 3600


def test_a_line_of_a_file_without_a_name_is_told(tmp_path):
    from selectron_desktop.times import stated

    path = tmp_path / "said.csv"
    path.write_text("time,activity\n2024-05-01,a\n2024-05-01\n")
    with pytest.raises(SelectronError, match="line 3: '' cannot be an activity's name"):
        list(stated(path))


def test_days_and_moments():
    from selectron_desktop.times import moment

    now = datetime(2024, 5, 1, 14, 0).timestamp()
    assert moment("14:00", now) == now
    assert moment("9:30", now) == now - 4.5 * 3600
    assert moment("9:30:00", now) == moment("09:30:00", now) == now - 4.5 * 3600
    assert moment("23:00", now) == now - 15 * 3600  # of yesterday
    assert moment("1.5h", now) == now - 5400
    assert moment("7d", now) == now - 7 * 86_400
    assert moment("2024-05-01T13:00", now) == now - 3600
    assert date.today().isoformat()
