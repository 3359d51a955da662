"""A day as one HTML file: a timeline, the time of each activity, and a table of all stretches."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from jinja2 import Environment, PackageLoader

from .joining import joined
from .report import COLOURS, ROWS, Day, Stretch, clock, looks, span

WIDTH, HEIGHT, GAP, TOP = 1200, 46, 14, 26  # of the timeline and its rows, in SVG units
LEFT, WIDE = 90.0, 8.0  # where the timeline begins, and the width of a letter
TEMPLATES = Environment(loader=PackageLoader(__package__, "page"), autoescape=True)


def written(day: Day) -> str:
    """Return the page of a day; names of activities are escaped."""
    seconds = day.seconds
    return TEMPLATES.get_template("day.html").render(
        title=f"{day.date:%A}, {day.date.isoformat()}",
        day=day, styles=looks(day.activities), seconds=seconds, whole=sum(seconds.values()),
        most=max(seconds.values(), default=0.0), colours=list(enumerate(COLOURS)), clock=clock,
        span=span, width=WIDTH, height=TOP + len(ROWS) * (HEIGHT + GAP),
        **(_timeline(day.stretches) if day.stretches else {}),
    )  # fmt: skip


def _timeline(stretches: list[Stretch]) -> dict[str, list]:
    """Return the boxes of every row, and the hours above them, with their positions."""
    start, end = stretches[0].start, stretches[-1].end
    scale = (WIDTH - LEFT) / max(end - start, 1.0)
    rows = []
    for i, row in enumerate(ROWS):
        runs = joined(((one.start, one.end, getattr(one, row)) for one in stretches), gap=60.0)
        boxes = [
            (round(LEFT + (begun - start) * scale, 1), round(max((ended - begun) * scale, 0.6), 1),
             name, _cut(name or "", (ended - begun) * scale), f"{clock(begun)} to {clock(ended)}")
            for begun, ended, name in runs
        ]  # fmt: skip
        rows.append((row, TOP + i * (HEIGHT + GAP), boxes))
    hours = [(round(LEFT + (time - start) * scale, 1), hour) for time, hour in _hours(start, end)]
    every = next((n for n in (1, 2, 3, 4, 6) if 3600 * n * scale > 55), 6)
    return {"timeline": rows, "hours": [one for one in hours if int(one[1][:2]) % every == 0]}


def _cut(name: str, width: float) -> str:
    """Return a name, cut to a width."""
    if len(name) * WIDE < width - 8:
        return name if len(name) > 1 else ""
    cut = name[: max(0, int((width - 8) / WIDE) - 1)]
    return f"{cut}…" if len(cut) > 1 else ""


def _hours(start: float, end: float) -> Iterator[tuple[float, str]]:
    """Yield the whole hours between two times."""
    moment = datetime.fromtimestamp(start).replace(minute=0, second=0, microsecond=0)
    while (time := moment.timestamp()) <= end:
        if time >= start:
            yield time, f"{moment:%H:%M}"
        moment = datetime.fromtimestamp((moment + timedelta(hours=1)).timestamp())
