"""Files of comma-separated values."""

import csv
import gzip
import io
import os
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import selectron
from selectron.data.cells import label_of as cell_label
from selectron.errors import SelectronError
from selectron.streams.classes import names_of
from selectron.streams.readers import read, tables
from selectron.streams.readers.columns import Positions
from selectron.streams.readers.text import Piece, swallowed

from .reading import canonical, fails, numerals, odd, parquet, stored


def table(tmp_path, text, **options):
    (chunk,) = read(stored(tmp_path, "a.csv", text), **options)
    canonical(chunk, 4096)
    return [list(row.values()) for row in chunk.rows.to_pylist()], chunk.labels.tolist()


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_csv_marks_and_headers(tmp_path, mark):
    text = "a,b,Class\n1,2,ham\n3, 4 , spam \n".replace(",", mark)
    expected = ([["1", "2"], ["3", " 4 "]], ["ham", "spam"])
    assert table(tmp_path, text) == expected
    assert table(tmp_path, text.partition("\n")[2], header=False) == expected
    numbers = "1,2,0\n3,4,\n5,6,?\n".replace(",", mark)
    assert table(tmp_path, numbers) == ([["1", "2"], ["3", "4"], ["5", "6"]], ["0", None, None])


def test_a_first_line_may_name_the_mark(tmp_path):
    rows = [["1,5"], ["3,5"]]
    assert table(tmp_path, "sep=;\r\na;Class\r\n1,5;ham\r\n3,5;spam\r\n") == (rows, ["ham", "spam"])
    with pytest.raises(SelectronError, match="line 4: 1 column was found, and 2 expected"):
        table(tmp_path, '"SEP=;"\na;b\n1;2\n3\n')
    with pytest.raises(SelectronError, match="there is no header, after 0 rows"):
        table(tmp_path, "sep=;\n")


def test_several_columns_without_a_name_are_left_out(tmp_path):
    text = "a,Class,,\n1,ham,,\n3,spam,,\n"
    assert table(tmp_path, text) == ([["1"], ["3"]], ["ham", "spam"])
    for number, row in enumerate(("2,ham,,\n", "2,ham,5,\n")):
        source = read(stored(tmp_path, f"{number}.csv", text.replace("1,ham,,\n", row)))
        assert len(next(iter(source)).labels) == 2
        left = "the columns without a name are left out: give them names in line 1, or delete it "
        left += "if it is a title"
        assert source.doubts == [left] * number


def test_the_numbers_of_rows_that_pandas_and_r_write_are_left_out(tmp_path):
    text = ",a,Class\n0,1,ham\n1,3,spam\n"
    assert table(tmp_path, text) == ([["1"], ["3"]], ["ham", "spam"])
    source = read(stored(tmp_path, "numbers.csv", text))
    assert len(next(iter(source)).labels) == 2
    assert source.doubts[0].startswith("the column without a name is left out: give it a name")
    assert table(tmp_path, "a,outcome,\n1,ham,\n3,spam,\n") == ([["1"], ["3"]], ["ham", "spam"])


def test_a_title_above_the_names(tmp_path):
    with pytest.raises(SelectronError, match="line 3: 2 columns were found, and 1 expected: if l"):
        table(tmp_path, "Export of June\n\na,Class\n1,ham\n2,spam\n")


def test_comments_above_the_names(tmp_path):
    with pytest.raises(SelectronError, match="line 3: 2 columns were found, and 1 expected: if li"):
        table(tmp_path, "# from a\n# of May\na,Class\n1,ham\n3,spam\n")


def test_carriage_returns_alone_end_no_lines(tmp_path):
    with pytest.raises(SelectronError, match="the lines end in carriage returns alone: convert"):
        table(tmp_path, "a,Class\r1,ham\r2,spam\r")
    assert table(tmp_path, "a,Class\r\n1,ham\r\n2,spam") == ([["1"], ["2"]], ["ham", "spam"])


