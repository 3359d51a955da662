"""The error class, and the kinds of it that callers distinguish."""


class SelectronError(ValueError):
    """Bad input: one sentence that names the fault, its place, and a remedy.

    >>> from selectron.learners import LASEC
    >>> LASEC(b=2.0, c=1.0).numbers()
    Traceback (most recent call last):
    selectron.errors.SelectronError: LASEC: b must be below c, got b=2.0 and c=1.0.
    """


class Refused(SelectronError):
    """A row that would make a number infinite or NaN; `row` is its index in the call, from 0."""

    def __init__(self, row: int, reason: str):
        super().__init__(f"Row {row}{reason}")
        self.row, self.reason = row, reason

    def __reduce__(self):
        return Refused, (self.row, self.reason)


class WrongType(SelectronError, TypeError):
    """A value of a type that cannot be a number, or a table of another kind."""


class NotThere(SelectronError, AttributeError):
    """An attribute that a model of this kind does not have, such as weights with a kernel."""


class NotOpen(SelectronError):
    """A ticket that waits for no answer: it is answered, expired, or was never given out."""


class Unwritten(SelectronError, OSError):
    """A file that could not be written, with the reason of the operating system."""
