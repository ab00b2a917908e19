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
from paysvc._answers import ANSWERS
from paysvc._replies import ANSWERS as NAMES
from paysvc._replies import REPLIES
from paysvc.sandbox import Sandbox


def test_a_refund_is_read(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-1", "amount": "20", "paid": True})
    reply = client.order_refund(reference="R-1", amount="12.50")
    assert type(reply) is paysvc.OrderRefundReply
    assert (reply.answer.reference, reply.answer.amount_refunded) == ("R-1", Decimal("12.50"))
    assert (reply.state, reply.answer.status) == (State.PENDING, "pending")


def test_every_endpoint_has_its_reply(peer: Peer) -> None:
    """Also when it is called by its name, and when the call fails."""
    name: Any
    with paysvc.Client(**peer.config) as client:
        for name, of in REPLIES.items():
            with pytest.raises(paysvc.PaysvcError) as caught:
                client.call(name, {"notAMember": 1})
            assert type(caught.value.reply) is of
            if name != "webhook_verify":
                assert caught.value.reply.answer == ANSWERS.get(name, paysvc.OrderStatusAnswer)()
        answering = peer.replies('{"status":true,"message":"done","data":{"mandateCode":"M-1"}}')
        called = client.call("direct_debit_status", {"mandateCode": "M-1"})
        answering.join()
        assert isinstance(called, paysvc.DirectDebitStatusReply)
        assert called.answer.mandate_code == "M-1"
        answering = peer.replies('{"status":true,"x":1}')
        other = client.request(method="GET", path="/not/known", key="public")
        answering.join()
        assert (type(other), other.answer, other.body["x"]) == (paysvc.Reply, None, 1)


def test_the_reply_of_an_error_is_read(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-2", "amount": "20"})
    with pytest.raises(paysvc.Rejected) as caught:
        client.order_create(
            reference="R-2", payment_option="C", country="NG", card=card(REFUSED), order=paysvc.EXISTING_ORDER
        )
    reply = caught.value.reply
    assert isinstance(reply, paysvc.OrderCreateReply)
    assert isinstance(caught.value.answer, paysvc.OrderCreateAnswer)
    assert caught.value.answer is reply.answer


@pytest.mark.parametrize("members", ['"data":null', '"data":[]', '"data":"x"', '"data":7', '"more":[[]]'])
def test_no_answer_turns_success_into_an_error(peer: Peer, members: str) -> None:
    text = f'{{"status":true,"message":"done",{members}}}'
    with paysvc.Client(**peer.config) as client:
        answering = peer.replies(text)
        reply = client.direct_debit_status(mandate_code="M-1")
        answering.join()
    assert (reply.outcome, reply.text, reply.answer) == (Outcome.CONFIRMED, text, paysvc.DirectDebitStatusAnswer())


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
    assert (type(reply), reply.answer.mandate_code) == (paysvc.DirectDebitStatusReply, "M-1")


@pytest.mark.parametrize("of", [paysvc.Reply, *REPLIES.values()])
def test_copies_keep_their_class_and_what_they_know(of: type[paysvc.Reply]) -> None:
    reply = of(
        status=Status.OK, outcome=Outcome.CONFIRMED, text='{"data":{"fee":1.50}}', call_id="c-1", state=State.PENDING
    )
    for twin in (copy.copy(reply), copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))):
        assert (type(twin), twin.call_id, twin.state, twin.text) == (of, "c-1", State.PENDING, reply.text)
        assert (twin.answer, twin.body) == (reply.answer, reply.body)
    assert repr(reply) == "<Reply OK: outcome CONFIRMED, state PENDING, HTTP 0: >"
    assert json.dumps(reply.body, default=str) == '{"data": {"fee": "1.50"}}'


def test_copies_have_the_answer(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    """Whether the original was asked for it or not."""
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-1", "amount": "20", "paid": True})
    reply = client.order_status(reference="R-1")
    twins = [copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))]
    assert reply.answer.is_final_status
    twins += [copy.copy(reply), pickle.loads(pickle.dumps(twins[0]))]
    for twin in twins:
        assert (type(twin.answer), twin.answer) == (paysvc.OrderStatusAnswer, reply.answer)
        assert not twin.is_paid("R-1", "20", "NGN")


def test_an_error_knows_its_request_from_the_reply(
    client: paysvc.Client, paysvc_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library is not asked again."""

    def never(*_: object) -> Any:
        raise AssertionError("asked again")

    monkeypatch.setattr("paysvc._earlier.kept", never)
    paysvc_sandbox.fault("status_500", "/payment/order/refund")
    with pytest.raises(paysvc.ServerError) as caught:
        client.order_refund(reference="R-1", amount="1.50")
    assert (caught.value.endpoint, caught.value.charged) == ("order_refund", True)
    assert caught.value.request["reference"] == "R-1"


def test_errors_and_what_they_carry_are_pickled(client: paysvc.Client) -> None:
    with pytest.raises(paysvc.ArgumentError) as caught:
        client.order_refund(reference="")
    twin = pickle.loads(pickle.dumps(caught.value))
    assert type(twin.reply) is paysvc.OrderRefundReply


def test_every_call_has_a_number_of_its_own(client: paysvc.Client) -> None:
    numbers = set()
    for _ in range(3):
        with pytest.raises(paysvc.PaysvcError) as caught:
            client.order_refund(reference="R-9")
        numbers.add(caught.value.reply.call_id)
        assert pickle.loads(pickle.dumps(caught.value.reply)).call_id == caught.value.reply.call_id
    numbers.add(client.encrypt({"a": "b"}).call_id)
    assert len(numbers - {""}) == 4


def test_threads_read_one_reply(peer: Peer) -> None:
    members = ",".join(f'{{"statusId":"{n}"}}' for n in range(200))
    with paysvc.Client(**peer.config) as client:
        for _ in range(10):
            answering = peer.replies(f'{{"status":true,"data":{{"fee":1.50,"orderPayments":[{members}]}}}}')
            reply = client.transaction_details(session_id="S-1")
            answering.join()
            with ThreadPoolExecutor(8) as threads:
                found = set(threads.map(lambda _, reply=reply: id(reply.answer), range(16)))
            assert found == {id(reply.answer)}
            assert [payment.status_id for payment in reply.answer.order_payments or ()] == list(range(200))


def test_the_classes_are_imported_when_an_answer_is_read() -> None:
    program = (
        "import sys, paysvc\n"
        "slow = {'paysvc._answers', 'paysvc._typed', 'datetime'}\n"
        "reply = paysvc.OrderPayReply(status=paysvc.Status.OK, outcome=paysvc.Outcome.CONFIRMED, text='{}')\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
        "assert reply.answer.order_payment is None\n"
        "print(sorted(slow - set(sys.modules)))\n"
        f"assert {set(NAMES)!r} <= set(paysvc.__all__)\n"
        "from paysvc import *\n"
        "assert type(reply.answer) is OrderPayAnswer and issubclass(OrderPayAnswer, Answer)\n"
    )
    assert output_of(program) == "[]\n"
