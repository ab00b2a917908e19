"""Calls of a client whose store is a Python object, against the sandbox."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from helpers import refunds_made

import paysvc
from paysvc.sandbox import Sandbox


class Memory:
    """A store whose methods fail when a test wants it."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], str] = {}
        self.fails: list[str] = []
        self._lock = threading.Lock()

    def _enter(self, what: str) -> None:
        if what in self.fails:
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


@pytest.fixture
def store() -> Memory:
    return Memory()


@pytest.fixture
def client(store: Memory, ordered: Sandbox) -> Iterator[paysvc.Client]:
    with paysvc.Client(**ordered.config, store=store) as client:
        yield client


def refund(client: paysvc.Client, timeout: float | None = None) -> paysvc.Reply:
    return client.order_refund(reference="R-1", amount="1.50", idempotency_key="refund-1", timeout=timeout)


def test_a_request_is_sent_once_for_its_key(client: paysvc.Client, store: Memory, ordered: Sandbox) -> None:
    first, second = refund(client), refund(client)
    assert (first.replayed, second.replayed, second.outcome) == (False, True, paysvc.Outcome.CONFIRMED)
    with pytest.raises(paysvc.KeyReused, match="amount"):
        client.order_refund(reference="R-1", amount="1.51", idempotency_key="refund-1")
    assert refunds_made(ordered) == 1
    assert [json.loads(row)["kind"] for row in store.rows.values()] == ["claim", "end"]


def test_nothing_is_sent_unless_the_claim_was_written(
    client: paysvc.Client, store: Memory, ordered: Sandbox
) -> None:
    store.fails = ["append claim"]
    with pytest.raises(paysvc.JournalError) as failed:
        refund(client)
    assert failed.value.outcome is paysvc.Outcome.NOT_SENT
    assert refunds_made(ordered) == 0
    store.fails = []
    assert not refund(client).replayed
    assert refunds_made(ordered) == 1


def test_nothing_is_known_if_the_store_cannot_be_read(
    client: paysvc.Client, store: Memory, ordered: Sandbox
) -> None:
    refund(client)
    store.fails = ["read"]
    with pytest.raises(paysvc.JournalError) as failed:
        refund(client)
    assert failed.value.outcome is paysvc.Outcome.UNKNOWN
    assert isinstance(failed.value, paysvc.OutcomeUnknown)
    assert refunds_made(ordered) == 1


def test_an_end_that_cannot_be_written_leaves_the_reply_and_the_key_open(
    client: paysvc.Client, store: Memory, ordered: Sandbox
) -> None:
    store.fails = ["append end"]
    assert refund(client).outcome is paysvc.Outcome.CONFIRMED
    store.fails = []
    with pytest.raises(paysvc.Unresolved):
        refund(client, timeout=1)
    assert refunds_made(ordered) == 1
