"""What the documents show is what happens."""

import doctest
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from selectron.cli import main

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        pytest.param("docs/design.md", marks=pytest.mark.slow),
        pytest.param("docs/datasets.md", marks=pytest.mark.slow),
        pytest.param("docs/pool.md", marks=pytest.mark.slow),
        pytest.param("desktop/docs/activity.md", marks=pytest.mark.slow),
    ],
)
def test_the_examples_print_what_they_say(name):
    failed, tried = doctest.testfile(str(ROOT / name), module_relative=False)
    assert tried > 0
    assert failed == 0


@pytest.mark.slow
def test_the_table_is_that_of_the_demonstration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.search(r"    learner  .*\n    ---.*\n((?:    .*\n)+)", text)[1]
    drift = re.search(r"    (.* detected drift in rows .*)\n", text)[1]
    _, _, *played, empty, noticed = CliRunner().invoke(main, ["run"]).stdout.splitlines()
    rows = [[line.split()[:-1] for line in lines] for lines in (table.splitlines(), played)]
    assert rows[0] == rows[1]  # all but the speed
    assert (empty, noticed) == ("", drift)


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CHANGELOG.md",
        "desktop/README.md",
        "desktop/docs/activity.md",
        "desktop/docs/activity-watch.md",
        "docs/design.md",
        "docs/benchmarks.md",
        "docs/datasets.md",
        "docs/files.md",
        "docs/leading-history.md",
        "docs/pool.md",
        "docs/reproduction.md",
        "docs/serve.md",
        "docs/tables.md",
    ],
)
def test_links_lead_somewhere(name):
    page = ROOT / name
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
