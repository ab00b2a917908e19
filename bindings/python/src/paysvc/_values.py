"""From Python's values to JSON and back. Amounts are text or Decimal; a float is refused, because 0.1 is none."""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

#: A text as JSON, by one encoder; json.dumps would make one for each.
_quoted = json.JSONEncoder(ensure_ascii=False).encode


class Omitted(enum.Enum):
    """The type of OMIT."""

    OMIT = "OMIT"

    def __repr__(self) -> str:
        return "OMIT"


#: The default of what may be left out. Not None: a refund whose amount happens to be None must not become a full one.
OMIT = Omitted.OMIT


class Members(Mapping[str, object]):
    """Members of a request, under the interface's names. Its repr hides the values: card data and one-time codes."""

    __slots__ = ("_members",)

    def __init__(self, members: Mapping[str, object], more: Mapping[str, object] | None = None) -> None:
        self._members = {name: value for name, value in members.items() if value is not OMIT}
        for name, value in more.items() if more else ():
            if name in members:
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


def either(name: str, value: object, other: str, same: object) -> object:
    """A member that two keyword arguments name, as one of them gives it."""
    if same is OMIT:
        return value
    if value is not OMIT:
        raise TypeError(f"{name} and {other} are the same member; give one of them")
    return same


def milliseconds(seconds: object, name: str = "timeout") -> int:
    """Seconds as the library wants them, rounded up."""
    kind = type(seconds)
    if not (kind is float or kind is int) and (
        isinstance(seconds, (str, bytes, bool)) or not hasattr(seconds, "__float__")
    ):
        hint = f"; without quotes: {name}={seconds}" if isinstance(seconds, str) and seconds.isdigit() else ""
        raise TypeError(f"{name} must be a number of seconds, such as 5 or 0.5, not {kind.__name__}{hint}")
    number = float(seconds)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    if not 0 < number < math.inf:  # Nor NaN. The library would take 0 for its default.
        raise ValueError(f"{name} must be a finite number of seconds above 0, not {seconds}; None: the default")
    return int(min(max(1, math.ceil(number * 1000)), 2**31 - 1))


def in_milliseconds(name: str, seconds: object, value: object) -> object:
    """A time of the configuration: its member is in milliseconds, the keyword without _ms in seconds."""
    if seconds is OMIT:
        return value
    if value is not OMIT:
        raise TypeError(f"{name} (seconds) and {name}_ms (milliseconds) are the same member; give one of them")
    return milliseconds(seconds, name)


def amount_text(member: str, value: object) -> object:
    """An amount as the text that the interface wants. What is no amount is left to the library, which says so."""
    if isinstance(value, float):
        raise no_float(member)
    return _digits(value) if isinstance(value, Decimal) else value


def no_float(member: str) -> TypeError:
    return TypeError(f"{member}: a float is not exact; use text or decimal.Decimal")


def _digits(value: Decimal) -> str:
    # Without an exponent, as everybody writes amounts; but not a million digits of zero.
    return format(value, "f") if value.is_finite() and abs(value.adjusted()) < 100 else str(value)


def encode(value: object) -> bytes:
    """Compact JSON."""
    # Half a character becomes an escape, so that the library can refuse it.
    return _json(value, "the value").encode("utf-8", "backslashreplace")


def _json(value: object, at: str) -> str:
    """`at` is the member's path, for a refusal."""
    if isinstance(value, Members):
        value = value._members  # Whose items() need no look-up each.
    if isinstance(value, (dict, Mapping)):
        return "{" + ",".join([_member(name, item, at) for name, item in value.items() if item is not OMIT]) + "}"
    if isinstance(value, str):
        return _quoted(str.__str__(value))  # A text of an Enum is its value, not its name.
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise TypeError(f"{at}: {value} is no number in JSON")
        return _digits(value)
    if isinstance(value, float):
        raise no_float(at)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([_json(item, f"{at}[{index}]") for index, item in enumerate(value)]) + "]"
    raise TypeError(f"{at}: {type(value).__name__} has no form in JSON")


def _member(name: object, value: object, at: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{at}: a member's name must be str, not {type(name).__name__}")
    if type(value) is str:  # Most are.
        return f"{_quoted(name)}:{_quoted(value)}"
    return f"{_quoted(name)}:{_json(value, name if at == 'the value' else f'{at}.{name}')}"


def as_json(value: Any) -> Any:
    """The same for Python's json module, which can write no exact fraction: fractions are text, such as "100.10"."""
    if isinstance(value, dict):
        return {name: as_json(item) for name, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return _digits(value) if isinstance(value, Decimal) else value


def decode(text: str) -> Any:
    """JSON with Decimal for fractions. Raises ValueError for what Python cannot hold."""
    try:
        return json.loads(text, parse_float=Decimal, parse_int=_whole)
    except RecursionError:
        raise ValueError("the answer is nested too deeply for Python; its text is in .text") from None
    except ArithmeticError:
        raise ValueError("the answer holds a number too large for Python; its text is in .text") from None


def _whole(digits: str) -> int | Decimal:
    # int() refuses thousands of digits.
    return int(digits) if len(digits) < 1000 else Decimal(digits)
