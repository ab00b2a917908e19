"""Idempotency keys, and the journal in a database of the program."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from helpers import PROJECT

import paysvc
from paysvc import Outcome, Reply, Status
from paysvc._earlier import Request
from paysvc._generated import STORE_DONE, STORE_EXISTS
from paysvc._library import library
from paysvc._store import Callbacks
from paysvc.sandbox import Sandbox

#: Nothing listens there.
NOWHERE: dict[str, Any] = {"base_url": "http://127.0.0.1:1", "secret_key": "s", "max_attempts": 1}


class Rows:
    """A store in memory, which answers what a test wants."""

    def __init__(self, answer: Any = True) -> None:
        self.answer = answer
        self.seen: list[Any] = []

    def _told(self, *what: Any) -> Any:
        self.seen.append(what)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def append(self, key: str, seq: int, row: str, timeout: float) -> bool:
        answer: bool = self._told(key, seq, row, timeout)
        return answer

    def read(self, query: Mapping[str, Any], timeout: float) -> Iterable[str]:
        rows: Iterable[str] = self._told(query, timeout)
        return rows


#: A refund that is open, as the library writes it; the last field is a checksum of the others.
OPEN = (
    '{"version":2,"key":"key refund-1","key_as_given":"key refund-1","seq":1,"id":"CLAIM-1","ti'
    'me_ms":1,"account":"-  -","open":true,"kind":"claim","step":"other","function":"order_refu'
    'nd","explicit":true,"has_page":false,"boot":"b","from_ms":1,"for_ms":1,"digests":{}'
    ',"check":"cb195271e49eee03e4fff9fc457e176c"}'
)


class OneOpen(Rows):
    """A store with a refund that is open."""

    def read(self, query: Mapping[str, Any], timeout: float) -> Iterable[str]:
        return [] if query.get("after") == "key refund-1" else [OPEN]


def append(callbacks: Callbacks) -> int:
    status: int = callbacks.struct.append(None, "k\u00e9".encode(), 2, b'{"a":1}', 1500)
    return status


@pytest.mark.parametrize(
    ("answer", "status"),
    [(True, STORE_DONE), (False, STORE_EXISTS), (None, 0), (1, 0), ("yes", 0), (ValueError("no disk"), 0)],
)
def test_only_true_and_false_are_answers_of_append(answer: Any, status: int, caplog: pytest.LogCaptureFixture) -> None:
    store = Rows(answer)
    with caplog.at_level(logging.ERROR, "paysvc"):
        assert append(Callbacks(store)) == status
    assert store.seen == [("k\u00e9", 2, '{"a":1}', 1.5)]
    assert ("append of the journal's store failed" in caplog.text) == (status == 0)


def test_rows_are_read_until_no_more_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []

    def write(sink: int, row: bytes, length: int) -> int:
        assert (sink, length) == (7, len(row))
        written.append(row)
        return int(len(written) < 2)

    monkeypatch.setattr(library, "paysvc_sink_write", write)
    store = Rows(iter(["1", "\u00e9", "3"]))
    callbacks = Callbacks(store)
    assert callbacks.struct.read(None, b'{"open":true,"after":"k","limit":5}', 1, 7) == STORE_DONE
    assert written == [b"1", "\u00e9".encode()]
    assert store.seen == [({"open": True, "after": "k", "limit": 5}, 0.001)]
    for wrong in ([b"1"], [None], None, OSError()):
        store.answer = wrong
        assert callbacks.struct.read(None, b'{"key":"k"}', 1, 7) == 0


def test_what_interrupts_a_store_is_raised_when_the_call_has_ended() -> None:
    store = Rows(KeyboardInterrupt())
    callbacks = Callbacks(store)
    answers: list[int] = []

    def call() -> int:
        answers.append(append(callbacks))
        return 0

    with pytest.raises(KeyboardInterrupt):
        callbacks.making(call)()
    assert answers == [0]
    store.answer = True
    assert callbacks.making(call)() == 0


def test_a_client_takes_a_store_and_not_a_journal_as_well() -> None:
    with paysvc.Client(**NOWHERE, store=Rows()) as client:
        assert client._handle(Request("order_pay", {})).store is not None
    # On a disk: the library refuses a file system in memory.
    folder = TemporaryDirectory(dir=PROJECT.parents[1] / "build")
    with folder as name, pytest.raises(paysvc.ConfigError, match="journal is configured"):
        paysvc.Client(**NOWHERE, store=Rows(), journal=Path(name) / "pay.db", journal_create=True)
    with pytest.raises(paysvc.JournalError):
        paysvc.Client(**NOWHERE, journal="/nowhere/journal")
    wrong: Any = object()
    with pytest.raises(TypeError, match="store has no method append"):
        paysvc.Client(**NOWHERE, store=wrong)


def test_a_token_with_a_key_serves_no_other_call() -> None:
    with paysvc.Client(**NOWHERE) as client:
        with pytest.raises(paysvc.PaysvcError):
            client.order_refund(reference="R", idempotency_key="refund-1", timeout=5)
        token = paysvc.Call()
        with pytest.raises(paysvc.PaysvcError):
            client.order_refund(reference="R", idempotency_key="refund-1", call=token)
        with pytest.raises(ValueError, match="serves one request"):
            client.order_refund(reference="R", idempotency_key="refund-1", call=token)


@pytest.mark.parametrize("key", ["", "a\nb", "a\0b", "k" * 201, "\ud800", None, 7])
def test_a_key_that_is_not_accepted_is_never_ignored(key: Any) -> None:
    with paysvc.Client(**NOWHERE) as client, pytest.raises((ValueError, TypeError), match="idempotency_key must be"):
        client.order_refund(reference="R", idempotency_key=key)


def test_what_is_open_is_told_one_key_after_the_other() -> None:
    with paysvc.Client(**NOWHERE, store=OneOpen()) as client:
        ((key, reply),) = client.journal_next(timeout=5)
        assert (key, reply.status, reply.outcome) == ("key refund-1", Status.UNRESOLVED, Outcome.UNKNOWN)
        assert "CLAIM-1" in reply.message

    async def main() -> list[str]:
        async with paysvc.AsyncClient(**NOWHERE, store=OneOpen()) as client:
            return [key async for key, _ in client.journal_next()]

    assert asyncio.run(main()) == ["key refund-1"]


def test_a_journal_that_cannot_be_read_is_an_error() -> None:
    with paysvc.Client(**NOWHERE, store=Rows(OSError())) as client, pytest.raises(paysvc.JournalError) as failed:
        next(client.journal_next("key refund-1"))
    assert failed.value.outcome == Outcome.UNKNOWN
    with paysvc.Client(**NOWHERE) as client:
        with pytest.raises(paysvc.OutcomeUnknown, match="needs a journal"):
            next(client.journal_next())
        wrong: Any = 7
        with pytest.raises(paysvc.OutcomeUnknown, match="after must be text"):
            next(client.journal_next(wrong))


def sell(client: paysvc.Client, reference: str) -> Reply:
    card = {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "193"}
    order = {"reference": reference, "amount": "25.50", "currency": "NGN"}
    return client.order_create(reference=reference, payment_option="C", country="NG", card=card, order=order)


def test_a_reference_that_the_client_made_is_charged_without_a_look_up(paysvc_sandbox: Sandbox) -> None:
    with TemporaryDirectory(dir=PROJECT.parents[1] / "build") as folder:
        settings = {**paysvc_sandbox.config, "journal": Path(folder) / "pay.db", "journal_create": True}

        async def other() -> str:
            async with paysvc.AsyncClient(**settings) as other:
                return await other.reference_new("T7")

        with paysvc.Client(**settings) as client:
            # Another client has not made it, also with the same journal.
            references = ((client.reference_new("T7"), 1), (paysvc.reference_new("T7"), 2), (asyncio.run(other()), 2))
            for made, expected in references:
                assert made.startswith("T7-")
                before = len(paysvc_sandbox.requests())
                assert sell(client, made).is_paid(made, "25.50", "NGN")
                assert len(paysvc_sandbox.requests()) - before == expected
            with pytest.raises(ValueError, match="a prefix has at most 32"):
                client.reference_new("a b")
    with pytest.raises(paysvc.Cancelled, match="this client is closed"):
        client.reference_new()


def test_a_reference_that_is_remembered_needs_a_journal() -> None:
    async def main() -> None:
        async with paysvc.AsyncClient(**NOWHERE) as client:
            await client.reference_new()

    with paysvc.Client(**NOWHERE) as client:
        with pytest.raises(paysvc.ConfigError, match="needs a journal"):
            client.reference_new("T7")
        with pytest.raises(ValueError, match="a prefix has at most 32"):
            client.reference_new("a b")
    with pytest.raises(paysvc.ConfigError, match="needs a journal"):
        asyncio.run(main())


def test_a_reply_says_whether_it_was_replayed() -> None:
    reply = paysvc.Reply(status=paysvc.Status.OK, outcome=paysvc.Outcome.CONFIRMED, text="{}", replayed=True)
    assert reply.replayed
