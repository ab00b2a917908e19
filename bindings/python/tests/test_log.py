"""The library's log is Python's."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import paysvc
from paysvc.sandbox import Sandbox


def pay(client: paysvc.Client) -> None:
    card = paysvc.Card(cardnumber="4111111111111111", expirymonth="01", expiryyear="39", cvv="193")
    client.order_create(reference="C-1", paymentoption="C", country="NG", card=card)


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
    for secret in ("4111111111111111", paysvc_sandbox.config["secret_key"], paysvc_sandbox.config["public_key"]):
        assert secret not in caplog.text


def test_the_level_may_change_at_any_time(client: paysvc.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "paysvc"):
        client.direct_debit_history(email_address="none@example.com")
    assert caplog.records == []
    with caplog.at_level(logging.INFO, "paysvc"):
        client.direct_debit_history(email_address="none@example.com")
    assert len(caplog.records) == 1


@pytest.mark.parametrize("trouble", [ZeroDivisionError, KeyboardInterrupt])
def test_a_handler_that_raises_does_not_reach_the_library(
    client: paysvc.Client, capfd: pytest.CaptureFixture[str], trouble: type[BaseException]
) -> None:
    class Fails(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise trouble

    logger, handler = logging.getLogger("paysvc"), Fails()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        if trouble is ZeroDivisionError:
            assert client.virtual_account_generate(alias="a").outcome == paysvc.Outcome.CONFIRMED
            assert "ZeroDivisionError" in capfd.readouterr().err
        else:
            # Raised once the call has ended, with what became of the request.
            with pytest.raises(KeyboardInterrupt) as caught:
                client.virtual_account_generate(alias="a")
            error = paysvc.abandoned_call(caught.value)
            assert error is not None
            assert error.outcome == paysvc.Outcome.CONFIRMED
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    assert client.virtual_account_generate(alias="a").outcome == paysvc.Outcome.CONFIRMED


def test_a_program_that_configures_no_logging_hears_nothing() -> None:
    program = (
        "import paysvc\n"
        "try: paysvc.Client(base_url='http://127.0.0.1:9').order_refund(reference='')\n"
        "except paysvc.PaysvcError: pass\n"
    )
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert (told.stdout, told.stderr) == (b"", b"")


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
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert (told.stdout, told.stderr) == (b"", b"paysvc WARNING\n")
