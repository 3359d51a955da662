"""The way of an item over HTTP: sent, asked for, answered, corrected, read, exported."""

import csv
import io
import json
from contextlib import closing

import pandas as pd
import pyarrow.parquet as pq
import pytest

from selectron.errors import SelectronError
from selectron.serve import declaration, reading
from selectron.serve.declaration import Features
from selectron.serve.store import reader

from .mail import declared, texts

MAIL = "/v1/streams/mail"


def test_the_way_of_an_item(web):
    one = web()
    sent = one.add("win money now", "a")
    assert sent["asked"]
    assert sent["ticket"] == sent["item"]
    question = one.post(f"{MAIL}/next", "annotate").json()["question"]
    assert question["content"] == {"text": "win money now"}
    assert question["reason"] in ("audit", "uncertain")
    assert question["label"] is None  # nothing has been learned yet
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


def test_csv_keeps_every_character(web):
    one, odd = web(), ["a\r999", "b\n", "c\r\nd", "e,f", '"g"', "h\r", "=1+1", "-5"]
    for key in odd:
        one.add(f"win {key}", key)
    text = one.get(f"{MAIL}/export?rows=items&format=csv", "read").content.decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    frame = pd.read_csv(io.BytesIO(text.encode()), dtype=str, keep_default_na=False)
    for ids, texts_ in (
        ([row["id"] for row in rows], [row["text"] for row in rows]),
        (list(frame["id"]), list(frame["text"])),
    ):
        assert (ids, texts_) == (odd, [f"win {key}" for key in odd])
    log = one.get(f"{MAIL}/export?format=csv", "read").content.decode()
    assert [row["id"] for row in csv.DictReader(io.StringIO(log, newline=""))] == odd


@pytest.mark.parametrize("origin", [2**63, 2**64 - 1, 2**53, 0, -1, -(2**63), True, 1.0, "1", None])
def test_tasks_of_no_item_are_new(web, caplog, origin):
    one = web()
    one.add("win", "a")
    task = {"data": {"text": "win"}, "meta": {"item": origin}}
    found = one.post(f"{MAIL}/label-studio", "ingest", [task]).json()
    assert [item["known"] for item in found["items"]] == [False]
    assert caplog.text == ""


def test_items_are_erased_by_number_or_id(web):
    one = web()
    for key in "abc":
        one.add(f"win {key}", key)
    known = [one.get(f"{MAIL}/items?id={key}").json() for key in "abc"]
    erased = one.ask("DELETE", f"{MAIL}/items/{known[0]['item']}", "admin")
    assert erased.json() == {"item": known[0]["item"], "id": "a", "erased": True}
    assert one.ask("DELETE", f"{MAIL}/items?id=b", "admin").json()["id"] == "b"
    for key, before, gone in zip("abc", known, (True, True, False), strict=True):
        found = one.get(f"{MAIL}/items?id={key}").json()
        assert (found["erased"], found["content"] is None, found["retired"]) == (gone,) * 3
        assert found["proba"] == before["proba"]
    questions = [one.post(f"{MAIL}/next", "annotate").json()["question"] for _ in range(2)]
    assert [q and q["id"] for q in questions] == ["c", None]
    assert one.ask("DELETE", f"{MAIL}/items?id=none", "admin").status_code == 404


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


ODD_NAMES = (
    "",
    " ",
    "   ",
    "\u00a0\u2003",
    "\u200b",
    "a\nb",
    "a\0",
    "\x1b[1m",
    "a\u2028b",
    "a" * 101,
)


