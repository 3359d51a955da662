"""The one error class."""


class SelectronError(ValueError):
    """Bad input: one sentence that names what is wrong, where, and what would do."""
