"""Made-up people at small desks."""

from random import Random
from typing import NamedTuple

from selectron_desktop.predictor import ActivityPredictor
from selectron_desktop.windows import Event

START = 1_800_000_000.0
NAMES = "Taxes", "Garden", "Thesis"


class Minute(NamedTuple):
    """What is seen in a minute, what is worked on, and whether that is declared now."""

    event: Event
    activity: str
    declared: bool


def minutes(n, seed=0, chance=0.06):
    """Return n minutes of somebody who forgets every fourth switch."""
    random, found, activity, switches = Random(seed), [], None, 0
    for i in range(n):
        declared = False
        if activity is None or random.random() < chance:
            activity = random.choice([name for name in NAMES if name != activity])
            declared, switches = switches % 4 != 3, switches + 1
        own = random.random() < 0.8
        resource = f"document:{activity}{random.randrange(3)}" if own else "site:mail.example"
        words = (f"{activity}{random.randrange(5)}".lower(), "the")
        start = START + 60 * i
        found.append(Minute(Event(start, start + 60, resource, words), activity, declared))
    return found


def play(predictor, day, answered=True):
    """Play minutes, with answers or without; return the predictions."""
    found = []
    for event, activity, declared in day:
        if declared:
            predictor.declare(activity, event.start)
        predictor.see(event)
        prediction = predictor.tick(event.end)
        found.append(prediction)
        if answered and prediction.alarm:
            predictor.answer(prediction.alarm.id, activity)
    return found


def trained(n=300, **parameters):
    """Return a predictor that has seen n minutes, all alarms answered."""
    predictor = ActivityPredictor(random_state=0, **parameters)
    play(predictor, minutes(n))
    return predictor
