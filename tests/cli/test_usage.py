"""Bad usage of `selectron run`: exit code 2, and before a row is read where that is possible."""

import gzip
import importlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import Mock
from uuid import UUID

import click
import pyarrow as pa
import pytest

from selectron import Budget, LeadingHistory, SelectronError
from selectron.askers import Always
from selectron.cli import COMMANDS, Whole, main
from selectron.cli.files import nested_as_text
from selectron.pool import SelfDirectedClassifier
from selectron.specs import ASKER, KERNEL, LEARNER, budgeted

serve = importlib.import_module("selectron.cli.serve")  # the command has the same name

FAST = ["--learner", "perceptron"]

BAD_USAGE = {
    "an unknown learner": ["--learner", "lasek"],
    "an unknown parameter": ["--learner", "lasec:d=1"],
    "b >= c": ["--learner", "lasec:b=2,c=1"],
    "a negative C": ["--learner", "passive-aggressive:C=-1"],
    "a parameter twice": ["--learner", "lasec:b=1,b=2"],
    "a word for a number": ["--ask", "margin:b=much"],
    "no value": ["--ask", "margin:b"],
    "a missing parameter": ["--ask", "margin"],
    "an asker by variance with a ring": ["--learner", "leading-history", "--ask", "bbq:kappa=1"],
    "an ending that is no format": ["-o", "out.xls"],
    "a picture that is none": ["--plot", "picture.txt"],
    "an unknown format": ["--format", "arff"],
    "an unknown option": ["--frobnicate"],
    "a seed below 0": ["--seed", "-1"],
}


@pytest.mark.parametrize("case", BAD_USAGE)
def test_bad_usage_exits_with_2(call, stream, case):
    result = call("run", stream[0], *BAD_USAGE[case])
    assert result.exit_code == 2
    assert result.stderr.count("Error:") == 1
    assert "Traceback" not in result.output


def test_a_file_is_not_written_over_while_it_is_read(call, stream):
    before = stream[0].read_bytes()
    for option in ("-o", "--plot"):
        target = stream[0] if option == "-o" else Path("same.png")
        Path("same.png").write_bytes(before)
        file = stream[0] if option == "-o" else target
        assert call("run", file, *FAST, option, target).exit_code == 2
        assert file.read_bytes() == before


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_file_by_another_name_is_not_written_over_either(call, stream, link):
    before = stream[0].read_bytes()
    getattr(Path("other.csv"), link)(stream[0])
    for named in (("other.csv", stream[0]), (stream[0], "other.csv")):
        assert call("run", named[0], *FAST, "-o", named[1]).exit_code == 2
    assert stream[0].read_bytes() == before


