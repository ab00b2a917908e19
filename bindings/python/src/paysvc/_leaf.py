"""The values in an answer: the service writes numbers as text and text as numbers, and all of it is read.

They are as the parser of _answer.py leaves them: the number 100.10 is b"100.10", an object a tuple of names and values.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import Any

from ._generated import LONGEST_AMOUNT
from ._values import whole

#: ASCII white space.
_SPACE = " \t\n\r\v\f"

_INTEGER = re.compile(r"(-?)0*([0-9]{1,19})(?:\.0+)?")
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_TIME = re.compile(
    r"([0-9]{4})-[0-9]{2}-[0-9]{2}[T ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"(?:\.([0-9]{1,9}))?(?:[Zz]|([+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?"
)
#: What the service writes where there is no time.
_NO_TIME = re.compile(r"0001-01-01.00:00:00(?:\.0+)?(?![.0-9])")


class Unreadable(Exception):
    """The value is not of its kind. `found` says why, where its JSON type does not."""

    def __init__(self, found: str = "") -> None:
        super().__init__()
        self.found = found


def text(value: Any) -> str | None:
    if type(value) is str:
        return value
    if type(value) is bytes:
        return value.decode()
    raise Unreadable


def integer(value: Any) -> int | None:
    written = _number(value)
    if not written:
        return None
    found = _INTEGER.fullmatch(written)
    if found:
        number = int(found[1] + found[2])
        if -(2**63) <= number < 2**63:
            return number
    raise Unreadable


def amount(value: Any) -> Decimal | None:
    """With all its digits, whatever the decimal context is."""
    written = _number(value)
    if not written:
        return None
    if len(written) <= LONGEST_AMOUNT and _DECIMAL.fullmatch(written):
        return Decimal(written)
    raise Unreadable


def decimal(value: Any) -> Decimal | None:
    return amount(value)


def flag(value: Any) -> bool | None:
    if type(value) is bool:
        return value
    word = _word(value).lower()
    if word in ("true", "false", ""):
        return word == "true" if word else None
    raise Unreadable


def time(value: Any) -> datetime | None:
    """UTC where it names no zone. Digits after microseconds are cut off."""
    word = _word(value)
    if not word:
        return None
    found = _TIME.fullmatch(word)
    if found is None:
        raise Unreadable
    year, fraction, zone = found.groups()
    if "1900" <= year <= "9998":
        try:
            return datetime.fromisoformat(f"{word[:19]}.{(fraction or '').ljust(6, '0')[:6]}{zone or '+00:00'}")
        except ValueError:  # There is no such day.
            pass
    elif _NO_TIME.match(word):
        return None
    raise Unreadable


def anything(value: Any) -> Any:
    """The value as a reply has it."""
    try:
        return _plain(value)
    except RecursionError:
        raise Unreadable("nested too deeply for Python") from None
    except ArithmeticError:
        raise Unreadable("too large for Python") from None


def members(pairs: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    """If a member is there twice, the first."""
    made = dict(pairs)
    return made if len(made) == len(pairs) else dict(reversed(pairs))


def _plain(value: Any) -> Any:
    if type(value) is bytes:
        written = value.decode()
        return whole(written) if written.lstrip("-").isdigit() else Decimal(written)
    if type(value) is tuple:
        return {name: _plain(item) for name, item in members(value).items()}
    if type(value) is list:
        return [_plain(item) for item in value]
    if value is None or type(value) in (str, bool):
        return value
    raise Unreadable


def _number(value: Any) -> str:
    """As it is written; blank if it is blank."""
    return value.decode() if type(value) is bytes else _word(value)


def _word(value: Any) -> str:
    if type(value) is str:
        return value.strip(_SPACE)
    raise Unreadable


#: What each of them expects, for messages.
EXPECTED: dict[object, str] = {
    text: "text",
    integer: "an integer",
    amount: "an amount",
    decimal: "a decimal number",
    flag: "a boolean",
    time: "a time",
    anything: "a value",
}
