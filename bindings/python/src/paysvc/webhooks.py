"""Webhooks: receivers that verify each event, and pass on the service's response about it.

Receiver and AsyncReceiver are for a route of any framework; WSGIApp and ASGIApp are whole applications. Events are not
signed, so anybody who knows the URL can send one. All ask the service, and give the handler its response, never
the event. The docs folder of libpaysvc has a page about what that proves, with programs for FastAPI, Flask and Django.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from contextlib import suppress
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, Union, cast

from ._client import Client
from ._errors import PaysvcError, error_of
from ._generated import (
    WEBHOOK_MAX_LENGTH,
    WEBHOOK_REMEMBERED,
    WEBHOOK_RETRY_AFTER_SECONDS,
    WEBHOOK_VERIFY_SECONDS,
    Status,
)
from ._log import EXTRA, logger
from ._native import Native
from ._reply import Reply
from ._values import raw_body

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from ._async import AsyncClient
    from ._replies import WebhookVerifyReply

__all__ = [
    "ASGIApp",
    "AsyncReceiver",
    "AsyncStore",
    "Begin",
    "MemoryStore",
    "Receiver",
    "Store",
    "WSGIApp",
]

#: The response to the sender: status and headers. The body is empty: nobody learns anything about a payment.
Answer = tuple[int, dict[str, str]]
Message = MutableMapping[str, Any]


def _later(status: int, seconds: int) -> Answer:
    return status, {"retry-after": str(seconds)}


OK: Answer = 200, {}
BAD_REQUEST: Answer = 400, {}
TOO_LARGE: Answer = 413, {}
NOT_POST: Answer = 405, {"allow": "POST"}


class Begin(Enum):
    """The decision of a store about an event that is about to be handled, and what the receiver then does."""

    #: Nobody has handled it, nobody is handling it, and from now on the caller is: no other caller gets HANDLE until
    #: failed(). The handler is called. The service is answered 200 after done(), or 500 after failed().
    HANDLE = "handle"
    #: Somebody else has got HANDLE, and has called neither done() nor failed() yet. The handler is not called. The
    #: service is answered 503 with Retry-After, so that it sends the event again: the other one may still fail.
    BUSY = "busy"
    #: done() has been called for it. The handler is not called, and the service is answered 200.
    DONE = "done"


class Store(Protocol):
    """Remembers which events have been handled, by the key of the verified event: at most 100 letters, digits and "-".

    For each event that is authentic, the receiver calls begin(). Only after HANDLE it calls the handler, and then
    exactly one of done() and failed(), unless the process dies. If a method raises, the service is answered 500, so
    that it sends the event again.

    A store that processes share must decide `begin` atomically, e.g. by inserting a row with a unique key, and must
    release what a dead process has begun, e.g. after some minutes: otherwise it says BUSY for ever, and the event is
    never handled. The docs folder of libpaysvc has one in a database.
    """

    def begin(self, key: str) -> Begin:
        """HANDLE if the caller, and nobody else, is to handle it now; BUSY while another does; DONE if it was handled.

        Several threads and processes call it at once with the same key.
        """
        ...

    def done(self, key: str) -> None:
        """The handler has returned. From now on begin() returns DONE, as long as the store remembers."""
        ...

    def failed(self, key: str) -> None:
        """The handler has raised, or was cancelled. The next begin() returns HANDLE."""
        ...


class AsyncStore(Protocol):
    """A Store for asyncio."""

    def begin(self, key: str) -> Awaitable[Begin]: ...

    def done(self, key: str) -> Awaitable[None]: ...

    def failed(self, key: str) -> Awaitable[None]: ...


AnyStore = Union[Store, AsyncStore]


class MemoryStore:
    """The newest keys in memory, for one process. A restart forgets them: handling an event twice must do no harm."""

    def __init__(self, limit: int = WEBHOOK_REMEMBERED) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._done: dict[str, None] = {}

    def begin(self, key: str) -> Begin:
        with self._lock:
            if key in self._done:
                self._remember(key)
                return Begin.DONE
            if key in self._busy:
                return Begin.BUSY
            self._busy.add(key)
            return Begin.HANDLE

    def done(self, key: str) -> None:
        with self._lock:
            self._busy.discard(key)
            self._remember(key)

    def failed(self, key: str) -> None:
        with self._lock:
            self._busy.discard(key)

    def _remember(self, key: str) -> None:
        """Keeps the key as the newest; the oldest goes."""
        self._done.pop(key, None)
        self._done[key] = None
        if len(self._done) > self._limit:
            del self._done[next(iter(self._done))]


def verified(reply: WebhookVerifyReply) -> tuple[str | None, Answer, bool]:
    """The library's decision about an event: the key of one that is to be handled, else None; the response to its
    sender; and whether it is not authentic, and not only repeated.
    """
    seconds = None
    with suppress(ValueError):  # Python cannot read a response that is nested too deeply.
        found = reply.webhook
        if found.respond == 200 and found.authentic and found.key is not None:
            return found.key, OK, False
        if found.respond in (200, 400):
            # OK without a request: the library remembers the same body.
            return None, (found.respond, {}), reply.status != Status.OK or reply.attempts > 0
        seconds = found.retry_after  # None: the library was not asked.
    return None, _later(503, WEBHOOK_RETRY_AFTER_SECONDS if seconds is None else seconds), False


def _names(reply: WebhookVerifyReply | None) -> dict[str, object]:
    """The attributes of a record: those of all records of this package, and what names the event."""
    known: dict[str, object] = {**dict.fromkeys((*EXTRA, "reference", "key")), "endpoint": "webhook_verify"}
    if reply is not None:
        known.update(outcome=reply.outcome.name, call_id=reply.call_id)
        with suppress(ValueError):
            known.update(reference=reply.webhook.about, key=reply.webhook.key)
    return known


_Client = TypeVar("_Client", bound="Client | AsyncClient")
_Store = TypeVar("_Store", bound=AnyStore)
_ASYNC = "AsyncReceiver and ASGIApp can, with an AsyncClient"


class _Receiver(Generic[_Client, _Store]):
    """The work of both receivers, as a coroutine: that of a Receiver never waits, so that finished() can run it."""

    _waits: ClassVar[bool]

    def __init__(
        self,
        client: _Client,
        handle: Callable[[WebhookVerifyReply], object],
        *,
        store: _Store | None = None,
        unverified: Callable[[WebhookVerifyReply], object] | None = None,
        timeout: float = WEBHOOK_VERIFY_SECONDS,
        orders: bool = True,
    ) -> None:
        kind: type[Client | AsyncClient] = Client
        if self._waits:
            from ._async import AsyncClient as kind
        if not isinstance(client, kind):
            raise TypeError(f"{type(self).__name__} takes a paysvc.{kind.__name__}, not {type(client).__name__}")
        self._client = client
        self._handle = handle
        self._store = MemoryStore() if store is None else store
        self._unverified = unverified
        self._timeout = timeout
        called = {f"the store's {name}": getattr(self._store, name, None) for name in ("begin", "done", "failed")}
        for what, function in {"the handler": handle, "unverified": unverified, **called}.items():
            if function is not None or what != "unverified":
                self._check(what, function)
        if orders:
            _check_key(client)

    def _check(self, what: str, function: object) -> None:
        if not callable(function):
            raise TypeError(f"{what} must be a function, not {type(function).__name__}")
        if _is(function, inspect.isgeneratorfunction) or _is(function, inspect.isasyncgenfunction):
            raise TypeError(f"{what} is a generator function: calling it would run nothing")
        if not self._waits and _is(function, inspect.iscoroutinefunction):
            raise TypeError(f"{what} is a coroutine function, which {type(self).__name__} cannot run: {_ASYNC}")

    async def _event(self, body: bytes | str) -> Answer:
        text = raw_body(body)
        reply: WebhookVerifyReply | None = None
        try:
            if len(text.encode("utf-8", "replace")) > WEBHOOK_MAX_LENGTH:
                return TOO_LARGE
            reply = await self._verify(text)
            return await self._act(reply)
        except Exception:
            # Only what identifies the event; the rest may be personal data.
            known = _names(reply)
            about = known["reference"], known["key"], known["call_id"]
            logger.exception("an event about %.100r was not handled: key %s, call %s", *about, extra=known)
            return _later(500, WEBHOOK_RETRY_AFTER_SECONDS)

    async def _act(self, reply: WebhookVerifyReply) -> Answer:
        key, answer, unverified = verified(reply)
        if key is None:
            if reply.status in (Status.CONFIG, Status.UNAUTHORIZED):
                line = "an event cannot be verified, and is answered 503: %s; call %s"
                logger.error(line, reply.message, reply.call_id, extra=_names(reply))
            if unverified and self._unverified is not None:
                _ended("unverified", await self._result(self._unverified(reply)))
            return answer
        begin = await self._result(self._store.begin(key))
        if not isinstance(begin, Begin):
            raise TypeError(f"begin() of the store must return a Begin, not {type(begin).__name__}")
        if begin is not Begin.HANDLE:
            return OK if begin is Begin.DONE else _later(503, 1)
        try:
            _ended("the handler", await self._result(self._handle(reply)))
        except BaseException:  # Also if the server cancels this task.
            await self._result(self._store.failed(key))
            raise
        # Only now: an event whose handler was interrupted is handled again.
        await self._result(self._store.done(key))
        return OK

    async def _verify(self, text: str) -> WebhookVerifyReply:
        try:
            reply = await self._result(self._client.webhook_verify(text, timeout=self._timeout))
        except PaysvcError as error:
            reply = error.reply
        return cast("WebhookVerifyReply", reply)

    async def _result(self, value: Any) -> Any:
        """The value, or what an awaitable becomes."""
        return await value if self._waits and inspect.isawaitable(value) else value


class Receiver(_Receiver[Client, Store]):
    """Receives events in any framework: a plain route gives handle() the raw body, and answers what it returns.

    Args:
        client: a paysvc.Client, which asks the service, within its limits webhook_at_once and webhook_per_minute
        handle: called with the reply to webhook_verify() of each authentic event, once per state of a payment. It acts
            on the reply: ask is_paid() of it, or look at reply.state. If it raises, that is logged, the service is
            answered 500, and the next delivery is handled. It must not be a coroutine function
        store: remembers what was handled; without one a MemoryStore, which a restart empties
        unverified: called with the reply of each event that was found not authentic, e.g. to count them. It must not
            act on them. A body that the service has contradicted, and that is sent again within a minute, is not
            reported again. An event that is only ahead of the service is none of them: it is answered 503, and verified
            again when it is sent again.
        timeout: seconds for a verification
        orders: False: no events about orders are expected, so that the client needs no secret key

    Raises:
        TypeError: the client is of another kind, or what is called is a coroutine function
        ConfigError: the client has no secret key, which events about orders need
    """

    _waits = False

    def handle(self, body: bytes | str) -> Answer:
        """Handles an event: the status and the headers that the service is answered, with an empty body.

        It raises nothing but a TypeError, if the body is not the raw one.
        """
        return _finished(self._event(body))


class AsyncReceiver(_Receiver["AsyncClient", AnyStore]):
    """The same for asyncio, with an AsyncClient: `await receiver.handle(body)`.

    Its arguments are those of Receiver. The handler, `unverified` and the store are coroutine functions, or do not
    block.
    """

    _waits = True

    async def handle(self, body: bytes | str) -> Answer:
        """Like Receiver.handle()."""
        return await self._event(body)


class WSGIApp(Receiver):
    """A WSGI application at the URL to which the service sends its events. Its arguments are those of Receiver."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = _read(environ)
        status, headers = _finished(self._event(body)) if isinstance(body, bytes) else body
        start_response(f"{status} {HTTPStatus(status).phrase}", [("content-length", "0"), *headers.items()])
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
        if scope["type"] == "lifespan":  # Nothing has to be begun or ended: the program closes its client itself.
            kind = ""
            while kind != "lifespan.shutdown":
                kind = (await receive())["type"]
                await send({"type": f"{kind}.complete"})
        elif scope["type"] != "http":
            await send({"type": "websocket.close"})
        else:
            body = await _receive(scope, receive)
            if body is None:
                return  # The sender has gone away.
            status, headers = await self._event(body) if isinstance(body, bytes) else body
            fields = [(b"content-length", b"0"), *((k.encode(), v.encode()) for k, v in headers.items())]
            await send({"type": "http.response.start", "status": status, "headers": fields})
            await send({"type": "http.response.body", "body": b""})


