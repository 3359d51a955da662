"""The release: versions agree, files are valid, and the wheel of a clean clone works."""

import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import selectron

ROOT = Path(__file__).parents[1]
FIT = """
import importlib.metadata, selectron
from selectron import OnlineClassifier
from selectron.learners import Perceptron
run = OnlineClassifier(Perceptron()).run([[1.0], [-2.0], [3.0]] * 9, ["up", "down", "up"] * 9)
print(selectron.__file__, importlib.metadata.version("selectron"), run.accuracy > 0.8)
"""


def test_version_and_date_are_the_same_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, latest = re.findall(r"^## (.*)$", changes, re.MULTILINE)[:2]
    version = re.search(r"^version: (.*)$", citation, re.MULTILINE)[1]
    date = re.search(r"^date-released: (.*)$", citation, re.MULTILINE)[1]
    assert version == selectron.__version__
    assert (unreleased, latest) == ("[Unreleased]", f"[{version}] - {date}")


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-workflows", ".github/workflows/tests.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/bug.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/idea.yml"),
        ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ],
)
def test_files_fit_their_schemas(schema, file):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, ROOT / file]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_clean_clone_builds_what_installs_and_works(tmp_path):
    """The new environment sees the packages of this one, which would take minutes to install."""
    clone, home = tmp_path / "clone", tmp_path / "venv"
    tracked = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, tracked.split("\0")):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, clone / name)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, clone], check=True
    )
    names = sorted(path.name for path in tmp_path.glob("selectron-*"))
    version = selectron.__version__
    assert names == [f"selectron-{version}-py3-none-any.whl", f"selectron-{version}.tar.gz"]
    venv.create(home, with_pip=True)
    python = next(path for path in home.glob("*/python*") if path.stem == "python")
    install = [python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*install, tmp_path / names[0]], check=True)
    site = sysconfig.get_path("purelib")
    own = next(home.rglob("site-packages"))
    (own / "others.pth").write_text(
        site
    )  # after its own packages; .pth files of `site` are not read
    done = subprocess.run([python, "-c", FIT], cwd=tmp_path, env={}, capture_output=True, text=True)
    where, found, right = done.stdout.split()
    assert (Path(where).is_relative_to(home), found, right) == (True, version, "True"), done.stderr
    script = python.with_name("selectron")
    shown = subprocess.run([script, "--help"], env={}, capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("Examples:")
    about = (next(own.glob("selectron-*.dist-info")) / "METADATA").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)", about)
    assert links
    assert all(link.startswith("https://") for link in links)
    assert "SECURITY.md" not in about
