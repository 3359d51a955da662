"""`selectron ask` and `selectron learn`: questions as a file, and labels that people fill in."""

import csv
import importlib
import json
import signal
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.conftest import blank

from selectron import OnlineClassifier
from selectron.cli.ask import as_cell, first_number
from selectron.cli.label import ModelSession
from selectron.cli.models import keep, load
from selectron.evaluate import Audit
from selectron.learners import Perceptron

FAST = ["--learner", "perceptron", "--ask", "fixed:p=0.3"]


@pytest.fixture
def asked(call, stream):
    """Return the labels of a file by the first value of its rows, a model, and its questions."""
    names, *rows = stream[0].read_text().splitlines()
    for path, half in (("first.csv", rows[:200]), ("second.csv", rows[200:])):
        stream[0].with_name(path).write_text("\n".join([names, *half]))
    assert call("run", "first.csv", *FAST, "--save", "a.model").exit_code == 0
    model = stream[0].with_name("a.model")
    before = model.read_bytes()
    for path in ("first.csv", "second.csv"):
        blank(model.with_name(path))
    found = call("ask", "a.model", "second.csv", "-o", "q.csv")
    assert found.exit_code == 0, found.output
    return {row.split(",")[0]: row.rpartition(",")[2] for row in rows}, model, before


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, rows, **how):
    with open(path, "w", newline="", encoding=how.pop("encoding", "utf-8")) as file:
        out = csv.DictWriter(file, rows[0], **how)
        out.writeheader()
        out.writerows(rows)


def filled(labels, rows):
    return [row | {"label": labels[row["a"]]} for row in rows]


def test_questions_end_before_the_first_of_them_expire(call, stream):
    path, X, y = stream
    rows = [dict(zip("abcd", x, strict=True)) for x in X[:9].tolist()]
    clf = OnlineClassifier(Perceptron(), encoder="auto", max_open=20).partial_fit(rows, y[:9])
    clf.save(path.with_name("a.model"))
    blank(path)
    found = call("ask", "a.model", path.name, "-o", "q.csv")
    assert len(read("q.csv")) == 20
    assert "20 questions are open, the most that are kept: learn their labels" in found.output


def test_labels_are_learned_as_decide_and_tell_learn_them(call, asked, stream):
    labels, model, before = asked
    rows = read("q.csv")
    assert 15 < len(rows) < 45
    assert [*rows[0]] == ["question", "label", "prediction", "proba", "a", "b", "c", "d"]
    assert not any(row["label"] for row in rows)
    write("answers.csv", filled(labels, rows))
    result = call("learn", "a.model", "answers.csv")
    right = sum(labels[row["a"]] == row["prediction"] for row in rows)
    counts = Counter(labels[row["a"]] for row in rows).most_common()
    text = f"Labels learned: {len(rows)}. Predicted right: {right}.\n"
    rest = "" if len(counts) == 2 else f"; none of {({'ham', 'spam'} - {counts[0][0]}).pop()!r}"
    text += f"By class: {', '.join(f'{name} {n}' for name, n in counts)}{rest}.\n"
    assert (result.exit_code, result.output) == (0, text)
    found = OnlineClassifier.load(model)
    model.write_bytes(before)
    expected = OnlineClassifier.load(model)
    tickets = {}
    for line in stream[0].read_text().splitlines()[201:]:
        row = dict(zip("abcd", line.split(","), strict=False))
        if (decision := expected.decide(row)).ask:
            tickets[decision.ticket] = labels[row["a"]]
    assert len(tickets) == len(rows)
    for ticket, label in tickets.items():
        expected.tell(ticket, label)
    np.testing.assert_array_equal(found.model_.state.w, expected.model_.state.w)
    assert found.n_rounds_ == expected.n_rounds_


