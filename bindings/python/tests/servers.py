"""Servers for the applications of paysvc.webhooks: Python's own for WSGI, and a small one for ASGI."""

from __future__ import annotations

import asyncio
import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from typing import Any, NamedTuple
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

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

    def send(
        self, method: str, body: bytes | Iterator[bytes] | None, headers: dict[str, str] | None = None
    ) -> Answered:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            connection.request(method, self.path, body, headers or {}, encode_chunked=isinstance(body, Iterator))
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answered(answer.status, found, answer.read())
        finally:
            connection.close()


class _Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextmanager
def wsgi(application: Any) -> Iterator[Sender]:
    with _Threads(("127.0.0.1", 0), _Quiet) as server:
        server.set_app(application)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield Sender(server.server_port)
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def asgi(make: Any) -> Iterator[Sender]:
    """`make` is a coroutine function that makes the application, in the loop in which it then runs."""
    ready: list[int] = []
    started = threading.Event()
    loop = asyncio.new_event_loop()
    stop: list[Callable[[], None]] = []

    async def serve() -> None:
        stopped = asyncio.Event()  # Made in its loop, as Python 3.9 wants it.
        stop.append(stopped.set)
        application = await make()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await _exchange(application, reader, writer)
                # What is unread at the end would reset the connection before the answer is read.
                writer.write_eof()
                await reader.read()
            finally:
                writer.close()

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        ready.append(server.sockets[0].getsockname()[1])
        started.set()
        await stopped.wait()
        server.close()

    def run() -> None:
        try:
            loop.run_until_complete(serve())
        finally:
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(WAIT)
    try:
        yield Sender(ready[0])
    finally:
        loop.call_soon_threadsafe(stop[0])
        thread.join()


async def _exchange(application: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request and its answer. The body arrives in parts."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    headers = [(name.encode(), value.strip().encode()) for name, value in (line.split(":", 1) for line in lines)]
    fields = {name.lower(): value for name, value in headers}
    chunked = fields.get(b"transfer-encoding") == b"chunked"
    left = int(fields.get(b"content-length", b"0"))

    async def receive() -> dict[str, Any]:
        nonlocal left
        if chunked:
            size = int(await reader.readline(), 16)
            part = (await reader.readexactly(size + 2))[:-2]
            return {"type": "http.request", "body": part, "more_body": size > 0}
        part = await reader.read(min(left, 1000)) if left else b""
        if left and not part:
            return {"type": "http.disconnect"}
        left -= len(part)
        return {"type": "http.request", "body": part, "more_body": left > 0}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            writer.write(f"HTTP/1.1 {message['status']} X\r\nconnection: close\r\n".encode())
            for name, value in message["headers"]:
                writer.write(name + b": " + value + b"\r\n")
            writer.write(b"\r\n")
        else:
            writer.write(message["body"])
            await writer.drain()

    await application({"type": "http", "method": first.split(" ")[0], "headers": headers}, receive, send)
