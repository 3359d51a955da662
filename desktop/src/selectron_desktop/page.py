"""A day as one HTML file: a timeline, the time by activity, and every stretch in a table."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from html import escape

from .report import COLOURS, PATTERNS, ROWS, Day, Look, Stretch, clock, looks, span

WIDTH, HEIGHT, GAP, TOP = 1200, 46, 14, 26  # of the timeline and its rows, in its own units
WIDE = 8.0  # units that a letter takes
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1c2430; --quiet: #566072;
 --line: #c9d0da; }
@media (prefers-color-scheme: dark) { :root { --back: #12161c; --card: #1b212a; --text: #e8ecf2;
 --quiet: #a3aebd; --line: #3a4553; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--back); color: var(--text);
 font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .8rem; } h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .7rem;
 padding: 1rem; margin: 0 0 1rem; }
.scroll { overflow-x: auto; } .scroll:focus-visible { outline: 3px solid #1d5fbf; }
svg.day { display: block; width: 100%; min-width: 44rem; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: var(--text); }
svg .axis { stroke: var(--line); } svg .hour, svg .row { fill: var(--quiet); }
svg rect.none { fill: var(--line); }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
 overflow-wrap: anywhere; vertical-align: top; }
th { color: var(--quiet); font-size: .85rem; white-space: nowrap; } .time { white-space: nowrap; }
.swatch { width: 1.6em; height: 1.1em; vertical-align: middle; margin-right: .5em; }
.bar { height: .6rem; border-radius: .3rem; background: var(--quiet); min-width: 1px; }
.quiet { color: var(--quiet); } summary { cursor: pointer; font-weight: 600; }
td.share { width: 40%; vertical-align: middle; }
@media (max-width: 50rem) { td.share, th.share { display: none; } th, td { padding: .35rem .3rem; }
}
"""


def written(day: Day) -> str:
    """Return the page of a day; names of activities are escaped."""
    styles = looks(day.activities)
    title = f"{day.date:%A}, {day.date.isoformat()}"
    body = "".join(_parts(day, styles)) if day.stretches else "<p>Nothing was seen on this day.</p>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="content-security-policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title} · Selectron</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{title}</h1>\n<main>{body}</main>\n</body>\n</html>\n"
    )


def _parts(day: Day, styles: dict[str, Look]) -> Iterator[str]:
    advice = f"<p>{escape(day.advice)}</p>" if day.advice else ""
    yield (
        '<section aria-labelledby="line"><h2 id="line">The day</h2>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="Timeline">{_svg(day, styles)}'
        f'</div><p class="quiet">{day.asked} asked, {day.answered} answered.</p>{advice}</section>'
    )
    yield '<section aria-labelledby="times"><h2 id="times">Time by activity</h2>'
    guessed = ", ".join(f"{_swatch(styles[name])}{escape(name)}" for name in day.guessed)
    alone = f'<p class="quiet">Predicted alone: {guessed}</p>' if guessed else ""
    yield f"<table>{''.join(_times(day, styles))}</table>{alone}</section>\n"
    yield "<section><details><summary>Every stretch</summary>"
    yield '<div class="scroll" tabindex="0" role="group" aria-label="Stretches"><table>'
    yield "<thead><tr><th>From</th><th>To</th>"
    yield "".join(f"<th>{row.capitalize()}</th>" for row in ROWS) + "</tr></thead>\n"
    yield "".join(_row(one) for one in day.stretches) + "</table></div></details></section>\n"


def _svg(day: Day, styles: dict[str, Look]) -> str:
    start, end = day.stretches[0].start, day.stretches[-1].end
    left, height = 90.0, TOP + len(ROWS) * (HEIGHT + GAP)
    scale = (WIDTH - left) / max(end - start, 1.0)
    drawn = [_patterns(), *_hours(start, end, left, scale, height)]
    for i, row in enumerate(ROWS):
        y = TOP + i * (HEIGHT + GAP)
        drawn.append(f'<text class="row" x="0" y="{y + HEIGHT / 2 + 4}">{row}</text>')
        for begun, ended, name in _runs(day.stretches, row):
            x, width = left + (begun - start) * scale, (ended - begun) * scale
            drawn.append(_box(x, y, width, name, styles, f"{clock(begun)} to {clock(ended)}"))
    label = "Timeline of predicted, declared and corrected activities; the tables below tell it too"
    return (
        f'<svg class="day" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">'
        f"{''.join(drawn)}</svg>"
    )