def test_the_accuracy_is_estimated_from_the_chances_of_the_questions(call, asked, stream):
    """And shown later; whether the labels come at once or not."""
    labels, *_ = asked
    lines = stream[0].read_text().splitlines(keepends=True)
    Path("learned.csv").write_text("".join(lines[:201]))
    call("run", "learned.csv", "--learner", "perceptron", "--budget", "40%", "--save", "b.model")
    assert call("ask", "b.model", "second.csv", "-o", "b.csv").exit_code == 0
    rows, clf = filled(labels, read("b.csv")), load("b.model").classifier
    audit = Audit()
    for row in rows:
        ticket = clf.model_.open[int(row["question"].partition("-")[0])]
        audit.add([ticket.chance], [row["label"] != row["prediction"]])
    expected = audit.estimate(100)
    right = sum(row["label"] == row["prediction"] for row in rows)
    shown = f"{expected.low:.3f} to {expected.high:.3f} on 100 rows of second.csv, estimated"
    for some in (rows[:9], rows):
        write("answers.csv", some)
        result = call("learn", "b.model", "answers.csv")
        accuracy = json.loads(call("show", "b.model", "--json").stdout)["accuracy"]
        assert ("Accuracy" in result.output) == (accuracy is not None) == (some is rows)
    assert f"\nAccuracy: {shown} from their labels.\n" in result.output
    assert ", of rows that are mostly uncertain ones.\n" in result.output
    assert accuracy["accuracy"] == pytest.approx(expected.accuracy)
    assert accuracy["accuracy"] > right / len(rows)


def test_rows_come_in_any_order_and_blank_ones_stay_open(call, asked):
    labels, model, _ = asked
    rows = read("q.csv")[::-1]
    some = filled(labels, rows[:5]) + rows[5:]
    write("answers.csv", some[:-1], delimiter=";", encoding="utf-8-sig")
    result = call("learn", "a.model", "answers.csv")
    left = f"Questions without a label: {len(rows) - 6} in answers.csv, 1 that it does not have.\n"
    assert result.output.startswith("Labels learned: 5. ")
    assert result.output.endswith(left)
    assert len(load(str(model)).classifier.open_tickets_) == len(rows) - 5
    learned = model.read_bytes()
    result = call("learn", "a.model", "answers.csv")
    assert result.output == (f"Labels learned: 0. Predicted right: 0.\nLearned before: 5.\n{left}")
    assert model.read_bytes() == learned


def test_a_sorted_file_gives_the_same_model(call, asked):
    labels, model, _ = asked
    before, rows = model.read_bytes(), filled(labels, read("q.csv"))
    models = []
    for order in (rows, sorted(rows, key=lambda row: row["label"]), rows[::-1]):
        model.write_bytes(before)
        write("answers.csv", order)
        assert call("learn", "a.model", "answers.csv").exit_code == 0
        models.append(model.read_bytes())
    assert models[0] == models[1] == models[2]


def test_a_label_that_has_changed_since_is_named(call, asked):
    labels, model, _ = asked
    rows = filled(labels, read("q.csv"))
    write("answers.csv", rows[:2])
    assert "it does not have" in call("learn", "a.model", "answers.csv").output
    before, first = model.read_bytes(), rows[0]["label"]
    other = {"ham": "spam", "spam": "ham"}[first]
    write("answers.csv", changed(rows[:2], label=other))
    result = call("learn", "a.model", "answers.csv")
    what = f"question {rows[0]['question']}: {other}, was {first}"
    text = f"selectron: 1 has another label now ({what}), and was not changed\n"
    assert (result.exit_code, result.stderr) == (0, text)
    assert "Learned before: 1.\n" in result.stdout
    assert model.read_bytes() == before


def test_a_question_that_has_expired_is_not_said_to_be_learned(call, asked):
    labels, model, _ = asked
    saved, rows = load(str(model)), filled(labels, read("q.csv"))
    saved.classifier.expire(int(rows[0]["question"].partition("-")[0]))
    keep(str(model), saved)
    write("answers.csv", rows)
    result = call("learn", "a.model", "answers.csv")
    assert result.output.startswith(f"Labels learned: {len(rows) - 1}. ")
    assert result.output.endswith("Not open, as they expired, or were learned long ago: 1.\n")


