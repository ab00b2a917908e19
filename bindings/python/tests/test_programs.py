"""The programs of the README."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from helpers import PROJECT, output_of, run_python
from peer import Peer

from paysvc.sandbox import Sandbox

BLOCKS = [part.split("```")[0] for part in (PROJECT / "README.md").read_text().split("```python\n")[1:]]


def variables(config: dict[str, str]) -> dict[str, str]:
    return {f"PAYSVC_{name.upper()}": text for name, text in config.items()}


def block(start: str) -> str:
    (found,) = (text for text in BLOCKS if start in text)
    return found


@pytest.mark.parametrize(
    ("part", "printed"),
    [
        ("def refund(", "accepted; nothing tells how it ends\n"),
        ("threading.Timer(60", ""),
        ("asyncio.run(main())", ""),
        ("reply.answer.order_summary", "Successful 102.00 2.00 True\nSuccessful\nnot read:\n"),
    ],
)
def test_the_programs_of_the_readme_run(paysvc_sandbox: Sandbox, part: str, printed: str) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "ORDER-1", "amount": "100", "paid": True})
    assert output_of(block(part), **variables(paysvc_sandbox.config)) == printed


FIRST_CHARGE = 'reference_new("TILL-7")'


@pytest.mark.parametrize("fault", ["", "commit_then_reset", "status_500"])
def test_the_first_charge_of_the_readme_finds_out_what_became_of_it(paysvc_sandbox: Sandbox, fault: str) -> None:
    if fault:
        paysvc_sandbox.fault(fault, "/payment/order/create")
    settings = variables({**paysvc_sandbox.config, "timeout_ms": "2000"})
    *lost, end = output_of(block(FIRST_CHARGE), **settings).splitlines()
    assert len(lost) == bool(fault)
    assert "".join(lost).startswith("the response is lost, asking what became of it: " if fault else "")
    assert [request["path"] for request in paysvc_sandbox.requests()].count("/payment/order/create") == 1
    if fault == "status_500":
        assert end.startswith("UNKNOWN, do not charge again: ")
    else:
        assert end == "paid"
        effects = [(entry["effect"], entry["amount"]) for entry in paysvc_sandbox.ledger()]
        assert effects == [("order_created", "25.50"), ("charge_made", "25.50")]


def test_the_first_charge_of_the_readme_compares_amounts(paysvc_sandbox: Sandbox, peer: Peer) -> None:
    payment = {"statusId": 5, "currency": "NGN", "totalAmount": 25.05}
    peer.replies(json.dumps({"status": "success", "message": "done", "data": {"orderPayment": payment}}))
    config = {**peer.config, "encryption_key": paysvc_sandbox.config["encryption_key"]}
    printed = "not paid, do not charge again: the amount differs, or cannot be read (SUCCESSFUL)\n"
    assert output_of(block(FIRST_CHARGE), **variables(config)) == printed


@pytest.mark.parametrize(
    ("part", "effect", "printed"),
    [
        ("client.journal_next()", "refund_made", ["done\n", "done by an earlier run\n"]),
        ("payout_bulk", "payout_made", ["SALARY-2026-05-1 ACCEPTED\n"] * 2),
    ],
)
def test_a_program_of_the_readme_with_a_journal_may_be_started_again(
    paysvc_sandbox: Sandbox, journal: dict[str, Any], part: str, effect: str, printed: list[str]
) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "ORDER-1", "amount": "100", "paid": True})
    settings, folder = variables(paysvc_sandbox.config), journal["journal"].parent
    for text in printed:
        ended = run_python("-W", "error", "-c", block(part), cwd=folder, environment=settings)
        assert (ended.stdout, ended.stderr) == (text, "")
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()].count(effect) == 1


def run_merchants_tests(folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(block("pytest_plugins"))
    (folder / "test_till.py").write_text(block("def test_a_lost_answer"))
    (folder / "test_shop.py").write_text(block("def test_only_a_paid"))
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    if "PYTHONPATH" in os.environ:
        environment["PYTHONPATH"] = os.pathsep.join([str(PROJECT / "src"), os.environ["PYTHONPATH"]])
    return run_python(*arguments, cwd=folder, environment=environment)


def test_the_fixture_gives_a_merchants_tests_a_sandbox(tmp_path: Path) -> None:
    ended = run_merchants_tests(tmp_path, {})
    assert "2 passed" in ended.stdout, ended.stdout + ended.stderr


def test_a_merchants_tests_fail_without_a_sandbox(tmp_path: Path) -> None:
    ended = run_merchants_tests(tmp_path, {"PAYSVC_SANDBOX": str(tmp_path / "none")})
    assert "which does not exist" in ended.stdout
    assert "1 passed, 1 error" in ended.stdout