def test_labels_that_are_codes_stay_as_they_are(tmp_path):
    codes = ["01", "1", "1.0", "007", "7", "0", "5.10", "5.1"]
    labels = table(tmp_path, "a,y\n" + "".join(f"1,{code}\n" for code in codes))[1]
    expected = ["01", "1", "1", "007", "7", "0", "5.10", "5.1"]
    assert names_of(labels, ["01", "1", "007", "7", "0", "5.1", "5.10"]).tolist() == expected


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Preis, netto;Preis, brutto;Name, Vorname;Klasse", '{0},50;{0},60;Ott, Max;"{1}"'),
        (
            "Preis (netto, EUR);(brutto, EUR);Kunde (Name, Ort, PLZ);Klasse",
            "{0},5;{0},6;A, B, C;{1}",
        ),
        ("a;b, c, d, e, f, g;Klasse", "{0};{0};{1}"),
        ("a,b;c,Klasse", "{0},x;y,{1}"),
        ("a|b|Klasse", "{0}|1,5|{1}"),
        ("note; remark,Klasse", "good{0},{1}"),
        ("1,Comedy;Drama;War,hoch", "{0},Drama,{1}"),
        ("Mozilla/5.0 (X11; Linux),hoch", "Mozilla/4.{0} (X11; Linux),{1}"),
    ],
)
def test_names_with_commas_between_semicolons(tmp_path, header, row):
    rows = [row.format(n, word) for n, word in enumerate(["hoch", "tief"] * 5)]
    chunks = list(read(stored(tmp_path, "a.csv", "\n".join([header, *rows, ""]).encode())))
    assert chunks[0].labels.tolist()[-10:] == ["hoch", "tief"] * 5


def test_a_file_of_wide_characters_needs_its_encoding(tmp_path):
    path = stored(tmp_path, "a.csv", "a,y\n1,ham\n2,spam\n".encode("utf-16-le"))
    with pytest.raises(SelectronError, match="line 1 has null characters: name the encoding"):
        list(read(path))
    assert next(iter(read(path, encoding="utf-16-le"))).labels.tolist() == ["ham", "spam"]


def test_a_last_column_of_many_values_is_not_taken_for_the_label(tmp_path):
    text = "a,note\n" + "".join(f"{i},n{i}\n" for i in range(60))
    path = stored(tmp_path, "a.csv", text)
    with pytest.raises(SelectronError, match="the last column, 'note', would be the label, and"):
        list(read(path))
    assert len(table(tmp_path, text, label="note")[1]) == 60
    assert len(table(tmp_path, text.replace("note", "Class"))[1]) == 60
    assert table(tmp_path, text, label=False)[1] == [None] * 60


@pytest.mark.parametrize(
    ("values", "of", "least"), [(1000, "n{}", 0), (1001, "n{}", 1), (51, "n{} and words " * 3, 1)]
)
def test_a_label_that_cannot_be_a_class_is_refused_where_values_are_classes(
    tmp_path, values, of, least
):
    """One class too many, or texts; without these, a thousand classes are fine."""
    rows = 8 * values if values >= 1000 else values
    text = "a,note\n" + "".join(f"{i},{of.replace('{}', str(i % values))}\n" for i in range(rows))
    source = read(stored(tmp_path, "a.csv", text), label="note")
    source.most_classes = 1000
    if not least:
        assert sum(len(chunk.labels) for chunk in source) == rows
        return
    what = f"'note' has {values:,} values in the first {rows:,} rows, and each would be a class"
    with pytest.raises(SelectronError, match=f"{what}: name another column with --label"):
        list(source)


@pytest.mark.parametrize(("values", "doubts"), [(50, 0), (51, 1)])
def test_a_label_of_many_values_is_doubted(tmp_path, values, doubts):
    text = "a,note\n" + "".join(f"{i},n{i % values}\n" for i in range(60))
    source = read(stored(tmp_path, "a.csv", text), label="note")
    list(source)
    many = "the label 'note' has 51 values in the first 60 rows, and each is a class"
    assert source.doubts == [many] * doubts
    seldom = read(stored(tmp_path, "b.csv", text + 10 * text.partition("\n")[2]), label="note")
    list(seldom)
    assert not seldom.doubts


