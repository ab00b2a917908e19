"""Finds and loads the shared library, and declares its functions."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_void_p
from typing import Any

from ._generated import ABI, KEYWORDS, OPERATIONS

#: Exceptions, by thread, that interrupted a callback, which no exception may leave.
interrupts: dict[int, BaseException] = {}

LOG_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)
PROGRESS_CALLBACK = ctypes.CFUNCTYPE(c_int, c_void_p, c_size_t, c_size_t, c_char_p)

#: Result and arguments of each function that is not an endpoint.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "client_new": (c_int, [c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "client_free": (None, [c_void_p]),
    "client_set_log": (c_int, [c_void_p, c_int, LOG_CALLBACK, c_void_p]),
    "encrypt": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "call_new": (c_void_p, []),
    "call_set_timeout_ms": (None, [c_void_p, c_int]),
    "call_set_progress": (None, [c_void_p, PROGRESS_CALLBACK, c_void_p]),
    "call_cancel": (None, [c_void_p]),
    "call_free": (None, [c_void_p]),
    "reference_new": (c_int, [c_char_p, c_char_p, c_size_t]),
    "reply_status": (c_int, [c_void_p]),
    "reply_outcome": (c_int, [c_void_p]),
    "reply_state": (c_int, [c_void_p]),
    "reply_http_status": (c_int, [c_void_p]),
    "reply_body": (c_char_p, [c_void_p]),
    "reply_code": (c_char_p, [c_void_p]),
    "reply_message": (c_char_p, [c_void_p]),
    "reply_retry_after_ms": (c_int, [c_void_p]),
    "reply_attempts": (c_int, [c_void_p]),
    "reply_call_id": (c_char_p, [c_void_p]),
    "reply_free": (None, [c_void_p]),
}
_ENDPOINT: tuple[Any, list[Any]] = (c_int, [c_void_p, c_char_p, c_void_p, POINTER(c_void_p)])

#: The names that platform.machine() has for ELF machine numbers.
_MACHINES = {
    3: "i686", 8: "mips", 20: "ppc", 21: "ppc64le", 22: "s390x", 40: "armv7l", 62: "x86_64", 183: "aarch64",
    243: "riscv64", 258: "loongarch64",
}  # fmt: skip


def load() -> ctypes.CDLL:
    """Loads the library that PAYSVC_LIBRARY names, else the one in this package, else the system's."""
    path = _path()
    try:
        # CDLL releases the interpreter's lock, so that other threads run while a call waits.
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"libpaysvc cannot be loaded: {_why(path, error)}") from None
    try:
        library.paysvc_abi.restype = c_int
        found = library.paysvc_abi()
        if found != ABI:
            raise ImportError(f"{path} has version {found} of the binary interface; this package needs {ABI}")
        # PyDLL keeps the lock: functions that read a reply never wait, and releasing it takes longer than they do.
        reading = ctypes.PyDLL(path, handle=library._handle)
        requests = dict.fromkeys((*KEYWORDS, *OPERATIONS, "request"), _ENDPOINT)
        for name, (result, arguments) in {**_FUNCTIONS, **requests}.items():
            function = getattr(reading if name.startswith("reply_") else library, f"paysvc_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(library, f"paysvc_{name}", function)
    except AttributeError as error:
        raise ImportError(f"{path} is older than this package, or not libpaysvc: {error}") from None
    return library


def _path() -> str:
    given = os.environ.get("PAYSVC_LIBRARY")
    if given:
        return given
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libpaysvc.so")
    return own if os.path.exists(own) else f"libpaysvc.so.{ABI}"


def _why(path: str, error: OSError) -> str:
    import platform  # Slow to import, and needed only here.
    import struct

    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return f"{error}. Install this package from a wheel, or set PAYSVC_LIBRARY to the path of the library"
    if head[:4] != b"\x7fELF" or len(head) < 20:
        return f"{path} is not a Linux shared library"
    (number,) = struct.unpack("<H" if head[5] == 1 else ">H", head[18:20])
    bits, ours = {1: 32, 2: 64}.get(head[4], 0), struct.calcsize("P") * 8
    machine = _MACHINES.get(number, f"machine {number}")
    if machine != platform.machine() or bits != ours:
        return f"{path} is built for {machine} ({bits} bits), this Python runs on {platform.machine()} ({ours} bits)"
    return str(error)  # For example that the C library is too old.


library = load()
