"""Nothing that was acknowledged is lost, whenever the process is killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KILLS = os.environ.get("SELECTRON_KILLS", "12")


def test_killed_again_and_again():
    program = [sys.executable, "-m", "tests.serve.crashing", KILLS, "0"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.startswith(f"{KILLS} kills, "), done.stderr
    assert done.stdout.rstrip().endswith("nothing lost, nothing twice")
