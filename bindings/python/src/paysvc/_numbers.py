"""Enumerations for the numbers of the C interface: members are text, their own names, so that a comparison with
"UNKNOWN" is true and a log shows it. A number that this version does not know is kept as it is.
"""

from __future__ import annotations

import enum
from typing import Any, TypeVar

Self = TypeVar("Self", bound="Number")

#: By enumeration and number.
_members: dict[tuple[type[Number], int], Any] = {}


class Number(str, enum.Enum):
    #: The number in the C interface.
    number: int

    def __new__(cls: type[Self], name: str, number: int = 0) -> Self:
        made = str.__new__(cls, name)
        made._value_, made.number = name, number
        _members[cls, number] = made
        return made

    def __reduce_ex__(self, protocol: object) -> tuple[object, tuple[type[Number], int]]:
        # By number: the name does not exist elsewhere for an unknown one.
        return member, (type(self), self.number)

    def __eq__(self, other: object) -> bool:
        # The service's own statusId is a number: `!=` must not be true of the same state.
        return self.number == other if isinstance(other, int) else str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__
    __str__ = str.__str__

    def __format__(self, wanted: str) -> str:
        return str.__format__(self, wanted)


def member(of: type[Self], number: int) -> Self:
    """The member with that number."""
    if (of, number) not in _members:
        name = f"NUMBER_{number}"
        made = str.__new__(of, name)
        made._name_, made._value_, made.number = name, name, number
        # setdefault, so that threads that add the same number at once get the same object.
        _members.setdefault((of, number), made)
    found: Self = _members[of, number]
    return found
