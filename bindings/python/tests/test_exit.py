"""A program that ends while a daemon thread is in a call: the interpreter ends that thread, and must not abort."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from helpers import run_python
from test_programs import variables

from paysvc.sandbox import Sandbox

# os.write, because print locks a buffer: Python aborts at its end if a thread has ended that held the lock.
PROGRAM = """
import logging, os, sys, threading, time, paysvc
logging.basicConfig(level=logging.INFO, filename=sys.argv[2])
client = paysvc.Client(journal=sys.argv[3], journal_create=True)
begun = threading.Event()
def progress(done, total, step):
    os.write(1, (step["step"] + "\\n").encode())
    begun.set()
    return paysvc.CONTINUE
def run():
    for name in range(1000):
        payouts = [paysvc.PayoutDetails(
            client_reference=f"S-{name}-{number}", account_number=f"06900{number:03}31", bank_code="000014",
            amount="10.50", description="salary", account_name="Ada", credit_currency="NGN", debit_currency="NGN",
        ) for number in range(9)]
        try: client.payout_bulk(payouts, progress=progress)
        except (paysvc.PaysvcError, RuntimeError) as error: return os.write(1, type(error).__name__.encode())
threading.Thread(target=run, daemon=True).start()
begun.wait()
time.sleep(float(sys.argv[1]))
"""


def test_a_program_ends_while_a_daemon_thread_is_in_a_call(
    paysvc_sandbox: Sandbox, journal: dict[str, Any], tmp_path: Path
) -> None:
    settings = variables(paysvc_sandbox.config)

    def run(number: int) -> tuple[int, str, list[str]]:
        files = (tmp_path / f"{number}.log", journal["journal"].with_name(f"{number}.db"))
        ended = run_python("-X", "faulthandler", "-c", PROGRAM, str(number * 0.0007), *files, environment=settings)
        return ended.returncode, ended.stderr, ended.stdout.split()

    with ThreadPoolExecutor(4) as threads:
        for status, complained, told in threads.map(run, range(24)):
            assert (status, complained) == (0, ""), f"exit status {status}:\n{complained}"
            # The batch in hand was told before the end.
            assert told.count("before") == told.count("after") > 0
