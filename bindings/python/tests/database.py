"""A PostgreSQL of the tests' own."""

from __future__ import annotations

import subprocess
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
