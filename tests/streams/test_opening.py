"""Opening files: options, empty files, and those that are missing, cut short or damaged."""

import io
import sys

import pyarrow as pa
import pytest

from selectron.errors import SelectronError
from selectron.streams.readers import read, text

from .reading import PACK, TEXT, dense, example, fails, parquet, stored, until_error


def test_missing_file_directory_and_permission(tmp_path, monkeypatch):
    with pytest.raises(SelectronError, match=r"/none\.svm: no such file or directory$"):
        read(tmp_path / "none.svm")
    path = stored(tmp_path, "a.svm", "1 2:3\n")
    assert fails(tmp_path) == (0, "is a directory")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(text, "open", refuse, raising=False)
    assert fails(path) == (0, "permission denied")


def test_a_file_that_cannot_be_read_on(monkeypatch):
    class Failing(io.BytesIO):
        def read1(self, size=-1):
            data = super().read1(size)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    stdin = type("Stdin", (), {"buffer": Failing(b"1 2:3\n2 3:4\n7 8:")})
    monkeypatch.setattr(sys, "stdin", stdin)
    chunks, found = until_error(read("-"))
    assert chunks[0].labels.tolist() == ["1", "2"]
    assert found == "standard input: reading failed (Input/output error), after 2 rows"


@pytest.mark.parametrize("options", [{"format": "arff"}, {"size": 0}, {"size": 2.5}])
def test_options(tmp_path, options):
    path = stored(tmp_path, "a.svm", "1 2:3\n")
    with pytest.raises(SelectronError, match=r"is unknown; it is one of|a whole number of rows"):
        read(path, **options)


