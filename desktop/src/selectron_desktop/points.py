"""The points at which the end of the process would do most harm."""


def reached(name: str) -> None:
    """Do nothing at a point; tests replace this to end the process there."""
