"""The replies of the endpoints: their class, what they carry, and what an answer of any form does to a call."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from helpers import REFUSED, card, output_of
from peer import Peer

import paysvc
from paysvc import Outcome, State, Status
from paysvc._replies import ANSWERS, REPLIES
from paysvc.sandbox import Sandbox


def test_a_refund_is_read(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-1", "amount": "20", "paid": True})
    reply = client.order_refund(reference="R-1", amount="12.50")
    assert type(reply) is paysvc.OrderRefundReply
    assert (reply.answer.data.reference, reply.answer.data.amount_refunded) == ("R-1", Decimal("12.50"))
    assert reply.answer.data.raw == reply.body["data"]
    assert (reply.state, reply.answer.data.status) == (State.PENDING, "pending")


def test_every_endpoint_has_its_reply(peer: Peer) -> None:
    """Also when it is called by its name, and when the call fails."""
    name: Any
    with paysvc.Client(**peer.config) as client:
        for name, of in REPLIES.items():
            with pytest.raises(paysvc.PaysvcError) as caught:
                client.call(name, {"notAMember": 1})
            assert type(caught.value.reply) is of
            assert caught.value.reply.answer.raw == caught.value.reply.body
        answering = peer.replies('{"status":true,"message":"done","data":{"mandateCode":"M-1"}}')
        called = client.call("direct_debit_status", {"mandateCode": "M-1"})
        answering.join()
        assert isinstance(called, paysvc.DirectDebitStatusReply)
        assert called.answer.data.mandate_code == "M-1"
        answering = peer.replies('{"status":true,"x":1}')
        other = client.request(method="GET", path="/not/known", key="public")
        answering.join()
        assert (type(other), type(other.answer), other.answer.raw) == (paysvc.Reply, paysvc.Answer, other.body)


def test_the_reply_of_an_error_is_read(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-2", "amount": "20"})
    with pytest.raises(paysvc.Rejected) as caught:
        client.order_create(
            reference="R-2", payment_option="C", country="NG", card=card(REFUSED), order=paysvc.EXISTING_ORDER
        )
    reply = caught.value.reply
    assert isinstance(reply, paysvc.OrderCreateReply)
    assert reply.answer.raw == reply.body != {}
    assert reply.answer.data.order.amount is None


HOSTILE = [
    ('"data":null', False), ('"data":[]', True), ('"data":"x"', True), ('"data":{"orderPayment":7}', True),
    ('"data":{"orderPayment":[{"fee":1}]}', True),
    ('"data":{"orderPayment":{"fee":"x","totalAmount":{},"currency":[],"orderId":1e400}}', True),
    (f'"data":{{"orderPayment":{{"totalAmount":{"9" * 10_000}}}}}', True), ('"more":' + "[" * 100 + "]" * 100, False),
]  # fmt: skip


@pytest.mark.parametrize(("members", "wrong"), HOSTILE)
def test_no_answer_turns_success_into_an_error(peer: Peer, members: str, wrong: bool) -> None:
    text = f'{{"status":true,"message":"done",{members}}}'
    with paysvc.Client(**peer.config) as client:
        answering = peer.replies(text)
        reply = client.direct_debit_status(mandate_code="M-1")
        answering.join()
    assert (reply.outcome, reply.text) == (Outcome.CONFIRMED, text)
    # Read as the answer to a payment, where these members have a type.
    data = reply.answer_as(paysvc.OrderPayAnswer).data
    told = []
    for name, (attribute, _) in type(data.order_payment).__members__.items():
        try:
            getattr(data.order_payment, attribute)
        except paysvc.AnswerError as error:
            told.append(error.pointer == f"/data/orderPayment/{name}")
    assert all(told)
    assert bool(told) == wrong


def test_a_long_list_is_read(peer: Peer) -> None:
    mandates = [
        {"accountNumber": f"{n:010}", "bankName": "Example Bank", "directDebitId": n, "bankCode": "044",
         "dateCreated": "2026-01-31T09:30:00.123"} for n in range(600)
    ]  # fmt: skip
    text = json.dumps({"customerName": "Ada", "hasExistingDebitMandate": True, "directDebitMandates": mandates})
    assert len(text) > 67_000
    with paysvc.Client(**peer.config) as client:
        answering = peer.replies(text)
        found = client.direct_debit_history(email_address="ada@example.com").answer.direct_debit_mandates
        answering.join()
    assert found is not None
    assert [mandate.direct_debit_id for mandate in found] == list(range(600))
    assert {mandate.account_number for mandate in found} == {mandate["accountNumber"] for mandate in mandates}


def test_asyncio_has_the_same_replies(peer: Peer) -> None:
    async def run() -> paysvc.DirectDebitStatusReply:
        async with paysvc.AsyncClient(**peer.config) as client:
            answering = peer.replies('{"status":true,"message":"done","data":{"mandateCode":"M-1"}}')
            reply = await client.direct_debit_status(mandate_code="M-1")
            answering.join()
            with pytest.raises(paysvc.ArgumentError) as caught:
                await client.direct_debit_status(mandate_code="")
            assert type(caught.value.reply) is paysvc.DirectDebitStatusReply
            return reply

    reply = asyncio.run(run())
    assert (type(reply), reply.answer.data.mandate_code) == (paysvc.DirectDebitStatusReply, "M-1")


@pytest.mark.parametrize("of", [paysvc.Reply, *REPLIES.values()])
def test_copies_keep_their_class_and_what_they_know(of: type[paysvc.Reply]) -> None:
    reply = of(
        status=Status.OK, outcome=Outcome.CONFIRMED, text='{"data":{"fee":1.50}}', call_id="c-1", state=State.PENDING
    )
    assert reply.answer
    for twin in (copy.copy(reply), copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))):
        assert (type(twin), twin.call_id, twin.state, twin.text) == (of, "c-1", State.PENDING, reply.text)
        assert type(twin.answer) is type(reply.answer)
        assert twin.answer.raw == {"data": {"fee": Decimal("1.50")}} == reply.body
    assert repr(reply) == "<Reply OK: outcome CONFIRMED, state PENDING, HTTP 0: >"
    assert json.dumps(reply.body, default=str) == '{"data": {"fee": "1.50"}}'
    view = pickle.loads(pickle.dumps(reply.answer))
    assert (type(view), view.raw) == (type(reply.answer), reply.answer.raw)


def test_errors_and_what_they_carry_are_pickled(client: paysvc.Client) -> None:
    with pytest.raises(paysvc.ArgumentError) as caught:
        client.order_refund(reference="")
    twin = pickle.loads(pickle.dumps(caught.value))
    assert type(twin.reply) is paysvc.OrderRefundReply
    wrong = paysvc.OrderRefundReply(status=Status.OK, outcome=Outcome.CONFIRMED, text='{"data":1}')
    with pytest.raises(paysvc.AnswerError) as unreadable:
        wrong.answer.data.status  # noqa: B018
    again = pickle.loads(pickle.dumps(unreadable.value))
    assert (type(again), str(again), again.at) == (paysvc.AnswerError, str(unreadable.value), "/data")


def test_every_call_has_a_number_of_its_own(client: paysvc.Client) -> None:
    numbers = set()
    for _ in range(3):
        with pytest.raises(paysvc.PaysvcError) as caught:
            client.order_refund(reference="R-9")
        numbers.add(caught.value.reply.call_id)
        assert pickle.loads(pickle.dumps(caught.value.reply)).call_id == caught.value.reply.call_id
    numbers.add(client.encrypt({"a": "b"}).call_id)
    assert len(numbers - {""}) == 4


def test_threads_read_one_reply() -> None:
    members = ",".join(f'{{"statusId":"{n}"}}' for n in range(200))
    for _ in range(20):
        reply = paysvc.TransactionDetailsReply(
            status=Status.OK, outcome=Outcome.CONFIRMED, text=f'{{"data":{{"fee":1.50,"orderPayments":[{members}]}}}}'
        )

        def read(_: int, reply: paysvc.TransactionDetailsReply = reply) -> tuple[object, list[object]]:
            data = reply.answer.data
            return data.fee, [payment.status_id for payment in data.order_payments or ()]

        with ThreadPoolExecutor(8) as threads:
            assert all(found == (Decimal("1.50"), list(range(200))) for found in threads.map(read, range(16)))


def test_the_classes_are_imported_when_an_answer_is_read() -> None:
    program = (
        "import sys, paysvc\n"
        "slow = {'paysvc._answers', 'paysvc._answer', 'datetime'}\n"
        "reply = paysvc.OrderPayReply(status=paysvc.Status.OK, outcome=paysvc.Outcome.CONFIRMED, text='{}')\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
        "assert reply.answer.data.order_payment.fee is None\n"
        "print(sorted(slow - set(sys.modules)))\n"
        f"assert {set(ANSWERS)!r} <= set(paysvc.__all__)\n"
        "from paysvc import *\n"
        "assert type(reply.answer) is OrderPayAnswer and issubclass(OrderPayAnswer, Answer)\n"
    )
    assert output_of(program) == "[]\n"
