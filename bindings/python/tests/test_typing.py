"""The types that programs see: what follows is checked by mypy and pyright, as strictly as they can."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers import PROJECT, run_python

import paysvc
from paysvc import Answer, AsyncClient, Client, OrderPayReply, Reply

if TYPE_CHECKING:
    from typing_extensions import assert_type

    def members_have_types(client: Client) -> None:
        reply = client.order_pay(payment_option="NDD", reference="ORDER-1")
        assert_type(reply, OrderPayReply)
        assert_type(reply.answer.data.order_payment.total_amount, "Decimal | None")
        assert_type(reply.answer.data.order_payment.order_id, "int | None")
        assert_type(reply.answer.data.order_payment.currency, "str | None")
        assert_type(reply.answer.data.bank_transfer_details, paysvc.OrderPayAnswerDataBankTransferDetails)
        assert_type(reply.answer.data.raw, "dict[str, Any] | None")
        status = client.order_status(reference="ORDER-1").answer
        assert_type(status.data.is_final_status, "bool | None")
        assert_type(status.data.order_payments, "tuple[paysvc.OrderStatusAnswerDataOrderPayments, ...] | None")
        funding = client.transaction_details(session_id="S-1").answer.data
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
        assert_type(replies[0].answer, Answer)
        assert_type(replies[0].answer_as(paysvc.OrderPayAnswer), paysvc.OrderPayAnswer)
        return client.order_pay(payment_option="NDD", reference="ORDER-1")

    def a_failed_call_has_them_if_it_was_of_that_endpoint(error: paysvc.PaysvcError) -> Decimal | None:
        if isinstance(error.reply, OrderPayReply):
            return error.reply.answer.data.order_payment.fee
        assert_type(error.reply.answer, Answer)
        return None


USE = """
import paysvc

def paid(client: paysvc.Client) -> paysvc.Reply:
    reply = client.order_pay(payment_option="NDD", reference="ORDER-1")
    reveal_type(reply.answer.data.order_payment.total_amount)
    total: int = reply.answer.data.order_payment.total_amount
    reply.answer.data.order_payment.total
    reply.answer.data.order_payment.fee = None
    return reply

def generic(error: paysvc.PaysvcError) -> None:
    error.reply.answer.data

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
        'note: Revealed type is "decimal.Decimal | None"',
        'error: Incompatible types in assignment (expression has type "Decimal | None", variable has type "int")',
        'error: "OrderPayAnswerDataOrderPayment" has no attribute "total"',
        'error: Property "fee" defined in "OrderPayAnswerDataOrderPayment" is read-only',
        'error: "Answer" has no attribute "data"',
        'error: List item 0 has incompatible type "Card"; expected "PayoutDetails | dict[str, Any]"',
        'error: Argument "progress" to "payout_bulk" of "Operations" has incompatible type '
        '"Callable[[int, int, object], str]"; expected "Callable[[int, int, Mapping[str, Any]], int | None] | None"',
        f'error: Argument 1 to "call" of "Client" has incompatible type {STEAL}; expected {NAMES}',
        f'error: Argument 1 to "call" of "AsyncClient" has incompatible type {STEAL}; expected {NAMES}',
    ], ended.stdout + ended.stderr
