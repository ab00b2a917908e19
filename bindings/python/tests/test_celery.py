"""The program of docs/celery.md, with Celery itself, which runs each task and its retries at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT, run_python
from test_programs import variables

from paysvc.sandbox import Sandbox

PAGE = (PROJECT.parents[1] / "docs" / "celery.md").read_text()
CHARGE = "/payment/tokenize/charge"

Start = Callable[..., str]


@pytest.fixture
def start(paysvc_sandbox: Sandbox, journal: dict[str, Any]) -> Start:
    """Starts a task in a process of its own, and gives what it returns and the row of its order."""
    folder: Path = journal["journal"].parent
    (folder / "tasks.py").write_text(PAGE.split("```python\n")[1].split("```")[0])
    with closing(sqlite3.connect(folder / "shop.db")) as shop, shop:
        shop.execute(PAGE.split("Your database: ")[1].split('"')[0])
        shop.execute("INSERT INTO orders VALUES ('T7-1', '25.50', 'tok_1', 'NOT_SENT')")
    paysvc_sandbox.post("/sandbox/cards", {"cardToken": "tok_1"})

    def run(task: str, reference: str, **settings: str) -> str:
        known = {**paysvc_sandbox.config, "max_attempts": "1", **settings}
        if "without" not in task:
            known.update(journal=str(journal["journal"]), journal_create="true")
        program = (
            "import sys, tasks\n"
            "tasks.app.conf.update(task_always_eager=True, broker_url='memory://')\n"
            "print(getattr(tasks, sys.argv[1]).delay(sys.argv[2]).get())\n"
            "print(*tasks.sql('SELECT outcome FROM orders').fetchone())"
        )
        ended = run_python("-c", program, task, reference, cwd=folder, environment=variables(known))
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return " ".join(ended.stdout.splitlines())

    return run


def charges(sandbox: Sandbox) -> list[str]:
    return [entry["key"] for entry in sandbox.ledger() if entry["effect"] == "charge_made"]


def test_with_a_journal_a_retry_asks(paysvc_sandbox: Sandbox, start: Start) -> None:
    paysvc_sandbox.fault("commit_then_reset", CHARGE)
    assert [start("charge", "T7-1") for _ in range(2)] == ["CONFIRMED NOT_SENT"] * 2
    assert charges(paysvc_sandbox) == ["T7-1"]
    assert [request["path"] for request in paysvc_sandbox.requests()].count(CHARGE) == 1


def test_without_a_journal_the_row_prevents_a_second_charge(paysvc_sandbox: Sandbox, start: Start) -> None:
    paysvc_sandbox.fault("commit_then_reset", CHARGE)
    assert start("charge_without_journal", "T7-1") == "UNKNOWN CONFIRMED"  # find_out has asked meanwhile
    assert start("charge_without_journal", "T7-1") == "begun by another start: see its row CONFIRMED"
    assert charges(paysvc_sandbox) == ["T7-1"]


@pytest.mark.parametrize("task", ["charge", "charge_without_journal"])
def test_what_was_not_executed_is_retried(paysvc_sandbox: Sandbox, start: Start, task: str) -> None:
    # With a journal the first charge of an order asks before it sends, and cannot.
    unsent = "UNKNOWN" if task == "charge" else "NOT_SENT"
    assert start(task, "T7-1", base_url="http://127.0.0.1:9") == f"{unsent} NOT_SENT"
    paysvc_sandbox.fault("status_429", CHARGE)
    assert start(task, "T7-1").startswith("CONFIRMED")
    assert charges(paysvc_sandbox) == ["T7-1"]
    assert [request["path"] for request in paysvc_sandbox.requests()].count(CHARGE) == 2


@pytest.mark.parametrize("task", ["charge", "charge_without_journal"])
def test_a_refusal_is_not_retried(paysvc_sandbox: Sandbox, start: Start, task: str) -> None:
    paysvc_sandbox.fault("refused", CHARGE)
    assert start(task, "T7-1").startswith("REJECTED")
    assert [request["path"] for request in paysvc_sandbox.requests()].count(CHARGE) == 1
