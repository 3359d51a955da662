"""Items from a topic of Kafka, and decisions and answers to another.

The offset behind the last message is stored in the transaction that stores the items: whatever is
killed, each message becomes one item. Entries of the log are sent in their order, and the position
of the last acknowledged one is stored afterwards: after a crash, some come twice, with one `entry`.
"""

import sqlite3
import time
from contextlib import AbstractContextManager
from itertools import islice
from threading import Event
from typing import Any

from ..errors import SelectronError
from . import reading, strict
from .declaration import Kafka
from .event import LOG
from .host import Host, running
from .routes import NewItem
from .service import Service, Work
from .stream import Item, Stream
from .strict import Problem, invalid

BATCH, POLL = 500, 0.5  # messages in a transaction; seconds to wait for one
RETRY = 2.0  # seconds between two tries
SENT = "item", "answer"  # kinds of entries
WAIT = 0.2  # seconds between two looks at the log
FLUSH, PATIENCE = 30.0, 3.0  # seconds that brokers have to acknowledge messages, and to answer
LOOK = 10.0  # seconds between two questions to brokers, also about new partitions


def connected(host: Host) -> AbstractContextManager[None]:
    """Return a context in which threads read and write the topics of streams.

    Raises SelectronError if confluent-kafka is missing, or refuses a setting.
    """
    found: list[Worker] = host.topics
    for stream in host.service.streams.values():
        if (kafka := stream.declaration.kafka) is not None:
            found += [Reader(host, stream, kafka)] if kafka.items else []
            found += [Writer(host, stream, kafka)] if kafka.decisions else []
    return running(*(each.run for each in found))


def kafka_client(kind: str, kafka: Kafka, **options: Any) -> Any:
    """Return a Consumer or a Producer. Raises SelectronError if it cannot be made."""
    try:
        import confluent_kafka
    except ImportError:
        raise SelectronError(
            "Topics of Kafka need confluent-kafka: pip install 'selectron[kafka]'"
        ) from None
    options["reconnect.backoff.ms"] = int(1000 * RETRY)  # each try is a line of the log
    settings = {"bootstrap.servers": kafka.brokers, **options, **kafka.settings}
    try:
        return getattr(confluent_kafka, kind)(settings, logger=LOG)
    except (confluent_kafka.KafkaException, ValueError, TypeError) as error:
        raise SelectronError(f"A setting of Kafka is refused: {error}") from None


class Worker:
    """A thread that runs `turn` until the end; it waits after a failure, and tries again."""

    client: Any
    topic: str

    def __init__(self, host: Host, stream: Stream, kafka: Kafka):
        self.host, self.stream, self.kafka = host, stream, kafka
        self.name, self.failing = stream.name, ""
        self.looked, self.messages = 0.0, 0  # taken, or sent

    @property
    def connected(self) -> bool:
        """Whether the brokers answered lately."""
        return bool(self.looked) and not self.failing

    def look(self) -> Any:
        """Return what the brokers know of the topic. Raises SelectronError if none answers."""
        from confluent_kafka import KafkaException

        try:
            found = self.client.list_topics(self.topic, PATIENCE).topics[self.topic]
        except KafkaException as error:
            raise SelectronError(f"{self.kafka.brokers}: {error.args[0].str()}") from None
        self.looked = time.monotonic()
        return found

    def turn(self, ending: Event) -> None:
        """Do what is to be done. Raises SelectronError if it has to be tried again."""
        raise NotImplementedError

    def run(self, ending: Event) -> None:
        """Run until the end."""
        from confluent_kafka import KafkaException

        while not ending.is_set():
            try:
                self.turn(ending)
                self.failing = ""
            except (SelectronError, KafkaException, OSError, sqlite3.Error) as error:
                self.complain(str(error))
                ending.wait(RETRY)

    def complain(self, what: str) -> None:
        """Log a failure once, not at every try."""
        if what != self.failing:
            self.failing = what
            LOG.warning("Stream %r, Kafka: %s", self.name, what)


