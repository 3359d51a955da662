"""`selectron activity watch`: live, with questions."""

import signal
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from .common import at_home, reported
from .declare import moment
from .options import of_predictor


@click.command()
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
@at_home
@of_predictor
@reported
def watch(home: Path, **options: Any) -> None:
    """Predict live what you work on, and ask when you seem to have switched without saying so.

    Events come from ActivityWatch on this computer; predictions and answers go back to buckets of
    their own there. Everything is kept in one folder, and the same command goes on where it was.
    Ctrl-C ends.
    """
    settings = {name: options[name] for name in ("budget", "threshold", "titles")}
    from ...activity.desk.home import opened, titles_of, token_of
    from ...activity.desk.watching import Watch
    from ...activity.watcher.feed import Feed
    from ...activity.watcher.server import Server
    from ...activity.watcher.telling import Telling

    since = moment(options["since"], time.time())
    server = Server(options["server"])
    session, settled = opened(home, **settings)
    page = None
    try:
        feed = Feed(server, titles_of(home, settled), session.until or since, options["host"])
        if not session.until:
            begun = f"{datetime.fromtimestamp(since):%Y-%m-%d %H:%M}"
            click.echo(f"A new folder: beginning with what the server has since {begun} (--since).")
        telling = None if options["silent"] else Telling(server, options["host"])
        watching = Watch(session, feed, channels(session, **options), telling, click.echo)
        if options["web"]:
            from ...activity.desk.web import Page

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
    from ...activity.desk.asking import Desktop, Terminal

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
