"""Tasks: cancelling one cancels its request for good, and says what became of it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import queue
import sys
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from peer import Exchange, Peer

import paysvc
from paysvc import AsyncClient, Outcome
from paysvc.sandbox import Sandbox

T = TypeVar("T")


def run(story: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(story)


async def next_of(peer: Peer) -> Exchange:
    return await asyncio.get_running_loop().run_in_executor(None, peer.next)


def test_a_story(paysvc_sandbox: Sandbox) -> None:
    async def story() -> None:
        async with AsyncClient(**paysvc_sandbox.config) as client:
            aliases = [client.virtual_account_generate(alias=f"a-{n % 4}") for n in range(12)]
            numbers = {reply["accountNumber"] for reply in await asyncio.gather(*aliases)}
            assert len(numbers) == 4
            assert (await client.encrypt({"a": 1}))["data"]
            assert (await client.request(method="GET", path="/payment/banks", key="public")).attempts == 1
            with pytest.raises(paysvc.Rejected):
                await client.order_refund(reference="none")
            with pytest.raises(TypeError, match="a float is not exact"):
                await client.call("order_refund", {"reference": "R", "amount": 1.5})
        assert repr(client) == "<paysvc.AsyncClient closed>"
        with pytest.raises(RuntimeError, match="this client is closed"):
            await client.order_refund(reference="R")

    run(story())


WAYS = ["cancel", "wait_for", *(["timeout"] if sys.version_info >= (3, 11) else [])]


@pytest.mark.parametrize("how", WAYS)
def test_a_cancelled_task_cancels_its_request(peer: Peer, how: str, caplog: pytest.LogCaptureFixture) -> None:
    told: list[tuple[str, paysvc.Reply]] = []
    came: list[Exchange] = []

    async def story() -> BaseException:
        async with AsyncClient(**peer.config, on_abandoned=lambda name, reply: told.append((name, reply))) as client:
            refund = client.order_refund(reference="R")
            try:
                if how == "cancel":
                    task = asyncio.ensure_future(refund)
                    came.append(await next_of(peer))
                    task.cancel()
                    await task
                elif how == "wait_for":
                    await asyncio.wait_for(refund, 1.0)
                elif sys.version_info >= (3, 11):
                    async with asyncio.timeout(1.0):
                        await refund
            except (asyncio.CancelledError, asyncio.TimeoutError) as ended:
                # The call has ended: no thread of this client is busy, and the connection is closed.
                assert client._executor is not None
                assert client._executor.submit(int).result() == 0
                if not came:
                    came.append(peer.next())
                assert came[0].wait_for_end() == b""
                return ended
        raise AssertionError("was not cancelled")

    ended = run(story())
    error = paysvc.abandoned_call(ended)
    assert isinstance(error, paysvc.Cancelled)
    assert isinstance(error, paysvc.OutcomeUnknown)
    assert [(name, reply.outcome) for name, reply in told] == [("order_refund", Outcome.UNKNOWN)]
    assert "order_refund was given up, outcome UNKNOWN" in caplog.text
    assert peer.is_quiet()


def test_a_success_that_comes_with_the_cancel_is_not_lost(peer: Peer) -> None:
    async def story() -> BaseException | None:
        async with AsyncClient(**peer.config, max_concurrency=1) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            (await next_of(peer)).answer(status=True, message="refunded")
            assert client._executor is not None
            client._executor.submit(int).result()  # The one thread is free: the call has ended, the task has not heard.
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            return paysvc.abandoned_call(caught.value)

    error = run(story())
    assert isinstance(error, paysvc.Abandoned)
    assert (error.outcome, error.message) == (Outcome.CONFIRMED, "refunded")


def test_being_cancelled_twice_does_not_cut_the_wait_short(peer: Peer) -> None:
    told: list[Outcome] = []

    async def story() -> None:
        async with AsyncClient(**peer.config, on_abandoned=lambda _, reply: told.append(reply.outcome)) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            await next_of(peer)
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    run(story())
    assert told == [Outcome.UNKNOWN]


def test_a_task_torn_down_with_its_loop_is_told_of(peer: Peer) -> None:
    told: queue.Queue[Outcome] = queue.Queue()

    async def story() -> None:
        client = AsyncClient(**peer.config, on_abandoned=lambda _, reply: told.put(reply.outcome))
        refund = client.order_refund(reference="R")
        refund.send(None)
        exchange = await next_of(peer)
        refund.close()
        assert exchange.wait_for_end() == b""
        await client.aclose()

    run(story())
    assert told.get(timeout=60) == Outcome.UNKNOWN


def test_no_more_threads_than_said_and_what_waits_is_cancelled_unsent(peer: Peer) -> None:
    async def story() -> None:
        async with AsyncClient(**peer.config, max_concurrency=2) as client:
            tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}")) for n in range(4)]
            first, second = await next_of(peer), await next_of(peer)
            tasks[3].cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await tasks[3]
            assert paysvc.abandoned_call(caught.value) is None
            # Too late before a thread is free: nothing is sent either.
            late = asyncio.ensure_future(client.order_refund(reference="late", timeout=1e-6))
            await asyncio.sleep(0)
            assert peer.is_quiet(), "two threads, two requests"
            first.answer(status=True)
            second.answer(status=True)
            (await next_of(peer)).answer(status=True)
            assert all(reply.outcome == Outcome.CONFIRMED for reply in await asyncio.gather(*tasks[:3]))
            with pytest.raises(paysvc.Timeout) as timeout:
                await late
            assert timeout.value.outcome == Outcome.NOT_SENT
            assert peer.is_quiet()

    run(story())


def test_waiting_for_a_thread_counts(peer: Peer) -> None:
    """Two calls stall on both threads: a third ends with its own time, although no thread ever looked at it."""

    async def story() -> None:
        async with AsyncClient(**peer.config, max_concurrency=2) as client:
            tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}")) for n in range(2)]
            stalled = await next_of(peer), await next_of(peer)
            started = time.monotonic()
            with pytest.raises(paysvc.Timeout) as caught:
                await client.order_refund(reference="R-2", timeout=0.5)
            assert 0.5 <= time.monotonic() - started < 5
            error = caught.value
            assert not isinstance(error, paysvc.OutcomeUnknown)
            assert (error.outcome, error.attempts, error.http_status) == (Outcome.NOT_SENT, 0, 0)
            assert error.message == (
                "order_refund: all 2 threads of this client (max_concurrency) were busy until the time of this call "
                "was up; nothing was sent"
            )
            assert error.body == {"status": False, "message": error.message, "errors": {}}
            for exchange in stalled:
                exchange.answer(status=True)
            await asyncio.gather(*tasks)
            assert peer.is_quiet(), "nothing is sent later"
            # The threads are free again, and the count of calls is right.
            assert client._calls == 0

    run(story())


def test_the_clients_own_timeout_counts_the_wait_too(peer: Peer) -> None:
    async def story(**times: Any) -> None:
        async with AsyncClient(**peer.config, **times, max_concurrency=1) as client:
            first = asyncio.ensure_future(client.order_refund(reference="R-0", timeout=60))
            exchange = await next_of(peer)
            started = time.monotonic()
            with pytest.raises(paysvc.Timeout) as caught:
                await client.order_refund(reference="R-1")
            assert 0.3 <= time.monotonic() - started < 5
            assert caught.value.outcome == Outcome.NOT_SENT
            exchange.answer(status=True)
            await first
            assert peer.is_quiet()

    run(story(timeout_ms=300))
    run(story(timeout=0.3))


def test_what_is_left_after_waiting_is_what_the_call_gets(peer: Peer) -> None:
    async def story() -> None:
        async with AsyncClient(**peer.config, max_concurrency=1) as client:
            first = asyncio.ensure_future(client.order_refund(reference="R-0"))
            exchange = await next_of(peer)
            started = time.monotonic()
            second = asyncio.ensure_future(client.order_refund(reference="R-1", timeout=2))
            await asyncio.sleep(1)
            exchange.answer(status=True)
            await first
            await next_of(peer)  # The second has begun, a second late; it is not answered.
            with pytest.raises(paysvc.Timeout) as caught:
                await second
            assert isinstance(caught.value, paysvc.OutcomeUnknown)
            assert time.monotonic() - started < 2.9, "not two seconds from when it had its thread"

    run(story())


def test_a_callback_that_fails_changes_nothing(peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    def fail(name: str, reply: paysvc.Reply) -> None:
        raise ZeroDivisionError

    async def story() -> None:
        async with AsyncClient(**peer.config, on_abandoned=fail) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            await next_of(peer)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(story())
    assert "on_abandoned failed" in caplog.text


def test_the_loop_goes_on_while_a_call_waits(peer: Peer) -> None:
    async def story() -> None:
        async with AsyncClient(**peer.config) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            exchange = await next_of(peer)
            await asyncio.sleep(0)
            assert not task.done()
            exchange.answer(status=True)
            assert (await task).outcome == Outcome.CONFIRMED

    run(story())


def test_log_lines_know_the_tasks_context(paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    till = contextvars.ContextVar("till", default="none")
    seen: list[str] = []

    class Note(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(till.get())

    async def story() -> None:
        till.set("7")
        async with AsyncClient(**paysvc_sandbox.config) as client:
            await client.direct_debit_history(email_address="none@example.com")

    logger, note = logging.getLogger("paysvc"), Note()
    logger.addHandler(note)
    try:
        with caplog.at_level(logging.INFO, "paysvc"):
            run(story())
    finally:
        logger.removeHandler(note)
    assert seen
    assert set(seen) == {"7"}
