"""asyncio: cancelling a task cancels its request for good, and reports the result of the call."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import queue
import time
from collections.abc import Mapping
from typing import Any

import pytest
from helpers import run_python
from peer import Peer
from test_payouts import outcomes, recipients
from test_programs import variables

import paysvc
from paysvc import AsyncClient, Outcome
from paysvc._earlier import attach
from paysvc._library import library
from paysvc._log import EXTRA
from paysvc.sandbox import Sandbox
from paysvc.testing import error_of, reply


async def test_calls_succeed_fail_and_end_with_the_client(paysvc_sandbox: Sandbox) -> None:
    async with AsyncClient(**paysvc_sandbox.config) as client:
        aliases = [client.virtual_account_generate(alias=f"a-{n % 4}") for n in range(12)]
        numbers = {reply.body["accountNumber"] for reply in await asyncio.gather(*aliases)}
        assert len(numbers) == 4
        assert (await client.encrypt({"a": 1})).body["data"]
        assert (await client.warm(timeout=5)).outcome == Outcome.NOT_SENT
        with pytest.raises(paysvc.Rejected):
            await client.order_refund(reference="none")
        with pytest.raises(TypeError, match="a float is not exact"):
            await client.call("order_refund", {"reference": "R", "amount": 1.5})
    assert repr(client) == "<paysvc.AsyncClient closed>"
    with pytest.raises(paysvc.Cancelled, match="this client is closed"):
        await client.order_refund(reference="R")


@pytest.mark.parametrize("how", ["cancel", "wait_for"])
async def test_a_cancelled_task_cancels_its_request(peer: Peer, how: str, caplog: pytest.LogCaptureFixture) -> None:
    reported: list[paysvc.PaysvcError] = []
    async with AsyncClient(**peer.config, on_abandoned=reported.append) as client:
        refund = asyncio.ensure_future(client.order_refund(reference="R"))
        exchange = await peer.next_async()
        if how == "cancel":
            refund.cancel()
        with pytest.raises((asyncio.CancelledError, asyncio.TimeoutError)) as ended:
            await (refund if how == "cancel" else asyncio.wait_for(refund, 0.1))
        # The call has ended: no thread of this client is busy, and the connection is closed.
        assert client._open_calls == {}
        assert exchange.wait_for_end() == b""
    error = paysvc.abandoned_call(ended.value)
    assert isinstance(error, paysvc.Cancelled)
    assert isinstance(error, paysvc.OutcomeUnknown)
    # The same error, with what resolve() needs.
    assert reported == [error]
    assert (error.endpoint, error.request, error.attempts) == ("order_refund", {"reference": "R"}, 1)
    assert f"{error.call_id} order_refund was abandoned, outcome UNKNOWN, reference R: " in caplog.text
    assert set(EXTRA) <= vars(caplog.records[-1]).keys()
    assert peer.is_quiet()


async def test_a_success_that_comes_with_the_cancel_is_not_lost(peer: Peer) -> None:
    async with AsyncClient(**peer.config, max_concurrency=1) as client:
        task = asyncio.ensure_future(client.order_refund(reference="R"))
        (await peer.next_async()).answer(status=True, message="refunded")
        client._executor.submit(int).result()  # The only thread is free: the call has ended, but not yet the task.
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
    error = paysvc.abandoned_call(caught.value)
    assert isinstance(error, paysvc.Abandoned)
    assert (error.outcome, error.message) == (Outcome.CONFIRMED, "refunded")


async def test_being_cancelled_twice_does_not_cut_the_wait_short(
    peer: Peer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does an exception in on_abandoned, which is logged."""
    reported: list[Outcome] = []

    def report(error: paysvc.PaysvcError) -> None:
        reported.append(error.outcome)
        raise ZeroDivisionError

    monkeypatch.setattr(library, "paysvc_call_cancel", lambda _: None)  # As if the call took long to end.
    async with AsyncClient(**peer.config, on_abandoned=report) as client:
        task = asyncio.ensure_future(client.order_refund(reference="R"))
        exchange = await peer.next_async()
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
        exchange.answer(status=True)
        with pytest.raises(asyncio.CancelledError):
            await task
    assert reported == [Outcome.CONFIRMED]
    assert "on_abandoned failed" in caplog.text


