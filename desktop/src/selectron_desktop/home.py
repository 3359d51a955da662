"""The folder in which everything is kept, and how it was begun."""

import base64
import time
from pathlib import Path
from typing import Any, NamedTuple

from selectron import SelectronError

from .journal import Journal
from .naming import Titles, resource, secret
from .session import Session

BUDGET = "6/1d"


class Settings(NamedTuple):
    """How a folder was begun, which stays: the journal would not play again under others."""

    threshold: float  # what the score of an alarm must reach
    budget: str = BUDGET  # the interruptions that are allowed
    titles: str = "hashed"  # "hashed", "plain" or "dropped"
    midnight: float = 0.0  # when days begin there, in seconds of UTC: the budget's do so


def settled(journal: Journal, **given: Any) -> Settings:
    """Return a folder's settings; the first to ask settles those that are given.

    Raises SelectronError if others have been settled before.
    """
    from .predictor import THRESHOLD

    wanted = {name: value for name, value in given.items() if value is not None}
    with journal.writing():
        kept = journal.setting("settings")
        if kept is None:
            start = {"threshold": THRESHOLD, "midnight": midnight()}
            kept = Settings(**{**start, **wanted})._asdict()
            journal.keep("settings", kept)
    for name, value in wanted.items():
        if kept[name] != value:
            raise SelectronError(
                f"{journal.path.parent} was begun with {name} {kept[name]!r}, not {value!r}: give "
                "another --home, or leave it out."
            )
    return Settings(**kept)


def midnight() -> float:
    """Return when days begin in local time, in seconds of UTC."""
    return -time.localtime().tm_gmtoff % 86_400.0


def opened(home: Path, **given: Any) -> tuple[Session, Settings]:
    """Return the session of a folder, begun with these settings if it is new."""
    from .predictor import ActivityPredictor

    budget_of(given.get("budget") or BUDGET)
    journal = Journal(home)
    try:
        settings = settled(journal, **given)
    finally:
        journal.close()

    def make() -> Any:
        return ActivityPredictor(
            threshold=settings.threshold,
            budget=budget_of(settings.budget),
            random_state=0,
            midnight=settings.midnight,
        )

    return Session(home, make, ActivityPredictor.load), settings


def budget_of(text: str) -> Any:
    """Return the budget that a text names, in the one notation of budgets.

    "none" stands for no limit, and gives None. Raises SelectronError if the text names no budget.

    >>> budget_of("6/1d").labels, budget_of("none")
    (6.0, None)
    """
    from selectron.askers import Budget

    return None if text == "none" else Budget.parse(text)


def titles_of(home: Path, settings: Settings) -> Titles:
    """Return what is kept of titles, under the key of this folder."""
    return Titles(settings.titles, secret(home / "key") if settings.titles == "hashed" else b"")


def resource_of(journal: Journal, text: str) -> str:
    """Return the resource that a person names, as this folder keeps it.

    Raises SelectronError if it is none, or how titles are kept is not settled yet and matters.
    """
    kept, home = journal.setting("settings"), journal.path.parent
    if kept is not None:
        return resource(text, titles_of(home, Settings(**kept)))
    if text.strip().startswith(("document:", "folder:")):
        raise SelectronError(
            f"{home} does not know yet how names in titles are kept: begin it with "
            "selectron-desktop watch, or import."
        )
    return resource(text, Titles("dropped"))


def token_of(home: Path) -> str:
    """Return what the page must know to be answered; only the folder's owner can read it."""
    return base64.urlsafe_b64encode(secret(home / "token")).decode().rstrip("=")
