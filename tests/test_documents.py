"""What the documents show is what happens."""

import re
import runpy
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import documents

from selectron.cli import main

ROOT = Path(__file__).parents[1]
MADE = {"gallery", "api", "openapi.md", "_build"}  # by `make docs`
SITE = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if not MADE & set(page.relative_to(ROOT / "docs").parts)
]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *SITE]
PAGES += [ROOT / "desktop" / "README.md", *sorted((ROOT / "desktop" / "docs").glob("*.md"))]


def named(pages):
    """Return parameters for pages; all but the first page take long."""
    return [
        pytest.param(page, id=str(page.relative_to(ROOT)), marks=() if quick else pytest.mark.slow)
        for page in pages
        for quick in [page.name == "README.md"]
    ]


@pytest.mark.parametrize("page", named(p for p in PAGES if ">>> " in p.read_text("utf-8")))
def test_python_sessions_print_what_they_show(page, tmp_path):
    documents.write_data(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert documents.differences(text, page.name, tmp_path) == {}


@pytest.mark.parametrize("page", named(p for p in PAGES if "```console\n" in p.read_text("utf-8")))
def test_shell_sessions_print_what_they_show(page, tmp_path):
    documents.write_data(tmp_path)
    played = documents.play(page.read_text(encoding="utf-8"), tmp_path)
    assert [step for step in played if not documents.same(*step[1:])] == []


@pytest.mark.slow
def test_the_table_is_that_of_the_demonstration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    table = re.search(r"    learner  .*\n    ---.*\n((?:    .*\n)+)", text)[1]
    drift = re.search(r"    (.* detected drift in rows .*)\n", text)[1]
    lines = CliRunner().invoke(main, ["run"]).stdout.splitlines()
    _, _, *played, _, most, empty, noticed = lines
    rows = [[line.split()[:-1] for line in lines] for lines in (table.splitlines(), played)]
    assert rows[0] == rows[1]  # all but the speed
    assert (empty, noticed) == ("", drift)
    assert f"    {most}\n" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", text)
    made = ("gallery/", "api/", "openapi.md")  # checked by Sphinx
    checked = [link for link in links if not any(part in link for part in made)]
    missing = [
        link
        for link in checked
        if not (ROOT / "docs" / link[1:] if link.startswith("/") else page.parent / link).exists()
    ]
    assert missing == []


def test_the_first_page_is_short_and_leads_everywhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 800
    linked = {ROOT / link for link in re.findall(r"\]\(([^)#:]+)\)", text)}
    assert {page for page in linked if page.suffix == ".md" and not page.exists()} == set()


@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").glob("plot_*.py")), ids=lambda s: s.stem
)
@pytest.mark.slow
def test_the_gallery_runs_in_its_quick_form(script, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setenv("SELECTRON_QUICK", "1")
    monkeypatch.setattr(plt, "show", lambda: None)
    runpy.run_path(str(script), run_name="__main__")
    assert len(plt.get_fignums()) == 1
    plt.close("all")
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 60


def test_the_gallery_has_a_dozen_scripts():
    assert len(list((ROOT / "examples").glob("plot_*.py"))) >= 12


def test_every_public_name_has_an_example(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    pages = runpy.run_path(str(ROOT / "docs" / "_ext" / "pages.py"))
    names = pages["public"]()
    homes = {pages["home"](module, name, names) for module, own in names.items() for name in own}
    assert len(homes) > 100
    assert [name for name in sorted(homes) if not shows(name)] == []


def shows(full):
    """Return whether the docstring has an example; a module has those of its names."""
    if full in sys.modules:
        return True
    module, _, name = full.rpartition(".")
    return ">>> " in (getattr(sys.modules[module], name).__doc__ or "")
