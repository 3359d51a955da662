"""Whose answer it is: leases, corrections by others, and what may not sway who answers."""

import json

import pytest

from selectron.serve import answering
from selectron.serve.strict import Problem

from .mail import declared, texts

MAIL = "/v1/streams/mail"


def test_the_answer_of_who_holds_the_question_counts(desk):
    one = desk()
    one.add(texts(1))
    old = one.ask("anna")["lease"]["token"]
    one.now += 121.0
    new = one.ask("bob")["lease"]["token"]
    late = one.say(1, "spam", "anna", old)
    assert (late["late"], late["counts"], late["learned"]) == (True, False, False)
    assert 1 in one.stream.open
    said = one.say(1, "ham", "bob", new)
    assert (said["late"], said["counts"], said["learned"]) == (False, True, True)
    assert one.stream.question(1).truth == "ham"


def test_a_renewed_lease_lasts_from_then_on(desk):
    one = desk()
    one.add(texts(1))
    token = one.ask("anna")["lease"]["token"]
    for now in (1100.0, 1200.0):
        one.now = now
        lease = one.do(answering.renew, 1, token, "anna")["lease"]
        assert lease == {"until": now + 120.0, "now": now}
        assert one.ask("bob") is None
    one.now += 120.0
    assert one.ask("bob")["item"] == 1
    with pytest.raises(Problem, match="The lease of item 1 is over"):
        one.do(answering.renew, 1, token, "anna")


def test_a_former_holder_counts_where_nobody_holds_it(desk):
    one = desk()
    one.add(texts(1))
    old = one.ask("anna")["lease"]["token"]
    one.now += 121.0
    said = one.say(1, "spam", "anna", old)
    assert (said["late"], said["counts"], said["learned"]) == (True, True, True)


def test_a_former_holder_counts_where_a_place_is_left(desk):
    one = desk(declared(annotators=2))
    one.add(texts(1))
    old = one.ask("anna")["lease"]["token"]
    one.now += 121.0
    one.ask("bob")
    assert one.say(1, "spam", "anna", old)["counts"]


def test_an_answer_without_the_lease_ends_it_for_the_next_person(desk):
    one = desk(declared(annotators=2))
    one.add(texts(1))
    one.ask("anna")
    assert one.say(1, "spam", "anna")["counts"]
    assert one.ask("bob")["item"] == 1


def test_who_holds_it_again_counts_with_an_old_lease(desk):
    one = desk()
    one.add(texts(1))
    old = one.ask("anna")["lease"]["token"]
    one.now += 121.0
    one.ask("anna")
    said = one.say(1, "spam", "anna", old)
    assert (said["late"], said["counts"]) == (True, True)


def test_nobody_holds_more_than_five_questions(desk):
    one = desk()
    one.add(texts(8))
    held = [one.ask() for _ in range(5)]
    with pytest.raises(Problem, match="You hold 5 questions, the most at a time"):
        one.ask()
    assert one.ask("bob")["item"] == 6
    one.say(held[2]["item"], "ham")
    assert one.ask()["item"] == 7
    token = held[0]["lease"]["token"]
    again = one.do(answering.ask, held[1]["item"], "anna")  # one of those five
    assert again["question"]["item"] == held[1]["item"]
    one.do(answering.release, held[0]["item"], token, "anna")
    assert one.ask()["item"] == 1
    one.now += 121.0
    assert one.ask()["item"] == 1


def test_an_admins_correction_is_the_admins(desk):
    one = desk()
    one.add(texts(1))
    said = one.say(1, "spam", "anna")
    corrected = one.correct(said["answer"], "ham", "root")
    (vote,) = one.stream.question(1).votes.values()
    assert (vote.who, vote.label) == ("root", "ham")
    again = one.say(1, "spam", "anna")  # the correction stands
    assert (again["counts"], again["late"]) == (False, True)
    with pytest.raises(Problem, match="Only an admin"):
        one.do(lambda stream, at: undone(stream, corrected["answer"], at))
    one.undo(corrected["answer"], "root")
    assert one.say(1, "spam", "anna")["counts"]


def undone(stream, answer, at):
    return answering.undo(stream, answer, "anna", at, anybody=False)


