"""What is kept of a request, so that it can be resolved without card data, codes or keys."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from ._errors import PaysvcError, error_of
from ._generated import LOOK_UPS, Status
from ._library import Handle, Text, library
from ._replies import REPLIES
from ._reply import Reply
from ._values import Members, Omitted, amount_text, decode

#: An endpoint, the members by which the request is looked up, and whether it may make a charge.
LookUp = tuple[str, dict[str, Any], bool]


def kept(endpoint: str, members: object) -> LookUp:
    """What the library says of a request that it was not given. Of resolve(), it is about the earlier request."""
    held = Handle.empty(library.paysvc_reply_free)
    try:
        asked = Text(Members({"endpoint": endpoint, "request": members}))
    except TypeError:  # It is no JSON, so it is not sent either.
        return endpoint, {}, True
    if library.paysvc_invoke(None, b"look_up", asked, None, ctypes.byref(held._as_parameter_)) != Status.OK.number:
        return endpoint, {}, True
    return _look_up(decode(library.paysvc_reply_body(held).decode()))


def _look_up(found: Mapping[str, Any]) -> LookUp:
    return found["endpoint"], found["request"], found.get("charged") is not False


def _told(reply: Reply) -> LookUp | None:
    """What the library's reply says of its own request; None: it does not say it."""
    text = reply._summary()
    try:
        found = None if text is None else decode(text)["look_up"]
    except ValueError:  # Python cannot read the answer in it.
        return None
    return None if found is None else _look_up(found)


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
        _, self.request, _ = kept("resolve", {"endpoint": self.endpoint, "request": {**known, **given}})
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
    name, looked_up, charged = _told(reply) or kept(name, members)
    error = error_of(reply, name, looked_up)
    error.charged = charged
    return error


def reply_class(name: str, members: Mapping[str, object]) -> type[Reply]:
    """The class of the reply: for resolve(), that of the endpoint that is asked."""
    if name == "resolve":
        name = LOOK_UPS.get(str(members.get("endpoint")), "")
    return REPLIES.get(name, Reply)
