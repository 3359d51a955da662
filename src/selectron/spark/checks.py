"""What `decide` needs: a Spark session, and parameters and columns of a DataFrame that fit."""

import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from ..engine.parameters import first_few, shown, whole
from ..errors import SelectronError

OLDEST_JAVA = 17
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
WHOLE = ("tinyint", "smallint", "int", "bigint")
NUMBERS = (*WHOLE, "float", "double", "boolean", "decimal")
DATED = ("timestamp", "timestamp_ntz", "date")
KEYS = (*WHOLE, "string", "boolean")
CLASSES: dict[type, tuple[str, tuple[str, ...]]] = {  # kinds of classes, and their types in Spark
    str: ("texts", ("string",)),
    bool: ("booleans", ("boolean",)),
    int: ("whole numbers", WHOLE),
}


def session(master: str | None = None, **settings: Any) -> Any:
    """Return a Spark session with the state store that `decide` needs on streams.

    `master` is Spark's address of a cluster, such as "local[2]" for two cores of this machine,
    whose workers run this Python unless PYSPARK_PYTHON names another. `settings` are Spark's, with
    `__` in place of dots: `spark__sql__shuffle__partitions=4`. Raises SelectronError if PySpark or
    Java is missing, or Java is too old.

    >>> from selectron import spark
    >>> spark.session("local[2]").range(3).count()
    3
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


def kind(frame: Any, name: str) -> str:
    """Return the type of a column, as Spark names it."""
    return dict(frame.dtypes)[name].partition("(")[0]


def dated(frame: Any, order: str) -> bool:
    """Return whether the order holds dates or times, not whole numbers."""
    return kind(frame, order) in DATED


def names(what: str, frame: Any, wanted: list[str]) -> None:
    """Raise SelectronError if a column is missing."""
    for name in wanted:
        if name not in frame.columns:
            known = first_few(frame.columns)
            raise SelectronError(f"{what} has no column {name!r}: it has {known}.")


def types(frame: Any, keys: list[str], order: str, features: list[str]) -> None:
    """Raise SelectronError if the key, the order or a feature is of a type that does not fit."""
    wanted: list[tuple[str, tuple[str, ...], str]]
    wanted = [(name, NUMBERS, "numbers: use an encoder for other columns") for name in features]
    wanted += [(order, WHOLE + DATED, "whole numbers, dates or times")]
    wanted += [(name, KEYS, "texts, whole numbers or booleans") for name in keys]
    for name, fitting, what in wanted:
        if kind(frame, name) not in fitting:
            raise SelectronError(f"Column {name!r} is of {kind(frame, name)}, and must be {what}.")


def labels(given: Any, frame: Any, keys: list[str], order: str, time: Any, named: tuple) -> None:
    """Raise SelectronError if a column of the labels is missing or does not fit the frame's."""
    names("labels", given, [*keys, "label"])
    if given.isStreaming != frame.isStreaming:
        raise SelectronError("labels must be streaming if the frame is, and a batch if it is one.")
    if not {"ticket", order} & set(given.columns):
        raise SelectronError(f"labels has no column 'ticket' or {order!r}: add one of them.")
    for name in filter(None, (order if order in given.columns else None, time)):
        names("labels", given, [name])
        if dated(given, name) != dated(frame, order) or kind(given, name) not in WHOLE + DATED:
            raise SelectronError(
                f"Column {name!r} of labels is of {kind(given, name)}, and the order is of "
                f"{kind(frame, order)}: give both the same type."
            )
    text, fitting = CLASSES[_kind_of(named[0])]
    if kind(given, "label") not in fitting:
        raise SelectronError(
            f"Column 'label' of labels is of {kind(given, 'label')}, and the classes are {text}."
        )


def classes(given: Any) -> tuple:
    """Return the classes; raise SelectronError unless they are of one kind and distinct."""
    found = tuple(getattr(one, "item", lambda one=one: one)() for one in given)
    if len(found) < 2 or len(set(found)) < len(found):
        raise SelectronError(f"classes must be two or more, each once, got {shown(list(found))}.")
    kinds = set(map(_kind_of, found))
    if len(kinds) > 1 or None in kinds:
        raise SelectronError(
            f"classes must be texts, whole numbers or booleans alone, got {shown(list(found))}."
        )
    return found


def _kind_of(one: Any) -> Any:
    """Return the kind of a class, None if it cannot be one; truth values are whole numbers, too."""
    return next((kind for kind in CLASSES if isinstance(one, kind)), None)


def time_to_live(value: Any, of_times: bool) -> int | None:
    """Return the time to live in units of the order, microseconds if it holds times."""
    if value is None or not of_times:
        return None if value is None else whole("ttl", value)
    if isinstance(value, timedelta) and value > timedelta(0):
        return value // timedelta(microseconds=1)
    raise SelectronError(f"ttl must be a timedelta, as the order holds times, got {shown(value)}.")
