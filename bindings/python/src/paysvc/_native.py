"""Calls into the library: its handles, each freed once, and what both clients share."""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn

from ._earlier import abandon, error_for, reply_class
from ._generated import ABOUT_EARLIER, EndpointName, Outcome, State, Status
from ._library import Handle, Text, library
from ._numbers import member
from ._progress import Progress, callback, log, reporting
from ._reply import Reply
from ._store import Callbacks, Store, set_store
from ._values import OMIT, Members, Omitted, hidden, milliseconds, utf8

#: An attribute of an enumeration takes longer, and some versions of Python run signal handlers at it.
OK = Status.OK


class Owned(Handle):
    """A client."""

    #: Not freed before the client is.
    store: Callbacks | None = None


class Once:
    """Is not copied: a copy would be the same handle."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"paysvc.{type(self).__name__} cannot be copied or pickled: make a new one where it is needed")


class Call(Once):
    """A token with which any thread can cancel a call. `cancel()` is final: it also ends later calls with the token."""

    def __init__(self, *, traceparent: str | None = None) -> None:
        """
        Args:
            traceparent: sent with each request of the calls, so that a trace of the program continues there: the
                header of W3C Trace Context, such as "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

        Raises:
            ValueError: traceparent is malformed
        """
        self._owned = Handle.empty(library.paysvc_call_free)
        self._owned._as_parameter_.value = library.paysvc_call_new()
        if not self._owned._as_parameter_:
            raise MemoryError("libpaysvc could not allocate a call token")
        self._keeps_log = False
        #: Gets the lines of the log as well.
        self._watch: Callable[[list[bytes]], object] | None = None
        if traceparent is not None:
            self._trace(traceparent)

    def cancel(self) -> None:
        """Ends the call promptly; a response that has already arrived is still returned."""
        library.paysvc_call_cancel(self._owned)

    def _trace(self, traceparent: str) -> None:
        if library.paysvc_call_set_traceparent(self._owned, utf8("traceparent", traceparent)) != 0:
            raise ValueError(
                "traceparent must be four parts of lower-case hexadecimal digits, such as "
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            )

    def _prepare(self, timeout: float | None, key: str | Omitted) -> None:
        """For the next call. The timeout is always set, so that that of an earlier one does not apply."""
        library.paysvc_call_set_timeout_ms(self._owned, 0 if timeout is None else milliseconds(timeout))
        if key is not OMIT and library.paysvc_call_set_key(self._owned, utf8("idempotency_key", key)) != 0:
            raise ValueError(
                "idempotency_key must be 1 to 200 bytes that neither begin nor end with a blank, without control or "
                "invisible characters, and a paysvc.Call serves one request with a key"
            )

    def _keep_log(self, level: int) -> None:
        self._keeps_log = level > 0
        library.paysvc_call_keep_log(self._owned, level)

    def _take_log(self) -> list[bytes]:
        """The lines of the log that were kept since the last time."""
        if not self._keeps_log:
            return []
        # No lock: the interpreter's is kept from the line's beginning until it has been copied.
        lines = list(iter(partial(library.paysvc_call_next_log, self._owned), None))
        if self._watch is not None:
            self._watch(lines)
        return lines


class Native(Once):
    """A client of the library: what both clients are."""

    _store: Store | None
    #: None: it is closed, or its configuration was refused.
    _owned: Owned | None = None

    def _open(self, config: Mapping[str, object]) -> None:
        handle = Owned.empty(library.paysvc_client_free)
        # Names of files may be paths.
        config = Members({name: os.fspath(of) if isinstance(of, os.PathLike) else of for name, of in config.items()})
        done("client_new", library.paysvc_client_new, Text(config), ctypes.byref(handle._as_parameter_))
        if self._store is not None:
            handle.store, function = set_store(handle, self._store)
            done("client_set_store", function)
        self._owned = handle

    def _handle(self, name: str, members: Mapping[str, object]) -> Owned:
        """The handle for a call, which lives as long as the caller has a reference to it."""
        if (owned := self._owned) is None:
            raise error_for(name, members, unsent(name, members, Status.CANCELLED, "this client is closed"))
        return owned

    def _invoke(
        self,
        owned: Owned,
        name: str,
        members: Mapping[str, object],
        token: Call | None,
        progress: Progress | None = None,
    ) -> Reply:
        """Calls a function of the library by its name."""
        if not isinstance(name, str) or "\0" in name:
            raise TypeError(f"the name of a function must be a str, such as 'order_refund', not {name!r}")
        handle = None if token is None else token._owned
        function = library.paysvc_invoke if owned.store is None else owned.store.making(library.paysvc_invoke)
        if progress is not None:
            library.paysvc_call_set_progress(handle, callback, None)
        return collect(name, members, token, progress, function, owned, name.encode(), Text(members), handle)

    def _reference_new(self, prefix: str) -> str:
        make = partial(library.paysvc_journal_reference_new, self._handle("journal_reference_new", {}))
        if made := _reference(make, prefix):
            return made
        reference_new(prefix)  # Raises if the prefix is wrong.
        message = "reference_new of a client needs a journal: give the client a journal or a store"
        raise error_for("journal_reference_new", {}, Reply.local(Status.CONFIG, message))

    def __repr__(self) -> str:
        return f"<paysvc.{type(self).__name__} {'closed' if self._owned is None else 'open'}>"

    def __del__(self, warn: Callable[..., None] = warnings.warn) -> None:
        if self._owned is not None:
            warn(f"{self!r} was never closed", ResourceWarning)


def look_up(endpoint: EndpointName, request: Mapping[str, object]) -> dict[str, Any]:
    """What to store about a request before it is sent: client.call("resolve", stored) finds out what became of it.

    The request has the interface's own field names. What is returned has no card data and no codes;
    json.dumps(stored, default=str) writes it. Needs no client, and sends nothing.
    """
    asked = Text(Members({"endpoint": endpoint, "request": hidden(request)}))
    found: dict[str, Any] = done("look_up", library.paysvc_invoke, None, b"look_up", asked, None).body
    return found


def log_level() -> int:
    """The program may configure logging at any time, but not before it has imported it."""
    if "logging" not in sys.modules:
        return 0
    from ._log import level

    return level()


def unsent(name: str, members: Mapping[str, object], status: Status, why: str) -> Reply:
    """The reply of a call that never began."""
    # This call sent nothing. The earlier request may still have been executed.
    outcome = Outcome.UNKNOWN if name in ABOUT_EARLIER else Outcome.NOT_SENT
    return reply_class(name, members).local(status, f"{name}: {why}; nothing was sent", outcome)


def open_key(after: str, reply: Reply) -> str:
    """The key that journal_next has found. Raises if the journal could not be read: then it is the one before."""
    if reply.status != OK and reply._key in ("", after):
        raise error_for("journal_next", {}, reply)
    return reply._key


def succeeded(name: str, members: Mapping[str, object], reply: Reply) -> Reply:
    """The reply; raises unless the service answered success."""
    if reply.status != OK:
        raise error_for(name, members, reply)
    return reply


def done(name: str, function: Any, *arguments: Any) -> Reply:
    """The reply of a function that sends nothing; raises unless it has succeeded."""
    return succeeded(name, {}, collect(name, {}, None, None, function, *arguments))


def reference_new(prefix: str = "") -> str:
    """A new reference that no other program and no other till makes: prefix, "-", and 26 letters and digits.

    References are ordered by time, and nobody can guess them. The prefix, of a till for example, has at most 32
    letters, digits, "-", "_" and "."; otherwise it raises a ValueError.
    """
    if made := _reference(library.paysvc_reference_new, prefix):
        return made
    raise ValueError(f'a prefix has at most 32 letters, digits, "-", "_" and "."; {prefix!r} is none')


def _reference(make: Callable[[bytes, Any, int], int], prefix: str) -> str:
    """What the function of the library makes; "" if it refuses."""
    text = ctypes.create_string_buffer(128)
    return text.value.decode() if make(utf8("prefix", prefix), text, len(text)) > 0 else ""


def collect(
    name: str,
    members: Mapping[str, object],
    token: Call | None,
    progress: Progress | None,
    function: Any,
    *arguments: Any,
) -> Reply:
    """Calls the function, reads the reply and logs what the call had to say, also when an exception interrupts that."""
    held = Handle.empty(library.paysvc_reply_free)
    reply = None
    try:
        make = partial(function, *arguments, ctypes.byref(held._as_parameter_))
        if token is None:
            make()
        else:
            reporting(progress, token, make)
        reply = _read(name, members, held)
        if token is not None:
            log(token._take_log())
        return reply
    except BaseException as interrupt:
        # A signal handler raised, e.g. on Ctrl-C: the result of the call must not be lost.
        if reply is None and held._as_parameter_:
            reply = _read(name, members, held)
        if reply is not None:
            try:
                if token is not None:
                    log(token._take_log())
                abandon(name, members, reply, interrupt)
            except BaseException as another:  # It did again.
                abandon(name, members, reply, another)
                raise
            finally:
                del held  # An exception that the program keeps has this frame.
        raise


def _why_not_paid(result: Handle, reference: bytes, amount: bytes, currency: bytes) -> str:
    """Why the library's reply is not paid so; "" if it is."""
    why = ctypes.c_char_p()
    paid = library.paysvc_reply_is_paid(result, reference, amount, currency, ctypes.byref(why))
    return "" if paid else (why.value or b"?").decode()


