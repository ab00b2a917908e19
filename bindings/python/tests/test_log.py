"""The library's log goes to Python's logging."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from helpers import CARD, card, output_of, run_python
from test_payouts import recipients

import paysvc
from paysvc import _log
from paysvc.sandbox import Sandbox


def pay(client: paysvc.Client) -> None:
    order = paysvc.Order(reference="C-1", amount="20")
    client.order_create(reference="C-1", paymentoption="C", country="NG", card=card(), order=order)


def test_levels_are_those_of_logging_and_secrets_stay_out(
    client: paysvc.Client, paysvc_sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "paysvc"):
        pay(client)
        with pytest.raises(paysvc.ArgumentError):
            client.order_refund(reference="")
    levels = {record.levelno for record in caplog.records}
    assert {logging.INFO, logging.WARNING} <= levels
    assert {record.name for record in caplog.records} == {"paysvc"}
    for secret in (CARD["cardnumber"], paysvc_sandbox.config["secret_key"], paysvc_sandbox.config["public_key"]):
        assert secret not in caplog.text


def test_its_lines_name_the_call(client: paysvc.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "paysvc"):
        reply = client.direct_debit_history(email_address="none@example.com")
    assert reply.call_id
    assert all(reply.call_id in line for line in caplog.messages)
    assert caplog.messages != []


def test_the_level_may_change_at_any_time(client: paysvc.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "paysvc"):
        client.direct_debit_history(email_address="none@example.com")
    assert caplog.records == []
    with caplog.at_level(logging.INFO, "paysvc"):
        client.direct_debit_history(email_address="none@example.com")
    assert len(caplog.records) == 1


def test_its_records_have_what_is_known_of_the_attempt(client: paysvc.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "paysvc"), pytest.raises(paysvc.Rejected) as caught:
        client.order_refund(reference="none")
    begun, ended = (vars(record) for record in caplog.records)
    assert {record["call_id"] for record in (begun, ended)} == {caught.value.call_id}
    assert (begun["endpoint"], begun["attempt"], begun["outcome"], begun["ms"]) == ("order_refund", 1, None, None)
    names = ("endpoint", "attempt", "outcome", "http_status", "request_id")
    assert [ended[name] for name in names] == ["order_refund", 1, "REJECTED", 404, caught.value.request_id]
    assert type(ended["ms"]) is int


def test_a_format_may_name_them_in_every_line(payer: paysvc.Client, caplog: pytest.LogCaptureFixture) -> None:
    line = logging.Formatter("%(call_id)s %(endpoint)s %(attempt)s %(outcome)s %(ms)s %(http_status)s %(request_id)s")
    with caplog.at_level(logging.INFO, "paysvc"):
        with pytest.raises(paysvc.ArgumentError) as caught:
            payer.order_refund(reference="")
        payer.payout_bulk(recipients(1))
    # The first call also says that the journal is new.
    lines = [line.format(record) for record in caplog.records if " was missing " not in record.getMessage()]
    assert lines[0] == f"{caught.value.call_id} None None None None None None"
    assert " payout_initiate 1 CONFIRMED " in lines[1]


def test_the_lines_of_a_list_come_with_its_steps(payer: paysvc.Client, caplog: pytest.LogCaptureFixture) -> None:
    counts: list[int] = []

    def progress(_done: int, _total: int, step: Mapping[str, Any]) -> int:
        if step["step"] == "after":
            counts.append(len(caplog.records))
        return paysvc.CONTINUE

    with caplog.at_level(logging.INFO, "paysvc"):
        payer.payout_bulk(recipients(5), progress=progress)
    assert counts == sorted(set(counts))
    assert counts[0] > 0


@contextmanager
def logging_to(handler: logging.Handler) -> Iterator[None]:
    logger = logging.getLogger("paysvc")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def test_a_handler_that_fails_does_not_stop_a_list(payer: paysvc.Client, capfd: pytest.CaptureFixture[str]) -> None:
    class Fails(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise ZeroDivisionError

    with logging_to(Fails()):
        reply = payer.payout_bulk(recipients(3), progress=lambda *_: paysvc.CONTINUE)
    assert reply.outcome == paysvc.Outcome.CONFIRMED
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize("failure", [ZeroDivisionError, KeyboardInterrupt])
def test_the_exception_of_a_handler_does_not_reach_the_library(
    client: paysvc.Client, capfd: pytest.CaptureFixture[str], failure: type[BaseException]
) -> None:
    class Fails(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise failure

    with logging_to(Fails()):
        if failure is ZeroDivisionError:
            assert client.virtual_account_generate(alias="a").outcome == paysvc.Outcome.CONFIRMED
            assert "ZeroDivisionError" in capfd.readouterr().err
        else:
            # Raised when the call has ended, with its result.
            with pytest.raises(KeyboardInterrupt) as caught:
                client.virtual_account_generate(alias="a")
            error = paysvc.abandoned_call(caught.value)
            assert error is not None
            assert error.outcome == paysvc.Outcome.CONFIRMED
    assert client.virtual_account_generate(alias="a").outcome == paysvc.Outcome.CONFIRMED


def test_nothing_is_logged_unless_the_program_configures_logging() -> None:
    program = (
        "import paysvc\n"
        "with paysvc.Client(base_url='http://127.0.0.1:9') as client:\n"
        "    try: client.order_refund(reference='')\n"
        "    except paysvc.PaysvcError: pass\n"
    )
    assert output_of(program) == ""


def test_logging_may_be_imported_after_the_first_call() -> None:
    program = (
        "import sys, paysvc\n"
        "def refused(client):\n"
        "    try: client.order_refund(reference='')\n"
        "    except paysvc.PaysvcError: pass\n"
        "client = paysvc.Client(base_url='http://127.0.0.1:9')\n"
        "refused(client)\n"
        "assert 'logging' not in sys.modules\n"
        "import logging\n"
        "logging.basicConfig(format='%(name)s %(levelname)s', level=logging.INFO)\n"
        "refused(client)\n"
    )
    ended = run_python("-c", program)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "paysvc WARNING\n")


def test_a_level_of_the_library_is_that_of_logging(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="paysvc")
    _log.write([b'{"call_id":"c","message":"m","level":%d}' % level for level in (1, 2, 3, 4)])
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING", "INFO", "DEBUG"]
