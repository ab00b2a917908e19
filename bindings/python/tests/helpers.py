"""Helpers of several test files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import paysvc
from paysvc.sandbox import Sandbox

PROJECT = Path(__file__).resolve().parent.parent

#: The sandbox charges this card.
CARD = {"cardnumber": "4111111111111111", "expirymonth": "01", "expiryyear": "39", "cvv": "9173"}
#: And refuses this one.
REFUSED = "4000000000000002"


def card(number: str = CARD["cardnumber"]) -> paysvc.Card:
    return paysvc.Card(cardnumber=number, expirymonth="01", expiryyear="39", cvv=CARD["cvv"])


def refunds_made(sandbox: Sandbox) -> int:
    return sum(entry["effect"] == "refund_made" for entry in sandbox.ledger())


def run_python(
    *arguments: str | Path, cwd: Path | None = None, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs this Python. The environment replaces, or adds to, the variables of the tests."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def output_of(program: str, **environment: str) -> str:
    """The standard output of a program that must succeed and write nothing else."""
    ended = run_python("-W", "error", "-c", program, environment=environment)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    return ended.stdout
