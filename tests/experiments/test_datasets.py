"""Data sets: what the files hold, the formats of public downloads, and the errors without them.

Real files are read if the environment variable SELECTRON_DATA names the folder that holds them.
"""

import io
import lzma
import tarfile
from functools import cache
from inspect import isfunction

import numpy as np
import pytest
from benchmarks import sets
from experiments import datasets
from experiments.datasets import files
from scipy.sparse import csr_matrix, issparse

from selectron.errors import SelectronError


class Lengths:
    """A vectorizer that is quick: the number of characters of each text."""

    def fit_transform(self, texts):
        return csr_matrix([[len(text)] for text in texts])


SETS = {  # name: (file that it is read from, shape of X, counts of some classes)
    "usps": ("usps/usps.h5", (9298, 256), {0: 1553, 9: 821}),
    "letter": ("letter/letter-recognition.data", (20_000, 16), {"A": 789, "Z": 734}),
    "isolet": ("isolet/isolet.npz", (7797, 617), {"A": 300, "F": 298, "M": 299}),
    "shuttle": (
        "shuttle/shuttle.trn.csv",
        (58_000, 9),
        {"Rad Flow": 45_586, "High": 8903, "Bpv Close": 10},
    ),
    "newsgroups": ("newsgroups20/20_newsgroup.tar", (19_997, 1), {"soc.religion.christian": 997}),
    "rcv1": ("rcv1/rcv1.npz", (30_000, 47_236), {"CCAT": 13_410, "M143": 0}),
    "reuters": ("reuters21578/reuters21578.tar", (21_578, 1), {"earn": 3987, "acq": 2448}),
    "ohsumed": ("ohsumed/ohsumed.npz", (13_929, 1002), {"C23": 3952, "C03": 135}),
    "electricity": ("elec2/elec2_data.dat", (45_312, 8), {"UP": 19_237}),
    "weather": ("weather/NEweather_data.csv", (18_159, 8), {"rain": 5698}),
    "spam": ("spam_corpus/spam_corpus.npz", (9324, 39_916), {"spam": 2387}),
    "a9a": ("a9a/a9a", (48_842, 123), {1: 7841 + 3846}),
    "luxembourg": ("luxembourg_chess/LUdata.csv", (1901, 31), {0: 977}),
    "chess": ("luxembourg_chess/chessweka.csv", (503, 8), {1: 305}),
}


def put(folder, name, data):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def there(name):
    """The set, or a skipped test that says why."""
    path, *expected = SETS[name]
    if not files.found(path):
        pytest.skip(f"{path} is not in the folder that SELECTRON_DATA names")
    return loaded(name), *expected


def function(name):
    return getattr(datasets if hasattr(datasets, name) else sets, name)


@cache
def loaded(name):
    words = {"vectorizer": Lengths()} if name in ("newsgroups", "reuters") else {}
    return function(name)(**words)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.slow] * (n in ("newsgroups", "reuters"))) for n in SETS],
)
def test_a_set_is_what_its_paper_says(name):
    data, shape, counts = there(name)
    assert data.X.shape == shape
    assert data.X.dtype == float
    assert data.y.shape[0] == shape[0]
    assert np.isfinite(data.X.data if issparse(data.X) else data.X).all()
    several = issparse(data.y)
    relevant = data.y if several else data.y[:, None] == data.classes
    frequency = np.asarray(relevant.sum(axis=0)).ravel()
    found = dict(zip(data.classes.tolist(), frequency.tolist(), strict=True))
    assert {**found, **counts} == found
    for column in (data.part, data.time):
        assert column is None or len(column) == shape[0]
    if isinstance(data.y, np.ndarray):
        assert np.unique(data.y).tolist() == data.classes.tolist()


def test_every_set_is_tested():
    ours = {name for name, value in vars(datasets).items() if isfunction(value)}
    functions = filter(isfunction, vars(sets).values())
    others = {f.__name__ for f in functions if f.__module__ == sets.__name__}
    assert ours | others - {"_with_target"} == {*SETS, "digits"}


@pytest.mark.slow
def test_news_is_in_order_of_time():
    for name, train in (("newsgroups", 11_314), ("reuters", 9603)):
        data, *_ = there(name)
        assert (np.diff(data.time).astype(int) >= 0).all()
        assert (data.part == "train").sum() == train


def test_rows_of_rcv1_have_unit_length():
    X = there("rcv1")[0].X
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1, atol=1e-5)


def test_digits_need_no_file(empty):
    assert datasets.digits().X.shape == (1797, 64)