def test_a_file_without_any_label_is_refused(call, asked):
    _, model, _ = asked
    before = model.read_bytes()
    write("answers.csv", read("q.csv"))
    result = call("learn", "a.model", "answers.csv")
    what = "no row has a label in the column 'label'"
    text = f"selectron: answers.csv: {what}: write the labels there\n"
    assert (result.exit_code, result.output) == (1, text)
    assert model.read_bytes() == before


@pytest.mark.parametrize("command", ["ask", "learn"])
def test_a_model_that_another_process_has_written_is_kept(call, asked, monkeypatch, command):
    labels, model, _ = asked
    write("answers.csv", filled(labels, read("q.csv")))
    theirs = model.read_bytes()
    module = importlib.import_module(f"selectron.cli.{'label' if command == 'ask' else 'ask'}")
    monkeypatch.setattr(module, "load", lambda path: load(path)._replace(stamp=(0,)))
    given = ("first.csv", "-o", "other.csv") if command == "ask" else ("answers.csv",)
    result = call(command, "a.model", *given)
    assert result.exit_code == 1
    assert "a.model has changed since it was read: this model is in a.model-2" in result.stderr
    assert model.read_bytes() == theirs


def changed(rows, **values):
    return [rows[0] | values, *rows[1:]]


OTHER = (
    "is no open or answered question of this model: give the model that has asked, and leave the "
    "column 'question' as it was"
)
NEW = "there is no class 'hum': the classes are {classes}; --new-classes learns others"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"label": "hum"}, NEW),
        (
            {"label": "Spam"},
            f"{NEW.replace('hum', 'Spam')}; is it 'spam'?",
        ),
        ({"question": "1-bbbb"}, f"'1-bbbb' {OTHER}"),
        ({"question": "999-bcdf"}, f"'999-bcdf' {OTHER}"),
        ({"question": ""}, f"'' {OTHER}"),
    ],
)
def test_what_is_unknown_is_refused_and_nothing_learned(call, asked, values, reason):
    labels, model, _ = asked
    before, rows = model.read_bytes(), read("q.csv")
    write("answers.csv", changed(filled(labels, rows), **values))
    result = call("learn", "a.model", "answers.csv")
    classes = ", ".join(map(repr, load(str(model)).classifier.classes_.tolist()))
    text = f"selectron: answers.csv: row 1: {reason.format(classes=classes)}\n"
    assert (result.exit_code, result.output) == (1, text)
    assert model.read_bytes() == before


def test_labels_that_are_all_spelled_otherwise_are_to_be_rewritten(call, asked):
    labels, model, _ = asked
    before, rows = model.read_bytes(), filled(labels, read("q.csv"))
    write(
        "answers.csv",
        [row | {"label": {"spam": "ja", "ham": "nein"}.get(row["label"], "")} for row in rows],
    )
    result = call("learn", "a.model", "answers.csv")
    assert result.exit_code == 1
    assert "; the labels look like other spellings of these: rewrite them\n" in result.output
    assert model.read_bytes() == before


def test_two_labels_for_a_question_are_refused(call, asked):
    labels, model, before = asked
    before, rows = model.read_bytes(), filled(labels, read("q.csv"))
    other = {"ham": "spam", "spam": "ham"}[rows[1]["label"]]
    write("answers.csv", [*rows, rows[0], rows[1] | {"label": other}])
    result = call("learn", "a.model", "answers.csv")
    where = f"answers.csv: row {len(rows) + 2}: the question has the label {other!r}"
    assert result.exit_code == 1
    assert f"{where}, and {rows[1]['label']!r} in row 2: leave one of them" in result.output
    assert model.read_bytes() == before
    write("answers.csv", [*rows, rows[0]])  # the same one twice is no matter
    assert "Learned before: 1.\n" in call("learn", "a.model", "answers.csv").output


