"""Streams of kind "auto": items as TableEncoder encodes them, through crashes, within bounds."""

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
from itertools import islice

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from selectron import OnlineClassifier
from selectron.cli import main
from selectron.data import TableEncoder
from selectron.errors import SelectronError
from selectron.serve import demo
from selectron.serve.declaration import Features, read
from selectron.serve.learning import FIELDS, LEAST, LONG
from selectron.serve.strict import Problem

from .mail import declared, tables

MAIL = "/v1/streams/mail"


def mixed(size=64, columns=None, ignore=(), **more):
    features = Features(size=size, columns=columns or {}, ignore=list(ignore))
    return declared(features=features, **more)


def played(one, n, start=0):
    """Add items one by one; answer most, and correct some of these."""
    for i, raw in enumerate(tables(n, start), start):
        (found,) = one.add([raw], start=i)
        if i % 4:
            said = one.say(found["item"], "ham" if i % 3 else "spam")
            if i % 5 == 0:
                one.correct(said["answer"], "spam")
    return one


def test_rows_are_those_of_the_encoder(desk):
    one, alone = played(desk(mixed()), 120), TableEncoder(form="sparse", text_size=64)
    for raw in tables(120):
        alone.learn_one(raw)
    model = one.stream.model.clf.model_
    assert one.stream.model.clf.encoder_.pack() == alone.pack()  # corrections do not count twice
    assert one.view()["columns"] == alone.report()
    assert "note: text, 3.0 words on average" in alone.report()
    assert "nested.a" in alone.kinds_
    assert (model.sparse, model.width) == (True, len(alone.layout_))  # narrow, so dense to it


@pytest.mark.parametrize("n", [1, 2, 39, 40, 41, 103])
@pytest.mark.parametrize("snapshots", [True, False])
@pytest.mark.slow
def test_killed_and_started_again(desk, tmp_path, n, snapshots):
    one = played(desk(mixed(), every=40), n)
    model = one.model()
    one.crash()
    if not snapshots:
        shutil.rmtree(tmp_path / "snapshots", ignore_errors=True)
    one = desk(mixed(), every=40)
    assert one.model() == model
    whole = played(desk(mixed(), folder=tmp_path / "whole"), n + 30)
    assert played(one, 30, start=n).model() == whole.model()


def test_items_without_fields(desk):
    one = desk(mixed())
    one.add([{}, {"nested": {}}, {"a": None}], keys=False)
    one.say(1, "ham")
    model = one.model()
    one.crash()
    assert desk(mixed()).model() == model


def test_items_are_deleted_once_snapshots_replace_them(desk, tmp_path):
    short = mixed(privacy={"retention_days": 1})
    one = played(desk(short, every=20), 60)
    one.service.forget(one.now + 10 * 86_400)
    with closing(sqlite3.connect(tmp_path / "selectron.sqlite3")) as db:
        (left,) = db.execute("SELECT count(*) FROM contents").fetchone()
    assert left < 60
    model = one.model()
    one.crash()
    assert desk(short, every=20).model() == model


def test_kinds_are_declared(tmp_path, desk):
    file = tmp_path / "mail.toml"
    start = 'classes = ["ham", "spam"]\n[features]\n'
    file.write_text(start + 'columns = {zip = "category"}\nignore = ["id"]')
    (stream,) = read(file)
    one = desk(stream)
    one.add([{"zip": 1010 + i, "id": f"x{i}"} for i in range(3)], keys=False)
    assert one.stream.model.clf.encoder_.kinds_ == {"zip": "category"}
    file.write_text(start + "ngrams = 2")
    assert read(file)[0].features.kind == "text"
    file.write_text(start + 'columns = {zip = "colour"}')
    with pytest.raises(SelectronError, match=r"features\.columns\.zip"):
        read(file)
    file.write_text(start + 'columns = {zip = "category"}\nignore = ["zip"]')
    with pytest.raises(SelectronError, match="'zip' is named in columns and in ignore"):
        read(file)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ({f"f{i}": i for i in range(FIELDS + 1)}, "at most 256 fields"),
        ({"x" * 90_000: dict.fromkeys(map(str, range(70_000)))}, "at most 256 fields"),
        ({"v": [0.0] * 600, "w": [0.0] * 600}, "at most 1000 numbers"),
        ({"v": [1e7]}, "up to 1000000"),
        ({"u.a": 1, "u": {"a": 2}}, "Two fields are named 'u.a'"),
    ],
)
def test_items_that_will_not_do(desk, item, why):
    one = desk(mixed())
    with pytest.raises(Problem, match=why):
        one.add([item])
    assert one.view()["items"] == 0


