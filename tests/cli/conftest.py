"""What the tests of the command line share: a call in an empty folder, and a small stream."""

import pytest
from click.testing import CliRunner

from selectron.cli import main
from selectron.streams import switching_gaussian


def blank(path):
    """Remove the labels of a CSV file, which are in the last column."""
    names, *rows = path.read_text().splitlines()
    path.write_text("\n".join([names, *(f"{row.rpartition(',')[0]}," for row in rows)]) + "\n")


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Return a function that calls the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *args, **more: CliRunner().invoke(main, [str(a) for a in args], **more)


@pytest.fixture
def stream(tmp_path):
    """Return a small CSV file, its rows and its labels."""
    X, y = switching_gaussian(300, 4, every=100)
    path = tmp_path / "stream.csv"
    lines = ["a,b,c,d,label"]
    lines += [
        ",".join(map(repr, x.tolist())) + f",{'spam' if k > 0 else 'ham'}"
        for x, k in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(lines))
    return path, X, y