@pytest.mark.parametrize("kind", TEXT)
@pytest.mark.parametrize("content", [b"", b"\n\n", b" \r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("packing", PACK)
def test_empty_files(tmp_path, kind, content, packing):
    path = stored(tmp_path, "a", PACK[packing](content))
    assert fails(path, format=kind) == (0, "there are no rows")
    assert fails(path) == (0, "there are no rows")


def test_files_with_a_head_and_no_rows(tmp_path):
    said = "there are no rows: line {} was taken for names (if it is a row, use --no-header)"
    assert fails(stored(tmp_path, "a.csv", "a,b,y\n")) == (0, said.format(1))
    assert fails(stored(tmp_path, "a.csv", "\n\n1,2,3\n"), header=True) == (0, said.format(3))
    assert fails(stored(tmp_path, "a.svm", "# a comment\n")) == (0, "there are no rows")
    assert fails(stored(tmp_path, "a.pq", parquet({"a": [0.5], "y": [1]})[:0])) == (
        0,
        "this is not a whole Parquet file, it may be cut short (Parquet file size is 0 bytes)",
    )
    empty = parquet({"a": pa.array([], pa.float64()), "y": pa.array([], pa.int64())})
    assert fails(stored(tmp_path, "b.pq", empty)) == (0, "there are no rows")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("kind", TEXT)
def test_packed_files_cut_short(tmp_path, kind, packing):
    """Whatever could be unpacked is delivered, and the error says after how many rows."""
    content, X, y = example(kind, n=3000)
    packed = PACK[packing](content)
    for keep in (len(packed) - 3, len(packed) // 2, 20):
        path = stored(tmp_path, f"a.{kind}{packing}", packed[:keep])
        chunks, found = until_error(read(path, size=100))
        count = sum(len(chunk.labels) for chunk in chunks)
        assert found.endswith(f"data end too early, after {count} rows")
        if count:
            rows, labels = dense(chunks, 5)
            assert (rows == X[:count]).all()
            assert labels == y[:count]
    assert count == 0


def test_zstd_data_cut_short_lose_no_whole_block(tmp_path):
    content, _, y = example("svmlight", n=20_000)
    packed = pa.Codec("zstd").compress(content, asbytes=True)
    path = stored(tmp_path, "a.svm.zst", packed[: len(packed) // 2])
    chunks, found = until_error(read(path))
    labels = [label for chunk in chunks for label in chunk.labels]
    assert found.endswith(f"after {len(labels)} rows")
    assert len(content[: 5 << 17].splitlines()) - 1 <= len(labels)  # of 128 KiB each
    assert labels == y[: len(labels)]


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("kind", TEXT)
def test_damaged_packed_files(tmp_path, kind, packing):
    content, _, _ = example(kind, n=3000)
    packed = bytearray(PACK[packing](content))
    for place in (len(packed) // 2, len(packed) - 6):
        packed[place] ^= 0xFF
        path = stored(tmp_path, f"a.{kind}{packing}", bytes(packed))
        _, found = fails(path)
        # a flipped byte may unpack to wrong text before the checksum is seen
        assert "data are damaged" in found or "data end too early" in found or "line " in found


@pytest.mark.parametrize("kind", TEXT)
def test_text_that_is_not_utf8(tmp_path, kind):
    content, _, _ = example(kind)
    parts = content.split(b"\n")
    parts[20] = parts[20].replace(b"ham", b"caf\xe9").replace(b"spam", b"caf\xe9")
    parts[20] = parts[20].replace(b"null", b'"caf\xe9"').replace(b"?", b"caf\xe9")
    assert b"\xe9" in parts[20]
    for size in (1, 7, 4096):
        rows, found = fails(stored(tmp_path, "a", b"\n".join(parts)), size=size)
        assert rows == (19 if kind == "csv" else 20)
        assert (
            found == "line 21: the text is not UTF-8: name its encoding, as with --encoding cp1252"
        )


def test_header_that_is_not_utf8(tmp_path):
    path = stored(tmp_path, "a.csv", b"\nna\xefve,y\n1,2\n")
    assert fails(path) == (
        0,
        "line 2: the text is not UTF-8: name its encoding, as with --encoding cp1252",
    )


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("packing", PACK)
def test_other_encodings(tmp_path, encoding, packing):
    rows = "naïve,y\n" + "".join(f"é{k},{'ñb'[k % 2]}\n" for k in range(9_000))
    path = stored(tmp_path, "a.csv", PACK[packing](rows.encode(encoding)))
    chunks = list(read(path, encoding=encoding))
    assert chunks[0].rows.column_names == ["naïve"]
    assert [v for chunk in chunks for v in chunk.rows["naïve"].to_pylist()][-1] == "é8999"
    assert {v for chunk in chunks for v in chunk.labels} == {"ñ", "b"}
    if encoding == "utf-16" and not packing:
        assert next(iter(read(path))).rows == chunks[0].rows


@pytest.mark.parametrize("packing", PACK)
def test_a_byte_order_mark_decides(tmp_path, packing):
    path = stored(tmp_path, "a.csv", PACK[packing]("\ufeffname,y\nJosé,ham\n".encode()))
    (chunk,) = read(path, encoding="latin-1")
    assert chunk.rows.to_pydict() == {"name": ["José"]}


def test_bytes_that_an_encoding_lacks(tmp_path):
    path = stored(tmp_path, "a.csv", b"name,y\n\x81a,b\n")
    (chunk,) = read(path, encoding="cp1252")
    assert chunk.rows["name"].to_pylist() == ["\ufffda"]
    with pytest.raises(SelectronError, match=r"a.csv: encoding 'base64' is unknown: give one such"):
        read(path, encoding="base64")


@pytest.mark.parametrize(
    "head",
    [b"PK\3\4", b"\x89PNG\r\n\x1a\n", b"%PDF-1.7", b"\xd0\xcf\x11\xe0", b"BEGIN:VCARD\r\n"],
)
def test_files_of_other_kinds(tmp_path, head):
    rows, found = fails(stored(tmp_path, "a.csv", head + bytes(100)))
    assert rows == 0
    assert found.startswith("is a ")
    assert found.endswith("; export the rows as CSV")


def test_files_of_mail_are_no_tables(tmp_path):
    text = b"From: Ann\nSubject: Lunch, maybe\n\nAt one?\n"
    assert fails(stored(tmp_path, "in.mbox", text)) == (
        0,
        "is mail; export the messages as CSV or JSON lines",
    )
    (chunk,) = read(stored(tmp_path, "b.mbox", b"a,y\n1,ham\n2,spam\n"), format="csv")
    assert len(chunk.labels) == 2


@pytest.mark.parametrize("text", ['[{"a": 1}, {"a": 2}]', '[\n{"a": 1},\n{"a": 2}]'])
def test_a_json_array(tmp_path, text):
    _, found = fails(stored(tmp_path, "a.json", text))
    assert found.startswith("line 1: a JSON array begins; put each object on a line of its own")


def test_parameters_that_a_format_has_no_use_for_are_refused(tmp_path):
    path = stored(tmp_path, "a.jsonl", '{"a": 1}\n')
    assert fails(path, header=False) == (0, "JSON takes no header: leave it out")
    path = stored(tmp_path, "a.parquet", parquet({"a": [1.0], "b": [2.0]}))
    assert fails(path, header=True) == (0, "Parquet takes no header: leave it out")
    assert fails(path, encoding="latin-1") == (0, "Parquet takes no encoding: leave it out")


def test_a_carriage_return_in_a_quoted_name_or_before_a_line_end_is_none(tmp_path):
    for names in ('"b\rc",label', '"b\rc\nd",label', "b,label\r\r"):
        (chunk,) = read(stored(tmp_path, "a.csv", f"{names}\n1,ham\n"))
        assert chunk.labels.tolist() == ["ham"]
