"""How a format is told, and files of real data."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from selectron.engine.rows import Sparse
from selectron.streams.readers import read

from .reading import dense, fails, stored


@pytest.mark.parametrize(
    ("text", "sparse"),
    [
        ("+1 3:1 4:1\n", True),
        ("3:1\n", True),
        ("spam 3:1e-4\n", True),
        ("# comment\n1 2:3\n", True),
        ("# comment\n\n# another\n1 2:3\n", True),
        ("#a,y\n1,2\n", False),
        ("1,2,3\n", False),
        ('{"a": 1}\n', False),
        ("a;b\n1;2\n", False),
        ("1\t2\n", False),
        ("12:30,1,0\n1,2,3\n", False),
    ],
)
@pytest.mark.parametrize("name", ["a", "a.txt", "a.dat", "a.txt.gz"])
def test_formats_by_content(tmp_path, name, text, sparse):
    source = read(stored(tmp_path, name, text), ignore="12:30" if text.startswith("12") else ())
    (chunk,) = source
    assert isinstance(chunk.rows, Sparse) == sparse


def test_comments_before_a_table_do_not_make_it_svmlight(tmp_path):
    path = stored(tmp_path, "a", "# one\n# two\na,y\n1,2\n")
    assert fails(path)[1].endswith("delete them: line 3 looks like the header")


def test_the_name_goes_before_the_content(tmp_path):
    assert "line 1 was taken for names" in fails(stored(tmp_path, "a.csv", '{"a": 1}\n'))[1]
    path = stored(tmp_path, "a.jsonl", "1 2:3\n")
    assert fails(path)[1].startswith("line 1: this is not JSON")
    (chunk,) = read(path, format="svmlight")
    assert chunk.width == 3


def test_nothing_heavy_is_imported(tmp_path):
    path = stored(tmp_path, "a.csv", "1,2\n")
    code = (
        "import sys; from selectron.streams.readers import read;"
        "assert 'pyarrow' not in sys.modules;"
        f"list(read({path!r})); "
        "print(sorted({'sklearn', 'scipy', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


DATA = os.environ.get("SELECTRON_DATA")


@pytest.mark.skipif(not DATA, reason="SELECTRON_DATA does not name a folder of data files")
class TestRealFiles:
    def test_a9a(self):
        source = read(Path(DATA, "a9a", "a9a.xz"))
        labels = np.concatenate([chunk.labels for chunk in source])
        width = [chunk.width for chunk in source][-1]
        assert (len(labels), width) == (32561, 124)
        assert ((labels == "+1").sum(), (labels == "-1").sum()) == (7841, 24720)

    def test_letter(self):
        rows, labels = dense(read(Path(DATA, "letter", "letter-recognition.data.xz"), label=0), 16)
        assert rows.shape == (20000, 16)
        assert labels.count("A") == 789
        assert rows[0, :4].tolist() == [2, 8, 3, 5]

    def test_shuttle(self):
        path = Path(DATA, "shuttle", "shuttle.trn.csv.xz")
        rows, labels = dense(read(path, header=False), 9)
        assert rows.shape == (43500, 9)
        assert labels.count("High") > 5000

    def test_luxembourg(self):
        rows, labels = dense(read(Path(DATA, "luxembourg_chess", "LUdata.csv.xz")), 31)
        assert rows.shape == (1901, 31)
        assert sorted(labels.count(label) for label in set(labels)) == [924, 977]
