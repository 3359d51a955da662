"""Files of JSON lines."""

import pytest

from selectron.streams.readers import read

from .reading import canonical, fails, stored


def objects(tmp_path, text, **options):
    (chunk,) = read(stored(tmp_path, "a.jsonl", text), **options)
    canonical(chunk, 4096)
    return chunk.rows.values.tolist(), chunk.labels.tolist()


def test_json_keys(tmp_path):
    text = '{"b": 1, "a": 2.5, "y": "ham"}\n{"y": null, "a": true}\n{"a": 1, "b": 3}\n'
    assert objects(tmp_path, text) == ([[1, 2.5], [0, 1], [3, 1]], ["ham", None, None])
    text = '{"id": "u", "a": 1, "kind": 2}\n{"a": 3, "kind": 2.5}\n'
    assert objects(tmp_path, text, drop="id", label="kind") == ([[1], [3]], ["2", "2.5"])
    assert objects(tmp_path, '{"a": 1, "y": 2}\n', label="") == ([[1, 2]], [None])


def test_json_arrays(tmp_path):
    text = '{"x": [1, 2.5], "label": 1.0}\n{"label": false, "x": [true, -1e2]}\n{"x": [0, 0]}\n'
    assert objects(tmp_path, text) == ([[1, 2.5], [1, -100], [0, 0]], ["1", "False", None])


def test_json_labels_that_begin_late(tmp_path):
    assert objects(tmp_path, '{"a": 1}\n{"a": 2, "Label": "b"}\n')[1] == [None, "b"]


@pytest.mark.parametrize("size", [1, 4096])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"a": 1', "this is not JSON (Expecting ',' delimiter at column 8); each line holds one "
         "object"),
        ("[1, 2]", "[1, 2] is not an object; each line holds one"),
        ('{"a": 1, "z": 2}', "'z' is a feature that the first row does not have"),
        ('{"a": null}', "'a': null is not a number; leave the key out (--drop a) or name it as the "
         "label"),
        ('{"b": "red"}', "'b': \"red\" is not a number; leave the key out (--drop b) or name it as "
         "the label"),
        ('{"b": [1]}', "'b': [1] is not a number; leave the key out (--drop b) or name it as the "
         "label"),
        ('{"b": NaN}', "'b' is not finite (nan)"),
        ('{"b": 1e999}', "'b' is not finite (inf)"),
        ('{"b": 1' + "0" * 400 + "}", "a number is too large"),
        ('{"b": 1' + "0" * 5000 + "}", "a number is too long or an array nested too deeply"),
        ('{"b": ' + "[" * 100000 + "}", "a number is too long or an array nested too deeply"),
        ('{"a": 1, "y": [1]}', "the label is neither text nor a number"),
    ],
)  # fmt: skip
def test_json_errors(tmp_path, row, reason, size):
    path = stored(tmp_path, "a.jsonl", '{"a": 1, "b": 2, "y": 0}\n\n{"a": 1}\n' + row + "\n{}\n")
    assert fails(path, size=size) == (2, f"line 4: {reason}")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"x": [1]}', "'x' has 1 numbers, and 2 were expected"),
        ('{"x": [1, "2"]}', "\"2\" in 'x' is not a number"),
        ('{"x": [1, null]}', "null in 'x' is not a number"),
        ('{"x": [1, Infinity]}', "number 2 in 'x' is not finite (inf)"),
        ('{"x": [1, 2], "id": 3}', "'id' is next to 'x'; leave it out: --drop id"),
        ('{"label": 1}', "there is no array of numbers 'x'"),
    ],
)
def test_json_array_errors(tmp_path, row, reason):
    path = stored(tmp_path, "a.jsonl", '{"x": [1, 2], "label": 0}\n' + row + "\n")
    assert fails(path) == (1, f"line 2: {reason}")


def test_json_label_errors(tmp_path):
    path = stored(tmp_path, "a.jsonl", '{"a": 1, "label": 0}\n')
    assert fails(path, label="lable")[1] == (
        "line 1: there is no label 'lable'; the keys are 'a', 'label'"
    )
    assert "have no columns to count" in fails(path, label=-1)[1]
    path = stored(tmp_path, "a.jsonl", '{"label": 0}\n')
    assert fails(path)[1] == "line 1: there is no feature besides the label"
    path = stored(tmp_path, "a.json", '[\n  {"a": 1}\n]\n')
    assert fails(path)[1].startswith("line 1: this is not JSON (Expecting value at column 2)")
