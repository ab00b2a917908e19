"""The journal in a database of the program."""

from __future__ import annotations

import _thread
import ctypes
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from ctypes import CFUNCTYPE, c_char_p, c_int, c_size_t, c_void_p
from functools import partial
from typing import Any, Protocol

from ._generated import STORE_DONE, STORE_EXISTS
from ._library import library

#: Any value but STORE_DONE and STORE_EXISTS.
_FAILED = 0


class Store(Protocol):
    """A database that keeps the journal: one table with the primary key (key, seq), whose rows are never changed.

    If a method raises, it has failed, and nothing that moves money is sent. Several threads call the methods at once.
    They must return within the timeout, which is in seconds. Never write a row in a transaction of the program.
    """

    def append(self, key: str, seq: int, row: str, timeout: float) -> bool:
        """Inserts a row, which is durable on return: True. False if (key, seq) is there already; nothing is written.

        Any other value is a failure. The row is a JSON object; its fields "order", which may be missing, and "open"
        are what read() looks for.
        """
        ...

    def read(self, query: Mapping[str, Any], timeout: float) -> Iterable[str]:
        """The rows as append() got them, including everything that was committed before.

        {"key": …}: all rows of the key, by seq. {"order": …}: all rows of the order, by key and seq.
        {"open": True, "after": …, "limit": n}: of each key above "after" the row with the highest seq, if it is open;
        by key, at most n. Keys are compared as UTF-8, byte by byte.
        """
        ...


_Append = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int, c_char_p, c_int)
_Read = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int, c_void_p)


class _Struct(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("append", _Append),
        ("read", _Read),
        ("release", c_void_p),
    ]


class Callbacks:
    """The callbacks for the library. The object must live as long as the client's handle, which therefore keeps it."""

    def __init__(self, store: Store) -> None:
        for name in ("append", "read"):
            if not callable(getattr(store, name, None)):
                raise TypeError(f"store has no method {name}: see paysvc.Store")
        self._store = store
        # An exception that is not an Exception, such as Ctrl-C's, must not be lost in a callback. One for each thread.
        self._thrown: Any = _thread._local()
        append, read = _Append(partial(self._answer, self._append)), _Read(partial(self._answer, self._read))
        self.struct = _Struct(ctypes.sizeof(_Struct), append, read, None)

    def making(self, function: Callable[..., int]) -> Callable[..., int]:
        """The function, which at the end raises what interrupted the store: the call itself has ended by then."""

        def made(*arguments: Any) -> int:
            self._thrown.interrupt = None
            status = function(*arguments)
            interrupt, self._thrown.interrupt = self._thrown.interrupt, None
            if interrupt is not None:
                raise interrupt
            return status

        return made

    # Should a signal's handler raise before or after the `try`, ctypes answers 0: a failure.
    def _answer(self, ask: Callable[..., int], _userdata: object, *arguments: Any) -> int:
        try:
            return ask(*arguments)
        except Exception:
            if "logging" in sys.modules:
                from ._log import logger

                logger.exception("%s of the journal's store failed", ask.__name__.lstrip("_"))
        except BaseException as interrupt:
            self._thrown.interrupt = interrupt
        return _FAILED

    def _append(self, key: bytes, seq: int, row: bytes, ms: int) -> int:
        written = self._store.append(key.decode(), seq, row.decode(), ms / 1000)
        if type(written) is not bool:
            raise TypeError(f"append returns True or False, not {type(written).__name__}")
        return STORE_DONE if written else STORE_EXISTS

    def _read(self, query: bytes, ms: int, sink: int) -> int:
        for row in self._store.read(json.loads(query), ms / 1000):
            if not isinstance(row, str):
                raise TypeError(f"read gives rows as str, not {type(row).__name__}")
            text = row.encode()
            if not library.paysvc_sink_write(sink, text, len(text)):
                break
        return STORE_DONE
