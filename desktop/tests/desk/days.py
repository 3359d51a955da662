"""A day in May, minute by minute."""

from selectron_desktop.windows import Event

DAY = 1_714_550_400.0  # the first of May 2024, 8:00 UTC


def work(minute, *resources):
    """Return events of a minute each, from a minute of the day on."""
    return [
        Event(DAY + 60.0 * (minute + i), DAY + 60.0 * (minute + i + 1), f"site:{name}", (name,))
        for i, name in enumerate(resources)
    ]


def at(minute):
    """Return a minute of the day, in seconds since 1970."""
    return DAY + 60.0 * minute
