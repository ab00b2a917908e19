"""The journal in a real PostgreSQL, against the sandbox."""

from __future__ import annotations

import importlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from database import Server
from helpers import refunds_made

import paysvc
from paysvc import postgres
from paysvc.sandbox import Sandbox

#: As many calls at once.
RACERS = 8


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


def test_equal_requests_at_once_are_sent_once(database: Server, ordered: Sandbox) -> None:
    start = threading.Barrier(RACERS)
    # On a slow machine one of many calls at once waits for long.
    config = {**ordered.config, "timeout_ms": 120_000}

    def refund(_: int) -> paysvc.Reply:
        store = postgres.Store(database.connect)
        with closing(store), paysvc.Client(**config, store=store) as client:
            start.wait()
            return client.order_refund(reference="R-1", amount="1.50", idempotency_key="refund-1")

    with ThreadPoolExecutor(RACERS) as threads:
        replies = list(threads.map(refund, range(RACERS)))
    assert {reply.outcome for reply in replies} == {paysvc.Outcome.CONFIRMED}
    assert sorted(reply.replayed for reply in replies) == [False] + [True] * (RACERS - 1)
    assert refunds_made(ordered) == 1


def test_a_row_outlives_a_crash_whatever_the_default_of_the_connection(database: Server) -> None:
    store = postgres.Store(lambda: database.connect("-c synchronous_commit=off"))
    assert store.append("k", 1, row(1), 5)
    database.crash()
    # The connection that broke is replaced.
    assert store.read({"key": "k"}, 5) == [row(1)]
    store.close()


def test_a_transaction_that_the_driver_does_not_know_of_is_refused(database: Server) -> None:
    def connect() -> Any:
        connection = connect_with_pg8000(database)
        connection.autocommit = True
        connection.cursor().execute("BEGIN")
        return connection

    with pytest.raises(RuntimeError, match="is in a transaction"):
        postgres.Store(connect).append("k", 1, row(1), 5)
    assert database.run("SELECT count(*) FROM paysvc_journal") == [(0,)]
