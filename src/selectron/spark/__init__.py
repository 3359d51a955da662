"""A model for each key of a Spark DataFrame, streaming or batch: `selectron[spark]` installs it.

PySpark is imported when a function is first called.
"""

from .checks import session
from .decide import decide, models

__all__ = ["decide", "models", "session"]
