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
    import logging

    from ._log import say

    reference = _reference(error)
    about = f"outcome {reply.outcome.name}" + (f", reference {reference}" if reference else "")
    text = f"{reply.call_id} {name} was abandoned, {about}: {reply.message}".lstrip()
    say(logging.ERROR, text, {"call_id": reply.call_id, "endpoint": name, "outcome": reply.outcome.name})
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
    """Puts an error at the end of an exception's chain of causes."""
    last, seen = interrupt, {id(interrupt)}
    while last.__cause__ is not None and id(last.__cause__) not in seen:
        last = last.__cause__
        seen.add(id(last))
    last.__cause__ = error


def abandoned_call(exception: BaseException) -> PaysvcError | None:
    """The result of the call that a CancelledError, TimeoutError or KeyboardInterrupt ended; None: nothing was sent.

    Searches the exception's causes and contexts. On Python 3.9 and 3.10, None proves nothing where a signal handler
    raised the exception: it may have run while the method returned to its caller, and the reply is lost.
    """
    waiting: list[BaseException | None] = [exception]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        if isinstance(found, PaysvcError):
            return found
        seen.add(id(found))
        waiting += [found.__context__, found.__cause__]
    return None
