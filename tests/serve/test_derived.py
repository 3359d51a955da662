"""What is derived from the log: after a start it is what it was, from snapshots or from nothing."""

import json
import shutil
import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest

from selectron import SelectronError, storage
from selectron.evaluate import Audit, Drifts
from selectron.model.metrics import Tally
from selectron.serve import reading, service
from selectron.serve.declaration import Features
from selectron.serve.event import Event
from selectron.serve.host import Host
from selectron.serve.question import Statistics
from selectron.serve.service import Work, check_unchanged
from selectron.serve.store import reader
from selectron.serve.stream import Stream
from selectron.serve.strict import Problem

from .mail import declared, texts


def played(desk, n=60):
    """Play items and answers of every kind."""
    for i in range(0, n, 6):
        desk.now += 10
        last = desk.add(texts(6, i), start=i)[-1]["item"]
        question = desk.ask()
        desk.say(question["item"], "spam", lease=question["lease"]["token"])
        later = desk.say(last, "ham", who="bob")
        if i % 12:
            desk.correct(later["answer"], "spam")
        else:
            desk.undo(later["answer"], "bob")
        desk.say(desk.ask()["item"], "(skip)")
        desk.say(desk.ask("bob")["item"], "(none)", "bob")
    return desk


@pytest.mark.parametrize("how", ["snapshots", "none", "closed"])
def test_a_start_changes_nothing(desk, tmp_path, how):
    first = played(desk(every=40))
    model, view = first.model(), first.view()
    if how == "closed":
        first.service.close()
    else:
        first.crash()
    if how == "none":
        shutil.rmtree(tmp_path / "snapshots")
    again = desk(every=40)
    assert again.model() == model
    assert again.view() == view


def test_both_go_on_alike(desk, tmp_path):
    whole, parts = desk(folder=tmp_path / "a"), desk(folder=tmp_path / "b", every=25)
    played(whole, 30)
    played(parts, 30)
    parts.service.close()
    again = desk(folder=tmp_path / "b", every=25)
    for one in (whole, again):
        one.now = 5000.0
        one.add(texts(20, 100), start=100)
        one.say(one.ask("carl")["item"], "ham", "carl")
    assert whole.model() == again.model()
    assert whole.view() == again.view()


BUDGETS = [("100%", 0.1), ("100%", 0.3), ("5/1h", 0.1), ("2/1h", 0.1), ("50%", 0.0)]


@pytest.mark.parametrize("kept", [True, False])
def test_another_budget(desk, tmp_path, kept):
    """It holds from the start at which it is declared on, also when the log is replayed."""
    asked, one = [], None
    for start, (budget, audit) in enumerate(BUDGETS):
        one = desk(declared(budget=budget, audit=audit), every=10)
        found = one.add(texts(20, 20 * start), start=20 * start)
        asked.append(sum(item["asked"] for item in found))
        one.say(found[0]["item"], "ham")
        view, model = one.view(), one.model()
        assert view["budget"]["written"] == budget
        left = {"100%": 20, "50%": 10, "5/1h": 5, "2/1h": 2}[budget] - asked[-1]
        assert start == 3 or view["budget"]["left"] == max(0, left)  # then 5 labels had counted
        one.crash()
        if not kept:
            shutil.rmtree(tmp_path / "snapshots")
        again = desk(declared(budget=budget, audit=audit), every=10)
        assert (again.view(), again.model()) == (view, model)
        again.crash()
    assert asked[:2] == [20, 20]
    assert 0 < asked[2] <= 5
    assert asked[2] + asked[3] <= 5  # labels of this hour count
    assert 0 < asked[4] < 20
    entries = audit_of(desk(declared(budget="50%", audit=0.0)))
    changes = [row["data"] for row in entries if row["kind"] == "settings"]
    assert [(one["budget"], one["audit"]) for one in changes] == BUDGETS[1:]


