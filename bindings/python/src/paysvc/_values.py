"""Python values to JSON and back. Amounts are str or Decimal; a float is refused, because it is not exact."""

from __future__ import annotations

import enum
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import Any

#: Encodes a string. One encoder for all: json.dumps would make one for each call.
_quoted = json.JSONEncoder(ensure_ascii=False).encode


class _Word(enum.Enum):
    def __repr__(self) -> str:
        return self.name


class Omitted(_Word):
    """The type of OMIT."""

    OMIT = "OMIT"


#: The default of optional arguments. Not None: a refund whose amount is None by mistake must not become a full refund.
OMIT = Omitted.OMIT

#: The longest timeout in seconds. Longer ones are milliseconds by mistake.
_LONGEST = 3600


class ExistingOrder(_Word):
    """The type of EXISTING_ORDER."""

    EXISTING_ORDER = "EXISTING_ORDER"


#: In place of the order and its price: the order exists, and the service charges the price that it has.
EXISTING_ORDER = ExistingOrder.EXISTING_ORDER


class Members(Mapping[str, object]):
    """Members of a request, with the interface's names. The repr hides the values, which may be card data."""

    __slots__ = ("_members",)

    def __init__(self, members: Mapping[str, object], more: Mapping[str, object] | None = None) -> None:
        self._members = {name: value for name, value in members.items() if value is not OMIT}
        for name, value in more.items() if more else ():
            # Where the argument is omitted, a program may be older than the argument.
            if name in self._members:
                raise TypeError(f"{name} has an argument of its own; leave it out of members")
            self._members[name] = value

    def __getitem__(self, name: str) -> object:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self._members)}>"


def hidden(members: Mapping[str, object]) -> Mapping[str, object]:
    """The fields of a request whose repr hides the values."""
    return Members(members) if isinstance(members, Mapping) and not isinstance(members, Members) else members


def either(name: str, value: object, other: str, same: object) -> object:
    """The value of a field that can be given as either of two keyword arguments."""
    if same is OMIT:
        return value
    if value is not OMIT:
        raise TypeError(f"{name} and {other} are the same field; give one of them")
    return same


def given(value: object) -> object:
    """The value of a field that None leaves out: one that does not say who pays what to whom, and how."""
    return OMIT if value is None else value


def unless_existing(name: str, value: object) -> object:
    """The value of a field with the price of a charge, which is left out only on purpose."""
    if value is OMIT:
        raise TypeError(f"{name} has the price; to charge an order that exists, give paysvc.EXISTING_ORDER")
    return OMIT if value is EXISTING_ORDER else value


def milliseconds(seconds: object, name: str = "timeout") -> int:
    """Seconds as whole milliseconds, rounded up."""
    if isinstance(seconds, bool) or not hasattr(seconds, "__float__"):
        hint = f"; without quotes: {name}={seconds}" if isinstance(seconds, str) and seconds.isdigit() else ""
        raise TypeError(f"{name} must be a number of seconds, such as 5 or 0.5, not {type(seconds).__name__}{hint}")
    number = float(seconds)  # pyright: ignore[reportArgumentType]
    if not 0 < number < math.inf:  # NaN is refused too. 0 would mean the default to the library.
        raise ValueError(f"{name} must be a finite number of seconds above 0, not {seconds}; None: the default")
    if number > _LONGEST:
        raise ValueError(f"{name} is in seconds, and at most {_LONGEST}: {seconds} looks like milliseconds")
    return math.ceil(number * 1000)


def in_milliseconds(name: str, seconds: object, value: object) -> object:
    """A time in the configuration, given as `name` in seconds or as `name`_ms in milliseconds."""
    in_ms = OMIT if seconds is OMIT else milliseconds(seconds, name)
    return either(f"{name} (seconds)", value, f"{name}_ms (milliseconds)", in_ms)


def amount_text(member: str, value: object) -> object:
    """An amount as the interface expects it, as text. The library refuses values of any other type."""
    if isinstance(value, float):
        raise no_float(member)
    if isinstance(value, int) and not isinstance(value, bool):
        raise no_int(member, value)
    return _digits(value) if isinstance(value, Decimal) else value


