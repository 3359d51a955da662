"""The cache of machine code: found again, never stale, and survived when it is damaged or missing.

Every test plays in processes of their own, which tell what they learned and whether they compiled.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import selectron
from selectron.engine import machine

# a learner as a user would write it; its only step is w = GAIN y, with a callee
LEARNER = """
from typing import NamedTuple
from selectron.engine.round import Step, mistake

def gain(y):
    return 2.0 * y

class Mine(NamedTuple):
    def numbers(self):
        return ()

    def steps(self, m, y):
        return mistake(m, y)

    def step(self, r):
        return Step(keep=1.0, eta=gain(r.y) + 0.5)
"""

# learns w from one row, (1, 2), whose label is -1; prints w, and how often something was compiled
PLAY = """
import json
from numba.core.event import install_recorder
import numpy as np
from selectron.askers import Always
from selectron.engine.rows import Dense
from selectron.model.model import Model

def learn(learner):
    model = Model(learner, Always(), width=2, constant=False)
    model.run(Dense(np.array([[1.0, 2.0]])), np.array([-1], np.int8))
    return model.weights().tolist()

def tell(*learners):
    with install_recorder("numba:compile") as recorder:
        learned = [learn(learner) for learner in learners]
    print(json.dumps([learned, sum(event.is_start for _, event in recorder.buffer)]))
"""
IMPORTED = PLAY + "from mine import Mine\ntell(Mine())\n"
WEIGHTS = [[-1.5, -3.0]]


class Folder:
    """A folder with a learner's file and a cache."""

    def __init__(self, path):
        self.path, self.cache = path, path / "cache"
        self.cache.mkdir(exist_ok=True)

    def write(self, source=LEARNER, name="mine"):
        (self.path / f"{name}.py").write_text(source)
        return self

    def start(self, script=IMPORTED, **environment):
        environment = {
            "PYTHONPATH": str(self.path),
            "NUMBA_CACHE_DIR": str(self.cache),
            "PYTHONDONTWRITEBYTECODE": "1",  # a file that is edited within a second is read again
            **environment,
        }
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def play(self, script=IMPORTED, **environment):
        """Return what a process has learned, and how often it compiled something."""
        return answer(self.start(script, **environment))

    def files(self, ending):
        return sorted(self.cache.rglob(f"*.{ending}"))


