"""Replies: copies of what the library returned, which outlive the client."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Optional, TypeVar

from ._generated import Outcome, State, Status
from ._values import amount_text, decode, encode, utf8

if TYPE_CHECKING:
    from ._typed import Answer

Self = TypeVar("Self", bound="Reply")

_UNREAD = object()


@cache
def _tell() -> Any:
    # Only programs that read a response import the classes.
    from ._answers import ANSWERS
    from ._typed import told

    return partial(told, ANSWERS)


#: Stands for the library's JSON where there is no memory for it.
_UNTOLD = '{"answer":null,"unreadable":[""],"webhook":null,"look_up":null}'
_NOT_MADE = "this reply was not made by the library, or was restored from a copy: ask the service again"


@dataclass(frozen=True, repr=False)
class Reply:
    """The result of a call, and the response. It is immutable, and true if the status is OK.

    `answer` is the response as plain data with its types, `body` all of it with the service's names, and `text` the
    response as it was received. The repr shows only status, outcome, state and message. dataclasses.asdict() gives the
    fields, which are text, numbers and booleans; no amount becomes a float.
    """

    #: Why the call ended as it did.
    status: Status
    #: The outcome of the request as far as it is known: whether it may be repeated.
    outcome: Outcome
    #: The response's JSON as it was received, or the library's failure envelope.
    text: str
    #: One line for a person.
    message: str = ""
    #: The service's own code, or "".
    code: str = ""
    #: The state of the payment or refund in the response. Paid means Outcome.CONFIRMED and State.SUCCESSFUL, both.
    state: State = State.NONE
    #: The HTTP status of the last response; 0: there was no response.
    http_status: int = 0
    #: The number of sent requests of this call that may have changed something, resends included; for a read-only call,
    #: the number of its queries. Queries that the library makes in between, e.g. with a journal, are not counted.
    attempts: int = 0
    #: Seconds to wait before trying again; None: the service did not say.
    retry_after: Optional[float] = None  # noqa: UP045 (what pydantic can read on Python 3.9)
    #: Identifies this call in the log; "": the library was not called.
    call_id: str = ""
    #: The number that the service gave to the last request, by which it finds it in its own log; "": none.
    request_id: str = ""
    #: True: the recorded end of an earlier call with the same key, or for the same order. Nothing was sent.
    replayed: bool = False
    #: For direct_debit_status: True only if the service reports the mandate as active. False for a wording that the
    #: library does not know: `message` has it.
    is_active: bool = False
    #: Asks the library's reply, if it is CONFIRMED and SUCCESSFUL; otherwise why that is not paid.
    _compare: ClassVar[Any] = None
    _why_not: ClassVar[str] = _NOT_MADE
    #: The open key, for journal_next.
    _key: ClassVar[str] = ""
    _body: ClassVar[Any] = _UNREAD
    #: The library's JSON about its reply, or a function that returns it.
    _json: ClassVar[Any] = None
    _read: ClassVar[Any] = None

    def __init_subclass__(cls) -> None:
        # orjson looks for it in the class itself.
        cls.__dataclass_fields__ = Reply.__dataclass_fields__

    @classmethod
    def local(cls: type[Self], status: Status, message: str, outcome: Outcome = Outcome.NOT_SENT) -> Self:
        """A reply that this package makes itself, for a call that sent nothing."""
        text = encode({"status": False, "message": message, "errors": {}}).decode()
        return cls(status=status, outcome=outcome, message=message, text=text)

    def is_paid(self, reference: str, amount: Decimal | str, currency: str) -> bool:
        """True only if this order is paid: CONFIRMED, SUCCESSFUL, and order, price and currency are these.

        The amount is the price without the fee, never a float; amounts are compared as decimals. "*" is not compared.
        An order that the response does not name is the request's; a currency may also be one that resolve() has proved.
        For webhook_verify() and order_wait() it is about what the service said. A refund or a payout is never paid, and
        neither is a reply that was pickled: it is no longer a response from the service.
        """
        return not self.why_not_paid(reference, amount, currency)

    def why_not_paid(self, reference: str, amount: Decimal | str, currency: str) -> str:
        """Why is_paid() is false, in one line for a person; "" if it is true."""
        given = {"reference": reference, "amount": amount_text("amount", amount), "currency": currency}
        texts = [utf8(name, text) for name, text in given.items()]
        return str(self._why_not if self._compare is None else self._compare(*texts))

    @property
    def body(self) -> Any:
        """The whole response with the service's names, parsed at the first access. Numbers with a fraction are Decimal,
        others int: json.dumps(reply.body, default=str) writes them exactly.

        A number that Python cannot hold is its text. Raises ValueError if it is nested too deeply for Python; the other
        attributes are there all the same.
        """
        if self._body is _UNREAD:
            vars(self)["_body"] = decode(self.text)
        return self._body

    @property
    def answer(self) -> Answer | None:
        """The response as plain data, made at the first access: a dataclass of its endpoint, such as an OrderPayAnswer.
        The reply of an endpoint always has one; other replies have None if there is no typed answer.

        Raises ValueError if it is nested too deeply for Python; the other attributes are there all the same.
        """
        found: Answer | None = self._told()["answer"]
        return found

    @property
    def unreadable(self) -> tuple[str, ...]:
        """JSON pointers, in the body, of what has a field in `answer` but cannot be read, so that the field is None."""
        return tuple(self._told()["unreadable"])

    def _told(self) -> dict[str, Any]:
        found: Any = self._read
        if found is None:
            found = vars(self).setdefault("_read", _tell()(self._summary()))  # Threads get the same.
        known: dict[str, Any] = found
        return known

    def _summary(self) -> str | None:
        made: Any = self._json
        if callable(made):
            text: Any = made()
            made = vars(self)["_json"] = text.decode() if text else _UNTOLD  # The handle is no longer needed.
        known: str | None = made
        return known

    def _as(self, name: str) -> Any:
        """The response of that endpoint, without a field if the reply has another one or none."""
        objects = (self._read or self._told())["objects"]
        if name not in objects:
            from ._answers import ANSWERS

            objects.setdefault(name, ANSWERS[name]())
        return objects[name]

    def _get(self, name: str) -> Any:
        """A field of the response; None if there is none."""
        return self.body.get(name) if isinstance(self.body, dict) else None

    def __bool__(self) -> bool:
        return self.status == Status.OK

    def __repr__(self) -> str:
        return (
            f"<Reply {self.status.name}: outcome {self.outcome.name}, state {self.state.name}, "
            f"HTTP {self.http_status}: {self.message}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        # A copy has no handle of the library's reply.
        known = {name: value for name, value in vars(self).items() if not name.startswith("_") or name == "_read"}
        return {**known, "_json": self._summary()}
