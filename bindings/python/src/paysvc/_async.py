"""The client for asyncio. A cancelled task cancels its request and waits until it has ended: nothing is sent later."""

from __future__ import annotations

import asyncio
import contextvars
import math
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from ._earlier import Request
from ._endpoints import AsyncEndpoints
from ._errors import PaysvcError
from ._generated import TIMEOUT_OF_STEP, EndpointName, Status
from ._library import library
from ._log import logger
from ._native import Call, Owned
from ._progress import Progress
from ._reply import Reply
from ._values import OMIT, Omitted, hidden

Self = TypeVar("Self", bound="AsyncClient")


class AsyncClient(AsyncEndpoints):
    """A client of the payments service for asyncio. Tasks and event loops may share it.

    Calls run on threads of the client's own. The wait for a thread counts towards the timeout of a call; if it expires
    in that wait, the call raises a Timeout with outcome NOT_SENT.

    If a task is cancelled after its request may have been sent, the CancelledError carries the result: see
    paysvc.abandoned_call(). For tasks that nobody awaits there is on_abandoned.
    """

    _max_concurrency: int
    _on_abandoned: Callable[[PaysvcError], object] | None
    _process = 0

    def _open(self, config: Mapping[str, object]) -> dict[str, Any]:
        if type(self._max_concurrency) is not int or self._max_concurrency < 1:
            raise ValueError(f"max_concurrency must be a whole number above 0, not {self._max_concurrency!r}")
        described = super()._open(config)
        self._timeout = described["timeout_ms"] / 1000
        self._threads()
        return described

    async def call(
        self,
        name: EndpointName,
        members: Mapping[str, object],
        *,
        progress: Progress | None = None,
        timeout: float | None = None,
        traceparent: str | None = None,
        idempotency_key: str | Omitted = OMIT,
    ) -> Reply:
        """Calls an endpoint by its name, with the interface's own field names. The methods use this.

        traceparent is as in paysvc.Call.
        """
        members = hidden(members)
        token = Call(traceparent=traceparent)
        request = Request(name, members, token, progress)
        token._prepare(timeout, idempotency_key)
        limit = self._timeout if timeout is None else float(timeout)
        # The client's timeout may be that of a step.
        ends = None if timeout is None and name in TIMEOUT_OF_STEP else time.monotonic() + limit
        work = partial(self._work, self._handle(request), request, ends)
        await self._run(request, token, work, limit)
        return request.end()

    async def _run(self, request: Request, token: Call, work: Callable[[], None], limit: float) -> None:
        try:
            running = self._threads().submit(contextvars.copy_context().run, work)
        except RuntimeError:
            return request.unsent(Status.CANCELLED, "the client or the interpreter is ending")
        over: Future[None] = Future()
        self._open_calls[running] = over, asyncio.get_running_loop()
        ended = asyncio.wrap_future(running)
        try:
            # Unlike wait_for(), wait() does not cancel the future when this task is cancelled.
            await asyncio.wait([ended], timeout=limit)
            if not ended.done():
                if running.cancel():
                    return self._too_late(request)
                await asyncio.wait([ended])  # It has begun: the library enforces the timeout.
            if running.cancelled():
                return request.unsent(Status.CANCELLED, "the client was closed while the call waited")
        except BaseException as thrown:
            if not running.cancel():  # It has begun.
                token.cancel()
                abandon = partial(self._abandon, request, thrown)
                if isinstance(thrown, asyncio.CancelledError):
                    await _wait_for_end(ended)
                    abandon(running)
                else:  # The loop is being closed: nothing can be awaited any more.
                    running.add_done_callback(abandon)
            raise
        finally:
            running.add_done_callback(partial(self._forget, over))
        ended.result()

    def _work(self, owned: Owned, request: Request, ends: float | None) -> None:
        if ends is not None:  # It may have waited for this thread: the call gets the remaining time.
            left = ends - time.monotonic()
            if left <= 0:
                return self._too_late(request)
            library.paysvc_call_set_timeout_ms(request.token._owned, math.ceil(left * 1000))
        try:
            self._invoke(owned, request)
        except BaseException as interrupt:  # The progress function failed.
            request.interrupted(interrupt)
            raise

    def _too_late(self, request: Request) -> None:
        busy = f"all {self._max_concurrency} threads of this client (max_concurrency) were busy"
        request.unsent(Status.TIMEOUT, f"{busy} until the timeout of this call")

    def _forget(self, over: Future[None], running: Future[None]) -> None:
        self._open_calls.pop(running, None)
        over.set_result(None)

    def _abandon(self, request: Request, interrupt: BaseException, _running: Future[None]) -> None:
        error = request.interrupted(interrupt)
        if error is not None and self._on_abandoned is not None:
            try:
                self._on_abandoned(error)
            except Exception:
                logger.exception("on_abandoned failed")

    async def journal_next(self, after: str = "", *, timeout: float | None = None) -> AsyncIterator[tuple[str, Reply]]:
        """Like Client.journal_next(), with async for."""
        while True:
            try:
                reply = await self.call("journal_next", {"after": after}, timeout=timeout)
            except PaysvcError as error:
                reply = error.reply
                if reply._key in ("", after):
                    raise
            if not (after := reply._key):
                return
            yield after, reply

    def _threads(self) -> ThreadPoolExecutor:
        if self._process != os.getpid():  # A forked child has none of its parent's threads.
            self._process = os.getpid()
            self._open_calls: dict[Future[None], tuple[Future[None], asyncio.AbstractEventLoop]] = {}
            self._executor = ThreadPoolExecutor(self._max_concurrency, thread_name_prefix="paysvc")
        return self._executor

    async def aclose(self) -> None:
        """Closes the client, and waits until its calls have ended: cancel their tasks before if that takes too long.

        A call that waits for a thread is not sent any more: it raises a Cancelled with the outcome NOT_SENT, or
        UNKNOWN if it is about an earlier request. When this returns, on_abandoned has been told of every call in a
        cancelled task. If this is cancelled, it stops waiting, and calls that have begun go on.
        """
        self._owned = None
        self._threads().shutdown(wait=False)
        here, ends = asyncio.get_running_loop(), list[asyncio.Future[Any]]()
        for running, (over, loop) in list(self._open_calls.items()):
            running.cancel()
            # The task of another loop may never go on.
            ends.append(asyncio.wrap_future(over if loop is here else running))
        if ends:
            await asyncio.wait(ends)

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def _wait_for_end(ended: asyncio.Future[None]) -> None:
    """Waits for the end of a cancelled call, which is prompt, even if the task is cancelled again meanwhile."""
    while not ended.done():
        try:
            await asyncio.wait([ended])
        except asyncio.CancelledError:
            continue
    ended.exception()  # Retrieved, so that asyncio does not log it as never retrieved.