class Reader(Worker):
    """Reads items from all partitions of a topic."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.topic, self.started = self.kafka.items, set[int]()
        self.found: list[tuple[Any, Item | Problem]] = []  # messages that are not stored yet
        group = {"group.id": "selectron", "enable.auto.commit": False}  # no offsets at the brokers
        reset = {"auto.offset.reset": "earliest"}
        self.client = kafka_client("Consumer", self.kafka, **group, **reset)

    def run(self, ending: Event) -> None:
        """Run until the end, and close the consumer."""
        super().run(ending)
        self.client.close()

    def turn(self, ending: Event) -> None:
        """Take some messages; those that cannot be stored are tried again at the next turn."""
        if not self.found:
            if time.monotonic() - self.looked > LOOK * bool(self.started):
                self.assign_partitions()
            for message in self.client.consume(BATCH, POLL):
                if (error := message.error()) is None:
                    self.found.append((message, self.item(message)))
                else:
                    self.complain(f"topic {self.topic!r}: {error.str()}")
        if self.found:
            self.host.submit(Work(self.take)).result()
            self.messages += len(self.found)
            self.found = []

    def assign_partitions(self) -> None:
        """Start to read partitions that are new, each behind the last message that was taken."""
        from confluent_kafka import OFFSET_BEGINNING, TopicPartition

        topic = self.look()
        if topic.error is not None:
            raise SelectronError(f"topic {self.topic!r}: {topic.error.str()}")
        new = set(topic.partitions) - self.started
        with self.host.reading() as db:
            offsets = {p: db.offset(self.offset_of(p)) for p in new}
        places = ((p, OFFSET_BEGINNING if at is None else at) for p, at in offsets.items())
        self.client.incremental_assign([TopicPartition(topic.topic, *place) for place in places])
        self.started |= new

    def offset_of(self, partition: int) -> str:
        """Return the name of the offset to read a partition from."""
        return f"kafka:{self.name}:read:{self.topic}:{partition}"

    def take(self, service: Service, at: float) -> None:
        """Add the items of messages, and keep the offsets behind them, in one transaction."""
        for message, item in self.found:
            try:
                if isinstance(item, Problem):
                    raise item
                self.stream.add_one(item, "kafka", at)
            except Problem as problem:
                what = "Stream %r, Kafka: message %s is left out: %s"
                LOG.warning(what, self.name, key(message), problem)
            service.store.put_offset(self.offset_of(message.partition()), message.offset() + 1)

    def item(self, message: Any) -> Item | Problem:
        """Return the item of a message, or the reason why it is none."""
        own = self.kafka.id
        try:
            data = strict.loads(message.value() or b"null")
            if not isinstance(data, dict):
                raise invalid("A message must be an object of JSON.")
            if own and not isinstance(data.get(own), str | int):
                raise invalid(f"The field {own!r} must be a text or a whole number.")
            new = NewItem.of({"id": str(data[own]) if own else key(message), "data": data})
            return self.stream.item(new.id, new.data)
        except Problem as problem:
            return problem


def key(message: Any) -> str:
    """Return the place of a message as text."""
    return f"{message.topic()}-{message.partition()}-{message.offset()}"


class Writer(Worker):
    """Sends decisions and answers to a topic, in the order of the log."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.topic = self.kafka.decisions
        self.place = f"kafka:{self.name}:sent:{self.topic}"
        self.last = self.host.read(lambda db: db.offset(self.place)) or 0
        limits = {"delivery.timeout.ms": int(1000 * FLUSH), "enable.idempotence": True}
        self.client = kafka_client("Producer", self.kafka, **limits)  # which keeps the order

    def turn(self, ending: Event) -> None:
        """Send decisions and answers of a page of the log, without data; wait if there are none."""
        if time.monotonic() - self.looked > LOOK:
            self.look()
        if self.host.view(self.name)["entry"] <= self.last:
            ending.wait(WAIT)
            return
        with self.host.reading() as db:
            rows = list(islice(reading.audit(db, self.stream, self.last), reading.PAGE))
        failed: list[str] = []
        for row in rows:
            if row["kind"] in SENT:
                entry = {k: v for k, v in row.items() if v is not None and k != "data"}
                self.client.produce(
                    self.topic,
                    key=row["id"] or str(row["item"]),
                    value=strict.dumps({"id": None, **entry}, sort=False),
                    on_delivery=lambda error, _: failed.append(error.str()) if error else None,
                )
        end = time.monotonic() + FLUSH
        while self.client.flush(PATIENCE) and time.monotonic() < end and not ending.is_set():
            pass
        if len(self.client) or failed:
            self.client.purge()
            raise SelectronError(failed[0] if failed else f"{self.kafka.brokers} do not answer.")
        last = rows[-1]["entry"]
        keep = Work(lambda service, at: service.store.put_offset(self.place, last))
        self.host.submit(keep).result()
        self.last = last
        self.messages += sum(row["kind"] in SENT for row in rows)