def test_standard_input_is_not_written_over(stream, tmp_path):
    before = stream[0].read_bytes()
    command = [sys.executable, "-m", "selectron", "run", "-", *FAST, "-o", str(stream[0])]
    with open(stream[0], "rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True)
    assert done.returncode == 2
    assert stream[0].read_bytes() == before


@pytest.mark.parametrize("option", [["-o", "nowhere/out.csv"], ["--plot", "nowhere/p.png"]])
def test_an_output_in_a_folder_that_is_not_there(call, stream, option):
    result = call("run", stream[0], *FAST, *option)
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


def test_options_for_files_need_a_file(call):
    for option in (["--label", "x"], ["--ignore", "x"], ["--classes", "a,b"], ["--no-header"]):
        assert call("run", *option).exit_code == 2


SVM = "1 1:1\n-1 2:1\n"
NO_BOUNDS = {
    "an ending": ("rows.svm", SVM, []),
    "a format": ("rows", SVM, ["--format", "svmlight"]),
    "a first line": ("rows", SVM, []),
    "three classes": ("rows.csv", "a,label\n1,x\n2,y\n3,z\n", []),
    "three names": ("rows.csv", "a,label\n1,x\n2,y\n", ["--classes", "x,y,z"]),
    "exact": ("rows.csv", "a,label\n1,x\n2,y\n", ["--many", "exact"]),
}


@pytest.mark.parametrize("case", NO_BOUNDS)
def test_bounds_are_for_dense_rows_of_two_classes(call, tmp_path, case):
    name, text, options = NO_BOUNDS[case]
    (tmp_path / name).write_text(text)
    result = call("run", name, *FAST, "--bounds", *options)
    assert result.exit_code == 2
    assert "Error: --bounds is for dense rows of two classes" in result.stderr


def test_what_was_played_before_a_third_class_is_reported_all_the_same(call, tmp_path):
    (tmp_path / "late.csv").write_text("a,label\n" + "1,x\n-1,y\n" * 4096 + "1,z\n")
    result = call("run", "late.csv", *FAST, "--json", "--bounds")
    assert result.exit_code == 2
    assert json.loads(result.stdout)[0]["rows"] == 8192


MISFITS = {
    "a kernel for the exact form": ["--learner", "lasec", "--many", "exact", "--kernel", "rbf"],
    "the same for the default": ["--many", "exact", "--kernel", "rbf"],
    "max_support alone": ["--learner", "perceptron", "--max-support", "5"],
    "max_support alone for the default": ["--max-support", "5"],
    "max_support in second order": ["--learner", "arow", "--kernel", "rbf", "--max-support", "5"],
    "a budget twice": ["--learner", "forgetron", "--max-support", "5"],
    "a kernel in an L1 ball": ["--learner", "l1-constrained:beta=1", "--kernel", "linear"],
    "one learner of two": [*FAST, "--learner", "lasec", "--many", "exact", "--kernel", "rbf"],
}


@pytest.mark.parametrize("case", MISFITS)
def test_options_that_do_not_go_together(call, stream, case):
    result = call("run", stream[0], *MISFITS[case])
    assert result.exit_code == 2
    assert result.stderr.count("Error:") == 1
    assert not result.stdout


def test_they_are_refused_before_a_row_is_read(call):
    for case, options in MISFITS.items():
        if "default" not in case or "max_support" in case:
            assert call("run", "nowhere.csv", *options).exit_code == 2
    assert call("run", "--many", "exact", "--kernel", "rbf").exit_code == 2


@pytest.mark.parametrize("kinds", [ASKER, LEARNER, KERNEL], ids=lambda kinds: kinds.name)
def test_a_parameter_that_is_missing_is_named_with_an_example_that_will_do(kinds):
    for name, kind in kinds.kinds.items():
        if len(kind._field_defaults) == len(kind._fields):
            continue
        with pytest.raises(click.BadParameter) as caught:
            kinds.convert(name, None, None)
        said, _, example = caught.value.message.partition(" is missing, as in ")
        assert said == f"{name!r}: {kind._fields[0]}"
        assert isinstance(kinds.convert(example, None, None), kind)


def test_a_parameter_that_there_is_not_is_named():
    with pytest.raises(click.BadParameter, match=r"no parameter 'c'; those of margin are: b$"):
        ASKER.convert("margin:b=1,c=2", None, None)


PLAYED = {  # what the help says is played by default
    (): ["leading-history"],
    ("--learner", "leading-history"): ["leading-history", "budget:rate=0.1"],
    ("--learner", "perceptron"): ["perceptron", "margin:b=0.1"],
    ("--learner", "perceptron", "--budget", "20%"): ["budget:rate=0.2,asker=margin(b=0.1)"],
    ("--ask", "fixed:p=0.5"): ["leading-history", "fixed:p=0.5"],
    ("--kernel", "rbf"): ["lasec:b=1,c=1000", "budget:rate=0.1,asker=margin(b=0.1)"],
}


@pytest.mark.parametrize("options", PLAYED)
@pytest.mark.slow
def test_what_is_played_by_default(call, stream, options):
    (result,) = json.loads(call("run", stream[0], *options, "--json").stdout)
    for wanted in PLAYED[options]:
        assert wanted in (result["learner"], result["asker"])


INTERRUPTED_IMPORT = """
import sys
class Finder:
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from selectron.cli import main
main(["run"])
"""


@pytest.mark.parametrize("module", ["selectron.cli.run", "selectron.model.compose"])
def test_an_interruption_while_modules_are_imported_is_quiet(tmp_path, module):
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, module]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,\n2,\n", "there is no label in the first 2 rows: name the column with"),
        ("x,y\n1,a\n2,a\n", "there is only the label 'a' in the first 2 rows: name all classes"),
    ],
)
def test_too_few_labels_are_refused(call, tmp_path, text, message):
    tmp_path.joinpath("a.csv").write_text(text)
    result = call("run", tmp_path / "a.csv")
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "option"),
    [("run", "--column=1=text"), ("pool", "--column=1=text"), ("pool", "--show=1")],
)
def test_columns_of_svmlight_rows_have_no_names(call, tmp_path, command, option):
    (tmp_path / "rows.svm").write_text(SVM + "? 1:1\n")
    result = call(command, "rows.svm", option)
    what = f"svmlight has no named columns: leave {option.partition('=')[0]} out"
    assert (result.exit_code, result.stderr) == (1, f"selectron: rows.svm: {what}\n")


