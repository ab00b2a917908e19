"""Exceptions that the handlers of signals raise: they arrive, nothing is paid after them, and no result is lost."""

from __future__ import annotations

import _thread
import ctypes
import logging
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import Mock

import pytest
from peer import Peer
from test_payouts import outcomes, paid, recipients

import paysvc
from paysvc import Outcome, _native, _progress
from paysvc._library import PROGRESS_CALLBACK, library
from paysvc.sandbox import Sandbox

#: Before Python 3.11 an interrupt can lose the reply while the method returns: 1 in 1,000.
MAY_LOSE = 3 if sys.version_info < (3, 11) else 0


#: The signals that handlers got.
HANDLED: list[int] = []


#: Sends a signal to this thread, from any thread.
KILL = partial(signal.pthread_kill, threading.get_ident(), signal.SIGUSR1)


class TimeLimit(BaseException):
    """An exception of the program's own."""


class SoftLimit(Exception):
    """As Celery's SoftTimeLimitExceeded."""


@contextmanager
def handling(number: int, thrown: type[BaseException]) -> Iterator[None]:
    def handler(*_: object) -> None:
        HANDLED.append(number)
        raise thrown

    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.fixture(autouse=True)
def logs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[logging.LogRecord]]:
    """The records at INFO, which no handler gets: an interrupt may leave its lock held before Python 3.13."""
    logger, records = logging.getLogger("paysvc"), list[logging.LogRecord]()
    monkeypatch.setattr(logger, "handle", records.append)
    logger.setLevel(logging.INFO)
    yield records
    logger.setLevel(logging.NOTSET)


def test_every_interrupt_of_a_call_arrives(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    """At any moment of 200 calls, by a timer; also after the call, where it is the program's."""
    moments, ended, known = random.Random(22), 0, 0
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R", "amount": "20", "paid": True})
    with handling(signal.SIGALRM, TimeLimit):
        for _ in range(200):
            reply = None
            try:
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(0.0001, 0.004))
                reply = client.order_verify(reference="R")
                time.sleep(10)
            except TimeLimit as interrupt:
                ended += 1
                found = paysvc.abandoned_call(interrupt)
                known += reply is not None or found is not None
                assert found is None or (found.outcome, found.is_paid("R", "20", "*")) == (Outcome.CONFIRMED, True)
    assert ended == 200
    # The others came before the call had begun.
    asked = len([request for request in paysvc_sandbox.requests() if "verify" in request["path"]])
    assert asked - MAY_LOSE <= known <= asked


def test_an_interrupt_before_a_call_begins_sends_nothing(
    client: paysvc.Client, paysvc_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_progress._Relay, "_start", Mock(side_effect=TimeLimit))
    with pytest.raises(TimeLimit) as caught:
        client.order_refund(reference="R")
    assert (paysvc.abandoned_call(caught.value), paysvc_sandbox.requests()) == (None, [])


