"""Topics of Kafka, at the brokers that librdkafka brings for tests: they speak its protocol."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from selectron.errors import SelectronError
from selectron.serve import kafka
from selectron.serve.answering import Answer, answer
from selectron.serve.app import application
from selectron.serve.declaration import validated as declaration_of
from selectron.serve.host import Host
from selectron.serve.service import Work

from .mail import declared, texts

confluent_kafka = pytest.importorskip("confluent_kafka")


class Brokers:
    """Brokers in this process, which live as long as it does."""

    def __init__(self):
        options = {"test.mock.num.brokers": 2, "bootstrap.servers": "mock", "log_level": 0}
        self.producer = confluent_kafka.Producer(options)
        found = self.producer.list_topics(timeout=10).brokers.values()
        self.address = ",".join(f"{broker.host}:{broker.port}" for broker in found)

    def put(self, topic, *values, key=b"k"):
        """Write messages, which are JSON unless they are bytes."""
        for value in values:
            text = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.producer.produce(topic, text, key=key)
        assert self.producer.flush(10) == 0

    def all(self, topic):
        """Return the values of all messages of a topic, in the order of its partitions."""
        consumer = confluent_kafka.Consumer(
            {"bootstrap.servers": self.address, "group.id": "test", "enable.partition.eof": True}
        )
        partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
        consumer.assign([confluent_kafka.TopicPartition(topic, p, 0) for p in partitions])
        found, ended = [], 0
        while ended < len(partitions):
            for message in consumer.consume(500, 1.0):
                ended += message.error() is not None
                found += [] if message.error() else [json.loads(message.value())]
        consumer.close()
        return found


@pytest.fixture(scope="module")
def brokers():
    return Brokers()


@pytest.fixture
def topic(request):
    return request.node.name.replace("[", "-").replace("]", "")


def with_topics(brokers, topic, budget="100%", **more):
    topics = {"items": topic, "decisions": f"{topic}.out", **more}
    return declared(budget=budget, kafka={"brokers": brokers.address, **topics})


@contextmanager
def served(folder, declaration):
    with Host(folder, [declaration]) as host, kafka.connected(host):
        yield host


def until(true):
    """Wait for something."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def items(host):
    return host.views["mail"]["items"]


def ids(host):
    query = "SELECT key FROM log WHERE kind = 'item' ORDER BY seq"
    return [key for (key,) in host.read(lambda db: db.execute(query).fetchall())]


def test_messages_become_items_and_decisions_and_answers_messages(brokers, topic, tmp_path):
    brokers.put(topic, *texts(20))
    with served(tmp_path, with_topics(brokers, topic)) as host:
        until(lambda: items(host) == 20)
        said = Answer(label="spam")

        def work(service, at):
            return answer(service.streams["mail"], 1, said, "anna", at)

        host.submit(Work(work)).result()
        until(lambda: sent(host, topic) == 21)
        until(lambda: [one.messages for one in host.topics] == [20, 21])
        assert all(one.connected for one in host.topics)
        assert len(set(ids(host))) == 20
        assert all(key.startswith(f"{topic}-") for key in ids(host))
    found = sorted(brokers.all(f"{topic}.out"), key=lambda entry: entry["entry"])
    assert [entry["entry"] for entry in found] == list(range(1, 22))
    assert [entry["kind"] for entry in found] == ["item"] * 20 + ["answer"]
    assert (found[-1]["label"], found[-1]["item"]) == ("spam", 1)
    assert {"id", "asked", "proba", "ask_probability", "version"} <= found[0].keys()
    assert "data" not in found[0]


@pytest.mark.slow
def test_after_a_restart_it_goes_on_behind_the_last_message(brokers, topic, tmp_path):
    for round in range(3):
        brokers.put(topic, *texts(15, 15 * round))
        with served(tmp_path, with_topics(brokers, topic)) as host:
            until(lambda round=round: items(host) == 15 * (round + 1))
            until(lambda host=host, round=round: sent(host, topic) == 15 * (round + 1))
    assert len({entry["entry"] for entry in brokers.all(f"{topic}.out")}) == 45


def test_a_field_is_the_id_and_comes_twice_without_harm(brokers, topic, tmp_path):
    mails = [{**text, "id": i % 10} for i, text in enumerate(texts(10) * 2)]
    brokers.put(topic, *mails)
    with served(tmp_path, with_topics(brokers, topic, id="id")) as host:
        until(lambda: offset(host, topic) == 20)
        assert sorted(ids(host)) == sorted(map(str, range(10)))


def sent(host, topic):
    """Return the number of the last entry sent."""
    return host.read(lambda db: db.offset(f"kafka:mail:sent:{topic}.out"))