@pytest.mark.parametrize("word", [*("", " ", "?", "NA", "n/a", "nan", "NaN"), "\\N", "#N/A"])
def test_csv_rows_without_label(tmp_path, word):
    assert table(tmp_path, f"a,y\n1,{word}\n2,0\n") == ([["1"], ["2"]], [None, "0"])


def test_csv_first_row_without_label_is_no_header(tmp_path):
    assert table(tmp_path, "1,2,?\n3,4,1\n")[1] == [None, "1"]


ROWS = {
    "labels are words": "1,2,spam\n3,4,ham\n",
    "the second has no label": "1,2,spam\n3,4,\n5,6,ham\n",
    "blank lines between": "\n1,2,spam\n\r\n \n3,4,ham",
    "the label is first": "T,2,8\nI,5,12\n",
    "labels are y and n": "1,2,y\n3,4,n\n",
    "quoted line ends": '"a\nb",1,x\n"c\nd",2,y\n',
    "one row": "1,2,spam",
    "rows that count up": "1,2,3,spam\n4,5,6,ham\n",
}
NAMES = {
    "words": "a,b,c\nspam,ham,eggs\n",
    "a word above a number": "2019,area,1\n1,2,3\n",
    "the usual name": "1,2,Label\n3,4,ham\n",
    "nothing above a number, as pandas writes": ",0,1,kind\n0,3,4,ham\n",
    "numbers of columns": "0,1,2,kind\n3,5,1,ham\n",
    "other cells below": "1,2,spam\n3,4,5,ham\n",
}


@pytest.mark.parametrize("size", [1, 4096])
@pytest.mark.parametrize("case", ROWS)
def test_a_first_line_like_the_next_is_a_row(tmp_path, case, size):
    path = stored(tmp_path, "a.csv", ROWS[case])
    label = 0 if "first" in case else -1
    options = {"label": label, "ignore": 0 if "quoted" in case else (), "size": size}
    labels = [y for chunk in read(path, **options) for y in chunk.labels]
    again = [y for chunk in read(path, header=False, **options) for y in chunk.labels]
    assert labels == again
    source = read(path, **options)
    list(source)
    assert not source.doubts


@pytest.mark.parametrize("case", NAMES)
def test_a_first_line_unlike_the_next_has_names(tmp_path, case):
    path = stored(tmp_path, "a.csv", NAMES[case])
    name = NAMES[case].partition("\n")[0].rpartition(",")[2]
    source = read(path, label=-1, ignore=() if "word" not in case else 0)
    fault, labels = "", []
    try:
        labels += [y for chunk in source for y in chunk.labels]
    except SelectronError as error:
        fault = str(error)
    assert "line 2" in fault if case == "other cells below" else labels[0] != name
    expected = "line 1 was taken for names, though some are numbers: if it is a row, use"
    assert [doubt.startswith(expected) for doubt in source.doubts] == {
        "words": [],
        "nothing above a number, as pandas writes": [True, False],
    }.get(case, [True])
    forced = read(path, label=name, header=True)
    with suppress(SelectronError):
        list(forced)
    assert not [doubt for doubt in forced.doubts if doubt.startswith(expected)]


SPECTRA = "sample,400,450,Befund\nS1,0.1,0.2,pos\nS2,0.3,0.1,neg\nS3,0.2,0.2,pos\n"


@pytest.mark.parametrize(
    "asked", [{"label": "Befund"}, {"ignore": "sample"}, {"label": "befund"}, {}]
)
def test_a_first_line_with_a_name_that_is_asked_for_is_the_header(tmp_path, asked):
    path = stored(tmp_path, "a.csv", SPECTRA)
    source = read(path, **asked)
    if asked.get("label") == "befund":
        with pytest.raises(SelectronError, match="'3': line 1 was taken for a row; if it holds"):
            list(source)
        return
    (chunk,) = source
    row = "line 1 was taken for a row, though its words do not come again: if it holds names, use "
    assert chunk.labels.tolist() == ["Befund"] * (not asked) + ["pos", "neg", "pos"]
    assert source.doubts == ([] if asked else [f"{row}--header"])
    again = read(stored(tmp_path, "b.csv", SPECTRA + "sample,0.1,0.2,pos\n"))
    assert list(again)
    assert not again.doubts


