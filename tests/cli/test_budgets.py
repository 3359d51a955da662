"""Budgets are written in the same way on the command line, in declarations and in Python."""

import pytest

from selectron.askers import Budget
from selectron.errors import SelectronError

GRAMMAR = {
    "10%": Budget(rate=0.1),
    " 2.5 % ": Budget(rate=0.025),
    "0.1": Budget(rate=0.1),
    "500/10000": Budget(labels=500.0, horizon=10_000.0),
    "200/1d": Budget(labels=200.0, per="1d"),
    "6 / 12h": Budget(labels=6.0, per="12h"),
}
NONE = [
    *("", "much", "0%", "110%", "-1%", "nan", "5/", "/1d", "0/1d", "1e400/1d", "5/0", "5/1y"),
    *("5/inf", "5 per ", "500/100"),
]


@pytest.mark.parametrize("text", GRAMMAR)
def test_what_a_budget_is(text):
    assert Budget.parse(text) == GRAMMAR[text]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_budget_is_refused_in_one_sentence(text):
    with pytest.raises(SelectronError) as caught:
        Budget.parse(text)
    assert str(caught.value) == (
        f"{text!r} is not a budget; give a share of rows up to 100%, such as '10%', labels for a "
        "larger number of rows such as '500/10000', or labels per period such as '200/1d'."
    )


def test_a_number_is_read_as_its_text_is():
    assert Budget.parse(0.1) == Budget(rate=0.1)
    with pytest.raises(SelectronError, match=r"^5 is not a budget; give a share"):
        Budget.parse(5)


def test_the_command_line_and_declarations_have_this_grammar(call, stream):
    pytest.importorskip("pydantic")
    from selectron.serve.declaration import validated

    for text, budget in GRAMMAR.items():
        _, asker = validated({"name": "a", "classes": ["x", "y"], "budget": text}, "here").parts()
        assert asker[:4] == budget[:4]
    refused = call("run", stream[0], "--budget", "5/1y").stderr
    with pytest.raises(SelectronError) as caught:
        validated({"name": "a", "classes": ["x", "y"], "budget": "5/1y"}, "here")
    sentence = "'5/1y' is not a budget; give a share of rows up to 100%, such as '10%'"
    assert sentence in " ".join(refused.split())
    assert str(caught.value).startswith(f"here: {sentence}")


@pytest.mark.parametrize("budget", [[], ["--budget", "4/1d"]])
def test_rows_without_labels_date_no_period(call, tmp_path, budget):
    lines = [f"2026-11-{1 + j // 20:02}T08:{j % 20:02},{j % 7}" for j in range(400)]
    (tmp_path / "new.csv").write_text("\n".join(["when,size", *lines]))
    options = ["--classes", "a,b", "--budget", "4/1d", "--time", "when", "--save", "a.model"]
    assert call("run", "new.csv", "--label", "", *options).exit_code == 0
    result = call("ask", "a.model", "new.csv", *budget, "-o", "q.csv")
    assert result.stderr == ""
    assert 40 < len((tmp_path / "q.csv").read_text().splitlines()) <= 81


def test_rows_before_the_period_of_a_models_budget(call, tmp_path):
    days = [5, 6, 900, 7]  # a typing error takes the budget to another year
    for name, some in (("typo.csv", days), ("later.csv", [8, 9, 10])):
        rows = [f"{day * 86400 + i},{i % 7},{'pq'[i % 2]}" for day in some for i in range(30)]
        (tmp_path / name).write_text("\n".join(["t,a,y", *rows]))
    played = call("run", "typo.csv", "--budget", "9/1d", "--time", "t", "--save", "m")
    assert played.exit_code == 0
    begun = "row 1 is earlier than 1972-06-19 00:00, when the period of the model's budget began"
    for command in (("run", "later.csv", "--model", "m"), ("label", "m", "later.csv")):
        found = call(*command, input="q\n")
        assert found.stderr.count(begun) == 1
        assert begun not in call(*command, "--budget", "9/12h", input="q\n").stderr
