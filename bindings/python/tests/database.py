"""A PostgreSQL of the tests' own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg
import pytest
from helpers import PROJECT

from paysvc import postgres


class Server:
    """Ends with `close()`, or with this process."""

    def __init__(self) -> None:
        script = str(PROJECT.parent.parent / "scripts" / "postgres.sh")
        self._process = subprocess.Popen(
            ["sh", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1, text=True
        )
        self.folder = self._ready()

    def _ready(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip() or pytest.fail("PostgreSQL did not start: see the output")

    def crash(self) -> None:
        """Ends the server without its last writes, and starts it again."""
        assert self._process.stdin is not None
        self._process.stdin.write("crash\n")
        self._ready()

    def close(self) -> None:
        self._process.communicate()

    @property
    def dsn(self) -> str:
        return f"host={self.folder} port=5432 user=postgres dbname=postgres"

    def connect(self, options: str = "") -> psycopg.Connection[Any]:
        return psycopg.connect(self.dsn, options=options)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        with closing(psycopg.connect(self.dsn, autocommit=True)) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def begin_anew(self) -> None:
        self.run(f"DROP TABLE IF EXISTS paysvc_journal; {postgres.TABLE}")

    def end_others(self) -> int:
        """Ends all connections; gives their number."""
        found = self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return len(found)


#: What a test does with a cursor just before or after it executes a statement.
Hook = Callable[[str], None]


class Watched:
    """A connection that tells of every statement."""

    def __init__(self, connection: Any, before: Hook, after: Hook) -> None:
        vars(self).update(_connection=connection, _before=before, _after=after)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._connection, name, value)

    def cursor(self) -> Any:
        cursor = self._connection.cursor()
        return _WatchedCursor(cursor, self._before, self._after)


class _WatchedCursor:
    def __init__(self, cursor: Any, before: Hook, after: Hook) -> None:
        self._cursor, self._before, self._after = cursor, before, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, statement: str, values: Any) -> None:
        self._before(statement)
        self._cursor.execute(statement, values)
        self._after(statement)
