"""asyncio: cancelling a task cancels its request for good, and reports the result of the call."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import queue
import sys
import time
from typing import Any

import pytest
from peer import Exchange, Peer

import paysvc
from paysvc import AsyncClient, Outcome
from paysvc.sandbox import Sandbox


def test_calls_succeed_fail_and_end_with_the_client(paysvc_sandbox: Sandbox) -> None:
    async def main() -> None:
        async with AsyncClient(**paysvc_sandbox.config) as client:
            aliases = [client.virtual_account_generate(alias=f"a-{n % 4}") for n in range(12)]
            numbers = {reply["accountNumber"] for reply in await asyncio.gather(*aliases)}
            assert len(numbers) == 4
            assert (await client.encrypt({"a": 1}))["data"]
            assert (await client.warm(timeout=5)).outcome == Outcome.NOT_SENT
            assert (await client.request(method="GET", path="/payment/banks", key="public")).attempts == 1
            with pytest.raises(paysvc.Rejected):
                await client.order_refund(reference="none")
            with pytest.raises(TypeError, match="a float is not exact"):
                await client.call("order_refund", {"reference": "R", "amount": 1.5})
        assert repr(client) == "<paysvc.AsyncClient closed>"
        with pytest.raises(RuntimeError, match="this client is closed"):
            await client.order_refund(reference="R")

    asyncio.run(main())


WAYS = ["cancel", "wait_for", *(["timeout"] if sys.version_info >= (3, 11) else [])]


@pytest.mark.parametrize("how", WAYS)
def test_a_cancelled_task_cancels_its_request(peer: Peer, how: str, caplog: pytest.LogCaptureFixture) -> None:
    reported: list[tuple[str, paysvc.Reply]] = []
    came: list[Exchange] = []

    async def main() -> BaseException:
        async with AsyncClient(**peer.config, on_abandoned=lambda *call: reported.append(call)) as client:
            refund = client.order_refund(reference="R")
            try:
                if how == "cancel":
                    task = asyncio.ensure_future(refund)
                    came.append(await peer.next_async())
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

    ended = asyncio.run(main())
    error = paysvc.abandoned_call(ended)
    assert isinstance(error, paysvc.Cancelled)
    assert isinstance(error, paysvc.OutcomeUnknown)
    assert [(name, reply.outcome) for name, reply in reported] == [("order_refund", Outcome.UNKNOWN)]
    assert "order_refund was abandoned, outcome UNKNOWN" in caplog.text
    assert peer.is_quiet()


def test_a_success_that_comes_with_the_cancel_is_not_lost(peer: Peer) -> None:
    async def main() -> BaseException | None:
        async with AsyncClient(**peer.config, max_concurrency=1) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            (await peer.next_async()).answer(status=True, message="refunded")
            assert client._executor is not None
            client._executor.submit(int).result()  # The only thread is free: the call has ended, but not yet the task.
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            return paysvc.abandoned_call(caught.value)

    error = asyncio.run(main())
    assert isinstance(error, paysvc.Abandoned)
    assert (error.outcome, error.message) == (Outcome.CONFIRMED, "refunded")


def test_being_cancelled_twice_does_not_cut_the_wait_short(peer: Peer) -> None:
    reported: list[Outcome] = []

    async def main() -> None:
        async with AsyncClient(**peer.config, on_abandoned=lambda _, reply: reported.append(reply.outcome)) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            await peer.next_async()
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert reported == [Outcome.UNKNOWN]


def test_a_task_destroyed_with_its_loop_is_reported(peer: Peer) -> None:
    reported: queue.Queue[Outcome] = queue.Queue()

    async def main() -> None:
        client = AsyncClient(**peer.config, on_abandoned=lambda _, reply: reported.put(reply.outcome))
        refund = client.order_refund(reference="R")
        refund.send(None)
        exchange = await peer.next_async()
        refund.close()
        assert exchange.wait_for_end() == b""
        await client.aclose()

    asyncio.run(main())
    assert reported.get(timeout=60) == Outcome.UNKNOWN


def test_max_concurrency_bounds_the_threads_and_a_waiting_call_is_cancelled_unsent(peer: Peer) -> None:
    async def main() -> None:
        async with AsyncClient(**peer.config, max_concurrency=2) as client:
            tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}")) for n in range(4)]
            first, second = await peer.next_async(), await peer.next_async()
            tasks[3].cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await tasks[3]
            assert paysvc.abandoned_call(caught.value) is None
            # Its timeout expires before a thread is free: nothing is sent either.
            late = asyncio.ensure_future(client.order_refund(reference="late", timeout=1e-6))
            await asyncio.sleep(0)
            assert peer.is_quiet(), "two threads, two requests"
            first.answer(status=True)
            second.answer(status=True)
            (await peer.next_async()).answer(status=True)
            assert all(reply.outcome == Outcome.CONFIRMED for reply in await asyncio.gather(*tasks[:3]))
            with pytest.raises(paysvc.Timeout) as timeout:
                await late
            assert timeout.value.outcome == Outcome.NOT_SENT
            assert peer.is_quiet()

    asyncio.run(main())


def test_the_wait_for_a_thread_counts_towards_the_timeout(peer: Peer) -> None:
    """Two calls occupy both threads: the third one times out although it never gets a thread."""

    async def main() -> None:
        async with AsyncClient(**peer.config, max_concurrency=2) as client:
            tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}")) for n in range(2)]
            stalled = await peer.next_async(), await peer.next_async()
            started = time.monotonic()
            with pytest.raises(paysvc.Timeout) as caught:
                await client.order_refund(reference="R-2", timeout=0.5)
            assert 0.5 <= time.monotonic() - started < 5
            error = caught.value
            assert not isinstance(error, paysvc.OutcomeUnknown)
            assert (error.outcome, error.attempts, error.http_status) == (Outcome.NOT_SENT, 0, 0)
            assert type(error.reply) is paysvc.OrderRefundReply
            assert error.message == (
                "order_refund: all 2 threads of this client (max_concurrency) were busy until the timeout "
                "of this call; nothing was sent"
            )
            assert error.body == {"status": False, "message": error.message, "errors": {}}
            for exchange in stalled:
                exchange.answer(status=True)
            await asyncio.gather(*tasks)
            assert peer.is_quiet(), "nothing is sent later"
            assert client._calls == 0

    asyncio.run(main())


def test_the_wait_counts_towards_the_clients_own_timeout_too(peer: Peer) -> None:
    async def main(**times: Any) -> None:
        async with AsyncClient(**peer.config, **times, max_concurrency=1) as client:
            first = asyncio.ensure_future(client.order_refund(reference="R-0", timeout=60))
            exchange = await peer.next_async()
            started = time.monotonic()
            with pytest.raises(paysvc.Timeout) as caught:
                await client.order_refund(reference="R-1")
            assert 0.3 <= time.monotonic() - started < 5
            assert caught.value.outcome == Outcome.NOT_SENT
            exchange.answer(status=True)
            await first
            assert peer.is_quiet()

    asyncio.run(main(timeout_ms=300))
    asyncio.run(main(timeout=0.3))


def test_a_call_that_waited_gets_the_remaining_time(peer: Peer) -> None:
    async def main() -> None:
        async with AsyncClient(**peer.config, max_concurrency=1) as client:
            first = asyncio.ensure_future(client.order_refund(reference="R-0"))
            exchange = await peer.next_async()
            started = time.monotonic()
            second = asyncio.ensure_future(client.order_refund(reference="R-1", timeout=2))
            await asyncio.sleep(1)
            exchange.answer(status=True)
            await first
            await peer.next_async()  # The second call has begun, a second late; it gets no answer.
            with pytest.raises(paysvc.Timeout) as caught:
                await second
            assert isinstance(caught.value, paysvc.OutcomeUnknown)
            assert time.monotonic() - started < 2.9, "the timeout must not start when the call gets its thread"

    asyncio.run(main())


def test_an_exception_in_on_abandoned_is_logged(peer: Peer, caplog: pytest.LogCaptureFixture) -> None:
    def fail(name: str, reply: paysvc.Reply) -> None:
        raise ZeroDivisionError

    async def main() -> None:
        async with AsyncClient(**peer.config, on_abandoned=fail) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            await peer.next_async()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert "on_abandoned failed" in caplog.text


def test_the_event_loop_runs_while_a_call_waits(peer: Peer) -> None:
    async def main() -> None:
        async with AsyncClient(**peer.config) as client:
            task = asyncio.ensure_future(client.order_refund(reference="R"))
            exchange = await peer.next_async()
            await asyncio.sleep(0)
            assert not task.done()
            exchange.answer(status=True)
            assert (await task).outcome == Outcome.CONFIRMED

    asyncio.run(main())


def test_log_lines_have_the_context_of_the_task(paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    till = contextvars.ContextVar("till", default="none")
    seen: list[str] = []

    class Recorder(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(till.get())

    async def main() -> None:
        till.set("7")
        async with AsyncClient(**paysvc_sandbox.config) as client:
            await client.direct_debit_history(email_address="none@example.com")

    logger, recorder = logging.getLogger("paysvc"), Recorder()
    logger.addHandler(recorder)
    try:
        with caplog.at_level(logging.INFO, "paysvc"):
            asyncio.run(main())
    finally:
        logger.removeHandler(recorder)
    assert seen
    assert set(seen) == {"7"}
