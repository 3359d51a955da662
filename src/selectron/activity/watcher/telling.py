"""What ActivityWatch is told: predictions in a bucket of their own, answers in another.

The data of an event is the activity alone, without scores or times, so that heartbeats merge.
"""

import socket
from typing import Any

PREDICTIONS = "selectron-predictions"
ANSWERS = "selectron-answers"


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
