"""The journal in PostgreSQL, with connections that are made up: what is said to the driver, and what is refused."""

from __future__ import annotations

import os
import threading
from typing import Any
from unittest.mock import Mock

import pytest

from paysvc import postgres


class Server:
    """Makes connections, and records the statements on all of them."""

    def __init__(self, in_transaction: bool = False, is_replica: bool = False) -> None:
        self.cursor = Mock(rowcount=1)
        self.cursor.fetchone.return_value = in_transaction, is_replica
        self.cursor.fetchall.return_value = [("1",), ("2",)]
        self.connections: list[Mock] = []

    def connect(self) -> Mock:
        self.connections.append(Mock(autocommit=False))
        self.connections[-1].cursor.return_value = self.cursor
        return self.connections[-1]

    @property
    def said(self) -> list[tuple[str, Any]]:
        return [call.args for call in self.cursor.execute.call_args_list]

    @property
    def made_and_closed(self) -> tuple[int, int]:
        return len(self.connections), sum(connection.close.called for connection in self.connections)


ROW = '{"key":"k","seq":1,"order":"R-1","open":true}'


def test_a_row_was_written_or_was_there_and_a_driver_that_tells_neither_has_failed() -> None:
    server = Server()
    store = postgres.Store(server.connect, "shop.journal")
    assert store.append("k", 1, ROW, 1.5) is True
    assert server.connections[0].autocommit is True, "outside of a transaction"
    assert (server.said[0][1], server.said[-1][1]) == (("1500",), ("k", 1, "R-1", True, ROW))
    assert "INSERT INTO shop.journal " in server.said[-1][0]
    server.cursor.rowcount = 0
    assert store.append("k", 1, ROW, 1) is False
    server.cursor.rowcount = -1
    with pytest.raises(RuntimeError, match="-1 rows"):
        store.append("k", 1, ROW, 1)
    # A connection of which the statement itself fails is not used again.
    server.cursor.execute.side_effect = [None, None, None, ConnectionError]
    with pytest.raises(ConnectionError):
        store.append("k", 1, ROW, 1)
    assert server.made_and_closed == (1, 1)


@pytest.mark.parametrize(("state", "part"), [("in_transaction", "is in a transaction"), ("is_replica", "to a replica")])
def test_a_connection_that_would_lose_rows_is_refused(state: str, part: str) -> None:
    server = Server(**{state: True})
    with pytest.raises(RuntimeError, match=part):
        postgres.Store(server.connect).append("k", 1, ROW, 1)
    assert not any("INSERT" in statement for statement, _ in server.said)
    assert server.made_and_closed == (1, 1)


def test_a_connection_is_kept_and_replaced_when_it_is_broken() -> None:
    server = Server()
    store = postgres.Store(server.connect)
    assert store.read({"key": "k"}, 1) == store.read({"order": "R"}, 1) == ["1", "2"]
    assert server.made_and_closed == (1, 0)
    server.cursor.execute.side_effect = [ConnectionError, *[None] * 4]
    assert store.read({"open": True, "after": "k", "limit": 5}, 1) == ["1", "2"]
    assert server.made_and_closed == (2, 1)
    assert server.said[-1][1] == ("k", 5)
    store.close()
    assert server.made_and_closed == (2, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_connections_of_its_own() -> None:
    server = Server()
    store = postgres.Store(server.connect)
    store.read({"key": "k"}, 1)
    child = os.fork()
    if child == 0:
        try:
            store.read({"key": "k"}, 1)
            store.close()
            # It has closed its own, and not its parent's.
            os._exit(0 if server.made_and_closed == (2, 1) and not server.connections[0].close.called else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.read({"key": "k"}, 1)
    assert server.made_and_closed == (1, 0)


@pytest.mark.parametrize("connects", [False, True])
def test_a_database_that_is_silent_fails_when_the_time_is_over(connects: bool) -> None:
    server, answers = Server(), threading.Event()
    connect = Mock(side_effect=server.connect)
    store = postgres.Store(connect)
    if connects:
        connect.side_effect = lambda: answers.wait(60) and server.connect()
    else:
        store.read({"key": "k"}, 60)
        server.cursor.execute.side_effect = lambda *_: answers.wait(60)
    with pytest.raises(TimeoutError, match=r"did not answer within 0\.100 s"):
        store.append("k", 1, ROW, 0.1)
    answers.set()
    assert store.read({"key": "k"}, 60) == ["1", "2"]


def test_what_cannot_be_meant_is_refused() -> None:
    server = Server()
    store = postgres.Store(server.connect)
    with pytest.raises(ValueError, match="does not know the query"):
        store.read({"since": "k"}, 1)
    with pytest.raises(ValueError, match="table must be"):
        postgres.Store(server.connect, "journal; DROP TABLE x")
    wrong: Any = object()
    with pytest.raises(TypeError, match="not a connection"):
        postgres.Store(wrong)
