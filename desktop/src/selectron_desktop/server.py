"""An ActivityWatch server, by REST: its buckets and events, and the predictions sent to it.

Predictions are sent to one bucket, answers to another. The data of an event is the activity alone,
without scores or times, so that heartbeats merge.
"""

import socket
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from selectron import SelectronError

ADDRESS = "http://127.0.0.1:5600"
PULSE = 1.0  # seconds between two stretches that are merged
PREDICTIONS = "selectron-predictions"
ANSWERS = "selectron-answers"


class Absent(SelectronError):
    """The server does not respond, or its response is invalid; this may change."""


class Server:
    """A server at an address; every request raises Absent if it is not there, slow, or fails.

    `patience` is the number of seconds to wait for a response.
    """

    def __init__(self, address: str | None = None, patience: float = 10.0):
        self.address = (address or ADDRESS).rstrip("/")
        self.patience = patience
        try:
            parts = urlsplit(self.address)
            valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            valid = False
        if not valid:
            raise SelectronError(f"{address!r} is not an address of a server such as {ADDRESS}.")

    def buckets(self) -> dict[str, dict[str, Any]]:
        """Return the description of every bucket, by its id."""
        if isinstance(found := self.request("GET", "buckets/"), dict):
            return {name: bucket for name, bucket in found.items() if isinstance(bucket, dict)}
        raise Absent(f"{self.address} is not an ActivityWatch server: it has no buckets.")

    def events(self, bucket: str, start: float, end: float) -> list[Any]:
        """Return the events of a bucket between two times, in seconds since 1970."""
        query = {"limit": -1, "start": _time(start), "end": _time(end)}
        found = self.request("GET", f"buckets/{bucket}/events", params=query)
        if not isinstance(found, list):
            raise Absent(f"{self.address} sends no list of events of {bucket}.")
        return found

    def request(self, method: str, path: str, **options: Any) -> Any:
        """Return the JSON of a response, None if it is empty."""
        import requests  # slow to import

        url = f"{self.address}/api/0/{path}"
        try:
            with requests.Session() as session:
                session.trust_env = False  # no proxy, and no password of .netrc
                response = session.request(method, url, timeout=self.patience, **options)
            response.raise_for_status()
            return response.json() if response.content else None
        except requests.ConnectionError:
            raise Absent(f"There is no ActivityWatch server at {self.address}.") from None
        except requests.Timeout:
            raise Absent(f"ActivityWatch at {self.address} does not answer in time.") from None
        except requests.HTTPError as error:
            raise Absent(f"ActivityWatch at {self.address} fails: {error!s:.100}") from None
        except (requests.RequestException, ValueError) as error:
            raise Absent(f"{self.address} sends invalid data: {error!r:.100}") from None


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class Publisher:
    """The buckets of a server for this computer's predictions and answers."""

    def __init__(self, server: Server, host: str | None = None):
        self.server, self.host = server, host or socket.gethostname()

    def send(self, bucket: str, start: float, end: float, activity: str) -> None:
        """Send the activity of a stretch; if it continues the last one, the two are merged.

        Raises Absent if the server is not there.
        """
        path = f"buckets/{bucket}_{self.host}"
        kind = bucket.replace("-", ".activity.")
        bucket_data = {"client": "selectron", "hostname": self.host, "type": kind}
        self.server.request("POST", path, json=bucket_data)  # no effect if the bucket exists
        event = {"timestamp": _time(start), "duration": end - start, "data": {"activity": activity}}
        self.server.request("POST", f"{path}/heartbeat", json=event, params={"pulsetime": PULSE})
