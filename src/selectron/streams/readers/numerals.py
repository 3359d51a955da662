"""Numerals: text to number."""


def number(text: str | bytes) -> float | None:
    """As float() reads it; None if it is not a number.

    >>> number(" 1e3 "), number("abc")
    (1000.0, None)
    """
    try:
        return float(text)
    except ValueError:
        return None