def test_questions_of_another_model_are_noticed(call, asked):
    labels, *_ = asked
    rows = filled(labels, read("q.csv"))
    options = [*FAST, "--no-intercept"]
    found = call("run", "second.csv", *options, "--classes", "ham,spam", "--save", "b.model")
    assert found.exit_code == 0, found.output
    assert call("ask", "b.model", "first.csv", "-o", "other.csv").exit_code == 0
    write("answers.csv", rows)
    result = call("learn", "b.model", "answers.csv")
    assert result.exit_code == 1
    assert OTHER in result.output


def test_a_new_class_is_learned_if_that_is_wanted(call, asked):
    labels, model, _ = asked
    write("answers.csv", changed(filled(labels, read("q.csv")), label="hum"))
    assert call("learn", "a.model", "answers.csv", "--new-classes").exit_code == 0
    assert load(str(model)).classifier.classes_.tolist()[-1] == "hum"


@pytest.mark.parametrize("name", ["question", "label"])
def test_a_column_that_is_missing_is_named(call, asked, name):
    write("answers.csv", [{k: v for k, v in row.items() if k != name} for row in read("q.csv")])
    result = call("learn", "a.model", "answers.csv")
    text = f"answers.csv: there is no column {name!r}, as `selectron ask` writes it: rename it back"
    assert result.exit_code == 1
    assert result.output.startswith(f"selectron: {text}, or ")


def test_a_table_that_is_no_file_of_questions_is_noticed(call, asked):
    result = call("learn", "a.model", "first.csv")
    how = "or to learn labels of a table: selectron run FILE --model a.model --save a.model\n"
    assert result.exit_code == 1
    assert result.output.endswith(how)


def test_labels_that_were_filled_in_are_not_overwritten(call, asked):
    result = call("ask", "a.model", "second.csv", "-o", "q.csv")
    text = "selectron: q.csv exists, and may hold labels: give another -o, or remove it\n"
    assert (result.exit_code, result.output) == (1, text)


def test_a_file_is_asked_about_once(call, asked):
    result = call("ask", "a.model", "second.csv", "-o", "again.csv")
    text = "selectron: second.csv was played to its end: --from 1 begins again\n"
    assert (result.exit_code, result.output) == (1, text)
    assert call("ask", "a.model", "second.csv", "-o", "again.csv", "--from", "91").exit_code == 0
    assert len(read("again.csv")) <= 10


def test_new_rows_of_a_file_are_asked_about(call, asked):
    """Those before them are not asked about again."""
    text = Path("second.csv").read_text()
    for k in range(2):
        Path("second.csv").write_text(text := text + "1,2,3,4,\n" * 20)
        result = call("ask", "a.model", "second.csv", "-o", f"more-{k}.csv", "--budget", "100%")
        start = f"Continuing at row {101 + 20 * k}; --from 1 begins again.\n20 rows, "
        assert result.output.startswith(start)
        assert {row["a"] for row in read(f"more-{k}.csv")} == {"1"}


@pytest.mark.parametrize("part", ["first", "last"])
def test_a_file_that_has_changed_begins_again_and_that_is_stated(call, asked, part):
    """Text that is added to the last line changes its row."""
    text = Path("second.csv").read_text()
    Path("second.csv").write_text(text.removesuffix("\n"))
    given = "ask", "a.model", "second.csv", "-o"
    assert call(*given, "new.csv").exit_code == 0
    lines = text.splitlines()
    row = {"first": 1, "last": -1}[part]
    lines[row] += "ham"
    Path("second.csv").write_text("\n".join([*lines, "1,2,3,4,", ""]))
    result = call(*given, "again.csv")
    what = "second.csv has changed since row 100: beginning at row 1; --from 101 continues."
    assert result.output.startswith(f"{what}\n101 rows,")