def test_only_the_result_of_an_abandoned_call_is_one() -> None:
    error, caused, later = error_of(reply()), TimeoutError(), TimeoutError()
    caused.__cause__ = error
    assert paysvc.abandoned_call(caused) is None
    attach(KeyboardInterrupt(), error)
    assert paysvc.abandoned_call(caused) is error
    # An exception that the program was handling when its next call began is about another call.
    later.__context__ = error
    assert paysvc.abandoned_call(later) is None


ABANDONS = """
import asyncio, paysvc

async def main():
    client = paysvc.AsyncClient.from_env()
    task = asyncio.ensure_future(client.order_refund(reference="R"))
    await asyncio.wait([task], timeout=1.0)

asyncio.run(main())
"""


def test_a_program_without_logging_is_told_of_a_call_that_nobody_waited_for(peer: Peer) -> None:
    ended = run_python("-c", ABANDONS, environment=variables(peer.config))
    assert "order_refund was abandoned, outcome UNKNOWN, reference R: " in ended.stderr


async def test_aclose_waits_for_calls_under_way_and_sends_none_that_wait(peer: Peer) -> None:
    client = AsyncClient(**peer.config, max_concurrency=1)
    first = asyncio.ensure_future(client.order_refund(reference="R-1"))
    exchange = await peer.next_async()
    second = asyncio.ensure_future(client.order_refund(reference="R-2"))
    third = asyncio.ensure_future(client.resolve("order_refund", request={"reference": "R-0"}))
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(client.aclose())
    waiting: dict[Outcome, asyncio.Future[Any]] = {Outcome.NOT_SENT: second, Outcome.UNKNOWN: third}
    for outcome, task in waiting.items():
        with pytest.raises(paysvc.Cancelled, match="the client was closed while the call waited") as caught:
            await asyncio.wait_for(task, 30)
        assert caught.value.outcome == outcome
    assert not closing.done()
    exchange.answer(status=True)
    await asyncio.wait_for(closing, 30)
    assert first.done()
    assert first.result().outcome == Outcome.CONFIRMED
    assert peer.is_quiet()


async def test_a_call_that_gets_no_thread_any_more_is_not_sent(peer: Peer) -> None:
    """As while the interpreter ends."""

    async with AsyncClient(**peer.config) as client:
        client._threads().shutdown()
        with pytest.raises(paysvc.Cancelled, match="is ending; nothing was sent") as caught:
            await client.order_refund(reference="R")
        assert (caught.value.outcome, client._open_calls) == (Outcome.NOT_SENT, {})


async def test_aclose_waits_until_a_cancelled_call_is_reported(peer: Peer) -> None:
    """As at the end of a server, which cancels the tasks of its requests and does not await them."""
    reported: list[paysvc.PaysvcError] = []

    client = AsyncClient(**peer.config, on_abandoned=reported.append)
    task = asyncio.ensure_future(client.order_refund(reference="R"))
    await peer.next_async()
    task.cancel()
    await client.aclose()
    assert [(error.request, error.outcome) for error in reported] == [({"reference": "R"}, Outcome.UNKNOWN)]


async def test_a_cancelled_list_keeps_its_report(paysvc_sandbox: Sandbox, journal: dict[str, Any]) -> None:
    """Also if its progress function raises when it is told about the end."""
    abandoned: list[paysvc.PaysvcError] = []
    steps: list[str] = []
    paysvc_sandbox.fault("commit_then_timeout", "/payout/initiate", nth=2)

    def progress(_done: int, _total: int, step: Mapping[str, Any]) -> int:
        steps.append(step["step"])
        if len(steps) == 4:
            raise ZeroDivisionError
        return paysvc.CONTINUE

    async with AsyncClient(**paysvc_sandbox.config, **journal, on_abandoned=abandoned.append) as client:
        task = asyncio.ensure_future(client.payout_bulk(recipients(9), progress=progress))
        while len(steps) < 3 or len(paysvc_sandbox.requests()) < 2:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        assert abandoned == [paysvc.abandoned_call(caught.value)]
    found = outcomes(abandoned[0].reply)
    assert (found.count("ACCEPTED"), found.count("UNKNOWN"), found.count("NOT_SENT")) == (2, 2, 5)
    assert steps == ["before", "after"] * 2


