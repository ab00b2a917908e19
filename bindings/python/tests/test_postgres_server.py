"""The journal in a real PostgreSQL, against the sandbox."""

from __future__ import annotations

import importlib
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest
from database import Server, Watched
from helpers import card, refunds_made

import paysvc
from paysvc import postgres
from paysvc.sandbox import Sandbox

#: As many calls at once.
RACERS = 8


@contextmanager
def client_of(sandbox: Sandbox, connect: Callable[[], Any]) -> Iterator[paysvc.Client]:
    # On a slow machine one of many calls at once waits for long.
    config = {**sandbox.config, "timeout_ms": 120_000}
    with closing(postgres.Store(connect)) as store, paysvc.Client(**config, store=store) as client:
        yield client


def refund(client: paysvc.Client, key: str = "refund-1") -> paysvc.Reply:
    return client.order_refund(reference="R-1", amount="1.50", idempotency_key=key)


def row(seq: int, order: str | None = "R-1", open_: bool = True) -> str:
    return json.dumps({"key": "k", "seq": seq, "order": order, "open": open_})


def connect_with_pg8000(database: Server) -> Any:
    return importlib.import_module("pg8000.dbapi").connect("postgres", unix_sock=f"{database.folder}/.s.PGSQL.5432")


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "pg8000"])
def test_every_driver_tells_what_was_written_and_reads_it(database: Server, driver: str) -> None:
    def connect() -> Any:
        return importlib.import_module(driver).connect(database.dsn)

    store = postgres.Store(connect if driver != "pg8000" else lambda: connect_with_pg8000(database))
    assert store.append("k", 1, row(1), 5) is True
    assert store.append("k", 1, row(2), 5) is False
    assert store.append("k", 2, row(2, None, False), 5) is True
    assert store.append("K", 1, row(1), 5) is True
    assert store.read({"key": "k"}, 5) == [row(1), row(2, None, False)]
    assert store.read({"order": "R-1"}, 5) == [row(1), row(1)]
    assert store.read({"open": True, "after": "", "limit": 9}, 5) == [row(1)]
    store.close()


def race(sandbox: Sandbox, database: Server, call: Callable[[paysvc.Client, int], paysvc.Reply]) -> list[paysvc.Reply]:
    """Calls at the same moment, each with a client of its own."""
    start = threading.Barrier(RACERS)

    def run(number: int) -> paysvc.Reply:
        with client_of(sandbox, database.connect) as client:
            start.wait()
            return call(client, number)

    with ThreadPoolExecutor(RACERS) as threads:
        return list(threads.map(run, range(RACERS)))


def test_equal_requests_at_once_are_sent_once(database: Server, ordered: Sandbox) -> None:
    replies = race(ordered, database, lambda client, _: refund(client))
    assert {reply.outcome for reply in replies} == {paysvc.Outcome.CONFIRMED}
    assert sorted(reply.replayed for reply in replies) == [False] + [True] * (RACERS - 1)
    assert refunds_made(ordered) == 1


def test_charges_of_an_order_at_once_with_keys_of_their_own_are_one(database: Server, ordered: Sandbox) -> None:
    ordered.post("/sandbox/orders", {"reference": "R-2", "amount": "100"})

    def pay(client: paysvc.Client, number: int) -> paysvc.Reply:
        return client.order_pay(
            payment_option="C", reference="R-2", country="NG", card=card(), idempotency_key=f"pay-{number}"
        )

    replies = race(ordered, database, pay)
    assert {(reply.outcome, reply.state) for reply in replies} == {(paysvc.Outcome.CONFIRMED, paysvc.State.SUCCESSFUL)}
    made = [entry for entry in ordered.ledger() if (entry["effect"], entry["key"]) == ("charge_made", "R-2")]
    assert len(made) == 1


def test_a_connection_that_was_ended_between_two_calls_is_replaced(database: Server, ordered: Sandbox) -> None:
    with client_of(ordered, database.connect) as client:
        refund(client)
        assert database.end_others() >= 1
        assert refund(client).replayed
        assert database.end_others() >= 1
        assert not refund(client, "refund-2").replayed
    assert refunds_made(ordered) == 2


class Once:
    """Does something with the first claim that is about to be written, or was."""

    def __init__(self, what: Callable[[], None]) -> None:
        self.what = [what]

    def __call__(self, statement: str) -> None:
        if "INSERT" in statement and self.what:
            self.what.pop()()


def nothing(statement: str) -> None:
    pass


def test_a_connection_that_is_ended_before_a_claim_is_written_sends_nothing(
    database: Server, ordered: Sandbox
) -> None:
    def end() -> None:
        assert database.end_others() >= 1

    before = Once(end)
    with client_of(ordered, lambda: Watched(database.connect(), before, nothing)) as client:
        with pytest.raises(paysvc.JournalError) as failed:
            refund(client)
        assert failed.value.outcome is paysvc.Outcome.NOT_SENT
        assert refunds_made(ordered) == 0
        assert not refund(client).replayed
    assert refunds_made(ordered) == 1


def test_a_claim_that_was_committed_before_its_connection_broke_is_sent_once(
    database: Server, ordered: Sandbox
) -> None:
    def lose() -> None:
        assert database.end_others() >= 1
        raise ConnectionError("the response was lost")

    after = Once(lose)
    with client_of(ordered, lambda: Watched(database.connect(), nothing, after)) as client:
        assert not refund(client).replayed
        assert not after.what
        assert refund(client).replayed
    assert refunds_made(ordered) == 1
    assert database.run("SELECT count(*) FROM paysvc_journal") == [(2,)]


def test_a_row_outlives_a_crash_whatever_the_default_of_the_connection(database: Server) -> None:
    store = postgres.Store(lambda: database.connect("-c synchronous_commit=off"))
    assert store.append("k", 1, row(1), 5)
    database.crash()
    assert store.read({"key": "k"}, 5) == [row(1)]
    store.close()


def test_the_server_may_crash_while_a_request_is_under_way(database: Server, ordered: Sandbox) -> None:
    ordered.fault("slow_headers", "/payment/order/refund", delay_ms=1000)
    with client_of(ordered, database.connect) as client, ThreadPoolExecutor(1) as thread:
        call = thread.submit(refund, client)
        while not refunds_made(ordered) and not call.done():
            pass
        database.crash()
        assert call.result().outcome is paysvc.Outcome.CONFIRMED
        # A response that came while the server was still starting was not written down: a person must settle it.
        with suppress(paysvc.Unresolved):
            assert refund(client).replayed
    assert refunds_made(ordered) == 1


def test_a_transaction_that_the_driver_does_not_know_of_is_refused(database: Server, ordered: Sandbox) -> None:
    def connect() -> Any:
        connection = connect_with_pg8000(database)
        connection.autocommit = True
        connection.cursor().execute("BEGIN")
        return connection

    with pytest.raises(RuntimeError, match="is in a transaction"):
        postgres.Store(connect).append("k", 1, row(1), 5)
    with client_of(ordered, connect) as client, pytest.raises(paysvc.JournalError):
        refund(client)
    assert refunds_made(ordered) == 0
    assert database.run("SELECT count(*) FROM paysvc_journal") == [(0,)]