@pytest.mark.parametrize("kept", [True, False])
def test_more_classes(desk, tmp_path, kept):
    """They may be added at a start, and none may go."""
    one = played(desk(every=20), 24)
    one.crash()
    more = declared(classes=["phish", "ham", "spam"])
    one = desk(more, every=20)
    assert one.view()["classes"] == ["ham", "spam", "phish"]
    (found,) = one.add(texts(1, 90), start=90)
    assert sum(found["proba"].values()) == pytest.approx(1.0)
    assert one.say(found["item"], "phish")["learned"]
    (found,) = one.add(texts(1, 91), start=91)
    assert {*found["proba"]} == {"ham", "spam", "phish"}
    view, model = one.view(), one.model()
    one.crash()
    if not kept:
        shutil.rmtree(tmp_path / "snapshots")
    again = desk(more, every=20)
    assert (again.view(), again.model()) == (view, model)
    again.crash()
    with pytest.raises(SelectronError, match="with the class 'phish': put it back"):
        desk()
    assert desk(more, every=20).model() == model


def test_settings_that_change_before_the_first_item(desk):
    desk().crash()
    one = desk(declared(budget="50%"))
    assert one.view()["points"] == []
    one.add(texts(1))
    assert one.view()["points"][0][0] == one.now


def test_a_declaration_of_before_class_weights():
    then = json.loads(declared().model_dump_json())
    del then["class_weight"]
    check_unchanged(declared(), json.dumps(then))
    with pytest.raises(SelectronError, match="different setting of class_weight"):
        check_unchanged(declared(class_weight={"spam": 2}), json.dumps(then))


def audit_of(one):
    with one.service.store.db as db:
        return list(reading.audit(db, one.stream))


def test_a_full_queue(desk, caplog):
    """The oldest question that nobody holds is dropped; its answer is late, and learned."""
    one = desk(declared(queue=3))
    found = one.add(texts(3))
    held = one.ask()["item"]
    found += one.add(texts(4, 3), start=3)
    waiting = [held, *(item["item"] for item in found[-2:])]
    assert held == found[0]["item"]
    assert list(one.stream.open) == waiting
    assert (one.view()["queue"], one.view()["retired"]) == (3, 4)
    assert caplog.text.count("too many questions wait") == 1
    answer = one.say(found[1]["item"], "ham")
    assert answer["late"]
    assert answer["learned"]


def test_entries_before_a_kill_count_towards_the_next_snapshot(desk, tmp_path):
    for i in range(0, 40, 8):
        one = desk(every=12)
        one.add(texts(8, i), start=i)
        one.crash()
    found = [int(path.stem) for path in (tmp_path / "snapshots" / "mail").glob("*.model")]
    assert sorted(found) == [16, 32]


def test_a_draft_of_a_killed_process_is_ignored_and_deleted_by_the_next_snapshot(desk, tmp_path):
    one = desk(every=4)
    one.add(texts(8))
    folder = one.stream.folder
    draft = folder / ".8775ea1f703203e8.draft.model"
    draft.write_bytes(one.stream.snapshots[0].read_bytes()[:100])
    one.crash()
    one = desk(every=4)
    assert one.view()["items"] == 8
    one.stream.take_snapshot()
    assert [*folder.glob(".*")] == []


@pytest.mark.parametrize("privacy", [{"keep": "hash"}, {"keep": "raw"}])
def test_what_is_kept_of_items(desk, tmp_path, privacy):
    one = played(desk(declared(privacy=privacy)), 12)
    waits = next(iter(one.stream.open))
    settled = next(i for i in one.add(texts(3, 50), start=50) if i["asked"])["item"]
    one.say(settled, "ham")
    kept = [one.service.store.db.content(item)[0] for item in (waits, settled)]
    assert kept[0] is not None
    assert (kept[1] is None) == (privacy["keep"] == "hash")
    model = one.model()
    one.crash()
    assert desk(declared(privacy=privacy)).model() == model


def test_old_contents_are_deleted_whatever_snapshots_cover(desk, tmp_path):
    one = desk(declared(privacy={"retention_days": 1}), every=10)
    one.add(texts(30))
    answer = one.say(one.ask()["item"], "ham")
    for i in range(30, 120, 10):
        one.add(texts(10, i), start=i)
    one.now += 2 * 86_400
    one.correct(answer["answer"], "spam")  # learned again, from what is still there
    (left,) = one.service.store.db.execute("SELECT count(*) FROM contents").fetchone()
    assert left == 0
    assert len(one.stream.snapshots) == 1  # those before need the item that was learned again
    model = one.model()
    one.crash()
    assert desk(declared(privacy={"retention_days": 1}), every=10).model() == model


