"""No answer is lost and no alarm doubled, whenever the process is killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

KILLS = os.environ.get("SELECTRON_KILLS", "12")


def test_killed_again_and_again():
    paths = [Path(__file__).parents[1], Path(__file__).parents[3], *sys.path]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    program = [sys.executable, "-m", "desk.crashing", KILLS, "0"]
    done = subprocess.run(program, env=env, capture_output=True, text=True)
    assert done.stdout.startswith(f"{KILLS} kills, "), done.stderr
    assert done.stdout.rstrip().endswith("nothing lost, nothing twice")
