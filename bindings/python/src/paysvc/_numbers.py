"""Enumerations for the numbers of the C interface. A number that this version does not know is kept as it is."""

from __future__ import annotations

import enum
from typing import TypeVar

Self = TypeVar("Self", bound="Number")


class Number(enum.IntEnum):
    @classmethod
    def _missing_(cls: type[Self], value: object) -> Self | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"NUMBER_{value}"
        member._value_ = value
        # setdefault, so that threads that add the same number at once get the same object.
        known = cls._value2member_map_.setdefault(value, member)
        return known if isinstance(known, cls) else None

    def __reduce_ex__(self, protocol: object) -> tuple[type[Number], tuple[int]]:
        # By number: some versions of Python pickle the name, which does not exist for an unknown number.
        return type(self), (int(self),)


def member(of: type[Self], number: int) -> Self:
    """of(number), but much faster."""
    known = of._value2member_map_.get(number)
    return known if isinstance(known, of) else of(number)