def test_rows_that_have_a_label_are_not_asked_about(call, asked):
    lines = Path("second.csv").read_text().splitlines()
    some = [f"{line}ham" if k % 2 else line for k, line in enumerate(lines)]
    Path("some.csv").write_text("\n".join([lines[0], *some[1:]]))
    result = call("ask", "a.model", "some.csv", "-o", "some-q.csv")
    values = {line.split(",")[0] for line in lines[2::2]}
    assert {row["a"] for row in read("some-q.csv")} <= values
    how = "selectron run some.csv --model a.model --save a.model --budget 100%"
    assert f"\n50 rows have a label already. If that is not learned yet: {how}\n" in result.output


def test_a_number_of_labels_is_not_exceeded(call, asked):
    result = call("ask", "a.model", "first.csv", "-o", "few.csv", "--budget", "3/200")
    assert result.exit_code == 0
    assert len(read("few.csv")) == 3
    assert "The budget of 3 labels is spent: --budget gives another one.\n" in result.output


def test_a_budget_that_is_spent_is_named_once(call, asked):
    assert call("ask", "a.model", "first.csv", "-o", "few.csv", "--budget", "3/200").exit_code == 0
    result = call("ask", "a.model", "second.csv", "-o", "more.csv")
    spent = "the budget of 3 labels is spent: --budget gives another one"
    text = f"selectron: a.model would ask for no label, as {spent}\n"
    assert (result.exit_code, result.output) == (1, text)


FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize("part", ["write_csv", "keep"])
def test_neither_questions_nor_budget_are_lost_if_one_cannot_be_written(
    call, asked, monkeypatch, part
):
    """The disk may be full for the questions, or for the model after them."""
    _, model, _ = asked
    before, files = model.read_bytes(), {*model.parent.iterdir()}
    module = importlib.import_module(f"selectron.cli.{'label' if part == 'keep' else 'ask'}")
    with monkeypatch.context() as patch:
        patch.setattr(module, part, Mock(side_effect=FULL))
        assert call("ask", "a.model", "first.csv", "-o", "other.csv").exit_code == 1
    assert (model.read_bytes(), {*model.parent.iterdir()}) == (before, files)
    assert call("ask", "a.model", "first.csv", "-o", "other.csv").exit_code == 0
    assert {*model.parent.iterdir()} - files == {model.with_name("other.csv")}


def test_a_draft_of_questions_is_not_lost(call, asked, monkeypatch):
    """It stays if it cannot be renamed, or after a crash."""
    labels, *_ = asked
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", Mock(side_effect=FULL))
        result = call("ask", "a.model", "first.csv", "-o", "other.csv")
    assert result.exit_code == 1
    assert "other.csv (its questions are in other.draft.csv) cannot be written" in result.stderr
    result = call("ask", "a.model", "first.csv", "-o", "other.csv")
    assert "other.draft.csv is left over from a call that ended early" in result.stderr
    write("answers.csv", filled(labels, read("other.draft.csv")))
    assert call("learn", "a.model", "answers.csv").exit_code == 0


def test_a_spent_budget_that_is_given_again_is_named(call, asked):
    given = ("ask", "a.model", "first.csv", "--budget", "3/200")
    assert call(*given, "-o", "few.csv").exit_code == 0
    result = call(*given, "-o", "more.csv")
    spent = "the budget of 3 labels is spent, and the same one is given again: give another one"
    row = load("a.model").place.row + 1
    text = f"a.model would ask for no label, as {spent}, or --from {row} to spend it once more"
    assert (result.exit_code, result.output) == (1, f"selectron: {text}\n")
    assert call(*given, "-o", "more.csv", "--from", row).exit_code == 0
    assert 1 <= len(read("more.csv")) <= 3


