"""Whether Spark can be started here, and what it warns of in a test."""

import importlib.util

from selectron.errors import SelectronError
from selectron.spark.checks import check_java

# PySpark warns of the version of pandas, and leaves sockets to the garbage collector
NOISE = (
    "ignore::FutureWarning",
    "ignore:toPandas attempted:UserWarning",
    "ignore::ResourceWarning",
    "ignore::DeprecationWarning",
)


def missing() -> str:
    """Return what is missing, or an empty text."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed"
    try:
        check_java()
    except SelectronError as error:
        return str(error)
    return ""