def _read(name: str, members: Mapping[str, object], result: Handle) -> Reply:
    wait = library.paysvc_reply_retry_after_ms(result)
    why_not = _why_not_paid(result, b"*", b"*", b"*")
    reply = object.__new__(reply_class(name, members))  # The constructor takes longer.
    known = vars(reply)
    known.update(
        status=member(Status, library.paysvc_reply_status(result)),
        outcome=member(Outcome, library.paysvc_reply_outcome(result)),
        state=member(State, library.paysvc_reply_state(result)),
        code=library.paysvc_reply_code(result).decode(),
        message=library.paysvc_reply_message(result).decode(),
        http_status=library.paysvc_reply_http_status(result),
        attempts=library.paysvc_reply_attempts(result),
        retry_after=None if wait < 0 else wait / 1000,
        text=library.paysvc_reply_body(result).decode(),
        call_id=library.paysvc_reply_call_id(result).decode(),
        request_id=library.paysvc_reply_request_id(result).decode(),
        replayed=library.paysvc_reply_replayed(result) != 0,
        is_active=library.paysvc_reply_is_active(result) != 0,
        # The library makes it when it is first asked for, and keeps it with its reply.
        _json=partial(library.paysvc_reply_json, result),
        _why_not=why_not,
    )
    if not why_not:  # Only the library can say whether an order is paid, and as it was ordered.
        known["_compare"] = partial(_why_not_paid, result)
    if name == "journal_next":  # From the library, because Python cannot parse every response.
        known["_key"] = (library.paysvc_reply_get(result, b"/key") or b"").decode()
    return reply
