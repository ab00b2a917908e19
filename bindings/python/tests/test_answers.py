"""What typed members are in Python. Which forms are read is the same in all languages, and is tested for all of them in
tests/integration/typed_answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal, localcontext
from functools import partial
from typing import Any

import pytest
from helpers import PROJECT

import paysvc
from paysvc import Answer, AnswerError, Outcome, Status
from paysvc._generated import OPERATIONS
from paysvc._replies import REPLIES

ERROR = "an AnswerError"


def reply_of(text: str) -> paysvc.TransactionDetailsReply:
    return paysvc.TransactionDetailsReply(status=Status.OK, outcome=Outcome.CONFIRMED, text=text)


def data_of(members: str) -> paysvc.TransactionDetailsAnswerData:
    return reply_of(f'{{"data":{{{members}}}}}').answer.data


def read(member: Callable[[], object]) -> object:
    try:
        return member()
    except AnswerError:
        return ERROR


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9223372036854775808", ERROR), ("-9223372036854775808", -(2**63)), (f'"{"0" * 5000}8"', 8),
        ("9" * 5000, ERROR), ('"\\u0667"', ERROR), ('"1_000"', ERROR), ("true", ERROR),
    ],
)  # fmt: skip
def test_integers_are_those_of_64_bits_whatever_int_takes(text: str, expected: object) -> None:
    found = read(lambda: data_of(f'"statusId":{text}').status_id)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("98000.000000", "98000.000000"), ("-0", "-0"), ("9" * 64, ...), ('"NaN"', ERROR), ('"1e5"', ERROR),
        ("0.1234567890123456789012345678901234567", ...), ("1" + "0" * 100_000, ERROR),
    ],
)  # fmt: skip
def test_amounts_are_exact_decimals_whatever_decimal_takes(text: str, exact: object) -> None:
    data = data_of(f'"fee":{text},"feeRate":{text}')
    with localcontext() as context:
        context.prec = 2  # The program's own rounding does not reach them.
        found = [read(lambda: data.fee), read(lambda: data.fee_rate)]
    assert [str(value) for value in found] == [text if exact is ... else exact] * 2
    assert {type(value) for value in found} <= {Decimal, str}


def test_a_time_keeps_its_zone() -> None:
    time = data_of('"dateCreated":"2026-01-31T09:30:00-02:30"').date_created
    assert time is not None
    assert (time.utcoffset(), time.hour) == (timedelta(hours=-2, minutes=-30), 9)


@pytest.mark.parametrize(
    "text", ['"a"', "7", "1.50", "true", '[1, {"x": 2.50}]', '{"a": {"b": [null]}}', "-7", "1E+2", "1" + "0" * 5000]
)
def test_anything_is_what_the_reply_has(text: str) -> None:
    reply = reply_of(f'{{"data":{{"customer":{text}}}}}')
    found = reply.answer.data.customer
    assert (type(found), repr(found)) == (type(reply.body["data"]["customer"]), repr(reply.body["data"]["customer"]))


def test_of_a_member_that_is_there_twice_the_first_counts() -> None:
    reply = reply_of('{"data":{"fee":1,"customer":{"a":1,"a":2},"fee":true},"data":[]}')
    data = reply.answer.data
    assert data.fee == Decimal(1)
    assert data.customer == {"a": 1}
    assert data.raw == {"fee": 1, "customer": {"a": 1}}
    assert reply.body["data"] == []


def test_names_are_matched_exactly() -> None:
    data = data_of('"Fee":1,"FEE":2,"\\u0066ee":3')
    assert data.fee == 3
    assert reply_of('{"Data":{"fee":1}}').answer.data.fee is None


def test_lists() -> None:
    data = data_of('"orderPayments":[{"statusId":"5"},null,7,{},[{"statusId":5}]]')
    payments = data.order_payments
    assert isinstance(payments, tuple)
    assert [bool(payment) for payment in payments] == [True, False, False, True, False]
    assert [read(partial(getattr, payment, "status_id")) for payment in payments] == [5, ERROR, ERROR, None, ERROR]
    assert data.order_payments is payments, "it is made once"
    with pytest.raises(AnswerError, match=r"^/data/orderPayments/1/statusId cannot be read as an integer: "
                                          r"/data/orderPayments/1 is null$"):  # fmt: skip
        payments[1].status_id  # noqa: B018
    assert data_of('"orderPayments":[]').order_payments == ()
    for absent in ("null", None):
        assert data_of("" if absent is None else f'"orderPayments":{absent}').order_payments is None
    for wrong in ("{}", '""', '"[]"', "0", "false"):
        assert read(partial(getattr, data_of(f'"orderPayments":{wrong}'), "order_payments")) == ERROR


def views(view: Answer) -> Iterator[Answer]:
    """The view, and those of all objects in it."""
    yield view
    for attribute, kind in type(view).__members__.values():
        if kind == "object":
            yield from views(getattr(view, attribute))


def leaves(view: Answer) -> Iterator[object]:
    for it in views(view):
        for attribute, kind in type(it).__members__.values():
            if kind != "object":
                yield read(partial(getattr, it, attribute))


@pytest.mark.parametrize("text", ["{}", '{"data":null}'])
def test_of_an_absent_object_all_members_are_absent(text: str) -> None:
    for endpoint in REPLIES.values():
        answer = endpoint(status=Status.OK, outcome=Outcome.CONFIRMED, text=text).answer
        assert answer
        # Of an endpoint of which everything is guessed nothing is typed.
        assert set(leaves(answer)) == ({None} if type(answer).__members__ else set())
    data = reply_of(text).answer.data
    assert not data
    assert data.raw is None
    assert repr(data) == "<TransactionDetailsAnswerData /data: absent>"


@pytest.mark.parametrize("wrong", ["[]", '"x"', "7", "true", '[{"fee":1}]'])
def test_of_what_is_no_object_no_member_can_be_read(wrong: str) -> None:
    data = reply_of(f'{{"data":{wrong}}}').answer.data
    assert set(leaves(data)) == {ERROR}
    assert (bool(data), repr(data)) == (False, "<TransactionDetailsAnswerData /data: unreadable>")
    with pytest.raises(AnswerError, match=r"^/data cannot be read as an object: it is a"):
        data.raw  # noqa: B018


@pytest.mark.parametrize(
    "text", ["[]", "null", '"x"', "7", "not json", "", "{}{}", '{"data":NaN}', "[" * 100_000 + "]" * 100_000]
)
def test_an_answer_that_is_no_object_cannot_be_read(text: str) -> None:
    for endpoint in REPLIES.values():
        reply = endpoint(status=Status.OK, outcome=Outcome.CONFIRMED, text=text)
        assert not reply.answer
        assert set(leaves(reply.answer)) == ({ERROR} if type(reply.answer).__members__ else set())
        with pytest.raises(AnswerError, match=r"^the answer cannot be read as an object: it is "):
            reply.answer.raw  # noqa: B018


def test_what_is_nested_too_deeply_says_so() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    with pytest.raises(AnswerError, match=r"^/data/fee cannot be read as an amount: the answer is nested too deeply"):
        data_of(f'"customer":{deep}').fee  # noqa: B018
    # Another time there may be room for it on the stack.
    reply, depth = reply_of(f'{{"data":{{"fee":1,"customer":{"[" * 300}{"]" * 300}}}}}'), 0

    def below(levels: int) -> object:
        return below(levels - 1) if levels else read(lambda: reply.answer.data.fee)

    while depth < 900 and below(depth) != ERROR:
        depth += 50
    assert reply.answer.data.fee == 1


def test_an_error_names_the_member_and_what_was_found_but_no_value() -> None:
    data = data_of('"fee":"secret","dateCreated":"secret","orderPayments":{"secret":1},"statusId":[5],"bank":false')
    members: list[tuple[Callable[[], object], str]] = [
        (lambda: data.fee, "/data/fee cannot be read as an amount: it is a string"),
        (lambda: data.date_created, "/data/dateCreated cannot be read as a time: it is a string"),
        (lambda: data.order_payments, "/data/orderPayments cannot be read as an array: it is an object"),
        (lambda: data.status_id, "/data/statusId cannot be read as an integer: it is an array"),
        (lambda: data.bank, "/data/bank cannot be read as text: it is a boolean"),
    ]
    for member, told in members:
        with pytest.raises(AnswerError) as caught:
            member()
        assert str(caught.value) == told
        assert caught.value.__context__ is None or "secret" not in str(caught.value.__context__)
        assert isinstance(caught.value, ValueError)
        assert not isinstance(caught.value, paysvc.PaysvcError)
    with pytest.raises(AnswerError) as caught:
        data.bank  # noqa: B018
    error = caught.value
    assert (error.pointer, error.expected, error.found, error.at) == ("/data/bank", "text", "a boolean", "/data/bank")


def test_a_view_shows_no_value_and_cannot_be_changed() -> None:
    data: Any = data_of('"bank":"secret","other":[1.50]')
    assert "secret" not in f"{data}{data!r}"
    assert repr(data) == "<TransactionDetailsAnswerData /data: present>"
    for name in ("bank", "new", "raw"):
        with pytest.raises(AttributeError):
            setattr(data, name, "x")
    data.raw["bank"] = "changed"
    assert data.raw == {"bank": "secret", "other": [Decimal("1.50")]}, "raw is a copy, and has what has no property"


def test_a_number_that_python_cannot_hold_hides_no_other_member() -> None:
    data = data_of('"fee":1,"customer":1e99999999999999999999')
    assert data.fee == 1
    with pytest.raises(AnswerError, match="too large for Python"):
        data.customer  # noqa: B018
    with pytest.raises(AnswerError, match="too large for Python"):
        data.raw  # noqa: B018


def test_every_member_of_every_canned_answer_is_read() -> None:
    """Each is as Python's own parser has it, so that no name and no kind is wrong."""
    text = (PROJECT.parents[1] / "tests" / "scenarios.json").read_text()
    # In a canned answer, {amount} stands for what the request has.
    entries = json.loads(re.sub(r"\{\w+\}", "1", text))["endpoints"]
    assert set(entries) == set(REPLIES) - set(OPERATIONS)
    for name, entry in entries.items():
        text = json.dumps(entry["answer"])
        reply = REPLIES[name](status=Status.OK, outcome=Outcome.CONFIRMED, text=text)
        compare(reply.answer, json.loads(text, parse_float=Decimal))


def compare(view: Answer, found: dict[str, Any]) -> None:
    for name, (attribute, kind) in type(view).__members__.items():
        value, expected = getattr(view, attribute), found.get(name)
        if kind == "object":
            assert bool(value) == (expected is not None)
            compare(value, expected or {})
        elif expected is None or kind == "any":
            assert value == expected
        elif kind == "list":
            assert len(value) == len(expected)
            for element, item in zip(value, expected):
                compare(element, item)
        elif kind == "time":
            assert value.isoformat()[:19] == expected[:19]
        else:
            of = {"text": str, "integer": int, "amount": Decimal, "decimal": Decimal, "flag": bool}[kind]
            assert type(value) is of
            assert value == of(expected)