def test_a_wrong_max_concurrency_is_refused(paysvc_sandbox: Sandbox) -> None:
    wrong: Any
    for wrong in (0, -1, 1.5, "4", True):
        with pytest.raises(ValueError, match="max_concurrency must be a whole number above 0, not"):
            AsyncClient(**paysvc_sandbox.config, max_concurrency=wrong)


async def test_a_task_destroyed_with_its_loop_is_reported(peer: Peer) -> None:
    reported: queue.Queue[Outcome] = queue.Queue()

    client = AsyncClient(**peer.config, on_abandoned=lambda error: reported.put(error.outcome))
    refund = client.order_refund(reference="R")
    refund.send(None)
    exchange = await peer.next_async()
    refund.close()
    assert exchange.wait_for_end() == b""
    await client.aclose()
    assert reported.get(timeout=60) == Outcome.UNKNOWN


async def test_max_concurrency_bounds_the_threads_and_a_waiting_call_is_cancelled_unsent(peer: Peer) -> None:
    async with AsyncClient(**peer.config, max_concurrency=2) as client:
        tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}")) for n in range(4)]
        first, second = await peer.next_async(), await peer.next_async()
        tasks[3].cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await tasks[3]
        assert paysvc.abandoned_call(caught.value) is None
        await asyncio.sleep(0)
        assert peer.is_quiet(), "two threads, two requests"
        first.answer(status=True)
        second.answer(status=True)
        (await peer.next_async()).answer(status=True)
        assert all(reply.outcome == Outcome.CONFIRMED for reply in await asyncio.gather(*tasks[:3]))
        assert peer.is_quiet()


@pytest.mark.parametrize(("of_client", "of_call"), [({}, {"timeout": 0.5}), ({"timeout_ms": 500}, {})])
async def test_the_wait_for_a_thread_counts_towards_the_timeout(
    peer: Peer, of_client: dict[str, Any], of_call: dict[str, Any]
) -> None:
    """Two calls occupy both threads: the third one times out although it never gets a thread."""

    async with AsyncClient(**peer.config, **of_client, max_concurrency=2) as client:
        tasks = [asyncio.ensure_future(client.order_refund(reference=f"R-{n}", timeout=60)) for n in range(2)]
        stalled = await peer.next_async(), await peer.next_async()
        started = time.monotonic()
        with pytest.raises(paysvc.Timeout) as caught:
            await client.order_refund(reference="R-2", **of_call)
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
        assert client._open_calls == {}


async def test_a_call_that_waited_gets_the_remaining_time(peer: Peer) -> None:
    async with AsyncClient(**peer.config, max_concurrency=1) as client:
        first = asyncio.ensure_future(client.order_refund(reference="R-0"))
        exchange = await peer.next_async()
        started = time.monotonic()
        second = asyncio.ensure_future(client.order_refund(reference="R-1", timeout=2))
        await asyncio.sleep(1)
        exchange.answer(status=True)
        await first
        await peer.next_async()  # The second call has begun, a second late; it gets no response.
        with pytest.raises(paysvc.Timeout) as caught:
            await second
        assert isinstance(caught.value, paysvc.OutcomeUnknown)
        assert time.monotonic() - started < 2.9, "the timeout must not start when the call gets its thread"


async def test_log_lines_have_the_context_of_the_task(
    paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    till = contextvars.ContextVar("till", default="none")
    seen: list[str] = []
    monkeypatch.setattr(logging.getLogger("paysvc"), "handle", lambda _: seen.append(till.get()))
    till.set("7")
    with caplog.at_level(logging.INFO, "paysvc"):
        async with AsyncClient(**paysvc_sandbox.config) as client:
            await client.direct_debit_history(email_address="none@example.com")
    assert seen == ["7"]
