"""Replies are frozen dataclasses: their repr, copies, and what other packages make of them."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from decimal import Decimal
from typing import Any

import pytest
from fastapi.encoders import jsonable_encoder
from pydantic import TypeAdapter

import paysvc
from paysvc import Outcome, Reply, State, Status
from paysvc.sandbox import Sandbox

DATA = '{"total":100.10,"fee":1E+3,"id":7,"n":null,"all":[0.10,{"x":2.50}]}'
TEXT = f'{{"status":true,"message":"é","balance":5.00,"data":{DATA}}}'
JSON = {
    "status": True,
    "message": "é",
    "balance": "5.00",
    "data": {"total": "100.10", "fee": "1E+3", "id": 7, "n": None, "all": ["0.10", {"x": "2.50"}]},
}


def reply_of(text: str, status: Status = Status.OK, **known: Any) -> Reply:
    known = {"outcome": Outcome.CONFIRMED, "state": State.PENDING, "message": "é", "http_status": 200, **known}
    return Reply(status=status, text=text, **known)


def test_json_writes_an_answer_exactly() -> None:
    assert json.loads(json.dumps(reply_of(TEXT).body, default=str)) == JSON
    body = reply_of(TEXT).body
    assert [str(body["balance"]), str(body["data"]["total"])] == ["5.00", "100.10"]
    assert [type(value) for value in body.values()] == [bool, str, Decimal, dict]
    assert type(body["data"]["id"]) is int


def test_no_encoder_makes_a_float_of_an_amount(client: paysvc.Client, paysvc_sandbox: Sandbox) -> None:
    """Of a reply that was made by the library, and whose response has been read."""
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


def test_it_is_immutable() -> None:
    reply: Any = reply_of(TEXT)
    for name in ("outcome", "text", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(reply, name, Outcome.NOT_SENT)
    with pytest.raises(TypeError):
        reply["outcome"]


def test_its_truth_is_its_status_and_it_equals_its_copies_only() -> None:
    reply = reply_of(TEXT, call_id="call-1", request_id="request-1")
    other = dataclasses.replace(reply, call_id="call-2")
    assert reply.body == other.body
    assert reply
    assert not reply_of(TEXT, Status.REJECTED)
    assert (reply == other, reply != other, reply == reply, len({reply, other})) == (False, True, True, 2)
    for twin in (copy.copy(reply), copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))):
        assert type(twin) is Reply
        assert (twin == reply, twin != reply, len({twin, reply})) == (True, False, 1)
        assert (twin.call_id, twin.request_id) == ("call-1", "request-1")
        assert (twin.text, twin.message, twin.body["balance"], twin.outcome) == (
            TEXT, "é", Decimal("5.00"), reply.outcome
        )  # fmt: skip


def test_its_repr_has_status_outcome_and_message() -> None:
    reply = Reply(
        status=Status.TIMEOUT, outcome=Outcome.UNKNOWN, text='{"data":"private"}', message="timed out"
    )
    assert repr(reply) == "<Reply TIMEOUT: outcome UNKNOWN, state NONE, HTTP 0: timed out>"
    assert "private" not in f"{reply}{reply!r}{paysvc.PaysvcError(reply)!r}"


def test_an_answer_that_python_cannot_parse_keeps_its_outcome() -> None:
    reply = reply_of("[" * 100_000 + "]" * 100_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        reply.body  # noqa: B018
    assert reply.outcome == Outcome.CONFIRMED
