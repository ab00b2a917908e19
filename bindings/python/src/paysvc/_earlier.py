"""What is kept of a request, so that it can be resolved without card data, codes or keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from ._errors import PaysvcError, error_of
from ._generated import HARMLESS, LOOK_UPS
from ._replies import REPLIES
from ._reply import Reply
from ._values import Members, Omitted, amount_text


def kept(endpoint: str, members: Mapping[str, object], *, added: bool = False) -> dict[str, Any]:
    """The members by which the request is looked up; with `added`, also those that only the caller knows."""
    found: dict[str, Any] = {}
    for of, path in LOOK_UPS.get(endpoint, ("", ()))[1]:
        value = _at(members, path)
        if of == "presence":
            value = {} if isinstance(value, Mapping) else None
        elif of == "added" and not added:
            value = None
        else:
            value = _plain(value)
        if value is not None:
            _put(found, path, value)
    return found


def _at(members: object, path: tuple[str, ...]) -> object:
    for step in path:
        members = members.get(step) if isinstance(members, Mapping) else None
    return members


def _plain(value: object) -> str | int | Decimal | None:
    """Text or a number, but not of a class of the program's own."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value if isinstance(value, Decimal) else None


def _put(found: dict[str, Any], path: tuple[str, ...], value: object) -> None:
    for step in path[:-1]:
        found = found.setdefault(step, {})
    found[path[-1]] = value


def may_charge(endpoint: str, members: Mapping[str, object]) -> bool:
    """Whether the request may make a charge. A member that the endpoint does not list may be another way to pay."""
    given = list(_paths(members)) if isinstance(members, Mapping) else []
    return not given or not HARMLESS.get(endpoint, frozenset()).issuperset(given)


def _paths(members: Mapping[str, object], within: str = "") -> Iterator[str]:
    """The members, and those of objects as "order.amount"; of an empty object its own name."""
    for name, value in members.items():
        if isinstance(value, Mapping) and value:
            yield from _paths(value, f"{within}{name}.")
        elif not isinstance(value, Omitted):
            yield f"{within}{name}"


class Resolve(Members):
    """The request of resolve(): the earlier request that it is about, without card data."""

    __slots__ = ("attempts", "charged", "endpoint", "request")

    def __init__(
        self,
        about: PaysvcError | str,
        request: Mapping[str, object] | Omitted,
        attempts: int | Omitted,
        expect: Mapping[str, object] | Omitted,
        wait: bool | Omitted,
        charged: bool | Omitted,
    ) -> None:
        known: Mapping[str, object] = {}
        if isinstance(about, PaysvcError):
            self.endpoint, self.attempts, known = about.endpoint, about.attempts, about.request
        elif isinstance(about, str):
            self.endpoint, self.attempts = about, attempts if isinstance(attempts, int) else 0
        else:
            raise TypeError(f"resolve() takes a PaysvcError or the name of an endpoint, not {type(about).__name__}")
        # A program may give the whole request; members that are not part of the look-up go no further.
        given = {} if isinstance(request, Omitted) else request
        self.request = kept(self.endpoint, {**known, **given}, added=True)
        if isinstance(expect, Mapping) and "amount" in expect:
            expect = Members({**expect, "amount": amount_text("amount", expect["amount"])})
        if isinstance(charged, Omitted) and isinstance(about, PaysvcError) and not about.charged:
            charged = False
        self.charged = charged is not False
        members = {"endpoint": self.endpoint, "request": self.request, "attempts": attempts}
        super().__init__({**members, "expect": expect, "wait": wait, "charged": charged})


def error_for(name: str, members: Mapping[str, object], reply: Reply) -> PaysvcError:
    """The exception for a reply, which knows the request that it is about: for resolve(), the one that was resolved."""
    if isinstance(members, Resolve):
        error = error_of(reply, members.endpoint, members.request, members.attempts)
        error.charged = members.charged
        return error
    error = error_of(reply, name, kept(name, members))
    error.charged = may_charge(name, members)
    return error


def reply_class(name: str, members: Mapping[str, object]) -> type[Reply]:
    """The class of the reply: for resolve(), that of the endpoint that is asked."""
    if name == "resolve":
        name = LOOK_UPS.get(str(members.get("endpoint")), ("", ()))[0]
    return REPLIES.get(name, Reply)
