"""The loop: what has become final is predicted, what is to be asked is asked, and told back."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from .asking import Channel
from .feed import Feed
from .saying import Names
from .server import Absent, Telling
from .session import Session

WRONG = 3600.0  # seconds by which a clock must have been ahead to go back: less passes by itself
LATE = 900.0  # seconds after which a question is not worth an interruption any more


class Watch:
    """Polls a server, and goes on where it was: whether it or the server was away meanwhile.

    `say` tells a person how things stand, `channels` ask; `telling` tells the server, None not to.
    """

    def __init__(
        self,
        session: Session,
        feed: Feed,
        channels: Sequence[Channel] = (),
        telling: Telling | None = None,
        say: Callable[[str], Any] = print,
        clock: Callable[[], float] = time.time,
    ):
        self.session, self.feed, self.channels = session, feed, channels
        self.telling, self.say, self.clock = telling, say, clock
        self.trouble: str | None = None

    def run(self, stop: threading.Event, pause: float) -> None:
        """Poll every `pause` seconds until `stop` is set."""
        while not stop.is_set():
            if not self.step():
                stop.wait(pause)

    def step(self) -> bool:
        """Poll once; return whether there is more to be had at once."""
        now = self.clock()
        if self.feed.until > now + WRONG:
            self._set_back(now)
        before = self.feed.until
        try:
            events, until = self.feed.poll(now)
            self._well(None)
        except Absent as error:
            self._well(str(error))
            self.session.catch_up()
            return False
        for alarm in self.session.advance(events, until):
            self._ask(alarm)
        if self.telling is not None:
            try:
                tell(self.session, self.telling)
            except Absent as error:
                self._well(str(error))
        return until - before > LATE

    def _set_back(self, now: float) -> None:
        """Go on from now, though what has been seen is later: else nothing would be until then."""
        self.session.said("set_back", now)
        self.feed.set_back(now)
        self.say("The clock had been ahead: going on from now.")

    def _ask(self, alarm: Any) -> None:
        if self.clock() - alarm.time < LATE:
            for channel in self.channels:
                channel.ask(alarm._asdict())

    def _well(self, trouble: str | None) -> None:
        """Tell what is wrong, and that it is not any more; once each."""
        if trouble != self.trouble:
            self.say(f"{trouble} Trying again." if trouble else "ActivityWatch is back.")
        self.trouble = trouble


def tell(session: Session, telling: Telling) -> None:
    """Tell the server what it has not been told yet; raises Absent where it is not there."""
    with session.thread:
        journal = session.journal
        entries = list(journal.after(journal.setting("told") or 0))
        if not entries:
            return
        names = session.names
        alarms = {entry.body["id"]: entry.body for entry in journal.of("alarm")}
    for entry in entries:
        _told(entry, names, alarms, telling)
        with session.thread:  # after each: only the last one, told again, merges with itself
            journal.keep("told", entry.seq)


def _told(entry: Any, names: Names, alarms: dict[int, Any], telling: Telling) -> None:
    body = entry.body
    activity = names.now(body.get("activity"), entry.seq)
    if entry.kind == "cell" and activity:
        telling.predicted(body["events"][0][0], entry.time, activity)
    elif entry.kind == "answer" and activity:
        since = alarms[body["alarm"]]["since"] if body["time"] is None else body["time"]
        telling.answered(since, entry.time, activity)
