"""Idempotency keys, and the journal in a database of the program."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Mapping
from typing import Any
from unittest.mock import Mock, call

import pytest
from helpers import CARD, refunds_made

import paysvc
from paysvc import Outcome, Reply
from paysvc._earlier import Request
from paysvc._generated import STORE_DONE, STORE_EXISTS
from paysvc._library import library
from paysvc._store import Callbacks
from paysvc.sandbox import Sandbox

#: Nothing listens there.
NOWHERE: dict[str, Any] = {"base_url": "http://127.0.0.1:1", "secret_key": "s", "max_attempts": 1}


class Memory:
    """A store whose methods fail when a test sets it."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], str] = {}
        self.fails = ""
        self._lock = threading.Lock()

    def _enter(self, what: str) -> None:
        if what == self.fails:
            raise OSError(f"no {what}")

    def append(self, key: str, seq: int, row: str, timeout: float) -> bool:
        self._enter(f"append {json.loads(row)['kind']}")
        with self._lock:
            return self.rows.setdefault((key, seq), row) is row

    def read(self, query: Mapping[str, Any], timeout: float) -> list[str]:
        self._enter("read")
        with self._lock:
            rows = sorted(self.rows.items())
        if "key" in query:
            return [row for (key, _), row in rows if key == query["key"]]
        if "order" in query:
            return [row for _, row in rows if json.loads(row).get("order") == query["order"]]
        last = {key: row for (key, _), row in rows if key > query["after"]}
        return [row for row in last.values() if json.loads(row)["open"]][: query["limit"]]


def append(callbacks: Callbacks) -> int:
    status: int = callbacks.struct.append(None, "k\u00e9".encode(), 2, b'{"a":1}', 1500)
    return status


@pytest.mark.parametrize(
    ("answer", "status"), [(True, STORE_DONE), (False, STORE_EXISTS), (1, 0), (ValueError("no disk"), 0)]
)
def test_only_true_and_false_are_answers_of_append(answer: Any, status: int, caplog: pytest.LogCaptureFixture) -> None:
    store = Mock()
    store.append.side_effect = [answer]
    with caplog.at_level(logging.ERROR, "paysvc"):
        assert append(Callbacks(store)) == status
    store.append.assert_called_once_with("k\u00e9", 2, '{"a":1}', 1.5)
    assert ("append of the journal's store failed" in caplog.text) == (status == 0)


def test_rows_are_read_until_no_more_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    store, write = Mock(), Mock(side_effect=[1, 0])
    monkeypatch.setattr(library, "paysvc_sink_write", write)
    store.read.side_effect = [["1", "\u00e9", "3"], [b"1"], None, OSError()]
    read = Callbacks(store).struct.read
    assert read(None, b'{"open":true,"after":"k","limit":5}', 1, 7) == STORE_DONE
    assert write.call_args_list == [call(7, b"1", 1), call(7, "\u00e9".encode(), 2)]
    store.read.assert_called_once_with({"open": True, "after": "k", "limit": 5}, 0.001)
    assert [read(None, b'{"key":"k"}', 1, 7) for _ in range(3)] == [0] * 3


def test_what_interrupts_a_store_is_raised_when_the_call_has_ended() -> None:
    store, answers = Mock(), list[int]()
    store.append.side_effect = [KeyboardInterrupt(), True]
    callbacks = Callbacks(store)

    def make() -> int:
        answers.append(append(callbacks))
        return 0

    with pytest.raises(KeyboardInterrupt):
        callbacks.making(make)()
    assert callbacks.making(make)() == 0
    assert answers == [0, STORE_DONE]


def test_a_client_takes_a_store_and_not_a_journal_as_well(journal: dict[str, Any]) -> None:
    with paysvc.Client(**NOWHERE, store=Mock()) as client:
        assert client._handle(Request("order_pay", {})).store is not None
    with pytest.raises(paysvc.ConfigError, match="journal is configured"):
        paysvc.Client(**NOWHERE, store=Mock(), **journal)
    wrong: Any = object()
    with pytest.raises(TypeError, match="store has no method append"):
        paysvc.Client(**NOWHERE, store=wrong)


