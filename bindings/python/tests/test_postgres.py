"""The journal in PostgreSQL, with connections that are made up: what is said to the driver, and what is refused."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from paysvc import postgres


class Server:
    """Makes connections, and knows what was said on all of them."""

    def __init__(self, **settings: Any) -> None:
        self.in_transaction = self.is_replica = self.broken = False
        self.rowcount = 1
        self.rows: list[tuple[str]] = []
        self.said: list[tuple[str, Any]] = []
        self.made = self.closed = 0
        self.before: Callable[[], object] = lambda: None
        vars(self).update(settings)

    def connect(self) -> Connection:
        self.made += 1
        return Connection(self)


class Connection:
    autocommit = False

    def __init__(self, server: Server) -> None:
        self.server = server

    def cursor(self) -> Cursor:
        return Cursor(self)

    def close(self) -> None:
        self.server.closed += 1


class Cursor:
    def __init__(self, connection: Connection) -> None:
        self.connection, self.server = connection, connection.server

    @property
    def rowcount(self) -> int:
        return self.server.rowcount

    def execute(self, statement: str, values: Any) -> None:
        assert self.connection.autocommit, "outside of a transaction"
        self.server.before()
        if self.server.broken:
            self.server.broken = False
            raise ConnectionError("the server closed the connection")
        self.server.said.append((statement, values))

    def fetchone(self) -> tuple[bool, bool]:
        return self.server.in_transaction, self.server.is_replica

    def fetchall(self) -> list[tuple[str]]:
        return self.server.rows

    def close(self) -> None:
        """The connection stays."""


ROW = '{"key":"k","seq":1,"order":"R-1","open":true}'


def test_a_row_was_written_or_was_there_and_a_driver_that_tells_neither_has_failed() -> None:
    server = Server()
    store = postgres.Store(server.connect, "shop.journal")
    assert store.append("k", 1, ROW, 1.5) is True
    assert (server.said[0][1], server.said[-1][1]) == (("1500",), ("k", 1, "R-1", True, ROW))
    assert "INSERT INTO shop.journal " in server.said[-1][0]
    server.rowcount = 0
    assert store.append("k", 1, ROW, 1) is False
    server.rowcount = -1
    with pytest.raises(RuntimeError, match="-1 rows"):
        store.append("k", 1, ROW, 1)
    # A connection of which the statement itself fails is not used again.
    moments = iter([False, False, False, True])
    server.before = lambda: next(moments) and 1 / 0
    with pytest.raises(ZeroDivisionError):
        store.append("k", 1, ROW, 1)
    assert (server.made, server.closed) == (1, 1)


@pytest.mark.parametrize(("state", "part"), [("in_transaction", "is in a transaction"), ("is_replica", "to a replica")])
def test_a_connection_that_would_lose_rows_is_refused(state: str, part: str) -> None:
    server = Server(**{state: True})
    store = postgres.Store(server.connect)
    with pytest.raises(RuntimeError, match=part):
        store.append("k", 1, ROW, 1)
    assert not any("INSERT" in statement for statement, _ in server.said)
    assert server.closed == 1


def test_a_connection_is_kept_and_replaced_when_it_is_broken() -> None:
    server = Server(rows=[("1",), ("2",)])
    store = postgres.Store(server.connect)
    assert store.read({"key": "k"}, 1) == ["1", "2"]
    assert store.read({"order": "R"}, 1) == ["1", "2"]
    assert (server.made, server.closed) == (1, 0)
    server.broken = True
    assert store.read({"open": True, "after": "k", "limit": 5}, 1) == ["1", "2"]
    assert (server.made, server.closed) == (2, 1)
    assert server.said[-1][1] == ("k", 5)
    store.close()
    assert server.closed == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_connections_of_its_own() -> None:
    server = Server(rows=[("1",)])
    store = postgres.Store(server.connect)
    store.read({"key": "k"}, 1)
    child = os.fork()
    if child == 0:
        try:
            store.read({"key": "k"}, 1)
            store.close()
            # It has closed its own, and not its parent's.
            os._exit(0 if (server.made, server.closed) == (2, 1) else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.read({"key": "k"}, 1)
    assert (server.made, server.closed) == (1, 0)


@pytest.mark.parametrize("connects", [False, True])
def test_a_database_that_is_silent_fails_when_the_time_is_over(connects: bool) -> None:
    server, silent = Server(rows=[("1",)]), threading.Event()
    hangs = iter([connects, False])

    def connect() -> Connection:
        if next(hangs):
            silent.wait(60)
        return server.connect()

    store = postgres.Store(connect)
    if not connects:
        store.read({"key": "k"}, 60)
        server.before = lambda: silent.wait(60)
    with pytest.raises(TimeoutError, match=r"did not answer within 0\.100 s"):
        store.append("k", 1, ROW, 0.1)
    silent.set()
    server.before = lambda: None
    assert store.read({"key": "k"}, 60) == ["1"]


def test_what_cannot_be_meant_is_refused() -> None:
    server = Server()
    store = postgres.Store(server.connect)
    with pytest.raises(ValueError, match="does not know the query"):
        store.read({"since": "k"}, 1)
    with pytest.raises(ValueError, match="table must be"):
        postgres.Store(server.connect, "journal; DROP TABLE x")
    wrong: Any = server.connect()
    with pytest.raises(TypeError, match="not a connection"):
        postgres.Store(wrong)
