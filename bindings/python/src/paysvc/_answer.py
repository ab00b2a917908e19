"""The views of answers, and how answers are parsed. The classes in _answers.py say which members there are.

Python's own parser does it, with two exceptions. An object becomes a tuple of its members: if a member is there twice,
the first counts, and most objects are never looked into. A number becomes bytes, its literal, so that no digit is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar

from . import _leaf

Self = TypeVar("Self", bound="Answer")
View = TypeVar("View", bound="Answer")
Value = TypeVar("Value")

#: Where an object is: the path of what it is in, and a name or index. Pointers are made of it for messages only.
Path = tuple[Any, ...]


class AnswerError(ValueError):
    """A member of an answer that is there but cannot be read, because an object is in place of an amount, for example.

    Only asking for that member raises it. It says nothing about the request: the outcome of the reply does. The message
    names the member and the JSON type that was found, never the value.
    """

    def __init__(self, pointer: str, expected: str, found: str, at: str) -> None:
        super().__init__(pointer, expected, found, at)
        #: JSON pointer of the member.
        self.pointer = pointer
        #: What it should be, such as "an amount".
        self.expected = expected
        #: What was found, such as "an object".
        self.found = found
        #: JSON pointer of where that was found: the member, or an object that it is in.
        self.at = at

    def __str__(self) -> str:
        at = "it" if self.at == self.pointer else self.at or "the answer"
        return f"{self.pointer or 'the answer'} cannot be read as {self.expected}: {at} is {self.found}"


class _Wrong:
    """Takes the place of an object and everything within it: what was found instead, and where."""

    __slots__ = ("found", "path")

    def __init__(self, found: str, path: Path) -> None:
        self.found = found
        self.path = path


class Answer:
    """An object of an answer, with a property for each member that is known; `raw` has all members.

    A member that is absent or null is None. One that cannot be read raises an AnswerError, when it is asked for and not
    before. An object is always there to look into; its truth value says whether the answer has it.

    Amounts and other decimal numbers are Decimal. Times are aware datetimes, in UTC where the answer names no zone.
    """

    __slots__ = ("_found", "_path", "_views")

    #: Each member by the interface's name: its property, and what it holds.
    __members__: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, found: Any, path: Path = ()) -> None:
        # A tuple of the members, or the dict that the first look makes of it; None: the answer has no such object.
        self._found = found
        self._path = path
        # What was looked into before. Threads may make the same view twice.
        self._views: dict[str, Any] | None = None

    @classmethod
    def _of(cls: type[Self], text: str) -> Self:
        """Never raises: a fault in the text is reported when a member is asked for."""
        try:
            found = _parse(text)
        except RecursionError:
            return cls(_Wrong("nested too deeply for Python", ()))
        except ValueError:
            return cls(_Wrong("not JSON", ()))
        return cls(found if type(found) is tuple else _Wrong(_JSON_TYPES[type(found)], ()))

    @property
    def raw(self) -> dict[str, Any] | None:
        """A copy of the whole object, as `reply.body` has it; None if the answer does not have it.

        If a member is there twice, it has the first.
        """
        found = self._found
        if found is None:
            return None
        if type(found) is not _Wrong:
            try:
                made: dict[str, Any] = _leaf.anything(tuple(found.items()) if type(found) is dict else found)
                return made
            except _leaf.Unreadable as unreadable:
                found = _Wrong(unreadable.found, self._path)
        raise AnswerError(_pointer(self._path), "an object", found.found, _pointer(found.path))

    def __bool__(self) -> bool:
        return type(self._found) in (tuple, dict)

    def __repr__(self) -> str:
        state = "present" if self else "absent" if self._found is None else "unreadable"
        return f"<{type(self).__name__} {_pointer(self._path) or '/'}: {state}>"

    def _get(self, name: str) -> Any:
        found = self._found
        if type(found) is tuple:
            found = self._found = _leaf.members(found)
        return found.get(name) if type(found) is dict else found

    def _read(self, kind: Callable[[Any], Value | None], name: str) -> Value | None:
        """A member that holds a value."""
        found = self._found
        value = found.get(name) if type(found) is dict else self._get(name)
        if value is None:
            return None
        try:
            return kind(value)
        except _leaf.Unreadable as unreadable:
            why = unreadable.found
        raise self._error(name, _leaf.EXPECTED[kind], value, why)

    def _object(self, of: type[View], name: str) -> View:
        if self._views is not None and name in self._views:
            kept: View = self._views[name]
            return kept
        found, path = self._get(name), (self._path, name)
        if found is not None and type(found) is not tuple and type(found) is not _Wrong:
            found = _Wrong(_JSON_TYPES[type(found)], path)
        return self._keep(name, of(found, path))

    def _list(self, of: type[View], name: str) -> tuple[View, ...] | None:
        if self._views is not None and name in self._views:
            kept: tuple[View, ...] = self._views[name]
            return kept
        value = self._get(name)
        if value is None:
            return None
        if type(value) is not list:
            raise self._error(name, "an array", value)
        path = (self._path, name)
        # Where an object must stand, null is something else.
        return self._keep(name, tuple([
            of(found if type(found) is tuple else _Wrong(_JSON_TYPES[type(found)], (path, index)), (path, index))
            for index, found in enumerate(value)
        ]))

    def _keep(self, name: str, made: Value) -> Value:
        if self._views is None:
            self._views = {}
        self._views[name] = made
        return made

    def _error(self, name: str, expected: str, value: Any, why: str = "") -> AnswerError:
        pointer = _pointer((self._path, name))
        if type(value) is _Wrong:
            return AnswerError(pointer, expected, value.found, _pointer(value.path))
        return AnswerError(pointer, expected, why or _JSON_TYPES[type(value)], pointer)


_JSON_TYPES = {
    type(None): "null",
    bool: "a boolean",
    bytes: "a number",
    str: "a string",
    list: "an array",
    tuple: "an object",
}


def _pointer(path: Path) -> str:
    """As a JSON pointer."""
    return f"{_pointer(path[0])}/{str(path[1]).replace('~', '~0').replace('/', '~1')}" if path else ""


def _no_number(_: str) -> NoReturn:
    raise ValueError


_parse = json.JSONDecoder(
    parse_int=str.encode, parse_float=str.encode, parse_constant=_no_number, object_pairs_hook=tuple
).decode
