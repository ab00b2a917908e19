"""JSON without floats, in both directions."""

from __future__ import annotations

import enum
from decimal import Decimal
from typing import Any

import pytest

from paysvc._generated import AMOUNTS
from paysvc._values import OMIT, Members, decode, encode


class Option(str, enum.Enum):
    CARD = "C"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, True, None, "é\n\x00"], "b": OMIT}, '{"a":[1,true,null,"é\\n\\u0000"]}'),
        ({"amount": Decimal("98000.00")}, '{"amount":98000.00}'),
        ([Decimal("1E+3"), Decimal("1E-7"), Decimal("1E+400")], "[1000,0.0000001,1E+400]"),
        (Members({"a": 1, "b": OMIT}, {"c": (2,)}), '{"a":1,"c":[2]}'),
        ({"half": "\ud800"}, '{"half":"\\ud800"}'),
        ({"paymentoption": Option.CARD}, '{"paymentoption":"C"}'),
    ],
)
def test_encode(value: object, text: str) -> None:
    assert encode(value) == text.encode()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "the value: a float is not exact"),
        ({"order": {"amount": 5}}, "order.amount: an int is refused, because 5 is 5.00 and may be meant as 0.05"),
        ({"order": {"items": [{"price": 0.1}]}}, "order.items[0].price: a float is not exact"),
        ({"a": Decimal("NaN")}, "a: JSON has no NaN"),
        ({"a": b"x"}, "a: JSON has no form for bytes"),
        ({"a": {1: 2}}, "a: a field's name must be str, not int"),
    ],
)
def test_refused(value: object, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        encode(value, AMOUNTS)
    assert str(caught.value).startswith(message)


def test_decode() -> None:
    found: Any = decode('{"a":100.10,"b":1e3,"c":7,"d":' + "9" * 5000 + "}")
    assert [type(value) for value in found.values()] == [Decimal, Decimal, int, Decimal]
    assert str(found["a"]) == "100.10"
    # Also a number that Python cannot hold changes no other field.
    assert decode('[1e99999999999999999999999,"a"]') == ["1e99999999999999999999999", "a"]
