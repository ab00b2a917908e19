"""An exception class for each status, and OutcomeUnknown for the outcome UNKNOWN.

With the outcome UNKNOWN an exception is also a Timeout, TransportError and so on, but never of a class whose name
sounds as if the request had not been executed: a Rejected that is about a look-up would be taken for the payment's.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from ._generated import DENIALS, Outcome, State, Status
from ._reply import Reply

if TYPE_CHECKING:
    from ._typed import Answer


class PaysvcError(Exception):
    """A call that did not succeed. `outcome` says whether the request may be repeated."""

    #: True: it is the result of a call whose caller was cancelled or interrupted.
    _abandoned = False

    def __init__(
        self,
        reply: Reply,
        endpoint: str = "",
        request: Mapping[str, Any] | None = None,
        attempts: int | None = None,
    ) -> None:
        super().__init__(reply)
        self.reply = reply
        #: The function that was called, such as "order_pay"; of an error of resolve(), that of the resolved request.
        self.endpoint = endpoint
        #: What resolve() needs of the request, by the interface's names; never card data or codes.
        self.request: dict[str, Any] = dict(request or {})
        self._attempts = reply.attempts if attempts is None else attempts
        #: False only if the request is known to make no charge: an order without a card or another payment option.
        self.charged = True

    def __str__(self) -> str:
        return f"{self.message} [{self.status.name}, outcome {self.outcome.name}]"

    @property
    def status(self) -> Status:
        """Why the call ended as it did."""
        return self.reply.status

    @property
    def outcome(self) -> Outcome:
        """What is known about the request. REJECTED is about this request, not an earlier one."""
        return self.reply.outcome

    @property
    def state(self) -> State:
        """The state of the payment in the answer. Paid means Outcome.CONFIRMED and State.SUCCESSFUL, both."""
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
        """The HTTP status of the last answer; 0: there was no answer."""
        return self.reply.http_status

    @property
    def attempts(self) -> int:
        """How many times the request was put on the wire, by its own call; status queries are not counted.

        For an error of resolve(), it is that of the resolved request, 0 if not known; reply.attempts has its look-ups.
        """
        return self._attempts

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before trying again; None: the service did not say."""
        return self.reply.retry_after

    @property
    def call_id(self) -> str:
        """Identifies the call in the log; "": the library was not called."""
        return self.reply.call_id

    @property
    def request_id(self) -> str:
        """The number that the service gave to the last request; "": none."""
        return self.reply.request_id

    @property
    def replayed(self) -> bool:
        """True: the recorded end of an earlier call with the same key, or for the same order. Nothing was sent."""
        return self.reply.replayed

    @property
    def is_active(self) -> bool:
        """As of the reply: True only if the service says that the mandate is active."""
        return self.reply.is_active

    @property
    def text(self) -> str:
        """The answer's JSON as it was received, or the library's failure envelope."""
        return self.reply.text

    @property
    def body(self) -> Any:
        """The service's answer, or the library's failure envelope."""
        return self.reply.body

    @property
    def answer(self) -> Answer | None:
        """The answer as plain data, as of the reply: isinstance(error.answer, paysvc.PayoutBulkAnswer) tells which."""
        return self.reply.answer

    @property
    def unreadable(self) -> tuple[str, ...]:
        """As of the reply: JSON pointers of what cannot be read of the answer."""
        return self.reply.unreadable

    def is_paid(self, reference: str, amount: Decimal | str, currency: str) -> bool:
        """As for the reply: true only if this order is paid. That is possible only if the call was abandoned."""
        return self.reply.is_paid(reference, amount, currency)

    def why_not_paid(self, reference: str, amount: Decimal | str, currency: str) -> str:
        """Why is_paid() is false, in one line for a person; "" if it is true."""
        return self.reply.why_not_paid(reference, amount, currency)

    @property
    def errors(self) -> dict[str, str]:
        """What is wrong, by member of the request, as the library or the service reports it."""
        try:
            found = self.reply._get("errors")
        except ValueError:
            return {}
        return {name: str(text) for name, text in found.items()} if isinstance(found, dict) else {}


class OutcomeUnknown(PaysvcError):
    """The service may or may not have executed the request: find out before you repeat it. Catch this first."""


