"""Replies in json, repr, copies and code that expects a dict."""

from __future__ import annotations

import copy
import io
import json
import pickle
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

import paysvc
from paysvc import Outcome, Reply, State, Status

DATA = '{"total":100.10,"fee":1E+3,"id":7,"n":null,"all":[0.10,{"x":2.50}]}'
TEXT = f'{{"status":true,"message":"é","balance":5.00,"data":{DATA}}}'
JSON = {
    "status": True,
    "message": "é",
    "balance": "5.00",
    "data": {"total": "100.10", "fee": "1000", "id": 7, "n": None, "all": ["0.10", {"x": "2.50"}]},
}


def reply_of(text: str, status: Status = Status.OK) -> Reply:
    return Reply(status=status, outcome=Outcome.CONFIRMED, state=State.PENDING, text=text, message="é", http_status=200)


@pytest.mark.parametrize("status", [Status.OK, Status.REJECTED])
@pytest.mark.parametrize("arguments", [{}, {"indent": 2}, {"sort_keys": True}, {"default": str}, {"indent": 1}])
def test_json_writes_a_reply_exactly(status: Status, arguments: dict[str, Any]) -> None:
    reply = reply_of(TEXT, status)
    assert json.loads(json.dumps(reply, **arguments)) == JSON
    assert json.loads(json.dumps({"replies": [reply]}, **arguments)) == {"replies": [JSON]}
    file = io.StringIO()
    json.dump(reply, file, **arguments)
    assert json.loads(file.getvalue()) == JSON
    # No amount becomes a float, and reading it back is exact.
    assert Decimal(json.loads(json.dumps(reply))["data"]["total"]) == Decimal("100.10")


@pytest.mark.parametrize("text", ["{}", "[1.5]", "7", "null"])
def test_an_answer_without_members_is_an_empty_object(text: str) -> None:
    for reply in (reply_of(text), reply_of(text, Status.RESPONSE)):
        assert json.dumps(reply) == "{}"
        assert json.dumps(reply, indent=1).split() in (["{}"], ["{", "}"])  # Python 3.13 writes a line within it.
        assert (len(reply), list(reply), dict(reply)) == (0, [], {})


def test_numbers_are_decimals_except_for_json() -> None:
    reply = reply_of(TEXT)
    json.dumps(reply)
    for members in (reply, dict(reply), {**reply}, dict(reply.items()), reply.copy(), reply | {}, {} | reply):
        assert [str(members["balance"]), str(members["data"]["total"])] == ["5.00", "100.10"]
        assert type(members["balance"]) is type(members["data"]["total"]) is Decimal
        assert type(members["data"]["id"]) is int
    assert [type(value) for value in reply.values()] == [bool, str, Decimal, dict]
    assert reply.text == TEXT


def test_it_is_a_read_only_mapping() -> None:
    reply: Any = reply_of(TEXT)
    assert isinstance(reply_of(TEXT), Mapping)
    assert list(reply) == list(reply.keys()) == ["status", "message", "balance", "data"]
    assert list(reversed(reply)) == ["data", "balance", "message", "status"]
    assert ("data" in reply, "other" in reply, reply.get("other"), reply.get("other", 1)) == (True, False, None, 1)
    with pytest.raises(KeyError):
        reply["other"]
    changes: list[Callable[[], object]] = [
        lambda: reply.update(x=1),
        lambda: reply.pop("data"),
        lambda: reply.popitem(),
        lambda: reply.clear(),
        lambda: reply.setdefault("x", 1),
        lambda: reply.__setitem__("x", 1),
        lambda: reply.__delitem__("data"),
        lambda: reply.__ior__({}),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="a reply is read-only"):
            change()
    assert len(reply) == 4


def test_its_truth_is_its_status_and_it_equals_its_copies_only() -> None:
    reply, other = reply_of(TEXT), reply_of(TEXT)
    reply.call_id, reply.request_id, other.call_id = "call-1", "request-1", "call-2"
    assert reply
    assert not reply_of(TEXT, Status.REJECTED)
    assert reply_of("{}")
    assert (reply == other, reply != other, reply == reply, len({reply, other})) == (False, True, True, 2)
    assert reply != dict(reply)
    for twin in (copy.copy(reply), copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))):
        assert type(twin) is Reply
        assert (twin == reply, twin != reply, len({twin, reply})) == (True, False, 1)
        assert (twin.call_id, twin.request_id) == ("call-1", "request-1")
        assert (twin.text, twin.message, twin["balance"], twin.outcome) == (TEXT, "é", Decimal("5.00"), reply.outcome)


def test_its_repr_has_status_outcome_and_message() -> None:
    reply = Reply(
        status=Status.TIMEOUT, outcome=Outcome.UNKNOWN, text='{"data":"private"}', message="the time ran out"
    )
    assert repr(reply) == "<Reply TIMEOUT: outcome UNKNOWN, state NONE, HTTP 0: the time ran out>"
    assert "private" not in f"{reply}{reply!r}{paysvc.PaysvcError(reply)!r}"


def test_code_that_reads_the_dict_directly_does_not_find_an_empty_answer() -> None:
    raw: Any = reply_of(TEXT)
    assert dict.__len__(raw) == 1
    assert not any(isinstance(name, str) for name in dict.keys(raw))


def test_json_refuses_an_answer_that_python_cannot_parse() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        json.dumps(reply_of("[" * 100_000 + "]" * 100_000))
