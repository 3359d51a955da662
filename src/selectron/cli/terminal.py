"""A person in the terminal: the keys that answer, and the rows that are shown."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from enum import Enum
from typing import Any

import click

from ..data.cells import canonical
from ..engine.parameters import first_few
from . import ESCAPES, INTERRUPTED, echo, printable

KEYS = "Enter or y confirms · a digit chooses a class · n corrects · s skips · u undoes · q quits"
YES = ("y", "yes")
CONFIRM = ("\r", "\n", "y")
COMMANDS = ("s", "u", "q")
LETTERS = ("y", "n", *COMMANDS)  # that are keys
FIRST = (
    "No class is known yet: type the first label. The keys y, n, s, u and q are not labels; "
    "--classes q,s makes such names possible."
)
DIGITS = tuple("123456789")
LISTED = 40  # classes in a menu
SHOWN = 12  # columns shown, or features of largest magnitude
LIKE = 0.8  # how similar a class is that may be meant
WIDEST = 300  # characters of a value that are shown


class Command(Enum):
    """What a key may stand for, besides a label."""

    SKIP = "s"
    UNDO = "u"


def read_answer(proposal: Any, classes: list[Any], other: Callable[[], Any]) -> Any:
    """Read keys up to an answer; return its label, or Command.SKIP or UNDO.

    `other` asks for a label that is not the proposal; if it returns None, the keys go on. Raises
    EOFError to quit. While there is no proposal, the label of a first class is typed.
    """
    if proposal is None:
        return first_class()
    if classes:
        echo(f"  {menu(classes)}")
    while True:
        echo(f"  {proposal} ? ", nl=False)
        key = read_key()
        if key in CONFIRM:
            echo(proposal)
            return proposal
        names = {} if key in LETTERS else {canonical(name): name for name in classes}  # from a pipe
        if (label := choices(classes).get(key, names.get(key))) is not None:
            echo(label)
            return label
        if key in COMMANDS:
            return command(key)
        if key != "n":
            echo(f"\n  {key[:20]!r} is neither a key nor the digit of a class\n{KEYS}")
        elif (label := other()) is not None:
            return label


def first_class() -> Any:
    """Return a typed label while no class is known, or Command.SKIP or UNDO."""
    while True:
        text = read_line("label (s skips · u undoes · q quits)")
        if text in COMMANDS:
            return command(text)
        if text and text not in LETTERS:
            return canonical(text)
        echo(f"  {FIRST}")


def command(key: str) -> Command:
    """Return the command of a key, where undoing reports itself; raise EOFError to quit."""
    if key == "q":
        echo("quit", nl=False)
        raise EOFError
    found = Command(key)
    if found is Command.SKIP:
        echo("skipped")
    return found


def menu(classes: Sequence[Any]) -> str:
    """Return the classes with the digits that choose them; a class that is a digit is its own.

    >>> menu(["ham", "spam"]), menu([0, 1, 10])
    ('[1] ham  [2] spam', '0  1  10')
    """
    keys = {canonical(name): key for key, name in choices(classes).items()}
    names = [canonical(name) for name in classes]
    marked = [name if keys.get(name, name) == name else f"[{keys[name]}] {name}" for name in names]
    more = [f"and {len(names) - LISTED:,} more"] if len(names) > LISTED else []
    return "  ".join([*marked[:LISTED], *more]).translate(ESCAPES)


def choices(classes: Sequence[Any]) -> dict[str, Any]:
    """Return the classes that digits choose, by these: their own if any class is a digit.

    >>> choices(["ham", "spam"]), choices([0, 1, 10])
    ({'1': 'ham', '2': 'spam'}, {'0': 0, '1': 1, '10': 10})
    """
    named = {canonical(name): name for name in classes}
    if named.keys() & {"0", *DIGITS}:
        return {name: label for name, label in named.items() if name.isdigit()}
    return dict(zip(DIGITS, classes, strict=False))


def read_line(prompt: str, usual: str = "") -> str:
    """Return a typed line without the spaces around it; Enter alone is the `usual` one."""
    shown = printable(f"  {prompt} [{usual}]" if usual else f"  {prompt}")
    text = click.prompt(shown, default=usual, show_default=False).strip()
    if not sys.stdin.isatty():  # a terminal has shown it
        echo(text)
    return text


def read_label(
    prompt: str, classes: Sequence[Any], named: bool, usual: str = "", how: str = "--classes"
) -> Any:
    """Return a typed label, None to go back; from the third class on, a new one is confirmed.

    The beginning will do if no other class begins so, which is confirmed unless classes are named,
    as is a similar name. `how` names what makes keys possible as labels.
    """
    text, known = canonical(read_line(prompt, usual)), {canonical(name): name for name in classes}
    if not text or text in known:
        return known.get(text)
    begun = [name for name in known if name.lower().startswith(text.lower())]
    begun = [name for name in begun if name.lower() == text.lower()] or begun
    if named and len(begun) == 1:
        echo(f"  {begun[0]}")
        return known[begun[0]]
    if text in LETTERS:
        echo(f"  {text!r} is a key: {how} makes it possible as a label")
        return None
    for near in begun if len(begun) == 1 else get_close_matches(text, known, 1, LIKE):
        if read_line(f"{text!r} is no class: is it {near!r}? [Y/n]").lower() in ("", *YES):
            return known[near]
    kind = type(classes[0]) if len(classes) else str
    try:
        label = kind(text) if kind in (str, int, float) else None
    except ValueError:
        label = None
    if label is None:
        echo(f"  {text!r} is no {kind.__name__}, as the other classes are")
    if len(known) < 2 or label is None:
        return label
    new = "a new class, which --classes does not name" if named else "a new class"
    return label if read_line(f"{text!r} is {new}: add it? [y/N]").lower() in YES else None


def class_counts(counts: Counter[str], classes: Any) -> str:
    """Return how many labels each class has, the most frequent first.

    >>> class_counts(Counter(ok=3), ["hate", "ok"])
    "By class: ok 3; none of 'hate'."
    """
    found = [f"{name} {n:,}" for name, n in counts.most_common(SHOWN)]
    if (more := len(counts) - SHOWN) > 0:
        found.append(f"{more:,} more")
    without = [name for name in map(canonical, classes) if not counts[name]]
    rest = f"; none of {first_few(without)}" if without else ""
    return f"By class: {', '.join(found)}{rest}."


def add_class(estimator: Any, label: Any) -> Any:
    """Return a label, after adding it to the classes of an estimator where these are named."""
    if estimator.named_ and label not in (known := estimator.classes_.tolist()):
        named = known if estimator.classes is None else [*estimator.classes]
        estimator.set_params(classes=[*dict.fromkeys([*known, *named, label])])
    return label


def until_quit(ask: Callable[[], None]) -> int | None:
    """Call a function that asks; return None if it ends by itself, else the exit code."""
    try:
        ask()
    except (KeyboardInterrupt, EOFError, click.Abort) as end:
        echo()
        cause = end.__context__ if isinstance(end, click.Abort) else end  # of a prompt
        return INTERRUPTED if isinstance(cause, KeyboardInterrupt) else 0
    return None


def read_key() -> str:
    """Return the next key, or the next line of a pipe; raise EOFError at its end."""
    if sys.stdin.isatty():
        key = click.getchar()  # raises KeyboardInterrupt for Ctrl-C
    else:
        line = sys.stdin.readline()
        key = line.strip() or line[-1:]  # an empty line is Enter
    if key in ("\x04", ""):
        raise EOFError
    return key


def row_texts(
    row: dict[str, Any], names: Sequence[str] = (), hidden: str | None = None
) -> list[str]:
    """Return columns and values of a row that are not blank: those of `names`, by default all.

    >>> row_texts({"alcohol": 13.2, "hue": None, "name": "Ida"})
    ['alcohol: 13.2', 'name: Ida']
    """
    values = {name: row.get(name) for name in names or row if name != hidden}
    some = {name: value for name, value in values.items() if value is not None}
    return [f"{name.translate(ESCAPES)}: {cell_text(x, bool(names))}" for name, x in some.items()]


def cell_text(value: Any, whole: bool) -> str:
    """Return a value as a person sees it: cut with a mark, unless it is wanted whole.

    Further lines are marked, and characters that could hide or move others are escaped.

    >>> cell_text(1.5, False), cell_text("x" * 400, False)[-3:], len(cell_text("x" * 400, True))
    ('1.5', 'xx…', 400)
    >>> print(cell_text("free" + chr(13) + " gift" + chr(10) + "spam ?", True))
    free\\u000d gift
      | spam ?
    """
    text = str(value).replace("\r\n", "\n")
    cut = text if whole or len(text) <= WIDEST else text[: WIDEST - 1] + "…"
    return "\n  | ".join(line.translate(ESCAPES) for line in cut.split("\n"))
