"""examples/outbox.py: workers that are killed, and that run at once, pay each row once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from database import Server
from helpers import PROJECT
from test_payouts import paid
from test_programs import variables

from paysvc.sandbox import Sandbox

WAIT = 60.0  # Only a test that fails waits that long.

SALARY = {
    "accountNumber": "0690000031", "bankCode": "000014", "amount": "1500.75", "description": "salary",
    "accountName": "Ada", "creditCurrency": "NGN", "debitCurrency": "NGN",
}  # fmt: skip


class Example:
    def __init__(self, database: Server, sandbox: Sandbox) -> None:
        self.database, self.sandbox = database, sandbox
        self.settings: dict[str, str] = {}
        database.run("DROP TABLE IF EXISTS outbox, paysvc_journal")
        self.run("setup")

    def start(self, *words: str) -> subprocess.Popen[str]:
        environment = {**os.environ, **variables(self.sandbox.config), **self.settings, "DATABASE": self.database.dsn}
        command = [sys.executable, str(PROJECT.parent.parent / "examples" / "outbox.py"), *words]
        pipe, both = subprocess.PIPE, subprocess.STDOUT
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=both, text=True)

    def run(self, *words: str, status: int = 0) -> str:
        program = self.start(*words)
        told = program.communicate(timeout=WAIT)[0]
        assert program.returncode == status, told
        return told

    def add(self, *keys: str) -> None:
        for key in keys:
            self.run("add", key, json.dumps(SALARY))

    def kill_a_worker_once(self, happened: Callable[[], bool]) -> None:
        worker = self.start("work")
        until = time.monotonic() + WAIT
        while not happened():
            assert worker.poll() is None, worker.communicate()[0]
            assert time.monotonic() < until
        worker.send_signal(signal.SIGKILL)
        worker.communicate()

    def outcomes(self) -> list[Any]:
        return self.database.run("SELECT key, outcome FROM outbox ORDER BY key")


@pytest.fixture
def example(database: Server, ordered: Sandbox) -> Example:
    return Example(database, ordered)


def test_workers_at_once_pay_each_row_once(example: Example) -> None:
    keys = [f"salary-{number}" for number in range(5)]
    example.add(*keys)
    workers = [example.start("work") for _ in range(3)]
    for worker in workers:
        assert worker.communicate(timeout=WAIT)[0].count(" CONFIRMED ") <= len(keys)
    example.run("work")
    assert example.outcomes() == [(key, "CONFIRMED") for key in keys]
    assert paid(example.sandbox) == len(keys)


def test_a_worker_that_is_killed_before_it_has_written_the_outcome_pays_once(example: Example) -> None:
    example.add("salary")
    with psycopg.connect(example.database.dsn) as other:
        # The worker can read its rows, and not change them.
        other.execute("LOCK TABLE outbox IN EXCLUSIVE MODE")
        waiting = "pg_stat_activity WHERE query LIKE 'UPDATE outbox%' AND wait_event_type = 'Lock'"
        example.kill_a_worker_once(lambda: example.database.run(f"SELECT pid FROM {waiting}") != [])
        # The server would not notice, and write it.
        assert example.database.run(f"SELECT pg_terminate_backend(pid) FROM {waiting}") == [(True,)]
    assert example.outcomes() == [("salary", None)]
    assert "salary CONFIRMED " in example.run("work")
    assert example.outcomes() == [("salary", "CONFIRMED")]
    assert paid(example.sandbox) == 1


def test_a_row_whose_request_was_under_way_when_its_worker_was_killed_stays_open(example: Example) -> None:
    example.add("salary")
    # The time that a claim of the killed worker may be under way.
    example.settings["PAYSVC_TIMEOUT_MS"] = "2000"
    example.sandbox.fault("commit_then_timeout", "/payout/initiate")
    example.kill_a_worker_once(lambda: paid(example.sandbox) == 1)
    assert "salary UNKNOWN " in example.run("work", status=2)
    assert example.outcomes() == [("salary", None)]
    assert paid(example.sandbox) == 1