@pytest.mark.parametrize("label", ODD_NAMES, ids=ascii)
def test_names_that_nobody_could_see_or_type(web, label):
    one = web(declared(classes=["ham"], new_classes=True))
    item = one.add("win", "k")["item"]
    good = one.post(
        f"{MAIL}/items/{item}/answers", "annotate", {"label": "caf\u00e9 \u2615"}
    ).json()
    before = one.get(MAIL).json()
    choice = {"type": "choices", "value": {"choices": [label]}}
    task = {"data": {"text": "a"}, "annotations": [{"result": [choice]}]}
    for path, body in (
        (f"items/{item}/answers", {"label": label}),
        ("answers", {"id": "k", "label": label}),
        (f"answers/{good['answer']}/correct", {"label": label}),
        ("label-studio", [task]),
    ):
        refused = one.post(f"{MAIL}/{path}", "admin", body)
        assert refused.status_code == 422
        message = refused.json()["error"]["message"]
        assert "label: " in message
        assert "character" in message
        assert message.isprintable()
    assert one.get(MAIL).json() == before
    assert before["classes"] == ["ham", "caf\u00e9 \u2615"]


def test_spaces_around_a_class_do_not_count(web):
    one = web(declared(classes=["ham ", "spam"], new_classes=True))
    item = one.add("win")["item"]
    said = one.post(f"{MAIL}/items/{item}/answers", "annotate", {"label": " ham"}).json()
    assert said["label"] == "ham"
    path = f"{MAIL}/answers/{said['answer']}/correct"
    assert one.post(path, "annotate", {"label": "eggs\n"}).json()["label"] == "eggs"
    choice = {"type": "choices", "value": {"choices": [" spam\t"]}}
    task = {"data": {"text": "a"}, "annotations": [{"result": [choice]}]}
    assert one.post(f"{MAIL}/label-studio", "admin", [task]).status_code == 200
    assert one.get(MAIL).json()["classes"] == ["ham", "spam", "eggs"]


@pytest.mark.parametrize("label", ["Spam", "SPAM ", "not  Spam", "Not spam"])
def test_a_class_that_differs_in_capitals_or_spaces_is_a_slip(web, label):
    one = web(declared(classes=["spam", "not spam"], new_classes=True))
    path = f"{MAIL}/items/{one.add('win')['item']}/answers"
    refused = one.post(path, "annotate", {"label": label})
    assert refused.status_code == 422
    assert "in capitals or spaces alone: give '" in refused.json()["error"]["message"]
    assert one.get(MAIL).json()["classes"] == ["spam", "not spam"]
    assert one.post(path, "annotate", {"label": "Spam?"}).json()["label"] == "Spam?"


def test_a_declared_class_has_a_name():
    with pytest.raises(SelectronError, match=r"classes\.1: String should have at least 1"):
        declaration.validated({"name": "mail", "classes": ["ham", " "]}, "mail.toml")


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
    assert answer["ask_probability"] == 1.0
    assert answer["proba"] == {"ham": 0.5, "spam": 0.5}
    table = list(csv.DictReader(io.StringIO(one.get(f"{MAIL}/export?format=csv").text)))
    assert [int(row["entry"]) for row in table] == [row["entry"] for row in rows]
    assert [json.loads(row["data"]) for row in table] == [row["data"] for row in rows]
    assert rows[-1]["data"] == {"text": "text 0"}
    parquet = pq.read_table(io.BytesIO(one.get(f"{MAIL}/export?format=parquet").content))
    found = parquet.to_pylist()
    for row in found:
        row |= {name: json.loads(row[name]) for name in ("data", "proba")}
    assert found == rows


FIELDS = {"subject": "b", "body": "a", "text": "c", "2": {"z": 1, "a": 2}}


def test_fields_keep_their_order(web):
    one = web()
    for path, body in (("items", {"data": FIELDS}), ("label-studio", [{"data": FIELDS}])):
        one.post(f"{MAIL}/{path}", "ingest", body)
    one.post(f"{MAIL}/batch", "ingest", json.dumps({"data": FIELDS}).encode())
    wanted = json.dumps(FIELDS)
    for _ in range(3):
        question = one.post(f"{MAIL}/next", "annotate").json()["question"]
        assert json.dumps(question["content"]) == wanted
        one.post(f"{MAIL}/items/{question['item']}/answers", "annotate", {"label": "ham"})
    assert json.dumps(one.get(f"{MAIL}/items/1").json()["content"]) == wanted
    for row in one.get(f"{MAIL}/answers", "annotate").json()["answers"]:
        assert json.dumps(row["content"]) == wanted
    for line in one.get(f"{MAIL}/export", "read").text.splitlines():
        assert json.dumps(json.loads(line)["data"]) == wanted
    assert json.dumps(one.get(f"{MAIL}/label-studio", "read").json()[0]["data"]) == wanted


