"""Files of JSON lines."""

import pytest

from selectron.streams.readers import read

from .reading import canonical, fails, stored


def objects(tmp_path, text, **options):
    (chunk,) = read(stored(tmp_path, "a.jsonl", text), **options)
    canonical(chunk, 4096)
    return chunk.rows, chunk.labels.tolist()


def test_json_rows_stay_as_they_are(tmp_path):
    text = '{"b": 1, "a": 2.5, "y": "ham"}\n{"y": null, "a": true}\n{"a": "x", "c": [1, 2]}\n'
    rows = [{"b": 1, "a": 2.5}, {"a": True}, {"a": "x", "c": [1, 2]}]
    assert objects(tmp_path, text) == (rows, ["ham", None, None])
    text = '{"id": "u", "a": 1, "kind": 2}\n{"a": null, "kind": 2.5}\n'
    rows = [{"a": 1}, {"a": None}]
    assert objects(tmp_path, text, ignore="id", label="kind") == (rows, ["2", "2.5"])
    assert objects(tmp_path, '{"a": 1, "y": 2}\n', label="") == ([{"a": 1, "y": 2}], [None])


def test_json_labels_that_begin_late(tmp_path):
    assert objects(tmp_path, '{"a": 1}\n{"a": 2, "Label": "b"}\n')[1] == [None, "b"]


@pytest.mark.parametrize("size", [1, 4096])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"a": 1', "this is not JSON (Expecting ',' delimiter at column 8); each line holds one "
         "object"),
        ("[1, 2]", "[1, 2] is not an object; each line holds one"),
        ('{"b": 1' + "0" * 5000 + "}", "a number is too long or an array nested too deeply"),
        ('{"b": ' + "[" * 100000 + "}", "a number is too long or an array nested too deeply"),
        ('{"a": 1, "y": [1]}', "the label is neither text nor a number"),
        ('{"a.b": 1, "a": {"b": 2}}', "Two fields are named 'a.b': rename one of them"),
        ('{"a": ' * 40 + "1" + "}" * 40, "The dicts in column 'a' are nested over 32 deep"),
    ],
)  # fmt: skip
def test_json_errors(tmp_path, row, reason, size):
    path = stored(tmp_path, "a.jsonl", '{"a": 1, "b": 2, "y": 0}\n\n{"a": 1}\n' + row + "\n{}\n")
    assert fails(path, size=size) == (2, f"line 4: {reason}")


def test_json_label_errors(tmp_path):
    path = stored(tmp_path, "a.jsonl", '{"a": 1, "label": 0}\n')
    assert fails(path, label="lable")[1] == (
        "line 1: there is no label 'lable'; the keys are 'a', 'label'; is it 'label'?"
    )
    assert "have no columns to count" in fails(path, label=-1)[1]
    path = stored(tmp_path, "a.json", '[\n  {"a": 1}\n]\n')
    assert fails(path)[1].startswith("line 1: a JSON array begins")


def test_label_and_time_may_be_fields_of_objects(tmp_path):
    first = '{"user": {"kind": "a", "at": 7, "age": 1}, "kind": 0}\n'
    path = stored(tmp_path, "a.jsonl", first + '{"user": {"at": 8}, "kind": 1}\n')
    (chunk,) = read(path, label="user.kind", time="user.at", ignore="kind")
    assert chunk.rows == [{"user": {"age": 1}}, {"user": {}}]
    assert (chunk.labels.tolist(), chunk.times.tolist()) == (["a", None], [7.0, 8.0])
    assert fails(path, time="user.on")[1].startswith("line 1: there is no time 'user.on'")
    source = read(path, label="user.kin")
    list(source)
    (doubt,) = source.doubts
    assert "is it 'user.kind'?" in doubt
    path = stored(tmp_path, "b.jsonl", '{"a.b": {"c": "x"}, "a": {"d": 1}}\n')
    (chunk,) = read(path, label="a.b.c")
    assert (chunk.rows, chunk.labels.tolist()) == ([{"a.b": {}, "a": {"d": 1}}], ["x"])


def test_a_key_to_be_ignored_that_no_row_has_is_doubted(tmp_path):
    path = stored(tmp_path, "a.jsonl", '{"a": {"b": 1, "c": 2}, "y": 0}\n{"d": 1, "y": 1}\n')
    source = read(path, ignore=("a.b", "d", "e"))
    list(source)
    assert source.doubts == ["none of the first 2 rows has 'e' to be ignored"]
    source = read(path, ignore=("a.b", "e"), lenient=True)
    list(source)
    assert source.doubts == []


def test_damaged_rows_at_the_beginning_do_not_doubt_a_key_to_be_ignored(tmp_path):
    bad, good = f"{{{' ' * 1000}\n" * 1200, '{"a": 1, "e": 2, "y": 0}\n' * 9
    source = read(stored(tmp_path, "a.jsonl", bad + good), ignore="e", skip_damaged=True)
    assert sum(len(chunk.labels) for chunk in source) == 9
    assert source.doubts == []


def test_a_damaged_row_does_not_settle_the_label(tmp_path):
    text = '{"a": 1, "y": [1]}\n{"a": 1, "label": "ham"}\n{"a": 2, "label": "spam"}\n'
    assert objects(tmp_path, text, skip_damaged=True) == ([{"a": 1}, {"a": 2}], ["ham", "spam"])
