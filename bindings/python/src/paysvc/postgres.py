"""The journal in PostgreSQL 12 or later, through any DB-API driver whose parameters are %s: psycopg, psycopg2, pg8000.

    import paysvc.postgres

    store = paysvc.postgres.Store(lambda: psycopg.connect("dbname=shop"))
    client = paysvc.Client(store=store)

TABLE makes the table. Rows are committed on connections of the store's own, never in a transaction of the program: to
keep the journal in step with your own data, commit your row first, and then make the call with its key.

A forked child makes connections of its own. A pooler such as PgBouncer must give each connection a session of its own:
in transaction mode, the time limit of a statement may be set for another program's.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import closing, suppress
from typing import Any

from . import _statements
from ._statements import TABLE

__all__ = ["TABLE", "Store"]


class Store:
    """A paysvc.Store in a table of PostgreSQL. Threads may share it; it keeps a connection for each that uses it."""

    def __init__(self, connect: Callable[[], Any], table: str = "paysvc_journal") -> None:
        """
        Args:
            connect: makes a new connection to the primary each time, which the store alone uses and closes
            table: the name of the table, perhaps with its schema
        """
        if not re.fullmatch(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?", table):
            raise ValueError(f"table must be a name in lower-case letters, digits and _, not {table!r}")
        if not callable(connect):
            raise TypeError("connect must be a function that makes a connection, not a connection")
        self._connect, self._table = connect, table
        #: By process: a child leaves its parent's as they are, because closing one notifies the server.
        self._idle: dict[int, list[Any]] = {}

    def append(self, key: str, seq: int, row: str, timeout: float) -> bool:
        """As paysvc.Store has it."""
        members = json.loads(row)
        values = (key, seq, members.get("order") or "", members["open"] is True, row)
        written = self._run(_statements.INSERT, values, timeout, lambda cursor: cursor.rowcount)
        if written not in (0, 1):
            raise RuntimeError(f"the driver reports {written!r} rows for an INSERT of one")
        return bool(written)

    def read(self, query: Mapping[str, Any], timeout: float) -> list[str]:
        """As paysvc.Store has it."""
        values: tuple[Any, ...]
        if "key" in query:
            statement, values = _statements.KEYED, (query["key"],)
        elif "order" in query:
            statement, values = _statements.ORDERED, (query["order"],)
        elif query.get("open") is True:
            statement, values = _statements.OPEN, (query["after"], query["limit"])
        else:
            raise ValueError(f"this version does not know the query {dict(query)!r}")
        rows: list[str] = self._run(statement, values, timeout, lambda cursor: [row for (row,) in cursor.fetchall()])
        return rows

    def close(self) -> None:
        """Closes the connections that nobody uses. The store makes others if it is used again."""
        for connection in self._idle.pop(os.getpid(), []):
            connection.close()

    def _run(self, statement: str, values: tuple[Any, ...], timeout: float, read: Callable[[Any], Any]) -> Any:
        def work() -> Any:
            connection = self._take(timeout)
            try:
                with closing(connection.cursor()) as cursor:
                    cursor.execute(statement.format(table=self._table), values)
                    result = read(cursor)
            except BaseException:
                connection.close()  # Its state is not known.
                raise
            self._own().append(connection)
            return result

        return _within(timeout, work)

    def _own(self) -> list[Any]:
        return self._idle.setdefault(os.getpid(), [])

    def _take(self, timeout: float) -> Any:
        """A connection that works, and is in no transaction."""
        while idle := self._own():
            try:
                connection = idle.pop()
            except IndexError:  # Another thread was faster.
                break
            try:
                _prepare(connection, timeout)
                return connection
            except Exception:  # The server may have closed it since it was used.
                _close(connection)
        connection = self._connect()
        try:
            # Drivers refuse this in a transaction that they know of.
            connection.autocommit = True
            _prepare(connection, timeout)
        except BaseException:
            _close(connection)
            raise
        return connection


def _within(timeout: float, work: Callable[[], Any]) -> Any:
    """On a thread of its own: if the server's machine is silent, drivers wait for minutes or for ever."""
    ended: Future[Any] = Future()

    def run() -> None:
        try:
            ended.set_result(work())
        except BaseException as error:
            ended.set_exception(error)

    threading.Thread(target=run, name="paysvc journal", daemon=True).start()
    if not wait([ended], timeout).done:
        raise TimeoutError(f"the database did not answer within {timeout:.3f} s")
    return ended.result()


def _prepare(connection: Any, timeout: float) -> None:
    """Sets the time that a statement has, and refuses a connection that would lose rows."""
    word = secrets.token_hex(8)
    with closing(connection.cursor()) as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", (str(max(1, math.ceil(timeout * 1000))),))
        cursor.execute(_statements.PROBE, (word,))
        cursor.execute(_statements.PROBED, (word,))
        in_transaction, is_replica = cursor.fetchone()
    if in_transaction:
        raise RuntimeError(
            "the journal's connection is in a transaction, which may be rolled back: connect must make a new one"
        )
    if is_replica:
        raise RuntimeError("the journal's connection is to a replica: connect to the primary")


def _close(connection: Any) -> None:
    with suppress(Exception):  # It was broken already.
        connection.close()
