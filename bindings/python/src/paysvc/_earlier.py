"""A request, and what is known of it after its call, without card data, codes or keys: also if that was interrupted."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from ._errors import PaysvcError, error_of
from ._generated import ABOUT_EARLIER, LOOK_UPS, OPERATIONS, Outcome, State, Status
from ._library import Handle, Text, View, library
from ._numbers import member
from ._progress import Progress, log, reporting
from ._replies import REPLIES
from ._reply import Reply
from ._values import Members, Omitted, decode

Self = TypeVar("Self", bound="Request")

#: An attribute of an enumeration takes longer, and some versions of Python run signal handlers at it.
OK = Status.OK


class Request:
    """A request, and its reply as soon as there is one."""

    reply: Reply | None = None
    #: The error attached to the exception that interrupted the caller.
    _abandoned: PaysvcError | None = None
    _is_reported = False

    def __init__(
        self, name: str, members: Mapping[str, object], token: Any = None, progress: Progress | None = None
    ) -> None:
        self.name, self.members, self.progress = name, members, progress
        #: A paysvc.Call, until the call has ended.
        self.token: Any = token
        self._held: Any = Handle.empty(library.paysvc_reply_free)

    def call(self: Self, function: Any, *arguments: Any) -> Self:
        """Calls a function of the library."""
        make = partial(function, *arguments, ctypes.byref(self._held._as_parameter_))
        if self.token is None:
            make()
        else:
            reporting(self.progress, self.token, make)
        self.reply = self._made(self._held)  # Also of NULL, which is a failure of the library.
        self.read()
        return self

    def unsent(self, status: Status, why: str) -> None:
        """The call never began."""
        # This call sent nothing. The earlier request may still have been executed.
        outcome = Outcome.UNKNOWN if self.name in ABOUT_EARLIER else Outcome.NOT_SENT
        self.reply = self._class.local(status, f"{self.name}: {why}; nothing was sent", outcome)

    def end(self) -> Reply:
        """The reply; raises unless the service answered success."""
        assert self.reply is not None
        if self.reply.status != OK:
            raise self.failed()
        return self.reply

    def failed(self) -> PaysvcError:
        """The exception for the reply, with the request that it is about: for resolve(), the earlier one."""
        assert self.reply is not None
        text, found = self.reply._summary(), None
        with suppress(ValueError):  # Python may not be able to read the response in it.
            found = None if text is None else decode(text)["look_up"]
        found = found or kept(self.name, self.members)
        # The attempts of a resolve() are its status queries.
        attempts = getattr(self.members, "attempts", 0) if self.name == "resolve" else None
        error = error_of(self.reply, found["endpoint"], found["request"], attempts)
        error.charged = found.get("charged") is not False
        return error

    def interrupted(self, interrupt: BaseException) -> PaysvcError | None:
        """Attaches the result of the call to the exception that interrupted its caller, and logs it.

        None if nothing was sent: then there is nothing to tell.
        """
        try:
            own = isinstance(interrupt, PaysvcError) and interrupt.reply is self.reply  # Made by failed().
            return None if own else self._abandon(interrupt)
        except BaseException as another:  # From a signal or a handler of the log.
            self._abandon(another)
            raise

    def _abandon(self, interrupt: BaseException) -> PaysvcError | None:
        reply = self.read()
        # A list of payouts has a report.
        if reply is None or (reply.outcome == Outcome.NOT_SENT and self.name not in OPERATIONS):
            return None
        error = self._abandoned = self._abandoned or self.failed()
        attach(interrupt, error)
        if not self._is_reported:
            from ._log import report

            about = [error.request, error.request.get("order") or {}]
            known = [of[it] for of in about for it in of if of[it] and it.lower().endswith("reference")]
            reference = "".join(f", reference {text}" for text in known[:1])
            outcome = reply.outcome.name
            text = f"{reply.call_id} {self.name} was abandoned, outcome {outcome}{reference}: {reply.message}".lstrip()
            try:
                report(text, {"call_id": reply.call_id, "endpoint": self.name, "outcome": outcome})
            except BaseException as another:
                attach(another, error)
                raise
            self._is_reported = True
        return error

    @property
    def _class(self) -> type[Reply]:
        """The class of the reply: for resolve(), that of the endpoint that is asked."""
        asked = LOOK_UPS.get(str(self.members.get("endpoint")), "") if self.name == "resolve" else self.name
        return REPLIES.get(asked, Reply)

    def read(self) -> Reply | None:
        """Reads the reply and writes the call's log lines, as far as that is not done."""
        if self.reply is None and self._held._as_parameter_:
            self.reply = self._made(self._held)
        if self.reply is not None:
            self._held = None
            if self.token is not None:
                log(self.token._take_log())
                self.token = None
        return self.reply

    def _made(self, result: Handle) -> Reply:
        view = View()
        library.paysvc_reply_read(result, view, ctypes.sizeof(view))
        wait, why_not = view.retry_after_ms, view.why_not.decode()
        reply = object.__new__(self._class)  # The constructor takes longer.
        known = vars(reply)
        known.update(
            status=member(Status, view.status),
            outcome=member(Outcome, view.outcome),
            state=member(State, view.state),
            code=view.code.decode(),
            message=view.message.decode(),
            http_status=view.http_status,
            attempts=view.attempts,
            retry_after=None if wait < 0 else wait / 1000,
            text=view.body.decode(),
            call_id=view.call_id.decode(),
            request_id=view.request_id.decode(),
            replayed=view.replayed != 0,
            is_active=view.is_active != 0,
            # The library makes it when it is first asked for, and keeps it with its reply.
            _json=partial(library.paysvc_reply_answer, result),
            _why_not=why_not,
        )
        if not why_not:  # Only the library can say whether an order is paid, and as it was ordered.
            known["_compare"] = partial(_why_not_paid, result)
        if self.name == "journal_next":  # From the library, because Python cannot parse every response.
            known["_key"] = (library.paysvc_reply_get(result, b"/key") or b"").decode()
        return reply


def _why_not_paid(result: Handle, reference: bytes, amount: bytes, currency: bytes) -> str:
    """Why the library's reply is not paid so; "" if it is."""
    why = ctypes.c_char_p()
    paid = library.paysvc_reply_is_paid(result, reference, amount, currency, ctypes.byref(why))
    return "" if paid else (why.value or b"?").decode()


def asked(endpoint: str, request: object) -> Request:
    """Asks the library what finds out about a request. Raises a TypeError if that is no JSON."""
    of = Request("look_up", Members({"endpoint": endpoint, "request": request}))
    return of.call(library.paysvc_invoke, None, b"look_up", Text(of.members), None)


def kept(name: str, members: object) -> dict[str, Any]:
    """The library's look-up for a request that it was not given; for resolve(), for the earlier request."""
    with suppress(TypeError):  # It is not sent either.
        if found := asked(name, members).reply:
            known: dict[str, Any] = found.body
            return known
    return {"endpoint": members["endpoint"] if isinstance(members, Resolve) else name, "request": {}}


class Resolve(Members):
    """The fields of resolve()."""

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
