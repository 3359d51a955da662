"""The folder in which everything is stored, and the settings that are fixed when it is created."""

import base64
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from selectron import SelectronError

from .journal import Journal
from .naming import Titles, resource, secret
from .session import Session


class Settings(NamedTuple):
    """The settings of a folder. They are fixed: the journal would have another result."""

    threshold: float  # for the score of an alarm
    budget: str = "6/1d"  # of alarms
    titles: str = "hashed"  # "hashed", "plain" or "dropped"
    midnight: float = 0.0  # when the budget's days begin, in seconds of UTC


def settled(journal: Journal, make: Callable[[Settings], Any], **given: Any) -> Settings:
    """Return the settings of a folder; in a new folder, the given ones are stored.

    Raises SelectronError if they differ from the stored ones, or `make` refuses new ones.
    """
    from .predictor import THRESHOLD

    wanted = {name: value for name, value in given.items() if value is not None}
    with journal.writing():
        kept = journal.setting("settings")
        if kept is None:
            midnight = -time.localtime().tm_gmtoff % 86_400.0
            start = {"threshold": THRESHOLD, "midnight": midnight}
            make(new := Settings(**{**start, **wanted}))
            kept = new._asdict()
            journal.keep("settings", kept)
    for name, value in wanted.items():
        if kept[name] != value:
            raise SelectronError(
                f"{journal.path.parent} was created with {name} {kept[name]!r}, not {value!r}: use "
                "another --home, or omit the option."
            )
    return Settings(**kept)


def opened(home: Path, **given: Any) -> tuple[Session, Settings]:
    """Return the session of a folder, which is created with these settings if it is new."""
    from .predictor import ActivityPredictor

    def make(settings: Settings) -> Any:
        start: Any = {"threshold": settings.threshold, "midnight": settings.midnight}
        return ActivityPredictor(budget=budget_of(settings.budget), random_state=0, **start)

    with closing(Journal(home)) as journal:
        settings = settled(journal, make, **given)
    return Session(home, lambda: make(settings), ActivityPredictor.load), settings


def budget_of(text: str) -> Any:
    """Return a budget that is written as text, None for "none"; raises SelectronError."""
    from selectron.askers import Budget

    return None if text == "none" else Budget.parse(text)


def titles_of(home: Path, settings: Settings) -> Titles:
    """Return how titles are stored, with the key of this folder."""
    return Titles(settings.titles, secret(home / "key") if settings.titles == "hashed" else b"")


def resource_of(journal: Journal, text: str) -> str:
    """Return a resource that the user names, as this folder stores it.

    Raises SelectronError if it is none, or depends on settings that the folder does not have yet.
    """
    kept, home = journal.setting("settings"), journal.path.parent
    if kept is not None:
        return resource(text, titles_of(home, Settings(**kept)))
    if text.strip().startswith(("document:", "folder:")):
        raise SelectronError(
            f"{home} does not define yet how names from titles are stored: run selectron-desktop "
            "watch or import first."
        )
    return resource(text, Titles("dropped"))


def token_of(home: Path) -> str:
    """Return the token that the page's requests need; only the folder's owner can read it."""
    return base64.urlsafe_b64encode(secret(home / "token")).decode().rstrip("=")
