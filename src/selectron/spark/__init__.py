"""A model for each key of a Spark DataFrame, streaming or batch: `selectron[spark]` installs it.

PySpark is imported when a function is first called.
"""

from .decide import decide, models
from .session import session

__all__ = ["decide", "models", "session"]