class ArgumentError(PaysvcError, ValueError):
    """A member is missing, unknown or of the wrong type. Nothing was sent; never with the outcome UNKNOWN."""


class ConfigError(PaysvcError):
    """The configuration or the encryption key is wrong, or lacks what this call needs.

    Never with the outcome UNKNOWN.
    """


class EncryptError(PaysvcError):
    """The payload does not fit the encryption key. Nothing was sent; never with the outcome UNKNOWN."""


class Unresolved(OutcomeUnknown):
    """The service was asked what became of a request, or the journal has an open one, and it is still not known.

    The outcome is UNKNOWN.
    """


class KeyReused(OutcomeUnknown):
    """The journal has this idempotency key for a request with different members. This call sent nothing.

    The outcome is UNKNOWN: it is that of the other request.
    """


class JournalError(PaysvcError):
    """The journal cannot be read or written. This call sent nothing.

    If something with this key or for this order may be open, it is an OutcomeUnknown too.
    """


class TransportError(PaysvcError):
    """Name look-up, connect or TLS failed, or the connection broke."""


class Timeout(PaysvcError):
    """The time ran out, or the service answered 408."""


class Cancelled(PaysvcError):
    """The call was cancelled."""


class Rejected(PaysvcError):
    """The service refused this request, and did not execute it: the outcome is REJECTED.

    An earlier request for the same order may have been executed.
    """


class Unauthorized(PaysvcError):
    """The service refused this request with 401 or 403. Never with the outcome UNKNOWN."""


class RateLimited(PaysvcError):
    """The service answered 429, after the retries. Never with the outcome UNKNOWN."""


class ServerError(PaysvcError):
    """The service answered 5xx."""


class ResponseError(PaysvcError):
    """The answer is cut off, too large, not JSON, a redirect, contradicts itself, or does not say what was done."""


class InternalError(PaysvcError):
    """A bug in the library, which it caught."""


class Abandoned(PaysvcError):
    """The service answered success, but the caller had been cancelled or interrupted by then."""


_CLASSES: dict[Status, type[PaysvcError]] = {
    Status.OK: Abandoned,
    Status.ARGUMENT: ArgumentError,
    Status.CONFIG: ConfigError,
    Status.ENCRYPT: EncryptError,
    Status.JOURNAL: JournalError,
    Status.UNRESOLVED: Unresolved,
    Status.KEY_REUSED: KeyReused,
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

# TimeoutOutcomeUnknown and so on: both `except Timeout` and `except OutcomeUnknown` catch it.
_ALWAYS_UNKNOWN = (Unresolved, KeyReused)
_UNKNOWN: dict[type[PaysvcError], type[PaysvcError]] = {PaysvcError: OutcomeUnknown}
_UNKNOWN.update((_class, _class) for _class in _ALWAYS_UNKNOWN)
for _number, _class in _CLASSES.items():
    if _number in DENIALS:
        _UNKNOWN[_class] = OutcomeUnknown
    elif _class not in _UNKNOWN:
        _name = f"{_class.__name__}OutcomeUnknown"
        _about = {"__doc__": _class.__doc__, "__module__": __name__}
        _made = types.new_class(_name, (_class, OutcomeUnknown), {}, partial(dict.update, **_about))
        # Pickle finds a class by its name in its module.
        globals()[_name] = _UNKNOWN[_class] = _made


def error_of(
    reply: Reply, endpoint: str = "", request: Mapping[str, Any] | None = None, attempts: int | None = None
) -> PaysvcError:
    """The exception for a reply. A status that this version does not know is a plain PaysvcError."""
    found = _CLASSES.get(reply.status, PaysvcError)
    # An outcome that this version does not know proves nothing.
    proved = reply.outcome in (Outcome.NOT_SENT, Outcome.CONFIRMED, Outcome.REJECTED)
    if not proved:
        found = _UNKNOWN[found]
    elif found in _ALWAYS_UNKNOWN or (found is Rejected and reply.outcome != Outcome.REJECTED):
        found = PaysvcError  # A status that contradicts its outcome: only the outcome counts.
    return found(reply, endpoint, request, attempts)
