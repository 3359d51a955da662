"""An ActivityWatch server, by REST through aw-client: its buckets and events, and what it gets.

Predictions go to a bucket of their own, answers to another. The data of an event is the activity
alone, without scores or times, so that heartbeats merge.
"""

import logging
import socket
from datetime import UTC, datetime, timedelta
from typing import Any

from selectron import SelectronError

ADDRESS = "http://127.0.0.1:5600"
PULSE = 1.0  # seconds between two stretches that are one
PATIENCE = 10.0  # seconds for an answer of the server
PREDICTIONS = "selectron-predictions"
ANSWERS = "selectron-answers"


class Absent(SelectronError):
    """The server is not there, or answers with what cannot be used: it may be later."""


class Server:
    """A server at an address, by default that of aw-client's settings.

    `patience` is how many seconds one answer of it may take. Raises SelectronError if the address
    is none; every request raises Absent where the server is not there, too slow, or fails.
    """

    def __init__(self, address: str | None = None, patience: float = PATIENCE):
        self.client = _client(address and address.rstrip("/"), patience)
        self.address = self.client.server_address
        self.made: set[str] = set()

    def buckets(self) -> dict[str, dict[str, Any]]:
        """Return what is known of every bucket, by its id."""
        found = self._tried(self.client.get_buckets)
        if not isinstance(found, dict):
            raise Absent(f"{self.address} is no ActivityWatch server: it has no buckets.")
        return {name: bucket for name, bucket in found.items() if isinstance(bucket, dict)}

    def events(self, bucket: str, start: float, end: float) -> list[Any]:
        """Return the events of a bucket between two times, in seconds since 1970."""
        return self._tried(self.client.get_events, bucket, start=_time(start), end=_time(end))

    def heartbeat(
        self, bucket: str, kind: str, start: float, end: float, data: dict[str, str]
    ) -> None:
        """Tell of a stretch; one that goes on with the same data makes the last one longer.

        The bucket is made where it is not there.
        """
        from aw_core.models import Event

        event = Event(timestamp=_time(start), duration=timedelta(seconds=end - start), data=data)
        known = bucket in self.made
        try:
            self._beat(bucket, kind, event)
        except Absent:
            self.made.discard(bucket)
            if not known:
                raise
            self._beat(bucket, kind, event)  # it may be another server than before

    def _beat(self, bucket: str, kind: str, event: Any) -> None:
        if bucket not in self.made:
            self._tried(self.client.create_bucket, bucket, kind)
            self.made.add(bucket)
        self._tried(self.client.heartbeat, bucket, event, PULSE)

    def _tried(self, request: Any, *values: Any, **more: Any) -> Any:
        import requests

        try:
            return request(*values, **more)
        except requests.ConnectionError:
            raise Absent(f"There is no ActivityWatch server at {self.address}.") from None
        except requests.Timeout:
            raise Absent(f"ActivityWatch at {self.address} does not answer in time.") from None
        except requests.HTTPError as error:
            raise Absent(f"ActivityWatch at {self.address} fails: {error!s:.100}") from None
        except (requests.RequestException, ValueError, TypeError, KeyError) as error:
            raise Absent(
                f"ActivityWatch at {self.address} makes no sense: {error!r:.100}"
            ) from None


def _client(address: str | None, patience: float) -> Any:
    """Return aw-client's client, made to wait no longer than that: by itself it waits for ever."""
    where = {} if address is None else _parts(address)
    kind = _hurried(patience)
    logging.getLogger("aw_client").setLevel(logging.CRITICAL)
    try:
        client = kind("selectron", **where)
    except SystemExit:
        raise SelectronError("Another selectron-desktop begins to watch: try again.") from None
    if lock := getattr(client.instance, "fp", None):
        lock.close()  # the folder has a lock of its own; two folders may watch one server
    return client


def _parts(address: str) -> dict[str, Any]:
    """Return what aw-client makes a client of, for an address."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        name, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        name = None
    if not name or parts.scheme not in ("http", "https"):
        raise SelectronError(f"{address!r} is no address of a server: {ADDRESS} would be.")
    return {"host": name, "port": port, "protocol": parts.scheme}


def _hurried(patience: float) -> Any:
    """Return the class of such a client."""
    from functools import partialmethod

    from aw_client import ActivityWatchClient
    from aw_client.client import req

    class Hurried(ActivityWatchClient):
        def _sent(self, method: str, endpoint: str, data: Any = None, params: Any = None) -> Any:
            response = req.request(
                method, self._url(endpoint), json=data, params=params, timeout=patience
            )
            response.raise_for_status()
            if response.content:
                response.json()  # or it is no ActivityWatch that answers
            return response

        _get = partialmethod(_sent, "GET", data=None)
        _post = partialmethod(_sent, "POST")

    return Hurried


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class Telling:
    """Buckets of a server that this computer's predictions and answers go to."""

    def __init__(self, server: Any, host: str | None = None):
        self.server, self.host = server, host or socket.gethostname()

    def predicted(self, start: float, end: float, activity: str) -> None:
        """Tell what was predicted of a stretch; raises Absent where the server is not there."""
        self._told(PREDICTIONS, start, end, {"activity": activity})

    def answered(self, start: float, end: float, activity: str) -> None:
        """Tell what somebody said that a stretch was; raises Absent where there is no server."""
        self._told(ANSWERS, start, end, {"activity": activity})

    def _told(self, bucket: str, start: float, end: float, data: dict[str, str]) -> None:
        kind = bucket.replace("-", ".activity.")
        self.server.heartbeat(f"{bucket}_{self.host}", kind, start, end, data)