def test_nothing_is_predicted_before_a_label_is_learned(call, asked):
    labels, *_ = asked
    new = ("--label", "", "--ignore", "label", "--classes", "ham,spam", "--save", "b.model")
    assert call("run", "first.csv", *FAST, *new).exit_code == 0
    assert call("ask", "b.model", "first.csv", "-o", "new.csv").exit_code == 0
    rows = read("new.csv")
    assert {(row["prediction"], row["proba"]) for row in rows} == {("", "")}
    write("answers.csv", filled(labels, rows[:9]))
    assert call("learn", "b.model", "answers.csv").output.startswith("Labels learned: 9.\nBy class")
    assert call("ask", "b.model", "second.csv", "-o", "later.csv").exit_code == 0
    later = read("later.csv")
    assert all(row["prediction"] and row["proba"] for row in later)
    write("answers.csv", filled(labels, [*rows, *later]))
    right = sum(labels[row["a"]] == row["prediction"] for row in later)
    found = f". Predicted right: {right} of {len(later)}.\n"
    assert found in call("learn", "b.model", "answers.csv").output


@pytest.mark.parametrize("part", ["question_of", "keep"])
def test_ctrl_c_while_answers_are_learned(call, asked, monkeypatch, part):
    """Either nothing is saved, or all is, and that is reported."""
    labels, model, _ = asked
    before, rows = model.read_bytes(), filled(labels, read("q.csv"))
    write("answers.csv", rows)
    module = importlib.import_module("selectron.cli.ask")
    usual = getattr(module, part)

    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        return usual(*given)

    monkeypatch.setattr(module, part, interrupted)
    result = call("learn", "a.model", "answers.csv")
    assert result.exit_code == 130
    if part == "keep":
        assert result.output.startswith(f"Labels learned: {len(rows)}. ")
        assert not load("a.model").classifier.open_tickets_
    else:
        text = "selectron: interrupted: nothing was learned, and a.model is as it was\n"
        assert result.output == text
        assert model.read_bytes() == before


def test_columns_keep_their_values_if_they_have_the_names_of_ours(call, tmp_path):
    lines = [f"Q{j},{j % 7},{'yes' if j % 7 > 3 else 'no'}" for j in range(120)]
    (tmp_path / "faq.csv").write_text("\n".join(["question,size,answered", *lines]))
    assert call("run", "faq.csv", *FAST, "--ignore", "question", "--save", "b.model").exit_code == 0
    blank(tmp_path / "faq.csv")
    assert call("ask", "b.model", "faq.csv", "-o", "q.csv").exit_code == 0
    first = read("q.csv")[0]
    names = ["question", "answered", "prediction", "proba", "question in the file", "size"]
    assert [*first] == names
    assert first["question in the file"].startswith("Q")
    assert first["answered"] == ""


def test_an_interruption_leaves_everything_as_it_was(call, asked, monkeypatch):
    _, model, _ = asked
    before, decide = model.read_bytes(), ModelSession.decide

    def interrupted(self, row):
        if row.number == 40:
            raise KeyboardInterrupt
        return decide(self, row)

    monkeypatch.setattr(ModelSession, "decide", interrupted)
    result = call("ask", "a.model", "first.csv", "-o", "other.csv")
    text = f"selectron: interrupted: nothing was asked, and {model.name} is as it was\n"
    assert (result.exit_code, result.stderr) == (130, text)
    assert model.read_bytes() == before
    with pytest.raises(FileNotFoundError):
        read("other.csv")


def test_typed_values_are_written_as_spreadsheets_read_them(call):
    days = [date(2026, 1, 1 + i % 28) for i in range(60)]
    costs = [Decimal(i % 9) / 4 for i in range(60)]
    table = pa.table({"day": days, "cost": costs, "label": ["ab"[i % 9 > 4] for i in range(60)]})
    pq.write_table(table, "a.parquet")
    assert call("run", "a.parquet", *FAST, "--save", "a.model").exit_code == 0
    pq.write_table(table.drop_columns("label"), "a.parquet")
    assert call("ask", "a.model", "a.parquet", "-o", "q.csv").exit_code == 0
    shown = {str(day) for day in days}, {f"{cost:.2f}" for cost in costs}
    for row in (rows := read("q.csv")):
        assert row["day"] in shown[0]
        assert row["cost"] in shown[1]
    assert rows


