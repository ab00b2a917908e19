"""Answers as plain data, made of the library's JSON: paysvc_reply_answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from ._values import decode

Self = TypeVar("Self", bound="Answer")


@dataclass(frozen=True, repr=False)
class Answer:
    """An answer, or an object within one: a frozen dataclass. A field is None if the answer does not have it.

    Amounts and other decimal numbers are Decimal, times are datetimes in UTC. The repr names the fields that are there;
    their values may be personal data.
    """

    #: Fields that are not as in JSON, and what makes them of it.
    _reads: ClassVar[tuple[tuple[str, Callable[[Any], Any]], ...]] = ()

    @classmethod
    def _of(cls: type[Self], found: dict[str, Any]) -> Self:
        """Like the constructor, but faster. It keeps the dict."""
        for name, read in cls._reads:
            value = found[name]
            if value is not None:
                found[name] = read(value)
        made = _new(cls)
        _set_members(made, found)
        return made

    @classmethod
    def _all(cls: type[Self], found: list[Any]) -> tuple[Self, ...]:
        of = cls._of
        # An item that is no object has no fields.
        return tuple([cls() if item is None else of(item) for item in found])

    def __repr__(self) -> str:
        there = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        return f"<{type(self).__name__}: {', '.join(there)}>"


#: Past the protection against changes.
_new, _set_members = object.__new__, vars(Answer)["__dict__"].__set__


_Aliases = TypeVar("_Aliases", bound="AnswerWithAliases")


class AnswerWithAliases(Answer):
    """An answer with fields whose names Python cannot use."""

    _renamed: ClassVar[tuple[tuple[str, str], ...]] = ()

    @classmethod
    def _of(cls: type[_Aliases], found: dict[str, Any]) -> _Aliases:
        made = super()._of(found)
        for name, own in cls._renamed:
            found[own] = found.pop(name)
        return made


def _time(text: str) -> datetime:
    return datetime.fromisoformat(f"{text[:-1]}+00:00")


#: Python before 3.11 does not read "Z".
time = datetime.fromisoformat if sys.version_info >= (3, 11) else _time


def told(classes: dict[str, type[Answer]], text: str | None) -> dict[str, Any]:
    """The library's JSON of a reply, with the typed `answer`; `objects` has it and what stands in front of it, by
    function. Raises ValueError if Python cannot represent it.
    """
    known: dict[str, Any] = {"answer": None, "unreadable": (), "webhook": None} if text is None else decode(text)
    objects = known["objects"] = {}
    if known["webhook"] is not None:
        objects["webhook_verify"] = classes["webhook_verify"]._of(known["webhook"])
    if known["answer"] is not None:
        name = known["answer_of"]
        # A newer library may have more functions.
        known["answer"] = objects[name] = classes[name]._of(known["answer"]) if name in classes else None
    return known