def test_a_key_that_no_row_has_is_told_of(call, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"a": 1, "label": "x"}\n{"a": 2, "label": "y"}\n')
    result = call("run", "rows.jsonl", *FAST, "--column", "b=text")
    assert "\nb: no row has it\n" in result.stderr


NUMBERS = [
    (name, param.opts[-1])
    for name in COMMANDS
    for param in main.get_command(None, name).params
    if isinstance(param.type, Whole)
]


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "1e400", "9" * 20, ""])
@pytest.mark.parametrize(("command", "option"), NUMBERS)
def test_numbers_that_no_option_takes(call, stream, command, option, number):
    files = {"label": ["a.model", stream[0]]}.get(command, [stream[0]])
    result = call(command, *files, option, number)
    assert result.exit_code == 2
    assert result.stderr.partition("Error: ")[2].startswith(f"Invalid value for '{option}'")


def test_a_seed_that_is_too_large_for_a_pool():
    with pytest.raises(SelectronError, match="random_state must be a whole number below"):
        SelfDirectedClassifier(random_state=2**32).run([[0.0], [1.0]], ["a", "b"])


def test_an_asker_whose_parameter_has_no_default_is_played(call, stream):
    (result,) = json.loads(
        call("run", stream[0], *FAST, "--ask", "adaptive-margin:beta=10", "--json").stdout
    )
    assert result["asker"] == "adaptive-margin:beta=10"


