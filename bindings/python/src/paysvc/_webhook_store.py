"""What remembers which events have been handled."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Awaitable
from enum import Enum
from typing import Protocol, Union

from ._generated import WEBHOOK_REMEMBERED


class Begin(Enum):
    """What a store says about an event that is about to be handled, and what the receiver then does."""

    #: Nobody has handled it, nobody is handling it, and from now on the caller is: no other caller gets HANDLE until
    #: failed(). The handler is called. The service is answered 200 after done(), or 500 after failed().
    HANDLE = "handle"
    #: Somebody else has got HANDLE, and has called neither done() nor failed() yet. The handler is not called. The
    #: service is answered 503 with Retry-After, so that it sends the event again: the other one may still fail.
    BUSY = "busy"
    #: done() has been called for it. The handler is not called, and the service is answered 200: it may forget the
    #: event.
    DONE = "done"


class Store(Protocol):
    """Remembers which events have been handled, by the key of the verified event: at most 100 letters, digits and "-".

    For each event that is authentic, the receiver calls begin(). Only after HANDLE it calls the handler, and then
    exactly one of done() and failed(), unless the process dies. If a method raises, the service is answered 500, so
    that it sends the event again.

    A store that processes share must decide `begin` atomically, e.g. by inserting a row with a unique key, and must
    release what a dead process has begun, e.g. after some minutes: otherwise it says BUSY for ever, and the event is
    never handled. The docs folder of libpaysvc has one in a database.
    """

    def begin(self, key: str) -> Begin:
        """HANDLE if the caller, and nobody else, is to handle it now; BUSY while another does; DONE if it was handled.

        Several threads and processes call it at once with the same key.
        """
        ...

    def done(self, key: str) -> None:
        """The handler has returned. From now on begin() says DONE, as long as the store remembers."""
        ...

    def failed(self, key: str) -> None:
        """The handler has raised, or was cancelled. The next begin() says HANDLE."""
        ...


class AsyncStore(Protocol):
    """A Store for asyncio."""

    def begin(self, key: str) -> Awaitable[Begin]: ...

    def done(self, key: str) -> Awaitable[None]: ...

    def failed(self, key: str) -> Awaitable[None]: ...


AnyStore = Union[Store, AsyncStore]


class MemoryStore:
    """The newest keys in memory, for one process. A restart forgets them: handling an event twice must do no harm."""

    def __init__(self, limit: int = WEBHOOK_REMEMBERED) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._done: OrderedDict[str, None] = OrderedDict()

    def begin(self, key: str) -> Begin:
        with self._lock:
            if key in self._done:
                self._done.move_to_end(key)
                return Begin.DONE
            if key in self._busy:
                return Begin.BUSY
            self._busy.add(key)
            return Begin.HANDLE

    def done(self, key: str) -> None:
        with self._lock:
            self._busy.discard(key)
            self._done[key] = None
            while len(self._done) > self._limit:
                self._done.popitem(last=False)

    def failed(self, key: str) -> None:
        with self._lock:
            self._busy.discard(key)
