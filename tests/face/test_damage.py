"""Files that are damaged, foreign or made up: one sentence, and nothing of them is run."""

import gzip
import hashlib
import io
import json
import math
import os
import pickle
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from selectron import OnlineClassifier, SelectronError, storage
from selectron.learners import LASEC
from selectron.storage import CODEC, VERSION

from .examples import X, begun, is_one_sentence

HEAD = len(b"selectron\n") + 1 + 32


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """The bytes of a file that holds a model with an open ticket."""
    path = tmp_path_factory.mktemp("models") / "model"
    begun(LASEC(), X)[0].save(path)
    return path.read_bytes()


def refusal(path):
    with pytest.raises(SelectronError) as caught:
        OnlineClassifier.load(path)
    assert is_one_sentence(str(caught.value).replace(str(path), "FILE"))
    assert str(path) in str(caught.value)
    return str(caught.value)


# Damage


def spread(length, n):
    return np.unique(np.linspace(0, length - 1, n).astype(int)).tolist()


def test_every_flipped_byte_is_noticed(content, tmp_path):
    path = tmp_path / "model"
    for position in [*range(HEAD + 40), *spread(len(content), 150)]:
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(damaged)
        assert refusal(path), position


def test_every_truncation_is_noticed(content, tmp_path):
    path = tmp_path / "model"
    for length in [*range(HEAD + 5), *spread(len(content), 60)]:
        path.write_bytes(content[:length])
        said = refusal(path)
        assert ("damaged" if length >= 10 else "not a Selectron model file") in said


def test_appended_bytes_are_noticed(content, tmp_path):
    (tmp_path / "model").write_bytes(content + b"\0")
    assert "damaged" in refusal(tmp_path / "model")


