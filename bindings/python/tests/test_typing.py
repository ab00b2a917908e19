"""The types that programs see: what follows is checked by mypy and pyright, as strictly as they can."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers import PROJECT, run_python

import paysvc
from paysvc import AsyncClient, Client, OrderPayReply, Reply

if TYPE_CHECKING:
    from typing_extensions import assert_type

    def members_have_types(client: Client) -> None:
        reply = client.order_pay(payment_option="NDD", reference="ORDER-1")
        assert_type(reply, OrderPayReply)
        payment = reply.answer.order_payment
        assert_type(payment, "paysvc.OrderPayAnswerOrderPayment | None")
        assert payment is not None
        assert_type(payment.total_amount, "Decimal | None")
        assert_type(payment.order_id, "int | None")
        assert_type(payment.currency, "str | None")
        status = client.order_status(reference="ORDER-1").answer
        assert_type(status.is_final_status, "bool | None")
        assert_type(status.order_payments, "tuple[paysvc.OrderStatusAnswerOrderPayments, ...] | None")
        funding = client.transaction_details(session_id="S-1").answer
        assert_type(funding.date_created, "datetime | None")
        assert_type(funding.fee_rate, "Decimal | None")
        customer: Any = funding.customer
        print(customer, datetime, Decimal)

    async def coroutines_have_them_too(client: AsyncClient) -> None:
        reply = await client.order_pay(payment_option="NDD", reference="ORDER-1")
        assert_type(reply, OrderPayReply)
        assert_type(reply.answer, paysvc.OrderPayAnswer)

    def replies_are_replies(client: Client) -> Reply:
        """A program may say `Reply` for the reply of any endpoint."""
        replies: list[Reply] = [client.order_refund(reference="R-1"), client.encrypt({})]
        assert_type(client.call("order_pay", {}), Reply)
        assert_type(replies[0].answer, "paysvc.Answer | None")
        event = client.webhook_verify(b"{}")
        assert_type(event.webhook, paysvc.WebhookVerifyResult)
        assert_type(event.webhook.authentic, "bool | None")
        assert_type(event.answer, "paysvc.Answer | None")
        return client.order_pay(payment_option="NDD", reference="ORDER-1")


USE = """
import paysvc

def paid(client: paysvc.Client) -> paysvc.Reply:
    reply = client.order_pay(payment_option="NDD", reference="ORDER-1")
    payment = reply.answer.order_payment
    payment.fee
    assert payment is not None
    reveal_type(payment.total_amount)
    total: int = payment.total_amount
    payment.total
    payment.fee = None
    return reply

def generic(error: paysvc.PaysvcError) -> None:
    if error.reply.answer is not None:
        error.reply.answer.order_payment

def wrong(done: int, total: int, step: object) -> str: return ""

def pays(client: paysvc.Client, card: paysvc.Card, payout: paysvc.PayoutDetails) -> None:
    client.payout_bulk([payout, {"clientReference": "S-1"}])
    client.payout_bulk([card])
    client.payout_bulk([payout], progress=wrong)
    client.call("order_steal", {})

async def task(client: paysvc.AsyncClient, name: paysvc.EndpointName) -> None:
    await client.call(name, {})
    await client.call("order_steal", {})
"""

STEAL = '"Literal[\'order_steal\']"'
NAMES = '"' + str(paysvc.EndpointName).replace("typing.", "") + '"'


def test_a_program_is_told_of_its_mistakes(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="the environment of make test has it")
    (tmp_path / "use.py").write_text(USE)
    ended = run_python(
        "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "--no-error-summary", "use.py",
        cwd=tmp_path, environment={"MYPYPATH": str(PROJECT / "src")},
    )  # fmt: skip
    found = [line.split(": ", 1)[1] for line in ended.stdout.splitlines() if line.startswith("use.py:")]
    assert [line.split("  [")[0] for line in found] == [
        'error: Item "None" of "OrderPayAnswerOrderPayment | None" has no attribute "fee"',
        'note: Revealed type is "decimal.Decimal | None"',
        'error: Incompatible types in assignment (expression has type "Decimal | None", variable has type "int")',
        'error: "OrderPayAnswerOrderPayment" has no attribute "total"',
        'error: Property "fee" defined in "OrderPayAnswerOrderPayment" is read-only',
        'error: "Answer" has no attribute "order_payment"',
        'error: List item 0 has incompatible type "Card"; expected "PayoutDetails | dict[str, Any]"',
        'error: Argument "progress" to "payout_bulk" of "Endpoints" has incompatible type '
        '"Callable[[int, int, object], str]"; expected "Callable[[int, int, Mapping[str, Any]], int | None] | None"',
        f'error: Argument 1 to "call" of "Client" has incompatible type {STEAL}; expected {NAMES}',
        f'error: Argument 1 to "call" of "AsyncClient" has incompatible type {STEAL}; expected {NAMES}',
    ], ended.stdout + ended.stderr
