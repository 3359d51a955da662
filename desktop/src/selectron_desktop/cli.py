"""`selectron-desktop`: which project one is working on, from ActivityWatch."""

import json
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selectron import SelectronError

from . import __version__
from .times import day_of, moment, shown, stated

if TYPE_CHECKING:
    from .saying import Saying


INTERRUPTED = 130  # the exit code with which a shell reports Ctrl-C
UNDECLARED = """\
No activity is known, so nothing can be predicted: give the same file again with --declarations,
a CSV file with the columns time and activity."""
HOME: Any = click.Option(
    ["--home"],
    type=click.Path(file_okay=False, path_type=Path),
    envvar="SELECTRON_ACTIVITY",
    default=lambda: Path(click.get_app_dir("selectron")) / "activity",
    help="Where everything is kept. Default: a folder of the user's, or SELECTRON_ACTIVITY.",
)
BEGUN: list[Any] = [
    click.Option(
        ["--titles"], type=click.Choice(["hashed", "plain", "dropped"]),
        help="What is kept of windows' titles. Default: their words, hashed under a key.",
    ),
    click.Option(
        ["--threshold"], type=click.FloatRange(min=0),
        help="What an alarm's score must reach. Default: the predictor's own.",
    ),
    click.Option(["--budget"], help="The alarms that are allowed, or none. Default: 6/1d"),
]  # fmt: skip


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="selectron-desktop")
def main() -> None:
    """Predict which project one is working on, and notice switches that were not declared.

    \b
        selectron-desktop declare "Write the thesis"
        selectron-desktop watch --web
        selectron-desktop report --html today.html
    """


def of_home(name: str | None = None, *options: Any) -> Callable[[Callable], click.Command]:
    """Make a function a command with these options, and --home; errors are one sentence."""

    def made(function: Callable) -> click.Command:
        command = main.command(name)(reported(function))
        command.params += [*options, HOME]
        return command

    return made


