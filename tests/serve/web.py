"""An application for tests, asked from within the process."""

import json

from starlette.testclient import TestClient

from selectron.serve.app import application
from selectron.serve.guard import Rates
from selectron.serve.host import Host

from .mail import declared

ROLES = ("admin", "annotate", "ingest", "read")


class Web:
    """A host, its application, and a token for each role."""

    def __init__(self, folder, *declarations, rates=None, **options):
        self.host = Host(folder, declarations or (declared(),), **options)
        self.app = application(self.host, rates=rates or Rates(1e9, 1e9))
        self.tokens = {role: self.host.make_token(role, role, None) for role in ROLES}
        self.client = TestClient(self.app, "http://localhost", raise_server_exceptions=False)
        self.client.__enter__()

    def ask(self, method, path, role="admin", body=None, **more):
        """Send a request with a token; return the response."""
        headers = more.pop("headers", {})
        token = self.tokens.get(role, role)
        if token is not None:
            headers = {"authorization": f"Bearer {token}", **headers}
        if body is not None and not isinstance(body, bytes):
            body, headers = (
                json.dumps(body).encode(),
                {"content-type": "application/json"} | headers,
            )
        return self.client.request(method, path, headers=headers, content=body, **more)

    def get(self, path, role="admin", **more):
        return self.ask("GET", path, role, **more)

    def post(self, path, role="admin", body=None, **more):
        return self.ask("POST", path, role, body, **more)

    def add(self, text, key=None):
        body = {"data": {"text": text}} | ({"id": key} if key else {})
        return self.post("/v1/streams/mail/items", "ingest", body).json()

    def close(self):
        self.client.__exit__(None, None, None)
        self.host.stop()
