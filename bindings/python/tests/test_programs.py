"""The example and the README do what they show."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paysvc._generated import KEYWORDS
from paysvc.sandbox import Sandbox

HERE = Path(__file__).resolve().parent.parent
README = (HERE / "README.md").read_text()
BLOCKS = [part.split("```")[0] for part in README.split("```python\n")[1:]]


def environment(sandbox: Sandbox) -> dict[str, str]:
    return {**os.environ, **{f"PAYSVC_{name.upper()}": text for name, text in sandbox.config.items()}}


def run(sandbox: Sandbox, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", *arguments]
    ended = subprocess.run(command, env=environment(sandbox), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_a_till_collects_a_payment(paysvc_sandbox: Sandbox) -> None:
    told = run(paysvc_sandbox, str(HERE.parents[1] / "examples" / "collect.py"), "--sandbox")
    assert told.count(" CONFIRMED ") == len(KEYWORDS) + 2, "each endpoint, and two orders made known before"
    assert told.count("hand over the goods") == 2
    assert "not paid yet (INITIATED): keep the goods" in told
    assert "To use the real service" in told
    effects = [entry["effect"] for entry in paysvc_sandbox.ledger()]
    assert (effects.count("charge_made"), effects.count("refund_made")) == (2, 1)


def block(start: str) -> str:
    (found,) = (text for text in BLOCKS if start in text)
    return found


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("error.errors", "accepted, not done yet: ask for its state later: Refund has been initiated 25.50\n"),
        ("def refund(", "accepted, ask for its state later\n"),
        ("threading.Timer(60", ""),
        ("asyncio.run(main())", ""),
    ],
)
def test_what_the_readme_shows_runs(paysvc_sandbox: Sandbox, part: str, told: str) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "ORDER-1", "amount": "100", "paid": True})
    assert run(paysvc_sandbox, "-c", block(part)) == told


def test_the_readme_names_every_endpoint() -> None:
    for name in KEYWORDS:
        assert f"`{name}`" in README


def merchants_tests(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(block("pytest_plugins"))
    (folder / "test_till.py").write_text(block("def test_a_lost_answer"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    environment = {**os.environ, **variables}
    environment["PYTHONPATH"] = str(HERE / "src") if "PYTHONPATH" in environment else ""
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_merchants_own_tests_get_a_sandbox(tmp_path: Path) -> None:
    ended = merchants_tests(tmp_path)
    assert "1 passed" in ended.stdout, ended.stdout + ended.stderr


def test_a_merchants_own_tests_fail_without_one(tmp_path: Path) -> None:
    ended = merchants_tests(tmp_path, PAYSVC_SANDBOX=str(tmp_path / "none"))
    assert "which is not there" in ended.stdout
    assert "1 error" in ended.stdout


def test_a_program_waits_only_for_the_imports_that_it_uses() -> None:
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
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert told.stdout == "module 'paysvc' has no attribute 'Nothing'\n"
