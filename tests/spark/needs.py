"""Whether Spark can be started here."""

import importlib.util

from selectron.errors import SelectronError
from selectron.spark.session import check_java


def missing() -> str:
    """Return what is missing, or an empty text."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed"
    try:
        check_java()
    except SelectronError as error:
        return str(error)
    return ""
