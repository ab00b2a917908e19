"""Payouts in bulk: the report, and progress that stops or fails."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

import paysvc
from paysvc import Outcome
from paysvc.sandbox import Sandbox


def recipients(count: int, name: str = "SALARY") -> list[paysvc.PayoutDetails | dict[str, Any]]:
    """Half as objects, half as dicts; no two have the same account."""
    found: list[paysvc.PayoutDetails | dict[str, Any]] = []
    for index in range(count):
        account, reference, amount = f"06900{index:03}31", f"{name}-{index}", Decimal("10.50") + index
        if index % 2:
            found.append({
                "clientReference": reference, "accountNumber": account, "bankCode": "000014", "amount": amount,
                "description": "salary", "accountName": "Ada", "creditCurrency": "NGN", "debitCurrency": "NGN",
            })  # fmt: skip
        else:
            found.append(
                paysvc.PayoutDetails(
                    client_reference=reference, account_number=account, bank_code="000014", amount=amount,
                    description="salary", account_name="Ada", credit_currency="NGN", debit_currency="NGN",
                )
            )  # fmt: skip
    return found


def paid(sandbox: Sandbox) -> int:
    return [entry["effect"] for entry in sandbox.ledger()].count("payout_made")


def outcomes(report: paysvc.Reply) -> list[str | None]:
    assert isinstance(report, paysvc.PayoutBulkReply)
    assert report.answer.payouts is not None
    return [payout.outcome for payout in report.answer.payouts]


def test_every_recipient_is_in_the_report_and_progress_tells_each_batch(
    payer: paysvc.Client, paysvc_sandbox: Sandbox
) -> None:
    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, step: Mapping[str, Any]) -> int:
        told.append((done, total, step["step"]))
        return paysvc.CONTINUE

    reply = payer.payout_bulk(recipients(5), progress=progress)
    assert isinstance(reply, paysvc.PayoutBulkReply)
    answer = reply.answer
    assert (answer.total, answer.accepted, answer.unknown, reply.outcome) == (5, 5, 0, Outcome.CONFIRMED)
    assert answer.batches is not None
    assert answer.payouts is not None
    assert [payout.client_reference for payout in answer.payouts] == [f"SALARY-{index}" for index in range(5)]
    assert answer.payouts[4].amount == Decimal("14.50")
    assert all(payout.payout_reference for payout in answer.payouts)
    assert [step for _, _, step in told] == ["before", "after"] * len(answer.batches)
    assert (told[0][:2], told[-1][:2]) == ((0, 5), (5, 5))
    assert paid(paysvc_sandbox) == 5


@pytest.mark.parametrize("answer", [0, float(paysvc.CONTINUE)])
def test_whatever_is_not_continue_stops_before_the_next_batch(
    payer: paysvc.Client, paysvc_sandbox: Sandbox, answer: Any
) -> None:
    def progress(_done: int, _total: int, step: Mapping[str, Any]) -> Any:
        return None if step["step"] == "before" else answer

    with pytest.raises(paysvc.PaysvcError) as caught:
        payer.payout_bulk(recipients(5), progress=progress)
    made = outcomes(caught.value.reply)
    assert (made.count("ACCEPTED"), made.count("NOT_SENT")) == (paid(paysvc_sandbox), 5 - paid(paysvc_sandbox))
    assert 0 < paid(paysvc_sandbox) < 5


@pytest.mark.parametrize(("thrown", "at"), [(KeyboardInterrupt, "after"), (ValueError, "before")])
def test_an_exception_stops_and_is_raised_with_the_report(
    payer: paysvc.Client, paysvc_sandbox: Sandbox, thrown: type[BaseException], at: str
) -> None:
    def progress(_done: int, _total: int, step: Mapping[str, Any]) -> int:
        if step["step"] == at:
            raise thrown("a bug of the caller")
        return paysvc.CONTINUE

    with pytest.raises(thrown, match="a bug of the caller") as caught:
        payer.payout_bulk(recipients(5), progress=progress)
    error = paysvc.abandoned_call(caught.value)
    assert error is not None
    assert outcomes(error.reply).count("ACCEPTED") == paid(paysvc_sandbox)
    assert (paid(paysvc_sandbox) > 0) == (at == "after")
    # The next call on this thread is not affected.
    assert payer.payout_bulk(recipients(5)).outcome == Outcome.CONFIRMED
    assert paid(paysvc_sandbox) == 5


@pytest.mark.parametrize("thread", ["main", "other"])
def test_a_listener_may_make_calls_and_a_token_forgets_it(payer: paysvc.Client, thread: str) -> None:
    token, told = paysvc.Call(), list[str]()

    def progress(_done: int, _total: int, step: Mapping[str, Any]) -> int:
        told.append(step["step"])
        assert payer.payout_bulk(recipients(1)).replayed
        return paysvc.CONTINUE

    def pay() -> None:
        payer.payout_bulk(recipients(1))
        payer.payout_bulk(recipients(2, "BONUS"), progress=progress, call=token)
        assert set(told) == {"before", "after"}
        told.clear()
        payer.payout_bulk(recipients(1, "REST"), call=token)
        assert told == []

    with ThreadPoolExecutor() as threads:
        pay() if thread == "main" else threads.submit(pay).result()


async def test_a_task_pays_too(paysvc_sandbox: Sandbox, journal: dict[str, Any]) -> None:
    async with paysvc.AsyncClient(**paysvc_sandbox.config, **journal) as client:
        told: list[int] = []
        reply = await client.payout_bulk(recipients(3), progress=lambda done, *_: told.append(done))
        assert outcomes(reply) == ["ACCEPTED"] * 3
        assert told[-1] == 3

        def fails(_done: int, _total: int, _step: Mapping[str, Any]) -> int:
            raise ValueError("a bug of the caller")

        with pytest.raises(ValueError, match="a bug of the caller") as caught:
            await client.payout_bulk(recipients(5), continue_=True, progress=fails)
        assert paysvc.abandoned_call(caught.value) is not None
    assert paid(paysvc_sandbox) == 3
