"""`selectron-desktop`: which project you work on, from ActivityWatch."""

import io
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selectron import SelectronError

from . import __version__
from .times import day_of, moment, shown, stated

if TYPE_CHECKING:
    from .saying import Saying


CONTEXT = {"help_option_names": ["-h", "--help"], "show_default": True}
UNDECLARED = """\
No activity is known: nothing was predicted, and these events are not predicted later. To learn from
them, import them into a new --home with --declarations, a CSV file (time, activity)."""
HOME: Any = click.Option(
    ["--home"],
    type=click.Path(file_okay=False, path_type=Path),
    envvar="SELECTRON_ACTIVITY",
    show_envvar=True,
    default=Path(click.get_app_dir("selectron")) / "activity",
    help="Folder for all data.",
)
SETTINGS: list[Any] = [
    click.Option(
        ["--titles"], type=click.Choice(["hashed", "plain", "dropped"]),
        help="How window titles are stored. Default: hashed, each word with a key.",
    ),
    click.Option(
        ["--threshold"], type=click.FloatRange(min=0),
        help="Threshold for an alarm's score. Default: the predictor's.",
    ),
    click.Option(["--budget"], help="The alarms that are allowed, or none. Default: 6/1d."),
]  # fmt: skip


class Program(click.Group):
    """Commands with --home, whose errors are reported in one sentence, with an exit code."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with the option --home."""
        cmd.params.append(HOME)
        super().add_command(cmd, name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; characters that its output's encoding does not have become "?"."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        with reported():
            return super().invoke(ctx)


@contextmanager
def reported() -> Iterator[None]:
    """Report an error in one sentence, and exit."""
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads the output any more: click exits quietly
    except (SelectronError, OSError, sqlite3.Error) as error:
        click.echo(f"selectron: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        click.echo("selectron: interrupted", err=True)
        sys.exit(130)  # as a shell reports Ctrl-C


@click.group(cls=Program, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="selectron-desktop")
def main() -> None:
    """Predict which project you work on, and ask about switches that were not declared.

    \b
        selectron-desktop declare "Write the thesis"
        selectron-desktop watch --web
        selectron-desktop report --html today.html
    """


@contextmanager
def saying(home: Path, new: bool = True) -> Iterator["Saying"]:
    """Open the journal for input; a running watch applies it."""
    from .journal import Journal
    from .saying import Saying

    with closing(Journal(home, new)) as journal:
        yield Saying(journal)


@main.command()
@click.argument("name")
@click.option("--since", help="A time: 14:05, 2024-05-01T14:05, or a duration: 20min, 1.5h.")
def declare(name: str, since: str | None, home: Path) -> None:
    """Declare that you work on NAME, from now on. A new activity is created.

    A declaration for the past is valid until the next one for a later time; it is learned.

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


@main.command()
@click.argument("name", required=False)
@click.option("--alarm", type=click.IntRange(min=1), help="Its number. Default: the latest.")
@click.option("--all", "every", is_flag=True, help="List older alarms too, as those of an import.")
@click.option("--since", help="When you really switched: 14:05, or a duration: 20min.")
def answer(name: str | None, alarm: int | None, every: bool, since: str | None, home: Path) -> None:
    """Answer which activity you worked on when an alarm was raised.

    Without NAME, the waiting questions are listed, with the numbers of their alarms. A second
    answer replaces the first.
    """
    from .asking import sentence

    now = time.time()
    with saying(home) as say:
        waiting = say.questions(now)
        if name is None:
            unanswered = say.unanswered()
            for question in unanswered if every else waiting:
                day = shown(question["since"]).partition(" ")[0]
                click.echo(f"{question['id']:>5}  {day}  {sentence(question)}")
            click.echo(f"{len(waiting)} waiting, {len(unanswered) - len(waiting)} older")
            return
        if alarm is None:
            if not waiting:
                raise SelectronError("No question waits: use --alarm; --all lists older ones.")
            alarm = waiting[0]["id"]
        entry = say.answer(alarm, name, now, None if since is None else moment(since, now))
    click.echo(f"Alarm {alarm}: {entry.body['activity']}")


@main.command("list")
def listed(home: Path) -> None:
    """List the activities; the declared one is marked with *."""
    with saying(home, new=False) as say:
        names = say.names()
    declared = names.declared[1] if names.declared else None
    for name, is_open in names.open.items():
        click.echo(f"{'*' if name == declared else ' '} {name}{'' if is_open else '  (closed)'}")


def add_change(what: str, arguments: tuple[str, ...], text: str) -> None:
    """Add a command that changes activities, by the method of `Saying` of this name."""

    def run(home: Path, **given: str) -> None:
        with saying(home) as say:
            getattr(say, what)(*(given[one] for one in arguments), time.time())

    params: list[Any] = [click.Argument([one]) for one in arguments]
    main.add_command(click.Command(what, params=params, callback=run, help=text))


add_change("create", ("name",), "Create the activity NAME.")
add_change("rename", ("old", "new"), "Rename the activity OLD to NEW.")
add_change("merge", ("old", "into"), "Merge the activity OLD into INTO.")
add_change("close", ("name",), "Close the activity NAME, until it is declared again.")


@main.command()
@click.argument("resource")
@click.argument("name", required=False)
def associate(resource: str, name: str | None, home: Path) -> None:
    """Associate RESOURCE with the activity NAME; without NAME, remove the association.

    Names of documents and folders are stored as those in titles are: hashed, by default.

    \b
        selectron-desktop associate site:example.org "Write the thesis"
    """
    from .home import resource_of

    with saying(home) as say:
        say.associate(resource_of(say.journal, resource), name, time.time())


@main.command()
@click.option("--day", "when", default="today", help="2024-05-01, or yesterday.")
@click.option("--html", "target", type=click.Path(dir_okay=False), help="Write one HTML file here.")
def report(when: str, target: str | None, home: Path) -> None:
    """Show a day: predictions, declarations, corrections, and the time of each activity."""
    from .journal import Journal
    from .page import written
    from .report import day, lines

    path = Path(target or "day.html")
    if path.suffix.lower() not in (".html", ".htm") or not path.parent.is_dir():
        raise click.BadParameter(f"{path}: must be an .html file in a folder that exists.")
    wanted = day_of(when)
    with closing(Journal(home, new=False)) as journal:
        found = day(journal, wanted)
    if target:
        path.write_text(written(found), encoding="utf-8")
        click.echo(f"The report is in {path}", err=True)
        return
    click.echo("\n".join(lines(found)))


@main.command("import", params=[*SETTINGS])
@click.argument("file", type=click.Path(dir_okay=False, exists=True))
@click.option(
    "--declarations", type=click.Path(dir_okay=False, exists=True),
    help="A CSV file of the declarations of that time: time, activity. Times are local, or "
    "have an offset such as +02:00.",
)  # fmt: skip
@click.option("--host", help="One of several computers. Default: the one with the most windows.")
def import_file(
    file: str, declarations: str | None, host: str | None, home: Path, **settings: str | float
) -> None:
    """Import the events of FILE, an export of either ActivityWatch server.

    Events before the latest known one are skipped: import first, then watch. The same file can be
    imported twice. Events in the future are skipped, too. Each declaration is imported once, for
    any time; if it comes after its events, it is learned for the last eight hours of them alone.
    """
    from .feed import read
    from .home import opened, titles_of
    from .watching import PUBLISHED

    said = list(stated(declarations)) if declarations else []
    session, stored = opened(home, **settings)
    with closing(session):
        events = read(file, titles_of(home, stored), host, lambda note: click.echo(note, err=True))
        new = [event for event in events if session.until < event.end <= session.clock()]
        if late := session.missed(events):
            skipped = f"Events before {shown(session.until)} were skipped ({late:,})"
            click.echo(f"{skipped}: the journal has later ones; use a new --home.", err=True)
        fresh = session.say.fresh(said, session.clock())
        for time, name in fresh:
            session.said("declare", name, time, session.clock())
        alarms = session.advance(new, new[-1].end if new else session.until)
        with session.thread:
            session.journal.keep(PUBLISHED, session.seq)  # the server needs no old predictions
        session.snapshot()
    hours = [(event.end - event.start) / 3600 for event in new if not event.away]
    counts = f"{len(hours):,} new events, {sum(hours):,.1f} hours of work, {len(alarms):,} alarms"
    click.echo(f"{counts}, {len(fresh):,} new declarations" if said else counts)
    if alarms:
        click.echo("selectron-desktop answer --all lists the alarms to answer.", err=True)
    elif not session.names.open:
        click.echo(UNDECLARED, err=True)


@main.command("watch", params=[*SETTINGS])
@click.option("--web", is_flag=True, help="Show the questions on a page on this computer.")
@click.option("--port", type=click.IntRange(0, 65_535), default=5650)
@click.option(
    "--ask", type=click.Choice(["auto", "desktop", "terminal", "none"]), default="auto",
    help="How questions reach you; auto: notifications, if they can be shown.",
)  # fmt: skip
@click.option("--server", help="ActivityWatch's address. Default: http://127.0.0.1:5600.")
@click.option("--host", help="One of the computers that the server knows. Default: this one.")
@click.option("--poll", type=click.IntRange(1, 3600), default=10, help="Seconds between requests.")
@click.option("--since", default="7d", help="In a new folder, use events since 20min, 2024-05-01.")
@click.option("--silent", is_flag=True, help="Write nothing to ActivityWatch.")
def watch(home: Path, **options: Any) -> None:
    """Predict live what you work on, and ask if you seem to have switched without a declaration.

    Events come from ActivityWatch on this computer; predictions and answers are written to two of
    its buckets. The same command continues from where it was interrupted. Ctrl-C ends it.
    """
    settings = {name: options[name] for name in ("budget", "threshold", "titles")}
    from .feed import Feed
    from .home import opened, titles_of, token_of
    from .server import Publisher, Server
    from .watching import Watch

    since = moment(options["since"], time.time())
    server = Server(options["server"])
    session, stored = opened(home, **settings)
    page = None
    try:
        feed = Feed(server, titles_of(home, stored), session.until or since, options["host"])
        if not session.until:
            click.echo(f"A new folder: using the server's events since {shown(since)} (--since).")
        publisher = None if options["silent"] else Publisher(server, options["host"])
        watching = Watch(session, feed, channels(session, **options), publisher, click.echo)
        if options["web"]:
            from .web import Page

            page = Page(session, token_of(home), options["port"], lambda: watching.trouble)
            click.echo(f"Open {page.url}")
        click.echo(f"Watching {server.address}; data are stored in {home}; Ctrl-C ends.")
        stop = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        watching.run(stop, options["poll"])
    finally:
        if page is not None:
            page.close()
        session.close()


def channels(session: Any, ask: str, web: bool, **options: Any) -> list[Any]:
    """Return the channels; auto: notifications or else, without a page, the terminal."""
    from .asking import Desktop, Terminal

    def answer(alarm: int, activity: str) -> None:
        session.said("answer", alarm, activity, session.clock())

    if ask == "desktop" or (ask == "auto" and Desktop.there()):
        return [Desktop(answer)]
    return [Terminal(answer)] if ask == "terminal" or (ask == "auto" and not web) else []
