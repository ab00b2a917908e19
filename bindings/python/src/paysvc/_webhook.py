"""What all receivers of webhooks share: limits, and the answer to a verified event."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from ._generated import (
    WEBHOOK_AT_ONCE,
    WEBHOOK_FORGET_AFTER_SECONDS,
    WEBHOOK_LEAST_OF_REFERENCE,
    WEBHOOK_MAX_LENGTH,
    WEBHOOK_PER_MINUTE,
    WEBHOOK_REMEMBERED,
    WEBHOOK_RETRY_AFTER_SECONDS,
    WEBHOOK_SHARE_OF_REFERENCE,
    Status,
)
from ._log import EXTRA, logger
from ._replies import WebhookVerifyReply

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Bucket:
    """A number of requests that refills within a minute."""

    def __init__(self, most: float, now: float) -> None:
        self._most = most
        self._left = most
        self._filled = now

    def wait(self, now: float) -> float:
        """Seconds until there is a request left."""
        per_second = self._most / 60
        self._left = min(self._most, self._left + max(0.0, now - self._filled) * per_second)
        self._filled = now
        return max(0.0, 1 - self._left) / per_second

    def add(self, requests: float) -> None:
        self._left = min(self._most, self._left + requests)


class Limits:
    """How many requests verifications may send to the service. Applications may share one.

    A flood of the URL would otherwise use up the requests that the service allows, and payments would get 429.
    Events about one reference get a sixth of them, so that a flood about one does not keep out the others. A body
    that was found not authentic is answered for a minute without a request.
    """

    def __init__(
        self,
        at_once: int = WEBHOOK_AT_ONCE,
        per_minute: int = WEBHOOK_PER_MINUTE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if at_once < 1 or per_minute < 1:
            raise ValueError("at_once and per_minute must be 1 or more")
        self._clock = clock
        self._lock = threading.Lock()
        self._free = at_once
        self._most = float(per_minute)
        self._all = _Bucket(self._most, clock())
        self._references: OrderedDict[str, _Bucket] = OrderedDict()
        self._forged: OrderedDict[bytes, float] = OrderedDict()

    def enter(self, reference: str) -> Answer | None:
        """None: the caller may verify an event about it, and then leaves. Otherwise the answer to the sender."""
        with self._lock:
            now = self._clock()
            own = self._bucket(reference, now)
            wait = own.wait(now) or self._all.wait(now)
            if wait > 0:
                return Answer("429 Too Many Requests", math.ceil(wait))
            if self._free == 0:
                return Answer("503 Service Unavailable", 1)
            own.add(-1)
            self._all.add(-1)
            self._free -= 1
            return None

    def leave(self, reference: str, requests: int) -> None:
        """A verification has ended that sent this many requests."""
        with self._lock:
            self._free += 1
            for bucket in (self._bucket(reference, self._clock()), self._all):
                bucket.add(1 - requests)

    def _bucket(self, reference: str, now: float) -> _Bucket:
        found = self._references.get(reference)
        if found is None:
            share = max(WEBHOOK_LEAST_OF_REFERENCE, self._most / WEBHOOK_SHARE_OF_REFERENCE)
            found = _Bucket(min(self._most, share), now)
            self._put(self._references, reference, found)
        self._references.move_to_end(reference)
        return found

    def is_forged(self, body: bytes) -> bool:
        """Whether this body was found not authentic a short time ago."""
        with self._lock:
            at = self._forged.get(hashlib.sha256(body).digest())
            return at is not None and 0 <= self._clock() - at < WEBHOOK_FORGET_AFTER_SECONDS

    def found_forged(self, body: bytes) -> None:
        """This body was found not authentic."""
        with self._lock:
            self._put(self._forged, hashlib.sha256(body).digest(), self._clock())

    def _put(self, entries: OrderedDict[_Key, _Value], key: _Key, value: _Value) -> None:
        entries[key] = value
        entries.move_to_end(key)
        if len(entries) > WEBHOOK_REMEMBERED:
            entries.popitem(last=False)


class Answer(NamedTuple):
    """The answer to the sender. The body is always empty: nobody learns anything about a payment."""

    line: str
    retry_after: int | None = None
    allow: str | None = None

    @property
    def status(self) -> int:
        return int(self.line[:3])

    def headers(self) -> dict[str, str]:
        found = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        return found if self.allow is None else {**found, "allow": self.allow}


OK = Answer("200 OK")
BAD_REQUEST = Answer("400 Bad Request")
NOT_POST = Answer("405 Method Not Allowed", allow="POST")
NO_LENGTH = Answer("411 Length Required")
TOO_LARGE = Answer("413 Content Too Large")
FAILED = Answer("500 Internal Server Error", WEBHOOK_RETRY_AFTER_SECONDS)
BUSY = Answer("503 Service Unavailable", 1)
UNREADABLE = Answer("503 Service Unavailable", WEBHOOK_RETRY_AFTER_SECONDS)


def length(text: str | None) -> int | Answer | None:
    """The value of content-length, or why the request is refused; None if it has none."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        return BAD_REQUEST
    # More digits than a length may have: int() refuses thousands of them.
    return int(text) if len(text) < 16 and int(text) <= WEBHOOK_MAX_LENGTH else TOO_LARGE


