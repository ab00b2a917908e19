"""Receivers of webhooks for any framework: a body goes in, and what the sender is answered comes out."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from ._client import Client
from ._errors import PaysvcError, error_of
from ._generated import WEBHOOK_MAX_LENGTH, WEBHOOK_VERIFY_SECONDS, Outcome, Status
from ._native import Call, Native
from ._reply import Reply
from ._values import raw_body
from ._webhook import (
    BAD_REQUEST,
    BUSY,
    OK,
    TOO_LARGE,
    Answer,
    Limits,
    about,
    failed,
    misconfigured,
    verified,
)
from ._webhook_store import AnyStore, Begin, MemoryStore, Store

if TYPE_CHECKING:
    from ._async import AsyncClient
    from ._replies import WebhookVerifyReply

_Client = TypeVar("_Client", bound="Client | AsyncClient")
_Store = TypeVar("_Store", bound=AnyStore)


class _Receiver(Generic[_Client, _Store]):
    """What both receivers do, as a coroutine: that of a Receiver never waits, so that finished() can run it."""

    _waits: ClassVar[bool]

    def __init__(
        self,
        client: _Client,
        handle: Callable[[WebhookVerifyReply], object],
        *,
        store: _Store | None = None,
        unverified: Callable[[WebhookVerifyReply], object] | None = None,
        limits: Limits | None = None,
        timeout: float = WEBHOOK_VERIFY_SECONDS,
        orders: bool = True,
    ) -> None:
        kind = _client_class(self._waits)
        if not isinstance(client, kind):
            raise TypeError(f"{type(self).__name__} takes a paysvc.{kind.__name__}, not {type(client).__name__}")
        self._client = client
        self._handle = handle
        self._store = MemoryStore() if store is None else store
        self._unverified = unverified
        self._limits = limits or Limits()
        self._timeout = timeout
        for what, function in _called(handle, unverified, self._store):
            _check_function(what, function)
            if not self._waits and _is(function, inspect.iscoroutinefunction):
                raise TypeError(f"{what} is a coroutine function, which {type(self).__name__} cannot run: {_ASYNC}")
        if orders:
            _check_key(client._native)

    async def _event(self, body: bytes) -> Answer:
        reply: WebhookVerifyReply | None = None
        try:
            asked = await self._ask(body)
            if isinstance(asked, Answer):
                return asked
            reply = asked
            return await self._act(body, reply)
        except Exception:
            return failed(reply)

    async def _ask(self, body: bytes) -> WebhookVerifyReply | Answer:
        text = _text(body)
        if isinstance(text, Answer):
            return text
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
        return reply

    async def _act(self, body: bytes, reply: WebhookVerifyReply) -> Answer:
        found = verified(reply)
        if found.key is None:
            misconfigured(reply)
            if found.unverified and reply.attempts > 0:
                self._limits.found_forged(body)
            if found.unverified and self._unverified is not None:
                _ended("unverified", await self._result(self._unverified(reply)))
            return found.answer
        begin = _begun(await self._result(self._store.begin(found.key)))
        if begin is not Begin.HANDLE:
            return OK if begin is Begin.DONE else BUSY
        try:
            _ended("the handler", await self._result(self._handle(reply)))
        except BaseException:  # Also if the server cancels this task.
            await self._result(self._store.failed(found.key))
            raise
        # Only now: an event whose handler was interrupted is handled again.
        await self._result(self._store.done(found.key))
        return OK

    async def _verify(self, text: str, *, ask: bool = True) -> WebhookVerifyReply:
        reply: WebhookVerifyReply
        try:
            reply = await self._result(self._client.webhook_verify(text, ask=ask, timeout=self._timeout))
        except PaysvcError as error:
            reply = cast("WebhookVerifyReply", error.reply)
        return reply

    async def _result(self, value: Any) -> Any:
        """The value, or what an awaitable becomes."""
        return await value if self._waits and inspect.isawaitable(value) else value


class Receiver(_Receiver[Client, Store]):
    """Receives events in any framework: a plain route gives handle() the raw body, and answers what it returns.

    Args:
        client: a paysvc.Client, which asks the service
        handle: called with the reply to webhook_verify() of each authentic event, once per state of a payment. It acts
            on the reply: ask is_paid() of it, or look at reply.state. If it raises, that is logged, the service is
            answered 500, and the next delivery is handled. It must not be a coroutine function
        store: remembers what was handled; without one a MemoryStore, which a restart empties
        unverified: called with the reply of each event that was found not authentic, e.g. to count them. It must not
            act on them. A body that is sent again within a minute is not reported again. An event that is only ahead of
            the service is none of them: it is answered 503, and verified again when it is sent again.
        limits: of the verifications; without them Limits()
        timeout: seconds for a verification
        orders: False: no events about orders are expected, so that the client needs no secret key

    Raises:
        TypeError: the client is of another kind, or what is called is a coroutine function
        ConfigError: the client has no secret key, which events about orders need
    """

    _waits = False

    def handle(self, body: bytes | str) -> tuple[int, dict[str, str]]:
        """Handles an event: the status and the headers that the service is answered, with an empty body.

        It raises nothing but a TypeError, if the body is not the raw one.
        """
        answer = finished(self._event(_bytes(body)))
        return answer.status, answer.headers()


class AsyncReceiver(_Receiver["AsyncClient", AnyStore]):
    """The same for asyncio: `await receiver.handle(body)`. What it calls are coroutine functions, or do not block.

    Args:
        client: a paysvc.AsyncClient, which asks the service
        handle: as for Receiver; a coroutine function, or one that does not block
        store: a Store that does not block, or an AsyncStore; without one a MemoryStore
        unverified: as for Receiver
        limits: of the verifications; without them Limits()
        timeout: seconds for a verification
        orders: as for Receiver

    Raises:
        TypeError: the client is of another kind
        ConfigError: the client has no secret key, which events about orders need
    """

    _waits = True

    async def handle(self, body: bytes | str) -> tuple[int, dict[str, str]]:
        """As Receiver.handle()."""
        answer = await self._event(_bytes(body))
        return answer.status, answer.headers()


def finished(coroutine: Coroutine[object, None, Answer]) -> Answer:
    """The result of a coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        answer: Answer = end.value
        return answer
    raise AssertionError("it waits")


