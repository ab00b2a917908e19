"""Answers as plain data. Their reading is tested in tests/integration/typed_answers/normal.rs."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Optional, get_type_hints

import pytest
from helpers import PROJECT
from peer import Peer
from pydantic import TypeAdapter

import paysvc
from paysvc import Outcome
from paysvc._answers import ANSWERS
from paysvc._generated import OPERATIONS
from paysvc._typed import Answer, AnswerWithAliases
from paysvc.sandbox import Sandbox


def funding(peer: Peer, data: str) -> paysvc.TransactionDetailsReply:
    with paysvc.Client(**peer.config) as client:
        peer.replies(f'{{"status":true,"message":"done","data":{data}}}')
        reply = client.transaction_details(session_id="S-1")
    assert reply.outcome == Outcome.CONFIRMED
    return reply


def test_every_canned_answer_is_what_the_library_tells(peer: Peer, paysvc_sandbox: Sandbox) -> None:
    entries = json.loads((PROJECT.parents[1] / "tests" / "scenarios.json").read_text())["endpoints"]
    assert set(entries) == set(ANSWERS) - set(OPERATIONS)
    seen = set()
    with paysvc.Client(**{**paysvc_sandbox.config, **peer.config}) as client:
        for name, entry in entries.items():
            # In a canned answer, {amount} stands for what the request has.
            filled = json.dumps(entry["answer"])
            for member in re.findall(r"\{(\w+)\}", filled):
                filled = filled.replace(f"{{{member}}}", str(entry["request"][member]))
            peer.replies(filled)
            reply = client.call(name, json.loads(json.dumps(entry["request"]), parse_float=Decimal))
            told = json.loads(reply._summary() or b"")
            assert (type(reply.answer), reply.unreadable) == (ANSWERS[name], ()), told
            assert reply.answer is not None
            seen |= set(compare(reply.answer, told["answer"]))
    assert seen == {str, int, Decimal, bool, datetime}


def compare(answer: Answer, told: dict[str, Any]) -> Iterator[type]:
    """Also with the annotations, as other packages read them. Gives the types of the values."""
    hints = get_type_hints(type(answer))
    assert [field.name for field in fields(answer)] == list(told)
    for name, expected in told.items():
        value, hint = getattr(answer, name), hints[name]
        if expected is None or hint is Any:
            assert value == expected
        elif isinstance(value, Answer):
            assert hint == Optional[type(value)]
            yield from compare(value, expected)
        elif isinstance(value, tuple):
            for element, item in zip(value, expected):
                assert hint == Optional[tuple[type(element), ...]]  # type: ignore[misc]
                yield from compare(element, item)
        else:
            assert hint == Optional[type(value)]
            yield type(value)
            if isinstance(value, datetime):
                expected = datetime.strptime(expected, "%Y-%m-%dT%H:%M:%S.%f%z")
            assert (str(value) if isinstance(value, Decimal) else value) == expected


def test_what_cannot_be_read_is_none_and_told(peer: Peer) -> None:
    data = '"fee":"secret","bank":7,"orderPayments":[{"statusId":"5"},null,{"statusId":[]}],"customer":[2.50,{"a":1}]'
    reply = funding(peer, f'{{{data},"feeRate":{"9" * 64}}}')
    answer = reply.answer
    assert str(answer.fee_rate) == "9" * 64, "it is not rounded"
    assert (answer.fee, answer.bank, answer.customer) == (None, "7", [Decimal("2.50"), {"a": 1}])
    assert answer.order_payments is not None
    assert [payment.status_id for payment in answer.order_payments] == [5, None, None]
    assert reply.unreadable == ("/data/fee", "/data/orderPayments/1", "/data/orderPayments/2/statusId")
    assert reply.answer is answer, "it is made once"


def test_what_is_nested_too_deeply_for_python_changes_no_outcome(peer: Peer) -> None:
    deep = f'"customer":{"[" * 100_000}{"]" * 100_000}'
    reply: Any = funding(peer, f'{{"fee":1,{deep}}}')
    with paysvc.Client(**peer.config) as client:
        peer.replies(f'{{"status":false,"message":"refused","data":{{{deep}}}}}')
        with pytest.raises(paysvc.Rejected) as caught:
            client.transaction_details(session_id="S-1")
    assert (caught.value.endpoint, caught.value.errors) == ("transaction_details", {})
    for of in (reply, caught.value):
        for name in ("answer", "body"):
            with pytest.raises(ValueError, match="nested too deeply"):
                getattr(of, name)
        assert len(of.text) > 200_000
        assert not of.is_paid("*", "*", "*")


def test_other_packages_take_it_and_make_no_float(peer: Peer) -> None:
    answer = funding(
        peer, '{"fee":100.10,"dateCreated":"2026-01-31T09:30:00","orderPayments":[{"statusId":5}],"bank":"B"}'
    ).answer
    for twin in (copy.copy(answer), copy.deepcopy(answer), pickle.loads(pickle.dumps(answer))):
        assert twin == answer
        assert type(twin) is paysvc.TransactionDetailsAnswer
    known = {name: value for name, value in asdict(answer).items() if value is not None}
    assert (known["fee"], known["bank"], known["order_payments"][0]["status_id"]) == (Decimal("100.10"), "B", 5)
    of = TypeAdapter(paysvc.TransactionDetailsAnswer)
    for written in (of.dump_json(answer), json.dumps(known, default=str)):
        found = json.loads(written)
        assert (found["fee"], found["order_payments"][0]["status_id"]) == ("100.10", 5)
    assert of.validate_json(of.dump_json(answer)) == answer


def test_the_repr_shows_no_value_and_nothing_can_be_changed(peer: Peer) -> None:
    answer: Any = funding(peer, '{"bank":"secret","orderPayments":[{"remarks":"secret"}]}').answer
    assert repr(answer) == "<TransactionDetailsAnswer: order_payments, bank>"
    assert repr(answer.order_payments) == "(<TransactionDetailsAnswerOrderPayments: remarks>,)"
    for name in ("bank", "new"):
        with pytest.raises(FrozenInstanceError):
            setattr(answer, name, "x")


def test_a_field_that_python_cannot_call_so_has_another_name() -> None:
    @dataclass(frozen=True, repr=False)
    class Own(AnswerWithAliases):
        from_: Optional[Decimal] = None  # noqa: UP045
        _reads = (("from", Decimal),)
        _renamed = (("from", "from_"),)

    assert Own._of({"from": "1.50"}) == Own(from_=Decimal("1.50"))
    assert Own._all([None, {"from": None}]) == (Own(), Own())
