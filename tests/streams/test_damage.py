"""Rows that cannot be read end a file, or are left out and counted."""

import pytest

from selectron.errors import SelectronError
from selectron.streams.readers import read

from .reading import fails, stored

N, BAD = 100, (40, 41, 77)
GOOD = [n for n in range(N) if n not in BAD]
LINES = {  # of row n; a damaged one; what is wrong with it
    "a.csv": ("{n},ham", "{n},ham,1", "3 columns were found, and 2 expected"),
    "a.jsonl": ('{{"a": {n}, "label": "ham"}}', '{{"a": {n}', "this is not JSON"),
    "a.svm": ("ham 1:{n}", "ham 1:x", "'x' is not a number"),
}


def values(chunks):
    """Return the values of the only feature."""
    found = []
    for chunk in chunks:
        assert chunk.first == len(found)
        if chunk.width:
            found += chunk.rows.values.tolist()
        elif isinstance(chunk.rows, list):
            found += [row["a"] for row in chunk.rows]
        else:
            found += [int(cell) for cell in chunk.rows["a"].to_pylist()]
        assert len(chunk.labels) == len(found) - chunk.first
    return found


def damaged(tmp_path, name, blank=""):
    good, bad, _ = LINES[name]
    rows = [(bad if n in BAD else good).format(n=n) + blank for n in range(N)]
    head = ["a,label"] if name == "a.csv" else []
    return stored(tmp_path, name, "\n".join([*head, *rows, ""])), len(head)


@pytest.mark.parametrize("size", [7, 41, 4096])
@pytest.mark.parametrize("blank", ["", "\n \n"])
@pytest.mark.parametrize("name", LINES)
def test_damaged_rows_are_left_out(tmp_path, name, blank, size):
    path, head = damaged(tmp_path, name, blank)
    line = head + 1 + BAD[0] * (1 + blank.count("\n"))
    source = read(path, size=size, skip_damaged=True)
    for _ in range(2):
        assert values(source) == GOOD
        assert source.damage.rows == len(BAD)
        assert source.damage.before == BAD[0]
        assert source.damage.why.startswith(f"line {line}: {LINES[name][2]}")


@pytest.mark.parametrize("size", [7, 4096])
@pytest.mark.parametrize("name", LINES)
def test_else_the_rows_before_are_delivered_with_an_advice(tmp_path, name, size):
    path, head = damaged(tmp_path, name)
    source, found = read(path, size=size), []
    with pytest.raises(SelectronError, match=f"line {head + 1 + BAD[0]}: .*; leave such rows out"):
        found.extend(chunk for chunk in source)
    assert values(found) == list(range(BAD[0]))
    assert source.damage.rows == 0


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("after", ["", "21,ham\n22,ham\n"])
@pytest.mark.parametrize("open_one", ['20,"ham', '"20,ham', '20,ham,"'])
def test_a_quote_that_is_never_closed_ends_the_file(tmp_path, open_one, after, skip):
    rows = "".join(f"{n},ham\n" for n in range(20))
    path, found = stored(tmp_path, "a.csv", f"a,label\n{rows}{open_one}\n{after}"), []
    source = read(path, skip_damaged=skip)
    with pytest.raises(SelectronError, match="line 22: a quoted cell is opened and never cl"):
        found.extend(chunk for chunk in source)
    assert values(found) == list(range(20))


def test_an_inch_sign_is_no_open_quote(tmp_path):
    path = stored(tmp_path, "a.csv", 'a,label\n1,ham\n2,5" nail,x\n3,ham\n')
    assert values(read(path, skip_damaged=True)) == [1, 3]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize("other", [20, 60])  # a row that is damaged in another way
def test_rows_without_a_time_are_left_out(tmp_path, name, other):
    csv, lines = ["when,a,label"], []
    for n in range(N):
        when = "soon" if n in BAD else f"{1000 + n}"
        csv.append(f"{when},{n},ham,x" if n == other else f"{when},{n},ham")
        lines.append(f'{{"when": "{when}", "a": {n}, "label": "ham"}}'[: 9 if n == other else None])
    path = stored(tmp_path, name, "\n".join(csv if name == "a.csv" else lines))
    source, expected = read(path, time="when", skip_damaged=True), [n for n in GOOD if n != other]
    chunks = list(source)
    assert values(chunks) == expected
    assert [time for chunk in chunks for time in chunk.times] == [1000 + n for n in expected]
    assert source.damage.rows == len(BAD) + 1
    line = min(BAD[0], other) + 1 + (name == "a.csv")
    assert source.damage.why.startswith(f"line {line}: ")


@pytest.mark.parametrize("size", [7, 4096])
def test_a_header_that_is_repeated_is_damage(tmp_path, size):
    rows = "".join(f"{n},ham\n" for n in range(20))
    path = stored(
        tmp_path, "a.csv", f"a,label\n{rows}\na,label\n20,spam\na,label\na,ham\n21,label\n"
    )
    with pytest.raises(
        SelectronError, match="line 23: the names of the columns are repeated; leave"
    ):
        list(read(path, size=size))
    source = read(path, size=size, skip_damaged=True)
    chunks = list(source)
    cells = [cell for chunk in chunks for cell in chunk.rows["a"].to_pylist()]
    labels = [label for chunk in chunks for label in chunk.labels]
    assert cells == [*map(str, range(21)), "a", "21"]
    assert labels == [*["ham"] * 20, "spam", "ham", "label"]
    assert source.damage.rows == 2


