"""The error class, and the kinds of it that must be told apart."""


class SelectronError(ValueError):
    """Bad input: one sentence that names what is wrong, where, and what would do."""


class Refused(SelectronError):
    """A row that would lead out of the finite numbers; `row` counts from 0 in what was given."""

    def __init__(self, row: int, reason: str):
        super().__init__(f"Row {row}{reason}")
        self.row, self.reason = row, reason

    def __reduce__(self):
        return Refused, (self.row, self.reason)


class NotThere(SelectronError, AttributeError):
    """An attribute that a model of this kind does not have, as weights with a kernel."""


class Unwritten(SelectronError, OSError):
    """What could not be written, and what the system says of it."""
