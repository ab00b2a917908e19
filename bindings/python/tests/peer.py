"""A server whose responses the tests write: each request waits until the test answers it."""

from __future__ import annotations

import asyncio
import json
import queue
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

WAIT = 60.0  # Only a test that fails waits that long.


class Exchange:
    """A received request and its connection."""

    def __init__(self, connection: socket.socket, text: str) -> None:
        self.text = text
        self._connection = connection

    def answer(self, **members: Any) -> None:
        self.answer_text(json.dumps(members or {"status": True, "message": "done"}))

    def answer_text(self, text: str, *headers: str, status: int = 200) -> None:
        body = text.encode()
        first = "connection: close", "content-type: application/json", f"content-length: {len(body)}"
        head = "\r\n".join((*first, *headers))
        self._connection.sendall(f"HTTP/1.1 {status} Status\r\n{head}\r\n\r\n".encode() + body)

    def wait_for_end(self) -> bytes:
        """Returns what else the client sends before it closes the connection."""
        received = b""
        try:
            while part := self._connection.recv(4096):
                received += part
        except ConnectionResetError:
            pass
        return received


class Peer:
    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._exchanges: queue.Queue[Exchange] = queue.Queue()
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.config: dict[str, Any] = {
            "base_url": f"http://127.0.0.1:{self._listener.getsockname()[1]}",
            "public_key": "public",
            "secret_key": "secret",
        }
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.settimeout(WAIT)
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # Reads one request for each connection; the test does the rest.
        text = b""
        try:
            while b"\r\n\r\n" not in text or not _is_whole(text):
                part = connection.recv(4096)
                if not part:
                    return
                text += part
        except OSError:
            return
        self._exchanges.put(Exchange(connection, text.decode()))

    def next(self) -> Exchange:
        """Waits for the next request."""
        return self._exchanges.get(timeout=WAIT)

    async def next_async(self) -> Exchange:
        """Waits for the next request while the event loop runs other tasks."""
        return await asyncio.get_running_loop().run_in_executor(None, self.next)

    def run(self, answer: Callable[[], object]) -> None:
        """Runs what answers requests, on a thread of its own, until this server ends."""
        thread = threading.Thread(target=answer)
        thread.start()
        self._threads.append(thread)

    def replies(self, text: str, *headers: str, status: int = 200) -> None:
        """Answers the next request so."""
        self.run(lambda: self.next().answer_text(text, *headers, status=status))

    def is_quiet(self) -> bool:
        """True if no further request has been received."""
        return self._exchanges.empty()

    def __enter__(self) -> Peer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for thread in self._threads:
            thread.join()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._connections:
            connection.close()


def _is_whole(text: bytes) -> bool:
    head, body = text.split(b"\r\n\r\n", 1)
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return True