def test_an_answer_that_comes_again_does_not_replace_a_later_one(web):
    """By its time, also if the later one was corrected or withdrawn, or came first."""
    one = web()
    one.add("win", "a")

    def say(label, **time):
        path, body = "/v1/streams/mail/answers", {"id": "a", "label": label, **time}
        said = one.post(path, "ingest", body).json()
        return said["counts"], one.get("/v1/streams/mail/items/1").json()["truth"]

    assert say("spam", time=10) == (True, "spam")
    assert say("ham", time=20.5) == (True, "ham")
    assert say("spam", time=10) == (False, "ham")
    assert say("ham", time=20.5) == (False, "ham")
    assert say("spam", time=15) == (False, "ham")
    assert say("spam") == (True, "spam")  # without a time, the last to come
    assert say("ham", time=20.5) == (False, "spam")
    assert say("ham", time=21) == (True, "ham")
    last = one.get("/v1/streams/mail/answers").json()["answers"][0]["answer"]
    one.post(f"/v1/streams/mail/answers/{last}/undo", "admin")
    assert say("ham", time=21) == (False, None)
    assert (
        one.post(
            "/v1/streams/mail/items/1/answers", "ingest", {"label": "ham", "time": "9"}
        ).status_code
        == 422
    )


def test_others_answers_are_corrected_by_admins_alone(web):
    one = web()
    item = one.add("win")["item"]
    path = f"{MAIL}/items/{item}/answers"
    bob = one.host.make_token("bob", "annotate", None)
    said = one.post(path, "annotate", {"label": "ham"}).json()["answer"]
    refused = one.post(f"{MAIL}/answers/{said}/correct", bob, {"label": "spam"})
    assert refused.status_code == 403
    assert one.get(f"{MAIL}/items/{item}").json()["truth"] == "ham"
    own = one.post(f"{MAIL}/answers/{said}/correct", "annotate", {"label": "spam"}).json()
    (row, _) = one.get(f"{MAIL}/answers", bob).json()["answers"]
    assert not row["correctable"]
    assert one.get(f"{MAIL}/answers", "annotate").json()["answers"][0]["correctable"]
    last = one.post(f"{MAIL}/answers/{own['answer']}/correct", "admin", {"label": "ham"}).json()
    (answer,) = one.get(f"{MAIL}/items/{item}").json()["answers"]
    assert answer == {"answer": last["answer"], "who": "admin", "label": "ham"}
    (task,) = one.get(f"{MAIL}/label-studio", "read").json()
    assert task["annotations"][0]["completed_by"] == "admin"
    rows = [json.loads(line) for line in one.get(f"{MAIL}/export").text.splitlines()]
    assert rows[-1]["who"] == "admin"
    assert rows[-1]["supersedes"] == own["answer"]


@pytest.mark.parametrize("hide", ["audits", "always", "never"])
def test_predictions_are_hidden_on_every_route_until_answered(web, hide):
    one = web(declared(budget="100%", audit=1.0, hide=hide))
    one.add("win money", "taught")
    one.post(f"{MAIL}/items/1/answers", "ingest", {"label": "spam"})
    for i in range(6):
        one.add(f"win money {i}", f"k{i}")
    hidden = hide != "never"
    for number in range(3, 9):  # entry 2 is the answer
        path = f"{MAIL}/items/{number}"
        for route in (path, f"{MAIL}/items?id=k{number - 3}"):
            known = one.get(route, "annotate").json()
            assert known["reason"] == "audit"
            assert known["hidden"] == hidden
            assert (known["label"] is None) == hidden
            assert (known["margin"] is None) == hidden
            assert (known["proba"] is None) == hidden
            assert one.get(route, "read").json()["label"] is not None
    question = one.post(f"{MAIL}/next", "annotate").json()["question"]
    assert {question["label"] is None, question["proba"] is None} == {hidden}
    one.post(f"{MAIL}/items/3/answers", "annotate", {"verdict": "skip"})
    (row, _) = one.get(f"{MAIL}/answers", "annotate").json()["answers"]
    assert (row["prediction"] is None) == hidden
    one.post(f"{MAIL}/items/3/answers", "annotate", {"label": "ham"})
    assert one.get(f"{MAIL}/items/3", "annotate").json()["label"] is not None
    row = one.get(f"{MAIL}/answers", "annotate").json()["answers"][0]
    assert row["prediction"] is not None


