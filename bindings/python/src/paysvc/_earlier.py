"""What is known of a request after its call, without card data, codes or keys: also if its caller was interrupted."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ._errors import PaysvcError, error_of
from ._generated import LOOK_UPS, OPERATIONS, Outcome, Status
from ._library import Handle, Text, library
from ._replies import REPLIES
from ._reply import Reply
from ._values import Members, Omitted, decode


def kept(name: str, members: object) -> dict[str, Any]:
    """What the library says of a request that it was not given. Of resolve(), it is about the earlier request."""
    held = Handle.empty(library.paysvc_reply_free)
    try:
        asked = Text(Members({"endpoint": name, "request": members}))
    except TypeError:  # It is no JSON, so it is not sent either.
        pass
    else:
        if library.paysvc_invoke(None, b"look_up", asked, None, ctypes.byref(held._as_parameter_)) == Status.OK.number:
            found: dict[str, Any] = decode(library.paysvc_reply_body(held).decode())
            return found
    return {"endpoint": members["endpoint"] if isinstance(members, Resolve) else name, "request": {}}


class Resolve(Members):
    """The request of resolve()."""

    __slots__ = ("attempts",)

    def __init__(
        self,
        about: PaysvcError | str,
        request: Mapping[str, object] | Omitted,
        attempts: int | Omitted,
        expect: Mapping[str, object] | Omitted,
        wait: bool | Omitted,
        charged: bool | Omitted,
    ) -> None:
        members = {} if isinstance(request, Omitted) else request
        self.attempts = attempts if isinstance(attempts, int) else 0
        if isinstance(about, PaysvcError):
            members, self.attempts = {**about.request, **members}, about.attempts
            if isinstance(charged, Omitted) and not about.charged:
                charged = False
            about = about.endpoint
        elif not isinstance(about, str):
            raise TypeError(f"resolve() takes a PaysvcError or the name of an endpoint, not {type(about).__name__}")
        of = {"endpoint": about, "request": members, "attempts": attempts}
        super().__init__({**of, "expect": expect, "wait": wait, "charged": charged})


def error_for(name: str, members: Mapping[str, object], reply: Reply) -> PaysvcError:
    """The exception for a reply, which knows the request that it is about: for resolve(), the one that was resolved."""
    text, found = reply._summary(), None
    with suppress(ValueError):  # Python may not be able to read the response in it.
        found = None if text is None else decode(text)["look_up"]
    found = found or kept(name, members)
    # The attempts of a resolve() are its status queries.
    attempts = getattr(members, "attempts", 0) if name == "resolve" else None
    error = error_of(reply, found["endpoint"], found["request"], attempts)
    error.charged = found.get("charged") is not False
    return error


def reply_class(name: str, members: Mapping[str, object]) -> type[Reply]:
    """The class of the reply: for resolve(), that of the endpoint that is asked."""
    if name == "resolve":
        name = LOOK_UPS.get(str(members.get("endpoint")), "")
    return REPLIES.get(name, Reply)


def abandon(
    name: str, members: Mapping[str, object], reply: Reply, interrupt: BaseException
) -> PaysvcError | None:
    """Attaches the result of an abandoned call to the exception that interrupted its caller, and logs it.

    None if nothing was sent: then there is nothing to tell.
    """
    if reply.outcome == Outcome.NOT_SENT and name not in OPERATIONS:  # A list of payouts has a report.
        return None
    error = error_for(name, members, reply)
    attach(interrupt, error)
    from ._log import report

    about = [error.request, error.request.get("order")]
    known = [of.get(it) for of in about if of for it in ("reference", "Reference", "orderPaymentReference")]
    reference = "".join(f", reference {text}" for text in [*filter(None, known)][:1])
    text = f"{reply.call_id} {name} was abandoned, outcome {reply.outcome.name}{reference}: {reply.message}".lstrip()
    try:
        report(text, {"call_id": reply.call_id, "endpoint": name, "outcome": reply.outcome.name})
    except BaseException as another:  # Of a signal or a handler of the log.
        attach(another, error)
        raise
    return error


def attach(interrupt: BaseException, error: PaysvcError) -> None:
    """Makes an error the first cause of an exception, which may be raised for several calls."""
    if interrupt.__cause__ is not error:
        error.__cause__, interrupt.__cause__ = interrupt.__cause__, error
    error._abandoned = True


def abandoned_call(exception: BaseException) -> PaysvcError | None:
    """The result of the call that a CancelledError, TimeoutError or KeyboardInterrupt ended; None: it is not known.

    None proves nothing: treat the request as UNKNOWN. The call may still be under way, as after asyncio.wait(),
    asyncio.shield() and the timeout of a concurrent.futures.Future, or its result is elsewhere: on_abandoned of an
    AsyncClient has that of every call. If several calls were cancelled at once, as by asyncio.gather(), this is one of
    them: compare its request.
    """
    found: BaseException | None = exception
    seen: set[int] = set()
    while found is not None and id(found) not in seen:
        if isinstance(found, PaysvcError) and found._abandoned:
            return found
        seen.add(id(found))
        # Another context is what the program was handling when the call began: it is about another call.
        context = found.__context__ if type(found.__context__).__name__ == "CancelledError" else None
        found = context if found.__cause__ is None else found.__cause__
    return None