TARGETS = {
    "run": (["stream.csv", *FAST], {"-o": "csv", "--plot": "png", "--save": "model"}),
    "pool": (["some.csv"], {"-o": "csv", "--plot": "png", "--answers": "answers"}),
    "label": (["kept.model", "stream.csv"], {"-o": "csv"}),
    "predict": (["stream.csv", "--model", "kept.model"], {"-o": "csv"}),
    "demo": ([], {"--plot": "png"}),
}
UNFIT = {
    "its folder does not exist": "nowhere/a",
    "is a ": "folder",
    "nothing can be written to its folder": "/proc/a",
}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no folder where no file can be")
@pytest.mark.parametrize("why", UNFIT)
@pytest.mark.parametrize(
    ("command", "option"), [(name, each) for name in TARGETS for each in TARGETS[name][1]]
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    call, stream, command, option, why
):
    Path("some.csv").write_text("a,b,label\n1,2,ham\n3,4,\n")
    assert call("run", stream[0], *FAST, "--save", "kept.model").exit_code == 0
    args, options = TARGETS[command]
    target = f"{UNFIT[why]}.{options[option]}"
    if "/" not in target:
        Path(target).mkdir()
    result = call(command, *args, option, target, input="ham\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert why in result.stderr


def test_a_model_is_no_device(call, stream):
    assert call("run", stream[0], *FAST, "--save", os.devnull).exit_code == 2


def test_a_model_that_cannot_be_saved_learns_no_answer(call, stream, monkeypatch):
    assert call("run", stream[0], *FAST, "--save", "kept.model").exit_code == 0
    monkeypatch.setattr(tempfile, "TemporaryFile", Mock(side_effect=PermissionError(13, "no")))
    result = call("label", "kept.model", stream[0], input="ham\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "kept.model: nothing can be written to its folder (no)" in result.stderr


def test_the_picture_of_the_digits_is_refused_before_they_are_played(call):
    Path("selectron-run.png").mkdir()
    result = call("run", *FAST)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("option", [["--plot", "a.png"], ["--json"]])
def test_results_of_a_simulation_need_all_labels(call, option):
    Path("some.csv").write_text("a,b,label\n1,2,ham\n3,4,\n")
    result = call("pool", "some.csv", *option, input="ham\n")
    said = f"selectron: some.csv: {option[0]} needs a label in every row: leave it out\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", said)


def test_a_label_that_is_named_and_blank(call, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"x": 1}\n{"x": 2}\n')
    why = "there is no label in the first 2 rows: 'lable' is blank there, name another column with"
    assert why in call("run", "rows.jsonl", "--label", "lable").stderr
    (tmp_path / "rows.jsonl").write_text('{"x": 1}\n{"topic": "a", "x": 2}\n{"topic": "b"}\n')
    found = call("run", "rows.jsonl", "--label", "topics").stderr
    assert "none of the first 3 rows has the label 'topics'; the keys are 'x', 'topic'" in found
    assert "; is it 'topic'?" in found
    found = call("run", "rows.jsonl", "--label", "topic", *FAST).stderr
    assert "none of" not in found


def test_parameters_of_a_model_are_named_as_options(call):
    error = call("run", *FAST, "--max-support", "5").stderr
    assert "--max-support bounds examples that are kept, got 5 without a --kernel" in error
    assert "give --kernel linear too." in error


def test_a_kind_that_there_is_not(call, stream):
    result = call("run", stream[0], "--column", "a=num")
    assert result.exit_code == 2
    assert "'num' is not one of 'number', 'category', 'date'" in result.stderr


def test_always_within_a_budget_asks_at_random():
    found = budgeted(Budget(rate=0.1), Always(), LeadingHistory(), True)
    assert isinstance(found.asker, Always)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_standard_streams_that_are_closed(closed):
    command = f"{sys.executable} -m selectron run - {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, input="a,b\n")
    assert done.returncode == 1
    assert done.stderr.count("\n") == (closed != "2>&-")


def test_a_mistyped_command_is_guessed(call):
    result = call("predcit")
    assert result.exit_code == 2
    assert result.output.endswith("No such command 'predcit'. Did you mean 'predict'?\n")
    assert "mean" not in call("frobnicate").output


def test_a_word_for_a_whole_number_is_named(call):
    assert "'abc' is not a valid integer." in call("run", "--seed", "abc").output


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.jsonl.gz", "a.txt"])
def test_lines_that_are_sent_may_be_of_another_encoding(tmp_path, name):
    text = {"csv": "id,text\n1,5 €\n", "txt": "5 €\n"}.get(name[2:], '{"id": 1, "text": "5 €"}\n')
    data = text.encode("cp1252")
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with serve.lines_of(str(path), True, "cp1252", {}) as (lines, _):
        assert "5 €" in b"".join(lines).decode()


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("Export", "line 2: 2 columns were found, and 1 expected: if line 1 is a title"),
        ("Export\n# of mails", "line 3: 2 columns were found, and 1 expected: if lines 1 to 2 are"),
    ],
)
def test_a_table_that_is_sent_below_a_title(call, title, why):
    Path("a.csv").write_text(f"{title}\nid,text\n1,win\n2,lose\n")
    where = ("--to", "http://127.0.0.1:1/v1/streams/a", "--token", "t")
    assert why in call("send", "a.csv", "--id", "id", *where).stderr


def test_an_encoding_of_what_is_sent_that_is_unknown(call, tmp_path):
    (tmp_path / "a.jsonl").write_text("{}\n")
    where = ("--to", "http://127.0.0.1:1/v1/streams/a", "--token", "t")
    result = call("send", "a.jsonl", *where, "--encoding", "nope")
    assert result.exit_code == 1
    assert "encoding 'nope' is unknown" in result.stderr


@pytest.mark.slow
def test_texts_that_the_output_cannot_hold_are_escaped(tmp_path):
    rows = "".join(f"{i % 5},{'да' if i % 2 else 'нет'}\n" for i in range(60))
    (tmp_path / "a.csv").write_text("x,label\n" + rows, encoding="utf-8")
    command = [sys.executable, "-m", "selectron", "run", "a.csv", "--learner", "perceptron"]
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    assert rb"\u0434\u0430" in done.stdout


def test_values_of_extension_types_are_text():
    one = UUID(int=2**100 + 200)
    table = pa.table({"id": pa.array([one.bytes, None], pa.uuid()), "key": [one.bytes, b"ham"]})
    found = nested_as_text(table).to_pylist()
    assert found == [{"id": str(one), "key": one.bytes.hex()}, {"id": None, "key": "ham"}]