def test_csv_label_and_ignore(tmp_path):
    text = "id,y,a,kind,b\nu1,1,2,s,3\nu2,0,4,t,5\n"
    expected = [["2", "3"], ["4", "5"]]
    assert table(tmp_path, text, ignore=("id", "kind")) == (expected, ["1", "0"])
    assert table(tmp_path, text, ignore=["id", "y"], label="kind") == (expected, ["s", "t"])
    assert table(tmp_path, text, ignore=(0, -2), label=1) == (expected, ["1", "0"])
    assert table(tmp_path, text, ignore=(0, 1), label=-2) == (expected, ["s", "t"])
    both = [["1", "2", "3"], ["0", "4", "5"]]
    assert table(tmp_path, text, ignore=("id", "kind"), label="") == (both, [None, None])
    assert table(tmp_path, "a\n1\n2\n") == ([["1"], ["2"]], [None, None])
    assert table(tmp_path, "a,b\n1,x\n", ignore="b", label="") == ([["1"]], [None])
    assert table(tmp_path, "x,y,label\n1,2,3\n") == ([["1", "2"]], ["3"])


def test_csv_quotes(tmp_path):
    text = '"a","the\nbody","y"\r\n"1.5","so, ""he""\r\n\r\nsaid","ham"\r\n2,x,"spam, ""eggs"""\r\n'
    assert table(tmp_path, text, ignore="the\nbody") == ([["1.5"], ["2"]], ["ham", 'spam, "eggs"'])
    text += '3,x,"no"\nabc,x\n'
    path = stored(tmp_path, "b.csv", text)
    for size in (1, 2, 100):
        rows, error = fails(path, ignore=1, size=size)
        assert rows == 3
        assert error == "line 8: 2 columns were found, and 3 expected"


def test_blank_and_odd_cells_are_left_to_the_encoder(tmp_path):
    rows, labels = table(tmp_path, "a,b,y\n,red,0\nnan,1e999,1\n\t,  ,\n")
    assert rows == [["", "red"], ["nan", "1e999"], ["\t", "  "]]
    assert labels == ["0", "1", None]


def test_csv_lone_carriage_return_is_a_space(tmp_path):
    assert table(tmp_path, "a,y\n1\r,2\n3,\r4\n") == ([["1 "], ["3"]], ["2", "4"])


@pytest.mark.parametrize("size", [1, 3, 4096])
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,2", "2 columns were found, and 3 expected"),
        ("1,2,0,4", "4 columns were found, and 3 expected"),
        ('1,"2,0', "a quoted cell is opened and never closed"),
    ],
)
def test_csv_errors(tmp_path, row, reason, size):
    path = stored(tmp_path, "a.csv", "a,b,y\n\n1,2,0\n3,4,1\n" + row + "\n5,6,0\n")
    assert fails(path, size=size) == (2, f"line 5: {reason}")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"label": "z"}, "there is no column 'z'; the columns are 'a', 'b', 'y'"),
        ({"label": 3}, "there is no column number 3; the columns are 'a', 'b', 'y'"),
        (
            {"ignore": ("a", "q")},
            "there is no column 'q' to be ignored; the columns are 'a', 'b', 'y'",
        ),
        ({"ignore": "y", "label": "y"}, "the label column 'y' is also to be ignored"),
        (
            {"ignore": ("a", "b")},
            "no feature is left of the columns 'a', 'b', 'y'; name another label or ignore less",
        ),
    ],
)
def test_columns_that_do_not_exist(tmp_path, options, reason):
    if "q" not in reason and options.get("ignore") == ("a", "b"):
        options = {**options, "label": "y"}
    path = stored(tmp_path, "a.csv", "a,b,y\n1,2,0\n")
    assert fails(path, **options) == (0, reason)
    path = stored(tmp_path, "a.parquet", parquet({"a": [1], "b": [2], "y": [0]}))
    assert fails(path, **options) == (0, reason)