def offset(host, topic):
    """Return the number of messages taken."""
    names = [f"kafka:mail:read:{topic}:{partition}" for partition in range(4)]
    with host.reading() as db:
        return sum(db.offset(name) or 0 for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("bad", [b"{", b"", b"[1]", b'{"text": 1, "text": 2}', b'{"none": "a"}'])
def test_a_message_that_is_no_item_is_left_out(brokers, tmp_path, topic, bad, caplog):
    topic = f"bad{len(bad)}{bad[:2].hex()}"
    brokers.put(topic, texts(1)[0], bad, texts(2)[1])
    with served(tmp_path, with_topics(brokers, topic)) as host:
        until(lambda: offset(host, topic) == 3)
        until(lambda: items(host) == 2)  # the view follows the commit
    left = [r.message for r in caplog.records if "left out" in r.message]
    assert len(left) == 1
    assert f"message {topic}-" in left[0]


@pytest.mark.slow
def test_what_cannot_be_stored_is_stored_later(brokers, topic, tmp_path, monkeypatch):
    monkeypatch.setattr(kafka, "RETRY", 0.1)
    monkeypatch.setattr("selectron.serve.host.RETRY", 0.1)
    from selectron.serve.store import Store

    commit, failures = Store.commit, []

    def full(self):
        if len(failures) < 2:
            failures.append(self.last)
            raise OSError(28, "No space left on device")
        commit(self)

    with served(tmp_path, with_topics(brokers, topic)) as host:
        monkeypatch.setattr(Store, "commit", full)
        brokers.put(topic, *texts(12))
        until(lambda: items(host) == 12 and offset(host, topic) == 12)
        assert len(failures) == 2
        assert len(set(ids(host))) == 12


def test_brokers_that_cannot_be_reached_are_waited_for(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(kafka, "PATIENCE", 0.5)
    topics = {"items": "mail", "decisions": "out"}
    declaration = declared(kafka={"brokers": "127.0.0.1:1", **topics})
    with caplog.at_level(logging.WARNING), served(tmp_path, declaration) as host:
        until(lambda: any("127.0.0.1:1" in record.message for record in caplog.records))
        client = TestClient(application(host), "http://localhost")
        reply = client.get("/healthz")
        assert (reply.status_code, reply.json()["disconnected"]) == (200, ["mail"])
        token = host.make_token("read", "read", None)
        text = client.get("/metrics", headers={"authorization": f"Bearer {token}"}).text
        for topic in topics.values():
            assert f'selectron_kafka_connected{{stream="mail",topic="{topic}"}} 0.0' in text
            assert f'messages_total{{stream="mail",topic="{topic}"}} 0.0' in text


def test_an_end_does_not_wait_for_brokers(tmp_path, monkeypatch):
    """Neither for their reply, nor until they have acknowledged what is to be sent."""
    monkeypatch.setattr(kafka.Writer, "look", lambda self: None)  # they were there at first
    topics = {"items": "mail", "decisions": "out"}
    with served(tmp_path, declared(kafka={"brokers": "127.0.0.1:1", **topics})) as host:
        stream = host.service.streams["mail"]
        item = stream.item(None, texts(1)[0])
        host.submit(Work(lambda service, at: stream.add_one(item, "anna", at))).result()
        until(lambda: len(host.topics[1].client))
        start = time.monotonic()
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"brokers": "a:1"}, "name a topic in items or in decisions"),
        ({"brokers": "a:1", "items": "a", "decisions": "a"}, "must be two topics"),
        ({"items": "a"}, "kafka.brokers"),
        ({"brokers": "a:1", "items": "a", "topics": "b"}, "kafka.topics"),
    ],
)
def test_declarations_that_make_no_sense(given, why):
    with pytest.raises(SelectronError, match=why):
        declaration_of({"name": "mail", "classes": ["a", "b"], "kafka": given}, "mail.toml")


def test_a_setting_that_is_none(brokers, topic, tmp_path):
    odd = with_topics(brokers, topic, settings={"no.such.thing": "1"})
    why = r"setting of Kafka is refused.*no\.such\.thing"
    with pytest.raises(SelectronError, match=why), served(tmp_path, odd):
        pass


def test_the_package_is_missing(brokers, topic, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    why, declaration = r"pip install 'selectron\[kafka\]'", with_topics(brokers, topic)
    with pytest.raises(SelectronError, match=why), served(tmp_path, declaration):
        pass


def test_settings_are_not_stored(brokers, topic, tmp_path):
    secret = with_topics(brokers, topic, settings={"sasl.password": "swordfish"})
    with Host(tmp_path, [secret]):
        assert b"swordfish" not in b"".join(p.read_bytes() for p in tmp_path.glob("*.sqlite3*"))


STREAM = """
name = "mail"
classes = ["ham", "spam"]
budget = "10%"
features = {{ kind = "text", size = 64 }}
kafka = {{ brokers = "{brokers}", items = "{topic}", decisions = "{topic}.out" }}
"""


@pytest.mark.slow
def test_kills_lose_nothing_and_double_nothing(brokers, topic, tmp_path):
    """Every message is one item, and every decision is sent, whenever the process is killed."""
    total, store, stream = 0, tmp_path / "store", tmp_path / "mail.toml"
    stream.write_text(STREAM.format(brokers=brokers.address, topic=topic))
    command = "-m", "selectron", "serve", stream, "--data", store, "--port", "0"

    def start():
        found = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE)
        while not found.stdout.readline().startswith(b"Everything is kept"):
            assert found.poll() is None
        return found

    for turn in range(4):
        brokers.put(topic, *texts(500, total))
        total += 500
        process = start()
        time.sleep(0.1 + 0.3 * turn)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    with served(store, with_topics(brokers, topic, budget="10%")) as host:
        until(lambda: items(host) == total)
        until(lambda: sent(host, topic) == total)
        assert len(set(ids(host))) == total == offset(host, topic)
    entries = [entry["entry"] for entry in brokers.all(f"{topic}.out")]
    assert set(entries) == set(range(1, total + 1))
