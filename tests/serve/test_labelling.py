"""The way of an item over HTTP: sent, asked for, answered, corrected, read, exported."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from .mail import declared

MAIL = "/v1/streams/mail"


def test_the_way_of_an_item(web):
    one = web()
    sent = one.add("win money now", "a")
    assert sent["asked"]
    assert sent["ticket"] == sent["item"]
    question = one.post(f"{MAIL}/next", "annotate").json()["question"]
    assert question["content"] == {"text": "win money now"}
    assert question["reason"] in ("audit", "uncertain")
    assert (question["label"] is None) == (question["reason"] == "audit")
    assert one.post(f"{MAIL}/next", "annotate").json()["question"] is None
    body = {"label": "spam", "lease": question["lease"]["token"]}
    said = one.post(f"{MAIL}/items/{sent['item']}/answers", "annotate", body).json()
    assert said["learned"]
    assert not said["late"]
    assert one.get(f"{MAIL}").json()["answered"] == 1
    path = f"{MAIL}/answers/{said['answer']}"
    corrected = one.post(f"{path}/correct", "annotate", {"label": "ham"}).json()
    assert corrected["supersedes"] == said["answer"]
    assert one.post(f"{path}/undo", "annotate").json()["error"]["code"] == "superseded"
    known = one.get(f"{MAIL}/items?id=a").json()
    assert known["truth"] == "ham"
    history = one.get(f"{MAIL}/answers", "annotate").json()["answers"]
    assert [(row["label"], row["stands"]) for row in history] == [("ham", True), ("spam", False)]


def test_labels_by_own_id_of_what_was_not_asked_for(web):
    one = web(declared(budget="1%"))
    keys = [f"k{i}" for i in range(40)]
    asked = {key: one.add(f"text {key}", key)["asked"] for key in keys}
    key = next(key for key in keys if not asked[key])
    said = one.post(f"{MAIL}/answers", "ingest", {"id": key, "label": "ham"}).json()
    assert said["learned"]
    assert one.get(MAIL).json()["answered"] == 0  # it is no audit: nobody drew it
    assert one.post(f"{MAIL}/answers", "ingest", {"id": "no", "label": "ham"}).status_code == 404


@pytest.mark.parametrize("body", [{"label": "eggs"}, {}, {"verdict": "none", "label": "ham"}])
def test_answers_that_will_not_do(web, body):
    one = web()
    item = one.add("win")["item"]
    assert one.post(f"{MAIL}/items/{item}/answers", "annotate", body).status_code == 422
    assert one.get(MAIL).json()["queue"] == 1


def test_new_classes_where_they_may_come(web):
    one = web(declared(classes=[], new_classes=True))
    for i, label in enumerate(["a", "b", "a"]):
        item = one.add(f"text {i} {label}")["item"]
        assert one.post(f"{MAIL}/items/{item}/answers", "annotate", {"label": label}).json()[
            "learned"
        ]
    assert one.get(MAIL).json()["classes"] == ["a", "b"]
    assert one.add("text 9")["label"] in ("a", "b")


def test_others_answers_are_not_undone(web):
    one = web()
    item = one.add("win")["item"]
    said = one.post(f"{MAIL}/items/{item}/answers", "ingest", {"label": "ham"}).json()
    path = f"{MAIL}/answers/{said['answer']}/undo"
    assert one.post(path, "annotate").status_code == 403
    assert one.post(path, "admin").status_code == 200
    assert one.get(MAIL).json()["queue"] == 1


def test_exports_agree(web):
    one = web()
    for i in range(5):
        one.add(f"text {i}", f"k{i}")
    question = one.post(f"{MAIL}/next", "annotate").json()["question"]
    body = {"label": "ham", "lease": question["lease"]["token"]}
    one.post(f"{MAIL}/items/{question['item']}/answers", "annotate", body)
    lines = one.get(f"{MAIL}/export", "read").text.splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["kind"] for row in rows] == ["item"] * 5 + ["shown", "answer"]
    answer = rows[-1]
    assert answer["who"] == "annotate"
    assert answer["label"] == "ham"
    assert answer["shown_at"] == rows[-2]["at"] <= answer["at"]
    assert answer["probability"] == 1.0
    table = list(csv.DictReader(io.StringIO(one.get(f"{MAIL}/export?format=csv").text)))
    assert [int(row["entry"]) for row in table] == [row["entry"] for row in rows]
    parquet = pq.read_table(io.BytesIO(one.get(f"{MAIL}/export?format=parquet").content))
    assert parquet.to_pylist() == [
        {name: row.get(name) for name in parquet.column_names} for row in rows
    ]


def choice(label):
    value = {"choices": [label]}
    return {"result": [{"from_name": "c", "to_name": "t", "type": "choices", "value": value}]}


def test_label_studio_there_and_back(web):
    one = web()
    tasks = [
        {"id": 7, "data": {"text": "win"}, "annotations": [choice("spam")], "meta": {"x": 1}},
        {"id": 8, "data": {"text": "report"}},
        {"id": 9, "data": {"text": "no"}, "annotations": [{"result": []}]},
    ]
    reply = one.post(f"{MAIL}/label-studio", "ingest", tasks).json()
    assert reply["learned"] == 1
    back = one.get(f"{MAIL}/label-studio", "read").json()
    assert [task["data"] for task in back] == [task["data"] for task in tasks]
    assert back[0]["annotations"][0]["result"][0]["value"] == {"choices": ["spam"]}
    assert back[1]["annotations"] == []
    assert back[2]["annotations"][0]["result"] == []
    again = one.post(f"{MAIL}/label-studio", "ingest", tasks).json()
    assert all(item["known"] for item in again["items"])
    assert one.get(MAIL).json()["items"] == 3
    bad = [{"id": 1, "data": {"text": "x"}, "annotations": [choice("eggs")]}]
    assert one.post(f"{MAIL}/label-studio", "ingest", bad).status_code == 422
    assert one.get(MAIL).json()["items"] == 3


def test_figures_for_prometheus(web):
    one = web()
    one.add("win")
    text = one.get("/metrics", "read").text
    assert 'selectron_items_total{stream="mail"} 1.0' in text
    assert "selectron_failing 0.0" in text


def test_fields(web):
    fields = declared().model_copy(
        update={
            "name": "fields",
            "features": declared().features.model_copy(
                update={"kind": "fields", "numeric": {"age": (40.0, 20.0)}, "categorical": ["city"]}
            ),
        }
    )
    one = web(fields)
    path = "/v1/streams/fields/items"
    assert one.post(path, "ingest", {"data": {"age": 30, "city": "Ulm"}}).status_code == 200
    assert one.post(path, "ingest", {"data": {"city": "Ulm"}}).status_code == 422
    assert one.post(path, "ingest", {"data": {"age": 1e300}}).status_code == 422
