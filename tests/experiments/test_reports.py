"""`python -m experiments`: every experiment reports, resumes, and comes to the same bytes again.

Reports of full runs are tested on made-up results. The quick runs are computed.
"""

import csv
import html
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from experiments import PAPERS, Paper
from experiments import report as reports
from experiments.__main__ import main
from experiments.datasets import files
from experiments.findings import Claim, Findings
from experiments.trials import ellipsoid, large_margin
from experiments.verdicts import FAILS, HOLDS
from tests.experiments.results import made_up

import selectron

NEEDS = {"lasec": ["usps/usps.h5"], "ellipsoid": ["letter/letter-recognition.data"]}
NEEDS["ellipsoid"] += ["shuttle/shuttle.trn.csv"]
NEEDS["large_margin"] = ["usps/usps.h5"]
NEEDS["selective_sampling"] = ["rcv1/rcv1.npz"]
NEEDS["self_directed"] = []


def reproduced(name, folder, *options):
    arguments = [name, "--workers", "1", "-o", str(folder), *options]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def assert_complete(folder, name, command):
    for ending in (".html", ".md"):
        text = html.unescape((folder / f"report{ending}").read_text(encoding="utf-8"))
        assert PAPERS[name].source in text
        assert f"python -m experiments {name}{command}" in text
        assert (reports.QUICK in text) == (command == " --quick")
        assert "holds" in text or "does not hold" in text or "undecided" in text
    assert "<svg" in (folder / "report.html").read_text(encoding="utf-8")
    tables, figures = list(folder.glob("*.csv")), list(folder.glob("*.png"))
    assert tables
    assert figures
    assert all(path.with_suffix(".svg").is_file() for path in figures)
    for path in tables:
        rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}


def written(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_a_report_has_its_tables_figures_and_claims(name, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.__main__.each", made_up)
    result = reproduced(name, tmp_path)
    assert_complete(tmp_path, name, "")
    verdicts = [
        line
        for line in result.stdout.splitlines()
        if line.startswith(("holds", "does not", "undecided"))
    ]
    assert len(verdicts) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lasec", "self_directed"])
def test_a_quick_run_that_was_interrupted_goes_on_to_the_same_bytes(name, tmp_path):
    for file in NEEDS[name]:
        if not files.found(file):
            pytest.skip(f"{file} is not in the folder that SELECTRON_DATA names")
    reproduced(name, tmp_path, "--quick")
    assert_complete(tmp_path, name, " --quick")
    before, trials = written(tmp_path), sorted((tmp_path / "trials").iterdir())
    for trial in (trials[0], trials[-1]):
        trial.unlink()
    reproduced(name, tmp_path, "--quick")
    assert written(tmp_path) == before
    assert sorted((tmp_path / "trials").iterdir()) == trials


def test_an_unknown_experiment_is_bad_usage():
    result = CliRunner().invoke(main, ["nothing"])
    assert result.exit_code == 2
    assert "'lasec'" in result.stderr


def test_without_its_data_an_experiment_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv("SELECTRON_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    monkeypatch.setattr(files.STORE, "registry", {})
    ellipsoid.scaled.cache_clear()
    folder = tmp_path / "out"
    arguments = ["ellipsoid", "--quick", "--workers", "1", "-o", str(folder)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert re.match(r"Error: .*letter-recognition.data: no such file, and", result.stderr)
    assert len(result.stderr.strip().splitlines()) == 1


def test_without_a_library_an_experiment_names_it(tmp_path, monkeypatch):
    path = tmp_path / "usps" / "usps.h5"
    path.parent.mkdir()
    path.touch()
    monkeypatch.setenv("SELECTRON_DATA", str(tmp_path))
    monkeypatch.setitem(sys.modules, "h5py", None)
    arguments = ["large_margin", "--quick", "--workers", "1", "-o", str(tmp_path / "out")]
    large_margin.rows.cache_clear()
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert result.stderr == "Error: h5py is needed: pip install -e '.[dev]'\n"


def test_a_claim_that_does_not_hold_is_marked(tmp_path):
    claims = [Claim("A < B & C.", FAILS, "1 < 2, |w|"), Claim("D.", HOLDS, "3")]
    findings = Findings(["Setting."], claims, {}, {})
    reports.write(findings, Paper("T", "S", "A"), tmp_path, "c", False)
    page, text = ((tmp_path / f"report.{kind}").read_text("utf-8") for kind in ("html", "md"))
    assert '<td>A &lt; B &amp; C.</td><td class="no">does not hold</td>' in page
    assert "| A < B & C. | **does not hold** | 1 < 2, \\|w\\| |" in text
    assert "| D. | **holds** | 3 |" in text


def test_the_package_does_not_import_the_experiments():
    sources = Path(selectron.__file__).parent.rglob("*.py")
    pattern = re.compile(r"^\s*(from|import) experiments\b", re.MULTILINE)
    assert [path for path in sources if pattern.search(path.read_text("utf-8"))] == []
