"""Threads, cancel, signals and fork."""

from __future__ import annotations

import _thread
import multiprocessing
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import pytest
from peer import Peer
from test_payouts import recipients

import paysvc
from paysvc import _progress
from paysvc.sandbox import Sandbox


def test_another_thread_cancels(peer: Peer) -> None:
    token = paysvc.Call()
    with paysvc.Client(**peer.config) as client, ThreadPoolExecutor() as threads:
        call = threads.submit(client.order_refund, reference="R", call=token)
        exchange = peer.next()
        token.cancel()
        with pytest.raises(paysvc.Cancelled) as caught:
            call.result()
        assert isinstance(caught.value, paysvc.OutcomeUnknown)
        assert exchange.wait_for_end() == b""
        # Final: a later call with the token sends nothing.
        with pytest.raises(paysvc.Cancelled) as caught:
            client.order_refund(reference="R", call=token)
        assert caught.value.outcome == paysvc.Outcome.NOT_SENT
        assert peer.is_quiet()


def test_a_timeout_is_for_one_call_not_for_later_calls_with_its_token(peer: Peer) -> None:
    token = paysvc.Call()
    with paysvc.Client(**peer.config) as client, ThreadPoolExecutor() as threads:
        with pytest.raises(paysvc.Timeout):
            client.order_refund(reference="R", call=token, timeout=0.001)
        call = threads.submit(client.order_refund, reference="again", call=token)
        while "again" not in (exchange := peer.next()).text:
            pass
        exchange.answer(status=True)
        assert call.result().outcome == paysvc.Outcome.CONFIRMED


class Interrupted(BaseException):
    pass


def test_where_threads_are_patched_the_caller_makes_the_call(
    payer: paysvc.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gevent and eventlet put greenlets in the place of threads: none of them would run while the library waits."""

    def spawn(*_: object) -> NoReturn:
        raise AssertionError("a greenlet")

    told: list[str] = []

    def progress(_done: int, _total: int, step: Mapping[str, Any]) -> int:
        told.append(step["step"])
        raise Interrupted

    monkeypatch.setattr(_thread, "start_new_thread", spawn)
    monkeypatch.setattr(_progress, "_idle", [])
    with pytest.raises(Interrupted) as caught:
        payer.payout_bulk(recipients(3), progress=progress)
    error = paysvc.abandoned_call(caught.value)
    assert error is not None
    assert (error.outcome, told) == (paysvc.Outcome.NOT_SENT, ["before"])


def in_child(client: paysvc.Client, alias: str) -> str:
    return str(client.virtual_account_generate(alias=alias).body["accountNumber"])


_inherited: list[paysvc.Client] = []


def in_forked_child(alias: str) -> str:
    return in_child(_inherited[0], alias)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 warns of fork with threads.
def test_a_child_uses_its_parents_client(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    first = in_child(client, "a")
    _inherited[:] = [client]
    try:
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert set(pool.map(in_forked_child, ["a"] * 8)) == {first}
    finally:
        _inherited.clear()
    assert in_child(client, "a") == first
    connections = {request["connection"] for request in paysvc_sandbox.requests()}
    assert len(connections) >= 2, "a child must not use the connection of its parent"
