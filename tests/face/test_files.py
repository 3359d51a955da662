"""Files are written atomically, by one function."""

import os
import stat
import subprocess
import sys

import pytest

from selectron import OnlineClassifier
from selectron.errors import SelectronError, Unwritten
from selectron.storage import replace


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_content(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(Unwritten, match=r"/a cannot be written \(No space left on device\)"):
        replace(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_content_is_there_until_the_rename(tmp_path, monkeypatch):
    path, seen, rename = tmp_path / "a", [], os.replace
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", lambda *p: seen.append(path.read_bytes()) or rename(*p))
    replace(path, b"n", b"ew")
    assert (seen, path.read_bytes()) == ([b"old"], b"new")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_written_to_and_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    code = f"print(open({str(path)!r}).read())"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as reader:
        replace(path, b"rows")
        assert reader.communicate(timeout=60)[0] == b"rows\n"
    assert path.is_fifo()


def test_permissions_stay(tmp_path):
    path = tmp_path / "model"
    replace(path, b"old")
    path.chmod(0o600)
    replace(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["a\0b", "a" * 300])
def test_names_that_no_file_can_have(name, tmp_path):
    clf = OnlineClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(Unwritten, match="cannot be written"):
        clf.save(f"{tmp_path}/{name}")


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_what_is_no_file_holds_no_model(name, tmp_path):
    with pytest.raises(SelectronError, match="is not a file"):
        OnlineClassifier.load(f"{tmp_path}/{name}")
