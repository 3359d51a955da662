"""A server for tests, in a thread, at a port of its own."""

import threading
import time

from selectron.serve.app import application
from selectron.serve.guard import Rates
from selectron.serve.host import Host
from selectron.serve.server import server

from .mail import declared
from .web import ROLES


class Live:
    """A server with a token for each role."""

    def __init__(self, folder, *declarations, rates=None, each=200, **options):
        self.host = Host(folder, declarations or (declared(),), **options)
        self.tokens = {role: self.host.make_token(role, role, None) for role in ROLES}
        self.app = application(self.host, rates=rates or Rates(1e9, 1e9))
        self.server = server(self.app, "127.0.0.1", 0, each)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def headers(self, role="admin"):
        return {"authorization": f"Bearer {self.tokens[role]}"}

    def close(self):
        self.server.should_exit = True
        self.thread.join()
        self.host.stop()