def no_float(member: str) -> TypeError:
    return TypeError(f"{member}: a float is not exact; use text or decimal.Decimal")


def no_int(member: str, value: int) -> TypeError:
    minor = f"{Decimal(value) / 100:.2f}"
    return TypeError(
        f"{member}: an int is refused, because {value} is {value}.00 and may be meant as {minor}; give text or "
        f'decimal.Decimal, such as "{minor}"'
    )


def _digits(value: Decimal) -> str:
    # Amounts have no exponent; but one such as 1E+1000000 must not become a million digits.
    return format(value, "f") if value.is_finite() and abs(value.adjusted()) < 100 else str(value)


def utf8(name: str, value: object) -> bytes:
    """A text for the library, which refuses what C or UTF-8 cannot hold."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be str, not {type(value).__name__}")
    return value.replace("\0", "\ud800").encode("utf-8", "surrogatepass")


def raw_body(body: object) -> str:
    """The body of a webhook as it was received, as text."""
    if isinstance(body, str):
        return body
    if isinstance(body, (bytes, bytearray, memoryview)):
        # Text that is not UTF-8 becomes something that the library refuses.
        return bytes(body).decode("utf-8", "surrogateescape")
    raise TypeError(
        f"body must be the raw body, as bytes or str, not {type(body).__name__}: a parsed event has lost duplicate "
        "members and exact numbers; use request.get_data() (Flask), request.body (Django) or await request.body() "
        "(FastAPI)"
    )


def encode(value: object, amounts: Set[str] = frozenset()) -> bytes:
    """Compact JSON. Members with the names `amounts` must not be int."""
    try:
        # An unpaired surrogate becomes an escape, which the library refuses.
        return _json(value, "the value", amounts).encode("utf-8", "backslashreplace")
    except TypeError as error:
        refused = str(error)
    raise TypeError(refused)  # Without the frames of those that have seen the values.


def _json(value: object, at: str, amounts: Set[str]) -> str:
    """`at` is the path of the value, for error messages."""
    if isinstance(value, Members):
        value = value._members  # A dict is faster than a Mapping.
    if isinstance(value, (dict, Mapping)):
        members = [_member(name, item, at, amounts) for name, item in value.items() if item is not OMIT]
        return "{" + ",".join(members) + "}"
    if isinstance(value, str):
        return _quoted(str.__str__(value))  # For a member of a str Enum its value, not its name.
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise TypeError(f"{at}: JSON has no {value}")
        return _digits(value)
    if isinstance(value, float):
        raise no_float(at)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return "[" + ",".join([_json(item, f"{at}[{index}]", amounts) for index, item in enumerate(value)]) + "]"
    raise TypeError(f"{at}: JSON has no form for {type(value).__name__}")


def _member(name: object, value: object, at: str, amounts: Set[str]) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{at}: a field's name must be str, not {type(name).__name__}")
    if type(value) is str:  # The most frequent case.
        return f"{_quoted(name)}:{_quoted(value)}"
    at = name if at == "the value" else f"{at}.{name}"
    if type(value) is int and name in amounts:
        raise no_int(at, value)
    return f"{_quoted(name)}:{_json(value, at, amounts)}"


def decode(text: str) -> Any:
    """Parses JSON, with Decimal for fractions. A number that Python cannot hold is its text."""
    try:
        try:
            return _decode(text)[0]
        except ValueError:  # int() refuses numbers of thousands of digits; a blank is before the value.
            return json.loads(text, parse_float=_number, parse_int=_whole)
    except RecursionError:
        raise ValueError("the response is nested too deeply for Python; its text is in .text") from None


def _number(digits: str) -> Decimal | str:
    try:
        return Decimal(digits)
    except ArithmeticError:
        return digits


def _whole(digits: str) -> int | Decimal | str:
    return int(digits) if len(digits) < 1000 else _number(digits)


# Without its limit, int() takes very long for very many digits.
_limited = hasattr(sys, "get_int_max_str_digits")
_decode = json.JSONDecoder(parse_float=_number, parse_int=None if _limited else _whole).raw_decode