def archive(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, member in members.items():
            file.writestr(name, member)
    return buffer.getvalue()


def numpy_archive(save=np.savez, **arrays):
    buffer = io.BytesIO()
    save(buffer, **arrays)
    return buffer.getvalue()


def repeated(member, times):
    """An archive whose directory lists one member many times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("header", member)
        file.filelist *= times
    return buffer.getvalue()


FOREIGN = {
    "empty": b"",
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "pickle": pickle.dumps(OnlineClassifier()),
    "npz": numpy_archive(a=np.zeros(3)),
    "zip": archive(a="text"),
    "gzip": gzip.compress(b"text"),
    "text": b"selectron is the name of this library\n",
    "noise": bytes(range(256)),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files(kind, tmp_path):
    (tmp_path / "model").write_bytes(FOREIGN[kind])
    assert "is not a Selectron model file" in refusal(tmp_path / "model")


def test_directory_and_missing_path(tmp_path):
    with pytest.raises(SelectronError, match="is not a file"):
        OnlineClassifier.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        OnlineClassifier.load(tmp_path / "model")


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
def test_another_version(content, tmp_path, version):
    changed = bytearray(content)
    changed[HEAD - 33] = version
    (tmp_path / "model").write_bytes(changed)
    assert f"of version {version}, and this Selectron reads {VERSION}" in refusal(
        tmp_path / "model"
    )


# Files that somebody has made up, with a checksum that fits


def arrays_of(content):
    """The arrays of a file, with the header."""
    payload = pa.CompressedInputStream(pa.BufferReader(content[HEAD:]), CODEC).read()
    with np.load(io.BytesIO(payload)) as file:
        return dict(file)


def made_up(content, payload):
    """The file with this in the place of its archive."""
    stream = pa.BufferOutputStream()
    with pa.CompressedOutputStream(stream, CODEC) as file:
        file.write(payload)
    payload = stream.getvalue().to_pybytes()
    return content[: HEAD - 32] + hashlib.sha256(payload).digest() + payload


def changed(content, change):
    """The file with its header or its arrays changed."""
    arrays = arrays_of(content)
    header = json.loads(arrays.pop("header").tobytes())
    change(header, arrays)
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    return made_up(content, numpy_archive(header=text, **arrays))


def test_an_honest_change_of_a_file_can_be_read(content, tmp_path):
    (tmp_path / "model").write_bytes(content)
    expected = OnlineClassifier.load(tmp_path / "model").decision_function(X)
    (tmp_path / "model").write_bytes(changed(content, lambda header, arrays: None))
    found = OnlineClassifier.load(tmp_path / "model").decision_function(X)
    assert np.array_equal(found, expected)


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("name", ["header", "state.w"])
def test_nothing_is_unpickled(name, content, tmp_path):
    trap = np.empty(1, object)
    trap[0] = Trap(tmp_path / "sprung")
    payload = numpy_archive(**(arrays_of(content) | {name: trap}))
    (tmp_path / "model").write_bytes(made_up(content, payload))
    refusal(tmp_path / "model")
    assert not (tmp_path / "sprung").exists()


PAYLOADS = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "no archive": b"\x93NUMPY\x01\0",
    "one array": (lambda b: (np.save(b, np.zeros(3)), b.getvalue())[1])(io.BytesIO()),
    "pickle": pickle.dumps([1]),
    "zip of text": archive(header="text"),
    "no header": numpy_archive(a=np.zeros(3)),
    "no JSON": numpy_archive(header=np.frombuffer(b"{", np.uint8)),
    "no UTF-8": numpy_archive(header=np.array([255, 254, 253], np.uint8)),
    "a list": numpy_archive(header=np.frombuffer(b"[]", np.uint8)),
    "compressed members": numpy_archive(np.savez_compressed, header=np.zeros(9, np.uint8)),
    "one member twice": repeated(b"{}" + bytes(10_000), 2),
    "an empty header": numpy_archive(header=np.frombuffer(b"{}", np.uint8)),
}


@pytest.mark.parametrize("kind", PAYLOADS)
def test_made_up_payloads(kind, content, tmp_path):
    (tmp_path / "model").write_bytes(made_up(content, PAYLOADS[kind]))
    refusal(tmp_path / "model")


def test_small_files_take_little_memory(tmp_path, monkeypatch):
    """Also where a model is genuine: a large one whose numbers are 0 has a file that is larger."""
    path, arrays = tmp_path / "model", {"w": np.zeros(2**21)}
    storage.write(path, {}, arrays)
    assert np.array_equal(storage.read(path)[1]["w"], arrays["w"])
    monkeypatch.setattr(storage, "ROOM", 2**16)
    with pytest.raises(SelectronError, match="not a Selectron model file"):
        storage.read(path)
    storage.write(path, {}, arrays)
    assert np.array_equal(storage.read(path)[1]["w"], arrays["w"])


def test_compressed_members_are_refused_unread(tmp_path, content):
    (tmp_path / "model").write_bytes(made_up(content, PAYLOADS["compressed members"]))
    with pytest.raises(SelectronError, match="not a Selectron model file"):
        storage.read(tmp_path / "model")


def short(name):
    return lambda header, arrays: arrays.update({name: arrays[name][:-1]})


def cast(name, dtype):
    return lambda header, arrays: arrays.update({name: arrays[name].astype(dtype)})


def without(name):
    return lambda header, arrays: arrays.pop(name)


def put(value, *path):
    def change(header, arrays):
        for name in path[:-1]:
            header = header[name]
        header[path[-1]] = value

    return change


def learner(name, parameters):
    def change(header, arrays):
        header["model"]["learner"][:2] = name, parameters

    return change


CHANGES = {
    "short w": short("state.w"),
    "short triangle": short("state.triangle"),
    "short g": short("state.g"),
    "short scalars": short("state.scalars"),
    "w of float32": cast("state.w", np.float32),
    "w of strings": cast("state.w", str),
    "without w": without("state.w"),
    "NaN in w": lambda header, arrays: arrays["state.w"].fill(np.nan),
    "without open rows": without("open.values"),
    "short open rows": short("open.values"),
    "width": put(400, "model", "width"),
    "no model": lambda header, arrays: header.pop("model"),
    "alarm to come": put([0, 10**9, 0.0005], "model", "alarms"),
    "alarm at NaN": put([0, math.nan, 0.0005], "model", "alarms"),
    "lead to come": put([0, 0, -3.0, 10**9, 0.0005], "model", "alarms"),
    "other rate of alarms": put([0, 0, 1e-320], "model", "alarms"),
    "kind of rows": put(True, "model", "sparse"),
    "intercept": put(False, "model", "constant"),
    "learner of other order": learner("Perceptron", []),
    "learner that is an asker": learner("Margin", [1.0]),
    "too many parameters": learner("LASEC", [1.0, 2.0, 3.0]),
    "parameters out of range": learner("LASEC", [5.0, 1.0]),
    "draws": put({}, "model", "draws"),
    "rounds": put("many", "model", "rounds"),
    "fewer rounds than none": put(-1, "model", "rounds"),
    "no end of rounds": put(1e999, "model", "rounds"),
    "a million classes": put(10**6, "model", "classes"),
    "a billion features": put(10**9, "model", "width"),
    "a draw beyond 1": put([1.5], "model", "draws", "ahead"),
    "steps": lambda header, arrays: arrays["state.scalars"].put(0, -1),
    "labels of the calibration": lambda header, arrays: arrays["calibration.s"].put(0, 0.5),
    "classes": put([[1, 2, 3], "<i8"], "classes"),
    "names": put(["a"], "names"),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_made_up_models_are_refused_when_loaded(kind, content, tmp_path):
    """Below the face nothing checks bounds: arrays that do not fit must not get there."""
    (tmp_path / "model").write_bytes(changed(content, CHANGES[kind]))
    with pytest.raises(SelectronError) as caught:
        OnlineClassifier.load(tmp_path / "model")
    assert is_one_sentence(str(caught.value).replace(str(tmp_path), ""))
