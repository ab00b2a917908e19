"""The client for asyncio. A cancelled task cancels its request, and waits for its end: nothing is sent later."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TypeVar

from ._endpoints import AsyncEndpoints
from ._generated import DEFAULT_TIMEOUT_MS, Status
from ._log import logger
from ._native import Call, Native, Owned, abandon, succeeded
from ._reply import Reply

Self = TypeVar("Self", bound="AsyncClient")


class AsyncClient(AsyncEndpoints):
    """The payments service for asyncio. Tasks and event loops may share a client.

    A call that waits for a thread waits within its timeout: when that is up, nothing was sent (a Timeout, NOT_SENT).

    When a task is cancelled whose request may have left, the CancelledError carries what is known: see
    paysvc.abandoned_call(), and on_abandoned for tasks that nobody awaits.
    """

    _native: Native
    _max_concurrency: int
    _on_abandoned: Callable[[str, Reply], None] | None

    def _open(self, config: Mapping[str, object]) -> None:
        self._native = Native(config)
        self._timeout = _timeout_of(config)
        self._process = 0
        self._lock = threading.Lock()
        self._calls = 0  # That run or wait for a thread.
        self._executor: ThreadPoolExecutor | None = None
        self._threads()

    @classmethod
    def from_env(
        cls: type[Self], *, max_concurrency: int = 16, on_abandoned: Callable[[str, Reply], None] | None = None
    ) -> Self:
        """A client whose configuration is the environment's."""
        return cls(max_concurrency=max_concurrency, on_abandoned=on_abandoned)

    async def call(self, name: str, members: Mapping[str, object], *, timeout: float | None = None) -> Reply:
        """Calls an endpoint by its name, with the interface's own member names: what the methods come down to."""
        return succeeded(await self._run(name, members, timeout))

    async def _run(self, name: str, members: Mapping[str, object], timeout: float | None) -> Reply:
        token, owned = Call(), self._native.hold()
        limit = self._timeout
        if timeout is not None:
            token._set_timeout(timeout)
            limit = min(float(timeout), threading.TIMEOUT_MAX)
        deadline = time.monotonic() + limit
        threads = self._threads()
        with self._lock:
            self._calls += 1
            waits = self._calls > self._max_concurrency
        work = partial(self._work, owned, name, members, token, deadline if waits else None)
        running = threads.submit(contextvars.copy_context().run, work)
        ended = asyncio.wrap_future(running)
        try:
            # wait() leaves the future alone when this task is cancelled.
            await asyncio.wait([ended], timeout=limit if waits else None)
            if not ended.done():
                if self._drop(running):
                    return self._too_late(name)
                await asyncio.wait([ended])  # It has begun, and the library ends it in time.
        except asyncio.CancelledError as cancelled:
            if not self._drop(running):  # It had begun.
                token.cancel()
                await _end_of(ended)
                self._abandon(name, running, cancelled)
            raise
        except BaseException as thrown:  # The loop is being torn down: nothing can be awaited any more.
            if not self._drop(running):
                token.cancel()
                running.add_done_callback(partial(self._abandon, name, interrupt=thrown))
            raise
        return ended.result()

    def _work(
        self, owned: Owned, name: str, members: Mapping[str, object], token: Call, deadline: float | None
    ) -> Reply:
        try:
            if deadline is not None:  # It may have waited: what is left of its time is what the call gets.
                left = deadline - time.monotonic()
                if left <= 0:
                    return self._too_late(name)
                token._set_timeout(left)
            return self._native.call(owned, name, members, token)
        finally:
            with self._lock:
                self._calls -= 1

    def _drop(self, running: Future[Reply]) -> bool:
        """Takes a call back that has not begun; false: it has begun, or is done."""
        dropped = running.cancel()
        if dropped:
            with self._lock:
                self._calls -= 1
        return dropped

    def _too_late(self, name: str) -> Reply:
        busy = f"all {self._max_concurrency} threads of this client (max_concurrency) were busy"
        return Reply.local(Status.TIMEOUT, f"{name}: {busy} until the time of this call was up; nothing was sent")

    def _abandon(self, name: str, running: Future[Reply], interrupt: BaseException) -> None:
        if running.exception() is not None:
            return  # Refused before it was sent.
        reply = running.result()
        if abandon(name, reply, interrupt) and self._on_abandoned is not None:
            try:
                self._on_abandoned(name, reply)
            except Exception:
                logger.exception("on_abandoned failed")

    async def encrypt(self, payload: Mapping[str, object]) -> Reply:
        """Encrypts a payload without sending it; the reply's "data" is the ciphertext in base64."""
        return succeeded(self._native.call(self._native.hold(), "encrypt", payload, None))

    def _threads(self) -> ThreadPoolExecutor:
        # The threads of a parent do not live in its child.
        if self._executor is None or self._process != os.getpid():
            self._process = os.getpid()
            self._lock, self._calls = threading.Lock(), 0
            self._executor = ThreadPoolExecutor(self._max_concurrency, thread_name_prefix="paysvc")
        return self._executor

    async def aclose(self) -> None:
        """Closes the client. Calls of other tasks that still run end normally."""
        self._native.close()
        if self._executor is not None:
            self._executor.shutdown(wait=False)

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<paysvc.AsyncClient {'closed' if self._native.closed else 'open'}>"


def _timeout_of(config: Mapping[str, object]) -> float:
    """The time limit, in seconds, that the library reads from the same places."""
    given = config.get("timeout_ms", os.environ.get("PAYSVC_TIMEOUT_MS"))
    try:
        limit = int(given)  # type: ignore[call-overload]
    except (TypeError, ValueError):  # Not said; or wrong, and the library has refused it.
        limit = DEFAULT_TIMEOUT_MS
    return float(limit if limit > 0 else DEFAULT_TIMEOUT_MS) / 1000


async def _end_of(ended: asyncio.Future[Reply]) -> None:
    """Waits for the end of a cancelled call, which is prompt; being cancelled again does not cut it short."""
    while not ended.done():
        try:
            await asyncio.wait([ended])
        except asyncio.CancelledError:
            continue
    ended.exception()  # Looked at, so that asyncio does not complain.