def test_an_interrupt_in_a_destructor_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops what the handler of a signal raises in a destructor that is a Python function."""
    interrupts = partial(ctypes.CDLL(None)["raise"], int(signal.SIGUSR1))
    monkeypatch.setattr(library, "paysvc_call_free", interrupts)
    token: list[paysvc.Call] = [paysvc.Call()]
    with handling(signal.SIGUSR1, TimeLimit), pytest.raises(TimeLimit):
        token.clear()


def test_an_interrupted_list_pays_nothing_after_the_batch_in_hand(
    payer: paysvc.Client, paysvc_sandbox: Sandbox
) -> None:
    """At any moment of 50 calls or more: nobody is paid later, and the report has all who were paid."""
    moments, ended, stopped, lost = random.Random(22), 0, 0, 0
    told: list[str | None] = []

    def progress(_done: int, _total: int, step: Mapping[str, Any]) -> int:
        if step["step"] == "after":
            told.extend(payout["outcome"] for payout in step["payouts"])
        return paysvc.CONTINUE

    began = time.monotonic()
    payer.payout_bulk(recipients(9, "WHOLE"), progress=progress)
    whole = time.monotonic() - began
    with handling(signal.SIGALRM, TimeLimit):
        for number in range(500):
            if number >= 50 and stopped > 10:  # On a busy machine fewer of them fall between the batches.
                break
            paysvc_sandbox.reset()
            told.clear()
            reply = error = None
            try:
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(0.0001, whole))
                reply = payer.payout_bulk(recipients(9, f"LIST-{number}"), progress=progress)
                time.sleep(10)
            except TimeLimit as interrupt:
                error = paysvc.abandoned_call(interrupt)
                ended += 1
            assert ended == number + 1
            made = outcomes(error.reply) if error else outcomes(reply) if reply else []
            if MAY_LOSE and not made and told:
                lost += 1
                continue
            assert made.count("ACCEPTED") == paid(paysvc_sandbox)
            # The steps have the batch in hand, too, unless it was just being told.
            assert 0 <= made.count("ACCEPTED") - told.count("ACCEPTED") <= 2
            stopped += 0 < made.count("ACCEPTED") < 9
    assert stopped > 10
    assert lost <= MAY_LOSE


def test_an_interrupt_in_the_wait_for_an_answer_arrives_and_carries_it(
    peer: Peer, logs: list[logging.LogRecord]
) -> None:
    def answer() -> None:
        for _ in range(20):
            exchange = peer.next()
            KILL()
            exchange.answer(status=True, message="refunded")

    peer.run(answer)
    with handling(signal.SIGUSR1, SoftLimit), paysvc.Client(**peer.config) as client:
        for _ in range(20):
            with pytest.raises(SoftLimit) as caught:
                client.order_refund(reference="R")
            error = paysvc.abandoned_call(caught.value)
            assert isinstance(error, paysvc.Abandoned)
            assert (error.outcome, error.message, error.request) == (Outcome.CONFIRMED, "refunded", {"reference": "R"})
            # Its lines are logged all the same.
            lines = [record.levelname for record in logs if error.call_id in record.getMessage()]
            assert lines == ["INFO", "ERROR"]


def interrupting(peer: Peer, times: int, interrupt: Callable[[], object]) -> Callable[[], None]:
    """Interrupts while a request is under way, and answers it if it still can be."""

    def run() -> None:
        exchange = peer.next()
        for _ in range(times):
            handled, soon = len(HANDLED), time.monotonic() + 20
            interrupt()
            while len(HANDLED) == handled and time.monotonic() < soon:  # Two signals at once are one.
                time.sleep(0.01)
        if times == 1:
            exchange.answer_text(ACCEPTED)
        else:
            assert exchange.wait_for_end() == b""

    return run


ACCEPTED = (
    '{"status":"success","statusCode":"00","message":"logged for processing","data":{"batchReference":"B-1",'
    '"batchId":1,"payouts":[]}}'
)


@pytest.mark.parametrize("times", [1, 2])
def test_a_second_interrupt_cancels_the_batch_in_hand(
    paysvc_sandbox: Sandbox, journal: dict[str, Any], peer: Peer, times: int
) -> None:
    """The first lets it finish. The response of the peer fits nobody, so the batch is UNKNOWN in either case."""
    told: list[str] = []
    config = {**peer.config, **journal, "encryption_key": paysvc_sandbox.config["encryption_key"]}
    peer.run(interrupting(peer, times, KILL))
    with handling(signal.SIGUSR1, TimeLimit), paysvc.Client(**config) as client, pytest.raises(TimeLimit) as caught:
        client.payout_bulk(recipients(9), progress=lambda _done, _total, step: told.append(step["step"]))
    error = paysvc.abandoned_call(caught.value)
    assert error is not None
    assert isinstance(error.answer, paysvc.PayoutBulkAnswer)
    batches = error.answer.batches
    assert batches is not None
    assert (batches[0].status, batches[0].outcome) == ("E_RESPONSE" if times == 1 else "E_CANCELLED", "UNKNOWN")
    assert outcomes(error.reply).count("NOT_SENT") == 7
    assert told == ["before", "after"]
    assert peer.is_quiet()


@pytest.mark.parametrize(("number", "interrupt"), [(signal.SIGUSR1, KILL), (signal.SIGINT, _thread.interrupt_main)])
def test_a_second_interrupt_cancels_a_call_that_waits(
    paysvc_sandbox: Sandbox, peer: Peer, number: int, interrupt: Callable[[], object]
) -> None:
    """Also without a progress function, and if it does not wake the thread that waits: interrupt_main() does not."""
    config = {**peer.config, "encryption_key": paysvc_sandbox.config["encryption_key"]}
    peer.run(interrupting(peer, 2, interrupt))
    with handling(number, TimeLimit), paysvc.Client(**config) as client, pytest.raises(TimeLimit) as caught:
        client.order_wait("R", timeout=60)
    error = paysvc.abandoned_call(caught.value)
    assert error is not None
    assert (error.status, error.outcome, error.endpoint) == (paysvc.Status.CANCELLED, Outcome.UNKNOWN, "order_wait")


@pytest.mark.parametrize("thread", ["main", "other"])
def test_an_exception_that_python_drops_in_the_callback_stops_the_list(
    payer: paysvc.Client, paysvc_sandbox: Sandbox, thread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that PyThreadState_SetAsyncExc raises at the first instruction of the callback."""
    dropped: list[object] = []

    def raises(*_: object) -> int:
        raise TimeLimit

    def pay() -> paysvc.PayoutBulkReply:
        return payer.payout_bulk(recipients(5), progress=lambda *_: paysvc.CONTINUE)

    monkeypatch.setattr("sys.unraisablehook", lambda about: dropped.append(about.exc_type))
    monkeypatch.setattr(_native, "callback", PROGRESS_CALLBACK(raises))
    with pytest.raises(paysvc.PaysvcError) as caught, ThreadPoolExecutor() as threads:
        pay() if thread == "main" else threads.submit(pay).result()
    assert (outcomes(caught.value.reply), set(dropped)) == (["NOT_SENT"] * 5, {TimeLimit})
    assert paid(paysvc_sandbox) == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 warns of fork with threads.
@pytest.mark.parametrize("thread", ["main", "other"])
def test_a_child_that_is_forked_in_a_progress_function_pays_nothing(
    payer: paysvc.Client, paysvc_sandbox: Sandbox, thread: str
) -> None:
    children: list[int] = []

    def progress(_done: int, _total: int, _step: Mapping[str, Any]) -> int:
        if not children:
            children.append(os.fork())
        return paysvc.CONTINUE

    def pay() -> None:
        parent = os.getpid()
        try:
            payer.payout_bulk(recipients(5), progress=progress)
        finally:
            if os.getpid() != parent:
                os._exit(0)

    if thread == "main":
        pay()
    else:
        other = threading.Thread(target=pay)
        other.start()
        other.join()
    assert os.waitpid(children[0], 0)[1] == 0
    assert paid(paysvc_sandbox) == 5
    assert paysvc_sandbox.get("/sandbox/duplicates")["duplicates"] == []
