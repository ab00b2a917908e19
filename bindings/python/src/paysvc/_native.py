"""Calls into the library: its handles, each freed once, and what both clients share."""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn

from ._earlier import Request, asked
from ._generated import EndpointName, Status
from ._library import Handle, Text, library
from ._progress import callback
from ._reply import Reply
from ._store import Callbacks, Store
from ._values import OMIT, Members, Omitted, hidden, milliseconds, utf8


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
        """Prepares the next call. The timeout is always set, so that an earlier call's does not apply."""
        self._keep_log(log_level())
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

    def _open(self, config: Mapping[str, object]) -> dict[str, Any]:
        """Opens the client, and returns the library's description of the configuration."""
        handle = Owned.empty(library.paysvc_client_free)
        # Names of files may be paths.
        config = Members({name: os.fspath(of) if isinstance(of, os.PathLike) else of for name, of in config.items()})
        made = Request("client_new", {})
        reply = made.call(library.paysvc_client_new, Text(config), ctypes.byref(handle._as_parameter_)).end()
        if self._store is not None:
            handle.store, made = Callbacks(self._store), Request("client_set_store", {})
            made.call(library.paysvc_client_set_store, handle, ctypes.byref(handle.store.struct), None).end()
        self._owned = handle
        described: dict[str, Any] = reply.body
        return described

    def _handle(self, request: Request) -> Owned:
        """The handle for a call, which lives as long as the caller has a reference to it."""
        if (owned := self._owned) is None:
            request.unsent(Status.CANCELLED, "this client is closed")
            raise request.failed()
        return owned

    def _invoke(self, owned: Owned, request: Request) -> None:
        """Calls a function of the library by its name."""
        if not isinstance(request.name, str) or "\0" in request.name:
            raise TypeError(f"the name of a function must be a str, such as 'order_refund', not {request.name!r}")
        token = request.token._owned
        function = library.paysvc_invoke if owned.store is None else owned.store.making(library.paysvc_invoke)
        if request.progress is not None:
            library.paysvc_call_set_progress(token, callback, None)
        request.call(function, owned, request.name.encode(), Text(request.members), token)

    def _check(self) -> Reply:
        """The reply of client_check, which sends nothing: it is cancelled before it begins."""
        request = Request("client_check", {}, Call())
        request.token.cancel()
        self._invoke(self._handle(request), request)
        assert request.reply is not None
        return request.reply

    def _reference_new(self, prefix: str) -> str:
        request = Request("journal_reference_new", {})
        if made := _reference(partial(library.paysvc_journal_reference_new, self._handle(request)), prefix):
            return made
        reference_new(prefix)  # Raises if the prefix is wrong.
        request.unsent(Status.CONFIG, "needs a journal: give the client a journal or a store")
        raise request.failed()

    def __repr__(self) -> str:
        return f"<paysvc.{type(self).__name__} {'closed' if self._owned is None else 'open'}>"

    def __del__(self, warn: Callable[..., None] = warnings.warn) -> None:
        if self._owned is not None:
            warn(f"{self!r} was never closed", ResourceWarning)


def look_up(endpoint: EndpointName, request: Mapping[str, object]) -> dict[str, Any]:
    """Returns what to store before a request is sent: client.call("resolve", stored) finds out what became of it.

    The request has the interface's own field names. The returned value has no card data and no codes;
    json.dumps(stored, default=str) writes it. Needs no client, and sends nothing.
    """
    found: dict[str, Any] = asked(endpoint, hidden(request)).end().body
    return found


def log_level() -> int:
    """The program may configure logging at any time, but not before it has imported it."""
    if "logging" not in sys.modules:
        return 0
    from ._log import level

    return level()


def reference_new(prefix: str = "") -> str:
    """A new reference that no other program and no other till makes: prefix, "-", and 26 letters and digits.

    References are ordered by time, and nobody can guess them. The prefix, of a till for example, has at most 32
    letters, digits, "-", "_" and "."; otherwise it raises a ValueError.
    """
    if made := _reference(library.paysvc_reference_new, prefix):
        return made
    raise ValueError(f'a prefix has at most 32 letters, digits, "-", "_" and "."; {prefix!r} is none')


def _reference(make: Callable[[bytes, Any, int], int], prefix: str) -> str:
    """The reference that the function of the library makes; "" if it refuses."""
    text = ctypes.create_string_buffer(128)
    return text.value.decode() if make(utf8("prefix", prefix), text, len(text)) > 0 else ""