def test_questions_as_json_lines(call):
    """Values keep their types, and a program may fill the labels in."""
    rows = [{"n": i % 7, "tags": [f"w{i % 5}", "red"], "label": "ab"[i % 2]} for i in range(300)]
    Path("first.jsonl").write_text("\n".join(map(json.dumps, rows[:200])))
    assert call("run", "first.jsonl", *FAST, "--save", "a.model").exit_code == 0
    new = [{"n": row["n"], "tags": row["tags"]} for row in rows[200:]]
    Path("new.jsonl").write_text("\n".join(map(json.dumps, new)))
    found = call("ask", "a.model", "new.jsonl", "-o", "q.jsonl")
    assert found.exit_code == 0, found.output
    asked = [json.loads(line) for line in Path("q.jsonl").read_text().splitlines()]
    assert [*asked[0]] == ["question", "label", "prediction", "proba", "n", "tags"]
    values = [{"n": row["n"], "tags": row["tags"]} for row in rows]
    for row in asked:
        assert row["label"] is None
        assert {"n": row["n"], "tags": row["tags"]} in values
    answers = [row | {"label": "a"} for row in asked]
    Path("q2.jsonl").write_text("\n".join(map(json.dumps, answers)))
    learned = call("learn", "a.model", "q2.jsonl")
    assert learned.output.startswith(f"Labels learned: {len(asked)}. ")


FORMULAS = ("=HYPERLINK(1)", "@SUM(1)", "+x", "-x", "\t=1")


def test_questions_for_a_spreadsheet_have_no_formulas(call, tmp_path):
    """Labels are found for them, also where one is a copied prediction, or the column is one."""
    texts = [*FORMULAS, "-0.5", "+1e3", "a=b", "x"]
    rows = [{"text": text, "=y": ("=yes", "-no")[k % 2]} for k, text in enumerate(texts * 12)]
    write(tmp_path / "all.csv", rows)
    options = [*FAST[:2], "--ask", "fixed:p=1", "--label", "=y"]
    assert call("run", "all.csv", *options, "--save", "a.model").exit_code == 0
    write(tmp_path / "all.csv", [row | {"=y": ""} for row in rows])
    assert call("ask", "a.model", "all.csv", "-o", "q.jsonl").exit_code == 0
    assert '"=HYPERLINK(1)"' in Path("q.jsonl").read_text()
    assert call("ask", "a.model", "all.csv", "--from", "1", "-o", "q.csv").exit_code == 0
    asked = read("q.csv")
    assert [*asked[0]][:3] == ["question", "'=y", "prediction"]
    cells = {row["text"] for row in asked}
    assert cells == {*(f"'{text}" for text in FORMULAS), *texts[len(FORMULAS) :]}
    assert {row["prediction"] for row in asked} <= {"'=yes", "'-no"}
    for k, row in enumerate(asked):
        row["'=y"] = row["prediction"] if k % 2 else row["prediction"][1:]
    write("filled.csv", asked)
    found = call("learn", "a.model", "filled.csv")
    assert found.exit_code == 0, found.output
    assert f"Predicted right: {len(asked)}." in found.stdout
    assert call("show", "a.model", "--json").stdout.count("'=yes") == 0


def test_what_is_no_question_is_none_however_long_it_is():
    assert [first_number(text) for text in ("7" * 5000, "12-bcdf", "x-bcdf")] == [0, 12, 0]


@pytest.mark.parametrize("text", ["-37,5", "-1,234.50", "-5%", "-", "--", "+3e5", "-1'000", ""])
def test_numbers_and_blanks_are_no_formulas(text):
    assert as_cell(text) == text


@pytest.mark.parametrize(
    "text", ["=1", "-a", "+49 30 123", "@x", "-1+2", "\uff1d1", "\n=1", "-inf"]
)
def test_formulas_get_an_apostrophe(text):
    assert as_cell(text) == f"'{text}"