# The formats of public downloads, in the cache


def packed(kind, archived):
    """Return an archive of files by name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{kind}") as archive:
        for name, text in archived.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode("latin-1"))
            archive.addfile(info, io.BytesIO(text.encode("latin-1")))
    return buffer.getvalue()


STORY = (
    '<REUTERS TOPICS="YES" LEWISSPLIT="{split}" NEWID="1">\n<DATE>{date}</DATE>\n'
    "<TOPICS>{topics}</TOPICS>\n<TEXT><TITLE>GRAIN &lt;up></TITLE><BODY>Wheat rose\n</BODY></TEXT>"
    "\n</REUTERS>\n"
)


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_reuters_as_it_is_distributed(empty, kind):
    later = STORY.format(split="TEST", date=" 2-MAR-1987 605:12:19.12", topics="<D>grain</D>")
    first = STORY.format(split="TRAIN", date="26-FEB-1987 15:01:01.79", topics="")
    archived = {"reut2-000.sgm": later + first, "README.txt": "<REUTERS "}
    put(empty, f"reuters21578/reuters21578.tar.{kind}", packed(kind, archived))
    data = datasets.reuters(Lengths())
    assert data.X.toarray().ravel().tolist() == [len("GRAIN <up>\nWheat rose\n")] * 2
    assert data.classes.tolist() == ["grain"]
    assert data.y.toarray().ravel().tolist() == [False, True]
    assert data.part.tolist() == ["train", "test"]
    assert data.time.astype(str).tolist() == ["1987-02-26T15:01:01", "1987-03-02T05:12:19"]


def test_newsgroups_as_scikit_learn_fetches_them(empty):
    message = "From: a@b\nSubject: c\n\nThe body\n\nof it"
    archived = {
        "20news-bydate-test/sci.med/2": message,
        "20news-bydate-train/rec.autos/1": message,
    }
    put(empty, "newsgroups20/20news-bydate.tar.gz", packed("gz", archived))
    data = datasets.newsgroups(Lengths())
    assert data.y.tolist() == ["rec.autos", "sci.med"]
    assert data.part.tolist() == ["train", "test"]
    assert data.time is None
    assert data.X.toarray().ravel().tolist() == [len("The body\n\nof it")] * 2


def test_newsgroups_with_dates(empty):
    head = "Newsgroups: x\nDate: {} Apr 93 16:15:19 {}\n\nbody"
    archived = {
        "20_newsgroup/sci.med/2": head.format(19, "+0300"),
        "20_newsgroup/sci.med/1": head.format(19, "+3000"),  # no zone of this earth
        "20_newsgroup/rec.autos/1": head.format(18, "GMT"),
    }
    put(empty, "newsgroups20/20_newsgroup.tar.xz", packed("xz", archived))
    put(empty, "newsgroups20/bydate_split.txt", b"test sci.med/2\n")
    data = datasets.newsgroups(Lengths())
    times = ["1993-04-18T16:15:19", "1993-04-19T13:15:19", "1993-04-19T16:15:19"]
    assert data.time.astype(str).tolist() == times
    assert data.part.tolist() == ["", "test", ""]


@pytest.mark.parametrize("header", ["", "Letter,1,2\n"])
def test_letter_with_and_without_header(empty, header):
    put(empty, "letter/letter-recognition.data", f"{header}T,2,8\nA,4,9\n".encode())
    assert datasets.letter().y.tolist() == ["T", "A"]


def test_the_data_home_goes_before_the_cache(empty, tmp_path, monkeypatch):
    put(empty, "luxembourg_chess/chessweka.csv", b"at1,target\n5,0\n")
    monkeypatch.setenv("SELECTRON_DATA", str(tmp_path / "home"))
    assert sets.chess().X.tolist() == [[5]]
    text = b"at1,target\n6,0\n"
    put(tmp_path / "home", "luxembourg_chess/chessweka.csv.xz", lzma.compress(text))
    assert sets.chess().X.tolist() == [[6]]


# Files that are not what they should be


@pytest.mark.parametrize(
    ("name", "path"),
    [(name, path) for name, (path, *_) in SETS.items()],
)
def test_a_damaged_file_is_named(empty, name, path):
    for other in SETS.values():
        put(empty, other[0], b"\x00no such thing\x01")
    for packed_with_xz in (False, True):
        if packed_with_xz:
            (empty / path).rename(empty / f"{path}.xz")
        with pytest.raises(SelectronError, match=f"{empty / path}"):
            function(name)()
