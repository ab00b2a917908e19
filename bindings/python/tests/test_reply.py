"""Replies are frozen dataclasses, of a class for each endpoint: their copies, and what other packages make of them."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from fastapi.encoders import jsonable_encoder
from peer import Peer
from pydantic import TypeAdapter

import paysvc
from paysvc import Outcome, Reply, State, Status
from paysvc._answers import ANSWERS
from paysvc._replies import REPLIES
from paysvc.sandbox import Sandbox


def test_no_encoder_makes_a_float_of_an_amount(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    """The reply was made by the library, and its response has been read."""
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R", "amount": "100.10", "paid": True})
    reply = client.order_status(reference="R")
    assert reply.is_paid("R", "100.10", "*")
    assert reply.answer.order_summary
    assert reply.body["data"]
    fields = {field.name: getattr(reply, field.name) for field in dataclasses.fields(reply)}
    assert fields == dataclasses.asdict(reply)
    assert len(fields) == 13
    expected = {**fields, "status": "OK", "outcome": "CONFIRMED", "state": "SUCCESSFUL"}
    assert json.loads(json.dumps(dataclasses.asdict(reply))) == expected
    assert json.loads(TypeAdapter(paysvc.OrderStatusReply).dump_json(reply)) == expected
    assert jsonable_encoder(reply) == expected
    assert Decimal("102.10") in json.loads(expected["text"], parse_float=Decimal)["data"]["orderSummary"].values()


def test_it_is_immutable_true_if_its_status_is_ok_and_equals_its_copies_only() -> None:
    classes: list[Any] = [Reply, *REPLIES.values()]
    for of in classes:
        reply: Any = of(status=Status.OK, outcome=Outcome.CONFIRMED, text='{"data":{"fee":1.50}}', call_id="call-1")
        assert "__dataclass_fields__" in vars(of)  # For orjson.
        with pytest.raises(dataclasses.FrozenInstanceError):
            reply.outcome = Outcome.NOT_SENT
        other = dataclasses.replace(reply, call_id="call-2", status=Status.REJECTED)
        assert (bool(reply), bool(other)) == (True, False)
        assert (reply == other, reply != other, len({reply, other})) == (False, True, 2)
        for twin in (copy.copy(reply), copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))):
            assert (type(twin), twin.call_id, twin.text) == (of, "call-1", reply.text)
            assert (twin == reply, twin != reply, len({twin, reply})) == (True, False, 1)
            assert (twin.answer, twin.body) == (reply.answer, {"data": {"fee": Decimal("1.50")}})


def test_its_repr_has_status_outcome_and_message() -> None:
    reply = paysvc.BanksReply(
        status=Status.TIMEOUT, outcome=Outcome.UNKNOWN, text='{"data":"private"}', message="timed out"
    )
    assert repr(reply) == "<Reply TIMEOUT: outcome UNKNOWN, state NONE, HTTP 0: timed out>"
    assert "private" not in f"{reply}{paysvc.PaysvcError(reply)!r}"


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
        peer.replies('{"status":true,"message":"Mandate is active","data":{"mandateCode":"M-1"}}')
        called = client.call("direct_debit_status", {"mandateCode": "M-1"})
        assert isinstance(called, paysvc.DirectDebitStatusReply)
        assert (called.answer.mandate_code, called.is_active) == ("M-1", True)
        peer.replies('{"status":true,"x":1}')
        other = client.request(method="GET", path="/not/known", key="public")
        assert (type(other), other.answer, other.is_active, other.body["x"]) == (Reply, None, False, 1)


def test_copies_have_the_answer_and_are_not_paid(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    """The original may have been asked for it or not."""
    paysvc_sandbox.post("/sandbox/orders", {"reference": "R-1", "amount": "20", "paid": True})
    reply = client.order_status(reference="R-1")
    twins = [copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))]
    assert reply.answer.is_final_status
    twins += [copy.copy(reply), pickle.loads(pickle.dumps(twins[0]))]
    for twin in twins:
        assert (twin.state, twin.answer) == (State.SUCCESSFUL, reply.answer)
        assert not twin.is_paid("R-1", "20", "NGN")


def test_threads_read_one_reply(peer: Peer) -> None:
    members = ",".join(f'{{"statusId":"{n}"}}' for n in range(200))
    with paysvc.Client(**peer.config) as client:
        for _ in range(10):
            peer.replies(f'{{"status":true,"data":{{"fee":1.50,"orderPayments":[{members}]}}}}')
            reply = client.transaction_details(session_id="S-1")
            with ThreadPoolExecutor(8) as threads:
                found = set(threads.map(lambda _, reply=reply: id(reply.answer), range(16)))
            assert found == {id(reply.answer)}
