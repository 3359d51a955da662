"""What is missing is reported in a sentence; PySpark is imported only when it is used."""

import subprocess
import sys

import pytest

from selectron.errors import SelectronError
from selectron.spark import session
from selectron.spark.checks import check_java


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def java(folder, version):
    file = folder / "java"
    file.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2020-01-01' >&2\n")
    file.chmod(0o755)


def test_java_is_missing(path, monkeypatch):
    with pytest.raises(SelectronError, match=r"^Spark needs Java, and no java is on the PATH: in"):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(path))
    with pytest.raises(SelectronError, match=r"JAVA_HOME is .*, which has no bin/java: install"):
        check_java()


@pytest.mark.parametrize(("version", "number"), [("1.8.0_402", 8), ("11.0.22", 11)])
def test_java_is_too_old(path, version, number):
    java(path, version)
    with pytest.raises(SelectronError, match=rf"^Spark needs Java 17 or later, and .* is {number}"):
        check_java()


def test_java_is_new_enough(path):
    java(path, "21.0.1")
    assert check_java() == 21


def test_pyspark_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(SelectronError, match="needs PySpark: pip install"):
        session("local[1]")


def test_pyspark_is_imported_only_when_it_is_used():
    code = "import sys, selectron.spark; print('pyspark' in sys.modules, 'pandas' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]
