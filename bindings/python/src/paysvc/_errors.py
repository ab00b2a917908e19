"""One exception for each status, and OutcomeUnknown across them: the one that a till must not miss."""

from __future__ import annotations

import types
from functools import partial
from typing import Any

from ._generated import Outcome, State, Status
from ._reply import Reply


class PaysvcError(Exception):
    """A call that did not succeed. `outcome` says whether the request may be repeated."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self.reply = reply

    def __str__(self) -> str:
        return f"{self.message} [{self.status.name}, outcome {self.outcome.name}]"

    @property
    def status(self) -> Status:
        """Why the call ended as it did."""
        return self.reply.status

    @property
    def outcome(self) -> Outcome:
        """May one charge again? REJECTED speaks of this request, and of no earlier one."""
        return self.reply.outcome

    @property
    def state(self) -> State:
        """The state of the payment that the answer names. Paid: Outcome.CONFIRMED and State.SUCCESSFUL, both."""
        return self.reply.state

    @property
    def code(self) -> str:
        """The service's own code, or ""."""
        return self.reply.code

    @property
    def message(self) -> str:
        """One line for a person; never a secret."""
        return self.reply.message

    @property
    def http_status(self) -> int:
        """The HTTP status of the last answer; 0: there was none."""
        return self.reply.http_status

    @property
    def attempts(self) -> int:
        """How many requests were put on the wire."""
        return self.reply.attempts

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before trying again; None: not said."""
        return self.reply.retry_after

    @property
    def body(self) -> Any:
        """The service's answer, or the library's failure envelope."""
        return self.reply.body

    @property
    def errors(self) -> dict[str, str]:
        """What is wrong, by member, from the library and from the service alike."""
        try:
            found = self.reply.get("errors")
        except ValueError:
            return {}
        return {name: str(text) for name, text in found.items()} if isinstance(found, dict) else {}


class OutcomeUnknown(PaysvcError):
    """Whatever went wrong, the service may have done it or not: ask before you repeat. Catch it first."""


class ArgumentError(PaysvcError, ValueError):
    """A member is missing, unknown or of the wrong type. Nothing was sent."""


class ConfigError(PaysvcError):
    """The configuration or the encryption key is wrong, or lacks what this call needs. Nothing was sent."""


class EncryptError(PaysvcError):
    """The payload does not fit the encryption key. Nothing was sent."""


class TransportError(PaysvcError):
    """Name look-up, connect, TLS, or a broken connection."""


class Timeout(PaysvcError):
    """The time ran out, or the service answered 408."""


class Cancelled(PaysvcError):
    """The call was cancelled."""


class Rejected(PaysvcError):
    """The service refused this request: an answer that says failure, or a 4xx.

    This says nothing of earlier requests: an order that is refused as "already paid" has been paid.
    """


class Unauthorized(PaysvcError):
    """The service refused this request with 401 or 403."""


class RateLimited(PaysvcError):
    """The service answered 429, after the retries."""


class ServerError(PaysvcError):
    """The service answered 5xx."""


class ResponseError(PaysvcError):
    """The answer is cut off, too large, not JSON, a redirect, contradicts itself, or does not say what was done."""


class InternalError(PaysvcError):
    """A bug in the library, caught."""


class Abandoned(PaysvcError):
    """The service answered success, and whoever waited for it had been cancelled or interrupted."""


_CLASSES: dict[int, type[PaysvcError]] = {
    Status.OK: Abandoned,
    Status.ARGUMENT: ArgumentError,
    Status.CONFIG: ConfigError,
    Status.ENCRYPT: EncryptError,
    Status.TRANSPORT: TransportError,
    Status.TIMEOUT: Timeout,
    Status.CANCELLED: Cancelled,
    Status.REJECTED: Rejected,
    Status.UNAUTHORIZED: Unauthorized,
    Status.RATE_LIMITED: RateLimited,
    Status.SERVER: ServerError,
    Status.RESPONSE: ResponseError,
    Status.INTERNAL: InternalError,
}

# TimeoutOutcomeUnknown and so on: `except Timeout` and `except OutcomeUnknown` both catch it.
_UNKNOWN: dict[type[PaysvcError], type[PaysvcError]] = {PaysvcError: OutcomeUnknown}
for _class in _CLASSES.values():
    _name = f"{_class.__name__}OutcomeUnknown"
    _about = {"__doc__": _class.__doc__, "__module__": __name__}
    _made = types.new_class(_name, (_class, OutcomeUnknown), {}, partial(dict.update, **_about))
    # As attributes of this module they can be pickled.
    globals()[_name] = _UNKNOWN[_class] = _made


def error_of(reply: Reply) -> PaysvcError:
    """The exception that tells of a reply. A status that is not known yet is a plain PaysvcError."""
    found = _CLASSES.get(reply.status, PaysvcError)
    # An outcome that is not known yet proves nothing either.
    proved = reply.outcome in (Outcome.NOT_SENT, Outcome.CONFIRMED, Outcome.REJECTED)
    return (found if proved else _UNKNOWN[found])(reply)


def attach(interrupt: BaseException, error: PaysvcError) -> None:
    """Puts an error at the end of an exception's chain of causes."""
    last, seen = interrupt, {id(interrupt)}
    while last.__cause__ is not None and id(last.__cause__) not in seen:
        last = last.__cause__
        seen.add(id(last))
    last.__cause__ = error


def abandoned_call(exception: BaseException) -> PaysvcError | None:
    """What became of the request behind a CancelledError, TimeoutError or KeyboardInterrupt; None: nothing was sent.

    Looks through the exception's causes and contexts.
    """
    waiting: list[BaseException | None] = [exception]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop()
        if found is None or id(found) in seen:
            continue
        if isinstance(found, PaysvcError):
            return found
        seen.add(id(found))
        waiting += [found.__context__, found.__cause__]
    return None