def test_the_order_of_fields_makes_no_other_item(web):
    one = web()
    for data in (FIELDS, dict(reversed(FIELDS.items()))):
        reply = one.post(f"{MAIL}/items", "ingest", {"id": "a", "data": data})
        assert reply.status_code == 200
    assert reply.json()["known"]


@pytest.mark.parametrize("read", [reading.audit, reading.tasks])
def test_a_slow_reader_does_not_hold_the_write_ahead_log(desk, monkeypatch, read):
    monkeypatch.setattr(reading, "PAGE", 10, raising=False)
    one = desk()
    one.add(texts(25))
    with closing(reader(one.folder)) as db:
        rows = read(db, one.stream)
        next(rows)  # and then it stalls
        one.add(texts(5, 25), start=25)
        checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)"
        assert one.service.store.db.execute(checkpoint).fetchone() == (0, 0, 0)
        assert len(list(rows)) == 24  # what came later is not part of it


def test_nothing_is_predicted_before_anything_is_learned(web):
    one = web(declared(hide="never"))
    for known in (False, True):
        sent = one.add("win money now", "a")
        assert (sent["label"], sent["version"], sent["known"]) == (None, 0, known)
    batch = b'{"id": "a", "data": {"text": "win money now"}}'
    assert one.post(f"{MAIL}/batch", "ingest", batch).json()["items"][0]["label"] is None
    assert one.get(f"{MAIL}/items/1", "read").json()["label"] is None
    question = one.post(f"{MAIL}/next", "annotate").json()["question"]
    assert (question["label"], question["margin"]) == (None, None)
    one.post(f"{MAIL}/items/{question['item']}/answers", "annotate", {"label": "ham"})
    assert one.get(f"{MAIL}/answers", "annotate").json()["answers"][0]["prediction"] is None
    assert one.get(f"{MAIL}/label-studio", "read").json()[0]["predictions"] == []
    rows = map(json.loads, one.get(f"{MAIL}/export", "read").text.splitlines())
    assert [row["prediction"] for row in rows] == [None] * 3
    stored = one.host.read(lambda db: db.event(1))
    assert stored.body["label"] in ("ham", "spam")  # which a replay compares
    assert one.add("win money now", "b")["label"] == "ham"
    assert one.post(f"{MAIL}/next", "annotate").json()["question"]["label"] == "ham"


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


def test_label_studio_answers_the_questions_that_were_exported(web):
    one = web(declared(annotators=2))
    for i, key in enumerate(["a", None, "b"]):
        one.add(f"text {i}", key)
    one.post(f"{MAIL}/items/3/answers", "annotate", {"label": "ham"})
    tasks = one.get(f"{MAIL}/label-studio", "read").json()
    for task in tasks:
        task |= {"id": task["id"] + 70, "annotations": [*task["annotations"], choice("spam")]}
    tasks[1]["annotations"][0] = {"was_cancelled": True}
    other = {"id": 9, "data": {"text": "of another"}, "meta": {"item": 1}}
    for known in (False, True):
        reply = one.post(f"{MAIL}/label-studio", "ingest", [*tasks, other]).json()
        assert [item["known"] for item in reply["items"]] == [True, True, True, known]
        votes = [one.get(f"{MAIL}/items/{i}").json()["answers"] for i in (1, 2, 3)]
        assert [[vote["label"] for vote in each] for each in votes] == [["spam"], [], ["ham"]]
        assert one.get(MAIL).json()["skipped"] == 1