_ASYNC = "AsyncReceiver and ASGIApp can, with an AsyncClient"


def _client_class(waits: bool) -> type[Client | AsyncClient]:
    if not waits:
        return Client
    from ._async import AsyncClient

    return AsyncClient


def _called(handle: object, unverified: object, store: object) -> list[tuple[str, object]]:
    """What a receiver calls, by the name that a person gives it."""
    store_has = [(f"the store's {name}", getattr(store, name, None)) for name in ("begin", "done", "failed")]
    return [("the handler", handle), *([] if unverified is None else [("unverified", unverified)]), *store_has]


def _check_function(what: str, function: object) -> None:
    if not callable(function):
        raise TypeError(f"{what} must be a function, not {type(function).__name__}")
    if _is(function, inspect.isgeneratorfunction) or _is(function, inspect.isasyncgenfunction):
        raise TypeError(f"{what} is a generator function: calling it would run nothing")


def _is(function: object, kind: Callable[[object], bool]) -> bool:
    """Whether it, what it is a partial of, or the __call__ of its class is such a function."""
    while isinstance(function, functools.partial):
        function = function.func
    return kind(function) or kind(getattr(type(function), "__call__", None))  # noqa: B004


def _check_key(native: Native) -> None:
    """Raises if the client cannot ask about orders. It sends nothing: the check is cancelled before it begins."""
    cancelled = Call()
    cancelled.cancel()
    reply = native.call(native.handle("webhook_verify", {}), "client_check", {}, cancelled)
    for check in reply._get("checks") or ():
        if check["check"] in ("base_url", "secret_key") and not check["ok"]:
            without = "without it, events about orders cannot be verified (orders=False: there are none)"
            message = f"{check['check']} {check['message']}; {without}"
            raise error_of(Reply.local(Status.CONFIG, message, Outcome.NOT_SENT), "webhook_verify")


def _bytes(body: bytes | str) -> bytes:
    text = raw_body(body)
    return text.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)


def _text(body: bytes) -> str | Answer:
    if len(body) > WEBHOOK_MAX_LENGTH:
        return TOO_LARGE
    try:
        return body.decode()
    except UnicodeDecodeError:
        return BAD_REQUEST


def _ended(what: str, result: object) -> None:
    """Raises if a function did not run, but only returned something that would have to be run."""
    if inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(f"{what} returned a {type(result).__name__}, which would never run: {_ASYNC}")


def _begun(begin: Begin) -> Begin:
    if not isinstance(begin, Begin):
        raise TypeError(f"begin() of the store must return a Begin, not {type(begin).__name__}")
    return begin
