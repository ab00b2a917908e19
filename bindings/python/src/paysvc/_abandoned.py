"""Calls that ended after their caller had been cancelled or interrupted: their result must not be lost."""

from __future__ import annotations

from collections.abc import Mapping

from ._earlier import error_for
from ._errors import PaysvcError
from ._generated import OPERATIONS, Outcome
from ._reply import Reply


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

    reference = _reference(error)
    about = f"outcome {reply.outcome.name}" + (f", reference {reference}" if reference else "")
    text = f"{reply.call_id} {name} was abandoned, {about}: {reply.message}".lstrip()
    try:
        report(text, {"call_id": reply.call_id, "endpoint": name, "outcome": reply.outcome.name})
    except BaseException as another:  # Of a signal or a handler of the log.
        attach(another, error)
        raise
    return error


def _reference(error: PaysvcError) -> object:
    """What the program calls the request that the error is about; None: that is not known."""
    order = error.request.get("order", {})
    for found in (error.request, order if isinstance(order, Mapping) else {}):
        for name in ("reference", "Reference", "orderPaymentReference"):
            if found.get(name):
                return found[name]
    return None


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