ODD = {
    "one choice for the whole item, or empty, got [{": [choice("spam")["result"][0]] * 2,
    '"type":"labels"': [{"type": "labels", "value": {"start": 0, "end": 3, "labels": ["spam"]}}],
    '["spam","ham"]': [{"type": "choices", "value": {"choices": ["spam", "ham"]}}],
    "label: Input should be a valid string": choice(5)["result"],
    "label: String should have at most 100": choice("x" * 9_000)["result"],
    "There is no class 'eggs'": choice("eggs")["result"],
    '"start":0': [{"type": "choices", "value": {"start": 0, "end": 3, "choices": ["spam"]}}],
    "or empty, got null": None,
}


@pytest.mark.parametrize("case", ODD)
def test_tasks_of_label_studio_that_will_not_do(shared, case):
    before = shared.get(MAIL).json()["items"]
    task = {"id": 71, "data": {"text": "win"}, "annotations": [{"result": ODD[case]}]}
    refused = shared.post(f"{MAIL}/label-studio", "ingest", [{"data": {"text": "a"}}, task])
    assert refused.status_code == 422
    message = refused.json()["error"]["message"]
    assert message.startswith("Task 2 (id 71): ")
    assert case in message
    assert shared.get(MAIL).json()["items"] == before


def test_tasks_with_too_many_classes_are_refused_as_a_whole(web):
    one = web(declared(classes=[], new_classes=True, learner="perceptron"))
    tasks = [
        {"id": i, "data": {"text": f"text {i}"}, "annotations": [choice(f"class {i}")]}
        for i in range(101)
    ]
    refused = one.post(f"{MAIL}/label-studio", "ingest", tasks)
    assert refused.status_code == 422
    assert refused.json()["error"]["message"].startswith(
        "Task 101 (id 100): 'mail' has 100 classes"
    )
    assert one.get(MAIL).json()["entry"] == 0
    assert one.post(f"{MAIL}/label-studio", "ingest", tasks[:100]).json()["learned"] == 100
    assert one.post(f"{MAIL}/label-studio", "ingest", tasks[:100]).json()["learned"] == 0
    bad = [tasks[0], {**tasks[1], "annotations": [choice("class 1000")]}]
    message = one.post(f"{MAIL}/label-studio", "ingest", bad).json()["error"]["message"]
    assert message.startswith("Task 2 (id 1): ")


def test_figures_for_prometheus(web):
    one = web()
    one.add("win")
    text = one.get("/metrics", "read").text
    assert 'selectron_items_total{stream="mail"} 1.0' in text
    assert "selectron_failing 0.0" in text
    assert "# TYPE selectron_answered gauge" in text  # an undo takes one off
    assert 'selectron_labels{class="ham",stream="mail"} 0.0' in text
    assert "selectron_recall{" not in text  # which is not known
    assert "selectron_majority{" not in text
    for i in range(8):
        one.post(f"{MAIL}/items/{one.add(f'win {i}')['item']}/answers", "ingest", {"label": "ham"})
    text = one.get("/metrics", "read").text
    assert 'selectron_labels{class="ham",stream="mail"} 8.0' in text
    assert 'selectron_recall{bound="estimate",class="ham",stream="mail"} 1.0' in text
    assert 'selectron_precision{bound="low",class="ham",stream="mail"} 0.' in text
    assert 'selectron_majority{stream="mail"} 1.0' in text
    assert 'selectron_recall{bound="estimate",class="spam"' not in text


def test_fields(web):
    fields = Features(kind="fields", numeric={"age": (40.0, 20.0)}, categorical=["city"])
    one, path = web(declared(features=fields)), f"{MAIL}/items"
    assert one.post(path, "ingest", {"data": {"age": 30, "city": "Ulm"}}).status_code == 200
    assert one.post(path, "ingest", {"data": {"city": "Ulm"}}).status_code == 200
    assert one.post(path, "ingest", {"data": {"age": 1e300}}).status_code == 422