def test_people_who_disagree_wait_for_another(desk, tmp_path):
    one = desk(declared(annotators=2), every=3)
    one.add(texts(1))
    first = one.say(1, "ham", "anna")
    assert not first["disputed"]
    held = one.ask("bob")["lease"]["token"]
    assert one.ask("carl") is None  # both places are taken
    said = one.say(1, "spam", "bob", held)
    assert (said["counts"], said["learned"], said["disputed"]) == (True, False, True)
    assert (one.view()["answered"], one.view()["queue"], one.view()["disputed"]) == (0, 1, 1)
    assert one.ask("anna") is None
    model, view = one.model(), one.view()
    one.crash()
    one = desk(declared(annotators=2), every=3)
    assert (one.model(), one.view()) == (model, view)
    assert one.ask("carl")["item"] == 1  # one more person, and no other
    assert one.ask("dora") is None
    said = one.say(1, "spam", "carl")
    assert (said["learned"], said["disputed"]) == (True, False)
    assert one.stream.question(1).truth == "spam"
    assert (one.view()["answered"], one.view()["disputed"]) == (1, 0)
    late = one.say(1, "ham", "dora")
    assert (late["counts"], late["late"]) == (False, True)


def test_people_who_disagree_may_agree_later(desk):
    one = desk(declared(annotators=2))
    one.add(texts(1))
    said = [one.say(1, "ham", "anna"), one.say(1, "spam", "bob")]
    assert one.correct(said[0]["answer"], "spam", "anna")["learned"]
    assert one.stream.question(1).truth == "spam"
    again = one.say(1, "ham", "bob")  # who changes his mind, too
    assert (again["counts"], again["disputed"]) == (True, True)
    assert (one.view()["answered"], one.view()["disputed"]) == (0, 1)


def test_after_two_more_answers_the_first_label_counts(desk):
    one = desk(declared(annotators=2, classes=["ham", "spam", "eggs"]))
    one.add(texts(1))
    for who, label in (("anna", "ham"), ("bob", "spam"), ("carl", "eggs")):
        assert not one.say(1, label, who)["learned"]
    said = one.say(1, "(none)", "dora")
    assert (said["learned"], said["disputed"]) == (True, False)
    assert one.stream.question(1).truth == "ham"


def test_disputed_questions_can_be_found(web):
    one = web(declared(annotators=2))
    bob = one.host.make_token("bob", "annotate", None)
    one.add("win", "a")
    one.add("report", "b")
    for who, label in (("annotate", "ham"), (bob, "spam")):
        one.post(f"{MAIL}/items/1/answers", who, {"label": label})
    assert [one.get(f"{MAIL}/items/{item}").json()["disputed"] for item in (1, 2)] == [True, False]
    table = one.get(f"{MAIL}/export?rows=items", "read").text.splitlines()
    rows = [json.loads(line) for line in table]
    assert [(row["label"], row["disputed"]) for row in rows] == [(None, True), (None, False)]
    log = map(json.loads, one.get(f"{MAIL}/export", "read").text.splitlines())
    assert [row["disputed"] for row in log] == [None, None, False, True]
    assert [row["disputed"] for row in one.get(f"{MAIL}/answers").json()["answers"]] == [True] * 2
    assert 'selectron_disputed{stream="mail"} 1.0' in one.get("/metrics", "read").text


def test_an_admins_correction_of_anothers_answer_decides(desk, tmp_path):
    declaration = declared(annotators=3, classes=["ham", "spam", "eggs"])
    one = desk(declaration)
    one.add(texts(1))
    said = [one.say(1, "ham", who)["answer"] for who in ("anna", "bob", "carl")]
    first = one.correct(said[1], "spam", "dora")
    assert (first["counts"], first["learned"]) == (True, True)
    assert one.stream.question(1).truth == "spam"
    assert one.view()["per_class"][1]["labels"] == 1
    assert one.correct(said[0], "eggs", "dora")["learned"]  # the latest, if there are several
    assert one.stream.question(1).truth == "eggs"
    one.say(1, "ham", "carl")
    one.correct(first["answer"], "(none)", "emma")
    assert (one.stream.question(1).settled, one.stream.question(1).truth) == (True, None)
    model, view = one.model(), one.view()
    one.crash()
    one = desk(declaration)
    assert (one.model(), one.view()) == (model, view)


def test_an_admin_settles_a_question_that_waits(desk):
    one = desk(declared(annotators=2))
    one.add(texts(2))
    said = one.say(1, "ham", "anna")
    one.say(1, "spam", "bob")
    decided = one.correct(said["answer"], "ham", "dora")  # with the same label
    assert (decided["learned"], decided["disputed"]) == (True, False)
    assert one.correct(one.say(2, "ham", "anna")["answer"], "spam", "dora")["learned"]
    assert (one.view()["answered"], one.view()["queue"]) == (2, 0)
    late = one.say(2, "ham", "carl")
    assert (late["late"], late["counts"]) == (True, False)
    one.undo(decided["answer"], "dora")
    assert list(one.stream.open) == [1]
