"""The programs of the README, and what importing the package costs."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
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
    ],
)
def test_the_programs_of_the_readme_run(paysvc_sandbox: Sandbox, part: str, printed: str) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "ORDER-1", "amount": "100", "paid": True})
    assert output_of(block(part), **variables(paysvc_sandbox.config)) == printed


def test_the_program_of_the_readme_that_reads_an_order(paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "ORDER-1", "amount": "100", "paid": True})
    program = block("reply.answer.order_summary")
    summary, attempt, unread = output_of(program, **variables(paysvc_sandbox.config)).splitlines()
    state, total, fee, is_final = summary.split()
    assert unread == "not read:"
    assert (state, Decimal(total), is_final) == ("Successful", 100 + Decimal(fee), "True")
    assert attempt in ("Successful", "None")


FIRST_CHARGE = 'reference_new("TILL-7")'


def test_the_first_charge_of_the_readme_is_paid_once(paysvc_sandbox: Sandbox) -> None:
    assert output_of(block(FIRST_CHARGE), **variables(paysvc_sandbox.config)) == "paid\n"
    effects = [(entry["effect"], entry["amount"]) for entry in paysvc_sandbox.ledger()]
    assert effects == [("order_created", "25.50"), ("charge_made", "25.50")]


@pytest.mark.parametrize("fault", ["commit_then_reset", "commit_then_502", "truncate"])
def test_the_first_charge_of_the_readme_finds_out_what_became_of_it(paysvc_sandbox: Sandbox, fault: str) -> None:
    paysvc_sandbox.fault(fault, "/payment/order/create")
    lost, paid = output_of(block(FIRST_CHARGE), **variables(paysvc_sandbox.config)).splitlines()
    assert lost.startswith("the response is lost, asking what became of it: ")
    assert paid == "paid"
    effects = [(entry["effect"], entry["amount"]) for entry in paysvc_sandbox.ledger()]
    assert effects == [("order_created", "25.50"), ("charge_made", "25.50")]


def test_the_first_charge_of_the_readme_is_not_repeated_when_it_stays_unknown(paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.fault("status_500", "/payment/order/create")
    settings = variables({**paysvc_sandbox.config, "timeout_ms": "2000"})
    lost, unknown = output_of(block(FIRST_CHARGE), **settings).splitlines()
    assert lost.startswith("the response is lost, ")
    assert unknown.startswith("UNKNOWN, do not charge again: ")
    assert [request["path"] for request in paysvc_sandbox.requests()].count("/payment/order/create") == 1


@pytest.mark.parametrize(
    ("changed", "printed"),
    [
        ({}, "paid"),
        ({"totalAmount": 25.5, "fee": 0}, "paid"),
        ({"totalAmount": 25.88}, "paid"),
        (
            {"totalAmount": 25.05},
            "not paid, do not charge again: the amount differs, or cannot be read (SUCCESSFUL)",
        ),
        (
            {"totalAmount": 2550},
            "not paid, do not charge again: the amount differs, or cannot be read (SUCCESSFUL)",
        ),
        ({"currency": "USD"}, "not paid, do not charge again: the currency differs (SUCCESSFUL)"),
        ({"totalAmount": None}, "not paid, do not charge again: the response has no amount (SUCCESSFUL)"),
        (
            {"totalAmount": ["25.50"]},
            "not paid, do not charge again: the amount differs, or cannot be read (SUCCESSFUL)",
        ),
        (
            {"statusId": 2},
            "not paid, do not charge again: the payment is not final: ask for the state of the order again (PENDING)",
        ),
    ],
)
def test_the_first_charge_of_the_readme_compares_amounts(
    paysvc_sandbox: Sandbox, peer: Peer, changed: dict[str, object], printed: str
) -> None:
    payment = {"statusId": 5, "currency": "NGN", "totalAmount": "25.50", "fee": "0.38", **changed}

    def answer() -> None:
        peer.next().answer(status="success", statusCode="00", message="done", data={"orderPayment": payment})

    config = {**peer.config, "encryption_key": paysvc_sandbox.config["encryption_key"]}
    with ThreadPoolExecutor() as threads:
        answering = threads.submit(answer)
        assert output_of(block(FIRST_CHARGE), **variables(config)) == printed + "\n"
        answering.result()


def test_the_program_of_the_readme_with_a_journal_refunds_once(paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "ORDER-1", "amount": "100", "paid": True})
    settings = variables(paysvc_sandbox.config)
    # On a disk: the library refuses a file system in memory.
    with TemporaryDirectory(dir=PROJECT.parents[1] / "build") as folder:
        for printed in ("done\n", "done by an earlier run\n"):
            ended = run_python("-c", block("client.journal_next()"), cwd=Path(folder), environment=settings)
            assert (ended.stdout, ended.stderr) == (printed, "")
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()].count("refund_made") == 1


def test_the_program_of_the_readme_that_pays_a_list_may_be_started_again(
    paysvc_sandbox: Sandbox, journal: dict[str, Any]
) -> None:
    settings, folder = variables(paysvc_sandbox.config), journal["journal"].parent
    for _ in range(2):
        ended = run_python("-W", "error", "-c", block("payout_bulk"), cwd=folder, environment=settings)
        assert (ended.stdout, ended.stderr) == ("SALARY-2026-05-1 ACCEPTED\n", "")
    assert [entry["effect"] for entry in paysvc_sandbox.ledger()] == ["payout_made"]


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


def test_slow_imports_are_only_for_programs_that_need_them() -> None:
    program = (
        "import sys, paysvc\n"
        "slow = {'asyncio', 'logging', 'platform', 'pathlib'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
        "assert set(paysvc.__all__) <= set(dir(paysvc))\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
        "from paysvc import *\n"
        "assert AsyncClient is paysvc.AsyncClient is sys.modules['paysvc._async'].AsyncClient\n"
        "try: paysvc.Nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    assert output_of(program) == "module 'paysvc' has no attribute 'Nothing'\n"
