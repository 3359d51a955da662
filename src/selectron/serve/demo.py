"""The demonstration stream: messages to a help desk, "urgent" or "routine", that drift.

Texts are generated from parts, so no download is needed. Every 400 messages other products are in
trouble, and the trouble is described in other words.
"""

import random
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from threading import Event
from typing import Any

from .declaration import Declaration, Features
from .host import Host
from .service import Service, Work

DEMO = Declaration(
    name="demo",
    title="Help desk (demonstration)",
    classes=["routine", "urgent"],
    features=Features(size=2048, text=["subject", "text"]),
    budget="20%",
    audit=0.2,
    queue=200,
    lease=90,
)
SHIFT = 400  # messages between two drifts
FIRST, PACE = 120, 1.5  # messages at the start, and a second later on
PRODUCTS = ("printer", "invoice", "login", "webshop", "newsletter", "phone")
GREETINGS = ("Hello,", "Hi team,", "Dear support,", "Good morning,", "")
TROUBLE = (
    "the {p} is down and nobody here can work",
    "since an hour the {p} shows an error, and customers are waiting",
    "we lose money every minute because the {p} fails",
    "the {p} stopped in the middle of the day and I have a deadline",
    "all of our {p} data seem to be gone",
)
CALM = (
    "could you tell me where the manual of the {p} is",
    "I would like to change a setting of the {p} some time",
    "thank you, the {p} works well; one small question about colours",
    "please add a colleague to the {p} list when you have time",
    "is there a course about the {p} next month",
)
NAMES = ("Ada", "Boris", "Chen", "Dora", "Emil", "Fatima", "Goran", "Hanna")


def messages() -> Iterator[dict[str, Any]]:
    """Yield messages indefinitely: those in trouble are urgent."""
    rng = random.Random(0)
    for number in count():
        later, trouble = number // SHIFT % 2, rng.random() < 0.5
        half = slice(3, None) if later else slice(3)
        calm = slice(3) if later else slice(3, None)
        product = rng.choice(PRODUCTS[half if trouble else calm])
        body = rng.choice(TROUBLE[half] if trouble else CALM).format(p=product)
        text = f"{rng.choice(GREETINGS)} {body}. {rng.choice(NAMES)}".strip()
        yield {"subject": product.capitalize(), "text": text}


def feed(host: Host, ending: Event) -> None:
    """Send messages to the demonstration stream until the end."""
    sent = host.views[DEMO.name]["items"]
    source = islice(enumerate(messages()), sent, None)
    ready = max(1, FIRST - sent)
    while not ending.is_set():
        host.submit(Work(partial(add_messages, list(islice(source, ready))))).exception(timeout=300)
        ready = 1
        ending.wait(1 / PACE)


def add_messages(found: list[tuple[int, dict[str, Any]]], service: Service, at: float) -> None:
    """Add messages, with ids from their numbers."""
    stream = service.streams[DEMO.name]
    stream.add([stream.item(f"message-{number}", x) for number, x in found], "demo", at)
