"""Type checkers follow every call of the loop: a dropped argument and a misspelt name are found."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MUTATIONS = {
    "a dropped argument": (
        "classes/rest.py",
        "space.learn(p, space.at(s, k), rows, i, scale, m, math.nan, sign, t)",
        "space.learn(p, space.at(s, k), rows, i, scale, m, math.nan, sign)",
        'Missing positional argument "t" in call to "learn"',
    ),
    "a misspelt function": (
        "engine/loop.py",
        "space.needs_growth(s, rows, i)",
        "space.need_growth(s, rows, i)",
        'has no attribute "need_growth"',
    ),
    "a swapped argument": (
        "engine/loop.py",
        "classes.learn_label(p, a, s, rows, i, scale, m, q, y, t)",
        "classes.learn_label(p, a, s, rows, i, scale, m, situation, y, t)",
        'Argument 8 to "learn_label"',
    ),
}


def checked(source: Path, cache: Path) -> str:
    """Return what mypy prints of the loop and what it calls."""
    pytest.importorskip("mypy")
    files = [str(source / "selectron" / part) for part in ("engine", "classes/rest.py")]
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *settings, *files],
        cwd=source,
        env={"MYPYPATH": str(source), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_mutations_of_the_loop_are_found(tmp_path):
    source, cache = tmp_path / "src", tmp_path / "cache"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    assert "Success" in checked(source, cache)
    for name, (file, before, after, message) in MUTATIONS.items():
        path = source / "selectron" / file
        text = path.read_text()
        assert text.count(before) == 1, name
        path.write_text(text.replace(before, after))
        assert message in checked(source, cache), name
        path.write_text(text)
