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


def counted(counts, name):
    """Return the count of each activity in a row of a table."""
    if name not in counts.numbers:
        return {}
    activities, amounts, _ = (array[counts.numbers[name]] for array in counts.table)
    return {int(one): int(n) for one, n in zip(activities, amounts, strict=True) if n}