def _finished(coroutine: Coroutine[object, None, Answer]) -> Answer:
    """The result of a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast(Answer, end.value)
    raise AssertionError("it waits")


def _is(function: object, kind: Callable[[object], bool]) -> bool:
    """Returns whether it, the function it is a partial of, or the __call__ of its class is such a function."""
    while isinstance(function, functools.partial):
        function = function.func
    return kind(function) or kind(getattr(type(function), "__call__", None))  # noqa: B004


def _ended(what: str, result: object) -> None:
    """Raises if a function did not run, but only returned something that would have to be run."""
    if inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(f"{what} returned a {type(result).__name__}, which would never run: {_ASYNC}")


def _check_key(client: Native) -> None:
    """Raises if the client cannot ask about orders. It sends nothing."""
    for check in client._check()._get("checks") or ():
        if check["check"] in ("base_url", "secret_key") and not check["ok"]:
            without = "without it, events about orders cannot be verified (orders=False: there are none)"
            message = f"{check['check']} {check['message']}; {without}"
            raise error_of(Reply.local(Status.CONFIG, message), "webhook_verify")


def _length(text: str | None) -> int | Answer | None:
    """The value of content-length, or why the request is refused; None if it has none."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        return BAD_REQUEST
    # More digits than a length may have: int() refuses thousands of them.
    return int(text) if len(text) < 16 and int(text) <= WEBHOOK_MAX_LENGTH else TOO_LARGE


def _read(environ: WSGIEnvironment) -> bytes | Answer:
    if environ.get("REQUEST_METHOD") != "POST":
        return NOT_POST
    announced = _length(environ.get("CONTENT_LENGTH"))
    if isinstance(announced, tuple):
        return announced
    if announced is None and not environ.get("wsgi.input_terminated"):
        return 411, {}
    # Servers that end the input themselves may have no length.
    left = WEBHOOK_MAX_LENGTH + 1 if announced is None else announced
    body = bytearray()
    while left > 0:
        part: bytes = environ["wsgi.input"].read(left)
        if not part:
            break
        body += part
        left -= len(part)
    if announced is None:
        return bytes(body) if left > 0 else TOO_LARGE
    return bytes(body) if left == 0 else BAD_REQUEST


async def _receive(scope: Message, receive: Callable[[], Awaitable[Message]]) -> bytes | Answer | None:
    if scope["method"] != "POST":
        return NOT_POST
    headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
    announced = _length(headers.get(b"content-length", b"").decode("latin-1"))
    if isinstance(announced, tuple):
        return announced
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > WEBHOOK_MAX_LENGTH:
            return TOO_LARGE
        if not message.get("more_body", False):
            return bytes(body)
