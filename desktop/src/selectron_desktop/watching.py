"""The loop: predict what has become final, ask questions, and publish predictions and answers."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from .asking import Channel
from .feed import Feed
from .saying import Names
from .server import ANSWERS, PREDICTIONS, Absent, Publisher
from .session import Session

WRONG = 3600.0  # seconds by which a clock that is set back must have been ahead; less is waited for
LATE = 900.0  # seconds after which a question is not worth an interruption any more
PUBLISHED = "published"  # the journal's setting: the last entry that the server has


class Watch:
    """Polls a server, and continues from where it was after a pause of either.

    `report` gets messages, `channels` get questions; without a `publisher`, nothing is sent.
    """

    def __init__(
        self,
        session: Session,
        feed: Feed,
        channels: Sequence[Channel] = (),
        publisher: Publisher | None = None,
        report: Callable[[str], Any] = print,
        clock: Callable[[], float] = time.time,
    ):
        self.session, self.feed, self.channels = session, feed, channels
        self.publisher, self.report, self.clock = publisher, report, clock
        self.trouble: str | None = None

    def run(self, stop: threading.Event, pause: float) -> None:
        """Poll every `pause` seconds until `stop` is set."""
        while not stop.is_set():
            if not self.step():
                stop.wait(pause)

    def step(self) -> bool:
        """Poll once; return whether the server has more events."""
        now = self.clock()
        if self.feed.until > now + WRONG:  # otherwise nothing would be read until that time
            self.session.said("set_back", now)
            self.feed.set_back(now)
            self.report("The clock was ahead: continuing from now.")
        before = self.feed.until
        try:
            events, until = self.feed.poll(now)
            self._set_trouble(None)
        except Absent as error:
            self._set_trouble(str(error))
            self.session.catch_up()
            return False
        for alarm in self.session.advance(events, until):
            if self.clock() - alarm.time < LATE:
                for channel in self.channels:
                    channel.ask(alarm._asdict())
        if self.publisher is not None:
            try:
                publish(self.session, self.publisher)
            except Absent as error:
                self._set_trouble(str(error))
        return until - before > LATE

    def _set_trouble(self, trouble: str | None) -> None:
        """Report a change: what is wrong, or that it is over."""
        if trouble != self.trouble:
            self.report(f"{trouble} Trying again." if trouble else "ActivityWatch is back.")
        self.trouble = trouble


def publish(session: Session, publisher: Publisher) -> None:
    """Send new predictions and answers to the server; raises Absent if it is not there."""
    with session.thread:
        journal = session.journal
        entries = list(journal.after(journal.setting(PUBLISHED) or 0))
        if not entries:
            return
        names = session.names
        alarms = {entry.body["id"]: entry.body for entry in journal.of("alarm")}
    for entry in entries:
        _publish(entry, names, alarms, publisher)
        with session.thread:  # after each: only the last one may be sent twice, and that merges
            journal.keep(PUBLISHED, entry.seq)


def _publish(entry: Any, names: Names, alarms: dict[int, Any], publisher: Publisher) -> None:
    body = entry.body
    activity = names.now(body.get("activity"), entry.seq)
    if entry.kind == "cell" and activity:
        publisher.send(PREDICTIONS, body["events"][0][0], entry.time, activity)
    elif entry.kind == "answer" and activity:
        since = alarms[body["alarm"]]["since"] if body["time"] is None else body["time"]
        publisher.send(ANSWERS, since, entry.time, activity)