def test_memory_is_bounded(desk):
    one = desk(mixed(columns={"c": "category"}))
    one.add([{f"f{i}-{j}": i for j in range(100)} for i in range(5)], keys=False)
    encoder = one.stream.model.clf.encoder_
    assert len(encoder.columns_) == FIELDS
    one.crash()


def test_long_texts_count_as_a_whole(desk):
    one = desk(mixed(columns={"note": "text"}))
    one.say(one.add([{"note": "win"}])[0]["item"], "ham")
    model = one.stream.model
    ham, spam = (
        model._given({"note": "x" * LONG + end}, deciding=False) for end in (" ham", " spam")
    )
    assert ham.indices.tolist() != spam.indices.tolist()


@pytest.mark.slow
def test_no_more_categories_than_there_is_room_for(desk, tmp_path):
    one = desk(mixed(columns={"c": "category"}))
    one.add([{"c": f"v{i}" + "x" * (i // 500 * LONG)} for i in range(LEAST + 50)], keys=False)
    encoder = one.stream.model.clf.encoder_
    assert len(encoder.layout_.names) == LEAST
    assert max(map(len, encoder.layout_.names)) == LONG + len("c=")
    one.say(1, "ham")
    model = one.model()
    one.crash()
    assert desk(mixed(columns={"c": "category"})).model() == model


def test_the_demonstration_drifts():
    found = list(islice(demo.messages(), 2 * demo.SHIFT))
    first, later = found[: demo.SHIFT], found[demo.SHIFT :]

    def urgent(part):
        told = tuple(words.partition("{p}")[2] for words in demo.TROUBLE)
        return {x["subject"].lower() for x in part if any(words in x["text"] for words in told)}

    assert (urgent(first), urgent(later)) == (set(demo.PRODUCTS[:3]), set(demo.PRODUCTS[3:]))
    assert {x["subject"].lower() for x in first} == set(demo.PRODUCTS)


def test_the_model_of_a_stream_is_a_model_file(web, tmp_path):
    """It predicts rows of a file, as the service predicts the same items next."""
    one = web(mixed())
    assert one.get("/v1/streams/mail/model").status_code == 409
    items = list(tables(90))
    for i, item in enumerate(items[:60]):
        found = one.post("/v1/streams/mail/items", "ingest", {"data": item}).json()
        answer = {"label": "ham" if i % 3 else "spam"}
        one.post(f"/v1/streams/mail/items/{found['item']}/answers", "ingest", answer)
    got = one.get("/v1/streams/mail/model", "read")
    assert got.headers["content-disposition"] == 'attachment; filename="mail.model"'
    (tmp_path / "mail.model").write_bytes(got.content)
    (tmp_path / "next.jsonl").write_text("\n".join(map(json.dumps, items[60:])))
    out = str(tmp_path / "out.csv")
    given = map(str, (tmp_path / "mail.model", tmp_path / "next.jsonl"))
    run = CliRunner().invoke(main, ["predict", *given, "-o", out])
    assert run.exit_code == 0, run.output
    with open(out, newline="") as file:
        shown = [row["prediction"] for row in csv.DictReader(file)]
    clf = OnlineClassifier.load(tmp_path / "mail.model")
    assert shown == clf.predict(items[60:]).tolist()
    assert {*shown} == {"ham", "spam"}
    for item in items[60:]:
        sent = one.post("/v1/streams/mail/items", "ingest", {"data": item}).json()
        decided = clf.decide(item, 0.0)
        assert (decided.label, decided.ask_probability) == (sent["label"], sent["ask_probability"])
        wanted = dict(zip(clf.classes_, decided.proba, strict=True))
        assert sent["proba"] == pytest.approx(wanted, rel=1e-5)


def test_weights_of_classes(desk, tmp_path):
    """They multiply probabilities, of which the largest is predicted."""
    shown = []
    for weights in (None, {"spam": 10.0}, "balanced"):
        one = desk(mixed(class_weight=weights), folder=tmp_path / str(weights))
        for i, item in enumerate(tables(40)):
            (found,) = one.add([item], start=i)
            one.say(found["item"], "ham" if i % 3 else "spam")
        shown.append(found)
    plain, weighed, balanced = (item["proba"]["spam"] for item in shown)
    assert weighed == pytest.approx(10 * plain / (10 * plain + 1 - plain), rel=1e-3)
    assert plain < balanced < weighed
    for item in shown:
        assert item["label"] == max(item["proba"], key=item["proba"].get)
        assert sum(item["proba"].values()) == pytest.approx(1.0)


def test_items_are_exported_with_their_labels(web):
    """As a table: one row for each item, which `selectron run` reads."""
    one = web(mixed(annotators=2))
    items = [
        *tables(12),
        {"label": "mine", "deep": {"a": {"b": 2**62 + 1}, "c": None}, "age": True},
    ]
    items[4]["late 0"], items[5]["late 1"], items[6]["late 2"] = 4.5, 2**64 - 1, 2**53 + 1
    items[7]["late 2"] = 0.5
    for i, item in enumerate(items):
        one.post(f"{MAIL}/items", "ingest", {"id": f"k{i}", "data": item})
    for who in ("ingest", "annotate"):
        for i in range(0, 13, 3):
            body = {"id": f"k{i}", **({"label": "ham"} if i else {"verdict": "none"})}
            one.post(f"{MAIL}/answers", who, body)
    one.post(f"{MAIL}/answers", "ingest", {"id": "k1", "label": "spam"})  # one answer of two

    def export(kind):
        got = one.get(f"{MAIL}/export?rows=items&format={kind}", "read")
        assert got.headers["content-disposition"].endswith(f'"mail-items.{kind}"')
        return got

    lines = [json.loads(line) for line in export("jsonl").text.splitlines()]
    assert [line["id"] for line in lines] == [f"k{i}" for i in range(13)]
    assert [line["label"] for line in lines] == [None, None, *[None, "ham", None] * 3, None, "ham"]
    assert lines[1]["age"] == ""
    last = {"item": lines[-1]["item"], "id": "k12", "label": "ham", "disputed": False}
    assert lines[-1] == last | {
        "data.label": "mine",
        "deep.a.b": 2**62 + 1,
        "deep.c": None,
        "age": True,
    }
    rows = list(csv.DictReader(io.StringIO(export("csv").text)))
    assert rows[3]["place"] == json.dumps(lines[3]["place"], separators=(",", ":"))
    assert rows[3]["late 0"] == "3.0"  # as others are fractions
    assert rows[-1]["data.label"] == "mine"
    table = pq.read_table(io.BytesIO(export("parquet").content))
    assert table.column_names == list(rows[0])
    assert table["late 0"].to_pylist() == [*range(4), 4.5, *range(5, 12), None]
    assert table["late 1"][5].as_py() == str(2**64 - 1)  # no fraction holds it
    assert table["late 2"][6].as_py() == str(2**53 + 1)
    assert table["deep.a.b"].to_pylist() == [None] * 12 + [2**62 + 1]
    assert table["age"].to_pylist()[:5] == [None, "", "3.5", "3", "ten"]
    assert table["in"].to_pylist() == [i % 3 > 0 for i in range(12)] + [None]


def test_fields_of_exported_items_that_clash(web):
    """None is lost, and ignored ones may have the name of another."""
    one = web(mixed(ignore=["a.b"]))
    items = [{"label": "old", "data": {"label": "inner"}}, {"a.b": 1, "a": {"b": 2}, "c": 3}]
    for item in items:
        one.post(f"{MAIL}/items", "ingest", {"data": item})
    for kind in ("csv", "parquet"):
        assert one.get(f"{MAIL}/export?rows=items&format={kind}").status_code == 200
    lines = one.get(f"{MAIL}/export?rows=items").text.splitlines()
    clashing, ignored = (json.loads(line) for line in lines)
    assert (clashing["data.label"], clashing["data.data.label"]) == ("old", "inner")
    assert {"a.b": 1, "a": {"b": 2}, "c": 3}.items() <= ignored.items()