def reported(command: Callable[..., Any]) -> Callable[..., None]:
    """Have what goes wrong in a command reported in one sentence, with the exit code for it."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except (SelectronError, OSError, sqlite3.Error) as error:
            _end(str(error))
        except KeyboardInterrupt:
            _end("interrupted", INTERRUPTED)

    return run


def _end(message: str, code: int = 1) -> None:
    click.echo(f"selectron: {message}", err=True)
    sys.exit(code)


@contextmanager
def saying(home: Path) -> Iterator["Saying"]:
    """Open the journal, to write what is said: a watch that runs takes it up."""
    from .journal import Journal
    from .saying import Saying

    journal = Journal(home)
    try:
        yield Saying(journal)
    finally:
        journal.close()


@of_home()
@click.argument("name")
@click.option("--since", help="When that began: 14:05, 2024-05-01T14:05, or ago: 20min, 1.5h.")
def declare(name: str, since: str | None, home: Path) -> None:
    """Say that you work on NAME, from now on. An activity that is new is created.

    What is declared for the past holds until what has been said to begin later, and is learned.

    \b
        selectron-desktop declare "Write the thesis"
        selectron-desktop declare mail --since 20min
    """
    now = time.time()
    with saying(home) as say:
        entry = say.declare(name, now if since is None else moment(since, now), now)
        said = say.names().said.statements
    until = next((f", until {shown(one.time)}" for one in said if one.time > entry.time), "")
    click.echo(f"{entry.body['activity']}, since {shown(entry.time)}{until}")


@of_home()
@click.argument("name", required=False)
@click.option("--alarm", type=int, help="The number of the alarm. Default: the latest that waits.")
@click.option("--all", "every", is_flag=True, help="List older alarms too, as those of an import.")
@click.option("--since", help="When the switch really was: 14:05, or ago: 20min.")
def answer(name: str | None, alarm: int | None, every: bool, since: str | None, home: Path) -> None:
    """Say what you were working on when an alarm was raised: the predicted activity, or another.

    Without NAME, the questions that wait are listed, with the numbers of their alarms. Answering
    again corrects.
    """
    from .asking import sentence

    now = time.time()
    with saying(home) as say:
        waiting = say.questions(now)
        if name is None:
            unanswered = say.unanswered()
            for question in unanswered if every else waiting:
                click.echo(f"{question['id']:>5}  {_day(question)}  {sentence(question)}")
            click.echo(f"{len(waiting)} waiting, {len(unanswered) - len(waiting)} older")
            return
        if alarm is None:
            if not waiting:
                raise SelectronError("No question waits: give --alarm; --all lists older ones.")
            alarm = waiting[0]["id"]
        entry = say.answer(alarm, name, now, None if since is None else moment(since, now))
    click.echo(f"Alarm {alarm}: {entry.body['activity']}")


def _day(question: dict[str, Any]) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(question["since"]))


@of_home("list")
@click.option("--json", "as_json", is_flag=True, help="Print the activities as JSON.")
def listed(as_json: bool, home: Path) -> None:
    """List the activities; the one that is declared has a mark."""
    with saying(home) as say:
        names = say.names()
    declared = names.declared[1] if names.declared else None
    found = [
        {"activity": name, "open": is_open, "declared": name == declared}
        for name, is_open in names.open.items()
    ]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for one in found:
        mark = "*" if one["declared"] else " "
        click.echo(f"{mark} {one['activity']}{'' if one['open'] else '  (closed)'}")


def change(what: str, arguments: tuple[str, ...], text: str) -> click.Command:
    """Return a command that changes activities: a method of `Saying` with these arguments."""

    @reported
    def run(home: Path, **given: str) -> None:
        with saying(home) as say:
            getattr(say, what)(*(given[one] for one in arguments), time.time())

    params = [*(click.Argument([one]) for one in arguments), HOME]
    return click.Command(what, params=params, callback=run, help=text)


for changed in (
    ("create", ("name",), "Create the activity NAME."),
    ("rename", ("old", "new"), "Give the activity OLD the name NEW."),
    ("merge", ("old", "into"), "Make the activity OLD part of INTO."),
    ("close", ("name",), "Close the activity NAME, until it is declared again."),
):
    main.add_command(change(*changed))


@of_home()
@click.argument("resource")
@click.argument("name", required=False)
def associate(resource: str, name: str | None, home: Path) -> None:
    """Say that RESOURCE belongs to the activity NAME; without NAME, that it belongs to none.

    The names of documents and folders are kept as those in titles are: hashed, unless settled
    otherwise.

    \b
        selectron-desktop associate site:example.org "Write the thesis"
    """
    from .home import resource_of

    with saying(home) as say:
        say.associate(resource_of(say.journal, resource), name, time.time())


@of_home()
@click.option("--day", "when", default="today", show_default=True, help="2024-05-01, or yesterday.")
@click.option("--html", "target", type=click.Path(dir_okay=False), help="Write one HTML file here.")
@click.option("--plain", is_flag=True, help="Print without colours.")
def report(when: str, target: str | None, plain: bool, home: Path) -> None:
    """Show a day: what was predicted, declared and corrected, and the time of each activity."""
    from .journal import Journal
    from .page import written
    from .report import day, lines

    if target and (
        Path(target).suffix not in (".html", ".htm") or not Path(target).parent.is_dir()
    ):
        raise click.BadParameter(
            f"{target}: must end in .html, in a folder that exists.", param_hint="--html"
        )
    wanted = day_of(when)
    journal = Journal(home)
    try:
        found = day(journal, wanted)
    finally:
        journal.close()
    if target:
        Path(target).write_text(written(found), encoding="utf-8")
        click.echo(f"The report is in {target}", err=True)
        return
    colourless = plain or not sys.stdout.isatty() or "NO_COLOR" in os.environ
    for line in lines(found, colourless):
        click.echo(line, color=not colourless)


@of_home("import", *BEGUN)
@click.argument("file", type=click.Path(dir_okay=False, exists=True))
@click.option(
    "--declarations",
    type=click.Path(dir_okay=False, exists=True),
    help="A CSV file of what was declared meanwhile: time, activity.",
)
@click.option("--host", help="The computer, where there are several. Default: the busiest.")
def take_up(
    file: str, declarations: str | None, host: str | None, home: Path, **settings: str | float
) -> None:
    """Take up the events of FILE, an export of ActivityWatch, after those that are known.

    Either server's export will do. What is from before the latest that is known is passed over, so
    that the same file can be given twice; so is what is said to be of the future. Declarations are
    taken up once each, of whatever time: they may come after the events.
    """
    from .feed import read
    from .home import opened, titles_of
    from .saying import sound

    said = [(time, sound(name)) for time, name in stated(declarations)] if declarations else []
    session, settled = opened(home, **settings)
    try:
        events = read(file, titles_of(home, settled), host, lambda note: click.echo(note, err=True))
        new = [event for event in events if session.until < event.end <= session.clock()]
        fresh = session.say.fresh(said, session.clock())
        for time, name in fresh:
            session.said("declare", name, time, session.clock())
        alarms = session.advance(new, new[-1].end if new else session.until)
        with session.thread:
            session.journal.keep("told", session.seq)  # the server has no use for what is past
        session.snapshot()
    finally:
        session.close()
    lengths = [event.end - event.start for event in new if not event.away]
    hours = sum(lengths) / 3600
    counts = f"{len(lengths):,} new events, {hours:,.1f} hours of work, {len(alarms):,} alarms"
    click.echo(f"{counts}, {len(fresh):,} new declarations" if said else counts)
    if alarms:
        click.echo("selectron-desktop answer --all lists the alarms to answer.", err=True)
    elif not session.names.open:
        click.echo(UNDECLARED, err=True)


@of_home("watch", *BEGUN)
@click.option("--web", is_flag=True, help="Serve the questions on a page of this computer.")
@click.option("--port", type=click.IntRange(0, 65_535), default=5650, show_default=True)
@click.option(
    "--ask",
    type=click.Choice(["auto", "desktop", "terminal", "none"]),
    default="auto",
    show_default=True,
    help="How questions reach you; auto: on the desktop, where it can show them.",
)
@click.option("--server", help="ActivityWatch's address. Default: that of aw-client's settings.")
@click.option("--host", help="The computer, where the server knows several. Default: this one.")
@click.option(
    "--poll",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    show_default=True,
    help="Seconds between two looks at ActivityWatch.",
)
@click.option(
    "--since",
    default="7d",
    show_default=True,
    help="In a new folder: from when on to take up what the server has: 20min, 7d, 2024-05-01.",
)
@click.option("--silent", is_flag=True, help="Write nothing to ActivityWatch.")
def watch(home: Path, **options: Any) -> None:
    """Predict live what you work on, and ask when you seem to have switched without saying so.

    Events come from ActivityWatch on this computer; predictions and answers go back to buckets of
    their own there. Everything is kept in one folder, and the same command goes on where it was.
    Ctrl-C ends.
    """
    settings = {name: options[name] for name in ("budget", "threshold", "titles")}
    from .feed import Feed
    from .home import opened, titles_of, token_of
    from .server import Server, Telling
    from .watching import Watch

    since = moment(options["since"], time.time())
    server = Server(options["server"])
    session, settled = opened(home, **settings)
    page = None
    try:
        feed = Feed(server, titles_of(home, settled), session.until or since, options["host"])
        if not session.until:
            click.echo(
                f"A new folder: beginning with what the server has since {shown(since)} (--since)."
            )
        telling = None if options["silent"] else Telling(server, options["host"])
        watching = Watch(session, feed, channels(session, **options), telling, click.echo)
        if options["web"]:
            from .web import Page

            page = Page(session, token_of(home), options["port"], lambda: watching.trouble)
            click.echo(f"Open {page.url}")
        click.echo(f"Watching {server.address}; everything is kept in {home}; Ctrl-C ends.")
        watching.run(stopping(), options["poll"])
    finally:
        if page is not None:
            page.close()
        session.close()


def channels(session: Any, ask: str, web: bool, **options: Any) -> list[Any]:
    """Return the channels that are wanted; auto: the desktop's or, without a page, the terminal."""
    from .asking import Desktop, Terminal

    def answer(alarm: int, activity: str) -> None:
        session.said("answer", alarm, activity, session.clock())

    if ask == "desktop" or (ask == "auto" and Desktop.there()):
        return [Desktop(answer)]
    return [Terminal(answer)] if ask == "terminal" or (ask == "auto" and not web) else []


def stopping() -> threading.Event:
    """Return what is set when the process is asked to end; Ctrl-C interrupts it as usual."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return stop
