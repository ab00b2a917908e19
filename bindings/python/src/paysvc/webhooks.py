"""Webhooks: applications for WSGI and ASGI servers that verify each event, and pass on what the service says of it.

Nobody signs an event, so whoever knows the URL can send one. Both applications ask the service, and give the handler
the service's answer, never the event. The docs folder of libpaysvc has a page about what that proves.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any, cast

from ._errors import PaysvcError
from ._webhook import (
    BAD_REQUEST,
    BUSY,
    FAILED,
    MAX_LENGTH,
    NO_LENGTH,
    NOT_POST,
    OK,
    TOO_LARGE,
    Answer,
    AnyStore,
    AsyncStore,
    Begin,
    Limits,
    MemoryStore,
    Store,
    about,
    length,
    logger,
    verified,
)

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from ._async import AsyncClient
    from ._client import Client
    from ._replies import WebhookVerifyReply
    from ._reply import Reply

__all__ = ["ASGIApp", "AsyncStore", "Begin", "Limits", "MemoryStore", "Store", "WSGIApp"]

Message = MutableMapping[str, Any]


class WSGIApp:
    """A WSGI application at the URL to which the service sends its events.

    Args:
        client: asks the service; it needs the secret key if events are about orders
        handle: called with the reply to webhook_verify() of each authentic event, once per state of a payment. It acts
            on the reply: compare reference, amount and currency with the order, and look at reply.state. If it raises,
            the sender is answered 500, and the next delivery is handled.
        store: remembers what was handled; without one a MemoryStore, which a restart empties
        unverified: called with the reply of each event that was found not authentic, e.g. to count them. It must not
            act on them. A body that is sent again within a minute is not reported again.
        limits: of the verifications; without them Limits()
        timeout: seconds for a verification
    """

    def __init__(
        self,
        client: Client,
        handle: Callable[[WebhookVerifyReply], object],
        *,
        store: Store | None = None,
        unverified: Callable[[Reply], object] | None = None,
        limits: Limits | None = None,
        timeout: float = 10.0,
    ) -> None:
        self._client = client
        self._handle = handle
        self._store: Store = MemoryStore() if store is None else store
        self._unverified = unverified
        self._limits = limits or Limits()
        self._timeout = timeout

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = _read(environ)
        answer = self._event(body) if isinstance(body, bytes) else body
        start_response(answer.line, answer.headers())
        return []

    def _event(self, body: bytes) -> Answer:
        try:
            return self._answer(body)
        except Exception:
            logger.exception("an event was not handled")
            return FAILED

    def _answer(self, body: bytes) -> Answer:
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return BAD_REQUEST
        if self._limits.is_forged(body):
            return OK
        reply = self._verify(text, ask=False)
        reference = about(reply)
        if reference is not None:
            refused = self._limits.enter(reference)
            if refused is not None:
                return refused
            requests = 1  # Also if the server cancels this task.
            try:
                reply = self._verify(text)
                requests = reply.attempts
            finally:
                self._limits.leave(reference, requests)
        found = verified(reply)
        if found.key is None:
            if found.unverified and reply.attempts > 0:
                self._limits.found_forged(body)
            if found.unverified and self._unverified is not None:
                self._unverified(reply)
            return found.answer
        begin = self._store.begin(found.key)
        if begin is not Begin.HANDLE:
            return OK if begin is Begin.DONE else BUSY
        try:
            self._handle(cast("WebhookVerifyReply", reply))
        except BaseException:
            self._store.failed(found.key)
            raise
        # Only now: an event whose handler was interrupted is handled again.
        self._store.done(found.key)
        return OK

    def _verify(self, text: str, *, ask: bool = True) -> Reply:
        try:
            return self._client.webhook_verify(text, ask=ask, timeout=self._timeout)
        except PaysvcError as error:
            return error.reply


def _read(environ: WSGIEnvironment) -> bytes | Answer:
    if environ.get("REQUEST_METHOD") != "POST":
        return NOT_POST
    announced = length(environ.get("CONTENT_LENGTH"))
    if isinstance(announced, Answer):
        return announced
    if announced is None and not environ.get("wsgi.input_terminated"):
        return NO_LENGTH
    # Servers that end the input themselves may have no length.
    left = MAX_LENGTH + 1 if announced is None else announced
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


class ASGIApp:
    """The same for ASGI servers, with an AsyncClient. What it calls are coroutine functions, or do not block.

    Args:
        client: asks the service; it needs the secret key if events are about orders
        handle: as for WSGIApp; a coroutine function, or one that does not block
        store: a Store that does not block, or an AsyncStore; without one a MemoryStore
        unverified: as for WSGIApp
        limits: of the verifications; without them Limits()
        timeout: seconds for a verification
    """

    def __init__(
        self,
        client: AsyncClient,
        handle: Callable[[WebhookVerifyReply], Awaitable[object] | object],
        *,
        store: AnyStore | None = None,
        unverified: Callable[[Reply], Awaitable[object] | object] | None = None,
        limits: Limits | None = None,
        timeout: float = 10.0,
    ) -> None:
        self._client = client
        self._handle = handle
        self._store: AnyStore = MemoryStore() if store is None else store
        self._unverified = unverified
        self._limits = limits or Limits()
        self._timeout = timeout

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
        headers = [(name.encode(), value.encode()) for name, value in answer.headers()]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _event(self, body: bytes) -> Answer:
        try:
            return await self._answer(body)
        except Exception:
            logger.exception("an event was not handled")
            return FAILED

    async def _answer(self, body: bytes) -> Answer:
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return BAD_REQUEST
        if self._limits.is_forged(body):
            return OK
        reply = await self._verify(text, ask=False)
        reference = about(reply)
        if reference is not None:
            refused = self._limits.enter(reference)
            if refused is not None:
                return refused
            requests = 1  # Also if the server cancels this task.
            try:
                reply = await self._verify(text)
                requests = reply.attempts
            finally:
                self._limits.leave(reference, requests)
        found = verified(reply)
        if found.key is None:
            if found.unverified and reply.attempts > 0:
                self._limits.found_forged(body)
            if found.unverified and self._unverified is not None:
                await _result(self._unverified(reply))
            return found.answer
        begin = await _result(self._store.begin(found.key))
        if begin is not Begin.HANDLE:
            return OK if begin is Begin.DONE else BUSY
        try:
            await _result(self._handle(cast("WebhookVerifyReply", reply)))
        except BaseException:  # Also if the server cancels this task.
            await _result(self._store.failed(found.key))
            raise
        await _result(self._store.done(found.key))
        return OK

    async def _verify(self, text: str, *, ask: bool = True) -> Reply:
        try:
            return await self._client.webhook_verify(text, ask=ask, timeout=self._timeout)
        except PaysvcError as error:
            return error.reply


async def _result(value: Any) -> Any:
    """The value, or what it becomes."""
    return await value if inspect.isawaitable(value) else value


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
        if received > MAX_LENGTH:
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
