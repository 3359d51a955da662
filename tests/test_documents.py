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
        pytest.param("docs/library.md", marks=pytest.mark.slow),
        pytest.param("docs/learners.md", marks=pytest.mark.slow),
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
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    table = re.search(r"    learner  .*\n    ---.*\n((?:    .*\n)+)", text)[1]
    drift = re.search(r"    (.* detected drift in rows .*)\n", text)[1]
    _, _, *played, empty, noticed = CliRunner().invoke(main, ["run"]).stdout.splitlines()
    rows = [[line.split()[:-1] for line in lines] for lines in (table.splitlines(), played)]
    assert rows[0] == rows[1]  # all but the speed
    assert (empty, noticed) == ("", drift)


PAGES = ["README.md", "CHANGELOG.md", "desktop/README.md"]
FOLDERS = ROOT / "docs", ROOT / "desktop" / "docs"
PAGES += [str(page.relative_to(ROOT)) for f in FOLDERS for page in sorted(f.glob("*.md"))]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    page = ROOT / name
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_first_page_is_short_and_leads_everywhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 800
    linked = {ROOT / link for link in re.findall(r"\]\(([^)#:]+)\)", text)}
    for page in (*linked, ROOT / "docs" / "design.md"):
        if page.suffix == ".md":
            inner = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
            linked = linked | {(page.parent / link).resolve() for link in inner}
    assert set(ROOT.glob("docs/*.md")) <= linked
