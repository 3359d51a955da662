"""A Spark session that can run `decide`, and a clear error where there can be none."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..errors import SelectronError

OLDEST_JAVA = 17
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def session(master: str | None = None, **settings: Any) -> Any:
    """Return a Spark session with the state store that `decide` needs on streams.

    `master` is Spark's address of a cluster, such as "local[2]" for two cores of this machine,
    whose workers run this Python unless PYSPARK_PYTHON names another. `settings` are Spark's, with
    `__` in place of dots: `spark__sql__shuffle__partitions=4`. Raises SelectronError if PySpark or
    Java is missing, or Java is too old.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise SelectronError(
            "selectron.spark needs PySpark: pip install 'selectron[spark]'."
        ) from error
    check_java()
    if master is not None and master.startswith("local"):  # or else the `python3` of the PATH
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.config(PROVIDER, ROCKSDB)
    builder = builder if master is None else builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name.replace("__", "."), value)
    return builder.getOrCreate()


def check_java() -> int:
    """Return the version of Java that Spark will start; raise SelectronError if none will do."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else shutil.which("java")
    remedy = f"install Java {OLDEST_JAVA} or later (on Debian, openjdk-17-jre-headless)"
    if java is None or not Path(java).exists():
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "no java is on the PATH"
        raise SelectronError(f"Spark needs Java, and {where}: {remedy}.")
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(?:1\.)?(\d+)', shown.stderr + shown.stdout)
    if found is None or int(found[1]) < OLDEST_JAVA:
        version = found[1] if found else "unknown"
        needed = f"Spark needs Java {OLDEST_JAVA} or later"
        raise SelectronError(f"{needed}, and {java} is {version}: {remedy}.")
    return int(found[1])