def test_csv_label_named_twice(tmp_path):
    path = stored(tmp_path, "a.csv", "a,a,y\n1,2,0\n")
    assert fails(path, label="a") == (0, "2 columns are named 'a'; give the position")
    (chunk,) = read(path)
    assert chunk.rows.column_names == ["a", "a"]  # which the encoder refuses


def test_wide_tables_name_only_some_columns(tmp_path):
    path = stored(tmp_path, "a.csv", ",".join(f"c{i}" for i in range(500)) + "\n")
    assert fails(path, label="z")[1].endswith("'c19' and 480 more")


cells = st.one_of(numerals, numerals, odd, st.just(""), numerals.map('"{}"'.format))
words = st.one_of(
    st.sampled_from(["ham", " spam ", '"a,b"', '"a\nb"', '"say ""x"""', "NA", "é", '"x"y', 'x"y']),
    st.text('ab",; ', max_size=5),
)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(cells, cells, words), min_size=1, max_size=5))
def test_csv_is_read_as_pythons_reader_does(rows):
    """Rows before a fault have the cells and the labels as written; those of 3 cells are read."""
    content = "".join(",".join(row) + "\n" for row in rows)
    wanted = [row for row in csv.reader(io.StringIO(content, newline="\n")) if row]
    about = tables.CsvLayout(",", tables._record(","), ("a", "b", "y"), Positions([0, 1], 2))
    found = tables.parsed(Piece(content.encode(), 1), about)
    count, left_out, whole = len(found.labels), found.damage.rows, [len(row) == 3 for row in wanted]
    readable = [row for row in wanted if len(row) == 3]
    for row, one, label in zip(readable, found.rows.to_pylist(), found.labels, strict=False):
        assert [one["a"], one["b"]] == row[:2]
        assert label == cell_label(row[2])
    assert not left_out or (all(whole[: found.damage.before]) and not whole[found.damage.before])
    assert count + left_out == len(wanted) if not found.fault else not whole[count + left_out]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.text('a",\n é', max_size=4), min_size=2, max_size=2), min_size=1))
def test_csv_cells_come_back(rows):
    """What a writer of CSV quotes is read as it was."""
    content = "".join(
        "0," + ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows
    )
    about = tables.CsvLayout(",", tables._record(","), ("a", "b", "y"), Positions([0], 2, None))
    for place in (1, 2):
        about = about._replace(columns=Positions([0], place))
        found = tables.parsed(Piece(content.encode(), 1), about)
        assert found.labels.tolist() == [cell_label(row[place - 1]) for row in rows]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('a,"b\n1,2\n', "line 1: a quoted cell is opened and never closed"),
        ("a\n1\n  \n\nx,\n", "line 5: 2 columns were found, and 1 expected"),
    ],
)
def test_csv_lines_that_are_nearly_blank(tmp_path, content, reason):
    rows, error = fails(stored(tmp_path, "a.csv", content))
    assert error.startswith(reason)
    assert rows == (0 if "quoted" in reason else 1)


def test_csv_cut_short_in_the_first_record(tmp_path):
    packed = gzip.compress(b'"a\n' + os.urandom(4000).hex().encode() + b'",b\n1,2\n')
    rows, error = fails(stored(tmp_path, "a.csv.gz", packed[:2000]))
    assert (rows, error) == (0, "the gzip data end too early, after 0 rows")


def test_patterns_match_in_every_python_that_is_supported():
    """Before Python 3.11.5 groups that are possessive match wrongly; atomic ones are right."""
    files = Path(selectron.__file__).parent.rglob("*.py")
    assert not [file for file in files if re.search(r"\)[*+?]\+", file.read_text("utf-8"))]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_names_may_hold_line_ends_and_other_marks(tmp_path, mark):
    text = '"a; b\nc, (EUR)"|d|label\n15|2|ham\n25|3|spam\n'
    path = stored(tmp_path, "a.csv", text.replace("|", mark))
    (chunk,) = read(path)
    assert chunk.rows.column_names == ["a; b\nc, (EUR)", "d"]
    assert chunk.labels.tolist() == ["ham", "spam"]


