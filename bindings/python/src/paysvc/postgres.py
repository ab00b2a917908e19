"""The journal in PostgreSQL 12 or later, through any DB-API driver whose parameters are %s: psycopg, psycopg2, pg8000.

    import paysvc.postgres

    store = paysvc.postgres.Store(lambda: psycopg.connect("dbname=shop"))
    client = paysvc.Client(store=store)

TABLE makes the table. Rows are committed on connections of the store's own, never in a transaction of the program: to
keep the journal in step with your own data, commit your row first, and then make the call with its key.
"""

from __future__ import annotations

import json
import math
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

#: Run this once, with the name of your table if it is another. Byte order in keys, so that all databases agree.
TABLE = """CREATE TABLE paysvc_journal (
    key text COLLATE "C" NOT NULL,
    seq integer NOT NULL,
    "order" text COLLATE "C",
    open boolean NOT NULL,
    row text NOT NULL,
    PRIMARY KEY (key, seq)
);
CREATE INDEX paysvc_journal_order ON paysvc_journal ("order");
CREATE INDEX paysvc_journal_open ON paysvc_journal (key) WHERE open"""

#: Whether the connection is in a transaction: a setting that lasts as long as that is there in the next statement.
_PROBE = "SELECT set_config('paysvc.probe', %s, true)"
_PROBED = "SELECT current_setting('paysvc.probe', true) = %s, pg_is_in_recovery()"

#: The setting is for this transaction, of one statement, and the row is on the disk when it has been committed.
_APPEND = """WITH durable AS (SELECT set_config('synchronous_commit', 'on', true))
INSERT INTO {table} (key, seq, "order", open, row)
SELECT %s::text, %s::integer, %s::text, %s::boolean, %s::text FROM durable
ON CONFLICT (key, seq) DO NOTHING"""

_OF_KEY = "SELECT row FROM {table} WHERE key = %s ORDER BY seq"
_OF_ORDER = 'SELECT row FROM {table} WHERE "order" = %s ORDER BY key, seq'
_OPEN = """SELECT row FROM {table} AS last WHERE open AND key > %s
AND NOT EXISTS (SELECT 1 FROM {table} AS later WHERE later.key = last.key AND later.seq > last.seq)
ORDER BY key LIMIT %s"""


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
        self._lock = threading.Lock()
        self._idle: list[Any] = []

    def append(self, key: str, seq: int, row: str, timeout: float) -> bool:
        """As paysvc.Store has it."""
        members = json.loads(row)
        values = (key, seq, members.get("order"), members["open"] is True, row)
        written = self._run(_APPEND, values, timeout, lambda cursor: cursor.rowcount)
        if written not in (0, 1):
            raise RuntimeError(f"the driver reports {written!r} rows for an INSERT of one")
        return bool(written)

    def read(self, query: Mapping[str, Any], timeout: float) -> list[str]:
        """As paysvc.Store has it."""
        values: tuple[Any, ...]
        if "key" in query:
            statement, values = _OF_KEY, (query["key"],)
        elif "order" in query:
            statement, values = _OF_ORDER, (query["order"],)
        elif query.get("open") is True:
            statement, values = _OPEN, (query["after"], query["limit"])
        else:
            raise ValueError(f"this version does not know the query {dict(query)!r}")
        rows: list[str] = self._run(statement, values, timeout, lambda cursor: [row for (row,) in cursor.fetchall()])
        return rows

    def close(self) -> None:
        """Closes the connections that nobody uses. The store makes others if it is used again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _run(self, statement: str, values: tuple[Any, ...], timeout: float, read: Callable[[Any], Any]) -> Any:
        connection = self._take(timeout)
        try:
            with _Cursor(connection) as cursor:
                cursor.execute(statement.format(table=self._table), values)
                result = read(cursor)
        except BaseException:
            connection.close()  # Its state is not known.
            raise
        with self._lock:
            self._idle.append(connection)
        return result

    def _take(self, timeout: float) -> Any:
        """A connection that works, and is in no transaction."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = self._connect()
                break
            try:
                _prepare(connection, timeout)
                return connection
            except Exception:  # The server may have closed it since it was used.
                _close(connection)
        try:
            # Drivers refuse this in a transaction that they know of.
            connection.autocommit = True
            _prepare(connection, timeout)
        except BaseException:
            _close(connection)
            raise
        return connection


class _Cursor:
    """Closed at its end: not every driver's cursor is a context manager."""

    def __init__(self, connection: Any) -> None:
        self._cursor = connection.cursor()

    def __enter__(self) -> Any:
        return self._cursor

    def __exit__(self, *_: object) -> None:
        self._cursor.close()


def _prepare(connection: Any, timeout: float) -> None:
    """Sets the time that a statement has, and refuses a connection that would lose rows."""
    word = secrets.token_hex(8)
    with _Cursor(connection) as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", (str(max(1, math.ceil(timeout * 1000))),))
        cursor.execute(_PROBE, (word,))
        cursor.execute(_PROBED, (word,))
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