def _runs(stretches: list[Stretch], row: str) -> Iterator[tuple[float, float, str | None]]:
    """Yield stretches by what one row holds, those put together that go on with the same."""
    last: tuple[float, float, str | None] | None = None
    for one in stretches:
        name = getattr(one, row)
        if last and last[2] == name and one.start - last[1] <= 60:
            last = last[0], one.end, name
            continue
        if last:
            yield last
        last = one.start, one.end, name
    if last:
        yield last


def _box(x: float, y: float, width: float, name: str | None, styles: dict, when: str) -> str:
    if name is None:
        flat = (
            f'<rect class="none" x="{x:.1f}" y="{y + HEIGHT - 3}" width="{width:.1f}" height="3"/>'
        )
        return flat
    look, text = styles[name], escape(name)
    fits = name if len(name) * WIDE < width - 8 else name[: max(0, int((width - 8) / WIDE) - 1)]
    shown = escape(fits) + ("…" if 1 < len(fits) < len(name) else "")
    label = (
        f'<text x="{x + 5:.1f}" y="{y + HEIGHT / 2 + 4}" style="fill: {look.ink}">{shown}</text>'
        if len(fits) > 1
        else ""
    )
    fill = _fill(look)
    return (
        f'<g><title>{text}, {when}</title><rect x="{x:.1f}" y="{y}" width="{max(width, 0.6):.1f}" '
        f'height="{HEIGHT}" fill="{fill}"/>{label}</g>'
    )


def _fill(look: Look) -> str:
    if look.pattern == "solid":
        return look.colour
    return f"url(#{look.pattern}{COLOURS.index(look.colour)})"


def _patterns() -> str:
    marks = {
        "stripes": '<path d="M-2 2 L2 -2 M0 10 L10 0 M8 12 L12 8" stroke="#000"/>',
        "dots": '<circle cx="5" cy="5" r="1.8"/>',
        "bars": '<path d="M0 3 H10" stroke="#000" stroke-width="1.5"/>',
    }
    return "<defs>" + "".join(
        f'<pattern id="{name}{i}" width="10" height="10" patternUnits="userSpaceOnUse">'
        f'<rect width="10" height="10" fill="{colour}"/>{marks[name]}</pattern>'
        for name in PATTERNS[1:]
        for i, colour in enumerate(COLOURS)
    ) + "</defs>"  # fmt: skip


def _hours(start: float, end: float, left: float, scale: float, height: float) -> Iterator[str]:
    """Yield lines at whole hours, as many as there is room for."""
    every = next((n for n in (1, 2, 3, 4, 6) if 3600 * n * scale > 55), 6)
    moment = datetime.fromtimestamp(start).replace(minute=0, second=0, microsecond=0)
    while (time := moment.timestamp()) <= end:
        if time >= start and moment.hour % every == 0:
            x = left + (time - start) * scale
            yield f'<path class="axis" d="M{x:.1f} 18 V{height}"/>'
            yield f'<text class="hour" x="{min(x, WIDTH - 36):.1f}" y="13">{moment:%H:%M}</text>'
        moment = datetime.fromtimestamp((moment + timedelta(hours=1)).timestamp())


def _times(day: Day, styles: dict[str, Look]) -> Iterator[str]:
    seconds = day.seconds
    whole, most = sum(seconds.values()), max(seconds.values())
    yield '<thead><tr><th>Activity</th><th>Time</th><th>Share</th><th class="share"></th></tr>'
    yield "</thead>\n"
    for name in day.timed:
        took = seconds[name]
        yield (
            f'<tr><td>{_swatch(styles.get(name))}{escape(name)}</td><td class="time">{span(took)}'
            f'</td><td class="time">{took / whole:.0%}</td><td class="share">'
            f'<div class="bar" style="width: {100 * took / most:.1f}%"></div></td></tr>\n'
        )
    yield f'<tr><th>In all</th><th>{span(whole)}</th><th></th><th class="share"></th></tr>'


def _swatch(look: Look | None) -> str:
    if look is None:
        return ""
    return (
        '<svg class="swatch" viewBox="0 0 26 18" aria-hidden="true">'
        f'<rect width="26" height="18" rx="3" fill="{_fill(look)}"/></svg>'
    )


def _row(one: Stretch) -> str:
    cells = "".join(f"<td>{escape(name or '')}</td>" for name in one[2:])
    return (
        f'<tr><td class="time">{clock(one.start, True)}</td>'
        f'<td class="time">{clock(one.end, True)}</td>{cells}</tr>\n'
    )