def answer(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    learned, compiled = json.loads(out)
    return learned, compiled


@pytest.fixture(scope="module")
def primed(tmp_path_factory):
    """A folder in which one process has filled the cache."""
    folder = Folder(tmp_path_factory.mktemp("primed")).write()
    learned, compiled = folder.play()
    assert learned == WEIGHTS
    assert compiled > 0
    return folder


@pytest.fixture
def folder(primed, tmp_path):
    """A copy of it."""
    shutil.copytree(primed.path, tmp_path / "copy")
    return Folder(tmp_path / "copy")


def test_a_second_process_finds_it(folder):
    before = {file: file.read_bytes() for file in folder.cache.rglob("*.nb?")}
    assert len(before) == 2  # an index and a function: few rows are calibrated without compiling
    assert folder.play() == (WEIGHTS, 0)
    assert {file: file.read_bytes() for file in folder.cache.rglob("*.nb?")} == before


def test_an_edit_elsewhere_leaves_it(folder):
    folder.write("RATE = 3.0\n", name="other")
    folder.write("# mine\n\n" + LEARNER + "\nUNUSED = 3\n")
    assert folder.play() == (WEIGHTS, 0)


@pytest.mark.slow
def test_learners_that_differ_in_their_steps_alone_do_not_share_them(tmp_path):
    folder = Folder(tmp_path).write(name="a").write(LEARNER.replace("+ 0.5", "- 3.0"), name="b")
    script = PLAY.replace("constant=False", "constant=False, classes=3").replace("[-1]", "[2]")
    alone = {
        name: folder.play(f"{script}\nfrom {name} import Mine\ntell(Mine())")[0][0] for name in "ab"
    }
    assert alone["a"] != alone["b"]
    for first, second in ("ab", "ba"):
        both = f"{script}\nimport a, b\ntell({first}.Mine(), {second}.Mine())"
        assert folder.play(both) == ([alone[first], alone[second]], 0)


EDITS = {
    "the step": ("+ 0.5", "+ 1.0", [[-1.0, -2.0]]),
    "a function that it calls": ("2.0 * y", "3.0 * y", [[-2.5, -5.0]]),
    "another function": ("mistake(m, y)", "y > 0", [[0.0, 0.0]]),
}


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_is_noticed(folder, edit):
    old, new, expected = edit
    folder.write(LEARNER.replace(old, new))
    learned, compiled = folder.play()
    assert learned == expected
    assert compiled > 0
    assert folder.write().play() == (WEIGHTS, 0)  # and the old one is found when it comes back


def truncate(content):
    return content[: len(content) // 2]


def garbage(content):
    return bytes(range(256)) * (1 + len(content) // 256)


def flip(content):
    """Flip a bit of every hundredth byte."""
    return bytes(byte ^ 4 if i % 100 == 50 else byte for i, byte in enumerate(content))


@pytest.mark.parametrize(
    ("ending", "damage"),
    [
        pytest.param("nbi", truncate, marks=pytest.mark.slow),
        pytest.param("nbi", garbage, marks=pytest.mark.slow),
        pytest.param("nbc", truncate, marks=pytest.mark.slow),
        ("nbc", flip),
        pytest.param("sha256", garbage, marks=pytest.mark.slow),
    ],
)
def test_damage_is_survived_and_repaired(folder, ending, damage):
    (file,) = (file for file in folder.files(ending) if "Mine" in file.name)
    file.write_bytes(damage(file.read_bytes()))
    learned, compiled = folder.play()
    assert learned == WEIGHTS
    assert compiled > 0
    assert folder.play() == (WEIGHTS, 0)


@pytest.mark.slow
def test_machine_code_that_is_missing_is_made_again(folder):
    for file in folder.files("nbc"):
        file.unlink()
    assert folder.play()[0] == WEIGHTS
    assert folder.play() == (WEIGHTS, 0)


@pytest.mark.slow
def test_without_any_folder_to_write_to(folder):
    """It compiles in every process: the folder lies under a regular file, and no other is tried."""
    (folder.path / "file").write_text("")
    nowhere = {
        "NUMBA_CACHE_DIR": str(folder.path / "file" / "cache"),
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
    }
    for _ in range(2):
        learned, compiled = folder.play(**nowhere)
        assert learned == WEIGHTS
        assert compiled > 0


FULL = """
import errno
from numba.core.caching import IndexDataCacheFile

def refuse(*_):
    raise OSError(errno.ENOSPC, "No space left on device")

IndexDataCacheFile._save_data = refuse
"""


@pytest.mark.slow
def test_a_full_disk(tmp_path):
    """The index is written and the code is not: right then, and right in the next process."""
    folder = Folder(tmp_path).write()
    learned, _ = folder.play(FULL + IMPORTED)
    assert learned == WEIGHTS
    assert folder.files("nbi")
    assert not folder.files("nbc")
    assert folder.play()[0] == WEIGHTS
    assert folder.play() == (WEIGHTS, 0)


@pytest.mark.slow
def test_several_processes_at_once(tmp_path):
    folder = Folder(tmp_path).write()
    for process in [folder.start() for _ in range(2)]:
        assert answer(process)[0] == WEIGHTS
    assert folder.play()[0] == WEIGHTS
    assert folder.play() == (WEIGHTS, 0)


@pytest.mark.slow
def test_code_with_and_without_bounds_checks_live_side_by_side(folder):
    learned, compiled = folder.play(NUMBA_BOUNDSCHECK="1")
    assert learned == WEIGHTS
    assert compiled > 0
    assert folder.play(NUMBA_BOUNDSCHECK="1") == (WEIGHTS, 0)
    assert folder.play() == (WEIGHTS, 0)
    assert folder.play(NUMBA_BOUNDSCHECK="1") == (WEIGHTS, 0)


@pytest.mark.slow
def test_a_learner_without_a_file(tmp_path):
    """Typed in, as it were: found again in the next process, and an edit is noticed."""
    folder = Folder(tmp_path)
    script = PLAY + LEARNER + "\ntell(Mine())\n"
    learned, compiled = folder.play(script)
    assert learned == WEIGHTS
    assert compiled > 0
    assert folder.play(script) == (WEIGHTS, 0)
    assert folder.play(script.replace("2.0 * y", "3.0 * y"))[0] == [[-2.5, -5.0]]


INDENTED = LEARNER.replace("\n", "\n    ").replace("+ 0.5", "+ HALF")
MADE = f"{PLAY}\ndef make(TWICE, HALF):{INDENTED}\n    return Mine()\n".replace(
    "2.0 * y", "TWICE * y"
)


@pytest.mark.slow
def test_learners_made_by_a_function(tmp_path):
    """They hold numbers and functions of their own: each has its own code, and all are kept."""
    folder = Folder(tmp_path)
    script = MADE + "tell(make(2.0, 0.5), make(2.0, 1.0), make(3.0, 0.5))\n"
    expected = [*WEIGHTS, [-1.0, -2.0], [-2.5, -5.0]]
    learned, compiled = folder.play(script)
    assert learned == expected
    assert compiled > 0
    assert folder.play(script) == (expected, 0)


def test_the_package_itself_is_left_alone(primed):
    """All that was written lies in the folder that NUMBA_CACHE_DIR names."""
    names = {file.name for file in primed.cache.rglob("*Mine*") if file.is_file()}
    assert names
    package = Path(selectron.__file__).parent
    assert not names & {file.name for file in package.rglob("*")}


class Terminal(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize(("terminal", "seconds"), [(True, 1.0), (True, 0.0), (False, 1.0)])
def test_a_terminal_shows_that_it_compiles(terminal, seconds, monkeypatch):
    monkeypatch.setattr(machine, "PATIENCE", 0.01 if seconds else 60.0)
    monkeypatch.setattr("sys.stderr", Terminal(terminal))
    with machine._announced("Mine or Margin"):
        time.sleep(seconds)
    shown = "selectron: compiling Mine and Margin, which is kept for later runs\n"
    assert sys.stderr.getvalue() == (shown if terminal and seconds else "")
