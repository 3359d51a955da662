"""Documents and docstrings keep to the glossary, and pass proselint."""

from pathlib import Path

import pytest
from tests import prose

ROOT = Path(__file__).parents[1]
MADE = {"_build", "gallery", "api", "openapi.md"}  # by `make docs`
TEXTS = [
    path
    for pattern in ("*.md", "docs/**/*.md", "desktop/**/*.md", "src/**/*.py", "examples/*.py")
    for path in sorted(ROOT.glob(pattern))
    if not MADE & set(path.relative_to(ROOT).parts)
]


def test_the_linter_passes():
    assert len(TEXTS) > 200
    faults = {str(path.relative_to(ROOT)): prose.faults(path) for path in TEXTS}
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize("word", ["whoever", "the program tells", "beside the model", "thereby"])
def test_the_linter_finds_the_words_of_the_glossary(tmp_path, word):
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\nThis line has {word} in it. `thereby` is code.\n")
    assert len(prose.faults(page)) == 1


def test_the_linter_reads_docstrings_and_no_code(tmp_path):
    module = tmp_path / "module.py"
    module.write_text('"""Do it anew."""\nsaid = "whoever"  # anew\n')
    assert [fault.partition(":")[0] for fault in prose.faults(module)] == ["anew"]
