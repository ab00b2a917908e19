"""What both webhook applications share: limits, the store of handled events, and what a verified event is answered."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import NamedTuple, Protocol, Union

from ._generated import Outcome, Status
from ._reply import Reply

logger = logging.getLogger("paysvc.webhooks")

#: Largest body that is read, in bytes: the library's own limit.
MAX_LENGTH = 256 * 1024
#: Seconds after which the sender should try again.
RETRY_AFTER = 30


class Begin(Enum):
    """What a store knows of an event."""

    #: Nobody has handled it, and nobody is handling it: now the caller is.
    HANDLE = "handle"
    #: Somebody is handling it.
    BUSY = "busy"
    #: It has been handled.
    DONE = "done"


class Store(Protocol):
    """Remembers which events have been handled, by the key of the verified event.

    A store that processes share must decide `begin` atomically, e.g. by inserting a row with a unique key, and must let
    go of what a dead process has begun, e.g. after some minutes.
    """

    def begin(self, key: str) -> Begin: ...

    def done(self, key: str) -> None:
        """It has been handled."""
        ...

    def failed(self, key: str) -> None:
        """Handling it failed: the next delivery is handled."""
        ...


class AsyncStore(Protocol):
    """A Store for asyncio."""

    def begin(self, key: str) -> Awaitable[Begin]: ...

    def done(self, key: str) -> Awaitable[None]: ...

    def failed(self, key: str) -> Awaitable[None]: ...


AnyStore = Union[Store, AsyncStore]


class MemoryStore:
    """The newest keys in memory, for one process. A restart forgets them: the handler must then bear an event twice."""

    def __init__(self, limit: int = 10_000) -> None:
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


class Limits:
    """How many verifications there may be, because each is a request to the service. Applications may share one.

    Whoever floods the URL would otherwise use up the requests that the service allows, and payments would get 429.
    """

    def __init__(self, at_once: int = 4, per_minute: int = 60, clock: Callable[[], float] = time.monotonic) -> None:
        if at_once < 1 or per_minute < 1:
            raise ValueError("at_once and per_minute must be 1 or more")
        self._clock = clock
        self._lock = threading.Lock()
        self._free = at_once
        self._most = float(per_minute)
        self._left = self._most
        self._filled = clock()

    def enter(self) -> Answer | None:
        """None: the caller may verify an event, and then leaves. Otherwise what the sender is answered."""
        with self._lock:
            now = self._clock()
            per_second = self._most / 60
            self._left = min(self._most, self._left + max(0.0, now - self._filled) * per_second)
            self._filled = now
            if self._left < 1:
                return Answer("429 Too Many Requests", math.ceil((1 - self._left) / per_second))
            if self._free == 0:
                return Answer("503 Service Unavailable", 1)
            self._left -= 1
            self._free -= 1
            return None

    def leave(self, asked: bool) -> None:
        """A verification has ended; one that asked the service nothing does not count."""
        with self._lock:
            self._free += 1
            if not asked:
                self._left = min(self._most, self._left + 1)


class Answer(NamedTuple):
    """What the sender is answered. The body is always empty: nobody learns anything of a payment."""

    line: str
    retry_after: int | None = None
    allow: str | None = None

    @property
    def status(self) -> int:
        return int(self.line[:3])

    def headers(self) -> list[tuple[str, str]]:
        found = [("content-length", "0")]
        if self.retry_after is not None:
            found.append(("retry-after", str(self.retry_after)))
        if self.allow is not None:
            found.append(("allow", self.allow))
        return found


OK = Answer("200 OK")
BAD_REQUEST = Answer("400 Bad Request")
NOT_POST = Answer("405 Method Not Allowed", allow="POST")
NO_LENGTH = Answer("411 Length Required")
TOO_LARGE = Answer("413 Content Too Large")
FAILED = Answer("500 Internal Server Error", RETRY_AFTER)
BUSY = Answer("503 Service Unavailable", 1)


def length(text: str | None) -> int | Answer | None:
    """The value of content-length, or why the request is refused; None if it has none."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        return BAD_REQUEST
    # More digits than a length may have: int() refuses thousands of them.
    return int(text) if len(text) < 16 and int(text) <= MAX_LENGTH else TOO_LARGE


class Verified(NamedTuple):
    """What is known of an event."""

    #: Of an authentic event; None: it is not handled.
    key: str | None
    #: What the sender is answered if it is not handled.
    answer: Answer
    #: It is decided that it is not authentic.
    unverified: bool


def verified(reply: Reply) -> Verified:
    """What the reply to webhook_verify says of an event."""
    try:
        authentic, event, key = reply.get("authentic") is True, reply.get("event"), reply.get("key")
    except ValueError:  # Python cannot read the answer.
        authentic, event, key = False, None, None
    if reply.status == Status.OK and reply.outcome == Outcome.CONFIRMED:
        if authentic and isinstance(key, str):
            return Verified(key, OK, unverified=False)
        return Verified(None, OK, unverified=True)
    if reply.status == Status.ARGUMENT:
        # What names a payout can be read, and cannot be verified: sending it again would not help.
        return Verified(None, BAD_REQUEST if event == "unknown" else OK, unverified=True)
    if reply.status == Status.REJECTED and reply.outcome == Outcome.REJECTED:
        return Verified(None, OK, unverified=True)
    wait = RETRY_AFTER if reply.retry_after is None else math.ceil(reply.retry_after)
    return Verified(None, Answer("503 Service Unavailable", wait), unverified=False)
