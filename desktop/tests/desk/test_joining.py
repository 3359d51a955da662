"""Whatever mess watchers send: one stream, in order, without overlaps, the same however it came."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from selectron_desktop.joining import CELL, Joiner, Raw, Span, flattened, front
from selectron_desktop.naming import HIDDEN, Seen
from selectron_desktop.windows import Event

MOMENTS = st.integers(0, 400_000).map(lambda k: k / 1000)
LENGTHS = st.one_of(st.just(0.0), st.integers(1, 200_000).map(lambda k: k / 1000))
SEEN = {
    "window": [
        Seen("application:a", ("x",)), Seen("application:b"), Seen("application:f", (), "firefox")
    ],
    "afk": [Seen("", (), "away"), Seen("", (), "here")],
    "web:firefox": [Seen("site:example.org", ("y",)), Seen("", (), HIDDEN)],
    "editor": [Seen("project:p")],
}  # fmt: skip


@st.composite
def raws(draw):
    layer = draw(st.sampled_from(list(SEEN)))
    start = draw(MOMENTS)
    end = round(start + draw(LENGTHS), 3)
    return Raw(start, end, layer, draw(st.sampled_from(SEEN[layer])))


def joined(*portions, until=1200.0):
    joiner = Joiner()
    for portion in portions:
        joiner.feed(portion)
    return joiner.take(until)


def shown(found, moment):
    """Return what a list of raw events shows at a moment, by its definition."""
    layers = {}
    stay = {"window": 0.0, "afk": 0.0, "web:firefox": 75.0, "editor": 60.0}
    for start, end, layer, seen in found:
        end = max(end + stay[layer], start + (layer == "window"))
        if start <= moment < end:
            layers[layer] = max(layers.get(layer, (-1.0, 0.0, seen)), (start, end, seen))
    return front({layer: seen for layer, (_, _, seen) in layers.items()})


@given(st.lists(raws(), max_size=25), st.randoms())
def test_any_mess_gives_one_stream(found, random):
    stream = joined(found)
    assert all(isinstance(event, Event) and event.start < event.end for event in stream)
    assert all(a.end <= b.start for a, b in itertools.pairwise(stream))
    assert all(event.start // CELL == (event.end - 1e-6) // CELL for event in stream)
    young = [raw._replace(end=round((raw.start + raw.end) / 2, 3)) for raw in found]
    mess = [*found, *random.sample(found, len(found) // 2), *young]
    random.shuffle(mess)
    assert joined(mess[::2], mess[1::2]) == stream


@given(st.lists(raws(), max_size=15), st.lists(MOMENTS, min_size=1, max_size=8))
def test_the_stream_is_what_was_in_front(found, moments):
    stream = joined(found)
    for moment in moments:
        events = [event for event in stream if event.start <= moment < event.end]
        seen = shown(found, moment)
        assert [(e.resource, e.words) for e in events] == ([seen[:2]] if seen else [])


@given(st.lists(raws(), max_size=20), st.lists(st.floats(0, 900), max_size=6))
def test_growth_and_portions_change_nothing(found, times):
    """Events that began are known as far as they have grown; what is given stays as it is."""
    whole = joined(found)
    joiner = Joiner()
    stream = []
    for time in sorted(times):
        known = [raw._replace(end=min(raw.end, time)) for raw in found if raw.start < time]
        joiner.feed(known)
        joiner.feed(reversed(known))
        stream += joiner.take(time)
    joiner.feed(found)
    stream += joiner.take(1200.0)
    assert stream == whole


@given(st.lists(st.builds(Span, MOMENTS, MOMENTS, st.sampled_from("abc")), max_size=20))
def test_what_is_flat_stays_flat(spans):
    flat = flattened(spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(flat))
    assert flattened(flat) == flat
    assert flattened(reversed([*flat, *flat])) == flat


def window(app, where=""):
    return Seen(f"application:{app}", ("title",), where)


def test_what_is_in_front():
    tab, hidden = Seen("site:example.org"), Seen("", (), HIDDEN)
    project = Seen("project:thesis", ("a",))
    browser, editor = window("firefox", "firefox"), window("vim", "editor")
    assert front({"window": browser, "web:firefox": tab}) == tab
    assert front({"window": browser, "web:chrome": tab}) == browser
    assert front({"window": browser, "web:firefox": hidden}) is None
    assert front({"window": window("word"), "web:firefox": tab}) == window("word")
    assert front({"window": editor, "editor": project}).words == ("a", "title")
    assert front({"window": window("word"), "editor": project}) == window("word")
    assert front({"afk": Seen("", (), "away"), "window": browser}) == Seen("")
    assert front({"afk": Seen("", (), "here"), "window": browser}) == browser
    assert front({"web:firefox": tab}) is None