def test_a_request_is_sent_once_for_its_key_and_not_at_all_if_its_store_fails(ordered: Sandbox) -> None:
    def refund(amount: str = "1.50") -> Reply:
        return client.order_refund(reference="R-1", amount=amount, idempotency_key="refund-1", timeout=5)

    async def main() -> list[str]:
        async with paysvc.AsyncClient(**ordered.config, store=store) as client:
            return [key async for key, _ in client.journal_next(timeout=1)]

    store = Memory()
    with paysvc.Client(**ordered.config, store=store) as client:
        store.fails = "append claim"
        with pytest.raises(paysvc.JournalError) as failed:
            refund()
        assert (failed.value.outcome, refunds_made(ordered)) == (Outcome.NOT_SENT, 0)
        store.fails = "append end"
        assert (refund().outcome, refunds_made(ordered)) == (Outcome.CONFIRMED, 1)
        # It is open: nobody has written its end.
        ((key, reply),) = client.journal_next(timeout=1)
        assert (key, reply.outcome, reply.body["journal"]["key"]) == ("key refund-1", Outcome.UNKNOWN, key)
        assert asyncio.run(main()) == [key]
        store.fails = "read"
        with pytest.raises(paysvc.JournalError) as failed:
            refund()
        assert failed.value.outcome is Outcome.UNKNOWN
        store.fails = ""
        store.rows.clear()
        assert (refund().replayed, refund().replayed, refunds_made(ordered)) == (False, True, 2)
        with pytest.raises(paysvc.KeyReused, match="amount"):
            refund("1.51")


def test_a_journal_that_cannot_be_read_is_an_error() -> None:
    store = Mock()
    store.read.side_effect = OSError
    with paysvc.Client(**NOWHERE, store=store) as client, pytest.raises(paysvc.JournalError) as failed:
        next(client.journal_next("key refund-1"))
    assert failed.value.outcome == Outcome.UNKNOWN
    with paysvc.Client(**NOWHERE) as client, pytest.raises(paysvc.OutcomeUnknown, match="needs a journal"):
        next(client.journal_next())


def test_a_token_with_a_key_serves_no_other_call() -> None:
    with paysvc.Client(**NOWHERE) as client:
        token = paysvc.Call()
        with pytest.raises(paysvc.PaysvcError):
            client.order_refund(reference="R", idempotency_key="refund-1", call=token)
        with pytest.raises(ValueError, match="serves one request"):
            client.order_refund(reference="R", idempotency_key="refund-1", call=token)


@pytest.mark.parametrize("key", ["", "a\0b", "\ud800", None, 7])
def test_a_key_that_is_not_accepted_is_never_ignored(key: Any) -> None:
    with paysvc.Client(**NOWHERE) as client, pytest.raises((ValueError, TypeError), match="idempotency_key must be"):
        client.order_refund(reference="R", idempotency_key=key)


def test_a_reference_that_the_client_made_is_charged_without_a_look_up(
    payer: paysvc.Client, paysvc_sandbox: Sandbox
) -> None:
    for made, expected in ((payer.reference_new("T7"), 1), (paysvc.reference_new("T7"), 2)):
        assert made.startswith("T7-")
        before = len(paysvc_sandbox.requests())
        order = {"reference": made, "amount": "25.50", "currency": "NGN"}
        payer.order_create(reference=made, payment_option="C", country="NG", card=CARD, order=order)
        assert len(paysvc_sandbox.requests()) - before == expected
    payer.close()
    with pytest.raises(paysvc.Cancelled, match="this client is closed"):
        payer.reference_new()


def test_a_reference_that_is_remembered_needs_a_journal() -> None:
    async def main() -> None:
        async with paysvc.AsyncClient(**NOWHERE) as client:
            await client.reference_new()

    with paysvc.Client(**NOWHERE) as client, pytest.raises(ValueError, match="a prefix has at most 32"):
        client.reference_new("a b")
    with pytest.raises(paysvc.ConfigError, match="needs a journal"):
        asyncio.run(main())
