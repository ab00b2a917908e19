"""The library's log goes to Python's logging."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any
from unittest.mock import Mock

import pytest
from helpers import run_python
from test_payouts import recipients

import paysvc
from paysvc import _log


def test_its_records_have_what_is_known_of_the_attempt(client: paysvc.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "paysvc"), pytest.raises(paysvc.Rejected) as caught:
        client.order_refund(reference="none")
    begun, ended = (vars(record) for record in caplog.records)
    for record in (begun, ended):
        assert (record["name"], record["call_id"]) == ("paysvc", caught.value.call_id)
        assert caught.value.call_id in record["message"]
    assert (begun["endpoint"], begun["attempt"], begun["outcome"], begun["ms"]) == ("order_refund", 1, None, None)
    names = ("endpoint", "attempt", "outcome", "http_status", "request_id")
    assert [ended[name] for name in names] == ["order_refund", 1, "REJECTED", 404, caught.value.request_id]
    assert type(ended["ms"]) is int


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


@pytest.mark.parametrize("failure", [ZeroDivisionError, KeyboardInterrupt])
def test_a_handler_that_fails_does_not_change_the_result_of_a_call(
    payer: paysvc.Client,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    failure: type[BaseException],
) -> None:
    monkeypatch.setattr(logging.getLogger("paysvc"), "handle", Mock(side_effect=failure))
    with caplog.at_level(logging.INFO, "paysvc"):
        if failure is ZeroDivisionError:
            reply = payer.payout_bulk(recipients(3), progress=lambda *_: paysvc.CONTINUE)
            assert reply.outcome == paysvc.Outcome.CONFIRMED
            assert "ZeroDivisionError" in capsys.readouterr().err
        else:
            # Raised when the call has ended, with its result.
            with pytest.raises(KeyboardInterrupt) as caught:
                payer.virtual_account_generate(alias="a")
            error = paysvc.abandoned_call(caught.value)
            assert error is not None
            assert error.outcome == paysvc.Outcome.CONFIRMED
            # At this level the only line is the one about the abandoned call.
            caplog.set_level(logging.ERROR, "paysvc")
            with pytest.raises(KeyboardInterrupt) as caught:
                payer.payout_bulk(recipients(3), progress=Mock(side_effect=ValueError))
            assert paysvc.abandoned_call(caught.value) is not None


def test_logging_may_be_imported_after_the_first_call_and_configured_later() -> None:
    program = (
        "import sys, paysvc\n"
        "def refused(client):\n"
        "    try: client.order_refund(reference='')\n"
        "    except paysvc.PaysvcError: pass\n"
        "client = paysvc.Client(base_url='http://127.0.0.1:9')\n"
        "refused(client)\n"
        "assert 'logging' not in sys.modules\n"
        "import logging\n"
        "logging.disable()\n"
        "refused(client)\n"
        "logging.disable(logging.NOTSET)\n"
        "refused(client)\n"
        "logging.basicConfig(format='%(name)s %(levelname)s', level=logging.INFO)\n"
        "refused(client)\n"
    )
    ended = run_python("-c", program)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "paysvc WARNING\n")


def test_a_level_of_the_library_is_that_of_logging_and_a_format_may_name_what_a_line_lacks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="paysvc")
    _log.write([b'{"call_id":"c","message":"m","level":%d}' % level for level in (1, 2, 3, 4)])
    line = logging.Formatter("%(levelname)s %(call_id)s %(endpoint)s %(attempt)s %(outcome)s %(ms)s %(request_id)s")
    assert [line.format(record) for record in caplog.records] == [
        f"{level} c None None None None None" for level in ("ERROR", "WARNING", "INFO", "DEBUG")
    ]