class Verified(NamedTuple):
    """What is known about an event."""

    #: Of an authentic event; None: it is not handled.
    key: str | None
    #: What the sender is answered if it is not handled.
    answer: Answer
    #: It is decided that it is not authentic.
    unverified: bool


def about(reply: WebhookVerifyReply) -> str | None:
    """What an event that was only read is about; None: the service cannot be asked about it."""
    return reply.webhook.about if reply.status == Status.OK else None


def verified(reply: WebhookVerifyReply) -> Verified:
    """What the reply to webhook_verify says about an event: the library decides, this only carries it."""
    try:
        found = reply.webhook
    except ValueError:  # Python cannot read the answer: it is nested too deeply.
        return Verified(None, UNREADABLE, unverified=False)
    if found.respond == OK.status and found.authentic and found.key is not None:
        return Verified(found.key, OK, unverified=False)
    for decided in (OK, BAD_REQUEST):
        if found.respond == decided.status:
            return Verified(None, decided, unverified=True)
    if found.retry_after is None:  # The library was not asked.
        return Verified(None, UNREADABLE, unverified=False)
    return Verified(None, Answer(UNREADABLE.line, found.retry_after), unverified=False)


def failed(reply: WebhookVerifyReply | None) -> Answer:
    """Logs the exception that is being handled, and only what identifies the event; the rest may be personal data."""
    if reply is None:
        logger.exception("an event was not handled", extra=_extra())
    else:
        logger.exception("an event about %.100r was not handled: key %s, call %s", *_names(reply), extra=_extra(reply))
    return FAILED


def misconfigured(reply: WebhookVerifyReply) -> None:
    """Logs why no event of this kind can be verified."""
    if reply.status in (Status.CONFIG, Status.UNAUTHORIZED):
        line = "an event cannot be verified, and is answered 503: %s; call %s"
        logger.error(line, reply.message, reply.call_id, extra=_extra(reply))


def _names(reply: WebhookVerifyReply) -> tuple[object, object, str]:
    try:
        return reply.webhook.about, reply.webhook.key, reply.call_id
    except ValueError:  # Python cannot read the answer.
        return None, None, reply.call_id


def _extra(reply: WebhookVerifyReply | None = None) -> dict[str, object]:
    """The attributes of a record: those of all records of this package, and what names the event."""
    known = dict.fromkeys((*EXTRA, "reference", "key"))
    if reply is None:
        return {**known, "endpoint": "webhook_verify"}
    names = zip(("reference", "key", "call_id"), _names(reply))
    return {**known, "endpoint": "webhook_verify", "outcome": reply.outcome.name, **dict(names)}
