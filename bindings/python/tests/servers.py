"""Python's own server for applications of paysvc.webhooks, and who sends events to one."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from wsgiref.simple_server import WSGIRequestHandler, make_server

WAIT = 60.0  # Only a test that fails waits that long.


class Answered(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Sender:
    """Sends requests to a server on this machine, as the service would."""

    def __init__(self, port: int, path: str = "/events") -> None:
        self.port = port
        self.path = path
        self.url = f"http://127.0.0.1:{port}{path}"

    def post(self, body: bytes | str, **headers: str) -> Answered:
        return self.send("POST", body.encode() if isinstance(body, str) else body, headers)

    def send(self, method: str, body: bytes | None, headers: dict[str, str] | None = None) -> Answered:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            connection.request(method, self.path, body, headers or {})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, found, answer.read())
        finally:
            connection.close()


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextmanager
def wsgi(application: Any) -> Iterator[Sender]:
    with make_server("127.0.0.1", 0, application, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield Sender(server.server_port)
        finally:
            server.shutdown()
            thread.join()