def test_old_contents_that_snapshots_cover_leave_them_all(desk, tmp_path):
    one = desk(declared(privacy={"retention_days": 1}), every=10)
    one.add(texts(5))
    one.now += 2 * 86_400
    for i in range(5, 60, 10):
        one.add(texts(10, i), start=i)
    one.now += 601
    one.add(texts(1, 80), start=80)
    (left,) = one.service.store.db.execute("SELECT min(item) FROM contents").fetchone()
    assert left == 6
    assert len(one.stream.snapshots) == 3


def found(folder, word):
    """Return the files of a folder in which a word can be read."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.name for path in files if word.encode() in path.read_bytes()}


def test_what_is_deleted_is_in_no_file(desk, tmp_path):
    one = desk(declared(privacy={"keep": "hash"}), folder=tmp_path)
    sent = one.add([{"text": f"secret{i}x " + "win " * (i * 37 % 3000)} for i in range(60)])
    assert found(tmp_path, "secret7x")
    for i, item in enumerate(sent):
        one.now += 0.1
        one.say(item["item"], "ham")
        for before in range(i - 11):  # which are a second ago
            assert not found(tmp_path, f"secret{before}x")
    item = one.add([{"text": "secret60x"}], keys=False)[0]["item"]
    one.do(Stream.erase, item, "dora")
    assert not found(tmp_path, "secret60x")
    assert not found(tmp_path, "secret59x")


def test_what_readers_need_is_overwritten_after_them(desk, tmp_path):
    one = desk()
    item = one.add([{"text": "secret"}])[0]["item"]
    with closing(reader(tmp_path)) as db:
        db.execute("BEGIN")
        db.execute("SELECT * FROM log").fetchone()
        one.do(Stream.erase, item, "dora")
        assert db.execute("SELECT count(*) FROM contents").fetchone() == (1,)
        assert found(tmp_path, "secret")
    one.now += 1.5
    assert one.service.rest <= 1.0
    one.service.run([], one.now)
    assert not found(tmp_path, "secret")
    assert one.service.rest > 100


def test_a_quiet_stream_forgets_too(tmp_path, monkeypatch):
    """Without any request: at the end of the retention, and at a start."""
    quiet = declared(privacy={"retention_days": 1 / 86_400})
    with Host(tmp_path, [quiet]) as host:
        stream = host.service.streams["mail"]
        host.submit(Work(lambda service, at: stream.add([stream.item("a", texts(1)[0])], "x", at)))
        assert host.submit(Work(lambda service, at: stream.seq)).result() == 1
        assert host.read(lambda db: db.content(1))[0] is not None
    time.sleep(1.1)
    with Host(tmp_path, [quiet]) as host:
        monkeypatch.setattr(service, "HOUSEKEEPING", 0.2)
        wait_until(lambda: host.read(lambda db: db.content(1)) == (None, None))
        stream = host.service.streams["mail"]
        host.submit(Work(lambda service, at: stream.add([stream.item("b", texts(2)[1])], "x", at)))
        wait_until(lambda: host.view("mail")["items"] == 2)
        wait_until(lambda: host.read(lambda db: db.content(2)) == (None, None))


def wait_until(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("kind", ["text", "auto"])
def test_an_erased_item_is_gone_for_good(desk, tmp_path, kind):
    how = {} if kind == "text" else {"features": Features(kind="auto")}
    one = desk(declared(**how), every=10)
    found = one.add(texts(25))
    waits, settled = (found[k]["item"] for k in (3, 4))
    one.say(settled, "ham")
    for item in (waits, settled, settled):
        reply = one.do(Stream.erase, item, "dora")
        assert reply == {"item": item, "id": f"k{item - 1}", "erased": True}
        assert one.service.store.db.content(item) == (None, None)
    assert waits not in one.stream.open
    assert waits not in one.stream.model.clf.open_tickets_
    assert len(one.stream.snapshots) == 1  # older ones have the row of the open ticket
    answers = one.say(waits, "spam"), one.say(settled, "spam", "bob")
    assert [answer["learned"] for answer in answers] == [False, False]
    assert one.add(texts(1, 3), start=3)[0]["known"]
    one.add(texts(5, 25), start=25)
    model, view = one.model(), one.view()
    one.crash()
    again = desk(declared(**how), every=10)
    assert (again.model(), again.view()) == (model, view)
    with pytest.raises(Problem, match="no item 999"):
        again.do(Stream.erase, 999, "dora")


def test_what_is_erased_is_deleted_later_if_there_is_no_snapshot(desk, monkeypatch, caplog):
    one, item = desk(), None
    item = one.add(texts(3))[1]["item"]

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "replace", fail)
        one.do(Stream.erase, item, "dora")
        assert "No snapshot of mail" in caplog.text
        assert one.service.store.db.content(item)[0] is not None
        assert 0 < one.service.rest <= 10
        one.now += 11
        one.service.run([], one.now)
        assert caplog.text.count("No snapshot of mail") == 2
    assert one.service.store.db.content(item)[0] is not None
    one.crash()
    again = desk()  # the log has it as erased
    again.add(texts(1, 3), start=3)
    assert again.service.store.db.content(item) == (None, None)


@pytest.mark.parametrize("how", ["flipped", "cut", "empty"])
def test_a_damaged_snapshot_is_passed_over(desk, tmp_path, how, caplog):
    one = played(desk(every=30), 24)
    model = one.model()
    one.crash()
    for path in (tmp_path / "snapshots" / "mail").glob("*.model"):
        path.write_bytes(harmed(path.read_bytes(), how))
    assert desk(every=30).model() == model
    assert "is not used" in caplog.text


def harmed(content, how):
    middle = len(content) // 2
    if how == "flipped":
        return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]
    return content[:middle] if how == "cut" else b""


def test_a_snapshot_of_another_store_is_not_used(desk, tmp_path):
    one, other = desk(folder=tmp_path / "a"), desk(folder=tmp_path / "b")
    played(one, 12)
    played(other, 12)
    other.stream.take_snapshot()
    shutil.copytree(tmp_path / "b" / "snapshots", tmp_path / "a" / "snapshots")
    with pytest.raises(SelectronError, match="another log"):
        one.stream.load(next((tmp_path / "a" / "snapshots" / "mail").glob("*.model")))


def test_one_server_at_a_time(desk):
    desk()
    with pytest.raises(SelectronError, match="in use by another server"):
        desk()


def test_a_stream_that_is_declared_otherwise_is_refused(desk, tmp_path):
    desk().crash()
    with pytest.raises(SelectronError, match="served with a different setting of learner"):
        desk(declared(learner="perceptron"))
    with pytest.raises(SelectronError, match="served with a different setting of features"):
        desk(declared(features=Features(kind="text", size=65)))
    assert desk(declared(lease=5, title="Mail")).view()["title"] == "Mail"


@pytest.mark.parametrize("version", [1, 99])
def test_another_version_is_refused(desk, tmp_path, version):
    one = desk()
    one.crash()
    db = sqlite3.connect(tmp_path / "selectron.sqlite3")
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with pytest.raises(SelectronError, match=f"of version {version}, and this Selectron knows 2"):
        desk()


def test_the_log_is_append_only(desk):
    one = played(desk(), 6)
    for change in ("DELETE FROM log", "UPDATE log SET who = 'x'"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            one.service.store.db.execute(change)


def test_accuracy_is_that_of_predictions_alone(desk):
    """Items that come before the first learned label have none, and do not count."""
    one = desk(every=30)
    early = one.add(texts(40))
    one.say_all({item["item"]: "ham" for item in early})
    view = one.view()
    assert (view["answered"], view["predicted"]) == (40, 0)
    unknown = {"estimate": None, "low": 0.0, "high": 1.0}
    assert view["accuracy"] == {"overall": unknown, "recent": unknown}
    later = one.add(texts(60, 40), start=40)
    one.say_all({item["item"]: "spam" if i < 12 else "ham" for i, item in enumerate(later[:50])})
    one.crash()
    view = desk(every=30).view()
    assert (view["answered"], view["predicted"]) == (90, 60)
    wrong = [item["label"] != ("spam" if i < 12 else "ham") for i, item in enumerate(later[:50])]
    audit = Audit()
    audit.add(np.ones(50), wrong)
    estimate = dict(zip(("estimate", "low", "high"), audit.estimate(60), strict=True))
    assert view["accuracy"] == {
        "overall": pytest.approx(estimate),
        "recent": pytest.approx(estimate),
    }


def test_what_is_known_about_classes_is_as_in_the_metrics_of_a_run(desk):
    """Recall and precision of each class, from the labels asked for, also after a start."""
    declaration = declared(
        classes=["ham", "spam", "eggs", "rare"], budget="50%", audit=0.3, learner="lasec"
    )
    one, names = desk(declaration, every=50), ["ham", "spam", "eggs", "rare", "none"]
    for start in range(0, 300, 20):
        sent = one.add(texts(20, start), start=start)
        for i, item in enumerate(sent[:15]):
            said = one.say(item["item"], ("ham", "ham", "spam", "eggs", "(none)")[i % 7 % 5])
            if i == 3:
                one.correct(said["answer"], "spam")
            elif i == 5:
                one.undo(said["answer"])
    one.say(one.add(texts(1, 300), start=300)[0]["item"], "rare")
    view = one.view()
    one.crash()
    again = desk(declaration, every=50)
    assert again.view() == view
    tally, settled = Tally(), []
    for row in again.service.store.db.execute("SELECT seq FROM log WHERE kind = 'item'").fetchall():
        question = again.stream.question(*row)
        settled += [question.truth] * question.settled
        if question.settled and question.asked and question.prediction:
            pair = [
                np.array([names.index(x or "none")]) for x in (question.truth, question.prediction)
            ]
            tally.add(*pair, np.array([1 / question.decided["probability"]]))
    found = tally.metrics(names)
    assert view["majority"] == pytest.approx(found.majority)
    assert [row["class"] for row in view["per_class"]] == names[:4]
    for k, row in enumerate(view["per_class"]):
        assert row["labels"] == settled.count(row["class"])
        for name in ("recall", "precision"):
            share, ends = getattr(found, name)[k], getattr(found, f"{name}_interval")[k]
            wanted = dict(zip(("estimate", "low", "high"), (share, *ends), strict=True))
            if np.isnan(ends[0]):  # too few
                wanted = {"estimate": None, "low": 0.0, "high": 1.0}
            assert row[name] == pytest.approx(wanted)
    known = [row["recall"]["estimate"] is not None for row in view["per_class"]]
    assert {*known} == {True, False}


def test_intervals_allow_for_any_class_of_items_that_could_not_be_asked_for(desk):
    one, never = desk(declared(budget="60/150"), every=40), 0
    for start in range(0, 720, 20):
        raws = texts(20, start)
        for item, raw in zip(one.add(raws, start=start), raws, strict=True):
            never += item["label"] is not None and item["ask_probability"] == 0
            if item["asked"]:
                one.say(item["item"], "spam" if "win" in raw["text"] else "ham")
    view = one.view()
    assert view["unaskable"] == never > 400
    known, overall = never / view["predicted"], view["accuracy"]["overall"]
    assert overall["low"] < 1 - known < known < overall["high"]
    for row in view["per_class"]:
        assert row["recall"]["low"] < 0.5 < row["recall"]["high"]
    one.crash()
    assert desk(declared(budget="60/150"), every=40).view() == view


def test_what_is_taken_away_leaves_nothing(desk):
    one = desk(declared(budget="50%"))
    one.say(one.add(texts(1))[0]["item"], "ham")
    said = [one.say(x["item"], "ham") for x in one.add(texts(40, 1), start=1) if x["asked"]]
    assert one.view()["per_class"][0]["recall"]["estimate"] == 1.0
    for each in said:
        one.undo(each["answer"])
    view = one.view()
    assert (view["majority"], view["accuracy"]["overall"]["estimate"]) == (None, None)
    assert [row["labels"] for row in view["per_class"]] == [1, 0]


def test_drift_is_marked_by_the_rule_of_evaluate():
    ages = np.r_[0:500, 7:60, 553:700, 5:105]  # a short lead of the young is no drift
    found = np.r_[np.zeros(500), np.full(53, 5.0), np.zeros(147), np.linspace(4, 9, 100)]
    evidence, statistics = np.column_stack([found, ages]).tolist(), Statistics()
    for i, each in enumerate(evidence):
        body = {"asked": False, "evidence": each, "version": 0}
        event = Event(3 * i + 1, 1, "item", 3 * i + 1, None, float(i), "feed", body)
        statistics.add_item(event)
        if i % 40 == 0:  # as a snapshot that is loaded again
            statistics = Statistics.unpack(json.loads(json.dumps(statistics.pack())))
    (start,) = Drifts().add(np.array(evidence))
    assert statistics.drifts == [[float(start), 3 * start + 1]]
