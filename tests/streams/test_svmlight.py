"""Files in the format svmlight/LIBSVM."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selectron.streams.readers import read, svmlight
from selectron.streams.readers.text import Piece

from .reading import canonical, fails, numerals, odd, stored


def svm(tmp_path, text, **options):
    return list(read(stored(tmp_path, "a.svm", text), **options))


def test_svmlight_as_written(tmp_path):
    text = "# a file\n+1 3:0.5 7:2 # first\n\n-1 9:1e-3 2:-4\n5:1\t6:+.5\nnan 1:1\n?\n2.5\n0:9\n"
    (chunk,) = svm(tmp_path, text)
    canonical(chunk, 4096)
    assert chunk.width == 10
    assert chunk.labels.tolist() == ["+1", "-1", None, None, None, "2.5", None]
    assert chunk.rows.indptr.tolist() == [0, 2, 4, 6, 7, 7, 7, 8]
    assert chunk.rows.indices.tolist() == [3, 7, 2, 9, 5, 6, 1, 0]
    assert chunk.rows.values.tolist() == [0.5, 2, -4, 1e-3, 1, 0.5, 1, 9]


def test_svmlight_width_grows(tmp_path):
    chunks = svm(tmp_path, "1 5:1\n1 2:1\n1\n1 90:1\n1 3:1\n", size=1)
    assert [chunk.width for chunk in chunks] == [6, 6, 6, 91, 91]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1 3:abc", "'abc' is not a number"),
        ("1 3:", "'' is not a number"),
        ("1 3:1:2", "'1:2' is not a number"),
        ("1 3: 1", "'' is not a number"),
        ("1 3:1,5", "'1,5' is not a number"),
        ("1 2:1 abc", "'abc' is not an index:value pair"),
        ("1 2,5", "'2,5' is not an index:value pair"),
        ("1 -3:1", "the index -3 is not from 0 to 2147483646"),
        ("1 2147483647:1", "the index 2147483647 is not from 0 to 2147483646"),
        ("1 99999999999999999999:1", "the index 99999999999999999999 is not from 0 to 2147483646"),
        ("1 2:1 3.5:1", "the index '3.5' is not a whole number"),
        ("1 0x10:1", "the index '0x10' is not a whole number"),
        ("1 :1", "the index '' is not a whole number"),
        ("1 a:1", "the index 'a' is not a whole number"),
        ("1 3:1 2:1 3:2", "index 3 occurs twice"),
        ("1 3:nan", "the value of feature 3 is not finite (nan)"),
        ("1 3:1 4:-inf", "the value of feature 4 is not finite (-inf)"),
        ("1 3:1e999", "the value of feature 3 is not finite (1e999)"),
    ],
)
@pytest.mark.parametrize("before", [16, 5000])
def test_svmlight_errors(tmp_path, row, reason, before):
    path = stored(tmp_path, "mail.svm", "+1 1:2 3:4\n" * before + row + "\n1 1:1\n")
    assert fails(path) == (before, f"line {before + 1}: {reason}")


def test_svmlight_has_no_columns(tmp_path):
    path = stored(tmp_path, "a.svm", "1 2:3\n")
    for options in ({"label": "y"}, {"label": ""}, {"ignore": "a"}, {"label": "y", "time": "a"}):
        wanted = f"svmlight has no named columns: leave {' and '.join(options)} out, and give"
        assert fails(path, **options)[1].startswith(wanted)
    assert fails(path, header=True) == (0, "svmlight takes no header: leave it out")


indexes = st.one_of(
    st.integers(0, 9).map(str),
    st.integers(0, 2**31 - 2).map(str),
    st.sampled_from(["+3", "-0", "007", "-1", "1e1", "3.0", "0x1", "1_0"]),
    st.sampled_from(["2147483647", "2147483646", "4294967297", "2147483648"]),
)
spaces = st.sampled_from([" ", " ", " ", "  ", "\t", "\v", " \f"])


@st.composite
def tails(draw, values=numerals):
    pair = st.tuples(indexes, values).map(":".join)
    tokens = st.lists(st.one_of(pair, pair, pair, odd.filter(len)), max_size=4)
    simple = st.lists(st.tuples(st.integers(0, 30).map(str), values).map(":".join), max_size=6)
    row = draw(st.one_of(simple, simple, tokens))
    return (draw(spaces).join(row) + draw(st.sampled_from(["", " "]))).encode()


def same(left, right):
    return all(
        a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(left, right, strict=True)
    )


def piece_of(rows):
    """The rows as a piece of a file, each with a label."""
    return Piece(b"".join(b"a " + row + b"\n" for row in rows), 1)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(tails(), max_size=5))
@pytest.mark.slow
def test_svmlight_quick_is_careful(rows):
    """The quick path gives the same bits as the careful one, or leaves the piece to it."""
    piece = piece_of(rows)
    quick = svmlight.scanned(piece.data)
    heads, careful, damage = svmlight.careful(piece)
    if quick is not None:
        assert not damage.rows
        assert quick[0].equals(heads)
        assert same(quick[1], careful)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(st.integers(0, 10**6), numerals, max_size=6), max_size=5))
def test_svmlight_values_are_those_of_float(rows):
    tails = [" ".join(f"{j}:{v}" for j, v in row.items()).encode() for row in rows]
    found = svmlight.parsed(piece_of(tails))
    expected = [[(j, float(row[j])) for j in sorted(row)] for row in rows]
    finite = all(math.isfinite(v) for row in expected for _, v in row)
    assert (not found.damage.rows) == finite
    if finite:
        flat = [pair for row in expected for pair in row]
        assert found.rows.indices.tolist() == [j for j, _ in flat]
        assert found.rows.values.tobytes() == np.array([v for _, v in flat], dtype=float).tobytes()
        assert np.diff(found.rows.indptr).tolist() == [len(row) for row in expected]


@settings(max_examples=500, deadline=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["r", ".17e", ".6g", ".1f"])
)
def test_svmlight_rounds_every_value_as_float_does(value, how):
    numeral = repr(value) if how == "r" else format(value, how)
    found = svmlight.scanned(f"1 1:{numeral}\n".encode())
    assert found is not None
    assert found[1].values.tobytes() == np.array([float(numeral)]).tobytes()


def test_svmlight_quick_path_is_taken():
    """Ordinary rows, sorted or not, with comments and words, are not parsed one by one."""
    rows = [b"3:1 7:0.5", b"", b"9:1 2:-1e-3 # note", b"1:0.12345678901234567"]
    assert svmlight.scanned(piece_of(rows).data) is not None
    assert svmlight.scanned(b"") is not None


@pytest.mark.parametrize(
    "text", [b"1 2:1 2:3", b"1 x:1", b"1 1:nan", b"1 1:1e999", b"1 1:2x", b"a b", b"a qid:7 1:1"]
)
def test_svmlight_unusual_pieces_are_left_to_the_careful_path(text):
    assert svmlight.scanned(text) is None


def test_svmlight_scan_compiled_is_plain():
    """The compiled pass does what the same code does as plain Python."""
    content = b"1 3:0.5 7:1e3 # c\n\n-1 9:1 2:0.1234567890123456789\n  \n5:1\n"
    out = [np.zeros((9, 2), np.int32), np.zeros(10, np.int64)]
    out += [np.zeros(9, np.int32), np.zeros(9), np.zeros((9, 3), np.int32)]
    other = [array.copy() for array in out]
    data = np.frombuffer(content, np.uint8)
    assert svmlight.SCAN(data, *out) == svmlight.scan(data, *other)
    assert same(out, other)
