"""Webhooks: receivers that verify each event, and pass on what the service says about it.

Receiver and AsyncReceiver are for a route of any framework; WSGIApp and ASGIApp are whole applications. Events are not
signed, so anybody who knows the URL can send one. All ask the service, and give the handler the service's answer, never
the event. The docs folder of libpaysvc has a page about what that proves, with programs for FastAPI, Flask and Django.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any

from ._generated import WEBHOOK_MAX_LENGTH
from ._receiver import AsyncReceiver, Receiver, finished
from ._webhook import BAD_REQUEST, NO_LENGTH, NOT_POST, TOO_LARGE, Answer, Limits, length
from ._webhook_store import AsyncStore, Begin, MemoryStore, Store

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

__all__ = [
    "ASGIApp",
    "AsyncReceiver",
    "AsyncStore",
    "Begin",
    "Limits",
    "MemoryStore",
    "Receiver",
    "Store",
    "WSGIApp",
]

Message = MutableMapping[str, Any]


class WSGIApp(Receiver):
    """A WSGI application at the URL to which the service sends its events. Its arguments are those of Receiver."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = _read(environ)
        answer = finished(self._event(body)) if isinstance(body, bytes) else body
        start_response(answer.line, [("content-length", "0"), *answer.headers().items()])
        return []


class ASGIApp(AsyncReceiver):
    """The same for ASGI servers. Its arguments are those of AsyncReceiver.

    A framework that mounts it below a path answers the path without a slash at its end with a redirect, which senders
    do not follow: there, use a route and an AsyncReceiver.
    """

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        body = await _receive(scope, receive)
        if body is None:
            return  # The sender has gone away.
        answer = await self._event(body) if isinstance(body, bytes) else body
        fields = [(b"content-length", b"0"), *((k.encode(), v.encode()) for k, v in answer.headers().items())]
        await send({"type": "http.response.start", "status": answer.status, "headers": fields})
        await send({"type": "http.response.body", "body": b""})


def _read(environ: WSGIEnvironment) -> bytes | Answer:
    if environ.get("REQUEST_METHOD") != "POST":
        return NOT_POST
    announced = length(environ.get("CONTENT_LENGTH"))
    if isinstance(announced, Answer):
        return announced
    if announced is None and not environ.get("wsgi.input_terminated"):
        return NO_LENGTH
    # Servers that end the input themselves may have no length.
    left = WEBHOOK_MAX_LENGTH + 1 if announced is None else announced
    parts: list[bytes] = []
    while left > 0:
        part: bytes = environ["wsgi.input"].read(left)
        if not part:
            break
        parts.append(part)
        left -= len(part)
    if announced is None:
        return TOO_LARGE if left == 0 else b"".join(parts)
    return b"".join(parts) if left == 0 else BAD_REQUEST


async def _receive(scope: Message, receive: Callable[[], Awaitable[Message]]) -> bytes | Answer | None:
    if scope["method"] != "POST":
        return NOT_POST
    headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
    announced = length(headers.get(b"content-length", b"").decode("latin-1"))
    if isinstance(announced, Answer):
        return announced
    parts, received = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        part: bytes = message.get("body", b"")
        received += len(part)
        if received > WEBHOOK_MAX_LENGTH:
            return TOO_LARGE
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def _lifespan(receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]) -> None:
    """Nothing has to be begun or ended: the program closes its client itself."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
