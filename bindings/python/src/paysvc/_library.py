"""Finds and loads the shared library, and declares its functions; its handles, each freed once."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_void_p
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar

from ._generated import ABI, AMOUNTS
from ._values import encode

Self = TypeVar("Self", bound="Handle")

#: Its name in this package, by sys.platform.
_NAMES = {"linux": "libpaysvc.so", "win32": "paysvc.dll", "darwin": "libpaysvc.dylib"}

PROGRESS_CALLBACK = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, c_size_t, c_char_p)


class View(ctypes.Structure):
    """paysvc_reply_view: the values of a reply, read in one call."""

    _fields_ = (
        *[(name, c_int) for name in ("outcome", "status", "state", "http_status", "attempts", "retry_after_ms")],
        *[(name, c_int) for name in ("replayed", "is_active")],
        ("body", c_char_p),
        ("body_len", c_size_t),
        *[(name, c_char_p) for name in ("code", "message", "call_id", "request_id", "why_not")],
    )


#: Result and arguments of functions, and their names. paysvc_invoke calls all those that take a request.
_FUNCTIONS: list[tuple[Any, list[Any], str]] = [
    (c_void_p, [], "call_new"),
    (None, [c_void_p], "client_free call_free reply_free call_cancel"),
    (c_char_p, [], "version"),
    (c_char_p, [c_void_p], "reply_answer call_next_log"),
    (None, [c_void_p, POINTER(View), c_size_t], "reply_read"),
    (c_char_p, [c_void_p, c_char_p], "reply_get"),
    (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(c_char_p)], "reply_is_paid"),
    (c_int, [c_char_p, POINTER(c_void_p), POINTER(c_void_p)], "client_new"),
    (c_int, [c_void_p, c_void_p, c_void_p, POINTER(c_void_p)], "client_set_store"),
    (c_int, [c_void_p, c_char_p, c_char_p, c_void_p, POINTER(c_void_p)], "invoke"),
    (c_int, [c_void_p, c_char_p], "call_set_traceparent call_set_key"),
    (None, [c_void_p, c_int], "call_set_timeout_ms call_keep_log"),
    (None, [c_void_p, PROGRESS_CALLBACK, c_void_p], "call_set_progress"),
    (c_int, [c_char_p, c_char_p, c_size_t], "reference_new"),
    (c_int, [c_void_p, c_char_p, c_char_p, c_size_t], "journal_reference_new"),
    (c_int, [c_void_p, c_char_p, c_size_t], "sink_write"),
]


def hook_dirs() -> list[str]:
    """The folder of this package, where PyInstaller finds hook-paysvc.py."""
    return [os.path.dirname(os.path.abspath(__file__))]


def path() -> str:
    """The library that PAYSVC_LIBRARY names, else the one in this package, else a name that the system searches for."""
    name = _NAMES.get(sys.platform, _NAMES["linux"])
    own = os.path.join(hook_dirs()[0], name)
    # Only on Linux does an installed library have the version of its interface in its name.
    searched = name if sys.platform in ("win32", "darwin") else f"{name}.{ABI}"
    return os.environ.get("PAYSVC_LIBRARY") or (own if os.path.exists(own) else searched)


def load(path: str) -> ctypes.CDLL:
    """Loads the library and declares its functions."""
    try:
        # CDLL releases the interpreter's lock, so that other threads run while a call waits. It and CFUNCTYPE have the
        # calling convention of C on every system.
        library = ctypes.CDLL(path)
    except OSError as error:
        # Windows searches neither PATH nor the current folder for it.
        more = ", or name its folder with os.add_dll_directory()" if sys.platform == "win32" else ""
        raise ImportError(
            f"libpaysvc cannot be loaded: {error}. Install this package from a wheel, or set PAYSVC_LIBRARY to the "
            f"path of a library that was built for this system and processor{more}"
        ) from None
    try:
        library.paysvc_abi.restype = c_int
        found = library.paysvc_abi()
        if found != ABI:
            raise ImportError(f"{path} has version {found} of the binary interface; this package needs {ABI}")
        # PyDLL keeps the lock: functions that read never wait, and releasing it takes longer than they do.
        reading = ctypes.PyDLL(path, handle=library._handle)
        for result, arguments, names in _FUNCTIONS:
            for name in names.split():
                function = getattr(reading if name.startswith(("reply_", "call_next_")) else library, f"paysvc_{name}")
                function.restype, function.argtypes = result, arguments
                setattr(library, f"paysvc_{name}", function)
    except AttributeError as error:
        raise ImportError(f"{path} is older than this package, or not libpaysvc: {error}") from None
    return library


library = load(path())


class Handle(partial[None]):
    """A handle of the library: the call that frees it, made with the last reference to it.

    A running call has a reference, so that closing a client or dropping a token frees no handle that is in use: on any
    thread, in a child after fork, in a signal handler. Python's reference count does it; no lock is needed.

    No Python code frees it: the handler of a signal could run there, and Python drops what is raised in a destructor.
    """

    __del__ = property(attrgetter("__call__"))
    _as_parameter_: ctypes.c_void_p

    @classmethod
    def empty(cls: type[Self], free: Any) -> Self:
        made = cls(free, ctypes.c_void_p())
        made._as_parameter_ = made.args[-1]
        return made


class Text:
    """The text of a request, which may be card data: tools that show variables show a repr, and this one hides it."""

    __slots__ = ("_as_parameter_",)

    def __init__(self, members: Mapping[str, object]) -> None:
        self._as_parameter_ = encode(members, AMOUNTS)
