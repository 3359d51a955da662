"""Tokens from the command line: made, listed, revoked; and files that others cannot read."""

import os
import stat

import pytest
from click.testing import CliRunner

from selectron.cli import main
from selectron.serve import server
from selectron.serve.declaration import read
from selectron.serve.demo import DEMO
from selectron.serve.host import Host

GOOD = 'classes = ["ham", "spam"]\n'


@pytest.fixture
def call(tmp_path):
    file = tmp_path / "mail.toml"
    file.write_text(GOOD)

    def run(*arguments, files=(file,)):
        arguments = ["serve", *map(str, files), "--data", str(tmp_path / "data"), *arguments]
        return CliRunner().invoke(main, arguments)

    return run


@pytest.fixture
def start(tmp_path):
    """Return the tokens that a start makes, and the page's for the demonstration."""

    def run(demo=False, declared=True):
        streams = read(tmp_path / "mail.toml") if declared else []
        host = Host(tmp_path / "data", [*streams, DEMO] if demo else streams)
        try:
            made = server.first_tokens(host)
            return made, server.demo_token(host) if demo else None, host.people
        finally:
            host.stop()

    return run


def test_tokens_are_listed_and_revoked(call, tmp_path):
    made = call("--token", "annotate:anna:30")
    call("--token", "read:bob")
    for files in ((tmp_path / "mail.toml",), ()):  # the folder will do
        name, role, expires = call("--list-tokens", files=files).stdout.splitlines()[1].split("\t")
        assert (name, role) == ("anna", "annotate")
        assert expires.endswith("Z")
    assert call("--list-tokens").stdout.splitlines()[2] == "bob\tread\tnever"
    assert made.stdout.strip() not in call("--list-tokens").stdout
    assert call("--list-tokens", "--token", "read").exit_code == 2  # one of them
    assert call("--revoke", "anna").exit_code == 0
    assert "anna" not in call("--list-tokens").stdout
    again = call("--revoke", "anna")
    assert (again.exit_code, again.stderr) == (1, "selectron: There is no token named 'anna'.\n")


def test_tokens_of_a_folder_that_is_served(call, tmp_path):
    host = Host(tmp_path / "data", read(tmp_path / "mail.toml"))
    host.make_token("anna", "read", None)
    try:
        assert "anna\tread\tnever" in call("--list-tokens").stdout
        refused = call("--revoke", "anna")
        assert refused.exit_code == 1
        assert "in use by another server" in refused.stderr
    finally:
        host.stop()


def test_tokens_of_no_folder(call, tmp_path):
    for arguments in (["--list-tokens"], ["--revoke", "anna"]):
        refused = call(*arguments)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "holds no streams yet" in refused.stderr
        assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("days", ["nan", "inf", "-inf", "-1", "0", "1e9", "soon"])
def test_days_that_will_not_do(call, tmp_path, days):
    refused = call("--token", f"read:eva:{days}")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("selectron: --token: days")
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["a b", "\x1b[31mred", "é", "-x", "x" * 65, "a\n", "a\u202eb"])
def test_names_that_will_not_do(call, tmp_path, name):
    refused = call("--token", f"read:{name}")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("selectron: --token: name: String should match pattern")
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "data").exists()


def test_names_are_unique(call):
    assert call("--token", "read:anna").exit_code == 0
    refused = call("--token", "admin:anna")
    assert refused.exit_code == 1
    assert "revoke it first" in refused.stderr
    assert "anna\tread" in call("--list-tokens").stdout


def test_the_admins_token_is_made_after_others(call, start):
    call("--token", "annotate:admin")
    call("--token", "read")
    made, _, people = start()
    assert list(made) == ["admin"]
    roles = {(person.name, person.role) for person in people.values()}
    assert roles == {("admin", "annotate"), ("read", "read"), ("admin2", "admin")}
    assert start()[0] == {}


def test_a_fresh_folder_gets_a_token_for_each_role(start, tmp_path):
    (tmp_path / "mail.toml").write_text(GOOD)
    assert list(start()[0]) == ["admin", "annotate", "ingest", "read"]
    assert start()[0] == {}


def test_the_demonstration_replaces_no_tokens_of_others(start, tmp_path):
    (tmp_path / "mail.toml").write_text(GOOD)
    first, _, before = start()
    assert first
    for declared in (True, False):  # the folder has a stream, served or not
        made, token, after = start(demo=True, declared=declared)
        assert (made, token) == ({}, None)
        assert after == before


def test_the_demonstration_has_a_token_of_its_own(start, tmp_path):
    _, _, before = start(demo=True, declared=False)
    _, token, after = start(demo=True, declared=False)
    assert token is not None
    kept = {digest for digest, person in before.items() if person.name != "demo"}
    assert kept < set(after)


posix = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}


@posix
def test_nobody_else_reads_the_files(desk, tmp_path):
    folder = tmp_path / "data"
    mask = os.umask(0)
    try:
        one = desk(folder=folder, every=2)
        one.add([{"text": f"t {i}"} for i in range(5)])
        found = modes(folder)
    finally:
        os.umask(mask)
    files = {"selectron.sqlite3", "selectron.sqlite3-wal", "selectron.sqlite3-shm", "head", "lock"}
    assert files | {"data", "snapshots", "mail", "5.model"} == set(found)
    assert {name for name, mode in found.items() if mode == 0o700} == {"data", "snapshots", "mail"}
    assert {mode for name, mode in found.items()} == {0o700, 0o600}


@posix
def test_a_folder_of_others_keeps_its_mode(desk, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    desk(folder=folder)
    assert modes(folder)["data"] == 0o755
