"""`selectron serve` as it is typed, and the files that declare streams."""

import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress

import httpx2
import pytest
from click.testing import CliRunner

from selectron import SelectronError
from selectron.cli import main
from selectron.serve.declaration import read, validated

from . import hostile

GOOD = 'classes = ["ham", "spam"]\n'


def call(*arguments):
    return CliRunner().invoke(main, ["serve", *map(str, arguments)])


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.mark.slow
def test_the_demonstration_from_start_to_end(tmp_path):
    port = free_port()
    command = [sys.executable, "-m", "selectron", "serve", "--demo", "--port", str(port)]
    command += ["--data", str(tmp_path / "demo")]
    tokens = []
    for start in range(2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        text = ""
        while "Ctrl-C" not in text:
            text += process.stdout.readline()
        assert text.count(" token: ") == (0 if start else 4)  # they are shown once
        tokens.append(re.search(r"#token=(\S+)", text)[1])
        url, headers = f"http://127.0.0.1:{port}/v1/streams/demo", {}
        headers = {"authorization": f"Bearer {tokens[-1]}"}
        question = None
        with httpx2.Client(headers=headers, timeout=60) as client:
            for _ in range(600):
                with suppress(httpx2.TransportError):
                    question = client.post(f"{url}/next").json()["question"]
                if question:
                    break
                time.sleep(0.1)
            body = {"label": question["classes"][0], "lease": question["lease"]["token"]}
            said = client.post(f"{url}/items/{question['item']}/answers", json=body).json()
            assert said["learned"]
            assert client.get(url).json()["answered"] == start + 1
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode in (0, 130)
    assert list((tmp_path / "demo" / "snapshots" / "demo").glob("*.model"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_orderly_end(tmp_path, number):
    served = hostile.Served(tmp_path)
    with closing(hostile.Labeller(served)) as labeller:
        labeller.post("ingest", "/items", {"data": {"text": "win"}})
    headers = {"authorization": f"Bearer {served.tokens['read']}"}
    url = f"http://127.0.0.1:{served.port}/v1/streams/mail/events"
    with httpx2.stream("GET", url, headers=headers, timeout=30) as news:
        next(news.iter_lines())  # somebody is still connected
        assert served.end(number) in ((0,) if number == signal.SIGTERM else (0, 130))
    assert list((tmp_path / "data" / "snapshots" / "mail").glob("*.model"))


def test_a_token_is_made_and_printed(tmp_path):
    file = tmp_path / "mail.toml"
    file.write_text(GOOD, encoding="utf-8-sig")  # as some editors write it
    made = call(file, "--data", tmp_path / "data", "--token", "annotate:anna:30")
    assert made.exit_code == 0
    assert made.stdout.startswith("sel_")
    for wrong in ("boss", "read:x:soon"):
        refused = call(file, "--data", tmp_path / "data", "--token", wrong)
        assert refused.exit_code == 1
        assert refused.stderr.startswith("selectron: --token")


@pytest.mark.slow
def test_no_module_of_one_system_alone_is_needed(tmp_path):
    program = (
        "import os, sys, time\n"
        "del os.pwrite, time.clock_gettime, time.CLOCK_BOOTTIME, time.CLOCK_MONOTONIC\n"
        "sys.modules |= dict.fromkeys(['fcntl', 'termios', 'resource', 'pwd', 'uvloop'])\n"
        "from selectron.cli import main\n"
        "main(['serve', '--demo', '--data', 'd', '--token', 'annotate'])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout[:4]) == (0, b"sel_"), done.stderr


def test_usage(tmp_path):
    assert call().exit_code == 2
    assert call("nowhere.toml").exit_code == 2
    file = tmp_path / "mail.toml"
    file.write_text("classes = 5")
    refused = call(file, "--data", tmp_path / "data")
    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "data").exists()


def test_a_name_that_differs_in_capitals_from_one_in_the_folder(tmp_path):
    """On a disk that ignores capitals, both would have one folder of snapshots."""
    for name in ("Mail", "mail"):
        (tmp_path / f"{name}.toml").write_text(f"name = '{name}'\n{GOOD}")
    made = tmp_path / "Mail.toml", "--data", tmp_path / "data", "--token"
    assert call(*made, "read").exit_code == 0
    refused = call(tmp_path / "mail.toml", *made[1:], "annotate")
    assert refused.exit_code == 1
    assert "give 'mail' or 'Mail' another name" in refused.stderr
    refused = call(tmp_path / "mail.toml", tmp_path / "Mail.toml", "--data", tmp_path / "new")
    assert refused.stderr.endswith("give 'mail' or 'Mail' another name.\n")
    assert not (tmp_path / "new").exists()
    assert call(*made, "annotate").exit_code == 0


def test_streams_of_the_folder_that_are_not_served_are_named(tmp_path, monkeypatch):
    """As after a stream was renamed."""
    monkeypatch.setattr("selectron.serve.server.run", lambda host, *rest: host.stop())
    monkeypatch.setattr(signal, "signal", lambda *given: None)
    data, errors = ("--data", tmp_path / "data", "--port", 0), []
    for name in ("old", "older", "new"):
        (tmp_path / "mail.toml").write_text(f"name = '{name}'\n{GOOD}")
        errors.append(call(tmp_path / "mail.toml", *data).stderr)
    begin = f"selectron: {tmp_path / 'data'} has streams that are not served: "
    assert errors == ["", f"{begin}'old'\n", f"{begin}'old', 'older'\n"]


@pytest.mark.parametrize("known", [False, True])
def test_a_port_that_is_taken_is_told_of_before_tokens(tmp_path, known):
    file, data = tmp_path / "mail.toml", tmp_path / "data"
    file.write_text(GOOD)
    if known:
        assert call(file, "--data", data, "--token", "read").exit_code == 0
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused = call(file, "--data", data, "--port", port)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert f"port {port}, cannot be used (Address already in use); give" in refused.stderr
    assert data.exists() == known


def test_an_address_of_another_machine(tmp_path):
    (tmp_path / "mail.toml").write_text(GOOD)
    for address in ("203.0.113.7", "no.such.name.invalid"):
        refused = call(tmp_path / "mail.toml", "--data", tmp_path / "data", "--host", address)
        assert refused.exit_code == 1
        assert refused.stderr.startswith(f"selectron: {address}, port 8000, cannot be used (")
        assert not (tmp_path / "data").exists()


def test_sending_imports_no_estimator():
    program = "import sys, selectron.serve.sending; print({'sklearn', 'sqlite3'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "set()\n"


def test_the_core_does_without_these_packages(tmp_path):
    program = "import sys, selectron.cli.run, selectron.cli; print({'fastapi'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
    (tmp_path / "mail.toml").write_text(GOOD)
    program = "import sys; sys.modules['uvicorn'] = None; from selectron.cli import main; main()"
    argv = ("-c", program, "serve", "mail.toml", "--data", "data")
    refused = subprocess.run([sys.executable, *argv], capture_output=True, text=True, cwd=tmp_path)
    assert refused.returncode == 1
    assert "pip install 'selectron[serve]'" in refused.stderr
    assert refused.stderr.count("\n") == 1


BAD = {
    "classes": 'classes = ["ham"]',
    "class_weight has 'spam ', which is none": GOOD + 'class_weight = {"spam " = 2}',
    "class_weight is 0 for every class": GOOD + "class_weight = {ham = 0, spam = 0}",
    "class_weight": GOOD + 'class_weight = "large"',
    "than or equal to 1000": GOOD + "class_weight = {spam = 2000}",
    "two classes": "",
    "not TOML": "classes = [",
    "learner": GOOD + 'learner = "lasek"',
    "budget": GOOD + 'budget = "much"',
    "'-5%' is not a budget": GOOD + 'budget = "-5%"',
    "per": GOOD + 'budget = "5 per month"',
    "colour: there is no such setting; there are name, title, classes": GOOD + 'colour = "red"',
    "features.size": GOOD + "[features]\nsize = 0",
    "features.numeric": GOOD + "[features]\nnumeric = {a = [0, 0]}",
    "name": GOOD + 'name = "../../etc"',
    "except": GOOD + "[[stream]]\nname = 'a'",
    "same name": '[[stream]]\nname="a"\nclasses=["x","y"]\n' * 2,
    "give 'mail' or 'Mail' another name": "".join(
        f'[[stream]]\nname="{name}"\nclasses=["x","y"]\n' for name in ("mail", "Mail")
    ),
    "drop 'numeric'": GOOD + "[features]\nnumeric = {a = [0, 1]}",
    "drop 'text'": GOOD + '[features]\nkind = "vector"\ntext = ["a"]',
    "features: name a field": GOOD + "[features]\ntext = []",
    "name a field": GOOD + '[features]\nkind = "fields"\ntext = []',
    "name a field in text, numeric or categorical": GOOD + '[features]\nkind="fields"\nngrams = 2',
    "named twice": GOOD + '[features]\nkind = "fields"\ncategorical = ["text"]',
    "features.numeric.a.0: Input should be a finite number": GOOD
    + '[features]\nkind = "fields"\nnumeric = {a = [nan, 1]}',
    "features.numeric.a.1: Input should be a finite number": GOOD
    + '[features]\nkind = "fields"\nnumeric = {a = [0, inf]}',
    "privacy.retention_days: Input should be a finite number": GOOD
    + "[privacy]\nretention_days = inf",
    "audit": GOOD + "audit = nan",
    "'nan%' is not a budget": GOOD + 'budget = "nan%"',
    "differ": 'classes = ["a", "a"]',
    "with keep = 'hash', give the kind": GOOD + '[privacy]\nkeep = "hash"',
}


@pytest.mark.parametrize("case", BAD)
def test_declarations_that_will_not_do(tmp_path, case):
    file = tmp_path / "mail.toml"
    file.write_text(BAD[case])
    with pytest.raises(SelectronError) as caught:
        read(file)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(file))
    assert case in str(caught.value)


def test_declarations_that_will_do(tmp_path):
    file = tmp_path / "mail.toml"
    file.write_text(GOOD + 'budget = "20/1d"\nlearner = "lasec:b=1,c=1000"')
    (stream,) = read(file)
    assert stream.name == "mail"
    learner, asker = stream.parts()
    assert type(learner).__name__ == "LASEC"
    assert (asker.labels, asker.per, asker.audits) == (20.0, "1d", 0.1)
    file.write_text(
        '[[stream]]\nname="a"\nclasses=["x","y"]\n[[stream]]\nname="b"\nnew_classes=true'
    )
    assert [stream.name for stream in read(file)] == ["a", "b"]
    assert validated({"name": "a", "classes": ["x", "y"]}, "here").budget == "10%"
