"""Downloads of data sets: under their checksum, once, and the errors when they fail."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from benchmarks import sets
from experiments import datasets
from experiments.datasets import files
from experiments.datasets.files import STORE

from selectron.errors import SelectronError


def serve(monkeypatch, url, sha256):
    monkeypatch.setitem(STORE.urls, "luxembourg_chess/chessweka.csv", url)
    monkeypatch.setitem(STORE.registry, "luxembourg_chess/chessweka.csv", sha256)


@pytest.fixture
def server(monkeypatch):
    """Serve one file in place of the games of chess, and return its bytes."""
    text = b"at1,target\n5,0\n6,1\n"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/chessweka.csv"
        right = hashlib.sha256(text).hexdigest()
        yield lambda sha256=right: serve(monkeypatch, url, sha256)
        server.shutdown()
        thread.join()


def test_what_is_not_there_is_downloaded_once(empty, server, monkeypatch):
    server()
    assert sets.chess().y.tolist() == [0, 1]
    assert (empty / "luxembourg_chess" / "chessweka.csv").is_file()
    monkeypatch.setattr(files, "_download", None)
    assert sets.chess().y.tolist() == [0, 1]


def test_a_download_with_another_checksum_is_refused(empty, server):
    server("0" * 64)
    with pytest.raises(SelectronError, match="has another checksum than it should"):
        sets.chess()
    assert not [path for path in empty.rglob("*") if path.is_file()]


def test_offline_one_sentence_says_what_to_do(empty, monkeypatch):
    serve(monkeypatch, "http://127.0.0.1:9/chessweka.csv", "0" * 64)
    with pytest.raises(SelectronError) as caught:
        sets.chess()
    path = Path(empty, "luxembourg_chess", "chessweka.csv")
    assert str(caught.value) == (
        f"{path}: no such file, and http://127.0.0.1:9/chessweka.csv cannot be reached; put it "
        "there, or name the folder that has it in the environment variable SELECTRON_DATA."
    )


def test_a_set_without_a_public_checksum_is_not_downloaded(empty):
    with pytest.raises(SelectronError, match="there is no public address with a known checksum"):
        sets.spam()


@pytest.mark.parametrize(
    ("name", "fetch"), [("rcv1", "news.fetch_rcv1"), ("isolet", "tables.fetch_openml")]
)
def test_offline_what_scikit_learn_fetches_fails_in_the_same_way(empty, monkeypatch, name, fetch):
    def offline(**options):
        raise OSError("Temporary failure in name resolution")

    monkeypatch.setattr(f"experiments.datasets.{fetch}", offline)
    with pytest.raises(SelectronError, match=f"{name}.npz: no such file, and .*; put it there"):
        getattr(datasets, name)()


def test_checksums_are_those_of_scikit_learn():
    twenty = pytest.importorskip("sklearn.datasets._twenty_newsgroups")
    name = "newsgroups20/20news-bydate.tar.gz"
    assert STORE.get_url(name) == twenty.ARCHIVE.url
    assert STORE.registry[name] == twenty.ARCHIVE.checksum


@pytest.mark.parametrize("name", STORE.registry)
def test_checksums_are_those_of_the_files(name):
    path = files.found(name)
    if path is None:
        pytest.skip(f"{name} is not in the folder that SELECTRON_DATA names")
    assert hashlib.sha256(files.contents(path)).hexdigest() == STORE.registry[name]