@pytest.mark.parametrize(
    ("header", "label", "hint"),
    [
        (None, None, " (if line 1 is a row, too, use --no-header)"),
        (True, None, ""),
        (None, "round", ""),
    ],
)
def test_names_that_are_repeated_may_be_a_row(tmp_path, header, label, hint):
    path = stored(tmp_path, "a.csv", "red,round\ngreen,square\nred,round\n")
    with pytest.raises(SelectronError) as error:
        list(read(path, header=header, label=label))
    assert f"line 3: the names of the columns are repeated{hint}; leave" in str(error.value)


def test_rows_without_a_header_may_look_like_its_default_names(tmp_path):
    path = stored(tmp_path, "a.csv", "5,7\n0,1\n")
    assert [cell for chunk in read(path) for cell in chunk.rows["0"].to_pylist()] == ["5", "0"]


def test_titles_of_several_lines_are_named(tmp_path):
    path = stored(tmp_path, "a.csv", "Account statement\nJanuary\ndate;amount\n1.1.;2,5\n1.2.;3\n")
    expected = (
        "line 4: 2 columns were found, and 1 expected: if lines 1 to 2 are titles or comments, "
        "delete them: line 3 looks like the header"
    )
    assert fails(path)[1].startswith(expected)


ROWS = "1;2;ham\n3;4;spam\n5;6;ham\n"
TITLE = ": if line 1 is a title or a comment, delete it"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"# Lab, Export\na;b;label\n{ROWS}", "line 2: 1 column was found, and 2 expected" + TITLE),
        (
            f"# Lab; Export\na;b;label\n{ROWS}",
            "line 2: 3 columns were found, and 2 expected" + TITLE,
        ),
        (
            f"# Lab; x\n# y; z\na;b;label\n{ROWS}",
            "line 3: 3 columns were found, and 2 exp.*: if lines 1 to 2 .*: line 3 looks like the",
        ),
        (f"# Lab\na,b,label\n{ROWS}", "line 2: 3 columns were found, and 1 expected" + TITLE),
        (
            "a;b;label\n" + ROWS.replace("\n", ";\n"),
            "line 2: 4 columns .*, and 3 expected: if rows end with ';', end line 1 with it, too",
        ),
        (f"a;b;label\n1;2\n{ROWS}", "line 2: 2 columns were found, and 3 expected"),
        (
            f"a;b;label\n{ROWS}1;2\n",
            "line 5: 2 columns .* expected; leave such rows out with --skip-d",
        ),
    ],
)
def test_what_most_rows_have_against_line_1_is_named(tmp_path, text, message):
    source = read(stored(tmp_path, "a.csv", text))
    with pytest.raises(SelectronError, match=message) as error:
        list(source)
    assert ("--skip-damaged" in str(error.value)) == ("--skip" in message)


def test_a_title_without_the_mark_of_the_rows_is_named(tmp_path):
    prose = 'hello; you\n"a;b"\n', "it works ;) really\nfine day\n", "this or that\nyes|no\n"
    for rows, warned in ((f"a;b;label\n{ROWS}", True), *((text, False) for text in prose)):
        source = read(stored(tmp_path, "a.csv", f"Lab\n{rows}"), label="")
        list(source)
        taken = "line 1 was taken for names, and others have ';'"
        assert source.doubts == [taken + TITLE] * warned
    path = stored(tmp_path, "b.csv", f"Lab\na;b;label\n{ROWS}")
    with pytest.raises(SelectronError, match=f"the columns are 'Lab'{TITLE}"):
        list(read(path, label="label"))


@pytest.mark.parametrize("rows", [ROWS, ROWS.replace(";", ","), "1,5;2;ham\n3,1;4;spam\n"])
def test_the_names_below_a_title_and_a_comment_are_found(tmp_path, rows):
    """Whatever is asked for: a column, or all rows; all may have a decimal comma."""
    names = "id;a;label" if ";" in rows else "id,a,label"
    rows = f"Export\n\n# of June\n{names}\n{rows}"
    path = stored(tmp_path, "a.csv", rows)
    hint = "if lines 1 to 3 are titles or comments, delete them: line 4 looks like the header"
    with pytest.raises(SelectronError, match=hint):
        list(read(path, label="label"))
    source = read(path, label="")
    try:
        list(source)
    except SelectronError as error:
        source.doubts.append(str(error))
    assert source.doubts[-1].endswith(hint)


def test_a_file_of_damaged_rows_alone(tmp_path):
    path = stored(tmp_path, "a.csv", "title\n1,2\n3,4\n")
    with pytest.raises(SelectronError, match=r"no rows that can be read: line 2: .* is a title"):
        list(read(path, skip_damaged=True))
