"""Calls into the library: its handles, each freed once, and what both clients share."""

from __future__ import annotations

import ctypes
import sys
from _thread import get_ident
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ._abandoned import abandon
from ._earlier import error_for, reply_class
from ._generated import KEYWORDS, OPERATIONS, Outcome, State, Status
from ._library import interrupts, library
from ._numbers import member
from ._progress import Progress, callback, listening
from ._reply import Reply
from ._values import encode, milliseconds


class Owned:
    """A handle, freed with the last reference to it.

    A running call has a reference, so that closing a client or dropping a token frees no handle that is in use: on any
    thread, in a child after fork, in a signal handler. Python's reference count does it; no lock is needed.
    """

    __slots__ = ("_free", "pointer")

    def __init__(self, pointer: int, free: Callable[[int], None]) -> None:
        self.pointer = pointer
        self._free = free

    def __del__(self) -> None:
        self._free(self.pointer)


class Result(ctypes.c_void_p):
    """The library's reply, freed with the last reference to it: of the call, or of the program's reply that is paid."""

    def __init__(self) -> None:
        super().__init__()
        self._free = library.paysvc_reply_free

    def __del__(self) -> None:
        if self.value:
            self._free(self)


class Call:
    """A token with which any thread can cancel a call. `cancel()` is final: it also ends later calls with the token."""

    def __init__(self) -> None:
        pointer = library.paysvc_call_new()
        if not pointer:
            raise MemoryError("libpaysvc could not allocate a call token")
        self._owned = Owned(pointer, library.paysvc_call_free)

    def cancel(self) -> None:
        """Ends the call promptly; an answer that has already arrived is still returned."""
        library.paysvc_call_cancel(self._owned.pointer)

    def _set_timeout(self, seconds: float | None) -> None:
        # Always set, so that the timeout of an earlier call with this token does not apply.
        library.paysvc_call_set_timeout_ms(self._owned.pointer, 0 if seconds is None else milliseconds(seconds))


class Native:
    """A client of the library."""

    def __init__(self, config: Mapping[str, object]) -> None:
        self._owned: Owned | None = None
        handle = ctypes.c_void_p()
        self._level = 0
        try:
            reply = collect("client_new", {}, library.paysvc_client_new, encode(config), ctypes.byref(handle))
        finally:
            if handle.value:
                self._owned = Owned(handle.value, library.paysvc_client_free)
        succeeded("client_new", {}, reply)

    @property
    def closed(self) -> bool:
        return self._owned is None

    def close(self) -> None:
        """Calls in progress on other threads end normally."""
        self._owned = None

    def handle(self) -> Owned:
        """The handle, which lives as long as the caller has a reference to it."""
        owned = self._owned
        if owned is None:
            raise RuntimeError("this client is closed")
        return owned

    def call(
        self,
        owned: Owned,
        name: str,
        members: Mapping[str, object],
        token: Call | None,
        progress: Progress | None = None,
    ) -> Reply:
        """Calls a function of the library by its name."""
        self._follow_logging(owned)
        if name == "client_check":
            token_pointer = token._owned.pointer if token else None
            return collect(name, {}, library.paysvc_client_check, owned.pointer, token_pointer)
        if name == "encrypt":
            return collect(name, {}, library.paysvc_encrypt, owned.pointer, encode(members))
        if name == "client_warm":
            pointer = token._owned.pointer if token else None
            return collect(name, {}, library.paysvc_client_warm, owned.pointer, pointer)
        if name != "request" and name not in KEYWORDS and name not in OPERATIONS:
            raise ValueError(f"no endpoint {name}; known are {', '.join((*KEYWORDS, *OPERATIONS))}")
        function = getattr(library, f"paysvc_{name}")
        # The request's text is in no variable: tools that show variables would show card data.
        if progress is None:
            pointer = token._owned.pointer if token else None
            return collect(name, members, function, owned.pointer, encode(members), pointer)
        token = token or Call()
        library.paysvc_call_set_progress(token._owned.pointer, callback, None)
        with listening(progress):
            return collect(name, members, function, owned.pointer, encode(members), token._owned.pointer)

    def _follow_logging(self, owned: Owned) -> None:
        # The program may configure logging at any time; the library is told before the next call.
        if "logging" not in sys.modules:
            return
        from . import _log

        wanted = _log.level()
        if wanted != self._level:
            library.paysvc_client_set_log(owned.pointer, max(wanted, 1), _log.callback, None)
            self._level = wanted


def succeeded(name: str, members: Mapping[str, object], reply: Reply) -> Reply:
    """The reply; raises unless the service answered success."""
    if reply.status != Status.OK:
        raise error_for(name, members, reply)
    return reply


def reference_new(prefix: str = "") -> str:
    """A new reference that no other program and no other till makes: prefix, "-", and 26 letters and digits.

    References are ordered by time, and nobody can guess them. The prefix, of a till for example, has at most 32
    letters, digits, "-", "_" and ".".
    """
    text = ctypes.create_string_buffer(128)
    if "\0" in prefix or library.paysvc_reference_new(prefix.encode(), text, len(text)) <= 0:
        raise ValueError(f"no reference can be made with the prefix {prefix!r}")
    return text.value.decode()


def collect(name: str, members: Mapping[str, object], function: Any, *arguments: Any) -> Reply:
    """Calls the function and reads the reply, also when an exception interrupts that."""
    result = Result()
    try:
        function(*arguments, ctypes.byref(result))
        if interrupts:
            _raise_interrupt()
        reply = _read(name, members, result.value)
        if result.value:
            _keep(reply, result)
        return reply
    except BaseException as interrupt:
        # A signal handler raised, e.g. on Ctrl-C: the result of the call must not be lost.
        if result.value:
            abandon(name, members, _read(name, members, result.value), interrupt)
        raise


def _raise_interrupt() -> None:
    """Raises the exception that interrupted a callback on this thread."""
    interrupt = interrupts.pop(get_ident(), None)
    if interrupt is not None:
        raise interrupt


def _keep(reply: Reply, result: Result) -> None:
    """Only the library's own reply can say whether an order is paid; of most it is known already that it is not."""
    reply._why_not = _why_not_paid(result, "*", "*", "*")
    if not reply._why_not:
        reply._compare = partial(_why_not_paid, result)


def _why_not_paid(result: Result, reference: str, amount: str, currency: str) -> str:
    """Why the library's reply is not paid so; "" if it is."""
    texts = [text.encode("utf-8", "surrogatepass") for text in (reference, amount, currency)]
    if any(b"\0" in text for text in texts):
        return "a text to compare with holds U+0000"
    why = ctypes.c_char_p()
    paid = library.paysvc_reply_is_paid(result, *texts, ctypes.byref(why))
    return "" if paid else (why.value or b"?").decode()


def _read(name: str, members: Mapping[str, object], reply: int | None) -> Reply:
    wait = library.paysvc_reply_retry_after_ms(reply)
    return reply_class(name, members)(
        status=member(Status, library.paysvc_reply_status(reply)),
        outcome=member(Outcome, library.paysvc_reply_outcome(reply)),
        state=member(State, library.paysvc_reply_state(reply)),
        code=library.paysvc_reply_code(reply).decode(),
        message=library.paysvc_reply_message(reply).decode(),
        http_status=library.paysvc_reply_http_status(reply),
        attempts=library.paysvc_reply_attempts(reply),
        retry_after=None if wait < 0 else wait / 1000,
        text=library.paysvc_reply_body(reply).decode(),
        call_id=library.paysvc_reply_call_id(reply).decode(),
    )