TAKEN = (
    "line {} opens a quote that line {} closes, and the lines between look like rows: if the quote "
    "is part of a text, delete it, or quote the cell and double it"
)


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_quotes_that_take_in_rows_are_doubted_once(tmp_path, mark):
    quotes = ['"' * (i % 1000 == 3) for i in range(10_000)]
    text = "".join(f"{i}|{quotes[i]}big thing {i}|{'xy'[i % 2]}\n" for i in range(10_000))
    source = read(stored(tmp_path, "a.csv", ("a|b|label\n" + text).replace("|", mark)))
    rows = sum(len(chunk.labels) for chunk in source)
    assert rows < 6000
    assert source.doubts == [TAKEN.format(5, 1005)]


@pytest.mark.parametrize(("width", "mark", "doubted"), [(2, "\t", 1), (2, ",", 0), (5, ",", 1)])
def test_quotes_at_both_ends_of_rows_are_doubted_unless_they_may_be_prose(
    tmp_path, width, mark, doubted
):
    ends = ["0"] * (width - 2)
    rows = [["a", *ends, "x"], ['"b', *ends, "y"], ["c", *ends, "x"], ['d"', *ends, "y"]] * 3
    text = "".join(mark.join(row) + "\n" for row in rows)
    names = mark.join([*"abcdefg"[: width - 1], "label"])
    source = read(stored(tmp_path, "a.csv", f"{names}\n{text}"))
    assert sum(len(chunk.labels) for chunk in source) == 6
    assert source.doubts == [TAKEN.format(3, 5)] * doubted


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 6))
def test_prose_of_several_lines_is_not_doubted(seed, width):
    rng, file = np.random.default_rng(seed), io.StringIO()
    words = ["hello", "you,", "thanks,", '"so"', "1,5", '"', '",']
    writer = csv.writer(file, lineterminator="\n")
    for i in range(60):
        lines = [" ".join(rng.choice(words, rng.integers(9))) for _ in range(rng.integers(1, 6))]
        writer.writerow([i] * (width - 2) + ["\n".join(lines), "ham"])
    piece = Piece(file.getvalue().encode(), 1)
    assert not swallowed(piece, tables._record(","), b",", width)


def test_a_carriage_return_in_the_header_is_a_space(tmp_path):
    (chunk,) = read(stored(tmp_path, "a.csv", b"a\rb,d,label\n1,2,ham\n2,3,spam\n"))
    assert chunk.rows.column_names == ["a b", "d"]


def test_compressed_wide_characters_are_found(tmp_path):
    packed = gzip.compress("a,y\n1,ham\n2,spam\n".encode("utf-16"))
    (chunk,) = read(stored(tmp_path, "a.csv.gz", packed))
    assert chunk.labels.tolist() == ["ham", "spam"]


@pytest.mark.parametrize("name", ["rot13", "idna", "punycode", "undefined", "hex"])
def test_codecs_that_are_no_encodings_of_text(tmp_path, name):
    with pytest.raises(SelectronError, match=f"encoding '{name}' is unknown"):
        read(stored(tmp_path, "a.csv", "a,y\n1,ham\n"), encoding=name)


@pytest.mark.parametrize("options", [{"label": np.int64(0)}, {"ignore": [np.int64(1)]}])
def test_positions_may_be_those_of_numpy(tmp_path, options):
    (chunk,) = read(stored(tmp_path, "a.csv", "y,b,x\nham,1,2\nspam,3,4\n"), **options)
    assert len(chunk.rows.column_names) == 3 - len(options) - ("ignore" in options)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("\u00b5S", "; is it '\u03bcS', which has other characters?"),
        ("PH", "; is it 'pH'?"),
        ("colour", "; is it 'color'?"),
        ("size", ""),
    ],
)
def test_a_similar_name_is_proposed(tmp_path, name, hint):
    path = stored(tmp_path, "a.csv", "\u03bcS,pH,color,label\n1,2,red,ham\n")
    with pytest.raises(SelectronError) as error:
        list(read(path, ignore=name))
    assert str(error.value).endswith(f"the columns are '\u03bcS', 'pH', 'color', 'label'{hint}")
