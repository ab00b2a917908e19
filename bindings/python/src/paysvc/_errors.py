"""An exception class for each status, and OutcomeUnknown for the outcome UNKNOWN.

With the outcome UNKNOWN an exception is also a Timeout, TransportError and so on, but never of a class whose name
sounds as if the request had not been executed: a Rejected about a status query would be taken for the payment's.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ._generated import DENIALS, Outcome, State, Status
from ._reply import Reply

if TYPE_CHECKING:
    from ._typed import Answer

__all__ = [
    "Abandoned", "ArgumentError", "Cancelled", "ConfigError", "EncryptError", "InternalError", "JournalError",
    "KeyReused", "OutcomeUnknown", "PaysvcError", "RateLimited", "Rejected", "ResponseError", "ServerError", "Timeout",
    "TransportError", "Unauthorized", "Unresolved",
]  # fmt: skip

#: By status: with a known outcome, and with the outcome UNKNOWN.
_CLASSES: dict[Status, tuple[type[PaysvcError], type[PaysvcError]]] = {}


class PaysvcError(Exception):
    """A call that did not succeed. `outcome` decides whether the request may be repeated.

    Its attributes are those of the reply, which is in `reply`.
    """

    status: Status
    #: REJECTED is about this request, not an earlier one.
    outcome: Outcome
    state: State
    code: str
    #: Never a secret.
    message: str
    http_status: int
    retry_after: float | None
    call_id: str
    request_id: str
    replayed: bool
    is_active: bool
    text: str
    body: Any
    #: Check its type, e.g. isinstance(error.answer, paysvc.PayoutBulkAnswer).
    answer: Answer | None
    unreadable: tuple[str, ...]

    #: True: it is the result of a call whose caller was cancelled or interrupted.
    _abandoned = False

    def __init_subclass__(cls, of: Status | None = None) -> None:
        if of is None:
            return
        unknown: type[PaysvcError] = OutcomeUnknown
        if issubclass(cls, OutcomeUnknown):
            unknown = cls
        elif of not in DENIALS:
            # Both `except Timeout` and `except OutcomeUnknown` catch a TimeoutOutcomeUnknown, and so on.
            bases: Any = (cls, OutcomeUnknown)
            # Pickle finds a class by its name in its module.
            name = f"{cls.__name__}OutcomeUnknown"
            unknown = globals()[name] = type(name, bases, {"__doc__": cls.__doc__, "__module__": __name__})
        _CLASSES[of] = cls, unknown

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
        #: The fields of the request that resolve() needs, by the interface's names; never card data or codes.
        self.request: dict[str, Any] = dict(request or {})
        #: The number of times the request was put on the wire, by its own call, without status queries. For an error of
        #: resolve(), it is that of the resolved request, 0 if not known; reply.attempts has its status queries.
        self.attempts = reply.attempts if attempts is None else attempts
        #: False only if the request is known to make no charge: an order without a card or another payment option.
        self.charged = True

    def __str__(self) -> str:
        return f"{self.message} [{self.status.name}, outcome {self.outcome.name}]"

    def is_paid(self, reference: str, amount: Decimal | str, currency: str) -> bool:
        """As for the reply: true only if this order is paid, which is possible only if the call was abandoned."""
        return self.reply.is_paid(reference, amount, currency)

    def why_not_paid(self, reference: str, amount: Decimal | str, currency: str) -> str:
        """Why is_paid() is false, in one line for a person; "" if it is true."""
        return self.reply.why_not_paid(reference, amount, currency)

    @property
    def errors(self) -> dict[str, str]:
        """The errors by field of the request, as the library or the service reports them."""
        try:
            found = self.reply._get("errors")
        except ValueError:
            return {}
        return {name: str(text) for name, text in found.items()} if isinstance(found, dict) else {}


for _name in PaysvcError.__annotations__:
    setattr(PaysvcError, _name, property(attrgetter(f"reply.{_name}"), doc=f"The reply's {_name}."))


class OutcomeUnknown(PaysvcError):
    """The service may or may not have executed the request: find out before you repeat it. Catch this first."""


class ArgumentError(PaysvcError, ValueError, of=Status.ARGUMENT):
    """A field is missing, unknown or of the wrong type. Nothing was sent; never with the outcome UNKNOWN."""


class ConfigError(PaysvcError, of=Status.CONFIG):
    """The configuration or encryption key is wrong or lacks what this call needs. Never with the outcome UNKNOWN."""


class EncryptError(PaysvcError, of=Status.ENCRYPT):
    """The payload does not fit the encryption key. Nothing was sent; never with the outcome UNKNOWN."""


class Unresolved(OutcomeUnknown, of=Status.UNRESOLVED):
    """The fate of a request is still not known, though the service was asked; or the journal has an open one."""


class KeyReused(OutcomeUnknown, of=Status.KEY_REUSED):
    """The journal has this key for a different request, whose outcome it is, UNKNOWN. This call sent nothing."""


class JournalError(PaysvcError, of=Status.JOURNAL):
    """The journal cannot be read or written. This call sent nothing.

    If something with this key or for this order may be open, it is an OutcomeUnknown too.
    """


class TransportError(PaysvcError, of=Status.TRANSPORT):
    """DNS lookup, connect or TLS failed, or the connection broke."""


class Timeout(PaysvcError, of=Status.TIMEOUT):
    """The deadline was exceeded, or the service answered 408."""


class Cancelled(PaysvcError, of=Status.CANCELLED):
    """The call was cancelled."""


class Rejected(PaysvcError, of=Status.REJECTED):
    """The service refused this request, and did not execute it: the outcome is REJECTED.

    An earlier request for the same order may have been executed.
    """


class Unauthorized(PaysvcError, of=Status.UNAUTHORIZED):
    """The service refused this request with 401 or 403. Never with the outcome UNKNOWN."""


class RateLimited(PaysvcError, of=Status.RATE_LIMITED):
    """The service answered 429, after the retries. Never with the outcome UNKNOWN."""


class ServerError(PaysvcError, of=Status.SERVER):
    """The service answered 5xx."""


class ResponseError(PaysvcError, of=Status.RESPONSE):
    """The response is cut off, too large, not JSON, a redirect, contradicts itself, or does not say what was done."""


class InternalError(PaysvcError, of=Status.INTERNAL):
    """A bug in the library, which it caught."""


class Abandoned(PaysvcError, of=Status.OK):
    """The service answered success, but the caller had been cancelled or interrupted by then."""


def error_of(
    reply: Reply, endpoint: str = "", request: Mapping[str, Any] | None = None, attempts: int | None = None
) -> PaysvcError:
    """The exception for a reply. A status that this version does not know is a plain PaysvcError."""
    found, unknown = _CLASSES.get(reply.status, (PaysvcError, OutcomeUnknown))
    # An outcome that this version does not know proves nothing.
    if reply.outcome not in (Outcome.NOT_SENT, Outcome.CONFIRMED, Outcome.REJECTED):
        found = unknown
    elif found is unknown or (found is Rejected and reply.outcome != Outcome.REJECTED):
        found = PaysvcError  # A status that contradicts its outcome: only the outcome counts.
    return found(reply, endpoint, request, attempts)
